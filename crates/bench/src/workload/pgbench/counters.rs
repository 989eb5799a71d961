//! The server's own counters over the measured run.

use crate::fault::{Fault, doing};
use findings::counters as c;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Asks a server of a major version for its counters, as one JSON object. The views' columns differ by version, so
/// they are taken as they are. Sessions report theirs when they end.
pub fn query(major: u32) -> &'static str {
    match major {
        17.. => {
            "SELECT json_build_object(\
             'database', (SELECT row_to_json(d) FROM pg_stat_database d WHERE datname = current_database()), \
             'wal', (SELECT row_to_json(w) FROM pg_stat_wal w), \
             'checkpointer', (SELECT row_to_json(k) FROM pg_stat_checkpointer k))"
        }
        14..17 => {
            "SELECT json_build_object(\
             'database', (SELECT row_to_json(d) FROM pg_stat_database d WHERE datname = current_database()), \
             'wal', (SELECT row_to_json(w) FROM pg_stat_wal w), \
             'checkpointer', (SELECT row_to_json(b) FROM pg_stat_bgwriter b))"
        }
        _ => {
            "SELECT json_build_object(\
             'database', (SELECT row_to_json(d) FROM pg_stat_database d WHERE datname = current_database()), \
             'wal', json_build_object('wal_bytes', pg_current_wal_insert_lsn() - '0/0'), \
             'checkpointer', (SELECT row_to_json(b) FROM pg_stat_bgwriter b))"
        }
    }
}

/// Our name; where it is: view and columns, which are summed as far as they are there.
const COUNTERS: [(&str, &str, &[&str]); 6] = [
    (c::PG_COMMITS, "database", &["xact_commit"]),
    (c::PG_BUFFER_HITS, "database", &["blks_hit"]),
    (c::PG_BUFFER_READS, "database", &["blks_read"]),
    (c::PG_WAL_BYTES, "wal", &["wal_bytes"]),
    (c::PG_WAL_FULL_PAGES, "wal", &["wal_fpi"]),
    (
        c::PG_CHECKPOINTS,
        "checkpointer",
        &["checkpoints_timed", "checkpoints_req", "num_timed", "num_requested"],
    ),
];

/// By how much the counters grew over the measured run.
pub fn grown(raw: &Path) -> Result<BTreeMap<String, f64>, Fault> {
    let read = |name: &str| {
        let path = raw.join(name);
        let text = fs::read_to_string(&path).map_err(doing(format!("read {}", path.display())))?;
        values(&text).ok_or_else(|| {
            Fault::failed(format!("{} does not hold the server's counters", path.display()))
        })
    };
    let (begin, end) = (read("counters-begin.json")?, read("counters-end.json")?);
    let grown = end.into_iter().filter_map(|(name, value)| {
        let before = begin.get(name)?;
        Some((name.to_owned(), value - before))
    });
    Ok(grown.collect())
}

fn values(text: &str) -> Option<BTreeMap<&'static str, f64>> {
    let json: Value = serde_json::from_str(text.trim()).ok()?;
    let mut values = BTreeMap::new();
    for (name, view, columns) in COUNTERS {
        let view = json.get(view)?;
        let found: Vec<f64> =
            columns.iter().filter_map(|column| view.get(column)?.as_f64()).collect();
        if !found.is_empty() {
            values.insert(name, found.iter().sum());
        }
    }
    Some(values)
}

/// What the server did not take of its settings, one note each.
pub fn refused(raw: &Path) -> Vec<String> {
    let text = fs::read_to_string(raw.join("settings-refused.txt")).unwrap_or_default();
    text.lines().map(|line| format!("the server did not take {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_several_versions_are_read_by_name() {
        let old = r#"{"database":{"xact_commit":7,"blks_hit":5,"blks_read":1},"wal":{"wal_bytes":4096,"wal_fpi":3},
            "checkpointer":{"checkpoints_timed":2,"checkpoints_req":1}}"#;
        let of = |text: &str| values(text).unwrap();
        assert_eq!(of(old)[c::PG_CHECKPOINTS], 3.0);
        assert_eq!((of(old)[c::PG_COMMITS], of(old)[c::PG_WAL_FULL_PAGES]), (7.0, 3.0));
        let new = old
            .replace("checkpoints_timed", "num_timed")
            .replace("checkpoints_req", "num_requested");
        assert_eq!(of(&new)[c::PG_CHECKPOINTS], 3.0);
        assert!(values("psql: error").is_none());
    }
}
