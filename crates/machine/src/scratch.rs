//! Directories of machines that are not trials. They lie in the user's cache and are removed with their
//! owner, or, where it was killed, by the next one.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _held: File,
}

impl Scratch {
    /// A new directory in the engine's cache, see [`crate::engine::cache`].
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn new() -> io::Result<Scratch> {
        Scratch::held(&crate::engine::cache().join("machines"), &hold)
    }

    /// A new directory in `parent`, which `hold` holds. Those of owners that have gone are removed.
    fn held(parent: &Path, hold: &dyn Fn(&Path) -> io::Result<File>) -> io::Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(parent)?;
        let parent = fs::canonicalize(parent)?;
        for entry in fs::read_dir(&parent)?.flatten() {
            if let Ok(_ours) = hold(&entry.path()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{}-{count}", std::process::id()));
            match fs::create_dir(&path) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            match hold(&path) {
                Ok(held) if path.exists() => return Ok(Scratch { path, _held: held }),
                // Another process may have taken it for nobody's before it was held.
                Ok(_) => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::NotFound) => {}
                // The file system has no locks, or this process no more descriptors.
                Err(e) => {
                    let _ = fs::remove_dir(&path);
                    return Err(e);
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Holds a directory that nobody else holds.
fn hold(path: &Path) -> io::Result<File> {
    let directory = File::open(path)?;
    flock(&directory, FlockOperation::NonBlockingLockExclusive)?;
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_directory_is_removed_with_its_owner_and_a_leftover_by_the_next_scratch() {
        let parent = tempfile::tempdir().unwrap();
        let nobodys = parent.path().join("1-0");
        fs::create_dir(&nobodys).unwrap();
        let one = Scratch::held(parent.path(), &hold).unwrap();
        assert!(!nobodys.exists());
        let two = Scratch::held(parent.path(), &hold).unwrap();
        assert!(one.path().is_dir() && two.path().is_dir(), "held");
        drop((one, two));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn where_directories_cannot_be_locked_none_stays() {
        let parent = tempfile::tempdir().unwrap();
        let unsupported = |_: &Path| Err(ErrorKind::Unsupported.into());
        let error = Scratch::held(parent.path(), &unsupported).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        // The first is another's.
        let first = std::cell::Cell::new(true);
        let taken = |path: &Path| match first.replace(false) {
            true => Err(ErrorKind::WouldBlock.into()),
            false => hold(path),
        };
        assert!(Scratch::held(parent.path(), &taken).unwrap().path().is_dir());
    }
}
