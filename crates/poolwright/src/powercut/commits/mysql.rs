//! Transactions of MariaDB or MySQL, in the first table of sysbench and three more.

use super::{Commits, Database, Dialect, FOUND, INTEGRITY, SERVER, Written};
use crate::powercut::work::Work;
use bench::workload::sysbench::Client;

/// Options of a server that syncs nothing, neither for a commit nor for the page that it writes after its redo log.
const CONTROL: [&str; 3] =
    ["--innodb-flush-method=nosync", "--innodb-flush-log-at-trx-commit=0", "--sync-binlog=0"];

/// The tables with each transaction, the sum of each session, and the sum of `k` before the first.
const TABLES: &str = "USE sbtest; \
     CREATE TABLE powercut (session INT, number BIGINT, delta BIGINT, PRIMARY KEY (session, number)) ENGINE = InnoDB; \
     CREATE TABLE powercut_history (id BIGINT AUTO_INCREMENT PRIMARY KEY, delta BIGINT, pad CHAR(100)) ENGINE = InnoDB; \
     CREATE TABLE powercut_total (session INT PRIMARY KEY, total BIGINT) ENGINE = InnoDB; \
     CREATE TABLE powercut_base ENGINE = InnoDB SELECT SUM(k) AS k FROM sbtest1;";

/// Prints [`super::Rows`].
const QUERY: &str = include_str!("mysql.sql");

/// Bytes of cache for each row of sysbench's table and its index entry, of about 250 bytes together, while the tables
/// are checked.
const CACHE_PER_ROW: u64 = 512;
/// Most bytes of it: the machine has memory for the lab's cache.
const MOST_CACHE: u64 = 256 << 20;

/// Checks the tables. Each entry of an index is looked up in its table: with a cache smaller than the table nearly each
/// one would read a page again.
fn check(rows: u64) -> String {
    let cache = rows.saturating_mul(CACHE_PER_ROW).min(MOST_CACHE);
    format!(
        "SET GLOBAL innodb_buffer_pool_size = GREATEST(@@innodb_buffer_pool_size, {cache}); \
         USE sbtest; CHECK TABLE sbtest1, powercut, powercut_history, powercut_total EXTENDED"
    )
}

/// The server of a sysbench workload.
pub fn database(client: Client, seed: u64) -> Database {
    Database {
        work: Work::Commits(Box::new(Commits {
            sessions: client.sysbench.threads as usize,
            seed,
            dialect: Dialect::Mysql { server: client.server.family, rows: client.at.table_size },
            session: client.session(),
            start: client.launch(client.conf(), &[], SERVER),
            ready: Some(client.ping(&[])),
            stop: client.shut_down(),
            query: client.statements(QUERY, FOUND),
            integrity: client.statements(&check(client.at.table_size), INTEGRITY),
        })),
        start: client.serve(client.conf(), &[], SERVER),
        control: client.serve(client.conf(), &CONTROL, SERVER),
        written: Written::MysqlCommits,
        tables: client.statements(TABLES, "table.out"),
        client: Box::new(client),
    }
}

/// The SQL of a transaction, and a row that reports its commit. Sessions lock one row of `sbtest1` each and no other
/// row that is shared, so that none waits for two.
pub fn transaction(session: usize, number: u64, random: u64, rows: u64) -> String {
    let (row, delta) = (random % rows + 1, random >> 52 | 1);
    format!(
        "START TRANSACTION; UPDATE sbtest1 SET k = k + {delta} WHERE id = {row}; \
         INSERT INTO powercut_total VALUES ({session}, {delta}) ON DUPLICATE KEY UPDATE total = total + {delta}; \
         INSERT INTO powercut_history (delta, pad) VALUES ({delta}, REPEAT('x', 100)); \
         INSERT INTO powercut VALUES ({session}, {number}, {delta}); COMMIT; SELECT {number};\n"
    )
}

/// What CHECK TABLE says is wrong: each line is a table, an operation, a kind of message and a message.
pub fn wrong(output: &str) -> Option<String> {
    if output.trim().is_empty() {
        return Some("no answer".to_owned());
    }
    let mut lines = output.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let bad =
        lines.find(|line| !matches!(line[..], [_, _, "status", "OK"]) && !is_unpurged(line))?;
    Some(bad.join(" "))
}

/// Whether a line is of an entry of an index that is marked as deleted (`info_bits=32`) and outlived its row. MariaDB
/// 10.11.19 has such after a kill of the server alone, on any file system; no query sees them.
fn is_unpurged(line: &[&str]) -> bool {
    let [_, _, "Warning", message] = line else { return false };
    message.contains("Clustered index record not found") && message.contains("(info_bits=32,")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_checked_with_a_cache_that_holds_them_and_never_with_a_smaller_one() {
        for (rows, cache) in [(100_000, 51_200_000), (2_000_000_000, MOST_CACHE)] {
            let larger =
                format!("innodb_buffer_pool_size = GREATEST(@@innodb_buffer_pool_size, {cache});");
            assert!(check(rows).contains(&larger), "{}", check(rows));
        }
    }

    #[test]
    fn a_table_that_is_not_ok_is_named() {
        let good = "sbtest.sbtest1\tcheck\tstatus\tOK\nsbtest.powercut\tcheck\tstatus\tOK\n";
        assert_eq!(wrong(good), None);
        assert_eq!(wrong("\n").as_deref(), Some("no answer"));
        let bad = format!(
            "{good}sbtest.powercut_total\tcheck\tWarning\tIndex PRIMARY is marked as corrupted\n"
        );
        let why = wrong(&bad).expect("a warning");
        assert!(why.starts_with("sbtest.powercut_total check Warning Index"), "{why}");
    }

    #[test]
    fn an_entry_that_is_marked_as_deleted_is_no_damage() {
        let entry = |bits: u8| {
            format!(
                "sbtest.sbtest1\tcheck\tWarning\tInnoDB: Clustered index record not found for index `k_1` of table \
                 `sbtest`.`sbtest1`: COMPACT RECORD(info_bits={bits}, 2 fields): {{[4] (0x8000077F)}}\n\
                 sbtest.sbtest1\tcheck\tstatus\tOK\n"
            )
        };
        assert_eq!(wrong(&entry(32)), None);
        assert!(wrong(&entry(0)).is_some());
    }
}
