//! Output of zpool, lsblk, smartctl and others as typed facts.
//!
//! Every parser takes text and returns a [`Parsed`]: what was understood, each value with the
//! line it stands on so that a finding can point at its evidence, and what was not understood.
//! No parser fails or panics: unknown and truncated input is a [`Problem`] next to whatever could
//! be read before it.

pub mod arcconf;
pub mod card;
mod json;
pub mod lsblk;
pub mod modprobe;
pub mod mycnf;
pub mod nvme_list;
pub mod postgresql;
pub mod properties;
pub mod queue;
pub mod smartctl;
mod sniff;
pub mod ssacli;
pub mod storcli;
pub mod units;
pub mod zpool_status;

pub use sniff::{Facts, Format, formats, read};

/// A value and the line it was read from, counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// The line it stands on, from 1.
    pub line: u32,
}

impl<T> At<T> {
    /// `value`, read from `line`.
    pub fn new(value: T, line: u32) -> At<T> {
        At { value, line }
    }

    /// The same line with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> At<U> {
        At { value: change(self.value), line: self.line }
    }
}

impl At<String> {
    /// The value as a string slice.
    pub fn text(&self) -> &str {
        &self.value
    }

    /// The same line with what `read` makes of the text; none where it makes nothing of it.
    pub fn read<U>(&self, read: impl FnOnce(&str) -> Option<U>) -> Option<At<U>> {
        Some(At::new(read(&self.value)?, self.line))
    }
}

/// The result of a parser: the values, and the problems.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<T> {
    /// The values.
    pub facts: T,
    /// The problems, in the order of the text.
    pub problems: Vec<Problem>,
}

impl<T> Parsed<T> {
    /// The same problems with what `change` makes of the values.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Parsed<U> {
        Parsed { facts: change(self.facts), problems: self.problems }
    }
}

/// Something in the text that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1; the last line of the text when it ends too early.
    pub line: u32,
    /// What is wrong there, for people; quotes at most 80 characters of the text.
    pub what: String,
}

impl Problem {
    pub(crate) fn new(line: u32, what: impl Into<String>) -> Problem {
        Problem { line, what: what.into() }
    }

    /// What is wrong with a part of a line, which is quoted.
    pub(crate) fn quoting(line: u32, what: &str, part: &str) -> Problem {
        Problem::new(line, format!("{what}: {:?}", excerpt(part)))
    }
}

/// Lines of a text with their numbers from 1; a carriage return at the end is dropped.
pub fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines())
}

/// Number of the last line, at least 1.
pub(crate) fn last_line(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1)
}

/// At most 80 characters of `text`, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= 80 {
        text.to_string()
    } else {
        text.chars().take(79).chain(['…']).collect()
    }
}

/// The text of a row before a `#` outside of `quotes`, and whether its quotes are closed.
pub fn without_comment<'a>(row: &'a str, quotes: &[char]) -> (&'a str, bool) {
    let mut quote = None;
    for (at, c) in row.char_indices() {
        match quote {
            None if c == '#' => return (&row[..at], true),
            None if quotes.contains(&c) => quote = Some(c),
            Some(open) if open == c => quote = None,
            _ => {}
        }
    }
    (row, quote.is_none())
}

/// Lines of several rows: a backslash at the end of a row, which is left out, joins it with the next.
pub fn joined<'a>(rows: impl Iterator<Item = (u32, &'a str)>) -> Vec<Vec<(u32, &'a str)>> {
    let mut lines: Vec<Vec<(u32, &str)>> = Vec::new();
    let mut open = false;
    for (number, row) in rows {
        let before = row.strip_suffix('\\');
        let part = (number, before.unwrap_or(row));
        match lines.last_mut().filter(|_| open) {
            Some(line) => line.push(part),
            None => lines.push(vec![part]),
        }
        open = before.is_some();
    }
    lines
}

/// Whether a text is digits and nothing else.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Sets what is not set yet.
pub fn fill<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}

/// The item of a list that `wanted` accepts; where there is none, `new` is added and returned.
pub fn find_or_push<T>(
    list: &mut Vec<T>,
    wanted: impl FnMut(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let at = list.iter().position(wanted).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    });
    &mut list[at]
}

/// The problem of a text that holds nothing for `format`.
pub(crate) fn nothing_found(text: &str, format: &str) -> Problem {
    Problem::new(last_line(text), format!("no {format} output found in this text"))
}
