//! `poolwright powercut` on honest drives and on drives that lie about flushes. These tests need an engine.

#[path = "with_engine/mod.rs"]
mod with_engine;

use bench::programs::Postgresql;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use with_engine::{engine, skipped};

/// A pool whose log is on a drive with a volatile cache, which has a flush in the lab.
fn lab(flush: &str) -> String {
    format!(
        r#"
title = "A lab for tests"
[host]
memory = "128G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
ssd = {{ profile = "nvme-consumer-1t", count = 1, flush = "{flush}" }}
[pool]
ashift = 12
vdevs = "mirror hdd[0-1] log ssd0"
[workloads.sync]
fio.job = """
[j]
rw=randwrite
bs=8k
size=1G
fsync=1
"""
[scale]
size = 16
dirty_data_max = "256M"
"#
    )
}

/// A database on a mirror of disks, with a setting of its own.
fn database(setting: &str) -> String {
    format!(
        r#"
title = "A database for tests"
[host]
memory = "3G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[workloads.oltp.pgbench]
scale = 1
clients = 2
[workloads.oltp.postgresql]
{setting}
[method]
runtime = "10s"
[scale]
size = 1
"#
    )
}

/// Exit code, and of the crash states that are no control: how many, and acknowledged and lost blocks or commits.
fn cut(lab: &str) -> Option<(i32, [u64; 3])> {
    let engine = engine()?;
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), lab).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["powercut", "lab.toml", "--states", "2", "--seconds", "2", "--json"])
        .current_dir(place.path())
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"));
    let runs = report["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["synchronous"] == true).unwrap();
    let states = run["states"].as_array().unwrap();
    let sum = |what: &str| states.iter().map(|s| s[what].as_u64().unwrap()).sum();
    let code = output.status.code().unwrap();
    Some((code, [states.len() as u64, sum("acknowledged"), sum("lost")]))
}

#[test]
fn a_log_drive_that_lies_about_flushes_loses_acknowledged_writes_and_an_honest_one_does_not() {
    let Some((code, [states, acknowledged, lost])) = cut(&lab("honest")) else {
        return;
    };
    assert_eq!((code, states, lost), (0, 2, 0));
    assert!(acknowledged > 100, "{acknowledged}");
    let (code, [states, _, lost]) = cut(&lab("lies")).unwrap();
    assert_eq!((code, states), (1, 2));
    assert!(lost > 0, "nothing was lost");
}

#[test]
fn a_database_keeps_acknowledged_commits_and_without_synchronous_commit_it_does_not() {
    if let Err(why) = Postgresql::find(None) {
        return skipped(&why.to_string());
    }
    let Some((code, [states, acknowledged, lost])) = cut(&database("")) else {
        return;
    };
    assert_eq!((code, states, lost), (0, 2, 0));
    assert!(acknowledged > 20, "{acknowledged}");
    let (code, [states, _, lost]) = cut(&database("synchronous_commit = \"off\"")).unwrap();
    assert_eq!((code, states), (1, 2));
    assert!(lost > 0, "nothing was lost");
}

#[test]
fn a_crash_state_is_opened_in_a_shell() {
    let Some(engine) = engine() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), lab("honest")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["powercut", "lab.toml", "--replay", "3", "--seconds", "2"])
        .current_dir(place.path())
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let commands = "zpool list\nzpool import -d /dev tank && ls /run/pool | head -1\nexit 7\n";
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{text}");
    assert!(text.contains("no pools available") && text.contains("writer-0-0"), "{text}");
}
