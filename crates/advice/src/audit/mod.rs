//! The audit: rules that find pitfalls in a system.
//!
//! One file a topic. In it stand the rules with their sentences and sources, and below them their checks.

mod cache;
mod card;
mod counters;
mod database;
mod dataset;
mod drive;
mod finding;
mod layout;
mod log;
mod module;
mod mysql;
mod padding;
mod pool;
mod postgresql;
mod rule;
mod sectors;
mod shares;
mod special;

pub use finding::{Evidence, Finding, Severity};
pub use rule::Rule;

use crate::system::System;
use finding::Problem;
use rule::{Check, rules};

/// Rules by topic, in the order of the documentation.
pub const TOPICS: &[(&str, &[Rule])] = &[
    ("Log vdev (SLOG)", log::RULES),
    ("Cache vdev (L2ARC)", cache::RULES),
    ("Special and dedup vdevs", special::RULES),
    ("Sectors", sectors::RULES),
    ("Layout", layout::RULES),
    ("Padding on raidz and dRAID", padding::RULES),
    ("Datasets", dataset::RULES),
    ("Databases", database::RULES),
    ("PostgreSQL", postgresql::RULES),
    ("MySQL and MariaDB", mysql::RULES),
    ("Module parameters", module::RULES),
    ("Pool", pool::RULES),
    ("Drives", drive::RULES),
    ("RAID cards", card::RULES),
    ("NFS, SMB, network", shares::RULES),
    ("Counters of a live machine", counters::RULES),
];

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    TOPICS.iter().flat_map(|(_, rules)| rules.iter())
}

/// All findings, the most severe first.
pub fn audit(system: &System) -> Vec<Finding> {
    let clusters = system.clusters();
    let mut findings: Vec<Finding> = Vec::new();
    for cluster in &clusters {
        for mut finding in rules().flat_map(|rule| rule.findings(cluster)) {
            postgresql::finish(cluster, clusters.len() > 1, &mut finding);
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    sort(&mut findings);
    findings
}

/// The findings in the variants of a lab. A finding that several variants share is listed once, with their
/// names unless all variants have it.
pub fn audit_variants(variants: &[(String, System)]) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for (name, system) in variants {
        for finding in audit(system) {
            let same = |known: &&mut Finding| {
                known.rule == finding.rule && known.arguments == finding.arguments
            };
            match merged.iter_mut().find(same) {
                Some(known) => known.variants.push(name.clone()),
                None => merged.push(Finding { variants: vec![name.clone()], ..finding }),
            }
        }
    }
    for finding in &mut merged {
        if finding.variants.len() == variants.len() {
            finding.variants.clear();
        }
    }
    sort(&mut merged);
    merged
}

/// By severity, then in the order of the rules, then by subject.
fn sort(findings: &mut [Finding]) {
    let place = |finding: &Finding| rules().position(|rule| rule == finding.rule);
    findings.sort_by(|a, b| {
        (b.severity, place(a), &a.subject).cmp(&(a.severity, place(b), &b.subject))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use text::Language;

    fn names_in_braces(text: &str) -> BTreeSet<&str> {
        let parts = text.split('{').skip(1);
        parts.filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn both_languages_of_a_rule_name_the_same_arguments() {
        let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        for rule in rules() {
            let [english, zh] = Language::ALL.map(|language| rule.text(language));
            assert_eq!(names_in_braces(english.0), names_in_braces(zh.0), "{rule:?}");
            assert_eq!(names_in_braces(english.1), names_in_braces(zh.1), "{rule:?}");
            assert!(!chinese(english.0) && !chinese(english.1), "{rule:?}");
            assert!(chinese(zh.1) && zh.0.ends_with('。'), "{rule:?}");
        }
    }

    #[test]
    fn names_of_rules_are_unique() {
        let names: BTreeSet<&str> = rules().map(|rule| rule.name).collect();
        assert_eq!(names.len(), rules().count());
    }
}
