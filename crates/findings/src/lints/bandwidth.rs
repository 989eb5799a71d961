//! Bandwidth = operations × size.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rounding, and MB against MiB (4.9 %).
const TOLERANCE: f64 = 0.06;

/// Rows that state all three and contradict themselves.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let (bandwidth, throughput, size) = (row.bandwidth?, row.throughput?, row.size?);
        let computed = throughput * size;
        let off = (bandwidth - computed).abs() > TOLERANCE * computed.max(bandwidth);
        off.then_some(LintFinding::Bandwidth { bandwidth, throughput, size })
    })
}
