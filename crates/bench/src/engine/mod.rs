//! What a variant is built on.

mod log;
pub mod scale;

use crate::fault::Fault;
use lab::campaign::OpenZfs;
use poolfs::protocol::{Build, Hello, Pace};
use std::collections::BTreeMap;
use std::path::Path;

/// Something that can build variants.
pub trait Engine {
    /// Starts a process that can build one variant; its output goes below `raw`.
    ///
    /// # Errors
    /// [`Fault::Environment`] when there is no engine for that release on this machine.
    fn session(&self, openzfs: OpenZfs, raw: &Path) -> Result<Box<dyn Session>, Fault>;
}

/// A variant being built, measured and taken down. Dropping a session kills what is left of it,
/// its mounts included. Every call returns within a bounded real time.
pub trait Session {
    /// Who is answering.
    fn hello(&self) -> &Hello;
    /// Processor time that the engine's process has used, in real seconds; none once it is gone.
    fn cpu_s(&self) -> Option<f64>;
    /// Makes drives, pool and datasets. Returns facts of the built pool, by name.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn build(&mut self, build: Build) -> Result<BTreeMap<String, f64>, Fault>;
    /// Opens drives that are there and imports their pool, as after a power cut. Returns how many
    /// records were replayed from the intent log.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn import(&mut self, build: Build) -> Result<u64, Fault>;
    /// The same although log drives are missing, as `zpool import -m`.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn import_without_log(&mut self, build: Build) -> Result<u64, Fault> {
        self.import(build)
    }
    /// Lets a drive fail: from now on every request to it errors.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn fail_drive(&mut self, drive: &str) -> Result<(), Fault> {
        Err(Fault::failed(format!(
            "this engine cannot let drive {drive} fail"
        )))
    }
    /// Mounts a dataset on an empty directory, for clients that have up to so many requests under way at
    /// once. Returns the features of kernel and mount.
    ///
    /// # Errors
    /// What the engine refused, how it died, or that nothing is mounted there.
    fn mount(&mut self, dataset: &str, dir: &Path, requests: usize) -> Result<Vec<String>, Fault>;
    /// How fast drives are from now on. An engine that cannot change it answers `false`.
    ///
    /// # Errors
    /// How the engine died.
    fn pace(&mut self, pace: Pace) -> Result<bool, Fault>;
    /// Waits until everything dirty is on the drives.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn drain(&mut self) -> Result<(), Fault>;
    /// Exports and imports the pool: an empty ARC.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn reopen(&mut self) -> Result<(), Fault>;
    /// Samples each virtual second, or stops to.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn sample(&mut self, on: bool) -> Result<(), Fault>;
    /// Stage times and counts since the last call.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn stages(&mut self) -> Result<BTreeMap<String, f64>, Fault>;
    /// What happened since the last call, without waiting.
    ///
    /// # Errors
    /// How the engine died.
    fn happenings(&mut self) -> Result<Vec<Happening>, Fault>;
    /// Unmounts, exports and ends.
    ///
    /// # Errors
    /// What the engine refused, or how it died.
    fn stop(&mut self) -> Result<(), Fault>;
    /// Ends the process at once, as a power cut would; whatever waits for its mounts gets an error.
    fn kill(&mut self);
}

/// Something an engine told of its own accord.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// One virtual second of counters.
    Sample {
        /// Virtual seconds since the pool was built.
        at: f64,
        /// Name → value.
        values: BTreeMap<String, f64>,
    },
    /// An operation waits, or a drive failed: worth a note beside the result.
    Note(String),
}
