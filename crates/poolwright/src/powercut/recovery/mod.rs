//! Inside a machine after the cut: imports the pool or mounts the file system, checks the acknowledged writes, and
//! then all of the pool or the file system.

mod filesystem;
mod pool;

pub use filesystem::Filesystem;
pub use pool::Pool;

use super::inside;
use super::kept::Kept;
use super::work::{ReadBack, Work};
use machine::INSIDE;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// File in the machine's directory with the [`Task`].
pub const TASK: &str = "recovery.json";
/// File in the machine's directory with the [`Recovered`].
pub const RECOVERED: &str = "recovered.json";
/// Virtual time limit of a program: with a suspended pool it would wait forever.
const LIMIT: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Task {
    pub storage: Storage,
    pub work: Work,
}

/// What holds the data.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    Pool(Pool),
    /// A file system on an md array or on one drive.
    Filesystem(Filesystem),
}

impl Storage {
    /// Imports the pool, or assembles the array and mounts the file system, and notes how and how long that took. How
    /// an array was assembled is known also where its file system cannot be mounted.
    fn open(&self, found: &mut Recovered) -> Result<(), String> {
        let seconds = match self {
            Storage::Pool(pool) => {
                let (opened, imported_s) = pool.import()?;
                found.opened = opened;
                imported_s
            }
            Storage::Filesystem(filesystem) => {
                let (opened, assembled_s) = filesystem.assemble()?;
                found.opened = opened;
                assembled_s + filesystem.mount()?
            }
        };
        found.opened_s = Some(seconds);
        Ok(())
    }

    /// Scrubs the pool or checks the file system, which is unmounted for it; what is wrong.
    fn check(&self) -> Result<Option<String>, String> {
        match self {
            Storage::Pool(pool) => pool.scrub(),
            Storage::Filesystem(filesystem) => filesystem.check(),
        }
    }

    /// What a person types to open it.
    pub fn open_command(&self) -> String {
        match self {
            Storage::Pool(pool) => format!("zpool import -d /dev {}", pool.name),
            Storage::Filesystem(filesystem) => {
                let Filesystem { device, members, mount, .. } = filesystem;
                let assemble = members.iter().map(|members| {
                    format!("mdadm --assemble --run {device} {} && ", members.join(" "))
                });
                assemble.chain([mount.join(" ")]).collect()
            }
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Recovered {
    /// How the pool was imported or the array assembled.
    pub opened: Opened,
    /// Virtual seconds of the import that succeeded, replay of the intent log included; of a file system, of the
    /// assembly and the mount, replay of the journal included. None where nothing succeeded.
    pub opened_s: Option<f64>,
    /// What is there of the blocks or transactions; none where nothing could be read.
    pub data: Option<ReadBack>,
    /// What a scrub of the pool or a check of the file system found.
    pub errors: Option<String>,
    /// Why the pool or the file system cannot be used.
    pub unusable: Option<String>,
}

impl Recovered {
    /// What is kept of each writer's number of acknowledged writes. Where nothing could be read, none was looked for.
    pub fn kept(&self, acknowledged: &[u64]) -> Kept {
        self.data.as_ref().map(|data| data.check(acknowledged)).unwrap_or_default()
    }

    /// Writes it for the host.
    pub fn save(&self) -> Result<(), String> {
        let text = serde_json::to_vec(self).map_err(|e| e.to_string())?;
        fs::write(Path::new(INSIDE).join(RECOVERED), text)
            .map_err(|e| format!("cannot write the result: {e}"))
    }
}

/// How a pool was imported or an array assembled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opened {
    #[default]
    Plain,
    /// Without the pool's log (`zpool import -m`).
    WithoutLog,
    /// The pool at an earlier transaction group (`zpool import -F`).
    Rewound,
    /// The array although its parity may be wrong (`mdadm --assemble --force`).
    Forced,
}

/// Recovers the pool or the file system, and writes the result.
pub fn run() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    let mut found = Recovered::default();
    if let Err(why) = recover(&task, &mut found) {
        let log = output(&mut Command::new("dmesg")).unwrap_or_default();
        found.unusable = Some(match pool::assertion(&log) {
            Some(failed) => format!("{why}; OpenZFS had stopped: {failed}"),
            None => why,
        });
    }
    found.save()
}

/// Reads the data of the opened pool or file system, and prints what is there.
pub fn check() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    let found = task.work.read_back()?;
    println!("{}", serde_json::to_string(&found).map_err(|e| e.to_string())?);
    Ok(())
}

fn recover(task: &Task, found: &mut Recovered) -> Result<(), String> {
    task.storage.open(found)?;
    // Another process reads the data, because it waits forever if the pool is suspended.
    let data = output(Command::new("/proc/self/exe").args([inside::VERB, inside::CHECK]))?;
    found.data = Some(serde_json::from_str(&data).map_err(|e| format!("{e}: {data}"))?);
    found.errors = task.storage.check()?;
    Ok(())
}

/// The output of a program; its errors if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let ended = run_to_end(command)?;
    match ended.status.success() {
        true => Ok(text(&ended.stdout)),
        false => Err(failure(&words(command), &ended)),
    }
}

/// Runs a program to its end, within [`LIMIT`].
fn run_to_end(command: &mut Command) -> Result<Output, String> {
    let program = words(command);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(LIMIT) {
        Ok(ended) => ended.map_err(|why| format!("cannot wait for {program}: {why}")),
        Err(_) => Err(format!("{program} did not end within {} s", LIMIT.as_secs())),
    }
}

fn failure(program: &str, output: &Output) -> String {
    let words = text(&output.stderr);
    let words: Vec<&str> = words.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    match words.is_empty() {
        true => format!("{program}: {}", output.status),
        false => words.join(" "),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A program with its first argument.
fn words(command: &Command) -> String {
    let first = command.get_args().next().unwrap_or_default();
    format!("{} {}", command.get_program().display(), first.to_string_lossy())
}
