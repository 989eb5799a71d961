//! What every section's reader needs: the text, the files, and a list of diagnostics.

use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::profile::Profiles;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use zfs::property::Refused;

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct At<T> {
    pub value: T,
    pub span: Range<usize>,
}

impl<T> At<T> {
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}

pub(super) struct Context<'a> {
    pub file: &'a str,
    pub text: &'a str,
    pub files: &'a dyn Files,
    pub profiles: &'a Profiles,
    diagnostics: RefCell<Vec<Diagnostic>>,
    known: RefCell<HashSet<Diagnostic>>,
}

impl<'a> Context<'a> {
    pub fn new(file: &'a str, text: &'a str, files: &'a dyn Files, profiles: &'a Profiles) -> Self {
        Self {
            file,
            text,
            files,
            profiles,
            diagnostics: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Adds a diagnostic once: a mistake in the base occurs again in every variant.
    pub fn say(&self, diagnostic: Diagnostic) {
        if self.known.borrow_mut().insert(diagnostic.clone()) {
            self.diagnostics.borrow_mut().push(diagnostic);
        }
    }

    /// Errors so far.
    pub fn errors(&self) -> usize {
        self.diagnostics.borrow().iter().filter(|d| d.is_error()).count()
    }

    pub fn error(&self, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        self.say(Diagnostic::error(message).at(self.file, span).fix(fix));
    }

    /// An error in place of a value.
    pub fn refuse<T>(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Option<T> {
        self.error(span, message, fix);
        None
    }

    /// What a check accepts; an error where it refuses.
    pub fn accepted<T>(&self, span: Range<usize>, checked: Result<T, Refused>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(Refused { message, fix }) => self.refuse(span, message, fix),
        }
    }

    /// An error about something missing. It is dropped if a section could not be read.
    pub fn missing(&self, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        let error = Diagnostic::error(message).at(self.file, span).fix(fix);
        self.say(error.missing());
    }

    pub fn warning(&self, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        self.say(Diagnostic::warning(message).at(self.file, span).fix(fix));
    }

    pub fn note(&self, span: Range<usize>, message: impl Into<String>) {
        self.say(Diagnostic::note(message).at(self.file, span));
    }

    /// Where byte `inner` of a string's value stands in the text: exact where the string is written
    /// without escapes, else its whole span.
    pub fn within(&self, string: &At<String>, inner: Range<usize>) -> Range<usize> {
        self.places(string)(inner)
    }

    /// As [`Context::within`], for many places of one string.
    pub fn places(&self, string: &At<String>) -> impl Fn(Range<usize>) -> Range<usize> + use<> {
        let span = string.span.clone();
        let base = self
            .text
            .get(span.clone())
            .and_then(|raw| raw.find(&string.value))
            .map(|offset| span.start + offset);
        move |inner| match base {
            Some(base) => base + inner.start..base + inner.end,
            None => span.clone(),
        }
    }

    /// All diagnostics, by place; errors come before warnings and notes.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.into_inner();
        diagnostics.sort_by_key(|d| {
            let start = d.place.as_ref().map_or(usize::MAX, |place| place.span.start);
            (std::cmp::Reverse(d.severity), start)
        });
        diagnostics
    }
}
