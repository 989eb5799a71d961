//! Shares lie between 0 and 1, and rates and times are not negative.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows with a value outside its range.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let columns = [
            ("arc_hit", row.arc_hit, 1.0),
            ("l2arc_hit", row.l2arc_hit, 1.0),
            ("throughput", row.throughput, f64::MAX),
            ("bandwidth", row.bandwidth, f64::MAX),
            ("size", row.size, f64::MAX),
            ("concurrency", row.concurrency, f64::MAX),
            ("mean_ms", row.mean_ms, f64::MAX),
            ("p50_ms", row.p50_ms, f64::MAX),
            ("p95_ms", row.p95_ms, f64::MAX),
            ("p99_ms", row.p99_ms, f64::MAX),
            ("p999_ms", row.p999_ms, f64::MAX),
            ("runtime_s", row.runtime_s, f64::MAX),
        ];
        columns.into_iter().filter_map(|(column, value, most)| {
            let value = value.filter(|value| !(0.0..=most).contains(value))?;
            Some(LintFinding::Range { column: column.to_owned(), value })
        })
    })
}
