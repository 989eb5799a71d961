//! The file systems of a machine: the host's root stays read-only, what programs write is in memory, and
//! one directory of the host takes the results.

use crate::{ENGINE, INSIDE};
use rustix::mount::{MountFlags, mount, mount_bind, mount_move, mount_remount};
use std::fs;
use std::path::Path;

/// Mounts everything; `directory` and `engine` are the machine's directory and its engine's on the host.
pub fn mount_all(directory: &Path, engine: &Path) -> Result<(), String> {
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
        if target == "/dev" && mounted.lines().any(|line| line.starts_with("devtmpfs /dev ")) {
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
    for (host, target, flags) in
        [(directory, INSIDE, MountFlags::empty()), (engine, ENGINE, MountFlags::RDONLY)]
    {
        let host = host.to_str().ok_or_else(|| format!("{} is not UTF-8", host.display()))?;
        make(Path::new(target))?;
        mount_with("none", Path::new(target), "hostfs", host, flags)?;
    }
    rustix::system::sethostname(b"machine").map_err(|e| format!("cannot set the host name: {e}"))
}

/// Files of /etc: users and hosts, and the modules that look for them.
const SETTINGS: [(&str, &str); 4] = [
    ("passwd", "root:x:0:0:root:/run:/bin/sh\nnobody:x:65534:65534:nobody:/run:/bin/sh\n"),
    ("group", "root:x:0:\nnogroup:x:65534:\n"),
    ("hosts", "127.0.0.1 localhost machine\n"),
    ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
];
/// What of the host's /etc remains: where libraries are, and which of several programs a name stands for.
const KEPT: [&str; 2] = ["ld.so.cache", "alternatives"];
/// Directories that one host fills and another does not: locales, which fio looks for whatever the environment says, and
/// time zones.
const HIDDEN: [&str; 3] = ["/usr/lib/locale", "/usr/share/locale", "/usr/share/zoneinfo"];

/// Replaces the host's settings: /etc has [`SETTINGS`] and [`KEPT`], and [`HIDDEN`] are empty. Administrators change
/// these, and programs read them: that takes time, and mkfs takes the features of a file system from there.
pub fn replace_settings() -> Result<(), String> {
    for directory in HIDDEN.map(Path::new) {
        if directory.is_dir() {
            mount_one("tmpfs", directory, "tmpfs", "mode=0755")?;
        }
    }
    let (host, own) = (Path::new("/etc"), Path::new("/run/etc"));
    make(own)?;
    mount_one("tmpfs", own, "tmpfs", "mode=0755")?;
    for (name, text) in SETTINGS {
        let file = own.join(name);
        fs::write(&file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    for name in KEPT {
        let (kept, target) = (host.join(name), own.join(name));
        if kept.is_dir() {
            make(&target)?;
        } else if kept.exists() {
            fs::write(&target, "")
                .map_err(|e| format!("cannot write {}: {e}", target.display()))?;
        } else {
            continue;
        }
        mount_bind(&kept, &target).map_err(|e| format!("cannot keep {}: {e}", kept.display()))?;
    }
    mount_move(own, host)
        .and_then(|()| mount_remount(host, MountFlags::RDONLY, c""))
        .map_err(|e| format!("cannot replace /etc: {e}"))
}

fn make(directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|e| format!("cannot make {}: {e}", directory.display()))
}

fn mount_one(source: &str, target: &Path, kind: &str, data: &str) -> Result<(), String> {
    mount_with(source, target, kind, data, MountFlags::empty())
}

fn mount_with(
    source: &str,
    target: &Path,
    kind: &str,
    data: &str,
    flags: MountFlags,
) -> Result<(), String> {
    let data = std::ffi::CString::new(data).map_err(|e| e.to_string())?;
    mount(source, target, kind, flags, Some(data.as_c_str()))
        .map_err(|e| format!("cannot mount {kind} on {}: {e}", target.display()))
}
