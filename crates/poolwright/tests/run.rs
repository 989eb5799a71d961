//! `poolwright run` with an engine that is none and a real fio: what a run leaves, whatever happens
//! to it.

use findings::record::{Outcome, Trial};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use store::{State, Store};

/// A lab of two variants and quick trials, in a directory of its own.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new(trials: u32) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let engines = dir.path().join("engines");
        fs::create_dir(&engines).unwrap();
        fs::copy(fake(), engines.join("poolfs-2.1")).unwrap();
        fs::create_dir(dir.path().join("drives")).unwrap();
        let lab = format!(
            r#"
title = "A lab for tests"
openzfs = "2.1"
[host]
memory = "8G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
optane = "1x p1600x-118g"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[factors]
log = {{ none = "", optane = "log optane0" }}
[workloads.sync]
fio.job = """
[j]
rw=randwrite
bs=8k
size=1G
fsync=8
"""
[method]
baseline = "none"
runtime = "1s"
ramp = "0s"
min_trials = {trials}
max_trials = {trials}
budget = "10m"
[scale]
size = 4
time = 1
dirty_data_max = "64M"
"#
        );
        fs::write(dir.path().join("lab.toml"), lab).unwrap();
        Place { dir }
    }

    fn command(&self, fault: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_poolwright"));
        command
            .args(["run", "lab.toml", "--store"])
            .arg(self.dir.path().join("drives"))
            .current_dir(self.dir.path())
            .env("POOLWRIGHT_ENGINES", self.dir.path().join("engines"))
            .env("FAKE_POOLFS", fault)
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, fault: &str) -> Output {
        self.command(fault).output().unwrap()
    }

    fn start(&self, fault: &str) -> Child {
        self.command(fault)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The only campaign's store.
    fn store(&self) -> Store {
        let campaigns: Vec<PathBuf> = fs::read_dir(self.dir.path().join("results/lab"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert_eq!(campaigns.len(), 1, "{campaigns:?}");
        Store::read(&campaigns[0]).unwrap()
    }

    fn trials(&self) -> Vec<Trial> {
        self.store().journal().trials().unwrap()
    }

    /// Processes that work in or were started from this place.
    fn processes(&self) -> Vec<String> {
        let needle = self.dir.path().to_string_lossy().into_owned();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            let here = fs::read_link(entry.path().join("cwd"))
                .is_ok_and(|cwd| cwd.starts_with(self.dir.path()));
            if command.contains(&needle) || (here && !command.is_empty()) {
                found.push(command);
            }
        }
        found
    }

    /// Waits until nothing of a run is left, and fails if something stays. On a loaded machine the
    /// kernel takes seconds to take namespaces down.
    fn assert_nothing_left(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.processes().is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(self.processes(), Vec::<String>::new());
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let needle = self.dir.path().to_string_lossy().into_owned();
        assert!(!mounts.contains(&needle), "{mounts}");
    }
}

/// The engine that is none: an example of this crate, which `cargo test` builds.
fn fake() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_poolwright"))
        .parent()
        .unwrap();
    target.join("examples/fake_poolfs")
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn reason(trial: &Trial) -> &str {
    match &trial.outcome {
        Outcome::Failed { reason } => reason,
        Outcome::Measured(_) => "measured",
    }
}

#[test]
fn a_campaign_is_measured_kept_and_reported_and_running_it_again_measures_nothing() {
    let place = Place::new(1);
    let output = place.run("");
    let trials = place.trials();
    assert_eq!(trials.len(), 2, "{}", said(&output));
    for trial in &trials {
        let Outcome::Measured(measured) = &trial.outcome else {
            panic!("{}", reason(trial));
        };
        assert!(measured.write.ops > 0 && measured.sync.ops > 0);
        assert_eq!(measured.concurrency, 1.0);
        let in_seconds: f64 = measured.seconds.iter().map(|s| s.writes).sum();
        assert!((in_seconds - measured.write.ops as f64).abs() < 1.0);
        assert_eq!(measured.facts["fake.drives"], 1.0);
    }
    let dir = place.store().path().to_owned();
    for name in [
        "lab.toml",
        "report.html",
        "report.md",
        "report.csv",
        "machine.json",
    ] {
        assert!(dir.join(name).is_file(), "{name}");
    }
    let raw = dir.join("trials/0000-").to_string_lossy().into_owned();
    let raw = [format!("{raw}none-sync/1"), format!("{raw}optane-sync/1")]
        .into_iter()
        .map(PathBuf::from)
        .find(|p| p.exists())
        .unwrap();
    for name in [
        "original.fio",
        "job.fio",
        "job.diff",
        "fio.json",
        "fio.json.command",
        "poolfs.log",
    ] {
        assert!(raw.join(name).is_file(), "{name}");
    }
    place.run("die-in-build"); // would fail if it measured anything
    assert_eq!(place.trials(), trials);
    place.assert_nothing_left();
    assert_eq!(
        fs::read_dir(place.dir.path().join("drives"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn an_engine_that_dies_costs_its_trial_and_its_last_assertion_is_the_reason() {
    for (fault, why) in [
        ("die-in-build", "VERIFY3(0 == spa_create()) failed (0 == 5)"),
        ("die-in-window", "ASSERT at zil.c:1:zil_commit()"),
        ("no-mount", "nothing is mounted"),
        ("full", "No space left on device"),
    ] {
        let place = Place::new(1);
        let output = place.run(fault);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let trials = place.trials();
        assert_eq!(trials.len(), 2, "{fault}: {}", said(&output));
        for trial in &trials {
            assert!(reason(trial).contains(why), "{fault}: {}", reason(trial));
        }
        place.assert_nothing_left();
    }
}

#[test]
fn a_run_that_is_killed_at_any_point_leaves_nothing_and_is_continued() {
    let place = Place::new(2);
    // Into the build, the layout, the window and beyond.
    for (round, ms) in [120u64, 700, 1400, 2600, 3900].into_iter().enumerate() {
        let mut child = place.start("");
        std::thread::sleep(Duration::from_millis(ms));
        signal(&child, Signal::KILL);
        child.wait().unwrap();
        place.assert_nothing_left();
        if round == 2 {
            assert!(place.dir.path().join("results/lab").exists());
        }
    }
    let output = place.run("");
    let trials = place.trials();
    let mut ids: Vec<u64> = trials.iter().map(|t| t.id).collect();
    ids.dedup();
    assert_eq!(ids, [0, 1, 2, 3], "{}", said(&output));
    assert!(
        trials
            .iter()
            .all(|t| matches!(t.outcome, Outcome::Measured(_)))
    );
    // The drives of the killed runs went with the next one's start.
    assert_eq!(
        fs::read_dir(place.dir.path().join("drives"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn ctrl_c_ends_a_run_in_order_also_while_it_waits_for_a_hung_engine() {
    for fault in ["", "hang-in-build"] {
        let place = Place::new(1);
        let mut child = place.start(fault);
        std::thread::sleep(Duration::from_millis(1500));
        signal(&child, Signal::INT);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{fault}");
        let store = place.store();
        assert!(store.journal().count(State::Begun).unwrap() >= 1);
        place.assert_nothing_left();
    }
}

#[test]
fn a_killed_fio_costs_its_trial_only() {
    let place = Place::new(1);
    let mut child = place.start("");
    let until = Instant::now() + Duration::from_secs(30);
    let mut killed = false;
    while !killed && Instant::now() < until && child.try_wait().unwrap().is_none() {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let fio = read("comm").starts_with(b"fio")
                && String::from_utf8_lossy(&read("cmdline")).contains("--output=fio.json")
                && fs::read_link(entry.path().join("cwd"))
                    .is_ok_and(|cwd| cwd.starts_with(place.dir.path()));
            if fio && let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() {
                killed = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).is_ok();
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait().unwrap();
    let trials = place.trials();
    assert_eq!(trials.len(), 2);
    assert!(
        reason(&trials[0]).contains("signal 9"),
        "{}",
        reason(&trials[0])
    );
    assert_eq!(reason(&trials[1]), "measured");
}

#[test]
fn what_is_missing_on_this_machine_is_named_with_the_line_that_installs_it() {
    let place = Place::new(1);
    let empty = place.dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut command = place.command("");
    let no_engine = command.env("POOLWRIGHT_ENGINES", &empty).output().unwrap();
    assert_eq!(no_engine.status.code(), Some(3), "{}", said(&no_engine));
    assert!(
        said(&no_engine).contains("make engine"),
        "{}",
        said(&no_engine)
    );
    let mut command = place.command("");
    let no_fio = command.env("PATH", &empty).output().unwrap();
    assert_eq!(no_fio.status.code(), Some(3), "{}", said(&no_fio));
    assert!(
        said(&no_fio).contains("apt install fio"),
        "{}",
        said(&no_fio)
    );
}
