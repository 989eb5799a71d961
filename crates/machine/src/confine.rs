//! What a machine can change on the host: its own directory.
//!
//! Inside, everybody is root, and the host's files are visible. The kernel's process gives up the right to
//! write anything else by two means, each as far as the host has it. Landlock (Linux 5.13 and newer, any
//! user) denies contents and names of files. A mount namespace of its own (only for a process that may
//! mount) makes all of the host read-only, which also covers modes and owners of files.

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr,
};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Where everything may be written without effect.
const NULL: &str = "/dev/null";

/// From now on this thread, and every program that it becomes or starts, writes only below `directory`.
///
/// # Errors
/// Why the directory cannot be used. What the host does not support is left out.
pub fn confine(directory: &Path) -> Result<(), String> {
    // Landlock forbids mounts, so the namespace comes first. Where it is refused, Landlock remains.
    let _ = read_only_mounts(directory);
    landlock(directory)
        .map_err(|why| format!("cannot confine the machine to {}: {why}", directory.display()))
}

/// Whether the host has Landlock.
pub fn has_landlock() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V1))
        .and_then(Ruleset::create)
        .is_ok()
}

fn landlock(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let writing = AccessFs::from_write(ABI::V5);
    // No device files: the host's own drives have some, too.
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
    Ruleset::default()
        .handle_access(writing)?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(directory)?, writing & !devices))?
        .add_rule(PathBeneath::new(PathFd::new(NULL)?, AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(())
}

/// Makes every mount but the directory read-only, seen from this process alone.
fn read_only_mounts(directory: &Path) -> rustix::io::Result<()> {
    // Sound here: the namespace of descriptors is not touched.
    #[allow(deprecated)]
    rustix::thread::unshare(rustix::thread::UnshareFlags::NEWNS)?;
    // Nothing that follows reaches the host's own namespace.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount_bind(directory, directory)?;
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    for place in table.split(|byte| *byte == b'\n').filter_map(mount_point) {
        if !place.starts_with(directory) {
            // One that another mount hides cannot be reached, here or inside.
            let _ = mount_remount(&place, MountFlags::BIND | MountFlags::RDONLY, "");
        }
    }
    Ok(())
}

/// Where a line of /proc/self/mountinfo is mounted: its fifth word, with `\040` for a space, which the crate procfs
/// leaves as it is.
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    let word = line.split(|byte| *byte == b' ').nth(4)?;
    let mut path = Vec::new();
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let byte = octal
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[3..] } else { after };
    }
    Some(PathBuf::from(OsString::from_vec(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_read_with_their_spaces() {
        let line = br"36 35 98:0 /mnt1 /mnt/a\040b\134c rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mount_point(line), Some(PathBuf::from(r"/mnt/a b\c")));
        assert_eq!(mount_point(b""), None);
    }
}
