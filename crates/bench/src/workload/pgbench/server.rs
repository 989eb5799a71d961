//! The server for work that is no trial: who uses these runs them in an order of his own.

use super::{Client, SOCKET};
use crate::error::Error;
use crate::workload::database;
use machine::script::{Command, Step};

impl Client {
    /// Starts the server with options of `postgres` on top of the lab's settings, after recovery where it needs
    /// one. Its log is in `output`.
    pub fn start_with(&self, options: &str, output: &str) -> Vec<Step> {
        let start = match options {
            "" => self.pg_ctl(&["start"], output),
            options => self.pg_ctl(&["-o", options, "start"], output),
        };
        vec![database::directory(SOCKET), Step::Run(start)]
    }

    /// Ends the server in one of pg_ctl's modes.
    pub fn stop_with(&self, mode: &str) -> Command {
        self.pg_ctl(&["-m", mode, "stop"], "stop.out")
    }

    /// A session that reads statements from its standard input.
    pub fn session(&self) -> Command {
        let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", "postgres"];
        self.client("psql", &words)
    }

    /// Runs statements; what they print is in `output`.
    pub fn statements(&self, sql: &str, output: &str) -> Command {
        let mut command = self.session().output(output);
        command.argv.extend(["-c", sql].map(str::to_owned));
        command
    }

    /// That its checker of tables is installed, so that what it reports is damage.
    ///
    /// # Errors
    /// [`Error::Environment`] with the versions that have it.
    pub fn has_amcheck(&self) -> Result<(), Error> {
        let found = which::which(self.server.program("pg_amcheck"));
        found.map(drop).map_err(|_| {
            Error::Environment(format!(
                "{} has no pg_amcheck, which checks tables and indexes after a power cut: use PostgreSQL 14 or later",
                self.server.version
            ))
        })
    }

    /// Checks every table against its indexes, with the extension amcheck of the database.
    pub fn amcheck(&self, output: &str) -> Command {
        let words = ["--heapallindexed", "-d", "postgres"];
        self.client("pg_amcheck", &words).output(output)
    }

    /// Sessions of the lab.
    pub fn sessions(&self) -> u32 {
        self.pgbench.clients
    }

    /// Rows of `pgbench_accounts`, and of `pgbench_tellers`.
    pub fn rows(&self) -> (u64, u64) {
        (self.at.accounts, 10 * u64::from(self.at.branches))
    }
}
