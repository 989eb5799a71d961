//! Pitfalls: each rule one pure function of what is known, registered in [`RULES`].

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
mod registry;
mod sectors;
mod server;
mod special;

pub use finding::{Change, Evidence, Finding, MODPROBE, Severity, Step};
pub use registry::{Id, RULES};

use crate::source::Source;
use crate::system::System;

/// A rule.
pub struct Rule {
    /// Which one.
    pub id: Id,
    /// Looks at a system; returns a finding for each place where the pitfall is.
    pub check: fn(&System) -> Vec<Finding>,
    /// What it rests on, first of all.
    pub sources: &'static [Source],
    /// File stem of the lab that demonstrates it.
    pub lab: Option<&'static str>,
}

impl Id {
    /// Its rule.
    pub fn rule(self) -> &'static Rule {
        // The registry lists the rules in the order of the enum.
        &RULES[self as usize]
    }
}

/// Everything the rules find, worst first.
pub fn audit(system: &System) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(system)).collect();
    sort(&mut findings);
    findings
}

/// What the rules find in the variants of a lab: a finding that several variants share is told
/// once, with their names unless it is all of them.
pub fn audit_variants(variants: &[(String, System)]) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for (name, system) in variants {
        for finding in audit(system) {
            let same = |known: &&mut Finding| {
                known.rule == finding.rule
                    && known.subject == finding.subject
                    && known.arguments == finding.arguments
            };
            match merged.iter_mut().find(same) {
                Some(known) => known.variants.push(name.clone()),
                None => merged.push(Finding {
                    variants: vec![name.clone()],
                    ..finding
                }),
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

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (b.severity, a.rule as usize, &a.subject).cmp(&(a.severity, b.rule as usize, &b.subject))
    });
}
