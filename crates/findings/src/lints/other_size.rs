//! A bandwidth quoted beside operations of a size that does not give it.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};

/// Bandwidths that differ by less may be the same measurement.
const TOLERANCE: f64 = 0.2;

/// Pairs of rows of one set-up and one workload, one with a bandwidth alone and one with operations
/// and their size, where the two bandwidths differ: another block size was measured.
pub fn lint(table: &Table) -> Vec<Lint> {
    let mut lints = Vec::new();
    for alone in &table.rows {
        let (Some(bandwidth), None, Some(setup)) =
            (alone.bandwidth, alone.throughput, &alone.setup)
        else {
            continue;
        };
        let others = table.rows.iter().filter(|row| {
            row.setup.as_ref() == Some(setup)
                && row.workload == alone.workload
                && row.settings == alone.settings
        });
        for other in others {
            let (Some(throughput), Some(size)) = (other.throughput, other.size) else {
                continue;
            };
            let computed = throughput * size;
            if (bandwidth - computed).abs() > TOLERANCE * computed.max(bandwidth) {
                lints.push(Lint {
                    rows: vec![alone.name.clone(), other.name.clone()],
                    severity: Severity::NotComparable,
                    finding: LintFinding::OtherSize {
                        bandwidth,
                        computed,
                        size: bandwidth / throughput,
                    },
                });
            }
        }
    }
    lints
}
