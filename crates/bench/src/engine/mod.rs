//! The engine: it runs trials.

pub mod linux;

use crate::error::Error;
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
    /// [`Error::Environment`] when this host has no engine for that release, or lacks the client.
    fn build_id(&self, openzfs: OpenZfs, client: &Program) -> Result<String, Error>;

    /// The full version of OpenZFS that runs for a release: `2.4.4`. It follows from the build.
    ///
    /// # Errors
    /// As [`Engine::build_id`].
    fn version(&self, openzfs: OpenZfs) -> Result<String, Error>;

    /// Runs one trial to its end. The result is a pure function of the inputs: the same inputs on the same
    /// build give the same result to the last bit, on every host. Pool states may be stored, which changes no
    /// result. Nothing is left but that and the raw outputs.
    ///
    /// # Errors
    /// [`Error::Failed`] when the trial failed, [`Error::Interrupted`] when it was asked to stop,
    /// [`Error::Environment`] when this host lacks something, so that no trial can run.
    fn run(&self, inputs: &Inputs, context: &TrialContext) -> Result<Measured, Error>;
}

/// What a trial runs in. Nothing of it enters the result.
#[derive(Clone, Copy)]
pub struct TrialContext<'a> {
    /// Where raw outputs of programs go. It exists and is empty.
    pub raw: &'a Path,
    /// Where its pool state may be found, and stored.
    pub store: &'a Store,
    /// Whether later trials begin with the same state. One that is needed once is not worth storing.
    pub state_needed_again: bool,
    /// Gets each stage that it reaches.
    pub stage: &'a dyn Fn(Stage),
    /// Is checked at least ten times per second of wall time.
    pub stop: &'a Stop,
}
