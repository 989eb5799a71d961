//! The programs that can be clients, one folder each. A new one is a folder with a [`Client`], and a line in
//! [`prepare`].

mod database;
pub mod fio;
pub mod pg_test_fsync;
pub mod pgbench;
pub mod sqlite;
pub mod sysbench;
pub mod transactions;

pub use database::USER as SERVER_USER;

use crate::error::{Error, doing};
use crate::inputs::Inputs;
use crate::window::{self, Sample};
use fio::series::PerSecond;
use lab::campaign::Program;
use machine::script::{Command, Step};
use measurement::{Fact, Facts, Measured, Stage, WarmUp};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The seed of one run of a client, which is known by the name of its output: warm-up, ramp and measurement ask for other
/// rows in another order.
fn seed_of_run(trial: u64, output: &str) -> u64 {
    let hash = blake3::hash(format!("{trial} {output}").as_bytes());
    Xoshiro256PlusPlus::from_seed(*hash.as_bytes()).next_u64()
}

/// A part of a client's work: steps, and the files that they find in the machine's directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClientSteps {
    /// What the machine does.
    pub steps: Vec<Step>,
    /// Name → text.
    pub files: BTreeMap<String, String>,
}

/// A client prepared for one trial: the machine's steps at each stage, and its measurements.
///
/// A pool state is made of `lay_out`; where the lab restarts the server before it measures, also of `start`,
/// `warm_up` and `stop`. A trial is another machine whose drives hold that state: `start`, `warm_up` unless that was
/// done, `measure`, `stop`. Before and after each the file system is off line. Programs run in the machine's own
/// directory.
pub trait Client {
    /// Lays its data out in an empty file system. Nothing of it runs afterwards.
    fn lay_out(&self) -> ClientSteps {
        ClientSteps::default()
    }

    /// Starts what it needs, such as a server.
    fn start(&self) -> ClientSteps {
        ClientSteps::default()
    }

    /// Steps before the measurement: warms caches for at most this many virtual seconds (0 for none), then
    /// runs a ramp unless the measured run has its own.
    fn warm_up(&self, _limit_s: f64) -> ClientSteps {
        ClientSteps::default()
    }

    /// The measured run, one [`Step::Measure`] among the steps.
    fn measure(&self) -> ClientSteps;

    /// Stops what `start` started.
    fn stop(&self) -> ClientSteps {
        ClientSteps::default()
    }

    /// Virtual seconds of its ramp, whether that is a run of its own or not; 0 without one.
    fn ramp_s(&self) -> f64 {
        0.0
    }

    /// Bytes of its data.
    fn data_bytes(&self) -> u64;

    /// Memory of the machine that it needs in addition to a file client's, bytes.
    fn memory(&self) -> u64 {
        0
    }

    /// Its measurements, from its files in the trial's directory.
    ///
    /// # Errors
    /// Why they are not valid.
    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error>;

    /// Its own error message in the machine's directory, if the machine's script failed.
    fn complaint(&self, raw: &Path) -> Option<String>;
}

/// The machine's observations of a trial.
#[derive(Debug)]
pub struct Seen {
    /// Its counters, second by second of the measured run.
    pub samples: Vec<Sample>,
    /// Facts of the built file system.
    pub facts: Facts,
    /// How caches were warmed.
    pub warm_up: Option<WarmUp>,
}

impl Seen {
    /// A client's measurements with those of the machine: `series` is what its logs hold of each second, and how many
    /// operations in all.
    fn with(self, measured: Measured, data_bytes: u64, series: (PerSecond, f64)) -> Measured {
        let (series, logged) = series;
        let seconds = window::seconds(&series, &self.samples, 0.0, measured.runtime_s);
        let mut facts = self.facts;
        facts.insert(Fact::FilesBytes, data_bytes as f64);
        facts.insert(Fact::FilesJobs, 0.0);
        facts.insert(Fact::LoggedOps, logged);
        let totals = window::totals(seconds.iter().map(|second| &second.values));
        Measured { totals, seconds, facts, warm_up: self.warm_up, ..measured }
    }
}

/// The location of a client's programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On this host.
    Host,
    /// No location: for keys, which must not contain a host's path.
    Nowhere,
}

/// The client of a trial.
///
/// # Errors
/// Why it cannot be prepared.
pub fn prepare(inputs: &Inputs, place: Place) -> Result<Box<dyn Client>, Error> {
    Ok(match &inputs.workload.program {
        Program::Fio { origin, job } => Box::new(fio::Client::new(inputs, origin, job, place)?),
        Program::Pgbench(pgbench) => Box::new(pgbench::Client::new(inputs, pgbench, place)?),
        Program::Sysbench(sysbench) => Box::new(sysbench::Client::new(inputs, sysbench, place)?),
        Program::Sqlite(sqlite) => Box::new(sqlite::Client::new(inputs, sqlite)),
        Program::PgTestFsync(test) => Box::new(pg_test_fsync::Client::new(inputs, test, place)?),
    })
}

/// Operations a virtual second that the clients of an open loop offer together; none in a closed loop.
pub fn offered_rate(inputs: &Inputs) -> Option<f64> {
    match &inputs.workload.program {
        Program::Fio { .. } => fio::offered_rate(inputs),
        Program::Pgbench(_) => inputs.rate,
        Program::Sysbench(_) => inputs.rate.map(sysbench::whole_rate),
        Program::PgTestFsync(_) | Program::Sqlite(_) => None,
    }
}

/// The logs of a client's threads or jobs in a directory, `PREFIX.…END`, each with its text. They are sorted by name:
/// sums of fractions depend on their order.
fn logs(
    raw: &Path,
    prefix: &str,
    end: &str,
) -> Result<impl Iterator<Item = Result<(PathBuf, String), Error>>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(raw).map_err(doing(format!("read {}", raw.display())))? {
        let path = entry.map_err(doing(format!("read {}", raw.display())))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix(prefix);
        if rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(end)) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.into_iter().map(|path| {
        let text = fs::read_to_string(&path);
        let text = text.map_err(doing(format!("read {}", path.display())))?;
        Ok((path, text))
    }))
}

/// The steps that run a program for at most so many virtual seconds, all of them where the time is `fixed`.
fn warm(command: Command, limit_s: f64, fixed: bool) -> [Step; 2] {
    let warm = Step::Warm { command, limit_s, period_s: machine::warm::period_s(limit_s), fixed };
    [Step::Stage(Stage::WarmingUp), warm]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_of_a_trial_ask_for_the_same_rows() {
        let seeds = ["warm.out", "ramp.out", "pgbench.out"].map(|output| seed_of_run(7, output));
        assert!(seeds[0] != seeds[1] && seeds[0] != seeds[2] && seeds[1] != seeds[2], "{seeds:?}");
        assert_ne!(seed_of_run(8, "pgbench.out"), seeds[2]);
    }
}
