//! A lab of two variants in its own directory, and the command line with a fake engine.
#![allow(dead_code, reason = "each test file uses a part of it")]

use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A lab of which every cell is run twice.
pub const LAB: &str = r#"
title = "A lab for tests"
[host]
memory = "8G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
optane = { profile = "p1600x-118g", count = 1 }
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[factors]
log = { none = "", optane = "log optane0" }
[workloads.sync]
fio.job = """
[j]
rw=randwrite
bs=16k
size=1G
fsync=1
"""
[method]
baseline = "none"
runtime = "10s"
ramp = "0s"
min_trials = 2
max_trials = 2
"#;

/// A directory with the lab.
pub struct Place {
    /// Where everything of it is.
    pub dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        place.write_lab(LAB);
        place
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write_lab(&self, text: &str) {
        fs::write(self.at("lab.toml"), text).unwrap();
    }

    /// A command line, on the store of this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(fake());
        command
            .args(arguments)
            .current_dir(&self.dir)
            .env("XDG_DATA_HOME", self.dir.path())
            .env("FAKE_LOG", self.at("begun"))
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts `run lab.toml` with trials that take so many wall seconds, one at a time.
    pub fn start(&self, wall_s: &str) -> Child {
        let mut command = self.command(&["run", "lab.toml", "-j", "1"]);
        command.env("FAKE_WALL_S", wall_s).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub fn store(&self) -> PathBuf {
        self.at("poolwright/store")
    }

    /// Keys of the trials that were begun, in order.
    pub fn begun(&self) -> Vec<String> {
        let text = fs::read_to_string(self.at("begun")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The results that are stored, by key.
    pub fn results(&self) -> BTreeMap<String, Vec<u8>> {
        results(&self.store())
    }
}

/// The results of a store, by key.
pub fn results(store: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let trials = entries(&store.join("trials")).into_iter().flat_map(|digits| entries(&digits));
    trials
        .map(|trial| {
            let key = trial.file_name().unwrap().to_string_lossy().into_owned();
            (key, fs::read(trial.join("result.json")).unwrap())
        })
        .collect()
}

/// The command line with the fake engine: an example of this crate, which `cargo test` builds.
fn fake() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_poolwright")).parent().unwrap();
    target.join("examples/fake_engine")
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
