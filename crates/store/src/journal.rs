//! The journal: one row for each attempt at a trial, written before it begins and after it ends.

use crate::Error;
use findings::record::{Outcome, Trial};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the journal knows of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has begun; after a kill this is what stays, and it does not count.
    Begun,
    /// It ran to its end and its record is complete.
    Measured,
    /// It did not, and its reason is recorded.
    Failed,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Begun => "begun",
            State::Measured => "measured",
            State::Failed => "failed",
        }
    }
}

/// An attempt at a trial that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The trial's id: its place in the schedule.
    pub trial: u64,
    /// Which attempt at it, from 1.
    pub number: u32,
}

/// The journal of a campaign.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    connection: Connection,
}

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS attempts (
    trial    INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    variant  TEXT    NOT NULL,
    workload TEXT    NOT NULL,
    repeat   INTEGER NOT NULL,
    seed     TEXT    NOT NULL,
    started  TEXT    NOT NULL,
    state    TEXT    NOT NULL CHECK (state IN ('begun', 'measured', 'failed')),
    wall_s   REAL,
    record   TEXT,
    PRIMARY KEY (trial, attempt),
    CHECK ((state = 'begun') = (record IS NULL))
);";

/// How long a reader or writer waits for another.
const BUSY: Duration = Duration::from_secs(10);

/// A path as SQLite's URI, whatever bytes it has.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02x}"));
        }
    }
    uri
}

impl Journal {
    /// Opens the journal, making it where there is none.
    ///
    /// # Errors
    /// [`Error::Journal`] when the file is not a journal or cannot be written.
    pub fn open(path: &Path) -> Result<Journal, Error> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(BUSY)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            // A row must be there after a power cut too: trials are few and dear.
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        Self::of(path, open())
    }

    fn of(path: &Path, opened: rusqlite::Result<Connection>) -> Result<Journal, Error> {
        let path = path.to_owned();
        match opened {
            Ok(connection) => Ok(Journal { path, connection }),
            Err(source) => Err(Error::Journal { path, source }),
        }
    }

    /// Opens a journal for reading, also where nothing may be written.
    ///
    /// # Errors
    /// [`Error::Journal`] when the file is not a journal or cannot be read.
    pub fn read(path: &Path) -> Result<Journal, Error> {
        let open = |name: &Path, how: OpenFlags| -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | how;
            let connection = Connection::open_with_flags(name, flags)?;
            connection.busy_timeout(BUSY)?;
            // Opening alone does not look at the file.
            connection.query_row("SELECT count(*) FROM attempts", [], |_| Ok(()))?;
            Ok(connection)
        };
        // A reader of a journal in WAL mode makes files beside it, unless it takes for granted that
        // nobody writes: whoever may write there made them.
        let opened =
            open(path, OpenFlags::empty()).or_else(|refused| match refused.sqlite_error_code() {
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => {
                    let alone = format!("{}?immutable=1", uri(path));
                    open(Path::new(&alone), OpenFlags::SQLITE_OPEN_URI)
                }
                _ => Err(refused),
            });
        Self::of(path, opened)
    }

    fn fault(&self) -> impl Fn(rusqlite::Error) -> Error + '_ {
        |source| Error::Journal {
            path: self.path.clone(),
            source,
        }
    }

    fn content(&self) -> impl Fn(serde_json::Error) -> Error + '_ {
        |source| Error::Content {
            path: self.path.clone(),
            source,
        }
    }

    /// Writes down that an attempt begins. Of `trial` only its identity is used.
    ///
    /// # Errors
    /// [`Error::Journal`] when the row cannot be written.
    pub fn begin(&self, trial: &Trial) -> Result<Attempt, Error> {
        let last: Option<u32> = self
            .connection
            .query_row(
                "SELECT max(attempt) FROM attempts WHERE trial = ?1",
                [trial.id as i64],
                |row| row.get(0),
            )
            .map_err(self.fault())?;
        let number = last.unwrap_or(0) + 1;
        self.connection
            .execute(
                "INSERT INTO attempts (trial, attempt, variant, workload, repeat, seed, started, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'begun')",
                params![
                    trial.id as i64,
                    number,
                    trial.variant,
                    trial.workload,
                    trial.repeat,
                    trial.seed.to_string(),
                    trial.started,
                ],
            )
            .map_err(self.fault())?;
        Ok(Attempt {
            trial: trial.id,
            number,
        })
    }

    /// Completes the row of an attempt with its record.
    ///
    /// # Errors
    /// [`Error::Journal`] when the row cannot be written.
    pub fn finish(&self, attempt: &Attempt, trial: &Trial) -> Result<(), Error> {
        let state = match trial.outcome {
            Outcome::Measured(_) => State::Measured,
            Outcome::Failed { .. } => State::Failed,
        };
        let record = serde_json::to_string(trial).map_err(self.content())?;
        self.connection
            .execute(
                "UPDATE attempts SET state = ?3, wall_s = ?4, record = ?5 WHERE trial = ?1 AND attempt = ?2",
                params![
                    attempt.trial as i64,
                    attempt.number,
                    state.name(),
                    trial.wall_s,
                    record
                ],
            )
            .map_err(self.fault())?;
        Ok(())
    }

    /// The record of every trial, by id: a measured attempt where there is one, else the last
    /// failed one. Attempts that were cut short are not among them.
    ///
    /// # Errors
    /// [`Error::Journal`] or [`Error::Content`] when a row cannot be read.
    pub fn trials(&self) -> Result<Vec<Trial>, Error> {
        let mut statement = self
            .connection
            .prepare(
                "SELECT record FROM attempts a WHERE state <> 'begun' AND attempt = (
                     SELECT attempt FROM attempts b WHERE b.trial = a.trial AND b.state <> 'begun'
                     ORDER BY state = 'measured' DESC, attempt DESC LIMIT 1)
                 ORDER BY trial",
            )
            .map_err(self.fault())?;
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .map_err(self.fault())?;
        let mut trials = Vec::new();
        for row in rows {
            let record = row.map_err(self.fault())?;
            trials.push(serde_json::from_str(&record).map_err(self.content())?);
        }
        Ok(trials)
    }

    /// Wall seconds that finished attempts have taken together, failed ones included.
    ///
    /// # Errors
    /// [`Error::Journal`] when the rows cannot be read.
    pub fn wall_s(&self) -> Result<f64, Error> {
        let sum: Option<Option<f64>> = self
            .connection
            .query_row("SELECT sum(wall_s) FROM attempts", [], |row| row.get(0))
            .optional()
            .map_err(self.fault())?;
        Ok(sum.flatten().unwrap_or(0.0))
    }

    /// How many attempts are in a state.
    ///
    /// # Errors
    /// [`Error::Journal`] when the rows cannot be read.
    pub fn count(&self, state: State) -> Result<u64, Error> {
        let count: i64 = self
            .connection
            .query_row(
                "SELECT count(*) FROM attempts WHERE state = ?1",
                [state.name()],
                |row| row.get(0),
            )
            .map_err(self.fault())?;
        Ok(count as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::uri;
    use std::path::Path;

    #[test]
    fn what_means_something_in_a_uri_is_written_as_its_bytes() {
        let path = Path::new("/a b/50%?/c#d/é.sqlite");
        assert_eq!(uri(path), "file:/a%20b/50%25%3f/c%23d/%c3%a9.sqlite");
    }
}
