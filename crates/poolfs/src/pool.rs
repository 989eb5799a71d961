//! What the control channel drives: a pool on emulated drives, or a stand-in for tests.

use crate::clock::Clock;
use crate::emulator::{Counters, Service};
use crate::protocol::{Build, Pace, Refusal};
use crate::volume::Volume;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A pool that was built or imported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Built {
    /// Real sizes and what else is for the record.
    pub facts: BTreeMap<String, f64>,
    /// Records replayed from the intent log.
    pub replayed: u64,
}

/// A counter and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Its name in [`crate::protocol::counters`].
    pub name: String,
    /// A level (a size), not a running total.
    pub level: bool,
    /// Its value.
    pub value: f64,
}

/// What one drive has done.
#[derive(Debug)]
pub struct DriveState {
    /// `hdd3`.
    pub name: String,
    /// Its running totals.
    pub counters: Counters,
}

/// Where a pool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// New drives.
    New,
    /// Drives that are there.
    Drives,
    /// The same, though its log drives may be missing.
    DrivesWithoutLog,
}

/// The result of a request.
pub type Result<T> = std::result::Result<T, Refusal>;

/// A pool. Calls may come from two threads: requests one after the other, and the sampler's
/// questions meanwhile.
pub trait Pool: Send + Sync {
    /// Full version of the library, and whether it was built with assertions.
    fn version(&self) -> (String, bool);
    /// Makes the drives and the pool, or opens both again.
    ///
    /// # Errors
    /// When one was built already, or with what the library refused.
    fn build(&self, build: &Build, origin: Origin) -> Result<Built>;
    /// The clock, once built.
    fn clock(&self) -> Option<Clock>;
    /// A dataset of the pool (`""` is the root) or a raw drive (`drive:hdd0`).
    ///
    /// # Errors
    /// When there is none of that name.
    fn volume(&self, name: &str) -> Result<Arc<dyn Volume>>;
    /// Waits until everything dirty is on the drives.
    ///
    /// # Errors
    /// When the pool refuses.
    fn drain(&self) -> Result<()>;
    /// Exports the pool; nothing uses its volumes any more.
    ///
    /// # Errors
    /// When something does.
    fn export(&self) -> Result<()>;
    /// Imports the pool exported before.
    ///
    /// # Errors
    /// With what the library refused.
    fn import(&self) -> Result<Built>;
    /// Lets a drive fail.
    ///
    /// # Errors
    /// When there is none of that name.
    fn fail_drive(&self, name: &str) -> Result<()>;
    /// How fast drives are from now on.
    fn set_pace(&self, pace: Pace);
    /// Every counter of the pool.
    fn counters(&self) -> Vec<Counter>;
    /// Every drive's running totals.
    fn drives(&self) -> Vec<DriveState>;
    /// Every drive's service times since the last call, one for each kind of request.
    fn take_service(&self) -> Vec<(String, Service)>;
    /// What has failed, a sentence each, for as long as it lasts. Waits for no request under way.
    fn faults(&self) -> Vec<String>;
    /// Why the model cannot go on: whatever is measured from now on is of this machine. Waits for no
    /// request under way.
    fn broken(&self) -> Option<String> {
        None
    }
    /// Exports the pool if there is one and stops the library.
    ///
    /// # Errors
    /// When the pool is in use.
    fn stop(&self) -> Result<()>;
}

/// A refusal with a message.
pub fn refusal(message: impl Into<String>) -> Refusal {
    Refusal {
        message: message.into(),
    }
}
