//! The database before it is worked on: its places, tables and settings.

use crate::workload::database;
use lab::campaign::{MysqlDirectories, Sysbench};
use lab::mysql::{Scaled, Server};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Settings while the tables are filled. Everything is written out, and nothing is left to be purged or merged, before
/// the server stops; it does not remember which pages its buffer pool held.
pub const HURRIED: [&str; 5] = [
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-fast-shutdown=0",
    "--innodb-buffer-pool-dump-at-shutdown=0",
];

/// Settings that decide what is in the files when the tables have been filled.
const OF_FILES: [&str; 16] = [
    "character_set_server", "collation_server", "innodb_checksum_algorithm",
    "innodb_compression_algorithm", "innodb_compression_default", "innodb_compression_level",
    "innodb_data_file_path", "innodb_default_row_format", "innodb_file_per_table",
    "innodb_fill_factor", "innodb_log_file_size", "innodb_log_files_in_group", "innodb_page_size",
    "innodb_redo_log_capacity", "innodb_undo_tablespaces", "lower_case_table_names",
];

/// Those of some settings that decide what is in the files.
pub fn of_files(settings: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let kept = settings.iter().filter(|(name, _)| OF_FILES.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Asks for every setting as the server runs it.
pub const SETTINGS: &str = "SHOW GLOBAL VARIABLES";
/// Asks for the server's counters.
pub const STATUS: &str = "SHOW GLOBAL STATUS";

/// Where the database is inside the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The data directory.
    pub data: PathBuf,
    /// Temporary files of sorts, beside it.
    pub temporary: PathBuf,
    /// The redo log; none for within the data directory.
    pub redo: Option<PathBuf>,
    /// The binary log; none for within the data directory.
    pub binlog: Option<PathBuf>,
}

impl Places {
    /// Below the mounted root.
    pub fn below(directories: &MysqlDirectories, mount: &Path) -> Places {
        let at = |dataset: &str, name: &str| database::place(mount, dataset, name);
        let of = |dataset: &Option<String>, name: &str| dataset.as_ref().map(|d| at(d, name));
        Places {
            data: at(&directories.data, "mysql-data"),
            temporary: at(&directories.data, "mysql-temporary"),
            redo: of(&directories.redo, "mysql-redo"),
            binlog: of(&directories.binlog, "mysql-binlog"),
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let others = [&self.redo, &self.binlog].into_iter().flatten();
        [&self.data, &self.temporary].into_iter().chain(others)
    }
}

/// my.cnf: the lab's settings at S, and those of the trial.
pub fn conf(server: Server, at: &Scaled, places: &Places, socket: &str) -> String {
    let mut text = "[mysqld]\n".to_owned();
    let mut add = |name: &str, value: &str| {
        let _ = writeln!(text, "{name} = {value}");
    };
    for (name, value) in &at.settings {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        add(name, &format!("\"{quoted}\""));
    }
    add("datadir", &places.data.to_string_lossy());
    add("tmpdir", &places.temporary.to_string_lossy());
    if let Some(redo) = &places.redo {
        add("innodb_log_group_home_dir", &redo.to_string_lossy());
    }
    if at.binlog {
        let directory = places.binlog.as_ref().unwrap_or(&places.data);
        add("log_bin", &directory.join("binlog").to_string_lossy());
    }
    if server == Server::Mysql {
        add("mysqlx", "off");
        add("secure_file_priv", "\"\"");
    }
    add("skip_networking", "on");
    add("socket", &format!("{socket}/socket"));
    add("pid_file", &format!("{socket}/pid"));
    if server.logs_binary() && !at.binlog {
        text.push_str("skip_log_bin\n");
    }
    text
}

/// So many groups of eleven digits at random, with dashes between them.
fn digits(groups: usize) -> String {
    let all = vec!["LPAD(FLOOR(RAND()*1e11),11,'0')"; groups];
    format!("CONCAT_WS('-',{})", all.join(","))
}

/// Makes and fills sysbench's tables as `sysbench prepare` does, each with one statement inside the server: a statement
/// of sysbench's own costs system calls for each half megabyte. `k` is uniform, whatever `rand_type` is.
pub fn sql(sysbench: &Sysbench, at: &Scaled) -> String {
    let mut text = "CREATE DATABASE sbtest;\nUSE sbtest;\n\
        SET rand_seed1 = 271828182, rand_seed2 = 314159265;\n"
        .to_owned();
    let rows = at.table_size;
    let numbers = match sysbench.server {
        Server::Mariadb => format!("seq_1_to_{rows}"),
        Server::Mysql => {
            let _ = writeln!(text, "SET cte_max_recursion_depth = {rows};");
            format!(
                "(WITH RECURSIVE numbers (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers \
                 WHERE seq < {rows}) SELECT seq FROM numbers) AS numbers"
            )
        }
    };
    for table in 1..=sysbench.tables {
        let _ = write!(
            text,
            "CREATE TABLE sbtest{table} (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, \
             c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) ENGINE = InnoDB;\n\
             INSERT INTO sbtest{table} SELECT seq, FLOOR(1 + RAND() * {rows}), {c}, {pad} FROM {numbers};\n\
             CREATE INDEX k_{table} ON sbtest{table}(k);\n",
            c = digits(10),
            pad = digits(5),
        );
    }
    text.push_str("ANALYZE TABLE");
    for table in 1..=sysbench.tables {
        let _ = write!(text, "{} sbtest{table}", if table == 1 { "" } else { "," });
    }
    text.push_str(";\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::mysql::scaled;

    fn sysbench(settings: &[(&str, &str)]) -> Sysbench {
        Sysbench {
            tables: 2,
            table_size: 1000,
            threads: 1,
            settings: settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            directories: MysqlDirectories {
                data: "db".into(),
                redo: Some("db".into()),
                binlog: None,
            },
            ..Sysbench::default()
        }
    }

    #[test]
    fn the_trial_s_own_settings_stand_beside_the_lab_s() {
        let sysbench = sysbench(&[("log_bin", "on"), ("init_connect", "SET @a = \"b\"")]);
        let places = Places::below(&sysbench.directories, Path::new("/p"));
        let text = conf(Server::Mariadb, &scaled(&sysbench, 1.0), &places, "/run/mysql");
        assert!(text.contains("init_connect = \"SET @a = \\\"b\\\"\"\n"), "{text}");
        assert!(text.contains("log_bin = /p/db/mysql-data/binlog\n"), "{text}");
        assert!(text.contains("innodb_log_group_home_dir = /p/db/mysql-redo\n"), "{text}");
        let off = conf(Server::Mariadb, &scaled(&self::sysbench(&[]), 1.0), &places, "/run/mysql");
        assert!(!off.contains("log_bin"), "the server writes none unless the lab says so: {off}");
    }

    #[test]
    fn mysql_writes_a_binary_log_unless_the_lab_says_no() {
        let conf = |settings: &[(&str, &str)]| {
            let sysbench = Sysbench { server: Server::Mysql, ..sysbench(settings) };
            let places = Places::below(&sysbench.directories, Path::new("/p"));
            super::conf(Server::Mysql, &scaled(&sysbench, 1.0), &places, "/run/mysql")
        };
        let by_default = conf(&[]);
        assert!(by_default.contains("log_bin = /p/db/mysql-data/binlog\n"), "{by_default}");
        assert!(by_default.contains("mysqlx = off\n"), "no other socket: {by_default}");
        let off = conf(&[("log_bin", "off")]);
        assert!(off.ends_with("skip_log_bin\n") && !off.contains("log_bin ="), "{off}");
    }

    #[test]
    fn every_table_is_filled_with_the_rows_at_s() {
        let sysbench = sysbench(&[]);
        let text = sql(&sysbench, &scaled(&sysbench, 1.0));
        assert_eq!(text.matches("FROM seq_1_to_1000;").count(), 2);
        assert!(text.ends_with("ANALYZE TABLE sbtest1, sbtest2;\n"), "{text}");
        let text = sql(
            &Sysbench { server: Server::Mysql, ..sysbench },
            &scaled(&self::sysbench(&[]), 1.0),
        );
        assert!(text.contains("cte_max_recursion_depth = 1000"), "{text}");
        assert_eq!(text.matches("WHERE seq < 1000").count(), 2);
    }
}
