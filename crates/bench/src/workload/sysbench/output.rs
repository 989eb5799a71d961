//! What `sysbench --report-interval=1 --histogram=on run` prints, of sysbench 1.0.

use crate::error::Error;
use crate::workload::fio::output::Bins;
use crate::workload::fio::series::{self, PerSecond};
use lab::mysql::Server;
use measurement::Flow;

/// A run.
#[derive(Debug, Default, PartialEq)]
pub struct Run {
    /// Transactions.
    pub events: u64,
    /// Virtual seconds from the start of the sessions to the end of the last transaction.
    pub seconds: f64,
    /// Transactions that were begun again after an error that sysbench ignores: deadlocks, lock timeouts.
    pub ignored_errors: u64,
    /// All latencies together, ms.
    sum_ms: f64,
    /// The middle of a bin in ms, transactions.
    histogram: Vec<(f64, u64)>,
    /// Transactions a second in each second.
    rates: Vec<f64>,
}

/// The number after a label: `total number of events:    421`.
fn labelled(line: &str, label: &str) -> Option<f64> {
    let rest = line.trim().strip_prefix(label)?;
    let word = rest.split_whitespace().next()?;
    word.trim_end_matches('s').parse().ok()
}

/// `[ 3s ] thds: 8 tps: 158.46 qps: …`: transactions a second.
fn interval(line: &str) -> Option<f64> {
    let rest = line.strip_prefix("[ ")?;
    rest.split("tps: ").nth(1)?.split_whitespace().next()?.parse().ok()
}

/// `  14.207 |********            2`: the middle of the bin in ms, and how many.
fn bin(line: &str) -> Option<(f64, u64)> {
    let (middle, rest) = line.split_once('|')?;
    Some((middle.trim().parse().ok()?, rest.split_whitespace().last()?.parse().ok()?))
}

impl Run {
    /// Reads what sysbench printed.
    ///
    /// # Errors
    /// That it did not come to its end, or completed no transaction.
    pub fn read(text: &str) -> Result<Run, Error> {
        let mut run = Run::default();
        let mut whole = false;
        for line in text.lines() {
            if let Some(rate) = interval(line) {
                run.rates.push(rate);
            } else if let Some(bin) = bin(line) {
                run.histogram.push(bin);
            } else if let Some(seconds) = labelled(line, "total time:") {
                run.seconds = seconds;
            } else if let Some(events) = labelled(line, "total number of events:") {
                run.events = events as u64;
                whole = true;
            } else if let Some(errors) = labelled(line, "ignored errors:") {
                run.ignored_errors = errors as u64;
            } else if let Some(sum) = labelled(line, "sum:") {
                run.sum_ms = sum;
            }
        }
        let counted: u64 = run.histogram.iter().map(|(_, count)| count).sum();
        match run.events {
            _ if !whole => Err(Error::failed("sysbench printed no result: see sysbench.out")),
            0 => Err(Error::failed("sysbench completed no transaction: a longer runtime may help")),
            events if events != counted => Err(Error::failed(format!(
                "sysbench counts {events} transactions and {counted} in its histogram: see sysbench.out"
            ))),
            _ => Ok(run),
        }
    }

    /// All transactions as one flow. sysbench's bins are 1.8 % wide and named by their middle.
    pub fn flow(&self) -> Flow {
        let mut bins = Bins::default();
        for (middle, count) in &self.histogram {
            bins.add((middle * 1e6) as u64, *count);
        }
        bins.flow(self.events, 0, 1e6 * self.sum_ms / self.events.max(1) as f64)
    }

    /// Transactions in each second, as writes or as reads, and how many the lines of seconds had.
    pub fn series(&self, writes: bool) -> (PerSecond, f64) {
        let entry = |rate: &f64| if writes { (0.0, *rate) } else { (*rate, 0.0) };
        let mut series: PerSecond = self.rates.iter().map(entry).collect();
        let (read, written) = if writes { (0, self.events) } else { (self.events, 0) };
        let logged = series::settle(&mut series, self.seconds, read, written);
        (series, logged)
    }
}

/// The first line in which the server or a client of it says what went wrong; those after it follow from it. A server that
/// does not find its file of messages says so and goes on.
pub fn complaint(server: Server, log: &str) -> Option<String> {
    let goes_on =
        |line: &str| line.contains("error-message file") || line.contains("Can't find messagefile");
    let wrong = |line: &&str| {
        let is_error =
            line.contains("[ERROR]") || line.contains("FATAL:") || line.starts_with("ERROR");
        is_error && !goes_on(line)
    };
    log.lines().find(wrong).map(|line| format!("{}: {}", server.name(), line.trim()))
}
