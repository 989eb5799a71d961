//! Little's law: throughput × latency = concurrency, in a closed loop.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Published means are rounded, and clients do a little between operations.
const TOLERANCE: f64 = 0.15;

/// Rows whose throughput × mean latency is not their concurrency. More in flight than there are places
/// is impossible; fewer is possible where clients do other work, and is reported as implausible.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter_map(|row| {
            let (throughput, mean_ms, concurrency) =
                (row.throughput?, row.mean_ms?, row.concurrency?);
            let in_flight = throughput * mean_ms / 1e3;
            let severity = if in_flight > concurrency * (1.0 + TOLERANCE) {
                Severity::Impossible
            } else if in_flight < concurrency * (1.0 - TOLERANCE) {
                Severity::Implausible
            } else {
                return None;
            };
            Some(on(
                row,
                severity,
                LintFinding::Little { throughput, mean_ms, in_flight, concurrency },
            ))
        })
        .collect()
}
