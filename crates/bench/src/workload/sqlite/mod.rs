//! SQLite in the modelled machine: this program with SQLite's own library, many connections to one file.

pub mod inside;
pub mod log;

use crate::engine::linux::steps;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::workload::database::{self, Times};
use crate::workload::{self, ClientSteps, Seen, seed_of_run};
use inside::{BUSY_TIMEOUT, Job, LOG, Summary, Task, VERB};
use lab::campaign::Sqlite;
use machine::INSIDE;
use machine::script::{Command, Step};
use measurement::Measured;
use std::path::{Path, PathBuf};

/// What a measured run prints.
const OUTPUT: &str = "sqlite.out";
/// Memory of a client beside its cache, bytes: its stack, statements and log.
const CLIENT: u64 = 4 << 20;

/// SQLite for one trial.
#[derive(Debug)]
pub struct Client {
    /// The database and its connections at S.
    pub at: Sqlite,
    /// The database's file inside.
    pub file: PathBuf,
    times: Times,
    seed: u64,
}

/// What a trial's key has of the library and of the client, which are parts of this program.
pub fn version() -> String {
    let client = blake3::hash(include_str!("inside.rs").as_bytes());
    format!("sqlite-{} {}", rusqlite::version(), &client.to_hex()[..16])
}

impl Client {
    /// Scales the database of a trial.
    pub fn new(inputs: &Inputs, sqlite: &Sqlite) -> Client {
        Client {
            at: sqlite.scaled(inputs.model.size),
            file: steps::directory(inputs).join("sqlite.db"),
            times: Times::new(inputs),
            seed: inputs.seed,
        }
    }

    /// This program inside, which is the machine's first process too.
    fn command(&self, sqlite: Sqlite, task: Task, output: &str) -> Command {
        let job = Job { file: self.file.clone(), sqlite, task };
        // Numbers and words: it cannot fail.
        let job = serde_json::to_string(&job).unwrap_or_default();
        Command::new(["/proc/1/exe", VERB, &job]).directory(INSIDE).output(output)
    }

    fn run(&self, seconds: f64, logged: bool, output: &str) -> Command {
        let task = Task::Run { seconds, seed: seed_of_run(self.seed, output), logged };
        self.command(self.at.clone(), task, output)
    }
}

impl workload::Client for Client {
    fn lay_out(&self) -> ClientSteps {
        // Of the settings only those that decide what is in the file, so that labs which differ in others share it.
        let of_file = Sqlite {
            journal_mode: self.at.journal_mode,
            page_size: self.at.page_size,
            rows: self.at.rows,
            ..Sqlite::default()
        };
        let load = self.command(of_file, Task::Load, "load.out");
        ClientSteps { steps: vec![Step::Run(load)], ..ClientSteps::default() }
    }

    fn warm_up(&self, limit_s: f64) -> ClientSteps {
        self.times.warm_up(limit_s, |seconds, output| self.run(seconds, false, output))
    }

    fn measure(&self) -> ClientSteps {
        let run = self.run(self.times.runtime_s, true, OUTPUT);
        ClientSteps { steps: vec![self.times.measure(run)], ..ClientSteps::default() }
    }

    fn ramp_s(&self) -> f64 {
        self.times.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        self.at.data_bytes()
    }

    fn memory(&self) -> u64 {
        u64::from(self.at.clients) * (CLIENT + self.at.cache_size.unwrap_or(0))
    }

    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error> {
        let transactions = log::read(raw, LOG)?;
        self.times.check("SQLite's client", transactions.seconds(), None)?;
        let summary: Summary = serde_json::from_str(&database::text(raw, OUTPUT)).map_err(|e| {
            Error::failed(format!("{OUTPUT} is not valid output of the SQLite client: {e}"))
        })?;
        let mut notes = vec![format!("SQLite {}", rusqlite::version())];
        if summary.begun_again > 0 {
            notes.push(format!(
                "{} transactions were restarted after waiting {} s for a lock",
                summary.begun_again,
                BUSY_TIMEOUT.as_secs()
            ));
        }
        let measured = transactions.measured(self.at.clients, notes);
        Ok(seen.with(measured, self.data_bytes(), transactions.series()))
    }

    fn complaint(&self, raw: &Path) -> Option<String> {
        let last = |text: &str| text.lines().last().map(str::to_owned);
        database::complaint(raw, &["sqlite.out.err", "load.out.err"], last)
    }
}
