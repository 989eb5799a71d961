//! Said to fill a link, and does not.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// A link is full from this share on (headers and acknowledgements take the rest).
const FULL: f64 = 0.8;

/// Rows whose text says that they fill a link that they do not.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let (link, bits) = (row.said_to_fill?, 8.0 * row.moved()?);
        (bits < FULL * link).then_some(LintFinding::NotLineRate { bits, link })
    })
}
