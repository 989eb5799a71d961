//! The sessions of a database, and the check after recovery. Each numbered transaction changes four tables,
//! so that a partial one is detected.

mod mysql;
mod postgresql;
mod sqlite;

pub use sqlite::Transactions;

use super::blocks::{Damage, mix};
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

/// What is in the tables of a recovered database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    rows: Rows,
    /// Virtual seconds until it accepts statements, from the server's start where there is one.
    recovery_s: f64,
    /// What its own check found.
    fault: Option<String>,
}

/// What a recovered database or files have of the acknowledged writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    pub damage: Damage,
    /// Number of the first writes of each writer that are present.
    pub first: Vec<u64>,
    /// Virtual seconds until a database accepts statements.
    pub recovery_s: Option<f64>,
    pub faults: Vec<String>,
}

/// Rows and last number of each session, and the sums that every transaction changes by the same amount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Rows {
    sessions: Vec<(u64, u64, u64)>,
    sums: [i64; 4],
    rows: [u64; 2],
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

    /// The last error in the server's log.
    fn complaint(&self) -> Option<String> {
        match self.dialect {
            Dialect::Postgresql { .. } => pgbench::log::complaint(&read(SERVER)),
            Dialect::Mysql { server, .. } => {
                sysbench::output::complaint(server, &read(&format!("{SERVER}.err")))
            }
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
        found.map_err(|why| self.complaint().unwrap_or(why))?;
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

impl Tables {
    /// Checks the transactions of each session against its number of acknowledged ones.
    pub fn check(&self, acknowledged: &[u64]) -> Kept {
        let mut found = self.rows.check(acknowledged);
        found.recovery_s = Some(self.recovery_s);
        found.faults.extend(self.fault.clone());
        found
    }
}

impl Rows {
    fn check(&self, acknowledged: &[u64]) -> Kept {
        let rows = self;
        let mut found = Kept::default();
        for (session, acknowledged) in acknowledged.iter().copied().enumerate() {
            let of = rows.sessions.iter().find(|(number, ..)| *number == session as u64);
            // One more may have been under way; numbers begin with 0.
            let (count, end) = of.map_or((0, 0), |(_, rows, last)| (*rows, last.saturating_add(1)));
            let under_way = u64::from(end > acknowledged);
            let kept = count.saturating_sub(under_way).min(acknowledged);
            found.first.push(kept);
            found.damage.lost += acknowledged - kept;
            // A damaged number can be any: there are not more of them than rows.
            let sent = acknowledged + 1;
            let never_sent = end.saturating_sub(sent).min(count);
            let gaps = end.min(sent).saturating_sub(count - never_sent);
            if gaps > 0 {
                found.faults.push(format!(
                    "session {session}: {gaps} transactions before its last one are missing"
                ));
            }
            if never_sent > 0 {
                found.faults.push(format!(
                    "session {session}: {never_sent} transactions in the table were never sent"
                ));
            }
            found.damage.corrupt += gaps + never_sent;
        }
        for (number, count, _) in &rows.sessions {
            if *number >= acknowledged.len() as u64 {
                found.damage.corrupt += count;
                found.faults.push(format!(
                    "{count} transactions of session {number}, which does not exist"
                ));
            }
        }
        let uneven =
            rows.sums.iter().any(|sum| *sum != rows.sums[0]) || rows.rows[0] != rows.rows[1];
        if uneven {
            found.damage.corrupt += 1;
            found.faults.push(format!(
                "a transaction is incomplete: sums of its four tables {:?}, rows {:?}",
                rows.sums, rows.rows
            ));
        }
        found
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sessions: &[(u64, u64, u64)], acknowledged: &[u64]) -> Kept {
        let rows = sessions.iter().map(|(_, rows, _)| rows).sum();
        Rows { sessions: sessions.to_vec(), sums: [5; 4], rows: [rows; 2] }.check(acknowledged)
    }

    #[test]
    fn one_transaction_beyond_the_acknowledged_ones_is_not_damage() {
        let whole = found(&[(1, 4, 3), (0, 3, 2)], &[3, 3]);
        assert_eq!((whole.damage, whole.first), (Damage::default(), vec![3, 3]));
        assert_eq!(whole.faults, [""; 0]);
        assert_eq!(found(&[], &[0, 0]).damage, Damage::default());
    }

    #[test]
    fn missing_last_transactions_are_lost_and_a_gap_is_corrupt() {
        let short = found(&[(0, 2, 1)], &[5, 4]);
        assert_eq!((short.damage, short.first), (Damage { lost: 7, corrupt: 0 }, vec![2, 0]));
        let gap = found(&[(0, 4, 4)], &[5]);
        assert_eq!(gap.damage, Damage { lost: 1, corrupt: 1 });
        let strange = found(&[(0, 7, 6)], &[5]);
        assert_eq!(strange.damage, Damage { lost: 0, corrupt: 1 });
        assert!(strange.faults[0].contains("never sent"), "{:?}", strange.faults);
        let both = found(&[(0, 7, 9)], &[5]);
        assert_eq!(both.damage, Damage { lost: 0, corrupt: 3 + 4 });
    }

    #[test]
    fn transactions_of_a_session_that_never_was_and_numbers_beyond_all_are_corrupt() {
        let foreign = found(&[(0, 3, 2), (7, 2, 1)], &[3]);
        assert_eq!(foreign.damage, Damage { lost: 0, corrupt: 2 });
        assert!(foreign.faults[0].contains("session 7"), "{:?}", foreign.faults);
        let garbage = found(&[(0, 3, u64::MAX)], &[3]);
        assert!((1..10).contains(&garbage.damage.corrupt), "{:?}", garbage.damage);
    }

    #[test]
    fn a_partial_transaction_is_corrupt() {
        for (sums, rows) in [([5, 5, 4, 5], [1, 1]), ([5; 4], [1, 2])] {
            let found = Rows { sessions: vec![(0, 1, 0)], sums, rows }.check(&[1]);
            assert_eq!(found.damage, Damage { lost: 0, corrupt: 1 });
        }
    }
}
