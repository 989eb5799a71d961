//! Shares lie between 0 and 1, and rates and times are not negative.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows with a value outside its range.
pub fn lint(table: &Table) -> Vec<Lint> {
    let mut lints = Vec::new();
    for row in &table.rows {
        let unit = [("arc_hit", row.arc_hit), ("l2arc_hit", row.l2arc_hit)];
        let positive = [
            ("throughput", row.throughput),
            ("bandwidth", row.bandwidth),
            ("size", row.size),
            ("concurrency", row.concurrency),
            ("mean_ms", row.mean_ms),
            ("p50_ms", row.p50_ms),
            ("p95_ms", row.p95_ms),
            ("p99_ms", row.p99_ms),
            ("p999_ms", row.p999_ms),
            ("runtime_s", row.runtime_s),
        ];
        let columns = unit
            .into_iter()
            .map(|(column, value)| (column, value, 1.0))
            .chain(positive.into_iter().map(|(column, value)| (column, value, f64::MAX)));
        for (column, value, most) in columns {
            if let Some(value) = value
                && !(0.0..=most).contains(&value)
            {
                lints.push(on(
                    row,
                    Severity::Impossible,
                    LintFinding::Range { column: column.to_owned(), value },
                ));
            }
        }
    }
    lints
}
