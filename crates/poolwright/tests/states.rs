//! Pool states: every trial begins with one, and it is the same whether it was stored or is still in the memory of the
//! machine that made it. These tests need an engine.

#[path = "with_engine/mod.rs"]
mod with_engine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use with_engine::engine;

/// Two seeds of a cell that reads what was laid out, and a rung of each. A rung begins with the state of its repeat, so
/// that the state is stored.
const LAB: &str = r#"
title = "A lab for tests"
[host]
memory = "128G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[workloads.mixed]
rates = [30]
fio.job = """
[j]
rw=randrw
bs=16k
size=256M
fsync=1
"""
[method]
runtime = "2s"
ramp = "0s"
min_trials = 2
max_trials = 2
[scale]
size = 16
dirty_data_max = "256M"
"#;

/// The same on an md array.
const ARRAY: (&str, &str) = ("[pool]\nashift = 12\nvdevs = \"mirror hdd[0-1]\"\n", "");

struct Place(tempfile::TempDir);

impl Place {
    fn new(lab: &str) -> Option<Place> {
        engine()?;
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.0.path().join("lab.toml"), lab).unwrap();
        Some(place)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
            .args(arguments)
            .args(["--store", "store"])
            .current_dir(self.0.path())
            .env("POOLWRIGHT_ENGINE", engine().unwrap())
            .env("XDG_CACHE_HOME", self.0.path().join("cache"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        output
    }

    fn states(&self) -> Vec<PathBuf> {
        two_levels(&self.0.path().join("store/states"))
    }

    fn trials(&self) -> Vec<PathBuf> {
        two_levels(&self.0.path().join("store/trials"))
    }

    /// Each of so many stored results comes out the same again.
    fn verifies(&self, trials: usize) {
        let stdout = self.run(&["verify", "lab"]).stdout;
        let stdout = String::from_utf8_lossy(&stdout);
        let same = stdout.matches("identical\n").count();
        assert_eq!((same, stdout.lines().count()), (trials, trials), "{stdout}");
    }
}

/// The directories in the directories of a directory.
fn two_levels(path: &Path) -> Vec<PathBuf> {
    let below = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut directories: Vec<PathBuf> = below(path).iter().flat_map(|path| below(path)).collect();
    directories.sort();
    directories
}

/// With `flags` a run stores so many states.
fn check(lab: &str, flags: &[&str], stored: usize) {
    let Some(place) = Place::new(lab) else { return };
    place.run(&[&["run", "lab.toml", "-j", "1"], flags].concat());
    let states = place.states();
    assert_eq!(states.len(), stored);
    let trials = place.trials();
    assert!(trials.len() > 2, "{trials:?}");
    assert!(trials.iter().all(|trial| !trial.join("raw/layout.fio").exists()));
    // Trials began with what lay in memory; now they find it stored.
    place.verifies(trials.len());
    assert_eq!(place.states(), states);
    // One byte of the middle of an image.
    let image = states[0].join("image");
    let whole = fs::read(&image).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(&image, damaged).unwrap();
    place.verifies(trials.len());
    assert!(fs::read(&image).unwrap() == whole, "it was made again");
    // From nothing.
    fs::remove_dir_all(place.0.path().join("store/states")).unwrap();
    place.verifies(trials.len());
    assert!(fs::read(&image).unwrap() == whole, "and is the same");
}

#[test]
fn a_trial_is_the_same_on_a_state_that_was_made_found_or_damaged() {
    // Each seed has a layout of its own.
    check(LAB, &[], 2);
}

#[test]
fn a_trial_on_an_array_is_the_same_on_any_copy_of_its_state() {
    let md = "stack = \"md\"\nmd = \"raid1 hdd[0-1]\"\n";
    check(&format!("{md}{}", LAB.replace(ARRAY.0, ARRAY.1)), &[], 2);
}

#[test]
fn a_trial_with_a_warm_restart_is_the_same_on_any_copy_of_its_state() {
    // A rung warms up at its own rate; re-runs begin with the state of the first repeat.
    let warm = LAB
        .replace("rates = [30]\n", "")
        .replace("[pool]", "nvme = \"1x pm9a3-3.84t\"\n[pool]")
        .replace("hdd[0-1]\"", "hdd[0-1] cache nvme0\"")
        .replace("runtime =", "warm_up = \"2s\"\nrestart = true\nruntime =");
    check(&warm, &["--why"], 1);
}
