//! A drive's data: a lease of an arena, or a file and, for a volatile cache, the log of unflushed writes.

use super::Place;
use super::arena::Lease;
use super::log::{Log, Mark, Writer, punch, read_or_zero};
use super::naming;
use super::written::{BLOCK, Written};
use parking_lot::Mutex;
use rustix::fs::{SeekFrom, seek};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// File of a drive's data.
pub(super) fn data_path(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{name}.data"))
}

/// File of a drive's unflushed writes.
pub(super) fn log_path(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{name}.unflushed"))
}

/// File that says where in it the first of them is.
pub(super) fn first_path(store: &Path, name: &str) -> PathBuf {
    store.join(format!("{name}.first"))
}

/// What a drive holds.
#[derive(Debug)]
pub(super) enum Backing {
    /// In a file of its own.
    Kept(Kept),
    /// Until the process ends: then all is gone, flushed or not.
    Leased(Lease),
}

/// What is there again when the drive is opened again.
#[derive(Debug)]
pub(super) struct Kept {
    file: File,
    volatile: Option<Volatile>,
}

#[derive(Debug)]
struct Volatile {
    log: Log,
    writing: Mutex<Writing>,
}

/// What a write holds from its begin to its end.
#[derive(Debug)]
struct Writing {
    log: Writer,
    written: Written,
}

impl Backing {
    /// Opens or makes the drive's files, or leases space. With `volatile`, writes to files can be lost
    /// until flushed, torn in units of `tearing` bytes.
    pub(super) fn open(
        place: &Place,
        name: &str,
        size: u64,
        volatile: bool,
        tearing: u64,
    ) -> io::Result<Self> {
        Ok(match place {
            Place::Files(store) => Self::Kept(Kept::open(store, name, size, volatile, tearing)?),
            Place::Arena(arena) => Self::Leased(Lease::new(arena)),
        })
    }

    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Kept(kept) => read_or_zero(&kept.file, offset, buf),
            Self::Leased(lease) => lease.read(offset, buf),
        }
    }

    pub(super) fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self {
            Self::Kept(kept) => kept.write(offset, data),
            Self::Leased(lease) => lease.write(offset, data),
        }
    }

    /// The range's contents are zero or what they were; ours are zero in whole blocks.
    pub(super) fn trim(&self, offset: u64, length: u64) -> io::Result<()> {
        match self {
            Self::Kept(kept) => kept.trim(offset, length),
            Self::Leased(lease) => {
                lease.trim(offset, length);
                Ok(())
            }
        }
    }

    /// Nobody reads the range before it is written again. Files keep it: what they hold after a power cut
    /// is what a drive would.
    pub(super) fn forget(&self, offset: u64, length: u64) {
        if let Self::Leased(lease) = self {
            lease.trim(offset, length);
        }
    }

    fn log(&self) -> Option<&Log> {
        match self {
            Self::Kept(kept) => kept.volatile.as_ref().map(|v| &v.log),
            Self::Leased(_) => None,
        }
    }

    /// What a flush that arrives now has to cover.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.log().map(Log::mark)
    }

    /// That flush has finished.
    pub(super) fn retire(&self, mark: Mark) -> io::Result<()> {
        self.log().map_or(Ok(()), |log| log.retire(mark))
    }
}

impl Kept {
    fn open(store: &Path, name: &str, size: u64, volatile: bool, tearing: u64) -> io::Result<Self> {
        let path = data_path(store, name);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(naming("open the drive's data", &path))?;
        file.set_len(size)
            .map_err(naming("give its size to", &path))?;
        let volatile = if volatile {
            let path = log_path(store, name);
            let (log, writer) = Log::open(&path, &first_path(store, name), tearing)
                .map_err(naming("open the log of unflushed writes", &path))?;
            let writing = Writing {
                log: writer,
                written: written(&file).map_err(naming("look for data in", &path))?,
            };
            Some(Volatile {
                log,
                writing: Mutex::new(writing),
            })
        } else {
            None
        };
        Ok(Self { file, volatile })
    }

    /// Writes of one drive are one after the other, so that only the last record of the log can
    /// belong to a write that a kill cut short.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let Some(volatile) = &self.volatile else {
            return self.file.write_all_at(data, offset);
        };
        let mut writing = volatile.writing.lock();
        let Writing { log, written } = &mut *writing;
        let length = data.len() as u64;
        let range = (offset, length, written.touches(offset, length));
        volatile.log.around(log, &self.file, range, || {
            written.add(offset, length);
            self.file.write_all_at(data, offset)
        })
    }

    fn trim(&self, offset: u64, length: u64) -> io::Result<()> {
        let start = offset.next_multiple_of(BLOCK);
        let end = (offset + length) / BLOCK * BLOCK;
        let length = end.saturating_sub(start);
        match &self.volatile {
            None => punch(&self.file, start, length),
            Some(volatile) => {
                let mut writing = volatile.writing.lock();
                writing.written.remove(start, length);
                punch(&self.file, start, length)
            }
        }
    }
}

/// The data extents of a file that is there already.
fn written(file: &File) -> io::Result<Written> {
    let mut written = Written::default();
    let mut at = 0;
    loop {
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data,
            Err(rustix::io::Errno::NXIO) => return Ok(written),
            Err(e) => return Err(e.into()),
        };
        at = seek(file, SeekFrom::Hole(data))?;
        written.add(data, at - data);
    }
}
