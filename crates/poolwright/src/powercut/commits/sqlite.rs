//! Transactions of SQLite: this program's own connections to one file, a thread each.

use super::tables::{Rows, Tables};
use super::{Database, Written};
use crate::powercut::blocks::mix;
use crate::powercut::inside;
use crate::powercut::work::Work;
use crate::powercut::writer::timed;
use ::machine::script::Command;
use bench::workload::sqlite::Client;
use bench::workload::sqlite::inside::connect;
use lab::campaign::{Sqlite, Synchronous};
use rusqlite::{Connection, ErrorCode, params};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// The tables with each transaction, and the sum of each session.
const TABLES: &str = "CREATE TABLE powercut (session INTEGER, number INTEGER, delta INTEGER, PRIMARY KEY (session, number));
     CREATE TABLE powercut_total (session INTEGER PRIMARY KEY, total INTEGER);";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transactions {
    file: PathBuf,
    /// The settings of the connections, at S.
    sqlite: Sqlite,
    seed: u64,
}

/// The database of a workload. There is no server to start.
pub fn database(client: Client, seed: u64) -> Database {
    let (file, sqlite) = (client.file.clone(), client.at.clone());
    Database {
        work: Work::Sqlite(Box::new(Transactions { file, sqlite, seed })),
        start: Vec::new(),
        control: Vec::new(),
        written: Written::SqliteCommits,
        tables: Command::new(["/proc/1/exe", inside::VERB, inside::TABLES]),
        client: Box::new(client),
    }
}

fn io_error(e: rusqlite::Error) -> io::Error {
    io::Error::other(e)
}

impl Transactions {
    pub fn sessions(&self) -> usize {
        self.sqlite.clients as usize
    }

    pub fn make_tables(&self) -> Result<(), String> {
        let connection = connect(&self.file, &self.sqlite).map_err(|e| e.to_string())?;
        connection.execute_batch(TABLES).map_err(|e| e.to_string())
    }

    /// Opens a session, which commits the transactions of these numbers. Those of the control sync nothing.
    pub fn open(
        &self,
        session: usize,
        synchronous: bool,
    ) -> io::Result<impl FnMut(u64) -> io::Result<()> + use<>> {
        let mut sqlite = self.sqlite.clone();
        if !synchronous {
            sqlite.synchronous = Synchronous::Off;
        }
        let connection = connect(&self.file, &sqlite).map_err(io_error)?;
        let (seed, rows) = (self.seed, sqlite.rows);
        Ok(move |number| {
            let random = mix(seed ^ mix(session as u64 ^ mix(number)));
            loop {
                match commit(&connection, session, number, random, rows) {
                    Ok(()) => return Ok(()),
                    Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
                    Err(e) => return Err(io_error(e)),
                }
            }
        })
    }

    /// Recovers the database, reads its transactions and checks the file.
    pub fn read_back(&self) -> Result<Tables, String> {
        // The first read rolls a journal back, or finds the end of the write-ahead log.
        let recover = || -> rusqlite::Result<(Connection, Rows)> {
            let connection = connect(&self.file, &self.sqlite)?;
            let rows = rows(&connection)?;
            Ok((connection, rows))
        };
        let recovered = timed(|| recover().map_err(|e| format!("SQLite: {e}")))?;
        let ((connection, rows), recovery_s) = recovered;
        let integrity: Result<String, _> =
            connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        let fault = match integrity {
            Ok(ok) if ok == "ok" => None,
            Ok(why) => Some(format!("integrity_check: {}", why.replace('\n', " "))),
            Err(why) => Some(format!("integrity_check: {why}")),
        };
        Ok(Tables { rows, recovery_s, fault })
    }
}

fn commit(
    connection: &Connection,
    session: usize,
    number: u64,
    random: u64,
    rows: u64,
) -> rusqlite::Result<()> {
    let (account, delta) = ((random % rows) as i64, (random >> 52 | 1) as i64);
    let (session, number) = (session as i64, number as i64);
    let change = || {
        let execute = |sql, values: &[&dyn rusqlite::ToSql]| connection.execute(sql, values);
        execute("UPDATE accounts SET balance = balance + ? WHERE id = ?", params![delta, account])?;
        execute("INSERT INTO history VALUES (?, ?, 0)", params![account, delta])?;
        execute("INSERT INTO powercut VALUES (?, ?, ?)", params![session, number, delta])?;
        let sql = "INSERT INTO powercut_total VALUES (?1, ?2) ON CONFLICT DO UPDATE SET total = total + ?2";
        execute(sql, params![session, delta])?;
        connection.execute_batch("COMMIT")
    };
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let changed = change();
    if changed.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    changed
}

fn rows(connection: &Connection) -> rusqlite::Result<Rows> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let sum = |column: &str, table: &str| {
        number(&format!("SELECT coalesce(sum({column}), 0) FROM {table}"))
    };
    let count = |table: &str| number(&format!("SELECT count(*) FROM {table}"));
    let mut sessions = connection
        .prepare("SELECT session, count(*), max(number) FROM powercut GROUP BY session")?;
    let sessions = sessions.query_map([], |row| {
        let field = |index| row.get::<_, i64>(index).map(|number| number as u64);
        Ok((field(0)?, field(1)?, field(2)?))
    })?;
    Ok(Rows {
        sessions: sessions.collect::<rusqlite::Result<_>>()?,
        sums: [
            sum("delta", "powercut")?,
            sum("delta", "history")?,
            sum("balance", "accounts")?,
            sum("total", "powercut_total")?,
        ],
        rows: [count("powercut")? as u64, count("history")? as u64],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::campaign::JournalMode;

    #[test]
    fn committed_transactions_are_found_and_a_part_of_one_is_not_whole() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("db");
        let sqlite = Sqlite {
            journal_mode: JournalMode::Wal,
            synchronous: Synchronous::Full,
            page_size: 4096,
            rows: 3,
            clients: 2,
            writes: 1.0,
            cache_size: None,
        };
        let connection = Connection::open(&file).unwrap();
        let accounts = "CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER);
             CREATE TABLE history (account INTEGER, delta INTEGER, at INTEGER);
             INSERT INTO accounts VALUES (0, 0), (1, 0), (2, 0);";
        connection.execute_batch(accounts).unwrap();
        let transactions = Transactions { file, sqlite, seed: 3 };
        transactions.make_tables().unwrap();
        for session in 0..2 {
            let mut commit = transactions.open(session, session == 0).unwrap();
            (0..5).for_each(|number| commit(number).unwrap());
        }
        let found = rows(&connection).unwrap().check(&[5, 6]);
        assert_eq!((found.damage.lost, found.damage.corrupt), (1, 0), "{:?}", found.faults);
        assert_eq!(found.first, [5, 5]);
        connection.execute_batch("DELETE FROM history WHERE rowid = 4").unwrap();
        let found = rows(&connection).unwrap().check(&[5, 5]);
        assert_eq!(found.damage.corrupt, 1);
    }
}
