//! What pg_test_fsync prints: a table of operations a second.

use crate::error::Error;
use lab::campaign::{PgTestFsync, SyncMethod};
use measurement::SyncTest::{self, *};
use measurement::{Named, Values};
use std::sync::LazyLock;

/// A table of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Seconds that each test was to take.
    pub seconds_per_test: f64,
    /// Operations a second by test; a test that this system does not have is missing.
    pub rates: Values<SyncTest>,
}

/// The heading above a test (its first words), what stands before its numbers, and the test.
static TESTS: LazyLock<Vec<(&str, &str, SyncTest)>> = LazyLock::new(|| {
    let test = |line: &'static str| {
        let mut cells = line.split('\t');
        Some((cells.next()?, cells.next()?, SyncTest::parse(cells.next()?)?))
    };
    include_str!("tests.tsv").lines().filter_map(test).collect()
});

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
        let mut heading = "";
        for line in text.lines() {
            if let Some((head, ..)) = TESTS.iter().find(|(head, ..)| begins(line, head)) {
                heading = head;
            } else if let Some((seconds, _)) = line.split_once(" second") {
                seconds_per_test = seconds_per_test.or(seconds.trim().parse::<f64>().ok());
            } else if line.contains(" ops/sec") {
                let found = rate(line).and_then(|(label, rate)| {
                    let is_it = |test: &&(&str, &str, _)| (test.0, test.1) == (heading, label);
                    Some((TESTS.iter().find(is_it)?.2, rate))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_test_of_its_own() {
        let tests: Vec<SyncTest> = TESTS.iter().map(|(.., test)| *test).collect();
        assert_eq!(tests, SyncTest::NAMED);
    }
}
