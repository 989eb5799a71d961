//! The server for work that is no trial: who uses these runs them in an order of his own.

use super::{Client, SOCKET, load};
use machine::script::{Command, Step};

impl Client {
    /// Starts the server with options of `mariadbd` on top of the lab's settings, and waits until it takes connections.
    /// Its log is in `output.err`.
    pub fn start_with(&self, options: &[&str], output: &str) -> Vec<Step> {
        self.serve(load::conf(&self.at, &self.places, SOCKET), options, output)
    }

    /// The same without options, and without waiting.
    pub fn start_at_once(&self, output: &str) -> Vec<Step> {
        self.launch(load::conf(&self.at, &self.places, SOCKET), &[], output)
    }

    /// Succeeds when the server takes connections. `mariadb-admin --wait` looks every five seconds.
    pub fn takes_connections(&self) -> Command {
        self.ping(&[])
    }

    /// A session in sysbench's database that reads statements from its standard input and ends at the first error.
    pub fn session(&self) -> Command {
        self.client("mariadb", &["-N", "-B", "--unbuffered", "-D", "sbtest"])
    }

    /// Sessions of the lab.
    pub fn sessions(&self) -> u32 {
        self.sysbench.threads
    }

    /// Rows of each of sysbench's tables.
    pub fn rows(&self) -> u64 {
        self.at.table_size
    }
}
