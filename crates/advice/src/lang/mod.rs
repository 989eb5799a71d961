//! Sentences: one file a language, each matching every rule and label, so that a missing one does
//! not compile. What came from outside (names of drives, datasets, files) stays as it is.

pub mod en;
pub mod zh;

pub use plan::lang::Language;

use crate::audit::{Finding, Id};

/// What a rule says, with blanks `{name}` for a finding's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// What is wrong.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
}

/// Fixed words around findings and settings, some with blanks `{name}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Severity: error.
    Error,
    /// Severity: warning.
    Warning,
    /// Severity: note.
    Note,
    /// Variants of a lab that a finding is about.
    Variants,
    /// What a finding rests on.
    Evidence,
    /// What to do.
    Fix,
    /// Where it is written.
    Source,
    /// The lab that demonstrates it.
    Lab,
    /// Contradictions in results.
    Results,
    /// Rows of a table of results.
    Rows,
    /// How much was found: `{errors}`, `{warnings}`, `{notes}`, `{rules}`, `{texts}`.
    Summary,
    /// A file that was written: `{path}`.
    Wrote,
    /// No setting loses anything.
    LosesNothing,
    /// A setting that loses: `{name}`, `{value}`, `{seconds}`.
    Loses,
    /// Nothing to change.
    NoChanges,
    /// What would change.
    Changes,
    /// Above a setting that is a comment.
    Offered,
    /// What other sources say: `{others}`.
    Disagree,
    /// Above a setting that loses: `{seconds}`.
    MayLose,
    /// The sources of a setting: `{sources}`.
    Sources,
    /// The lab that measures a setting: `{lab}`.
    Measure,
    /// Above a script.
    ReadBeforeRunning,
    /// Above settings of the NFS server.
    RestartNfs,
    /// Above settings of Samba.
    IncludeInSamba,
    /// Above settings of PostgreSQL.
    IncludeInPostgresql,
    /// Above module parameters.
    RebuildInitramfs,
    /// Above exports.
    Reexport,
    /// Above udev rules.
    ReloadUdev,
}

/// A rule's text.
pub fn text(language: Language, rule: Id) -> Text {
    match language {
        Language::English => en::text(rule),
        Language::Chinese => zh::text(rule),
    }
}

/// A fixed word.
pub fn label(language: Language, label: Label) -> &'static str {
    match language {
        Language::English => en::label(label),
        Language::Chinese => zh::label(label),
    }
}

/// What a finding says: what is wrong, and why it matters.
pub fn say(language: Language, finding: &Finding) -> (String, String) {
    let text = text(language, finding.rule);
    (fill(text.what, finding), fill(text.why, finding))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::RULES;
    use std::collections::BTreeSet;

    /// Blanks of a text.
    fn blanks(text: &str) -> BTreeSet<&str> {
        let parts = text.split('{').skip(1);
        parts
            .filter_map(|part| Some(part.split_once('}')?.0))
            .collect()
    }

    #[test]
    fn every_rule_fills_the_same_blanks_in_every_language() {
        for rule in RULES {
            let [english, chinese] = Language::ALL.map(|language| text(language, rule.id));
            let name = rule.id.name();
            assert_eq!(blanks(english.what), blanks(chinese.what), "{name}");
            assert_eq!(blanks(english.why), blanks(chinese.why), "{name}");
            let foreign = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(!foreign(english.what) && !foreign(english.why), "{name}");
            assert!(foreign(chinese.why), "{name}: {}", chinese.why);
            assert!(chinese.what.ends_with('。'), "{name}: {}", chinese.what);
        }
    }
}
