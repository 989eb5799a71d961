//! `poolwright doctor`, and the errors of `run` for the same faults.

#[path = "with_engine/mod.rs"]
mod with_engine;

use machine::engine::Engine;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use with_engine::{copy, engine};

/// Runs this program with an engine's directory and everything else in `place`.
fn poolwright(place: &Path, engine: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(arguments)
        .arg("--store")
        .arg(place.join("store"))
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.join("cache"))
        .output()
        .unwrap()
}

/// What `doctor` prints, and its exit code.
fn doctor(place: &Path, engine: &Path) -> (String, Option<i32>) {
    let output = poolwright(place, engine, &["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

/// The error of `run`, which must be one line and end with 3.
fn run(place: &Path, engine: &Path) -> String {
    let output = poolwright(place, engine, &["run", "demo", "--short", "-j", "1"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error:")).collect();
    assert_eq!(errors.len(), 1, "{text}");
    errors[0].to_owned()
}

#[test]
fn a_missing_engine_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (text, code) = doctor(place.path(), &place.path().join("none"));
    assert_eq!(code, Some(3), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("MISSING  engine")).unwrap();
    assert_eq!(lines[at + 1].trim(), "-> make engine");
    // An empty directory is no engine either.
    let (text, code) = doctor(place.path(), place.path());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("manifest.json"), "{text}");
    assert!(text.contains("-> rm -r "), "{text}");
}

#[test]
fn a_host_where_machines_run_lacks_nothing() {
    let Some(engine) = engine() else { return };
    let place = tempfile::tempdir().unwrap();
    let (text, code) = doctor(place.path(), &engine);
    assert_eq!(code, Some(0), "{text}");
    for release in ["2.3", "2.4"] {
        let line = format!("ok       machine, OpenZFS {release}");
        assert!(text.contains(&line), "{text}");
    }
    let output = poolwright(place.path(), &engine, &["doctor", "--json"]);
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(findings.as_array().unwrap().iter().any(|f| f["what"] == "fio"));
}

#[test]
fn a_kernel_that_cannot_be_executed_is_named() {
    let Some(engine) = engine() else { return };
    let place = tempfile::tempdir().unwrap();
    let own = place.path().join("engine");
    copy(&engine, &own);
    fs::set_permissions(own.join("linux"), Permissions::from_mode(0o644)).unwrap();
    let (text, code) = doctor(place.path(), &own);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("chmod +x"), "{text}");
    let error = run(place.path(), &own);
    assert!(error.contains("Permission denied") && error.contains("poolwright doctor"), "{error}");
}

#[test]
fn a_damaged_module_is_named() {
    let Some(engine) = engine() else { return };
    let place = tempfile::tempdir().unwrap();
    let own = place.path().join("engine");
    copy(&engine, &own);
    let module = Engine::open(&own).unwrap().module("2.4", "zfs");
    let module = File::options().write(true).open(module).unwrap();
    module.set_len(1 << 20).unwrap();
    let (text, code) = doctor(place.path(), &own);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("ok       machine, OpenZFS 2.3"), "{text}");
    assert!(text.contains("MISSING  machine, OpenZFS 2.4"), "{text}");
}
