//! Logs of SQLite's client: what they come to, and what is no such log.

use bench::workload::sqlite::log;
use std::fs;

#[test]
fn transactions_of_all_connections_are_counted_as_reads_and_writes() {
    let raw = tempfile::tempdir().unwrap();
    fs::write(raw.path().join("t.0"), "r 1000000 12345\nw 9000000 8000000\n").unwrap();
    fs::write(raw.path().join("t.1"), "w 2500000000 4000000\n").unwrap();
    // Another program's.
    fs::write(raw.path().join("other.0"), "nothing\n").unwrap();
    let all = log::read(raw.path(), "t").unwrap();
    let (read, write) = (all.flow(false), all.flow(true));
    assert_eq!((read.ops, write.ops), (1, 2));
    assert_eq!((read.mean_ns, write.mean_ns), (12345.0, 6e6));
    let edge = read.histogram[0].0;
    assert!((12345..12700).contains(&edge), "{edge}");
    // From 1,000,000 − 12,345 ns to the end of the last.
    assert!((all.seconds() - 2.499012345).abs() < 1e-9, "{}", all.seconds());
    let (series, logged) = all.series();
    assert_eq!((&series[..], logged), (&[(1.0, 1.0), (0.0, 1.0)][..], 3.0));
}

#[test]
fn a_foreign_line_is_refused_with_its_place_and_an_empty_run_as_one() {
    for line in ["x 1 2", "r 1", "w 1 2 3", "r one 2", ""] {
        let raw = tempfile::tempdir().unwrap();
        fs::write(raw.path().join("t.3"), format!("r 5 2\n{line}\n")).unwrap();
        let message = log::read(raw.path(), "t").unwrap_err().to_string();
        assert!(message.contains("t.3:2") && message.contains("not a transaction"), "{message}");
    }
    let empty = tempfile::tempdir().unwrap();
    fs::write(empty.path().join("t.0"), "").unwrap();
    let message = log::read(empty.path(), "t").unwrap_err().to_string();
    assert!(message.contains("completed no transaction"), "{message}");
}
