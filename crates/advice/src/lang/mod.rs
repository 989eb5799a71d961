//! Sentences: one file a language, each matching every rule, so that a missing one does not
//! compile.

pub mod en;

use crate::audit::{Finding, Id};

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
}

/// What a rule says, with blanks `{name}` for a finding's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// What is wrong.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
}

impl Language {
    /// A rule's text.
    pub fn text(self, rule: Id) -> Text {
        match self {
            Language::English => en::text(rule),
        }
    }

    /// What a finding says: what is wrong, and why it matters.
    pub fn say(self, finding: &Finding) -> (String, String) {
        let text = self.text(finding.rule);
        (fill(text.what, finding), fill(text.why, finding))
    }
}

/// A text with its blanks filled; arguments come from outside, so control characters go.
fn fill(text: &str, finding: &Finding) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, behind)) => {
                match finding.arguments.get(name) {
                    Some(value) => filled.push_str(&crate::words::printable(value)),
                    None => filled.extend(["{", name, "}"]),
                }
                rest = behind;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}
