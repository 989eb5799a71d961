//! `poolwright run`: its results and files, also after failures.

mod two_variant_lab;

use rustix::process::Signal;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use two_variant_lab::{LAB, Place, signal, stderr, stdout};

/// What is in a directory of the store; 0 where it does not exist.
fn entries(path: &Path) -> usize {
    fs::read_dir(path).map_or(0, Iterator::count)
}

#[test]
fn a_campaign_is_measured_and_reported_and_running_it_again_runs_nothing() {
    let place = Place::new();
    let first = place.run(&["run", "lab.toml"]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert_eq!((place.begun().len(), place.results().len()), (4, 4));
    let reports = place.store().join("reports/lab");
    for name in ["findings.json", "report.html", "report.md", "report.csv"] {
        assert!(reports.join(name).is_file(), "{name}");
    }
    let page = reports.join("report.html");
    assert!(stdout(&first).contains(&page.display().to_string()));
    let (results, findings) = (place.results(), fs::read(reports.join("findings.json")).unwrap());
    let again = place.run(&["run", "lab.toml"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!((place.begun().len(), place.results()), (4, results));
    assert_eq!(fs::read(reports.join("findings.json")).unwrap(), findings);
    assert_eq!(stdout(&again), stdout(&first));
}

#[test]
fn several_labs_run_one_after_the_other_each_with_its_report() {
    let place = Place::new();
    let other = LAB
        .replace("A lab for tests", "Another lab")
        .replace("runtime = \"10s\"", "runtime = \"11s\"");
    fs::write(place.at("other.toml"), other).unwrap();
    let listed = place.run(&["run", "lab.toml", "other.toml", "--list"]);
    assert_eq!(stdout(&listed).lines().count(), 8, "{}", stdout(&listed));
    let ran = place.run(&["run", "lab.toml", "other.toml"]);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    assert_eq!(place.results().len(), 8);
    for lab in ["lab", "other"] {
        assert!(place.store().join("reports").join(lab).join("report.html").is_file(), "{lab}");
        assert!(stderr(&ran).contains(&format!("lab {lab}\n")), "{}", stderr(&ran));
    }
    let [first, second] = ["A lab for tests", "Another lab"].map(|title| stdout(&ran).find(title));
    assert!(first < second && first.is_some(), "{}", stdout(&ran));
}

#[test]
fn a_mistake_in_the_last_lab_is_reported_before_the_first_is_run() {
    let place = Place::new();
    fs::write(place.at("wrong.toml"), LAB.replace("min_trials", "min_trails")).unwrap();
    let ran = place.run(&["run", "lab.toml", "wrong.toml"]);
    assert_eq!(ran.status.code(), Some(2), "{}", stderr(&ran));
    assert!(stderr(&ran).contains("min_trails"), "{}", stderr(&ran));
    assert!(place.begun().is_empty());
    let json = place.run(&["run", "lab.toml", "lab.toml", "--json"]);
    assert_eq!(json.status.code(), Some(2));
    assert!(stderr(&json).contains("--json prints the findings of one lab"), "{}", stderr(&json));
    assert!(place.begun().is_empty());
}

#[test]
fn a_store_that_cannot_be_created_is_refused_with_what_to_do() {
    let place = Place::new();
    fs::create_dir_all(place.at("other/trials")).unwrap();
    for verb in [&["run", "lab.toml"][..], &["trial", "ab12"], &["merge", "other"]] {
        for store in ["lab.toml", "lab.toml/store"] {
            let args = [verb, &["--store", store]].concat();
            let ran = place.command(&args).output().unwrap();
            assert_eq!(ran.status.code(), Some(3), "{args:?}: {}", stderr(&ran));
            let help = "; choose another directory with --store DIR";
            assert!(stderr(&ran).contains(help), "{args:?}: {}", stderr(&ran));
        }
    }
}

#[test]
fn a_list_that_cannot_be_written_is_no_success() {
    let place = Place::new();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let listed = place.command(&["run", "lab.toml", "--list"]).stdout(full).output().unwrap();
    assert_eq!(listed.status.code(), Some(3), "{}", stderr(&listed));
    let endless = place.run(&["check", "/dev/zero"]);
    assert_eq!(endless.status.code(), Some(2));
    assert!(stderr(&endless).contains("more than 4 MiB"), "{}", stderr(&endless));
}

#[test]
fn an_incomplete_lab_does_not_keep_the_next_from_running() {
    let place = Place::new();
    let other =
        LAB.replace("log optane0", "special optane0").replace("[method]", "[method]\nseed = 2");
    fs::write(place.at("other.toml"), other).unwrap();
    let mut command = place.command(&["run", "lab.toml", "other.toml"]);
    let ran = command.env("FAKE_LOGS_FAIL", "1").output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{}", stderr(&ran));
    assert!(place.store().join("reports/other/report.html").is_file(), "{}", stderr(&ran));
}

#[test]
fn an_edited_variant_reuses_the_trials_of_the_others() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    place.write_lab(&LAB.replace("count = 1", "count = 1, flash.flush_us = 20"));
    let edited = place.run(&["run", "lab.toml"]);
    assert_eq!(edited.status.code(), Some(0), "{}", stderr(&edited));
    assert_eq!(place.begun().len(), 4 + 2);
    assert!(stderr(&edited).contains("2 of 4 trials are stored"), "{}", stderr(&edited));
}

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_no_half_trial_and_is_resumed() {
    let whole = Place::new();
    whole.run(&["run", "lab.toml"]);
    let place = Place::new();
    for ms in [30u64, 250, 480, 700] {
        let mut child = place.start("0.4");
        std::thread::sleep(Duration::from_millis(ms));
        signal(&child, Signal::KILL);
        child.wait().unwrap();
        for (key, result) in place.results() {
            assert_eq!(result, whole.results()[&key]);
        }
    }
    let resumed = place.run(&["run", "lab.toml"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert_eq!(place.results(), whole.results());
    assert_eq!(entries(&place.store().join("running")), 0);
    assert_eq!(entries(&place.store().join("campaigns/lab")), 1);
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_the_same_command_resumes() {
    let place = Place::new();
    let child = place.start("0.5");
    let until = Instant::now() + Duration::from_secs(30);
    while place.begun().len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let saved = "Results so far are saved. Run the same command to resume.";
    assert!(stderr(&output).contains(saved), "{}", stderr(&output));
    assert_eq!(place.results().len(), 1);
    let resumed = place.run(&["run", "lab.toml"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert_eq!((place.results().len(), place.begun().len()), (4, 5));
}

#[test]
fn two_runs_with_one_store_share_the_work() {
    let place = Place::new();
    let (one, two) = (place.start("0.3"), place.start("0.3"));
    for child in [one, two] {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let begun = place.begun();
    let apart: BTreeSet<&String> = begun.iter().collect();
    assert_eq!((begun.len(), apart.len()), (4, 4));
}

#[test]
fn a_budget_is_kept_and_trials_that_did_not_fit_are_listed_with_their_time() {
    let place = Place::new();
    let begun = Instant::now();
    let mut command = place.command(&["run", "lab.toml", "-j", "1", "--budget", "4s"]);
    let output = command.env("FAKE_WALL_S", "1.5").output().unwrap();
    let elapsed = begun.elapsed().as_secs_f64();
    assert!(elapsed < 4.0 * 1.1, "{elapsed}");
    // Both cells were measured once: there is an answer.
    assert_eq!((output.status.code(), place.begun().len()), (Some(0), 2));
    let printed = stderr(&output);
    assert!(
        printed.contains("The budget of 4 s has no time left for 2 trials of this round"),
        "{printed}"
    );
    assert!(printed.contains("optane · sync · repeat 1  (about 2 s)"), "{printed}");
    assert!(printed.contains("--budget"), "{printed}");
}

#[test]
fn a_cell_that_fails_costs_the_others_nothing_and_is_tried_again() {
    let place = Place::new();
    let mut command = place.command(&["run", "lab.toml"]);
    let failed = command.env("FAKE_LOGS_FAIL", "1").output().unwrap();
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
    assert!(stderr(&failed).contains("VERIFY3(0 == spa_create())"), "{}", stderr(&failed));
    assert_eq!((place.results().len(), place.begun().len()), (2, 4));
    let again = place.run(&["run", "lab.toml"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!((place.results().len(), place.begun().len()), (4, 6));
}

#[test]
fn stored_campaigns_are_reported_compared_and_listed_in_order() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    for name in ["lab", "lab.toml"] {
        let report = place.run(&["report", name, "--format", "json"]);
        assert_eq!(report.status.code(), Some(0), "{}", stderr(&report));
        let findings = fs::read_to_string(place.store().join("reports/lab/findings.json"));
        assert_eq!(stdout(&report), findings.unwrap());
    }
    let campaigns = place.store().join("campaigns/lab");
    let record = fs::read_dir(campaigns).unwrap().next().unwrap().unwrap().path();
    let record = record.display().to_string();
    for arguments in [&["report", &record][..], &["compare", "lab", &record], &["history", "lab"]] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
    let nothing = place.run(&["report", "other"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).contains("poolwright run other"), "{}", stderr(&nothing));
}

#[test]
fn results_of_an_earlier_engine_are_refused_with_a_fix() {
    let place = Place::new();
    let former = place.at("results/lab/20260101T000000Z");
    fs::create_dir_all(&former).unwrap();
    fs::write(former.join("journal.sqlite"), "x").unwrap();
    for arguments in [
        &["report", "results/lab"][..],
        &["history", "results/lab"],
        &["run", "lab.toml", "--store", "results"],
        &["merge", "results"],
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let why = "which this version cannot read and does not delete: run the lab again";
        assert!(stderr(&output).contains(why), "{arguments:?}: {}", stderr(&output));
    }
    assert!(former.join("journal.sqlite").is_file());
}

#[test]
fn costs_are_removed_when_asked_for() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    let output = place.run(&["run", "lab.toml", "--why"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("without log flushes"), "{}", stderr(&output));
    assert!(place.begun().len() > 4);
}

#[test]
fn a_missing_engine_is_reported_with_the_command_that_builds_it() {
    let place = Place::new();
    for arguments in [&["run", "lab.toml"][..], &["run", "lab.toml", "--list"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_poolwright"));
        command.args(arguments).current_dir(&place.dir).env("XDG_DATA_HOME", place.dir.path());
        // Before the places where this host has one.
        command.env("POOLWRIGHT_ENGINE", place.at("empty"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains("make engine"), "{}", stderr(&output));
    }
}
