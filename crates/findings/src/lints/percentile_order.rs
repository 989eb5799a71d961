//! Percentiles ascend.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows with a higher percentile below a lower one.
pub fn lint(table: &Table) -> Vec<Lint> {
    let mut lints = Vec::new();
    for row in &table.rows {
        let stated: Vec<(f64, f64)> =
            [(50.0, row.p50_ms), (95.0, row.p95_ms), (99.0, row.p99_ms), (99.9, row.p999_ms)]
                .into_iter()
                .filter_map(|(percent, value)| Some((percent, value?)))
                .collect();
        for pair in stated.windows(2) {
            let ((lower, lower_ms), (higher, higher_ms)) = (pair[0], pair[1]);
            if higher_ms < lower_ms {
                lints.push(on(
                    row,
                    Severity::Impossible,
                    LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms },
                ));
            }
        }
    }
    lints
}
