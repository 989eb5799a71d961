//! What is found in one pasted text.

use advice::audit::{Finding, audit};
use advice::system::{Input, System, gather};

pub fn read(text: &str) -> System {
    let (system, _) = gather(&[Input { name: "pasted".into(), text: text.into() }]);
    system
}

/// The findings of a rule.
pub fn found(text: &str, rule: &str) -> Vec<Finding> {
    audit(&read(text)).into_iter().filter(|finding| finding.rule.name == rule).collect()
}

pub fn fires(text: &str, rule: &str) -> bool {
    !found(text, rule).is_empty()
}
