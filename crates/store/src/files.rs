//! Files that are written completely or not at all.

use crate::Error;
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes a file and waits until it is on stable storage.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let write = || -> std::io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        file.sync_all()
    };
    write().map_err(Error::io("write", path))
}

/// Writes a value as a JSON file, as [`write`] does.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec(value).map_err(|e| Error::content(path, e))?;
    write(path, &text)
}

/// Replaces a file, so that a kill leaves the old content or the new, and at most a temporary file that
/// [`sweep`] removes. The temporary name is of this process and this call alone: others may write the same
/// file at the same moment.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), Error> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let fresh = path.with_file_name(format!(".{name}.{}-{call}", std::process::id()));
        // Held as long as it is written, so that nobody takes it for a killed process's.
        let mut file = File::create(&fresh).map_err(Error::io("write", &fresh))?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|e| Error::io("lock", &fresh)(e.into()))?;
        file.write_all(content)
            .and_then(|()| file.sync_all())
            .map_err(Error::io("write", &fresh))?;
        match fs::rename(&fresh, path) {
            // It was taken for one between its making and its lock.
            Err(e)
                if e.kind() == ErrorKind::NotFound && path.parent().is_some_and(Path::exists) => {}
            renamed => return renamed.map_err(Error::io("write", path)),
        }
    }
}

/// Removes temporary files that killed processes left in a directory.
pub fn sweep(directory: &Path) -> Result<(), Error> {
    for path in list(directory)? {
        if is_temporary(&path)
            && let Ok(file) = File::open(&path)
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Whether a file's name is one that [`replace`] gives. Others that begin with a dot are a person's or a program's.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = |text: &str| text.parse::<u32>().is_ok();
    let last = name.strip_prefix('.').and_then(|name| name.rsplit_once('.'));
    let numbers = last.and_then(|(_, last)| last.split_once('-'));
    numbers.is_some_and(|(process, call)| number(process) && number(call))
}

/// Whether a file is hidden, as a temporary one of [`replace`] is.
pub fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// A file's content; none where it does not exist.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("read", path)(e)),
    }
}

/// A JSON file.
pub fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(Error::io("read", path))?;
    serde_json::from_slice(&text).map_err(|e| Error::content(path, e))
}

/// Removes a file; one that another has removed is gone all the same.
pub fn remove(path: &Path) -> Result<(), Error> {
    gone(fs::remove_file(path), path)
}

/// Removes a directory; one that is not there is gone all the same.
pub fn remove_directory(path: &Path) -> Result<(), Error> {
    gone(fs::remove_dir_all(path), path)
}

fn gone(removed: std::io::Result<()>, path: &Path) -> Result<(), Error> {
    match removed {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(e)),
        _ => Ok(()),
    }
}

pub fn create(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

/// Makes the directory that a path is in.
pub fn create_above(path: &Path) -> Result<(), Error> {
    path.parent().map_or(Ok(()), create)
}

/// The paths in a directory, sorted; none where it does not exist.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io("read", path)(e)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> =
        paths.collect::<Result<_, _>>().map_err(Error::io("read", path))?;
    paths.sort();
    Ok(paths)
}

/// The directories in a directory, sorted; none where it does not exist. Other programs may leave files beside them.
pub fn directories(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = list(path)?;
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

/// Copies a directory with its files and directories; what is neither, a link for one, is left out.
pub fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    create(to)?;
    for path in list(from)? {
        let kind = path.symlink_metadata().map_err(Error::io("read", &path))?;
        let target = to.join(path.file_name().unwrap_or_default());
        if kind.is_dir() {
            copy(&path, &target)?;
        } else if kind.is_file() {
            let content = fs::read(&path).map_err(Error::io("read", &path))?;
            write(&target, &content)?;
        }
    }
    Ok(())
}
