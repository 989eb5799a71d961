//! pg_test_fsync from the host, in the modelled machine: how many times a second a file system makes a write durable.

pub mod output;

use crate::engine::linux::steps;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::programs::Postgresql;
use crate::window::{self, Sample};
use crate::workload::database::{self, Times};
use crate::workload::{self, ClientSteps, Place, Seen};
use lab::campaign::{PgTestFsync, SECONDS_PER_TEST, SYNC_TESTS};
use machine::script::Command;
use measurement::{Fact, Flow, Measured, Second};
use output::Table;
use std::path::{Path, PathBuf};

/// Its file: a segment of WAL.
const FILE_BYTES: u64 = 16 << 20;
/// Bytes of a write.
const WRITE: u64 = 8 << 10;
/// What it prints.
const OUTPUT: &str = "pg_test_fsync.out";

/// pg_test_fsync for one trial.
#[derive(Debug)]
pub struct Client {
    programs: Postgresql,
    test: PgTestFsync,
    file: PathBuf,
    seconds_per_test: f64,
}

impl Client {
    /// Prepares the client of a trial.
    ///
    /// # Errors
    /// That PostgreSQL is not installed.
    pub fn new(inputs: &Inputs, test: &PgTestFsync, place: Place) -> Result<Client, Error> {
        let runtime_s = inputs.method.runtime_s.unwrap_or(SECONDS_PER_TEST);
        Ok(Client {
            programs: match place {
                Place::Host => Postgresql::find(test.version)?,
                Place::Nowhere => Postgresql::nowhere(),
            },
            test: *test,
            file: steps::directory(inputs).join("pg_test_fsync"),
            seconds_per_test: runtime_s.ceil().max(1.0),
        })
    }
}

impl workload::Client for Client {
    fn measure(&self) -> ClientSteps {
        let program = self.programs.program("pg_test_fsync");
        let seconds = format!("{:.0}", self.seconds_per_test);
        let file = self.file.to_string_lossy();
        let command = Command::new([program.as_str(), "-s", &seconds, "-f", &file]).output(OUTPUT);
        let times = Times { runtime_s: f64::from(SYNC_TESTS) * self.seconds_per_test, ramp_s: 0.0 };
        ClientSteps { steps: vec![times.measure(command)], ..ClientSteps::default() }
    }

    fn data_bytes(&self) -> u64 {
        FILE_BYTES
    }

    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error> {
        let table = Table::read(&database::text(raw, OUTPUT))?;
        let mut facts = seen.facts;
        facts.insert(Fact::FilesBytes, FILE_BYTES as f64);
        facts.insert(Fact::FilesJobs, 0.0);
        let measured = measured(&table, &self.test, &seen.samples).ok_or_else(|| {
            Error::failed(format!(
                "pg_test_fsync has no result for {} on this file system: see {OUTPUT}, or use another `method`",
                self.test.compared()
            ))
        })?;
        Ok(Measured {
            facts,
            notes: vec![self.programs.version.clone()],
            warm_up: seen.warm_up,
            ..measured
        })
    }

    fn complaint(&self, raw: &Path) -> Option<String> {
        database::complaint(raw, &["pg_test_fsync.out.err"], output::complaint)
    }
}

/// The compared test as a run of its own, with the counters of the seconds that lie within it, and the rates of all
/// tests. None where the test was not carried out.
///
/// The program tells no times, but each test's follows from its rate, and when the last was over is known: with it the
/// program ends.
pub fn measured(table: &Table, test: &PgTestFsync, samples: &[Sample]) -> Option<Measured> {
    let compared = output::compared(test);
    let rate = table.rates.get(&compared)?;
    let end = samples.last().map_or(0.0, |last| last.at);
    let begin = end - table.seconds_from(compared);
    let inside = within(samples, begin, begin + table.seconds(compared)?);
    let seconds = match inside.len() {
        0 => table.seconds(compared)?,
        whole => whole as f64,
    };
    let operations = (rate * seconds).round().max(1.0);
    let values = window::totals(inside.iter().map(|sample| &sample.values));
    let runtime_s = operations / rate;
    Some(Measured {
        concurrency: 1.0,
        runtime_s,
        write: Flow {
            ops: operations as u64,
            bytes: operations as u64 * WRITE * u64::from(test.writes),
            mean_ns: 1e9 / rate,
            // It tells no single operation's time.
            histogram: Vec::new(),
            overflow: 0,
        },
        // It tells one rate for the whole of a test.
        seconds: vec![Second {
            at: runtime_s,
            reads: 0.0,
            writes: operations,
            values: values.clone(),
        }],
        totals: values,
        sync_tests: table.rates.clone(),
        ..Measured::default()
    })
}

/// The samples that lie within two moments, each of one second.
fn within(samples: &[Sample], begin: f64, end: f64) -> &[Sample] {
    let from = samples.partition_point(|sample| sample.at - 1.0 < begin);
    let until = samples.partition_point(|sample| sample.at <= end);
    // The program ends within a second, which is none.
    let until = until.min(samples.len().saturating_sub(1));
    samples.get(from..until).unwrap_or_default()
}
