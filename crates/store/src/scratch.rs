//! Scratch space for emulated drives and mount points, which outlives no run.
//!
//! Each run has a directory of its own with a lock file that it holds. One whose lock can be had
//! belonged to a run that was killed, and is removed by the next.

use crate::Error;
use rustix::fs::{FlockOperation, Mode, OFlags, StatVfs, flock, open, statvfs};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

const PREFIX: &str = "poolwright-";

/// A directory that goes away with its run.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes a scratch directory in the first of `candidates` that has `need` bytes free, after
    /// removing what dead runs left in any of them.
    ///
    /// # Errors
    /// [`Error::NoRoom`] names what each candidate had.
    pub fn create(candidates: &[PathBuf], need: u64) -> Result<Scratch, Error> {
        let mut tried = Vec::new();
        for base in candidates {
            remove_leftovers(base);
            match statvfs(base).map(|s| free(&s)) {
                Err(e) => tried.push(format!("{} ({e})", base.display())),
                Ok(free) if free < need => {
                    tried.push(format!("{} has {free}", base.display()));
                }
                Ok(_) => match Self::create_in(base) {
                    Ok(scratch) => return Ok(scratch),
                    Err(e) => tried.push(e.to_string()),
                },
            }
        }
        Err(Error::NoRoom {
            need,
            tried: tried.join(", "),
        })
    }

    fn create_in(base: &Path) -> Result<Scratch, Error> {
        let pid = std::process::id();
        for n in 0u32.. {
            let path = base.join(format!("{PREFIX}{pid}-{n}"));
            match fs::create_dir(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(Error::io("create", &path)(e)),
            }
            let name = path.join("lock");
            let lock = File::create(&name).map_err(Error::io("create", &name))?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive)
                .map_err(|e| Error::io("lock", &name)(e.into()))?;
            return Ok(Scratch { path, _lock: lock });
        }
        unreachable!("some number is free")
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed as a leftover by the next run.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn free(stat: &StatVfs) -> u64 {
    stat.f_bavail.saturating_mul(stat.f_frsize)
}

/// Removes what dead runs left in a directory. What cannot be read or removed stays.
pub fn remove_leftovers(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // Without a lock file it may be one that is being made at this moment.
        // Anybody may leave anything in a /dev/shm: a pipe would be waited for, a link be another's lock.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(lock) = open(path.join("lock"), flags, Mode::empty()).map(File::from) else {
            continue;
        };
        if !lock.metadata().is_ok_and(|found| found.is_file()) {
            continue;
        }
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_dir_all(&path);
        }
    }
}
