//! Percentiles ascend.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows with a higher percentile below a lower one.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let stated: Vec<(f64, f64)> =
            [(50.0, row.p50_ms), (95.0, row.p95_ms), (99.0, row.p99_ms), (99.9, row.p999_ms)]
                .into_iter()
                .filter_map(|(percent, value)| Some((percent, value?)))
                .collect();
        let falls = stated.windows(2).filter(|pair| pair[1].1 < pair[0].1);
        let finding = |pair: &[(f64, f64)]| {
            let ((lower, lower_ms), (higher, higher_ms)) = (pair[0], pair[1]);
            LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms }
        };
        falls.map(finding).collect::<Vec<_>>()
    })
}
