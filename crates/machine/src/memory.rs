//! Memory that machines use one after the other. On a virtual host a page that is touched for the first
//! time costs up to 26 µs, and one that an earlier machine has touched a fraction of one.

use command_fds::{CommandFdExt, FdMapping};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::Command;

/// Descriptor of the guest's memory in the machine's process.
pub const GUEST: i32 = 3;
/// Descriptor of the memory for what drives hold.
pub const DRIVES: i32 = 4;
/// Descriptor of the image that drives begin with.
pub(crate) const IMAGE: i32 = 5;

/// The path of the image that a machine is handed, as its drives' configuration names it.
pub fn image() -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{IMAGE}"))
}

/// Memory for a machine. Only one machine may use it at a time.
#[derive(Debug)]
pub struct Memory {
    guest: OwnedFd,
    drives: OwnedFd,
}

impl Memory {
    /// New memory, of which nothing is touched yet.
    ///
    /// # Errors
    /// What the host says.
    pub fn new() -> io::Result<Memory> {
        // Programs run in the guest's memory. Hosts before 6.3 do not know the flag and do not need it.
        let executable = MemfdFlags::CLOEXEC | MemfdFlags::from_bits_retain(0x10);
        let guest = match memfd_create("guest-memory", executable) {
            Err(Errno::INVAL) => memfd_create("guest-memory", MemfdFlags::CLOEXEC)?,
            made => made?,
        };
        Ok(Memory { guest, drives: memfd_create("drives", MemfdFlags::CLOEXEC)? })
    }

    /// The descriptors, each with its number in the machine's process.
    pub(crate) fn descriptors(&self) -> [(BorrowedFd<'_>, i32); 2] {
        [(self.guest.as_fd(), GUEST), (self.drives.as_fd(), DRIVES)]
    }
}

/// Hands descriptors down to a program that is to be started, under these numbers.
pub(crate) fn hand_down(
    command: &mut Command,
    descriptors: Vec<(BorrowedFd<'_>, i32)>,
) -> io::Result<()> {
    let mapping = |(descriptor, number): (BorrowedFd<'_>, i32)| {
        Ok::<_, io::Error>(FdMapping {
            parent_fd: descriptor.try_clone_to_owned()?,
            child_fd: number,
        })
    };
    let mappings: io::Result<Vec<FdMapping>> = descriptors.into_iter().map(mapping).collect();
    command.fd_mappings(mappings?).map(drop).map_err(io::Error::other)
}
