//! The client itself, inside a machine: fills the database, or runs its transactions and writes down each one's time.
//!
//! A transaction that writes is pgbench's `simple-update`, one that reads its `select-only`.

use lab::campaign::Sqlite;
use machine::INSIDE;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rusqlite::{Connection, ErrorCode, Statement, params};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The hidden subcommand of the program.
pub const VERB: &str = "machine-sqlite";
/// How long a connection waits for a lock before it begins its transaction again.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// What the logs of transactions are called, one a connection.
pub const LOG: &str = "transactions";
/// Bytes of a row that mean nothing, as pgbench's.
const FILLER: usize = 84;

/// What a run of the client does; its argument, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The database's file.
    pub file: PathBuf,
    /// Its settings, at S.
    pub sqlite: Sqlite,
    /// What is done with it.
    pub task: Task,
}

/// What is done with a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Task {
    /// Tables are made and filled.
    Load,
    /// Transactions run for so many seconds.
    Run {
        /// Whole seconds.
        seconds: f64,
        /// Of the clients' random numbers.
        seed: u64,
        /// Whether each transaction's time is written down.
        logged: bool,
    },
}

/// What a run prints, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Transactions that were begun again, since they waited for a lock for [`BUSY_TIMEOUT`].
    pub begun_again: u64,
}

/// Carries out a job; none if the argument is none.
pub fn run(argument: &OsStr) -> Option<ExitCode> {
    let job: Job = serde_json::from_str(argument.to_str()?).ok()?;
    let done = match job.task {
        Task::Load => load(&job.file, &job.sqlite).map_err(|e| e.to_string()),
        Task::Run { seconds, seed, logged } => transactions(&job, seconds, seed, logged),
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("SQLite: {why}");
            ExitCode::FAILURE
        }
    })
}

/// Makes and fills the tables; random bytes, so that no file system compresses them.
fn load(file: &Path, sqlite: &Sqlite) -> rusqlite::Result<()> {
    let mut connection = Connection::open(file)?;
    connection.pragma_update(None, "page_size", sqlite.page_size)?;
    connection.pragma_update(None, "journal_mode", "off")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.execute_batch(
        "CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, filler BLOB NOT NULL);
         CREATE TABLE history (account INTEGER NOT NULL, delta INTEGER NOT NULL, at INTEGER NOT NULL);",
    )?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let all = connection.transaction()?;
    {
        let mut insert = all.prepare("INSERT INTO accounts VALUES (?, 0, ?)")?;
        let mut filler = [0u8; FILLER];
        for id in 0..sqlite.rows {
            for part in filler.chunks_mut(8) {
                part.copy_from_slice(&random.next_u64().to_le_bytes()[..part.len()]);
            }
            insert.execute(params![id as i64, &filler[..]])?;
        }
    }
    all.commit()?;
    journal_mode(&connection, sqlite)
}

/// A write-ahead log stays with the file, a rollback journal is each connection's.
fn journal_mode(connection: &Connection, sqlite: &Sqlite) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", sqlite.journal_mode.name())
}

/// A connection with a client's settings.
///
/// # Errors
/// The file is no database, or a setting cannot be made.
pub fn connect(file: &Path, sqlite: &Sqlite) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    journal_mode(&connection, sqlite)?;
    connection.pragma_update(None, "synchronous", sqlite.synchronous.name())?;
    if let Some(bytes) = sqlite.cache_size {
        // Negative for KiB.
        connection.pragma_update(None, "cache_size", -((bytes >> 10).max(1) as i64))?;
    }
    Ok(connection)
}

/// What one client has done.
#[derive(Debug, Default)]
struct Done {
    log: String,
    begun_again: u64,
}

/// Runs the clients, a thread each, and writes their logs when all have ended.
fn transactions(job: &Job, seconds: f64, seed: u64, logged: bool) -> Result<(), String> {
    machine::guest::charge_system_calls();
    let clients = 0..job.sqlite.clients;
    let connections: Result<Vec<Connection>, _> =
        clients.map(|_| connect(&job.file, &job.sqlite)).collect();
    let connections = connections.map_err(|e| format!("cannot open the database: {e}"))?;
    let together = Barrier::new(connections.len());
    let begin = Instant::now();
    let done: Vec<rusqlite::Result<Done>> = thread::scope(|scope| {
        let clients: Vec<_> = (0u64..)
            .zip(connections)
            .map(|(number, connection)| {
                let random = Xoshiro256PlusPlus::seed_from_u64(seed ^ (number + 1) << 32);
                let client = Client { connection, random, sqlite: &job.sqlite, logged };
                let together = &together;
                scope.spawn(move || {
                    together.wait();
                    client.run(begin, Duration::from_secs_f64(seconds))
                })
            })
            .collect();
        let ended = clients.into_iter().map(|client| client.join());
        ended.map(|done| done.unwrap_or_else(|_| Err(rusqlite::Error::InvalidQuery))).collect()
    });
    let mut summary = Summary::default();
    for (number, done) in done.into_iter().enumerate() {
        let done = done.map_err(|e| format!("a transaction failed: {e}"))?;
        summary.begun_again += done.begun_again;
        if logged {
            let path = Path::new(INSIDE).join(format!("{LOG}.{number}"));
            let written = fs::write(&path, done.log);
            written.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
    }
    println!("{}", serde_json::to_string(&summary).map_err(|e| e.to_string())?);
    Ok(())
}

struct Client<'a> {
    connection: Connection,
    random: Xoshiro256PlusPlus,
    sqlite: &'a Sqlite,
    logged: bool,
}

impl Client<'_> {
    /// One transaction after another until the time is over.
    fn run(mut self, begin: Instant, limit: Duration) -> rusqlite::Result<Done> {
        let mut done = Done::default();
        let mut statements = Statements::new(&self.connection)?;
        loop {
            let begun = begin.elapsed();
            if begun >= limit {
                return Ok(done);
            }
            let writes = share(&mut self.random) < self.sqlite.writes;
            let account = (self.random.next_u64() % self.sqlite.rows) as i64;
            let delta = (self.random.next_u64() % 10_001) as i64 - 5000;
            loop {
                let at = begun.as_nanos() as i64;
                let tried = match writes {
                    true => statements.write(account, delta, at),
                    false => statements.read(account).map(drop),
                };
                match tried {
                    Ok(()) => break,
                    Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                        done.begun_again += 1;
                    }
                    Err(e) => return Err(e),
                }
            }
            if self.logged {
                let ended = begin.elapsed();
                let kind = if writes { 'w' } else { 'r' };
                let latency = (ended - begun).as_nanos();
                // Writing to a String does not fail.
                let _ = writeln!(done.log, "{kind} {} {latency}", ended.as_nanos());
            }
        }
    }
}

/// A random number from 0 to 1, without 1.
fn share(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A client's statements, prepared once, as applications do.
struct Statements<'c> {
    connection: &'c Connection,
    select: Statement<'c>,
    update: Statement<'c>,
    insert: Statement<'c>,
}

impl<'c> Statements<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Statements<'c>> {
        Ok(Statements {
            connection,
            select: connection.prepare("SELECT balance FROM accounts WHERE id = ?")?,
            update: connection.prepare("UPDATE accounts SET balance = balance + ? WHERE id = ?")?,
            insert: connection.prepare("INSERT INTO history VALUES (?, ?, ?)")?,
        })
    }

    fn read(&mut self, account: i64) -> rusqlite::Result<i64> {
        self.select.query_row([account], |row| row.get(0))
    }

    fn write(&mut self, account: i64, delta: i64, at: i64) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let written = self.change(account, delta, at);
        if written.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        written
    }

    fn change(&mut self, account: i64, delta: i64, at: i64) -> rusqlite::Result<()> {
        self.update.execute([delta, account])?;
        self.read(account)?;
        self.insert.execute([account, delta, at])?;
        self.connection.execute_batch("COMMIT")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::campaign::{JournalMode, Synchronous};

    #[test]
    fn each_write_is_in_the_history_once_and_the_balances_add_up() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("db");
        for journal_mode in JournalMode::ALL {
            let _ = fs::remove_file(&file);
            let sqlite = Sqlite {
                journal_mode,
                synchronous: Synchronous::Off,
                page_size: 8192,
                rows: 10_000,
                clients: 1,
                writes: 0.5,
                cache_size: Some(1 << 20),
            };
            load(&file, &sqlite).unwrap();
            let share = fs::metadata(&file).unwrap().len() as f64 / sqlite.data_bytes() as f64;
            assert!((0.95..1.15).contains(&share), "{share}");
            let connection = connect(&file, &sqlite).unwrap();
            let random = Xoshiro256PlusPlus::seed_from_u64(1);
            let client = Client { connection, random, sqlite: &sqlite, logged: true };
            let done = client.run(Instant::now(), Duration::from_millis(300)).unwrap();
            let writes = done.log.lines().filter(|line| line.starts_with('w')).count() as i64;
            let all = done.log.lines().count() as i64;
            assert!(writes > all / 3 && writes < 2 * all / 3, "{writes} of {all}");
            let connection = connect(&file, &sqlite).unwrap();
            let number =
                |sql: &str| -> i64 { connection.query_row(sql, [], |r| r.get(0)).unwrap() };
            assert_eq!(number("SELECT count(*) FROM history"), writes);
            assert_eq!(
                number("SELECT sum(balance) FROM accounts"),
                number("SELECT coalesce(sum(delta), 0) FROM history")
            );
            assert_eq!(number("PRAGMA page_size"), 8192);
            let mode: String =
                connection.query_row("PRAGMA journal_mode", [], |r| r.get(0)).unwrap();
            assert_eq!(mode, journal_mode.name());
        }
    }
}
