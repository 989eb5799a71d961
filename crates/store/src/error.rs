//! Errors of the store.

use crate::Key;
use std::path::{Path, PathBuf};

/// Why a store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory could not be used.
    #[error("cannot {action} {}: {source}{}", .path.display(), advice(.action, source))]
    Io {
        /// What was tried: `read`, `write`, `create`, `lock`.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file's content does not match its name.
    #[error("{} cannot be used: {why}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A directory with results of an older version.
    #[error("{} holds results of an older version of Poolwright, which this version cannot read and does not delete: run the lab again", .path.display())]
    Former {
        /// The directory.
        path: PathBuf,
    },
    /// No trial has such a key.
    #[error("the store {} has no trial {key}: `poolwright run LAB --list` plans a lab's trials and prints their keys", .store.display())]
    Unknown {
        /// What was looked for.
        key: String,
        /// Where.
        store: PathBuf,
    },
    /// Several trials begin with these digits.
    #[error("several trials begin with {prefix}: {}; give more digits", list(.keys))]
    Ambiguous {
        /// What was looked for.
        prefix: String,
        /// What begins so.
        keys: Vec<Key>,
    },
}

fn list(keys: &[Key]) -> String {
    let short: Vec<&str> = keys.iter().take(5).map(Key::short).collect();
    short.join(", ")
}

/// What to do about a system error.
fn advice(action: &str, error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::StorageFull => {
            "; free some space, or keep results elsewhere with --store DIR"
        }
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            "; name a directory that you may write to with --store DIR"
        }
        // A file stands where a directory should be, or the file system does not take it.
        _ if ["create", "write"].contains(&action) => "; choose another directory with --store DIR",
        _ => "",
    }
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    pub(crate) fn content(path: &Path, why: impl std::fmt::Display) -> Error {
        Error::Content { path: path.to_owned(), why: why.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn what_cannot_be_created_or_written_says_what_to_do() {
        let says = |action, kind: ErrorKind| {
            Error::io(action, Path::new("store"))(kind.into()).to_string()
        };
        for kind in [ErrorKind::AlreadyExists, ErrorKind::NotADirectory, ErrorKind::Other] {
            for action in ["create", "write"] {
                let message = says(action, kind);
                assert!(
                    message.ends_with("; choose another directory with --store DIR"),
                    "{message}"
                );
            }
        }
        assert!(says("create", ErrorKind::PermissionDenied).contains("that you may write to"));
        assert!(!says("read", ErrorKind::NotADirectory).contains("--store"));
    }
}
