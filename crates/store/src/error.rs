//! What can go wrong with a directory of results.

use std::path::{Path, PathBuf};

/// Why a store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done: `create`, `read`, …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The journal said no.
    #[error("the journal {} cannot be used: {source}{}", path.display(), remedy(source))]
    Journal {
        /// The journal file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file of the store does not hold what it should.
    #[error("{} is not readable as written by this version: {source}; run again with --fresh", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where its text is wrong.
        source: serde_json::Error,
    },
    /// Another run is at work there.
    #[error("another run is measuring {}; wait for it, or measure anew with --fresh", path.display())]
    Busy {
        /// The campaign directory.
        path: PathBuf,
    },
    /// No directory can hold what is needed.
    #[error(
        "no place for {need} bytes of emulated drives: {tried}; name a directory with --store DIR"
    )]
    NoRoom {
        /// Bytes needed.
        need: u64,
        /// What each candidate had.
        tried: String,
    },
}

/// What to do about it. A journal holds what was measured: it is given up only where it is none.
fn remedy(source: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode::{CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly};
    match source.sqlite_error_code() {
        Some(NotADatabase | DatabaseCorrupt) => "; move it away to start again",
        Some(DiskFull) => "; make room, then the same command goes on",
        Some(ReadOnly | CannotOpen) => "; the file and its directory must be yours to use",
        _ => "",
    }
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io {
            action,
            path,
            source,
        }
    }
}
