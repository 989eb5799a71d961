//! An L2ARC fills at its feed rate, and serves only what it holds.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows with L2ARC hits on a uniformly read data set that its feed cannot have filled in the run: hits
/// of a share of uniform reads need that share of the data set in the L2ARC.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Implausible, |row| {
        let setup = table.setup(row).filter(|setup| setup.uniform)?;
        let (hits, run, feed) = (row.l2arc_hit?, row.runtime_s?, setup.l2arc_feed?);
        let bytes = hits * setup.dataset?;
        let seconds = bytes / feed;
        (seconds > run).then_some(LintFinding::FillTime { hits, bytes, feed, seconds, run })
    })
}
