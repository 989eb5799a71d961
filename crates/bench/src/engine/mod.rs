//! What runs a trial.

pub mod linux;

use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::stop::Stop;
use findings::record::Measured;
use lab::campaign::{OpenZfs, Program};
use std::path::Path;
use store::Store;

/// Something that can run trials, several at once from several threads.
pub trait Engine: Sync {
    /// Identity of what runs a client on a release: a hash of kernel, modules, tools, driver and guest, with
    /// version and hash of the client's programs. It is part of every key: trials of two builds are never
    /// taken for each other.
    ///
    /// # Errors
    /// [`Fault::Environment`] when this host has no engine for that release, or lacks the client.
    fn build_id(&self, openzfs: OpenZfs, client: &Program) -> Result<String, Fault>;

    /// The full version of OpenZFS that runs for a release: `2.4.4`. It follows from the build.
    ///
    /// # Errors
    /// As [`Engine::build_id`].
    fn version(&self, openzfs: OpenZfs) -> Result<String, Fault>;

    /// Runs one trial to its end. The result is a pure function of the inputs: the same inputs on the same
    /// build give the same result to the last bit, on every host. Raw outputs of programs go to `raw`,
    /// which exists and is empty; `store` may keep pool states, which change no result. Nothing else stays. While it runs it looks at `stop` at least ten times
    /// a second of wall time.
    ///
    /// # Errors
    /// [`Fault::Failed`] when the trial failed, [`Fault::Interrupted`] when `stop` asked for it,
    /// [`Fault::Environment`] when this host lacks something, so that no trial can run.
    fn run(
        &self,
        inputs: &Inputs,
        raw: &Path,
        store: &Store,
        watch: &dyn TrialWatch,
        stop: &Stop,
    ) -> Result<Measured, Fault>;
}

/// Whom a trial tells what it does.
pub trait TrialWatch: Sync {
    /// The trial has come to a step.
    fn step(&self, step: Step);
}

/// A [`TrialWatch`] that ignores everything.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl TrialWatch for Unwatched {
    fn step(&self, _step: Step) {}
}

/// What a trial is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The machine starts.
    Booting,
    /// Drives, pool and datasets are made.
    Building,
    /// The client's files are laid out.
    LayingOut,
    /// Everything dirty is written; the pool is exported and imported.
    Settling,
    /// The client works until the caches are warm.
    WarmingUp,
    /// The measured window, ramp included.
    Measuring,
}

impl Step {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Step::Booting => "booting",
            Step::Building => "building the pool",
            Step::LayingOut => "laying out files",
            Step::Settling => "settling",
            Step::WarmingUp => "warming up",
            Step::Measuring => "measuring",
        }
    }
}
