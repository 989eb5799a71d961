//! Lock files: one per running trial, one per lab for its records. A lock is released when the process that holds it
//! ends, even if it is killed.

use crate::Error;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a lock that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// A lock that is held. Its file goes with it.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Waits for a lock that others hold for a moment only.
    pub fn wait(path: &Path) -> Result<Lock, Error> {
        loop {
            if let Some(lock) = Lock::take(path)? {
                return Ok(lock);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Takes a lock; none where another holds it, in this process or another.
    pub fn take(path: &Path) -> Result<Option<Lock>, Error> {
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(path)
                .map_err(Error::io("create", path))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(e) => return Err(Error::io("lock", path)(e.into())),
            }
            // The holder before may have removed the file between opening and locking it.
            let same = |ours: fs::Metadata| {
                let theirs = fs::metadata(path).ok()?;
                Some((ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino()))
            };
            if file.metadata().ok().and_then(same) == Some(true) {
                let path = path.to_owned();
                return Ok(Some(Lock { path, _file: file }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still held. A file that stays is taken by the next.
        let _ = fs::remove_file(&self.path);
    }
}
