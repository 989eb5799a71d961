//! Emulated drives: a timing model, a durable backing file and a log of what a power cut may lose.
//!
//! Data moves when a request is submitted, on the submitter's thread; a request completes when its
//! drive's model says so, on a thread of the timer's. A kill of the process is the power cut: what the
//! drives had not flushed by then is in their logs, and [`power_cut`] makes one of the states that
//! a real power cut could have left. Drives of which nothing is wanted after the process lie in an
//! [`Arena`] and have no logs.

mod arena;
mod backing;
mod cut;
mod drive;
mod log;
mod oversleep;
mod rot;
mod statistics;
mod timer;
mod written;

#[cfg(test)]
mod tests;

pub use arena::Arena;
pub use cut::{CutReport, copy_store, power_cut};
pub use drive::{Drive, Geometry, Spec};
pub use rot::rot;
pub use statistics::{Counters, Service};

use crate::clock::Clock;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use timer::Timer;

/// A request on its way through a drive.
pub trait Io: Send + 'static {
    /// What is asked.
    fn op(&self) -> drives::Op;
    /// First byte.
    fn offset(&self) -> u64;
    /// Bytes; 0 for a flush.
    fn length(&self) -> u64;
    /// What to write.
    fn data(&self) -> &[u8];
    /// Where to put what is read.
    fn data_mut(&mut self) -> &mut [u8];
    /// Done, or failed with a positive errno; called exactly once, from any thread.
    fn complete(self, result: Result<(), i32>);
}

/// How the timer keeps time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// The last stretch before a completion that is spun instead of slept, real time. Longer keeps
    /// better time and takes processor time from everything else; zero never spins. None: as long
    /// as sleeps on this machine turn out to end late.
    pub spin: Option<Duration>,
}

/// Where the drives' data lies.
#[derive(Debug, Clone)]
pub enum Place {
    /// In files of this directory, which outlive the process.
    Files(PathBuf),
    /// In space that is free again once the process has ended.
    Arena(Arc<Arena>),
}

/// The drives of a process and the threads that complete their requests.
pub struct Emulator<I: Io> {
    clock: Clock,
    place: Place,
    instant: Arc<AtomicBool>,
    timer: Timer<I>,
}

impl<I: Io> Emulator<I> {
    /// No drives yet.
    ///
    /// # Errors
    /// When the timer's threads cannot be started.
    pub fn new(clock: Clock, place: Place, settings: Settings) -> io::Result<Self> {
        Ok(Self {
            clock,
            place,
            instant: Arc::new(AtomicBool::new(false)),
            timer: Timer::start(clock, settings)?,
        })
    }

    /// Whether requests complete as soon as their data is stored, without a timing model. Those
    /// already inside a model are finished by it.
    pub fn set_instant(&self, instant: bool) {
        self.instant.store(instant, Ordering::Relaxed);
    }

    /// Makes a drive, or opens it again when there are files of it.
    ///
    /// # Errors
    /// When its files cannot be made or opened; the message names the file.
    pub fn add(&self, spec: &Spec) -> io::Result<Arc<Drive<I>>> {
        let drive = Drive::open(
            &self.place,
            spec,
            self.clock,
            Arc::clone(&self.instant),
            self.timer.handle(),
        )?;
        let drive = Arc::new(drive);
        self.timer.register(&drive);
        Ok(drive)
    }
}

/// Adds what was attempted on which file to an error.
fn naming(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    let path = path.display().to_string();
    move |e| io::Error::new(e.kind(), format!("{what} {path}: {e}"))
}
