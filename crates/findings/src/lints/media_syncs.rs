//! A rotating medium commits at most about once a revolution.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Commits a revolution at best: a client that commits in turn to several vdevs can catch another one
/// in time for the next half revolution, hardly more.
const PER_REVOLUTION: f64 = 2.0;

/// Rows with more synchronous commits than the medium can turn: something answers before the medium
/// does, a write-back cache for instance. Clients that commit together share a revolution, so the bound
/// grows with their number.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let setup = table.setup(row)?;
        let (rpm, vdevs) = (setup.sync_rpm?, setup.vdevs.unwrap_or(1));
        let syncs = row.throughput? * row.syncs.filter(|syncs| *syncs > 0.0)?;
        let together = row.concurrency.unwrap_or(1.0).max(1.0);
        let at_most = rpm / 60.0 * PER_REVOLUTION * together;
        (syncs > at_most).then_some(LintFinding::MediaSyncs { syncs, at_most, rpm, vdevs })
    })
}
