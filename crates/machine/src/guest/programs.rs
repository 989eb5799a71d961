//! Programs inside the machine. Their environment is always the same.

use crate::script::Command;
use crate::{INPUT, INSIDE};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Where programs of the engine stand.
const BIN: &str = "/run/bin";
/// The machine's terminal: its first console, which is the host's.
const TERMINAL: &str = "/dev/tty0";
/// Most bytes of a program's last words in a message.
const LAST_WORDS: usize = 400;

const ENVIRONMENT: [(&str, &str); 8] = [
    ("PATH", "/run/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/run"),
    // A rule that is complete, so that nobody looks for a file of it.
    ("TZ", "UTC0"),
    ("LC_ALL", "C"),
    ("TERM", "linux"),
    ("TMPDIR", "/tmp"),
    // zpool would wait ten seconds for udev, which does not run here, to name each drive of a pool that it
    // imports, and ask in 37,000 system calls whether it is there now.
    ("ZFS_VDEV_DEVID_OPT_OUT", "YES"),
    ("GLIBC_TUNABLES", SAME_ON_EVERY_PROCESSOR),
];

/// glibc asks the processor for its features, which are the host's. With them it looks for libraries in more
/// directories, a system call each (x86-64-v2, -v3 and -v4 are levels of features), and saves larger registers on the
/// stack. Without these features it does the same everywhere. Names as of glibc 2.33; before, the others.
const SAME_ON_EVERY_PROCESSOR: &str = "glibc.cpu.hwcap_mask=0:glibc.cpu.hwcaps=-SSSE3,-SSE4_1,-SSE4_2,-POPCNT,-AVX,\
    -AVX2,-AVX512F,-XSAVE,-XSAVEC,-OSXSAVE,-AVX_Usable,-AVX2_Usable,-AVX512F_Usable,-XSAVEC_Usable";

/// Writes a starter for each program, so that a person and other programs find it by name.
pub fn install(programs: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    fs::create_dir_all(BIN).map_err(|e| format!("cannot make {BIN}: {e}"))?;
    for (name, argv) in programs {
        let words: Vec<String> =
            argv.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        let path = Path::new(BIN).join(name);
        let text = format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "));
        fs::write(&path, text)
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(())
}

fn process(command: &Command) -> Result<std::process::Command, String> {
    let program = command.argv.first().ok_or("an empty command")?;
    let mut process = std::process::Command::new(program);
    process.args(&command.argv[1..]).env_clear().envs(ENVIRONMENT).stdin(Stdio::null());
    let here = &command.directory;
    process.current_dir(if here.as_os_str().is_empty() { Path::new("/") } else { here });
    if let Some(user) = command.user {
        // Of a process of root this also drops all other groups.
        process.uid(user).gid(user);
    }
    Ok(process)
}

/// Runs a program to its end.
pub fn run(command: &Command) -> Result<(), String> {
    let mut running = Running::start(command)?;
    running.wait();
    running.finish()
}

/// Runs a shell to its end; its exit code.
pub fn shell(command: &Command) -> Result<i32, String> {
    let mut process = process(command)?;
    let cannot = |path: &Path, why| format!("cannot open {}: {why}", path.display());
    match &command.output {
        Some(file) => {
            let [output, errors] = outputs(file);
            let input = Path::new(INSIDE).join(INPUT);
            process
                .stdin(File::open(&input).map_err(|e| cannot(&input, e))?)
                .stdout(create(&output)?)
                .stderr(create(&errors)?);
        }
        None => {
            let path = Path::new(TERMINAL);
            // The shell takes it as its own, for job control.
            let flags = OFlags::RDWR | OFlags::NOCTTY;
            let open = || rustix::fs::open(path, flags, Mode::empty());
            let open = || open().map_err(|e| cannot(path, std::io::Error::from(e)));
            process.stdin(open()?).stdout(open()?).stderr(open()?);
        }
    }
    let status =
        process.status().map_err(|e| format!("cannot start {}: {e}", command.argv.join(" ")))?;
    let killed = || status.signal().map_or(1, |signal| 128 + signal);
    Ok(status.code().unwrap_or_else(killed))
}

/// The files in the machine's directory for a program's output and its errors.
fn outputs(file: &str) -> [PathBuf; 2] {
    let inside = Path::new(INSIDE);
    [inside.join(file), inside.join(format!("{file}.err"))]
}

fn create(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Limits the files that programs started from now on may have open; what the limit was.
fn limit_open_files(most: u64) -> Result<Rlimit, String> {
    let own = getrlimit(Resource::Nofile);
    set_open_files(Rlimit { current: Some(most), maximum: Some(most) })?;
    Ok(own)
}

fn set_open_files(limit: Rlimit) -> Result<(), String> {
    setrlimit(Resource::Nofile, limit).map_err(|e| format!("cannot limit open files: {e}"))
}

pub struct Running {
    name: String,
    may_fail: bool,
    pid: rustix::process::Pid,
    started: Instant,
    ended: Option<ExitStatus>,
    waiter: Receiver<std::io::Result<ExitStatus>>,
    /// Where its output and its errors are.
    outputs: [PathBuf; 2],
}

impl Running {
    pub fn start(command: &Command) -> Result<Running, String> {
        let name = command.argv.join(" ");
        let outputs = match &command.output {
            Some(file) => outputs(file),
            None => ["/run/output".into(), "/run/output.err".into()],
        };
        let mut process = process(command)?;
        process.stdout(create(&outputs[0])?).stderr(create(&outputs[1])?);
        let own = command.open_files.map(limit_open_files).transpose()?;
        let child = process.spawn().map_err(|e| format!("cannot start {name}: {e}"))?;
        if let Some(own) = own {
            set_open_files(own)?;
        }
        let pid = rustix::process::Pid::from_child(&child);
        Ok(Running {
            name,
            may_fail: command.may_fail,
            pid,
            started: Instant::now(),
            ended: None,
            waiter: waiter(child),
            outputs,
        })
    }

    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn wait(&mut self) {
        if self.ended.is_none()
            && let Ok(Ok(status)) = self.waiter.recv()
        {
            self.ended = Some(status);
        }
    }

    /// Waits until it has ended or a moment has come; whether it has ended.
    pub fn ended_by(&mut self, moment: Instant) -> Result<bool, String> {
        let left = moment.saturating_duration_since(Instant::now());
        match self.waiter.recv_timeout(left) {
            Ok(Ok(status)) => {
                self.ended = Some(status);
                Ok(true)
            }
            Ok(Err(why)) => Err(format!("cannot wait for {}: {why}", self.name)),
            Err(RecvTimeoutError::Timeout) => Ok(false),
            Err(RecvTimeoutError::Disconnected) => Ok(true),
        }
    }

    pub fn kill(&mut self) {
        if self.ended.is_none() {
            let _ = rustix::process::kill_process(self.pid, rustix::process::Signal::KILL);
            self.wait();
        }
    }

    /// Whether it has succeeded, after its end.
    pub fn finish(&self) -> Result<(), String> {
        let how = match self.ended {
            Some(status) if status.success() || self.may_fail => return Ok(()),
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("ended with status {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => "ended".to_owned(),
            },
            None => "was lost".to_owned(),
        };
        let read = |path: &Path| fs::read(path).unwrap_or_default();
        let mut words = String::from_utf8_lossy(&read(&self.outputs[1])).into_owned();
        if words.trim().is_empty() {
            words = String::from_utf8_lossy(&read(&self.outputs[0])).into_owned();
        }
        let words = words.trim();
        let mut from = words.len().saturating_sub(LAST_WORDS);
        while !words.is_char_boundary(from) {
            from += 1;
        }
        let words = words[from..].replace('\n', "; ");
        Err(match words.is_empty() {
            true => format!("{} {how}", self.name),
            false => format!("{} {how}: {words}", self.name),
        })
    }
}

fn waiter(mut child: Child) -> Receiver<std::io::Result<ExitStatus>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    receiver
}
