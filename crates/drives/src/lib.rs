//! Timing models of drives.
//!
//! A [`Drive`] takes requests and returns completions. It holds no data, reads no clock and never
//! sleeps: its caller passes the time with each call. The kernel of the machine is that caller in a
//! trial (`linux/driver/block.c`, in virtual time), [`closed_loop`] in the tests. A [`Profile`] holds
//! the numbers of one drive model and makes drives from them; the formulas and what they leave out
//! are in `docs/explanation/drives.md`.

mod attachment;
mod card;
pub mod closed_loop;
mod completion_queue;
mod cover;
mod elevator;
mod error;
mod flash;
mod hdd;
mod instant;
mod link;
mod number;
mod profile;
mod random;

pub use attachment::Attachment;
pub use card::{Card, RaidLevel};
pub use elevator::Elevator;
pub use error::ProfileError;
pub use flash::{Flash, Placement};
pub use hdd::Hdd;
pub use number::ProfileNumber;
pub use profile::{FlushBehaviour, Profile, TimingModel};

/// Nanoseconds of virtual time, the time of the modelled machine.
pub type Nanos = u64;

/// Operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Read `length` bytes at `offset`.
    Read,
    /// Write `length` bytes at `offset`.
    Write,
    /// Make everything written so far durable (SCSI SYNCHRONIZE CACHE, NVMe Flush).
    Flush,
    /// Discard `length` bytes at `offset`.
    Discard,
}

/// One request as it reaches the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub op: Op,
    /// First byte, on the scaled drive.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Force unit access: a write that completes when its data is durable. The block layer sets it only
    /// for a drive whose [`Attachment::fua`] is true; the models of other drives take the write as an
    /// ordinary one.
    pub fua: bool,
}

impl Request {
    /// A request without FUA.
    pub fn new(op: Op, offset: u64, length: u64) -> Self {
        Self { op, offset, length, fua: false }
    }

    /// A flush.
    pub fn flush() -> Self {
        Self::new(Op::Flush, 0, 0)
    }
}

/// A finished request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The tag under which the request was submitted.
    pub tag: u64,
    /// When the model says that it finished, in virtual ns; never later than the `now` it is
    /// reported at, and the time from which the drive's own next work is booked.
    pub at: Nanos,
}

/// A drive's timing model.
///
/// Calls must not go back in time: `now` never decreases over a drive's life.
pub trait Drive: Send {
    /// A request arrives at `now` under a `tag` that is unique among those outstanding.
    fn submit(&mut self, now: Nanos, tag: u64, request: Request);
    /// The earliest virtual time at which [`Drive::advance`] may have something to report.
    fn next_event(&self) -> Option<Nanos>;
    /// Plays the drive forward to `now` and appends what finished, in order of completion.
    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>);
}
