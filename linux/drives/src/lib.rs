//! The drives of a machine: timing models over contents, behind a C interface for the kernel's block
//! driver (`../driver/block.c`).
//!
//! It is linked into the kernel, which is an ordinary program here. Two things are not ordinary:
//! `malloc` is the kernel's and must not be called in a timer ([`memory`] has an allocator of its own),
//! and stacks are 16 KiB, so that everything large is done before the kernel starts.

pub mod command;
pub mod drive;
mod ffi;
pub mod memory;
pub mod statistics;
