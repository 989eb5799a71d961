//! Workloads: a client program with its settings.

use super::{PgTestFsync, Pgbench, Sqlite, Sysbench, Variant};
use serde::{Deserialize, Serialize};

/// A client program with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The dataset it runs in; `""` is the root.
    pub dataset: String,
    /// What runs.
    pub program: Program,
    /// Working set, bytes of the real server; replaces the job file's own sizes (`[workloads.x] size =
    /// "160G"`).
    pub size: Option<u64>,
    /// The open-loop ladder that is run after the closed loop, if the lab has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
}

impl Workload {
    /// The datasets that it works in.
    pub fn datasets(&self) -> Vec<&str> {
        let of_server: Vec<&str> = match &self.program {
            Program::Pgbench(pgbench) => pgbench.directories.all().map(|(_, name)| name).collect(),
            Program::Sysbench(sysbench) => {
                sysbench.directories.all().map(|(_, name)| name).collect()
            }
            Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => Vec::new(),
        };
        std::iter::once(self.dataset.as_str()).chain(of_server).collect()
    }

    /// The workload as it runs on a variant, whose settings replace those of its server.
    pub fn on(&self, variant: &Variant) -> Workload {
        let mut workload = self.clone();
        let (server, settings) = match &mut workload.program {
            Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => return workload,
            Program::Pgbench(pgbench) => ("postgresql", &mut pgbench.settings),
            Program::Sysbench(sysbench) => (sysbench.server.section(), &mut sysbench.settings),
        };
        settings.extend(
            variant.servers.get(server).into_iter().flatten().map(|(n, v)| (n.clone(), v.clone())),
        );
        workload
    }
}

/// Operations a second that all jobs of a workload together begin, at random times,
/// whether earlier ones have ended or not. Times are virtual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rates {
    /// Preferred numbers, six a decade, from a tenth of what the closed loop reached.
    Auto,
    /// These rates, ascending.
    Stated(Vec<f64>),
}

/// The programs that can be clients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// fio, with the text of its job file.
    Fio {
        /// Where the text came from, for messages; `<lab>` for an inline job.
        origin: String,
        /// The job file as written.
        job: String,
    },
    /// pgbench, with a PostgreSQL server of its own.
    Pgbench(Box<Pgbench>),
    /// sysbench, with a MariaDB or MySQL server of its own.
    Sysbench(Box<Sysbench>),
    /// pg_test_fsync.
    #[serde(rename = "pg_test_fsync")]
    PgTestFsync(PgTestFsync),
    /// SQLite.
    Sqlite(Sqlite),
}

impl Program {
    /// The program's name.
    pub fn name(&self) -> &'static str {
        match self {
            Program::Fio { .. } => "fio",
            Program::Pgbench(_) => "pgbench",
            Program::Sysbench(_) => "sysbench",
            Program::PgTestFsync(_) => "pg_test_fsync",
            Program::Sqlite(_) => "sqlite",
        }
    }

    /// The section with the settings of its database server, where it has one.
    pub fn server_section(&self) -> Option<&'static str> {
        match self {
            Program::Pgbench(_) => Some("postgresql"),
            Program::Sysbench(sysbench) => Some(sysbench.server.section()),
            Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => None,
        }
    }

    /// What the program runs: the path of a job file, the names of scripts, a test, or settings.
    pub fn runs(&self) -> String {
        match self {
            Program::Fio { origin, .. } => origin.clone(),
            Program::Pgbench(pgbench) => {
                let names = pgbench.scripts.iter().map(|script| script.name.as_str());
                names.collect::<Vec<_>>().join(" + ")
            }
            Program::Sysbench(sysbench) => sysbench.script.clone(),
            Program::PgTestFsync(test) => test.compared(),
            Program::Sqlite(sqlite) => sqlite.settings(),
        }
    }
}
