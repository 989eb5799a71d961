//! The server's own counters over the measured run.

use crate::workload::database;
use measurement::{Counter, Counters};
use serde_json::Value;
use std::path::Path;

/// Asks a server of a major version for its counters, as one JSON object. The views' columns differ by version, so
/// they are taken as they are. Sessions report theirs when they end.
pub fn query(major: u32) -> String {
    let wal = match major {
        14.. => "(SELECT row_to_json(w) FROM pg_stat_wal w)",
        _ => "json_build_object('wal_bytes', pg_current_wal_insert_lsn() - '0/0')",
    };
    let checkpointer = match major {
        17.. => "(SELECT row_to_json(k) FROM pg_stat_checkpointer k)",
        _ => "(SELECT row_to_json(b) FROM pg_stat_bgwriter b)",
    };
    format!(
        "SELECT json_build_object(\
         'database', (SELECT row_to_json(d) FROM pg_stat_database d WHERE datname = current_database()), \
         'wal', {wal}, 'checkpointer', {checkpointer})"
    )
}

/// The counter; where it is: view and columns, which are summed as far as they are there.
const COUNTERS: [(Counter, &str, &[&str]); 6] = [
    (Counter::PostgresqlCommits, "database", &["xact_commit"]),
    (Counter::PostgresqlBufferHits, "database", &["blks_hit"]),
    (Counter::PostgresqlBufferReads, "database", &["blks_read"]),
    (Counter::PostgresqlWalBytes, "wal", &["wal_bytes"]),
    (Counter::PostgresqlWalFullPages, "wal", &["wal_fpi"]),
    (
        Counter::PostgresqlCheckpoints,
        "checkpointer",
        &["checkpoints_timed", "checkpoints_req", "num_timed", "num_requested"],
    ),
];

/// Their values in a file; none where it does not hold them.
pub fn values(text: &str) -> Option<Counters> {
    let json: Value = serde_json::from_str(text.trim()).ok()?;
    let mut values = Counters::new();
    for (counter, view, columns) in COUNTERS {
        let view = json.get(view)?;
        let found: Vec<f64> =
            columns.iter().filter_map(|column| view.get(column)?.as_f64()).collect();
        if !found.is_empty() {
            values.insert(counter, found.iter().sum());
        }
    }
    Some(values)
}

/// What the server did not take of its settings, one note each.
pub fn refused(raw: &Path) -> Vec<String> {
    let text = database::text(raw, "settings-refused.txt");
    text.lines().map(|line| format!("the server refused {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_several_versions_are_read_by_name() {
        let old = r#"{"database":{"xact_commit":7,"blks_hit":5,"blks_read":1},"wal":{"wal_bytes":4096,"wal_fpi":3},
            "checkpointer":{"checkpoints_timed":2,"checkpoints_req":1}}"#;
        let value = |text: &str, counter| values(text).unwrap().count(&counter);
        assert_eq!(value(old, Counter::PostgresqlCheckpoints), 3.0);
        assert_eq!(value(old, Counter::PostgresqlCommits), 7.0);
        assert_eq!(value(old, Counter::PostgresqlWalFullPages), 3.0);
        let new = old
            .replace("checkpoints_timed", "num_timed")
            .replace("checkpoints_req", "num_requested");
        assert_eq!(value(&new, Counter::PostgresqlCheckpoints), 3.0);
        assert!(values("psql: error").is_none());
    }
}
