//! The engine: it runs trials.

pub mod linux;

use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::stop::Stop;
use lab::campaign::{OpenZfs, Program};
use measurement::{Measured, Stage};
use std::path::Path;
use store::Store;

/// Runs trials, also several at once from several threads.
pub trait Engine: Sync {
    /// Identity of the engine build for a client and a release: a hash of kernel, modules, tools, driver and
    /// guest, with version and hash of the client's programs. It is part of every key, so trials of two
    /// builds are never confused.
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
    /// build give the same result to the last bit, on every host. Raw outputs of programs go to `raw`, which
    /// exists and is empty; pool states may be stored, which changes no result. Nothing else is left. While
    /// it runs it checks `stop` at least ten times per second of wall time, and gives `stage` each stage that it reaches.
    ///
    /// # Errors
    /// [`Fault::Failed`] when the trial failed, [`Fault::Interrupted`] when `stop` asked for it,
    /// [`Fault::Environment`] when this host lacks something, so that no trial can run.
    fn run(
        &self,
        inputs: &Inputs,
        raw: &Path,
        states: States,
        stage: &dyn Fn(Stage),
        stop: &Stop,
    ) -> Result<Measured, Fault>;
}

/// Where a trial's pool state may be found, and stored.
#[derive(Clone, Copy)]
pub struct States<'a> {
    /// The store.
    pub store: &'a Store,
    /// Whether later trials begin with the same state. One that is needed once is not worth storing.
    pub needed_again: bool,
}
