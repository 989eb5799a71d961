//! The sessions of a database, and the check after recovery. Each numbered transaction changes four tables,
//! so that a partial one is detected.

mod mysql;
mod postgresql;
mod sqlite;
mod tables;

pub use sqlite::Transactions;
pub use tables::Tables;

use super::blocks::mix;
use super::report::Written;
use super::work::Work;
use super::writer::timed;
use ::machine::INSIDE;
use ::machine::script::{Command, Step};
use bench::error::Error;
use bench::inputs::Inputs;
use bench::workload::sqlite::Client as SqliteClient;
use bench::workload::{Client, Place, pgbench, sysbench};
use lab::campaign::Program;
use lab::mysql::Server;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;
use tables::Rows;

/// Virtual seconds that a server may take to recover.
const PATIENCE_S: u32 = 60;
/// How often in a virtual second it is asked whether it takes connections.
const TRIES_PER_S: u32 = 10;

const SERVER: &str = "server.out";
const FOUND: &str = "found.json";
const INTEGRITY: &str = "integrity.out";

/// A database workload in the first machine.
pub struct Database {
    pub client: Box<dyn Client + Sync>,
    /// The transactions, with the commands of the server.
    pub work: Work,
    pub written: Written,
    /// Starts the server with the lab's settings.
    pub start: Vec<Step>,
    /// Starts the server so that it syncs nothing.
    pub control: Vec<Step>,
    /// Makes the tables of the transactions.
    pub tables: Command,
}

impl Database {
    /// Starts the server, so that it syncs nothing for the control, and makes the tables of the transactions.
    pub fn begin(&self, synchronous: bool) -> Vec<Step> {
        let start = if synchronous { &self.start } else { &self.control };
        start.iter().cloned().chain([Step::Run(self.tables.clone())]).collect()
    }
}

/// The database of a trial's workload; none if it has none.
///
/// # Errors
/// That its server, or what checks its tables, is not installed.
pub fn database(inputs: &Inputs, place: Place, seed: u64) -> Result<Option<Database>, Error> {
    Ok(match &inputs.workload.program {
        Program::Pgbench(pgbench) => {
            let client = pgbench::Client::new(inputs, pgbench, place)?;
            client.has_amcheck()?;
            Some(postgresql::database(client, seed))
        }
        Program::Sysbench(sysbench) => {
            Some(mysql::database(sysbench::Client::new(inputs, sysbench, place)?, seed))
        }
        Program::Sqlite(stated) => Some(sqlite::database(SqliteClient::new(inputs, stated), seed)),
        Program::Fio { .. } | Program::PgTestFsync(_) => None,
    })
}

/// The transactions of a run, and the commands of its server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commits {
    pub sessions: usize,
    seed: u64,
    dialect: Dialect,
    /// A session that reads statements from its standard input.
    session: Command,
    /// Starts the server with the lab's settings.
    start: Vec<Step>,
    /// Succeeds when the server takes connections, where `start` does not wait for that.
    ready: Option<Command>,
    stop: Command,
    /// Prints [`Rows`] to [`FOUND`].
    query: Command,
    /// Checks tables and indexes; its output is in [`INTEGRITY`].
    integrity: Command,
}

/// The server, with the number of rows that transactions choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Dialect {
    Postgresql { accounts: u64, tellers: u64 },
    Mysql { server: Server, rows: u64 },
}

impl Commits {
    /// The SQL of a transaction, and a line that reports its commit.
    fn transaction(&self, session: usize, number: u64) -> String {
        let random = mix(self.seed ^ mix(session as u64 ^ mix(number)));
        match self.dialect {
            Dialect::Postgresql { accounts, tellers } => {
                postgresql::transaction(session, number, random, accounts, tellers)
            }
            Dialect::Mysql { rows, .. } => mysql::transaction(session, number, random, rows),
        }
    }

    /// The error that the server's log tells.
    fn complaint(&self) -> Option<String> {
        self.complaint_in(&match self.dialect {
            Dialect::Postgresql { .. } => read(SERVER),
            Dialect::Mysql { .. } => read(&format!("{SERVER}.err")),
        })
    }

    /// The error that a program of this database tells.
    fn complaint_in(&self, output: &str) -> Option<String> {
        match self.dialect {
            Dialect::Postgresql { .. } => pgbench::log::complaint(output),
            Dialect::Mysql { server, .. } => sysbench::output::complaint(server, output),
        }
    }

    /// What is wrong with the tables; none if nothing is.
    fn integrity(&self) -> Option<String> {
        let result = ::machine::guest::execute(&self.integrity);
        let output = read(INTEGRITY);
        match self.dialect {
            Dialect::Postgresql { .. } => {
                // What is checked, and on the next line what is wrong with it.
                let lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
                let first: Vec<&str> = lines.take(2).collect();
                result.err().map(|why| match first[..] {
                    [] => format!("pg_amcheck: {why}"),
                    _ => format!("pg_amcheck: {}", first.join(" ")),
                })
            }
            Dialect::Mysql { .. } => {
                let why = result.err().or_else(|| mysql::wrong(&output));
                why.map(|why| format!("CHECK TABLE: {why}"))
            }
        }
    }

    pub fn open(&self, session: usize) -> io::Result<Session<'_>> {
        let [program, arguments @ ..] = &self.session.argv[..] else {
            return Err(io::Error::other("a session without a program"));
        };
        let mut client = std::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipes = client.stdin.take().zip(client.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        Ok(Session {
            commits: self,
            number: session,
            input,
            output: BufReader::new(output).lines(),
            _client: client,
        })
    }

    /// Starts the server, which recovers the database, and waits until it takes connections.
    fn recover(&self) -> Result<(), String> {
        let mut started = self.start.iter().try_for_each(execute);
        if let (Ok(()), Some(ready)) = (&started, &self.ready) {
            started = until_ready(ready);
        }
        started.map_err(|why| self.complaint().unwrap_or(why))
    }

    /// Recovers the database, reads its transactions and checks its tables. The server is stopped afterwards.
    pub fn read_back(&self) -> Result<Tables, String> {
        let (_, recovery_s) = timed(|| self.recover())?;
        let found = ::machine::guest::execute(&self.query);
        found.map_err(|why| {
            // The client's own error; not what it was told to do, which is long.
            let why = self.complaint_in(&read(&format!("{FOUND}.err"))).unwrap_or(why);
            match self.complaint() {
                Some(complaint) => format!("{why} (in the server's log: {complaint})"),
                None => why,
            }
        })?;
        let text = read(FOUND);
        let rows: Rows = serde_json::from_str(text.trim()).map_err(|e| format!("{e}: {text}"))?;
        let fault = self.integrity();
        // Nothing more is asked of it.
        let _ = ::machine::guest::execute(&self.stop);
        Ok(Tables { rows, recovery_s, fault })
    }
}

fn read(name: &str) -> String {
    let text = fs::read(Path::new(INSIDE).join(name)).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

fn until_ready(ready: &Command) -> Result<(), String> {
    for _ in 0..PATIENCE_S * TRIES_PER_S {
        if ::machine::guest::execute(ready).is_ok() {
            return Ok(());
        }
        thread::sleep(Duration::from_secs(1) / TRIES_PER_S);
    }
    Err(format!("the server does not accept connections after {PATIENCE_S} s"))
}

/// Carries out a step of starting a server.
pub fn execute(step: &Step) -> Result<(), String> {
    match step {
        Step::Run(command) => ::machine::guest::execute(command),
        Step::Write { path, text } => {
            fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
        }
        other => Err(format!("not a step of starting a server: {other:?}")),
    }
}

/// A session of the server's client program.
pub struct Session<'a> {
    commits: &'a Commits,
    number: usize,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    _client: Child,
}

impl Session<'_> {
    pub fn commit(&mut self, number: u64) -> io::Result<()> {
        let text = self.commits.transaction(self.number, number);
        self.input.write_all(text.as_bytes())?;
        let line = self.output.next().transpose()?;
        match line.as_deref() == Some(&number.to_string()) {
            true => Ok(()),
            false => Err(io::Error::other(format!("the session ended at transaction {number}"))),
        }
    }
}
