//! p99 is the same multiple of the mean whatever was measured.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};
use std::collections::BTreeMap;

/// Multiples within this of one another are the same.
const SAME: f64 = 0.02;
/// Fewest rows that are no coincidence.
const ROWS: usize = 3;
/// Means must differ by this much: rows that measured the same thing have the same tail.
const SPREAD: f64 = 2.0;

/// Workloads with three rows or more whose means differ at least twofold and whose p99 is one and the
/// same multiple of them: computed, or made up, rather than measured.
pub fn lint(table: &Table) -> Vec<Lint> {
    let mut workloads: BTreeMap<&str, Vec<(&str, f64, f64)>> = BTreeMap::new();
    for row in &table.rows {
        if let (Some(mean), Some(p99)) = (row.mean_ms, row.p99_ms)
            && mean > 0.0
        {
            workloads.entry(&row.workload).or_default().push((&row.name, mean, p99 / mean));
        }
    }
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    };
    workloads
        .into_values()
        .filter_map(|rows| {
            let (least, most) = range(&mut rows.iter().map(|r| r.2));
            let (fast, slow) = range(&mut rows.iter().map(|r| r.1));
            let same = most - least <= SAME * most && slow >= SPREAD * fast;
            (rows.len() >= ROWS && same).then(|| Lint {
                rows: rows.iter().map(|r| r.0.to_owned()).collect(),
                severity: Severity::Implausible,
                finding: LintFinding::ConstantTail { least, most },
            })
        })
        .collect()
}
