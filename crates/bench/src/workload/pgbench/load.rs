//! The database before it is worked on: its places, tables and settings.

use super::accounts::VERB;
use crate::workload::database;
use lab::campaign::Directories;
use lab::postgresql::Scaled;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Settings while the tables are filled. Tables that a transaction makes are not logged under
/// `wal_level=minimal`; everything is written out before the server stops.
pub const HURRIED: [&str; 7] = [
    "fsync=off", "wal_level=minimal", "max_wal_senders=0", "full_page_writes=off",
    "autovacuum=off", "checkpoint_timeout=1d", "maintenance_work_mem=256MB",
];

/// Asks for every setting as the server runs it.
pub const SETTINGS: &str =
    "SELECT name, current_setting(name) AS value, source FROM pg_settings ORDER BY name";
/// Asks for settings that the server did not take.
pub const REFUSED: &str = "SELECT name || ' = ' || setting || ': ' || coalesce(error, 'not applied') \
     FROM pg_file_settings WHERE NOT applied";

/// Where the database is inside the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The data directory.
    pub data: PathBuf,
    /// The log's; none for within the data directory.
    pub wal: Option<PathBuf>,
    /// The tables' tablespace.
    pub tables: Option<PathBuf>,
    /// The indexes' tablespace.
    pub indexes: Option<PathBuf>,
}

impl Places {
    /// Below the mounted root: a directory of its own for each, since datasets may be shared.
    pub fn below(directories: &Directories, mount: &Path) -> Places {
        let at = |dataset: &str, name: &str| database::place(mount, dataset, name);
        let of = |dataset: &Option<String>, name: &str| dataset.as_ref().map(|d| at(d, name));
        Places {
            data: at(&directories.data, "postgresql-data"),
            wal: of(&directories.wal, "postgresql-wal"),
            tables: of(&directories.tables, "postgresql-tables"),
            indexes: of(&directories.indexes, "postgresql-indexes"),
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let others = [&self.wal, &self.tables, &self.indexes];
        std::iter::once(&self.data).chain(others.into_iter().flatten())
    }
}

/// postgresql.conf.
pub fn conf(at: &Scaled, socket: &str) -> String {
    let mut text = format!("listen_addresses = ''\nunix_socket_directories = '{socket}'\n");
    for (name, value) in &at.settings {
        let quoted = value.replace('\\', "\\\\").replace('\'', "''");
        let _ = writeln!(text, "{name} = '{quoted}'");
    }
    text
}

/// Bytes of the filler in a row of accounts.
const FILLER: f64 = 84.0;

/// Makes and fills pgbench's tables, as `pgbench -i` does, for psql, with as many rows of each as there are at S.
/// `random_filler` is the share of the accounts' fillers that is random, 0 to 1; none for 0.
pub fn sql(at: &Scaled, random_filler: Option<f64>, places: &Places) -> String {
    let mut text = String::new();
    let mut space = |name: &str, path: &Option<PathBuf>, clause: &str| match path {
        None => String::new(),
        Some(path) => {
            let _ = writeln!(text, "CREATE TABLESPACE {name} LOCATION '{}';", path.display());
            format!(" {clause} {name}")
        }
    };
    let tables = space("tables", &places.tables, "TABLESPACE");
    let indexes = space("indexes", &places.indexes, "USING INDEX TABLESPACE");
    let branches = at.branches;
    let tellers = 10 * u64::from(branches);
    let accounts = at.accounts;
    let random = (random_filler.unwrap_or(0.0) * FILLER).round() as u32;
    let _ = write!(
        text,
        "BEGIN;
CREATE TABLE pgbench_history(tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)){tables};
CREATE TABLE pgbench_tellers(tid int NOT NULL, bid int, tbalance int, filler char(84)){tables};
CREATE TABLE pgbench_accounts(aid int NOT NULL, bid int, abalance int, filler char(84)){tables};
CREATE TABLE pgbench_branches(bid int NOT NULL, bbalance int, filler char(88)){tables};
INSERT INTO pgbench_branches(bid, bbalance) SELECT n, 0 FROM generate_series(1, {branches}) AS n;
INSERT INTO pgbench_tellers(tid, bid, tbalance) SELECT n, (n - 1) / 10 + 1, 0 FROM generate_series(1, {tellers}) AS n;
\\copy pgbench_accounts from program '/proc/1/exe {VERB} {accounts} {random}' with (freeze)
ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid){indexes};
ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid){indexes};
ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid){indexes};
COMMIT;
VACUUM (FREEZE, ANALYZE) pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history;
CHECKPOINT;
"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::campaign::Pgbench;
    use lab::postgresql::scaled;

    #[test]
    fn settings_are_quoted_for_the_server() {
        let pgbench = Pgbench {
            scale: 1,
            clients: 1,
            settings: [("search_path".to_owned(), "it's".to_owned())].into(),
            ..Pgbench::default()
        };
        let text = conf(&scaled(&pgbench, 1.0), "/run/x");
        assert!(text.contains("search_path = 'it''s'\n"), "{text}");
    }

    #[test]
    fn each_place_is_a_directory_of_its_own() {
        let directories = Directories {
            data: "pg".into(),
            wal: Some("pg".into()),
            tables: None,
            indexes: Some("fast".into()),
        };
        let places = Places::below(&directories, Path::new("/p"));
        let all: Vec<_> = places.all().map(|path| path.display().to_string()).collect();
        assert_eq!(
            all,
            ["/p/pg/postgresql-data", "/p/pg/postgresql-wal", "/p/fast/postgresql-indexes"]
        );
        let pgbench = Pgbench { scale: 3, clients: 1, ..Pgbench::default() };
        let text = sql(&scaled(&pgbench, 1.0), None, &places);
        assert!(text.contains("PRIMARY KEY (aid) USING INDEX TABLESPACE indexes;"));
        assert!(text.contains("/proc/1/exe machine-pgbench-accounts 300000 0'"), "{text}");
        let random = sql(&scaled(&pgbench, 1.0), Some(0.5), &places);
        assert!(random.contains("machine-pgbench-accounts 300000 42'"), "{random}");
    }
}
