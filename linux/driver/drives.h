/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface to the drives: timing models and contents, in Rust (linux/drives).
 * Times are virtual nanoseconds since boot, offsets and lengths bytes.
 */
#ifndef POOLWRIGHT_DRIVES_H
#define POOLWRIGHT_DRIVES_H

typedef unsigned long long pw_u64;

enum { PW_READ, PW_WRITE, PW_FLUSH, PW_DISCARD, PW_WRITE_FUA };

/* Queue limits and identity of a drive. */
struct pw_drive {
	const char *name;
	pw_u64 size;
	unsigned int logical_sector;
	unsigned int physical_sector;
	unsigned int depth;		/* commands that it takes at once */
	unsigned int max_transfer;	/* bytes of one command */
	unsigned char rotational;
	unsigned char write_cache;	/* announced: the block layer sends flushes */
	unsigned char discard;
	unsigned char scheduler;	/* a distribution gives it mq-deadline */
	unsigned char fua;		/* takes PW_WRITE_FUA */
};

/* Reads the configuration; 0, or 1 with a line on standard error. */
int pw_configure(const char *path);
unsigned int pw_count(void);
void pw_describe(unsigned int drive, struct pw_drive *out);
/* A request arrives. Returns the time of the drive's next event, ~0 for none. */
pw_u64 pw_submit(unsigned int drive, pw_u64 now, pw_u64 tag, int op,
		 pw_u64 offset, pw_u64 length);
/*
 * Plays the drive forward and takes up to max tags of finished requests.
 * A tag's top bit is set where the request failed.
 */
unsigned int pw_advance(unsigned int drive, pw_u64 now, pw_u64 *tags,
			unsigned int max);
pw_u64 pw_next(unsigned int drive);
/* Moves data; a range beyond the drive is a bug of the caller. */
void pw_read(unsigned int drive, pw_u64 offset, void *to, pw_u64 length);
/* Before the data of a write: its place in the record of the drives. */
void pw_begin_write(unsigned int drive, pw_u64 now, pw_u64 offset, pw_u64 length);
void pw_write(unsigned int drive, pw_u64 offset, const void *from, pw_u64 length);
/* Contents that nothing reads again need not be held. Takes no time: it is no discard. */
void pw_forget(unsigned int drive, pw_u64 offset, pw_u64 length);
/* Counters of all drives as text; returns its length. */
pw_u64 pw_report(pw_u64 now, char *to, pw_u64 max);
/* A command as text (see drives/src/command.rs); returns 0 or -errno. */
int pw_command(pw_u64 now, const char *text, pw_u64 length);

#endif
