//! fio job files: read as fio 3.33 reads them, checked for everything that the machine cannot run, and
//! reduced to what the size scale depends on. Rewriting and running one is `bench`'s.

mod check;
mod contradictions;
pub mod demand;
mod futile;
pub mod job_options;
pub mod options;
pub mod parse;
pub mod sizes;

pub use check::{Beside, mistakes, notes};
pub use demand::{Demand, demand, least_size};

use std::ops::Range;

/// Something wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// Line of the job file, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
}

impl Mistake {
    /// A mistake in a line.
    pub fn new(line: usize, message: impl Into<String>, fix: impl Into<String>) -> Mistake {
        Mistake { line, message: message.into(), fix: fix.into() }
    }

    /// The bytes of the job file's text that it is about.
    pub fn span(&self, text: &str) -> Range<usize> {
        line_span(text, self.line)
    }
}

/// The bytes of a line of a job file, counted from 1, without blanks and comment.
pub fn line_span(text: &str, number: usize) -> Range<usize> {
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index + 1 == number {
            let content = parse::content(line);
            let from = start + line.find(content).unwrap_or(0);
            return from..from + content.len();
        }
        start += line.len();
    }
    0..text.len().min(1)
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; {}", self.line, self.message, self.fix)
    }
}
