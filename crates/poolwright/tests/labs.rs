//! Labs of this repository in short form, on the real engine and with real fio: that every cell runs
//! and that its conservation checks hold. No verdict is asserted.

use std::path::Path;
use std::process::Command;

/// Runs a lab with one short trial a cell and returns its findings.
fn short(lab: &str) -> serde_json::Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let store = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["run", "--short", "--json", "--store"])
        .arg(store.path())
        .arg(root.join("labs").join(lab))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|e| {
        panic!("{lab}: {e}: {text}\n{}", String::from_utf8_lossy(&output.stderr))
    })
}

fn runs_and_its_checks_hold(lab: &str, cells: usize) {
    let findings = short(lab);
    let found = findings["cells"].as_array().unwrap();
    assert_eq!(found.len(), cells, "{lab}");
    for cell in found {
        let name = format!("{lab}: {} · {}", cell["variant"], cell["workload"]);
        assert_eq!(cell["trials"]["failed"], 0, "{name}: {}", cell["issues"]);
        assert!(cell["throughput"]["value"].as_f64() > Some(0.0), "{name}");
        let checks = cell["checks"].as_array().unwrap();
        assert!(!checks.is_empty(), "{name}");
        for check in checks {
            assert_eq!(check["pass"], true, "{name}: {check}");
        }
    }
}

#[test]
fn every_cell_of_the_demo_runs_and_its_checks_hold() {
    runs_and_its_checks_hold("demo.toml", 2);
}

#[test]
fn every_cell_of_hk_slog_size_runs_and_its_checks_hold() {
    runs_and_its_checks_hold("hk-slog-size.toml", 3);
}

#[test]
fn every_cell_of_hk_persist_runs_and_its_checks_hold() {
    runs_and_its_checks_hold("hk-persist.toml", 2);
}
