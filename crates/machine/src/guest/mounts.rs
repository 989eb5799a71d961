//! The file systems of a machine: the host's root stays read-only, what programs write is in memory, and
//! one directory of the host takes the results.

use crate::INSIDE;
use rustix::mount::{MountFlags, mount};
use std::fs;
use std::path::Path;

/// Mounts everything; `directory` is the machine's directory on the host.
pub fn mount_all(directory: &Path) -> Result<(), String> {
    let kernel = [
        ("proc", "/proc", "proc", ""),
        ("sysfs", "/sys", "sysfs", ""),
        ("devtmpfs", "/dev", "devtmpfs", "mode=0755"),
        ("tmpfs", "/run", "tmpfs", "mode=0755"),
        ("tmpfs", "/tmp", "tmpfs", "mode=1777"),
        ("tmpfs", "/var/tmp", "tmpfs", "mode=1777"),
    ];
    // The kernel mounts /dev itself where it can.
    let mounted = fs::read_to_string("/proc/mounts").unwrap_or_default();
    for (source, target, kind, data) in kernel {
        if target == "/dev"
            && mounted
                .lines()
                .any(|line| line.starts_with("devtmpfs /dev "))
        {
            continue;
        }
        mount_one(source, Path::new(target), kind, data)?;
    }
    for (source, target, kind, data) in [
        ("devpts", "/dev/pts", "devpts", "mode=0620,ptmxmode=0666"),
        ("tmpfs", "/dev/shm", "tmpfs", "mode=1777"),
    ] {
        make(Path::new(target))?;
        mount_one(source, Path::new(target), kind, data)?;
    }
    make(Path::new(INSIDE))?;
    let host = directory
        .to_str()
        .ok_or("the machine's directory has a name that is not UTF-8")?;
    mount_one("none", Path::new(INSIDE), "hostfs", host)?;
    rustix::system::sethostname(b"machine").map_err(|e| format!("cannot set the host name: {e}"))
}

fn make(directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|e| format!("cannot make {}: {e}", directory.display()))
}

fn mount_one(source: &str, target: &Path, kind: &str, data: &str) -> Result<(), String> {
    let data = std::ffi::CString::new(data).map_err(|e| e.to_string())?;
    mount(
        source,
        target,
        kind,
        MountFlags::empty(),
        Some(data.as_c_str()),
    )
    .map_err(|e| format!("cannot mount {kind} on {}: {e}", target.display()))
}
