//! What pg_test_fsync prints: a table of operations a second.

use crate::error::Error;
use lab::campaign::{PgTestFsync, SyncMethod};
use measurement::SyncTest::{self, *};
use measurement::Values;

/// A table of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Seconds that each test was to take.
    pub seconds_per_test: f64,
    /// Operations a second by test; a test that this system does not have is missing.
    pub rates: Values<SyncTest>,
}

/// The heading above some tests (its first words), and the tests by what stands before their numbers.
const TESTS: [(&str, &[(&str, SyncTest)]); 5] = [
    (
        "Compare file sync methods using one 8kB write",
        &[
            ("open_datasync", OneOpenDatasync),
            ("fdatasync", OneFdatasync),
            ("fsync", OneFsync),
            ("fsync_writethrough", OneFsyncWritethrough),
            ("open_sync", OneOpenSync),
        ],
    ),
    (
        "Compare file sync methods using two 8kB writes",
        &[
            ("open_datasync", TwoOpenDatasync),
            ("fdatasync", TwoFdatasync),
            ("fsync", TwoFsync),
            ("fsync_writethrough", TwoFsyncWritethrough),
            ("open_sync", TwoOpenSync),
        ],
    ),
    (
        "Compare open_sync with different write sizes",
        &[
            ("1 * 16kB open_sync write", OpenSync1x16),
            ("2 *  8kB open_sync writes", OpenSync2x8),
            ("4 *  4kB open_sync writes", OpenSync4x4),
            ("8 *  2kB open_sync writes", OpenSync8x2),
            ("16 *  1kB open_sync writes", OpenSync16x1),
        ],
    ),
    (
        "Test if fsync on non-write file descriptor",
        &[("write, fsync, close", WriteFsyncClose), ("write, close, fsync", WriteCloseFsync)],
    ),
    ("Non-sync'ed 8kB writes", &[("write", Unsynced)]),
];

/// `fdatasync    1302.735 ops/sec     768 usecs/op`: what stands before the number, and the number.
fn rate(line: &str) -> Option<(&str, f64)> {
    let (left, _) = line.split_once(" ops/sec")?;
    let (label, rate) = left.trim().rsplit_once(char::is_whitespace)?;
    let rate: f64 = rate.parse().ok()?;
    (rate.is_finite() && rate > 0.0).then_some((label.trim(), rate))
}

/// Whether a line begins with a heading: of PostgreSQL 9.3 one has another capital.
fn begins(line: &str, head: &str) -> bool {
    line.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head))
}

impl Table {
    /// Reads what the program printed.
    ///
    /// # Errors
    /// The line that is none of its, or that it did not come to its end.
    pub fn read(text: &str) -> Result<Table, Error> {
        let mut seconds_per_test = None;
        let mut rates = Values::new();
        let mut section: &[(&str, SyncTest)] = &[];
        for line in text.lines() {
            if let Some((_, tests)) = TESTS.iter().find(|(head, _)| begins(line, head)) {
                section = tests;
            } else if let Some((seconds, _)) = line.split_once(" second") {
                seconds_per_test = seconds_per_test.or(seconds.trim().parse::<f64>().ok());
            } else if line.contains(" ops/sec") {
                let found = rate(line).and_then(|(label, rate)| {
                    let test = section.iter().find(|(known, _)| *known == label)?;
                    Some((test.1, rate))
                });
                let Some((test, rate)) = found else {
                    let line = line.trim();
                    return Err(Error::failed(format!(
                        "unexpected line in pg_test_fsync's output: {line}"
                    )));
                };
                rates.insert(test, rate);
            }
        }
        match (seconds_per_test, rates.get(&Unsynced)) {
            (Some(seconds_per_test), Some(_)) => Ok(Table { seconds_per_test, rates }),
            _ => Err(Error::failed(
                "pg_test_fsync ended before its last test: see pg_test_fsync.out",
            )),
        }
    }

    /// How many operations a test carried out: it ends with the first that is over when its time is. The rate has
    /// three decimals.
    pub fn operations(&self, test: SyncTest) -> f64 {
        let rate = self.rates.count(&test);
        (rate * self.seconds_per_test - 0.001 * self.seconds_per_test).ceil().max(1.0)
    }

    /// Virtual seconds that a test took; none where it was not carried out.
    pub fn seconds(&self, test: SyncTest) -> Option<f64> {
        Some(self.operations(test) / self.rates.get(&test)?)
    }

    /// Virtual seconds from the begin of a test to the end of the last.
    pub fn seconds_from(&self, test: SyncTest) -> f64 {
        let all = SyncTest::NAMED.iter().filter(|later| **later >= test);
        all.filter_map(|test| self.seconds(*test)).sum()
    }
}

/// The test that a lab compares.
pub fn compared(client: &PgTestFsync) -> SyncTest {
    match (client.writes, client.method) {
        (_, SyncMethod::Write) => Unsynced,
        (2, SyncMethod::OpenDatasync) => TwoOpenDatasync,
        (2, SyncMethod::Fdatasync) => TwoFdatasync,
        (2, SyncMethod::Fsync) => TwoFsync,
        (2, SyncMethod::OpenSync) => TwoOpenSync,
        (_, SyncMethod::OpenDatasync) => OneOpenDatasync,
        (_, SyncMethod::Fdatasync) => OneFdatasync,
        (_, SyncMethod::Fsync) => OneFsync,
        (_, SyncMethod::OpenSync) => OneOpenSync,
    }
}

/// The last line in which the program says what went wrong: it names the call and the system's reason.
pub fn complaint(log: &str) -> Option<String> {
    let line = log.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_start_matches("pg_test_fsync: ");
    // It opens files with O_DIRECT. Linux reports EINVAL where a file system does not take its smaller writes.
    let hint = match line.ends_with("Invalid argument") {
        true => {
            "; OpenZFS 2.3 refuses direct I/O of less than a page: set dataset.direct = \"disabled\""
        }
        false => "",
    };
    Some(format!("pg_test_fsync: {line}{hint}"))
}
