//! Logs of SQLite's transactions, one file a connection: `r` or `w`, and in ns when it ended and how long it took.

use crate::fault::{Fault, doing};
use crate::workload::transactions::{Transaction, Transactions, logs};
use std::fs;
use std::path::Path;

/// Reads the logs of a directory that begin with `prefix`.
///
/// # Errors
/// The first line that is none of such a log, or that there are none.
pub fn read(raw: &Path, prefix: &str) -> Result<Transactions, Fault> {
    let mut all = Vec::new();
    for path in logs(raw, prefix)? {
        let text = fs::read_to_string(&path);
        let text = text.map_err(doing(format!("read {}", path.display())))?;
        for (index, line) in text.lines().enumerate() {
            all.push(transaction(line).ok_or_else(|| {
                let place = format!("{}:{}", path.display(), index + 1);
                Fault::failed(format!("{place}: no transaction of SQLite's client: {line}"))
            })?);
        }
    }
    Transactions::new(all, "SQLite's client")
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
