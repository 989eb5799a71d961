//! The server for work that is no trial: who uses these runs them in an order of his own.

use super::Client;
use lab::mysql::Server;
use machine::script::{Command, Step};

impl Client {
    /// Starts the server with options on top of the lab's settings, and waits until it takes connections.
    /// Its log is in `output.err`.
    pub fn start_with(&self, options: &[&str], output: &str) -> Vec<Step> {
        self.serve(self.conf(), options, output)
    }

    /// The same without options, and without waiting.
    pub fn start_at_once(&self, output: &str) -> Vec<Step> {
        self.launch(self.conf(), &[], output)
    }

    /// Succeeds when the server takes connections. The client's own `--wait` looks every five seconds.
    pub fn takes_connections(&self) -> Command {
        self.ping(&[])
    }

    /// A session in sysbench's database that reads statements from its standard input and ends at the first error.
    pub fn session(&self) -> Command {
        self.client(&self.server.shell(), &["-N", "-B", "--unbuffered", "-D", "sbtest"])
    }

    /// Which server it is.
    pub fn family(&self) -> Server {
        self.server.family
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
