//! The programs that can be clients, one folder each. A new one is a folder with a [`Client`], and a line in
//! [`prepare`].

pub mod database;
pub mod fio;
pub mod pgbench;
pub mod sysbench;

use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::programs::Fio;
use crate::window::Sample;
use lab::campaign::Program;
use machine::script::{Command, Step};
use measurement::{Facts, Measured, Stage, WarmUp};
use std::collections::BTreeMap;
use std::path::Path;

/// A part of a client's work: steps, and the files that they find in the machine's directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// What the machine does.
    pub steps: Vec<Step>,
    /// Name → text.
    pub files: BTreeMap<String, String>,
}

/// A client made ready for one trial: what the machine does for it at each stage, and what it measured.
///
/// A pool state is made of `lay_out`; where the lab restarts the server before it measures, also of `start`,
/// `warm_up` and `stop`. A trial is another machine whose drives hold that state: `start`, `warm_up` unless that was
/// done, `measure`, `stop`. Before and after each the file system is off line. Programs run in the machine's own
/// directory.
pub trait Client {
    /// Lays its data out in an empty file system. Nothing of it runs afterwards.
    fn lay_out(&self) -> Part;

    /// Brings up what it works with, such as a server.
    fn start(&self) -> Part;

    /// What is not counted: warms caches up for at most so many virtual seconds, 0 for not at all, and then
    /// runs for a ramp unless the measured run has one of its own.
    fn warm_up(&self, limit_s: f64) -> Part;

    /// The measured run, one [`Step::Measure`] among the steps.
    fn measure(&self) -> Part;

    /// Ends what `start` brought up.
    fn stop(&self) -> Part;

    /// Virtual seconds of its ramp, whether that is a run of its own or not; 0 without one.
    fn ramp_s(&self) -> f64;

    /// Bytes of its data.
    fn data_bytes(&self) -> u64;

    /// Memory that it takes of the machine beyond what a client of files does, bytes.
    fn memory(&self) -> u64;

    /// What it measured, by the files that it left in the trial's directory.
    ///
    /// # Errors
    /// Why that is no measurement.
    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Fault>;

    /// The reason that it gave itself, in files of a machine's directory, where the machine's script failed.
    fn complaint(&self, raw: &Path) -> Option<String>;
}

/// What the machine saw of a trial.
#[derive(Debug)]
pub struct Seen {
    /// Its counters, second by second of the measured run.
    pub samples: Vec<Sample>,
    /// Facts of the built file system.
    pub facts: Facts,
    /// How caches were warmed.
    pub warm_up: Option<WarmUp>,
}

/// Where a client's programs are.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// On this host.
    Host(&'a Fio),
    /// On none: for keys, in which no path of a host may stand.
    Nowhere,
}

/// The client of a trial.
///
/// # Errors
/// What of it cannot be prepared.
pub fn prepare(inputs: &Inputs, place: Place) -> Result<Box<dyn Client>, Fault> {
    Ok(match &inputs.workload.program {
        Program::Fio { .. } => Box::new(fio::Client::new(inputs, place)?),
        Program::Pgbench(pgbench) => Box::new(pgbench::Client::new(inputs, pgbench, place)?),
        Program::Sysbench(sysbench) => Box::new(sysbench::Client::new(inputs, sysbench, place)?),
    })
}

/// Operations a virtual second that the clients of an open loop offer together; none in a closed loop.
pub fn offered_rate(inputs: &Inputs) -> Option<f64> {
    match &inputs.workload.program {
        Program::Fio { .. } => fio::offered_rate(inputs),
        Program::Pgbench(_) | Program::Sysbench(_) => inputs.rate,
    }
}

/// The steps that run a program for at most so many virtual seconds, all of them where the time is `fixed`.
fn warm(command: Command, limit_s: f64, fixed: bool) -> [Step; 2] {
    let warm = Step::Warm { command, limit_s, period_s: machine::warm::period_s(limit_s), fixed };
    [Step::Stage(Stage::WarmingUp), warm]
}
