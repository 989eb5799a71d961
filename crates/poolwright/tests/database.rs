//! A small database on disks, in the machine. These tests need an engine, and PostgreSQL on the host.

#[path = "with_engine/mod.rs"]
mod with_engine;

use bench::programs::Postgresql;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use with_engine::{engine, skipped};

/// Commits wait for disks, so that there are few transactions and the trial is short.
const LAB: &str = r#"
title = "A database for tests"
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
[datasets.wal]
[workloads.oltp.pgbench]
scale = 1
clients = 8
threads = 2
script = ["tpcb-like@3", "select-only@1"]
[workloads.oltp.postgresql]
shared_buffers = "64MB"
[workloads.oltp.directories]
wal = "wal"
[workloads.refused.pgbench]
scale = 1
clients = 1
# Beside the senders of WAL that it has by default, the server does not start with it.
[workloads.refused.postgresql]
wal_level = "minimal"
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
    if let Err(why) = Postgresql::find(None) {
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
    let stderr = String::from_utf8_lossy(&output.stderr);
    let findings: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    let cell = |workload: &str| {
        let cells = findings["cells"].as_array().unwrap();
        let found = cells.iter().find(|cell| cell["workload"] == workload);
        found.unwrap_or_else(|| panic!("{workload}: {stderr}")).clone()
    };
    let oltp = cell("oltp");
    assert_eq!(oltp["trials"]["failed"], 0, "{}: {stderr}", oltp["issues"]);
    assert!(oltp["throughput"]["value"].as_f64() > Some(20.0), "{oltp}");
    // A select waits for nothing and a commit for a disk.
    let mean = |flow: &str| oltp[flow]["mean_us"].as_f64().unwrap();
    assert!(mean("write_latency") > 10.0 * mean("read_latency"), "{oltp}");
    for check in oltp["checks"].as_array().unwrap() {
        assert_eq!(check["pass"], true, "{check}");
    }
    let database = &oltp["database"];
    assert!(database["wal_bytes"].as_f64() > Some(300.0), "{database}");
    assert!(database["buffer_hits"].as_f64() > Some(0.9), "{database}");
    let store = place.path().join("store");
    let settings = find(&store, "settings.csv", "shared_buffers,64MB,configuration file");
    assert!(settings.is_some(), "the server's settings are read back: {stderr}");
    let failed = cell("refused");
    assert_eq!(failed["trials"]["failed"], 1, "{failed}");
    let reason = format!("{}{stderr}", findings["trials"]);
    assert!(reason.contains("PostgreSQL: ") && reason.contains("WAL streaming"), "{reason}");
}
