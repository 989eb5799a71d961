//! A lab of two variants, and what a run of it leaves.

// Each file of tests uses its part of it.
#![allow(dead_code)]

use findings::record::Trial;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use store::Store;

/// A lab of two variants and quick trials, in a directory of its own.
pub struct Place {
    /// Where everything of it is.
    pub dir: tempfile::TempDir,
}

impl Place {
    /// With the engine that is none.
    pub fn new(trials: u32) -> Place {
        Place::with_engine(trials, &fake())
    }

    /// With that engine.
    pub fn with_engine(trials: u32, engine: &Path) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let engines = dir.path().join("engines");
        fs::create_dir(&engines).unwrap();
        fs::copy(engine, engines.join("poolfs-2.1")).unwrap();
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

    pub fn command(&self, fault: &str) -> Command {
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

    pub fn run(&self, fault: &str) -> Output {
        self.command(fault).output().unwrap()
    }

    pub fn start(&self, fault: &str) -> Child {
        self.command(fault)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The only campaign's store.
    pub fn store(&self) -> Store {
        let campaigns: Vec<PathBuf> = fs::read_dir(self.dir.path().join("results/lab"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert_eq!(campaigns.len(), 1, "{campaigns:?}");
        Store::read(&campaigns[0]).unwrap()
    }

    pub fn trials(&self) -> Vec<Trial> {
        self.store().journal().trials().unwrap()
    }

    /// Processes that work in or were started from this place.
    pub fn processes(&self) -> Vec<String> {
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
    pub fn assert_nothing_left(&self) {
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
pub fn fake() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_poolwright"))
        .parent()
        .unwrap();
    target.join("examples/fake_poolfs")
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
