//! Said to fill a link, and does not.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// A link is full from this share on (headers and acknowledgements take the rest).
const FULL: f64 = 0.8;

/// Rows whose text says that they fill a link that they do not.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter_map(|row| {
            let link = row.said_to_fill?;
            let computed = || Some(row.throughput? * row.size?);
            let bits = 8.0 * row.bandwidth.or_else(computed)?;
            (bits < FULL * link)
                .then(|| on(row, Severity::Impossible, LintFinding::NotLineRate { bits, link }))
        })
        .collect()
}
