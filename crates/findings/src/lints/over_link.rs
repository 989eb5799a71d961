//! More than a link or bus carries.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows whose bandwidth exceeds their set-up's link.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter_map(|row| {
            let link = table.setup(row)?.link? / 8.0;
            let computed = || Some(row.throughput? * row.size?);
            let bandwidth = row.bandwidth.or_else(computed)?;
            (bandwidth > link)
                .then(|| on(row, Severity::Impossible, LintFinding::OverLink { bandwidth, link }))
        })
        .collect()
}
