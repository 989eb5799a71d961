//! pgbench's logs of transactions (`-l`), one file a thread: `client number latency script seconds µs [lag]`.

use crate::fault::{Fault, doing};
use crate::workload::fio::output::upper_edge;
use crate::workload::fio::series::{self, PerSecond};
use measurement::{Flow, HISTOGRAM_END_NS};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One transaction; times in µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Transaction {
    ended: u64,
    latency: u64,
    writes: bool,
}

/// All transactions of a run.
#[derive(Debug, Default)]
pub struct Transactions(Vec<Transaction>);

impl Transactions {
    /// Reads the logs of a directory that begin with `prefix`; `writes` says for each script whether it changes
    /// something.
    ///
    /// # Errors
    /// The first line that is none of such a log, or that there are none.
    pub fn read(raw: &Path, prefix: &str, writes: &[bool]) -> Result<Transactions, Fault> {
        let mut all = Transactions::default();
        for path in logs(raw, prefix)? {
            let text = fs::read_to_string(&path);
            let text = text.map_err(doing(format!("read {}", path.display())))?;
            all.add(&text, writes).map_err(|(line, why)| {
                Fault::failed(format!("{}:{line}: {why}", path.display()))
            })?;
        }
        match all.0.is_empty() {
            true => Err(Fault::failed("pgbench ended no transaction: a longer runtime may help")),
            false => Ok(all),
        }
    }

    /// Adds the lines of a log.
    fn add(&mut self, log: &str, writes: &[bool]) -> Result<(), (usize, String)> {
        for (index, line) in log.lines().enumerate() {
            let wrong = |why: &str| (index + 1, format!("{why}: {line}"));
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, _, latency, script, seconds, micros, ..] = fields[..] else {
                return Err(wrong("no line of pgbench's log"));
            };
            let number = |text: &str| text.parse::<u64>().ok();
            let Some(latency) = number(latency) else {
                return Err(wrong("a transaction failed"));
            };
            let script = number(script).and_then(|script| writes.get(script as usize));
            let (Some(writes), Some(seconds), Some(micros)) =
                (script, number(seconds), number(micros))
            else {
                return Err(wrong("no line of pgbench's log"));
            };
            self.0.push(Transaction {
                ended: seconds * 1_000_000 + micros,
                latency,
                writes: *writes,
            });
        }
        Ok(())
    }

    /// When the first transaction began, µs.
    fn begun(&self) -> u64 {
        let begun = self.0.iter().map(|t| t.ended.saturating_sub(t.latency));
        begun.min().unwrap_or(0)
    }

    /// Virtual seconds from the begin of the first transaction to the end of the last.
    pub fn seconds(&self) -> f64 {
        let ended = self.0.iter().map(|t| t.ended).max().unwrap_or(0);
        (ended - self.begun()) as f64 / 1e6
    }

    /// Those that write, or those that only read.
    pub fn flow(&self, writes: bool) -> Flow {
        let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut ops, mut sum, mut overflow) = (0u64, 0u64, 0u64);
        for transaction in self.0.iter().filter(|t| t.writes == writes) {
            ops += 1;
            sum += transaction.latency;
            match transaction.latency.saturating_mul(1000) {
                ns if ns >= HISTOGRAM_END_NS => overflow += 1,
                ns => *histogram.entry(upper_edge(ns)).or_default() += 1,
            }
        }
        Flow {
            ops,
            bytes: 0,
            mean_ns: 1000.0 * sum as f64 / ops.max(1) as f64,
            histogram: histogram.into_iter().collect(),
            overflow,
        }
    }

    /// Transactions that ended in each second: (reads, writes), and how many there were.
    pub fn series(&self) -> (PerSecond, f64) {
        let begun = self.begun();
        let mut series = PerSecond::new();
        let mut counts = (0, 0);
        for transaction in &self.0 {
            let second = ((transaction.ended - begun) / 1_000_000) as usize;
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

/// The logs of each thread, sorted by name: sums of fractions depend on their order.
fn logs(raw: &Path, prefix: &str) -> Result<Vec<PathBuf>, Fault> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(raw).map_err(doing(format!("read {}", raw.display())))? {
        let path = entry.map_err(doing(format!("read {}", raw.display())))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')) {
            logs.push(path);
        }
    }
    logs.sort();
    Ok(logs)
}

/// The last line in which the server or a client of it says what went wrong.
pub fn complaint(log: &str) -> Option<String> {
    const WORDS: [&str; 4] = ["PANIC:", "FATAL:", "ERROR:", "error:"];
    // What a server says to those who come while it starts or stops.
    const PASSING: [&str; 3] =
        ["is starting up", "is shutting down", "due to administrator command"];
    let wrong = |line: &str| {
        WORDS.iter().any(|word| line.contains(word))
            && !PASSING.iter().any(|passing| line.contains(passing))
    };
    let lines: Vec<&str> = log.lines().collect();
    let at = lines.iter().rposition(|line| wrong(line))?;
    // What explains it follows.
    let after = lines[at + 1..]
        .iter()
        .take_while(|line| line.contains("DETAIL:") || line.contains("HINT:"));
    let text: Vec<&str> =
        std::iter::once(&lines[at]).chain(after).map(|line| line.trim()).collect();
    Some(format!("PostgreSQL: {}", text.join("; ")))
}
