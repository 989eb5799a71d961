//! Synchronous writes measured under `sync=disabled`, where they promise nothing.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows that are called synchronous although the data set ignores it. Where the same writes without
/// syncs were many times faster, sync was probably active after all, and the listing is of another
/// moment.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter(|row| row.sync.as_deref() == Some("disabled"))
        .filter_map(|row| {
            row.syncs.filter(|syncs| *syncs > 0.0)?;
            let throughput = row.throughput?;
            let unsynced = row.unsynced.as_ref().and_then(|name| table.row(name)?.throughput);
            Some(on(
                row,
                Severity::NotComparable,
                LintFinding::SyncDisabled {
                    throughput,
                    unsynced_faster: unsynced.map(|x| x / throughput),
                },
            ))
        })
        .collect()
}
