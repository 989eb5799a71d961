//! pgbench's logs of transactions (`-l`), one file a thread: `client number latency script seconds µs [lag]`.

use crate::error::Error;
use crate::workload::transactions::{Transaction, Transactions};
use std::path::Path;

/// Reads the logs of a directory that begin with `prefix`; `writes` says for each script whether it changes
/// something.
///
/// # Errors
/// The first line that is none of such a log, or that there are none.
pub fn read(raw: &Path, prefix: &str, writes: &[bool]) -> Result<Transactions, Error> {
    Transactions::read(raw, prefix, "pgbench", |line| transaction(line, writes))
}

fn transaction(line: &str, writes: &[bool]) -> Result<Transaction, &'static str> {
    const FOREIGN: &str = "not a line of pgbench's log";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, _, latency, script, seconds, micros, ..] = fields[..] else { return Err(FOREIGN) };
    let number = |text: &str| text.parse::<u64>().ok();
    let latency = number(latency).ok_or("a transaction failed")?;
    let writes = number(script).and_then(|script| writes.get(script as usize)).ok_or(FOREIGN)?;
    let (seconds, micros) = number(seconds).zip(number(micros)).ok_or(FOREIGN)?;
    Ok(Transaction {
        ended_ns: (seconds * 1_000_000 + micros) * 1000,
        latency_ns: latency * 1000,
        writes: *writes,
    })
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
