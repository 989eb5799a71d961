//! Output of sysbench 1.0.20, made by the real program in the machine: 8 threads of oltp_read_write for 3 s.

use bench::workload::sysbench::output::{Run, complaint};
use lab::mysql::Server;

/// What sysbench itself sums up in it.
const EVENTS: u64 = 610;
const SECONDS: f64 = 3.0194;
const MEAN_MS: f64 = 39.52;
const P99_MS: f64 = 193.38;
const OUTPUT: &str = include_str!("fixtures/sysbench/read-write.out");

#[test]
fn a_run_has_the_counts_and_times_that_sysbench_sums_up() {
    let run = Run::read(OUTPUT).unwrap();
    let flow = run.flow();
    assert_eq!((run.events, flow.ops), (EVENTS, EVENTS));
    assert!((run.seconds - SECONDS).abs() < 1e-9, "{}", run.seconds);
    // sysbench prints the mean in hundredths of a millisecond.
    assert!((flow.mean_ns / 1e6 - MEAN_MS).abs() < 0.01, "{}", flow.mean_ns);
    let counted: u64 = flow.histogram.iter().map(|(_, count)| count).sum();
    assert_eq!(counted, EVENTS);
    // The 99th percentile, which sysbench reads off the same bins.
    let mut left = (EVENTS as f64 * 0.99) as u64;
    let at = flow.histogram.iter().find(|(_, count)| {
        left = left.saturating_sub(*count);
        left == 0
    });
    let at = at.unwrap().0 as f64 / 1e6;
    assert!((at / P99_MS - 1.0).abs() < 0.05, "{at}");
}

#[test]
fn seconds_hold_every_transaction_as_reads_or_as_writes() {
    let run = Run::read(OUTPUT).unwrap();
    let (writes, logged) = run.series(true);
    assert_eq!(writes.len(), 3);
    let sum: f64 = writes.iter().map(|(_, writes)| writes).sum();
    assert!((sum - EVENTS as f64).abs() < 1e-6 && writes.iter().all(|(reads, _)| *reads == 0.0));
    assert!(logged > 0.95 * EVENTS as f64, "{logged}");
    let (reads, _) = run.series(false);
    assert!(reads.iter().all(|(_, writes)| *writes == 0.0));
}

#[test]
fn output_that_ends_early_or_contradicts_itself_is_no_result() {
    let cut = OUTPUT.split("General statistics").next().unwrap();
    assert!(Run::read(cut).unwrap_err().to_string().contains("printed no result"));
    let events = format!("total number of events:              {EVENTS}");
    assert!(OUTPUT.contains(&events));
    let more = OUTPUT.replace(&events, "total number of events:              9999");
    assert!(Run::read(&more).unwrap_err().to_string().contains("9999 transactions"));
    assert!(Run::read("").is_err());
}

#[test]
fn the_server_s_own_reason_is_told() {
    let log = "2023-12-14 22:13:21 0 [Note] InnoDB: Using io_uring\n\
        2023-12-14 22:13:21 0 [ERROR] InnoDB: innodb_page_size=16384 requires innodb_buffer_pool_size >= 5MiB current 2MiB\n\
        2023-12-14 22:13:21 0 [ERROR] Plugin 'InnoDB' registration as a STORAGE ENGINE failed.\n\
        2023-12-14 22:13:21 0 [ERROR] Unknown/unsupported storage engine: InnoDB\n\
        2023-12-14 22:13:21 0 [ERROR] Aborting\n";
    let message = complaint(Server::Mariadb, log).unwrap();
    assert!(message.starts_with("MariaDB: ") && message.contains("requires"), "{message}");
    assert_eq!(
        complaint(Server::Mariadb, "2023-12-14 22:13:21 0 [Note] ready for connections.\n"),
        None
    );
    // MySQL 9.7.4 without its messages, after a power cut.
    let log = "2023-11-14T22:13:20.168689Z 0 [ERROR] [MY-010338] [Server] Can't find error-message file '/opt/share/mysql/english/errmsg.sys'. Check error-message file location and 'lc-messages-dir' configuration directive.\n\
        2023-11-14T22:13:20.386400Z 0 [ERROR] [MY-011906] [InnoDB] Database page corruption on disk or a failed file read of page [page id: space=2, page number=1413]. You may have to recover from a backup.\n";
    let message = complaint(Server::Mysql, log).unwrap();
    assert!(message.contains("page number=1413"), "{message}");
}
