//! Diagnostics of a lab: what is wrong, where, and what to do.

use serde::Serialize;
use std::ops::Range;
pub use zfs::spelling::{did_you_mean, did_you_mean_or, nearest};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is wrong; information for the reader.
    Note,
    /// The lab runs, but may not answer the author's question.
    Warning,
    /// The lab is refused.
    Error,
}

/// A stretch of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The file's name as the user gave it, or as the lab names it.
    pub file: String,
    /// Bytes of the file's text, from 0.
    pub span: Range<usize>,
}

/// One message about a lab.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where; none if it concerns the whole lab.
    pub place: Option<Place>,
    /// Label beside the caret; may be empty.
    pub label: String,
    /// A second place that explains the first (`first used here`).
    pub related: Option<Box<(Place, String)>>,
    /// What to do.
    pub fix: Option<Box<str>>,
    /// It reports something missing, which may be in a part of the file that could not be read.
    #[serde(skip)]
    pub missing: bool,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            severity,
            message: message.into(),
            place: None,
            label: String::new(),
            related: None,
            fix: None,
            missing: false,
        }
    }

    /// An error: the lab is refused.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning: the lab runs, but its author should check it.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A note: information for the reader.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, file: &str, span: Range<usize>) -> Self {
        self.place = Some(Place { file: file.to_owned(), span });
        self
    }

    /// Sets the label beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a second place in the same file.
    #[must_use]
    pub fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        if let Some(place) = &self.place {
            let place = Place { file: place.file.clone(), span };
            self.related = Some(Box::new((place, label.into())));
        }
        self
    }

    /// Sets what to do.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into().into_boxed_str());
        self
    }

    /// Marks it as a report of something missing.
    #[must_use]
    pub fn missing(mut self) -> Self {
        self.missing = true;
        self
    }

    /// Whether it is an error, so that the lab is refused.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Line and column of a byte of `text`, both from 1, the column in characters.
pub fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text = "a\nüb\n";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, 4), (2, 2));
        assert_eq!(line_column(text, 3), (2, 1), "inside a character: its start");
        assert_eq!(line_column(text, 99), (3, 1));
    }
}
