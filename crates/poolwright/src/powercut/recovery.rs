//! Inside a machine after the cut: imports the pool, checks the acknowledged writes, and scrubs.

use super::commits::Recovery;
use super::inside;
use super::work::Work;
use super::writer::Clock;
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

/// The pool to recover.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Task {
    /// The pool.
    pub pool: String,
    /// Devices that it may be on.
    pub devices: Vec<String>,
    /// Whether one of them has failed, so that the pool may be imported without its log.
    pub dead: bool,
    /// What was written.
    pub work: Work,
    /// How many blocks or transactions each writer had acknowledged.
    pub acknowledged: Vec<u64>,
}

/// The result of a recovery.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Recovered {
    /// How the pool was imported.
    pub import: Import,
    /// Virtual seconds of the import that succeeded, replay of the intent log included.
    pub import_s: f64,
    /// The state of the blocks or transactions.
    pub data: Recovery,
    /// `zpool status -p` after a scrub.
    pub status: String,
    /// Why the pool cannot be used.
    pub unusable: Option<String>,
}

/// How a pool was imported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Import {
    /// Normally.
    #[default]
    Plain,
    /// Without its log (`zpool import -m`).
    WithoutLog,
    /// At an earlier transaction group (`zpool import -F`).
    Rewound,
}

impl Import {
    fn options(self) -> &'static [&'static str] {
        match self {
            Import::Plain => &[],
            Import::WithoutLog => &["-m"],
            Import::Rewound => &["-m", "-F"],
        }
    }
}

/// Recovers the pool, and writes the result.
pub fn run() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    let mut found = Recovered::default();
    if let Err(why) = recover(&task, &mut found) {
        found.unusable = Some(why);
    }
    let text = serde_json::to_vec(&found).map_err(|e| e.to_string())?;
    fs::write(Path::new(INSIDE).join(RECOVERED), text)
        .map_err(|e| format!("cannot write the result: {e}"))
}

/// Checks the data of the imported pool, and prints the result.
pub fn check() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    let found = task.work.check(&task.acknowledged)?;
    println!("{}", serde_json::to_string(&found).map_err(|e| e.to_string())?);
    Ok(())
}

fn recover(task: &Task, found: &mut Recovered) -> Result<(), String> {
    import(task, found)?;
    let data = output(Command::new("/proc/self/exe").args([inside::VERB, inside::CHECK]))?;
    found.data = serde_json::from_str(&data).map_err(|e| format!("{e}: {data}"))?;
    output(Command::new("zpool").args(["scrub", "-w", &task.pool]))?;
    found.status = output(Command::new("zpool").args(["status", "-p", &task.pool]))?;
    Ok(())
}

/// Imports the pool, trying the options that lose the most last. The error is that of the first attempt.
fn import(task: &Task, found: &mut Recovered) -> Result<(), String> {
    let clock = Clock::new().map_err(|e| format!("cannot open the clock: {e}"))?;
    let now = || clock.now().map_err(|e| format!("cannot read the clock: {e}"));
    let mut first = None;
    for import in [Import::Plain, Import::WithoutLog, Import::Rewound] {
        if import == Import::WithoutLog && !task.dead {
            continue;
        }
        let mut command = Command::new("zpool");
        command.args(["import", "-f", "-o", "cachefile=none"]);
        command.args(import.options());
        for device in &task.devices {
            command.args(["-d", device]);
        }
        command.arg(&task.pool);
        let begun = now()?;
        match output(&mut command) {
            Ok(_) => {
                found.import = import;
                found.import_s = (now()? - begun) as f64 / 1e9;
                return Ok(());
            }
            Err(why) => first = first.or(Some(why)),
        }
        // It may be there with a file system that cannot be mounted.
        let _ = output(Command::new("zpool").args(["export", "-f", &task.pool]));
    }
    Err(first.unwrap_or_default())
}

/// The output of a program; its errors if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let program = format!("{} {}", command.get_program().display(), words(command));
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(LIMIT) {
        Ok(Ok(output)) if output.status.success() => Ok(text(&output.stdout)),
        Ok(Ok(output)) => Err(failure(&program, &output)),
        Ok(Err(why)) => Err(format!("cannot wait for {program}: {why}")),
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

/// The first of a command's arguments.
fn words(command: &Command) -> String {
    let first = command.get_args().next().unwrap_or_default();
    first.to_string_lossy().into_owned()
}
