//! Logs of SQLite's transactions, one file a connection: `r` or `w`, and in ns when it ended and how long it took.

use crate::error::Error;
use crate::workload::transactions::{Transaction, Transactions};
use std::path::Path;

/// Reads the logs of a directory that begin with `prefix`.
///
/// # Errors
/// The first line that is none of such a log, or that there are none.
pub fn read(raw: &Path, prefix: &str) -> Result<Transactions, Error> {
    Transactions::read(raw, prefix, "SQLite's client", |line| {
        transaction(line).ok_or("not a transaction of the SQLite client")
    })
}

fn transaction(line: &str) -> Option<Transaction> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [kind, ended, latency] = fields[..] else { return None };
    let writes = match kind {
        "w" => true,
        "r" => false,
        _ => return None,
    };
    Some(Transaction { ended_ns: ended.parse().ok()?, latency_ns: latency.parse().ok()?, writes })
}
