//! The programs that can be clients, one folder each. A new one is a folder with a [`Client`], and a line in
//! [`prepare`].

pub mod fio;
pub mod pgbench;

use crate::engine::linux::steps::MOUNT;
use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::programs;
use crate::window::Sample;
use findings::record::{Measured, WarmUp};
use lab::campaign::Program;
use machine::script::{Command, Step};
use std::collections::BTreeMap;
use std::path::Path;

/// A client made ready for one trial: what the machine does for it at each stage, and what it measured.
///
/// The stages, in order: `lay_out`; the file system is taken off line and on line again; `start`, `pre_read`;
/// `warm_up`, `ramp`; `measure`; `stop`. Where the lab asks for a restart, `stop` comes before `measure`, the file
/// system is taken off line and on line, and `start` comes again. Programs run in the trial's own directory.
pub trait Client {
    /// Lays its data out in an empty file system. Nothing of it runs afterwards.
    fn lay_out(&self) -> Vec<Step>;

    /// Brings up what it works with, such as a server.
    fn start(&self) -> Vec<Step>;

    /// Reads what it is to have in memory; once, after the first start.
    ///
    /// # Errors
    /// That its files cannot be written.
    fn pre_read(&self) -> Result<Vec<Step>, Fault>;

    /// What warms caches up for at most so many virtual seconds.
    ///
    /// # Errors
    /// That its files cannot be written.
    fn warm_up(&self, limit_s: f64) -> Result<Command, Fault>;

    /// A ramp that is a run of its own: its virtual seconds, and the program; none without one.
    ///
    /// # Errors
    /// That its files cannot be written.
    fn ramp(&self) -> Result<Option<(f64, Command)>, Fault>;

    /// The measured run, one [`Step::Measure`] among the steps.
    fn measure(&self) -> Vec<Step>;

    /// Ends what `start` brought up.
    fn stop(&self) -> Vec<Step>;

    /// Virtual seconds of its ramp, whether that is a run of its own or not; 0 without one.
    fn ramp_s(&self) -> f64;

    /// Bytes of its data.
    fn data_bytes(&self) -> u64;

    /// Memory that it takes of the machine beyond what a client of files does, bytes.
    fn memory(&self) -> u64;

    /// What it measured, by the files that it left.
    ///
    /// # Errors
    /// Why that is no measurement.
    fn measured(&self, seen: Seen) -> Result<Measured, Fault>;

    /// The reason that it gave itself where the machine's script failed.
    fn complaint(&self) -> Option<String>;
}

/// What the machine saw of a trial.
#[derive(Debug)]
pub struct Seen {
    /// Its counters, second by second of the measured run.
    pub samples: Vec<Sample>,
    /// Facts of the built file system, by name.
    pub facts: BTreeMap<String, f64>,
    /// How caches were warmed.
    pub warm_up: Option<WarmUp>,
}

/// The client of a trial, whose files and outputs are in `raw`.
///
/// # Errors
/// What of it cannot be prepared.
pub fn prepare(inputs: &Inputs, fio: &programs::Fio, raw: &Path) -> Result<Box<dyn Client>, Fault> {
    match &inputs.workload.program {
        Program::Fio { .. } => Ok(Box::new(fio::Client::new(inputs, fio, raw)?)),
        Program::Pgbench(pgbench) => {
            let client = pgbench::Client::new(inputs, pgbench, Path::new(MOUNT), raw)?;
            Ok(Box::new(client))
        }
    }
}

/// Operations a virtual second that the clients of an open loop offer together; none in a closed loop.
pub fn offered_rate(inputs: &Inputs) -> Option<f64> {
    match &inputs.workload.program {
        Program::Fio { .. } => fio::offered_rate(inputs),
        Program::Pgbench(_) => inputs.rate,
    }
}
