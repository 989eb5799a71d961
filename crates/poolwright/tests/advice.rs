//! `plan`, `audit` and `tune` for programs: valid JSON whatever the input, and the exit codes that
//! the help promises.

use serde_json::Value;
use std::process::{Command, Output};

fn poolwright(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/audit.in"))
        .env("LC_ALL", "C")
        .output()
        .expect("poolwright starts")
}

fn json(arguments: &[&str], code: i32) -> Value {
    let output = poolwright(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}"))
}

#[test]
fn a_plan_is_json_with_its_layouts_and_the_labs_own() {
    let plan = json(&["plan", "--drives", "6x8T hdd-7200", "--json", "--top", "3"], 0);
    assert_eq!(plan["ranking"]["shown"].as_array().map(Vec::len), Some(3));
    let lab = json(&["plan", "../plan.in/own.toml", "--json", "--top", "3"], 0);
    let shown = lab["ranking"]["shown"].as_array().expect("layouts");
    assert_eq!(shown[0]["name"], "2×raidz2-6");
    assert_eq!(shown[0]["own"].as_array().map(Vec::len), Some(4), "the factorial");
    assert_eq!(shown[1]["name"], "6×mirror-2");
    assert_eq!(shown[1]["own"][0], "mirrors");
    assert_eq!(shown[2]["own"].as_array().map(Vec::len), Some(0));
    assert_eq!(lab["options"]["recordsize"], 1 << 20, "the lab's");
    assert_eq!(lab["log"]["dirty_data_max"], 8u64 << 30, "the lab's");
    assert_eq!(lab["log"]["txg_timeout_s"], 10.0, "the lab's");
    assert_eq!(lab["cache"]["own"]["bytes"], 3_840_755_982_336u64);
    json(&["plan", "--drives", "2x1T nvme", "--need", "9T", "--json"], 1);
}

#[test]
fn an_audit_is_json_in_every_language_and_names_stay_as_they_are() {
    let texts = ["status.txt", "zfsget.txt", "my.cnf", "meminfo", "pg.conf"];
    let english = json(&[&["audit", "--json"][..], &texts].concat(), 1);
    let chinese = json(&[&["audit", "--json", "--lang", "zh"][..], &texts].concat(), 1);
    let findings = |value: &Value| value["findings"].as_array().expect("findings").clone();
    let (english, chinese) = (findings(&english), findings(&chinese));
    assert!(english.len() > 10 && english.len() == chinese.len());
    for (one, other) in english.iter().zip(&chinese) {
        for field in ["rule", "subject", "evidence", "fix", "changes", "sources"] {
            assert_eq!(one[field], other[field]);
        }
        assert_ne!(one["why"], other["why"]);
        let subject = one["subject"].as_str().expect("a subject");
        let names =
            |value: &Value| value["what"].as_str().is_some_and(|what| what.contains(subject));
        assert_eq!(names(one), names(other), "{subject}: {} {}", one["what"], other["what"]);
    }
    for text in ["empty", "binary", "unknown.txt", "notloaded.txt"] {
        let report = json(&["audit", "--json", text], 2);
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{text}");
    }
}

#[test]
fn settings_are_json_and_lose_nothing_unless_asked() {
    for server in ["postgresql", "mysql", "nfs", "smb", "generic"] {
        let tuned = json(&["tune", server, "--host", "64G,16 cores", "--json"], 0);
        for choice in tuned["choices"].as_array().expect("choices") {
            assert!(choice["offered"] == true || choice["loss"] == "nothing", "{server}: {choice}");
            assert!(choice["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        }
        let lossy = json(
            &[
                "tune", server, "--host", "64G,16 cores", "--allow-loss", "15s", "--json",
                "--lang", "zh",
            ],
            0,
        );
        let loses = |choice: &&Value| choice["loss"] == "commits";
        let choices = lossy["choices"].as_array().expect("choices");
        assert!(choices.iter().filter(loses).count() > 0, "{server}");
    }
}
