//! A small MariaDB database on disks, in the machine. These tests need an engine, and MariaDB and sysbench on the host.

#[path = "with_engine/mod.rs"]
mod with_engine;

use bench::programs::Mariadb;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use with_engine::{engine, skipped};

/// Commits wait for disks, so that there are few transactions and the trial is short.
const LAB: &str = r#"
title = "A MariaDB database for tests"
[host]
memory = "8G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[dataset]
compression = "lz4"
[datasets.db]
recordsize = "16K"
[datasets.redo]
[workloads.oltp.sysbench]
script = "oltp_write_only"
tables = 2
table_size = 10000
threads = 8
[workloads.oltp.mariadb]
innodb_buffer_pool_size = "64M"
innodb_log_write_ahead_size = 16384
log_bin = true
sync_binlog = 1
[workloads.oltp.directories]
data = "db"
redo = "redo"
[workloads.refused.sysbench]
tables = 1
table_size = 1000
threads = 1
# Less than InnoDB starts with.
[workloads.refused.mariadb]
innodb_buffer_pool_size = "2M"
[method]
runtime = "2s"
min_trials = 1
max_trials = 1
[scale]
size = 1
"#;

/// The first file of a name below a directory that holds `word`.
fn find(directory: &Path, name: &str, word: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find_map(|path| match path.is_dir() {
        true => find(&path, name, word),
        false => (path.file_name()? == name && fs::read_to_string(&path).ok()?.contains(word))
            .then_some(path),
    })
}

#[test]
fn a_database_is_measured_and_one_whose_server_does_not_start_says_why() {
    let Some(engine) = engine() else { return };
    if let Err(why) = Mariadb::find(None) {
        return skipped(&why.to_string());
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), LAB).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["run", "--json", "--store", "store", "lab.toml"])
        .current_dir(place.path())
        .env("POOLWRIGHT_ENGINE", engine)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let findings: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    let cell = |workload: &str| {
        let cells = findings["cells"].as_array().unwrap();
        let found = cells.iter().find(|cell| cell["workload"] == workload);
        found.unwrap_or_else(|| panic!("{workload}: {said}")).clone()
    };
    let oltp = cell("oltp");
    assert_eq!(oltp["trials"]["failed"], 0, "{}: {said}", oltp["issues"]);
    assert!(oltp["throughput"]["value"].as_f64() > Some(20.0), "{oltp}");
    // A commit waits for redo and binary log on a disk.
    assert!(oltp["write_latency"]["mean_us"].as_f64() > Some(5000.0), "{oltp}");
    for check in oltp["checks"].as_array().unwrap() {
        assert_eq!(check["pass"], true, "{check}");
    }
    let database = &oltp["database"];
    assert_eq!(database["server"], "mariadb");
    assert!(database["redo_bytes"].as_f64() > Some(300.0), "{database}");
    assert!(database["binlog_group"].as_f64() > Some(0.9), "{database}");
    assert!(database["buffer_hits"].as_f64() > Some(0.9), "{database}");
    let store = place.path().join("store");
    let settings = find(&store, "settings.tsv", "innodb_buffer_pool_size\t67108864");
    assert!(settings.is_some(), "the server's settings are read back: {said}");
    let changed = "the server runs innodb_log_write_ahead_size = 4096, and was asked for 16384";
    assert!(find(&store, "result.json", changed).is_some(), "what it changed is noted: {said}");
    let failed = cell("refused");
    assert_eq!(failed["trials"]["failed"], 1, "{failed}");
    let reason = format!("{}{said}", findings["trials"]);
    assert!(reason.contains("MariaDB: ") && reason.contains("innodb_buffer_pool_size"), "{reason}");
}
