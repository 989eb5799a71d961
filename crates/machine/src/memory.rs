//! Memory that machines use one after the other. On a virtual host a page that is touched for the first
//! time costs up to 26 µs, and one that an earlier machine has touched a fraction of one.

use command_fds::{CommandFdExt, FdMapping};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Descriptor of the guest's memory in the machine's process.
pub const GUEST: i32 = 3;
/// Descriptor of the memory for what drives hold.
pub const DRIVES: i32 = 4;
/// Descriptor of the image or index that drives begin with.
pub(crate) const IMAGE: i32 = 5;
/// Descriptor of the file for what drives hold beyond the limit of their memory.
pub const SPILL: i32 = 6;

/// The path of the image or index that a machine is handed, as its drives' configuration names it.
pub fn image() -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{IMAGE}"))
}

/// Memory for a machine. Only one machine may use it at a time.
#[derive(Debug)]
pub struct Memory {
    guest: OwnedFd,
    drives: File,
    /// A file without a name.
    spill: Option<File>,
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
        let drives = memfd_create("drives", MemfdFlags::CLOEXEC)?.into();
        Ok(Memory { guest, drives, spill: None })
    }

    /// Keeps what drives hold beyond the limit of their memory in a new file of a directory, without a name.
    ///
    /// # Errors
    /// What the file system says.
    pub fn spill_in(&mut self, directory: &Path) -> io::Result<()> {
        let path = directory.join("drives.spill");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        self.spill = Some(file);
        Ok(())
    }

    /// Gives up that file.
    pub fn without_spill(self) -> Memory {
        Memory { spill: None, ..self }
    }

    /// What drives hold, to be read or written while no machine uses it: in memory, and beyond that in the file.
    pub fn drives(&self) -> (&File, Option<&File>) {
        (&self.drives, self.spill.as_ref())
    }

    /// The descriptors, each with its number in the machine's process.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = (BorrowedFd<'_>, i32)> {
        let spill = self.spill.iter().map(|spill| (spill.as_fd(), SPILL));
        [(self.guest.as_fd(), GUEST), (self.drives.as_fd(), DRIVES)].into_iter().chain(spill)
    }
}

/// Descriptors of this process for [`inherit_descriptors`], each with its number in the program that is started.
pub(crate) fn descriptor_list<'a>(
    descriptors: impl Iterator<Item = (BorrowedFd<'a>, i32)>,
) -> String {
    let pairs = descriptors.map(|(here, there)| format!("{}={there}", here.as_raw_fd()));
    pairs.collect::<Vec<_>>().join(",")
}

/// Gives a program that this process becomes what its parent has open, as a [`descriptor_list`] of the parent says.
/// Descriptors that the parent itself mapped for its child would need a fork, which copies the parent's page tables:
/// a tenth of the time of many machines that are started by a process with much memory.
///
/// # Errors
/// What is wrong with the list, or which path could not be opened.
pub(crate) fn inherit_descriptors(
    parent: u32,
    list: &str,
    command: &mut Command,
) -> io::Result<()> {
    let bad = || io::Error::new(io::ErrorKind::InvalidInput, format!("`{list}`: no descriptors"));
    let mapping = |pair: &str| {
        let (here, there) = pair.split_once('=').ok_or_else(bad)?;
        let here: u32 = here.parse().map_err(|_| bad())?;
        let child_fd = there.parse().map_err(|_| bad())?;
        let path = format!("/proc/{parent}/fd/{here}");
        let opened = File::options().read(true).write(child_fd != IMAGE).open(&path);
        let file = opened.map_err(|why| io::Error::new(why.kind(), format!("{path}: {why}")))?;
        Ok(FdMapping { parent_fd: file.into(), child_fd })
    };
    let pairs = list.split(',').filter(|pair| !pair.is_empty());
    let mappings: io::Result<Vec<_>> = pairs.map(mapping).collect();
    command.fd_mappings(mappings?).map(drop).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn a_program_inherits_what_its_parent_has_open() {
        let memory = Memory::new().unwrap();
        memory.drives().0.write_all_at(b"of the drives", 0).unwrap();
        let listed = descriptor_list(memory.descriptors());
        let mut command = Command::new("cat");
        command.arg(format!("/proc/self/fd/{DRIVES}"));
        inherit_descriptors(std::process::id(), &listed, &mut command).unwrap();
        assert_eq!(command.output().unwrap().stdout, b"of the drives");
    }

    #[test]
    fn descriptors_that_cannot_be_inherited_are_an_error() {
        let own = std::process::id();
        let inherit = |list| inherit_descriptors(own, list, &mut Command::new("cat"));
        let missing = inherit("999999=4").unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().starts_with(&format!("/proc/{own}/fd/999999: ")), "{missing}");
        for wrong in ["4", "4=", "../4=5"] {
            let error = inherit(wrong).unwrap_err();
            assert_eq!(error.to_string(), format!("`{wrong}`: no descriptors"));
        }
        inherit("").unwrap();
    }
}
