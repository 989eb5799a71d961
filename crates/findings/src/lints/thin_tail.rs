//! Tails too thin for storage that commits beside checkpoints and transaction groups.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Least p99 ÷ p95 that is plausible. Exponential waiting gives ln 100 ÷ ln 20 = 1.54; a normal
/// distribution whose spread is half its mean gives 1.19, and checkpoints make tails heavier than
/// normal, not lighter.
const PLAUSIBLE: f64 = 1.2;

/// Committing rows whose p99 hardly exceeds their p95.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Implausible, |row| {
        let (p95_ms, p99_ms) = (row.p95_ms?, row.p99_ms?);
        let ratio = p99_ms / p95_ms;
        // Below 1 is another lint's.
        let thin = row.commits_beside_checkpoints && (1.0..PLAUSIBLE).contains(&ratio);
        thin.then_some(LintFinding::ThinTail { p95_ms, p99_ms, ratio, plausible: PLAUSIBLE })
    })
}
