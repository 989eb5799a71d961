//! Tables of pg_test_fsync: PostgreSQL 9.3's on FreeBSD (the FSYNC article), which has no fdatasync, and 15.18's, made by
//! the real program in the machine.

use bench::window::Sample;
use bench::workload::pg_test_fsync::measured;
use bench::workload::pg_test_fsync::output::{Table, complaint};
use lab::campaign::{PgTestFsync, SyncMethod};
use measurement::{Counter, SyncTest};

const FREEBSD: &str = include_str!("fixtures/pg_test_fsync/freebsd-9.3.out");
const LINUX: &str = include_str!("fixtures/pg_test_fsync/linux-15.out");

fn test(method: SyncMethod, writes: u32) -> PgTestFsync {
    PgTestFsync { method, writes, version: None }
}

#[test]
fn each_line_of_a_table_is_its_own_test_and_what_is_not_available_is_none() {
    let table = Table::read(FREEBSD).unwrap();
    assert_eq!(table.seconds_per_test, 5.0);
    let rate = |test| table.rates.get(&test);
    assert_eq!(rate(SyncTest::OneFsync), Some(6676.001));
    assert_eq!(rate(SyncTest::TwoFsync), Some(4750.841));
    assert_eq!(rate(SyncTest::OneOpenSync), Some(6087.783));
    assert_eq!(rate(SyncTest::TwoOpenSync), Some(3065.099));
    assert_eq!(rate(SyncTest::OpenSync16x1), Some(620.992));
    assert_eq!(rate(SyncTest::WriteCloseFsync), Some(5552.278));
    assert_eq!(rate(SyncTest::Unsynced), Some(67460.621));
    assert_eq!(rate(SyncTest::OneFdatasync), None);
    assert_eq!(table.rates.iter().count(), 12);
    let table = Table::read(LINUX).unwrap();
    assert_eq!(table.rates.get(&SyncTest::OneFdatasync), Some(8493.775));
    assert_eq!(table.rates.get(&SyncTest::Unsynced), Some(200280.499));
    assert_eq!((table.seconds_per_test, table.rates.iter().count()), (2.0, 16));
}

#[test]
fn a_table_that_ends_early_or_has_other_lines_is_no_result() {
    let cut = FREEBSD.split("Non-Sync'ed").next().unwrap();
    assert!(Table::read(cut).unwrap_err().to_string().contains("before its last test"));
    let other = FREEBSD.replace("write, fsync, close ", "write, fsync, sleep ");
    let why = Table::read(&other).unwrap_err().to_string();
    assert!(why.contains("write, fsync, sleep"), "{why}");
    let zero = FREEBSD.replace("6676.001", "0.000");
    assert!(Table::read(&zero).is_err(), "a rate of nothing has no time");
}

/// Seconds of a run whose tests begin after 0.4 s: each counts its own number as commits.
fn samples(table: &Table) -> Vec<Sample> {
    let end = 0.4 + table.seconds_from(SyncTest::OneOpenDatasync);
    let whole = end as u32;
    let seconds = (1..=whole).map(f64::from).chain([end]);
    let sample = |at: f64| Sample { at, values: [(Counter::ZilCommits, at)].into() };
    seconds.map(sample).collect()
}

#[test]
fn the_compared_test_has_the_counters_of_its_own_seconds() {
    let table = Table::read(FREEBSD).unwrap();
    let samples = samples(&table);
    // Tests are 5 s: fsync 0.4 to 5.4, open_sync to 10.4, two writes with fsync to 15.4.
    for (method, writes, seconds) in [
        (SyncMethod::Fsync, 1, [2.0, 3.0, 4.0, 5.0]),
        (SyncMethod::OpenSync, 1, [7.0, 8.0, 9.0, 10.0]),
        (SyncMethod::Fsync, 2, [12.0, 13.0, 14.0, 15.0]),
    ] {
        let measured = measured(&table, &test(method, writes), &samples).unwrap();
        let commits = measured.totals.count(&Counter::ZilCommits);
        assert_eq!(commits, seconds.iter().sum::<f64>(), "{method:?} {writes}");
        assert!((measured.runtime_s - 4.0).abs() < 0.001, "{}", measured.runtime_s);
        assert_eq!(measured.seconds.len(), 1);
    }
    let fsync = measured(&table, &test(SyncMethod::Fsync, 1), &samples).unwrap();
    let rate = fsync.write.ops as f64 / fsync.runtime_s;
    assert!((rate - 6676.001).abs() < 1e-6, "{rate}");
    assert_eq!((fsync.write.ops, fsync.write.bytes), (26704, 26704 * 8192));
    assert!((fsync.write.mean_ns / 1e3 - 149.79).abs() < 0.01, "{}", fsync.write.mean_ns);
    assert_eq!(fsync.sync_tests, table.rates);
    let two = measured(&table, &test(SyncMethod::Fsync, 2), &samples).unwrap();
    assert_eq!(two.write.bytes, two.write.ops * 2 * 8192);
    let last = measured(&table, &test(SyncMethod::Write, 1), &samples).unwrap();
    let commits = last.totals.count(&Counter::ZilCommits);
    assert_eq!(commits, 57.0 + 58.0 + 59.0 + 60.0, "the rest of a second at the end is none");
}

#[test]
fn a_test_that_the_system_does_not_have_cannot_be_compared() {
    let table = Table::read(FREEBSD).unwrap();
    assert_eq!(measured(&table, &test(SyncMethod::Fdatasync, 1), &samples(&table)), None);
}

#[test]
fn without_a_whole_second_of_counters_the_rate_stands_alone() {
    let table = Table::read(FREEBSD).unwrap();
    let fsync = measured(&table, &test(SyncMethod::Fsync, 1), &[]).unwrap();
    assert!(fsync.totals.is_empty());
    assert!((fsync.write.ops as f64 / fsync.runtime_s - 6676.001).abs() < 1e-6);
}

#[test]
fn the_program_s_own_reason_is_told() {
    let log = "pg_test_fsync: error: could not open output file: No space left on device\n\n";
    let why = complaint(log).unwrap();
    assert_eq!(why, "pg_test_fsync: error: could not open output file: No space left on device");
    assert_eq!(complaint("\n"), None);
    // As OpenZFS 2.3.9 had it at the test that writes 8 times 2 kB.
    let small = complaint("pg_test_fsync: error: write failed: Invalid argument\n").unwrap();
    assert!(small.ends_with("set dataset.direct = \"disabled\""), "{small}");
}
