//! A server's settings on the shrunk machine: what sizes a stock is divided by S, everything else is kept.

use super::Server;
use crate::campaign::Sysbench;
use std::collections::BTreeMap;

/// Bytes of a row of sysbench's tables with its secondary index and what pages leave free: measured with MariaDB
/// 10.11.19 and MySQL 9.7.4, a million rows, pages of 16 KiB.
fn row_bytes(server: Server) -> u64 {
    match server {
        Server::Mariadb => 247,
        Server::Mysql => 260,
    }
}

/// There are at least so many rows of all tables for each session. Two sessions that change the same row wait for each
/// other; with fewer rows they would do so more often than on the real server.
const ROWS_PER_SESSION: u64 = 1000;
/// The server's defaults, bytes.
const BUFFER_POOL: u64 = 128 << 20;
const MARIADB_LOG_FILE: u64 = 96 << 20;
const MYSQL_REDO_LOG: u64 = 100 << 20;
/// A buffer pool is not made smaller. The server starts with 5 MiB; each session holds pages while it works.
const LEAST_BUFFER_POOL: u64 = 8 << 20;
/// A redo log is not made smaller: pages are written once a second, and a log has to hold what is logged meanwhile.
const LEAST_LOG_FILE: u64 = 16 << 20;
/// Connections beside the sessions': the trial's own.
const MORE_CONNECTIONS: u32 = 16;
const MIB: u64 = 1 << 20;

/// A database and its server's settings at S.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// Rows of each table.
    pub table_size: u64,
    /// Bytes of the tables.
    pub data: u64,
    /// Bytes of the buffer pool.
    pub buffer_pool: u64,
    /// Bytes of the redo log.
    pub redo: u64,
    /// All settings that differ from the server's defaults, as they stand in my.cnf, without `log_bin`.
    pub settings: BTreeMap<String, String>,
    /// Whether there is a binary log.
    pub binlog: bool,
    /// Settings that are not as the lab states them, or the server's default: name, real value, value at S.
    pub changed: Vec<(String, String, String)>,
}

/// Bytes of all tables with their indexes on the real server.
pub fn data_bytes(sysbench: &Sysbench) -> u64 {
    u64::from(sysbench.tables) * sysbench.table_size * row_bytes(sysbench.server)
}

/// The setting that sizes the redo log, and its default, bytes. MySQL before 8.0.30 has the name of MariaDB.
fn redo_log(sysbench: &Sysbench) -> (&'static str, u64) {
    const FILE: &str = "innodb_log_file_size";
    match sysbench.server {
        Server::Mysql if !sysbench.settings.contains_key(FILE) => {
            ("innodb_redo_log_capacity", MYSQL_REDO_LOG)
        }
        _ => (FILE, MARIADB_LOG_FILE),
    }
}

/// Scales a database and its server.
pub fn scaled(sysbench: &Sysbench, size: f64) -> Scaled {
    let size = size.max(1.0);
    let shrink = |bytes: u64| (bytes as f64 / size) as u64;
    let tables = u64::from(sysbench.tables.max(1));
    let crowd = u64::from(sysbench.threads) * ROWS_PER_SESSION / tables;
    let table_size = shrink(sysbench.table_size).max(crowd).min(sysbench.table_size).max(1);
    let mut settings = sysbench.settings.clone();
    let mut changed = Vec::new();
    let mut set = |name: &str, real: u64, bytes: u64| {
        if bytes != real {
            let stated = settings.get(name).cloned();
            let (real, at) = (format!("{}M", real / MIB), format!("{}M", bytes / MIB));
            changed.push((name.to_owned(), stated.unwrap_or(real), at.clone()));
            settings.insert(name.to_owned(), at);
        }
        bytes
    };
    let stock = |real: u64, least: u64| (shrink(real).max(least) / MIB * MIB).min(real);
    let real = sysbench.number("innodb_buffer_pool_size", BUFFER_POOL);
    let buffer_pool = set("innodb_buffer_pool_size", real, stock(real, LEAST_BUFFER_POOL));
    let (name, default) = redo_log(sysbench);
    let real = sysbench.number(name, default);
    let redo = set(name, real, stock(real, LEAST_LOG_FILE));
    settings.remove("log_bin");
    let connections = sysbench.threads.saturating_add(MORE_CONNECTIONS).max(151);
    settings.entry("max_connections".to_owned()).or_insert_with(|| connections.to_string());
    Scaled {
        table_size,
        data: tables * table_size * row_bytes(sysbench.server),
        buffer_pool,
        redo,
        settings,
        binlog: sysbench.logs_binary(),
        changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(size: f64, settings: &[(&str, &str)]) -> Scaled {
        let sysbench = Sysbench {
            tables: 8,
            table_size: 10_000_000,
            threads: 64,
            settings: settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            ..Sysbench::default()
        };
        scaled(&sysbench, size)
    }

    #[test]
    fn stocks_shrink_and_flows_are_kept() {
        let stated = [
            ("innodb_buffer_pool_size", "4G"),
            ("innodb_log_file_size", "2G"),
            ("innodb_log_buffer_size", "64M"),
            ("innodb_io_capacity", "2000"),
            ("log_bin", "on"),
        ];
        let small = at(10.0, &stated);
        assert_eq!((small.table_size, small.binlog), (1_000_000, true));
        assert_eq!(small.settings["innodb_buffer_pool_size"], "409M");
        assert_eq!(small.settings["innodb_log_file_size"], "204M");
        assert_eq!(small.settings["innodb_log_buffer_size"], "64M");
        assert_eq!(small.settings["innodb_io_capacity"], "2000");
        assert_eq!(small.changed.len(), 2);
        assert!(!small.settings.contains_key("log_bin"), "its place is the trial's");
        let whole = at(1.0, &stated);
        assert_eq!((whole.changed.len(), whole.buffer_pool), (0, 4 << 30));
    }

    #[test]
    fn the_redo_log_of_mysql_has_its_own_name() {
        let of_mysql = |settings: &[(&str, &str)]| {
            let settings = settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
            let settings = settings.collect();
            let sysbench = Sysbench { server: Server::Mysql, settings, ..Sysbench::default() };
            scaled(&sysbench, 4.0)
        };
        let current = of_mysql(&[]);
        assert_eq!(current.settings["innodb_redo_log_capacity"], "25M");
        assert!(current.binlog, "the default");
        let before = of_mysql(&[("innodb_log_file_size", "1G"), ("log_bin", "off")]);
        assert_eq!(before.settings["innodb_log_file_size"], "256M");
        assert!(!before.binlog && !before.settings.contains_key("innodb_redo_log_capacity"));
    }

    #[test]
    fn neither_log_nor_rows_become_so_few_that_sessions_wait_for_them() {
        let small = at(1000.0, &[]);
        assert_eq!(small.table_size, 10_000);
        assert_eq!((small.redo >> 20, small.buffer_pool >> 20), (16, 8));
        // What the lab itself states is never exceeded.
        let own = at(4.0, &[("innodb_log_file_size", "8M")]);
        assert_eq!(own.redo >> 20, 8);
    }
}
