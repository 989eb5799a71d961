/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modelled processor: what compute costs in virtual time.
 */
#ifndef __UM_PROCESSOR_CHARGE_H
#define __UM_PROCESSOR_CHARGE_H

/* Processors of the modelled host. */
unsigned int um_modelled_cores(void);
/* At the entry of a system call of user code. */
void um_charge_syscall(int nr);
/* At its end: what it has cost passes before user code reads the clock again. */
void um_charge_return(void);
/* After a switch from one task to another, in the new task. */
void um_charge_switch(void);
/* Bytes copied between user memory and the kernel. */
void um_charge_copy(unsigned long bytes);
/* A block request handed to a drive, and its completion interrupt. */
void um_charge_request(void);
void um_charge_interrupt(void);
/* A read or write of a file in OpenZFS: its locks, holds of dbufs, a transaction. */
void um_charge_zfs_call(void);
/* What OpenZFS computes; kinds are its own enum zio_checksum and enum zio_compress. */
void um_charge_checksum(unsigned int kind, unsigned long bytes);
void um_charge_compress(unsigned int kind, int level, unsigned long bytes);
void um_charge_decompress(unsigned int kind, unsigned long bytes);
/* Parity of a row of so many bytes, parity included, of OpenZFS or md. */
void um_charge_parity(unsigned int parity, unsigned long bytes);

#endif
