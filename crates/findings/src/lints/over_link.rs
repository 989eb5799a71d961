//! More than a link or bus carries.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows whose bandwidth exceeds their set-up's link.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let (link, bandwidth) = (table.setup(row)?.link? / 8.0, row.moved()?);
        (bandwidth > link).then_some(LintFinding::OverLink { bandwidth, link })
    })
}
