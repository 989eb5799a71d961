//! Synchronous writes measured under `sync=disabled`, where they promise nothing.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows that are called synchronous although the data set ignores it. Where the same writes without
/// syncs were many times faster, sync was probably active after all, and the listing is of another
/// moment.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::NotComparable, |row| {
        row.sync.as_ref().filter(|sync| *sync == "disabled")?;
        row.syncs.filter(|syncs| *syncs > 0.0)?;
        let throughput = row.throughput?;
        let unsynced = row.unsynced.as_ref().and_then(|name| table.row(name)?.throughput);
        let unsynced_faster = unsynced.map(|x| x / throughput);
        Some(LintFinding::SyncDisabled { throughput, unsynced_faster })
    })
}
