//! sysbench with a MariaDB or MySQL server of its own.

use crate::mysql::Server;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// sysbench and its server, as on the real server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sysbench {
    /// The server.
    #[serde(default, skip_serializing_if = "is_mariadb")]
    pub server: Server,
    /// The script: `oltp_read_write`.
    pub script: String,
    /// Tables.
    pub tables: u32,
    /// Rows of each.
    pub table_size: u64,
    /// Sessions (`--threads`).
    pub threads: u32,
    /// Options of sysbench and of the script by their own names: `rand_type`, `point_selects`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Transactions that all sessions together begin in a second (`--rate`); none: each begins the next at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Version of the server as major × 100 + minor (1011); none for the one that is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The server's settings by their own names.
    pub settings: BTreeMap<String, String>,
    /// Where the database is.
    pub directories: MysqlDirectories,
}

fn is_mariadb(server: &Server) -> bool {
    *server == Server::Mariadb
}

/// Datasets of a MariaDB or MySQL server, by name; `""` is the root.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MysqlDirectories {
    /// The data directory, with the doublewrite buffer.
    pub data: String,
    /// The redo log; none for within the data directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo: Option<String>,
    /// The binary log; none for within the data directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binlog: Option<String>,
}

impl MysqlDirectories {
    /// Each with its key in a lab.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let stated = [
            ("data", Some(self.data.as_str())),
            ("redo", self.redo.as_deref()),
            ("binlog", self.binlog.as_deref()),
        ];
        stated.into_iter().filter_map(|(key, dataset)| Some((key, dataset?)))
    }
}

/// A script that sysbench 1.0 brings.
#[derive(Debug, Clone, Copy)]
pub struct SysbenchScript {
    /// Its name.
    pub name: &'static str,
    /// Whether its transactions change something.
    pub writes: bool,
    /// Statements of a transaction with the default options (`sysbench SCRIPT run`: queries by transactions).
    pub statements: u32,
}

/// The scripts, the default first.
pub const SYSBENCH_SCRIPTS: [SysbenchScript; 9] = [
    SysbenchScript { name: "oltp_read_write", writes: true, statements: 20 },
    SysbenchScript { name: "oltp_write_only", writes: true, statements: 6 },
    SysbenchScript { name: "oltp_read_only", writes: false, statements: 16 },
    SysbenchScript { name: "oltp_point_select", writes: false, statements: 1 },
    SysbenchScript { name: "oltp_update_index", writes: true, statements: 1 },
    SysbenchScript { name: "oltp_update_non_index", writes: true, statements: 1 },
    SysbenchScript { name: "oltp_insert", writes: true, statements: 1 },
    SysbenchScript { name: "select_random_points", writes: false, statements: 1 },
    SysbenchScript { name: "select_random_ranges", writes: false, statements: 1 },
];

impl Sysbench {
    fn known_script(&self) -> &SysbenchScript {
        let found = SYSBENCH_SCRIPTS.iter().find(|script| script.name == self.script);
        found.unwrap_or(&SYSBENCH_SCRIPTS[0])
    }

    /// Whether its transactions change something.
    pub fn writes(&self) -> bool {
        self.known_script().writes
    }

    /// Statements of a transaction with the default options.
    pub fn statements(&self) -> u32 {
        self.known_script().statements
    }
}

/// What an option of sysbench may be.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// A whole number from the first to the second.
    Count(i64, i64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// On or off.
    Switch,
    /// One of these.
    Words(&'static [&'static str]),
}

const MANY: OptionKind = OptionKind::Count(0, 1000);

/// sysbench 1.0.20's options of random numbers and statements, and those of its scripts.
pub const SYSBENCH_OPTIONS: [(&str, OptionKind); 17] = [
    ("db_ps_mode", OptionKind::Words(&["auto", "disable"])),
    ("rand_type", OptionKind::Words(&["uniform", "gaussian", "special", "pareto"])),
    ("rand_spec_iter", OptionKind::Count(1, 1000)),
    ("rand_spec_pct", OptionKind::Count(0, 100)),
    ("rand_spec_res", OptionKind::Count(0, 100)),
    ("rand_pareto_h", OptionKind::Number(0.0, 1.0)),
    ("point_selects", MANY),
    ("simple_ranges", MANY),
    ("sum_ranges", MANY),
    ("order_ranges", MANY),
    ("distinct_ranges", MANY),
    ("index_updates", MANY),
    ("non_index_updates", MANY),
    ("delete_inserts", MANY),
    ("range_size", OptionKind::Count(1, 1_000_000)),
    ("range_selects", OptionKind::Switch),
    ("skip_trx", OptionKind::Switch),
];
