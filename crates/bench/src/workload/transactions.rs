//! The transactions of a run, each with its time: what logs of database clients come to.

use super::logs;
use crate::error::Error;
use crate::workload::fio::output::Bins;
use crate::workload::fio::series::{self, PerSecond};
use measurement::{Flow, Measured};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transaction {
    pub ended_ns: u64,
    pub latency_ns: u64,
    pub writes: bool,
}

/// All transactions of a run.
#[derive(Debug)]
pub struct Transactions {
    all: Vec<Transaction>,
    /// Virtual seconds that the run took at least.
    least_s: f64,
}

impl Transactions {
    /// Those of a client's logs that begin with `prefix`, one a line.
    ///
    /// # Errors
    /// The first line that is none of such a log, or that there are none.
    pub(super) fn read(
        raw: &Path,
        prefix: &str,
        client: &str,
        transaction: impl Fn(&str) -> Result<Transaction, &'static str>,
    ) -> Result<Transactions, Error> {
        let mut all = Vec::new();
        for log in logs(raw, prefix, "")? {
            let (path, text) = log?;
            for (index, line) in text.lines().enumerate() {
                let read = transaction(line);
                all.push(read.map_err(|why| {
                    Error::failed(format!("{}:{}: {why}: {line}", path.display(), index + 1))
                })?);
            }
        }
        match all.is_empty() {
            true => Err(Error::failed(format!(
                "{client} completed no transaction: a longer runtime may help"
            ))),
            false => Ok(Transactions { all, least_s: 0.0 }),
        }
    }

    /// The same of a client that keeps a rate for so many seconds: before the first transaction and after the last it waits
    /// for the next one's time.
    pub fn paced_for(self, seconds: f64) -> Transactions {
        Transactions { least_s: seconds, ..self }
    }

    /// When the first transaction began, ns.
    fn begun(&self) -> u64 {
        let begun = self.all.iter().map(|t| t.ended_ns.saturating_sub(t.latency_ns));
        begun.min().unwrap_or(0)
    }

    /// Virtual seconds of the run: from the begin of the first transaction to the end of the last, or the time of a client
    /// that keeps a rate.
    pub fn seconds(&self) -> f64 {
        let ended = self.all.iter().map(|t| t.ended_ns).max().unwrap_or(0);
        ((ended - self.begun()) as f64 / 1e9).max(self.least_s)
    }

    /// Those that write, or those that only read.
    pub fn flow(&self, writes: bool) -> Flow {
        let (mut bins, mut ops, mut sum) = (Bins::default(), 0u64, 0u64);
        for transaction in self.all.iter().filter(|t| t.writes == writes) {
            ops += 1;
            sum += transaction.latency_ns;
            bins.add(transaction.latency_ns, 1);
        }
        bins.flow(ops, 0, sum as f64 / ops.max(1) as f64)
    }

    /// What clients of a number measured with them.
    pub(super) fn measured(&self, clients: u32, notes: Vec<String>) -> Measured {
        Measured {
            concurrency: f64::from(clients),
            runtime_s: self.seconds(),
            read: self.flow(false),
            write: self.flow(true),
            notes,
            ..Measured::default()
        }
    }

    /// Transactions that ended in each second: (reads, writes), and how many there were.
    pub fn series(&self) -> (PerSecond, f64) {
        let begun = self.begun();
        let mut series = PerSecond::new();
        let mut counts = (0, 0);
        for transaction in &self.all {
            let second = ((transaction.ended_ns - begun) / 1_000_000_000) as usize;
            if series.len() <= second {
                series.resize(second + 1, (0.0, 0.0));
            }
            if transaction.writes {
                series[second].1 += 1.0;
                counts.1 += 1;
            } else {
                series[second].0 += 1.0;
                counts.0 += 1;
            }
        }
        let logged = series::settle(&mut series, self.seconds(), counts.0, counts.1);
        (series, logged)
    }
}
