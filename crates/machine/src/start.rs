//! Starts a machine and waits for its end.

use crate::core::Core;
use crate::engine::has_space;
use crate::memory::{self, Memory};
use crate::outcome::Outcome;
use crate::script::Script;
use crate::terminal::Terminal;
use crate::{CONSOLE, DRIVES, OUTCOME, PROGRESS, SCRIPT};
use measurement::Stage;
use serde::Serialize;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Virtual time from which the start counts, ns since 1970: fixed, so that nothing inside depends on today.
const EPOCH: u64 = 1_700_000_000_000_000_000;
/// Real time from one look at the stop request to the next.
const LOOK: Duration = Duration::from_millis(50);
/// Real time between two looks from which on this process counts as stopped meanwhile.
const LONGEST_LOOK: Duration = Duration::from_secs(5);
/// SIGKILL.
const KILLED: i32 = 9;
/// SIGXFSZ.
const FILE_LIMIT: i32 = 25;

/// Hidden verb of the executable that [`crate::launch::run`] serves.
pub const LAUNCH: &str = "machine-launch";
/// Hidden verb of the executable that [`crate::guest::run`] serves.
pub const GUEST: &str = "machine-guest";

/// A machine to be started.
#[derive(Debug)]
pub struct Machine<'a> {
    /// The kernel, in its engine's directory.
    pub kernel: PathBuf,
    /// This program, with its two hidden verbs.
    pub executable: &'a Path,
    /// The machine's own directory, the only one that it writes to.
    pub directory: &'a Path,
    /// Its memory, bytes.
    pub memory: u64,
    /// Cores of the modelled host.
    pub cores: u32,
    /// Virtual seconds that pass in a real second while the machine is idle; 0: its clock jumps.
    pub pace: u32,
    /// Whether compute takes virtual time.
    pub charged: bool,
    /// Seed of the kernel's random numbers.
    pub seed: u64,
    /// What it does.
    pub script: &'a Script,
    /// Memory that lives longer than the machine; none for memory of its own.
    pub reused: Option<&'a Memory>,
    /// An image or index, which [`memory::image`] is the path of in its drives' configuration; none where that names
    /// none.
    pub image: Option<&'a File>,
    /// Virtual seconds after a fixed moment at which its clock starts.
    pub start_s: u64,
    /// Directory of the locks with which machines take cores.
    pub locks: PathBuf,
    /// Real time after which a machine that has not ended is taken for hung.
    pub patience: Duration,
}

/// Bytes of the kernel's command line, which takes 4096 (`COMMAND_LINE_SIZE` of ARCH=um).
const LINE_BYTES: usize = 3584;

/// An argument that makes a command line [`LINE_BYTES`] long: the kernel keeps copies of its line and gives it
/// to the first process, so that the length of the host's paths would move the data behind them and change
/// results. A longer line gets no padding.
fn padding<'a>(arguments: impl Iterator<Item = &'a OsStr>) -> OsString {
    let used: usize = arguments.map(|argument| argument.len() + 1).sum();
    format!("padding={}", "x".repeat(LINE_BYTES.saturating_sub(used))).into()
}

/// Why a machine did not come to the end of its script.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// A file could not be written or read, or a process not be started.
    #[error("cannot {action} {path}: {source}")]
    Host {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// The host's error.
        source: std::io::Error,
    },
    /// The machine ended before its script began: this host cannot run it.
    #[error("the machine cannot start here ({0}): run `poolwright doctor` to see what is missing")]
    Start(String),
    /// The machine ended before its script.
    #[error("{0}")]
    Ended(String),
    /// The host ended it with SIGKILL, as where memory runs out: nothing that the machine did.
    #[error("{0}")]
    Killed(String),
    /// It did not end within the caller's patience.
    #[error(
        "the machine did not end within {seconds} s of real time and was ended; see {CONSOLE} in the trial's directory"
    )]
    Hung {
        /// The patience.
        seconds: u64,
        /// Its last message, for where its directory is not kept.
        last: Option<String>,
    },
    /// A step of the script failed.
    #[error("{0}")]
    Script(String),
}

impl Machine<'_> {
    /// Runs the machine to its end, with `drives` as its configuration of drives. `stage` receives the
    /// step that it is at; `stop` returns whether it should end at once.
    ///
    /// # Errors
    /// Why it did not come to the end of its script.
    pub fn run(
        &self,
        drives: &impl Serialize,
        stage: &dyn Fn(Stage),
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, Failure> {
        let (mut child, _core) = self.start(drives, false)?;
        let begun = Cell::new(false);
        let watched = |what| {
            begun.set(true);
            stage(what);
        };
        let ended = self.watch(&mut child, &watched, stop);
        // Whatever happened, nothing of it stays.
        let _ = child.kill();
        let status = child.wait();
        ended?;
        match self.outcome(status.ok()) {
            // Ctrl-C reaches this process and the machine at once.
            Err(_) if stop() => Err(Failure::Stopped),
            Err(Failure::Ended(why) | Failure::Killed(why)) if !begun.get() => {
                Err(Failure::Start(why))
            }
            outcome => outcome,
        }
    }

    /// Runs the machine with the terminal as its console. `stop` is asked whether it should end at once.
    ///
    /// # Errors
    /// Why it did not come to the end of its script.
    pub fn interactive(
        &self,
        drives: &impl Serialize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, Failure> {
        let _terminal = Terminal::save();
        let (mut child, _core) = self.start(drives, true)?;
        let status = loop {
            match child.try_wait() {
                Ok(None) if !stop() => std::thread::sleep(LOOK),
                Ok(Some(status)) => break Some(status),
                _ => {
                    let _ = child.kill();
                    break child.wait().ok();
                }
            }
        };
        match self.outcome(status) {
            Err(_) if stop() => Err(Failure::Stopped),
            outcome => outcome,
        }
    }

    /// Starts its process, on a core that is its own as long as the second value lives.
    fn start(&self, drives: &impl Serialize, terminal: bool) -> Result<(Child, Core), Failure> {
        self.write(SCRIPT, self.script)?;
        self.write(DRIVES, drives)?;
        let _ = fs::remove_file(self.directory.join(OUTCOME));
        let core = Core::take(&self.locks);
        let child = self.command(core.number, terminal)?.spawn();
        let child = child.map_err(|source| self.host("start", self.executable, source))?;
        Ok((child, core))
    }

    fn host(&self, action: &'static str, path: &Path, source: std::io::Error) -> Failure {
        Failure::Host { action, path: path.to_owned(), source }
    }

    fn write(&self, name: &str, content: &impl Serialize) -> Result<(), Failure> {
        let path = self.directory.join(name);
        let text = serde_json::to_vec(content).map_err(std::io::Error::other);
        text.and_then(|text| fs::write(&path, text))
            .map_err(|source| self.host("write", &path, source))
    }

    /// The kernel's command line, behind the launcher's own.
    fn command(&self, core: Option<usize>, terminal: bool) -> Result<Command, Failure> {
        if has_space(self.executable) {
            let why = "its path contains a space, which the command line of a kernel cannot hold: move the program";
            let why = std::io::Error::other(why);
            return Err(self.host("start a machine with", self.executable, why));
        }
        let mut command = Command::new(self.executable);
        let start = EPOCH + self.start_s * 1_000_000_000;
        let mut line: Vec<OsString> = vec![
            format!("mem={}M", self.memory >> 20).into(),
            "rootfstype=hostfs".into(),
            "rootflags=/".into(),
            "ro".into(),
            format!("init={}", self.executable.display()).into(),
            "time-travel=inf-cpu".into(),
            format!("time-travel-start={start}").into(),
            "con=null".into(),
            "con0=fd:0,fd:1".into(),
            "ssl=null".into(),
            "seccomp=auto".into(),
            "norandmaps".into(),
            format!("machine_seed={}", self.seed).into(),
            "uml_dir=umid/".into(),
            format!("drives={DRIVES}").into(),
            format!("processor.cores={}", self.cores).into(),
            format!("processor.charged={}", u8::from(self.charged)).into(),
        ];
        // On a terminal only what ends the machine; the rest is in dmesg.
        match terminal {
            true => line.extend(["quiet".into(), "loglevel=1".into()]),
            false => line.push("loglevel=5".into()),
        }
        if self.pace > 0 {
            line.push(format!("pace={}", self.pace).into());
        }
        if self.reused.is_some() {
            line.push(format!("memory_fd={}", memory::GUEST).into());
        }
        let engine = self.kernel.parent().unwrap_or(&self.kernel);
        // The launcher is in the machine's directory, wherever that is.
        let guest = [GUEST.as_ref(), OsStr::new("/proc/self/cwd"), engine.as_os_str()];
        line.push(padding(line.iter().map(OsString::as_os_str).chain(guest)));
        let reused = self.reused.iter().flat_map(|memory| memory.descriptors());
        let image = self.image.map(|image| (image.as_fd(), memory::IMAGE));
        command
            .arg(LAUNCH)
            .arg(std::process::id().to_string())
            .arg(core.map_or("any".to_owned(), |core| core.to_string()))
            .arg(memory::descriptor_list(reused.chain(image)))
            .arg(self.directory)
            .arg(&self.kernel)
            .args(line)
            .arg("--")
            .args(guest);
        // Nothing of the environment reaches the kernel, except for what keeps it from the home directory.
        command.env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", self.directory);
        match terminal {
            true => {
                command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit())
            }
            false => command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()),
        };
        Ok(command)
    }

    /// Copies the console to its file until the machine ends, is stopped, or takes too long.
    fn watch(
        &self,
        child: &mut Child,
        stage: &dyn Fn(Stage),
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        let path = self.directory.join(CONSOLE);
        let mut console =
            File::create(&path).map_err(|source| self.host("write", &path, source))?;
        let (sender, lines) = mpsc::channel::<Vec<u8>>();
        let outputs: [Option<Box<dyn std::io::Read + Send>>; 2] = [
            child.stdout.take().map(|out| Box::new(out) as _),
            child.stderr.take().map(|out| Box::new(out) as _),
        ];
        for output in outputs.into_iter().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                    // After the watch has ended, what is still printed is read and dropped.
                    let _ = sender.send(line);
                }
            });
        }
        drop(sender);
        let mut patience = Patience { left: self.patience, looked: Instant::now() };
        loop {
            match lines.recv_timeout(LOOK) {
                Ok(line) => {
                    let reported = std::str::from_utf8(&line).ok().and_then(progress);
                    match reported {
                        Some(what) => stage(what),
                        None => {
                            let _ =
                                console.write_all(&line).and_then(|()| console.write_all(b"\n"));
                        }
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop() {
                return Err(Failure::Stopped);
            }
            if patience.ends(Instant::now()) {
                let messages = fs::read(&path).unwrap_or_default();
                let last = last(&String::from_utf8_lossy(&messages)).map(str::to_owned);
                return Err(Failure::Hung { seconds: self.patience.as_secs(), last });
            }
        }
    }

    fn outcome(&self, status: Option<ExitStatus>) -> Result<Outcome, Failure> {
        let path = self.directory.join(OUTCOME);
        let read = fs::read(&path).ok();
        let parsed = read.and_then(|text| serde_json::from_slice::<Outcome>(&text).ok());
        match parsed {
            Some(Outcome { failure: Some(why), .. }) => Err(Failure::Script(why)),
            Some(outcome) => Ok(outcome),
            None => {
                let console = fs::read(self.directory.join(CONSOLE)).unwrap_or_default();
                let console = String::from_utf8_lossy(&console);
                let how = death(status, &console);
                Err(match status.and_then(|status| status.signal()) {
                    Some(KILLED) => Failure::Killed(how),
                    Some(FILE_LIMIT) => {
                        let why = "a file would exceed the limit of this shell (`ulimit -f`): raise it and run the same command again";
                        self.host("write in", self.directory, std::io::Error::other(why))
                    }
                    _ => Failure::Ended(how),
                })
            }
        }
    }
}

/// How long a machine may still run. Time in which this process was stopped (Ctrl-Z) does not count: the machine was
/// stopped with it.
struct Patience {
    left: Duration,
    looked: Instant,
}

impl Patience {
    fn ends(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.looked).min(LONGEST_LOOK);
        self.looked = now;
        self.left = self.left.saturating_sub(passed);
        self.left.is_zero()
    }
}

/// The last line of a console that says something.
fn last(console: &str) -> Option<&str> {
    console.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// A line of progress; none when it is another line.
fn progress(line: &str) -> Option<Stage> {
    serde_json::from_str(line.trim_end().strip_prefix(PROGRESS)?).ok()
}

/// The line of a console that says why a machine died.
fn reason(console: &str) -> Option<&str> {
    // Rust's message stands below the place in its source. It comes first: the panic of a kernel whose first process
    // is gone does not say why that went.
    let mut lines = console.lines().skip_while(|line| !line.contains("panicked at"));
    if let Some(message) = lines.nth(1) {
        return Some(message);
    }
    let telling = [
        "Kernel panic", "drives:", "the drives", "drive contents", "panic", "cannot ", "error",
        "Unable to",
    ];
    let has = |word: &&str| console.lines().find(|line| line.contains(word));
    telling.iter().find_map(has)
}

/// How a machine died, in one line.
fn death(status: Option<ExitStatus>, console: &str) -> String {
    let how = match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => format!("ended with status {code}"),
        Some((None, Some(KILLED))) => {
            "was killed by signal 9 (by the OOM killer, if the host ran out of memory)".to_owned()
        }
        Some((None, Some(signal))) => format!("was ended by signal {signal}"),
        _ => "ended".to_owned(),
    };
    match reason(console).or(last(console)) {
        Some(line) => format!("the machine {how}: {}", line.trim()),
        None => format!("the machine {how} and printed nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_from_other_lines() {
        assert_eq!(progress("@poolwright \"laying-out\"\r"), Some(Stage::LayingOut));
        assert_eq!(progress("@poolwright nonsense"), None);
        assert_eq!(progress("md: raid1"), None);
    }

    #[test]
    fn the_line_that_tells_why_is_found() {
        let console = "Linux version 7\nKernel panic - not syncing: VFS: no root\nlast\n";
        assert!(death(None, console).ends_with("Kernel panic - not syncing: VFS: no root"));
        assert!(death(None, "a\nb\n\n").ends_with(": b"));
        assert!(death(None, "").ends_with("and printed nothing"));
        let why = "the host has no memory for more than 64 MiB of drive contents: os error 12";
        let panic = "thread 'main' (32388) panicked at linux/drives/src/memory.rs:156:13:";
        let console =
            format!("Linux version 7\n{panic}\n{why}\nnote: run with `RUST_BACKTRACE=1`\n");
        assert_eq!(death(None, &console), format!("the machine ended: {why}"));
        let console = format!("{console}Kernel panic - not syncing: Attempted to kill init!\n");
        assert!(death(None, &console).ends_with(why));
        // Another stream may have come between.
        let parted = format!("drive contents beyond 64 MiB\n{panic}\n");
        assert!(death(None, &parted).ends_with(": drive contents beyond 64 MiB"));
    }

    #[test]
    fn a_machine_that_is_stopped_with_this_process_does_not_hang() {
        let begun = Instant::now();
        let mut patience = Patience { left: Duration::from_secs(20), looked: begun };
        let mut after = |seconds| patience.ends(begun + Duration::from_secs(seconds));
        assert!(!after(3600), "stopped for an hour");
        assert!(!after(3601) && !after(3604) && !after(3609));
        assert!(!after(3614) && after(3615));
    }

    /// What becomes of a machine whose kernel is a shell script.
    fn ends(script: &str, patience: Duration) -> Failure {
        let place = tempfile::tempdir().unwrap();
        let [text, executable] = ["text", "machine"].map(|name| place.path().join(name));
        fs::write(&text, format!("#!/bin/sh\necho '{PROGRESS}\"laying-out\"'\n{script}\n"))
            .unwrap();
        // Another process writes it: one that a test starts meanwhile could hold a descriptor of this one's.
        let install = Command::new("install").arg("-m755").args([&text, &executable]).status();
        assert!(install.unwrap().success());
        let script =
            Script { pool: String::new(), programs: Default::default(), steps: Vec::new() };
        let machine = Machine {
            kernel: executable.clone(),
            executable: &executable,
            directory: place.path(),
            memory: 1 << 30,
            cores: 1,
            pace: 0,
            charged: false,
            seed: 1,
            script: &script,
            reused: None,
            image: None,
            start_s: 0,
            locks: place.path().to_owned(),
            patience,
        };
        machine.run(&(), &|_| (), &|| false).unwrap_err()
    }

    #[test]
    fn a_machine_that_hangs_is_told_from_one_that_dies_and_from_one_that_the_host_ends() {
        let hangs = ends("echo last\necho\nexec sleep 60", Duration::from_secs(2));
        let Failure::Hung { last, .. } = hangs else { panic!("{hangs}") };
        assert_eq!(last.as_deref(), Some("last"));
        let patience = Duration::from_secs(60);
        assert!(matches!(ends("exit 1", patience), Failure::Ended(_)));
        let killed = ends("kill -9 $$", patience);
        assert!(matches!(killed, Failure::Killed(_)), "{killed}");
        let limited = ends("kill -25 $$", patience);
        assert!(matches!(limited, Failure::Host { .. }), "{limited}");
    }
}
