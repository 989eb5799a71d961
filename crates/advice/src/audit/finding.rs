//! Findings: a problem with its evidence and its fix.

use super::Rule;
use crate::format::{printable, quoted};
use crate::setting::{Setting, Target};
use crate::system::{Found, Leaf, Place, Property, Vdev};
use serde::Serialize;
use std::collections::BTreeMap;
use text::Language;

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; nothing is wrong.
    Note,
    /// Costs speed, space or safety.
    Warning,
    /// Loses or will lose data, or does not work at all.
    Error,
}

/// A place in the input that shows a problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The file and line.
    pub at: Place,
    /// The text there, shortened.
    pub text: String,
}

/// A problem that a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its subject: a dataset, a pool, a drive, a setting.
    subject: String,
    severity: Option<Severity>,
    arguments: BTreeMap<&'static str, String>,
    evidence: Vec<Evidence>,
    changes: Vec<Setting>,
    commands: Vec<Vec<String>>,
}

impl Problem {
    /// A problem of `subject`, which sentences name as `{subject}`.
    pub fn of(subject: impl Into<String>) -> Problem {
        let subject = subject.into();
        Problem {
            severity: None,
            arguments: BTreeMap::from([("subject", subject.clone())]),
            subject,
            evidence: Vec::new(),
            changes: Vec::new(),
            commands: Vec::new(),
        }
    }

    /// A problem of a vdev, which it shows.
    pub fn of_vdev(vdev: &Vdev) -> Problem {
        Problem::of(&vdev.name).evidence(&vdev.at, &vdev.name)
    }

    /// A problem of a drive of a pool, which it shows.
    pub fn of_leaf(leaf: &Leaf) -> Problem {
        Problem::of(&leaf.name).evidence(&leaf.at, &leaf.name)
    }

    /// A problem of a dataset's property, which it shows; the fix sets the right value.
    pub fn of_property(
        dataset: &str,
        name: &str,
        property: &Property,
        right: impl ToString,
    ) -> Problem {
        Problem::of(dataset).property(name, property).set_property(dataset, name, right)
    }

    /// A problem of a setting, with its place as evidence; fills in `{value}`.
    pub fn setting(target: &Target, name: &str, found: &Found<String>) -> Problem {
        let equals = if *target == Target::Module { "=" } else { " = " };
        Problem::of(name)
            .with("value", &found.value)
            .evidence(&found.at, format!("{name}{equals}{}", found.value))
    }

    /// Another severity than the rule's.
    pub fn severity(mut self, severity: Severity) -> Problem {
        self.severity = Some(severity);
        self
    }

    /// Fills in `{name}`.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Problem {
        self.arguments.insert(name, value.to_string());
        self
    }

    pub fn evidence(mut self, at: &Place, text: impl Into<String>) -> Problem {
        let (at, text) = (at.clone(), text.into());
        self.evidence.push(Evidence { at, text });
        self
    }

    /// Adds evidence that comes before all other.
    pub(super) fn first(mut self, at: &Place, text: String) -> Problem {
        self.evidence.insert(0, Evidence { at: at.clone(), text });
        self
    }

    pub fn property(self, name: &str, property: &Property) -> Problem {
        self.evidence(&property.at, format!("{name} {}", property.value))
    }

    /// Adds a command to the fix, once.
    pub fn run(self, words: &[&str]) -> Problem {
        self.command(words.iter().map(ToString::to_string).collect())
    }

    /// Adds a command to the fix, once.
    pub fn command(mut self, words: Vec<String>) -> Problem {
        if !self.commands.contains(&words) {
            self.commands.push(words);
        }
        self
    }

    /// Attaches `missing` more drives, at least one, to the vdev of a drive as the fix.
    pub fn attach(self, pool: &str, drive: &str, missing: u32) -> Problem {
        const NAMES: [&str; 4] =
            ["ANOTHER-DRIVE", "ONE-MORE-DRIVE", "A-THIRD-DRIVE", "A-FOURTH-DRIVE"];
        let missing = missing.clamp(1, NAMES.len() as u32) as usize;
        NAMES[..missing]
            .iter()
            .fold(self, |problem, name| problem.run(&["zpool", "attach", pool, drive, name]))
    }

    /// Changes a setting as the fix; no value removes it.
    pub fn set<V: ToString>(mut self, target: Target, name: &str, value: Option<V>) -> Problem {
        let value = value.map(|value| value.to_string());
        self.changes.push(Setting { target, name: name.to_string(), value });
        self
    }

    pub fn set_property(self, dataset: &str, property: &str, value: impl ToString) -> Problem {
        self.set(Target::Dataset(dataset.to_string()), property, Some(value))
    }

    /// Sets or removes a module parameter as the fix.
    pub fn set_parameter(self, name: &str, value: Option<u64>) -> Problem {
        self.set(Target::Module, name, value)
    }
}

/// A problem and the rule that found it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How severe it is.
    pub severity: Severity,
    /// Its subject: a dataset, a pool, a drive, a setting.
    pub subject: String,
    /// Values for the names in braces in the rule's sentences.
    pub arguments: BTreeMap<&'static str, String>,
    /// Places in the input that show it.
    pub evidence: Vec<Evidence>,
    /// Settings whose change is the fix.
    pub changes: Vec<Setting>,
    /// Commands of the fix, as arguments.
    pub commands: Vec<Vec<String>>,
    /// Variants of a lab that have it; empty when all have it or there are none.
    pub variants: Vec<String>,
}

impl Finding {
    pub(super) fn new(rule: &'static Rule, problem: Problem) -> Finding {
        Finding {
            rule,
            severity: problem.severity.unwrap_or(rule.severity),
            subject: problem.subject,
            arguments: problem.arguments,
            evidence: problem.evidence,
            changes: problem.changes,
            commands: problem.commands,
            variants: Vec::new(),
        }
    }

    /// What is wrong, and why it matters.
    pub fn text(&self, language: Language) -> (String, String) {
        let (what, why) = self.rule.text(language);
        (self.fill(what), self.fill(why))
    }

    /// Replaces `{name}` by arguments. They come from the input, so control characters are replaced.
    fn fill(&self, text: &str) -> String {
        self.arguments.iter().fold(text.to_string(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), &printable(value))
        })
    }

    /// The fix as lines: settings first, then commands.
    pub fn fix(&self) -> Vec<String> {
        let quote = |words: &Vec<String>| {
            words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        };
        let settings = self.changes.iter().map(ToString::to_string);
        settings.chain(self.commands.iter().map(quote)).collect()
    }
}
