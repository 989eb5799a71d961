//! A place of a test's own, with a lab in it, and the processes that were started there.

use crate::with_engine::engine;
use base64::prelude::{BASE64_STANDARD, Engine};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A lab that is built in under a second.
pub const LAB: &str = r#"
title = "A lab for tests"
[host]
memory = "128G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[workloads.sync]
fio.job = """
[j]
rw=randwrite
bs=16k
size=4G
fsync=1
"""
[method]
runtime = "2s"
ramp = "0s"
min_trials = 1
max_trials = 1
[scale]
size = 16
dirty_data_max = "256M"
"#;

/// A directory with the lab, an engine of its own user's, and everything that is written.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Option<Place> {
        engine()?;
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.at("lab.toml"), LAB).unwrap();
        fs::create_dir(place.at("tmp")).unwrap();
        Some(place)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// This program with everything that it writes in this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.wrapped(&[env!("CARGO_BIN_EXE_poolwright")], arguments)
    }

    /// The same behind other words.
    pub fn wrapped(&self, words: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(arguments)
            .current_dir(self.path())
            .env("POOLWRIGHT_ENGINE", engine().unwrap())
            .env("XDG_CACHE_HOME", self.at("cache"))
            .env("XDG_DATA_HOME", self.at("data"))
            .env("TMPDIR", self.at("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A shell that reads `script`.
    pub fn shell(&self, script: &str) -> Output {
        feed(self.command(&["shell", "lab.toml"]), script).wait_with_output().unwrap()
    }

    /// Machines' directories that are still there.
    pub fn directories(&self) -> usize {
        let machines = self.at("cache/poolwright/engine/machines");
        fs::read_dir(machines).map_or(0, Iterator::count)
    }

    /// Processes whose command line names this place: the machine's kernel does.
    pub fn processes(&self) -> Vec<u32> {
        let name = self.path().to_str().unwrap().as_bytes().to_vec();
        let all = fs::read_dir("/proc").unwrap().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let ours = numbers.filter(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.windows(name.len()).any(|part| part == name)
        });
        ours.collect()
    }

    /// Waits until these processes and all that name this place have ended, for 2 s.
    pub fn ends(&self, processes: &[u32]) {
        let until = Instant::now() + Duration::from_secs(2);
        let left = || {
            let mut left = self.processes();
            left.extend(processes.iter().filter(|pid| runs(**pid)));
            left
        };
        while !left().is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), [] as [u32; 0], "processes that still run");
    }

    /// Starts a shell whose time passes as that of the host, and waits until it carries out these commands.
    pub fn start_waiting(&self, commands: &str) -> Child {
        let mut child = self
            .command(&["shell", "lab.toml", "--pace", "1"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("echo ready\n{commands}").as_bytes()).unwrap();
        drop(stdin);
        // The machine's first line says that it waits now.
        let out = child.stdout.as_mut().unwrap();
        let mut line = [0; 6];
        std::io::Read::read_exact(out, &mut line).unwrap();
        assert_eq!(&line, b"ready\n");
        child
    }
}

/// Starts a program with this as its standard input.
pub fn feed(mut command: Command, script: &str) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Shell commands that bring a C program of this directory into a machine as `/run/NAME`: inside, /tmp is its own.
pub fn compiled(place: &Place, name: &str) -> String {
    let program = place.at(name);
    let source = format!("{}/tests/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let compiled =
        Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(source).status().unwrap();
    assert!(compiled.success());
    let program = BASE64_STANDARD.encode(fs::read(program).unwrap());
    format!("base64 -d >/run/{name} <<END\n{program}\nEND\nchmod +x /run/{name}\n")
}

/// Descendants of a process, and those of them that the machine's kernel started.
pub fn descendants(of: u32) -> Vec<u32> {
    let children = |pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let text = text.unwrap_or_default();
        let pids = text.split_whitespace().map(|word| word.parse().unwrap());
        pids.collect::<Vec<u32>>()
    };
    let mut all = children(of);
    let mut next = 0;
    while next < all.len() {
        all.extend(children(all[next]));
        next += 1;
    }
    all
}

fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that has ended and is waited for by nobody yet is no process any more.
    stat.rsplit(')').next().is_some_and(|rest| {
        let state = rest.trim_start().chars().next();
        state.is_some_and(|state| state != 'Z' && state != 'X')
    })
}
