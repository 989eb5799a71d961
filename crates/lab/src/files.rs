//! Access to a lab's files and to its client program, so that this crate does no I/O.

use crate::fio::Mistake;

/// Files by their path relative to the lab's directory.
pub trait Files {
    /// The text of a file; the error is the system's reason.
    ///
    /// # Errors
    /// When it cannot be read or is not UTF-8.
    fn read(&self, path: &str) -> Result<String, String>;

    /// Paths of files like `_path`, as the lab would write them, to suggest instead of it.
    fn beside(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// Mistakes that the client program finds in a job file that this crate accepts; of a workload with a ladder of
    /// rates also in its copy for a rung. Empty if the program is not installed.
    fn program_says(&self, _job: &str, _rates: bool) -> Vec<Mistake> {
        Vec::new()
    }
}

/// No files: for a lab that is pasted whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<String, String> {
        Err("the lab was read from standard input, so that other files cannot be found".to_owned())
    }
}

/// A relative path without `.` and `..` in its middle.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
