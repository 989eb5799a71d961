//! Logs of pgbench 15.18, made by the real program: 3 clients in 2 threads, 8 transactions each, three of four of
//! which write; `rate` with `-R 50`, so that lines have the lag of the schedule as well.

use bench::workload::pgbench::log::{self, complaint};
use bench::workload::transactions::Transactions;
use std::fs;
use std::path::Path;

/// Scripts in the order of `-b tpcb-like@3 -b select-only@1`.
const WRITES: [bool; 2] = [true, false];

fn read(prefix: &str) -> Transactions {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pgbench");
    log::read(&fixtures, prefix, &WRITES).unwrap()
}

#[test]
fn transactions_of_all_threads_are_told_by_their_scripts() {
    let all = read("plain");
    // By pgbench's own summary: 17 of script 1, 28.396 ms; 7 of script 2, 7.196 ms.
    let (write, read) = (all.flow(true), all.flow(false));
    assert_eq!((write.ops, read.ops), (17, 7));
    assert!((write.mean_ns / 1e6 - 28.396).abs() < 0.05, "{}", write.mean_ns);
    assert!((read.mean_ns / 1e6 - 7.196).abs() < 0.05, "{}", read.mean_ns);
    let counted: u64 = write.histogram.iter().map(|(_, n)| n).sum();
    assert_eq!(counted, 17);
    assert!(write.histogram.windows(2).all(|w| w[0].0 < w[1].0));
    // 24 transactions at 107.9 a second.
    assert!((all.seconds() - 24.0 / 107.906).abs() < 0.02, "{}", all.seconds());
    let (series, logged) = all.series();
    assert_eq!((series.len(), logged), (1, 24.0));
    assert_eq!(series[0], (7.0, 17.0));
}

#[test]
fn under_a_rate_latency_counts_from_the_schedule() {
    let all = read("rate");
    assert_eq!(all.flow(true).ops + all.flow(false).ops, 24);
    // The first transaction was to begin 54.5 ms before it ended, of which it waited for 5 ms.
    assert!(all.flow(true).histogram.last().unwrap().0 >= 929_552_000);
}

#[test]
fn a_failed_transaction_and_a_foreign_line_are_refused_with_their_place() {
    for (line, why) in [
        ("0 1 failed 0 1795502018 287948", "a transaction failed"),
        ("0 1 6773 9 1795502018 287948", "not a line of pgbench"),
        ("pgbench: error", "not a line of pgbench"),
    ] {
        let raw = tempfile::tempdir().unwrap();
        let text = format!("0 1 6773 1 1795502018 287948\n{line}\n");
        fs::write(raw.path().join("t.1"), text).unwrap();
        let message = log::read(raw.path(), "t", &WRITES).unwrap_err().to_string();
        assert!(message.contains("t.1:2") && message.contains(why), "{message}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(log::read(empty.path(), "t", &WRITES).is_err());
}

#[test]
fn the_server_s_own_reason_is_told() {
    let log = "2023-11-14 22:13:20.271 UTC [94] LOG:  starting PostgreSQL 15.18\n\
        2023-11-14 22:13:20.280 UTC [95] FATAL:  the database system is starting up\n\
        2023-11-14 22:13:20.291 UTC [94] FATAL:  could not map anonymous shared memory: Cannot allocate memory\n\
        2023-11-14 22:13:20.291 UTC [94] HINT:  This error usually means that PostgreSQL's request exceeded available memory\n\
        2023-11-14 22:13:20.291 UTC [94] LOG:  database system is shut down\n";
    let message = complaint(log).unwrap();
    assert!(
        message.starts_with("PostgreSQL: ")
            && message.contains("could not map")
            && message.contains("HINT"),
        "{message}"
    );
    assert_eq!(
        complaint("LOG:  all is well\nFATAL:  the database system is shutting down\n"),
        None
    );
}
