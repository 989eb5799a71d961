//! A trial, and the kinds of trials.

use crate::result::TrialResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One trial: a cell run once with one seed. A pure function of its inputs: the same key has the same
/// content, to the byte, on every host. Nothing in it comes from the host's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Hash of its inputs, in lower-case hexadecimal: the name it is stored under.
    pub key: String,
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Which repeat of the cell, from 0.
    pub repeat: u32,
    /// Seed of its data, drives and offsets.
    pub seed: u64,
    /// Size scale S it ran at.
    pub size: f64,
    /// Full version of OpenZFS: `2.4.4`.
    pub openzfs: String,
    /// For a rung of an open-loop ladder: operations a virtual second that the clients are to begin, all
    /// jobs together. Latency is then counted from the intended start. None for a closed
    /// loop. Trials of one variant and workload at different rates are different rungs, and none of
    /// them belongs to the closed-loop cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_rate: Option<f64>,
    /// For a re-run with one number of a drive changed: which, and by how much. Such a trial shows
    /// how far a verdict holds; it belongs to no cell and no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<Perturbation>,
    /// For a re-run with one cost removed from the machine: which. It belongs to no cell and no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Cost>,
    /// What came of it.
    pub outcome: TrialResult,
}

impl Trial {
    /// What kind of trial it is; a trial at another size scale counts as a repeat.
    pub fn kind(&self) -> TrialKind {
        match (&self.rerun, self.without, self.offered_rate) {
            (Some(change), _, _) => TrialKind::Rerun(change.clone()),
            (None, Some(cost), _) => TrialKind::Without(cost),
            (None, None, Some(rate)) => TrialKind::Rate(rate),
            (None, None, None) => TrialKind::Repeat,
        }
    }

    /// Whether it is a repeat of its closed-loop cell: neither a rung of a ladder nor a re-run with
    /// other numbers or with a cost removed.
    pub fn is_repeat(&self) -> bool {
        self.kind() == TrialKind::Repeat
    }
}

/// How a trial differs from others of its cell.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialKind {
    /// A repeat of the closed-loop cell.
    Repeat,
    /// A rung of an open-loop ladder: operations a virtual second of all jobs together.
    Rate(f64),
    /// A re-run with one number of a drive changed.
    Rerun(Perturbation),
    /// The cell at another size scale S.
    Size(f64),
    /// The cell with one cost removed from the machine.
    Without(Cost),
}

/// A cost that the machine can be run without, to see what a cell waits for. Each is a knob of the
/// machine (of its drives, its processor or a module parameter), never an edit of a result.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Flushes of the drives that take the intent log complete at once.
    LogFlush,
    /// Writes to the log vdevs complete at once.
    LogWrite,
    /// Reads from the pool's drives complete at once.
    PoolRead,
    /// OpenZFS does not delay writers for dirty data.
    WriteThrottle,
    /// Compute takes no virtual time.
    Processor,
    /// The ARC holds everything the client touches.
    ArcSize,
    /// Disks move their heads in no time; the platters still turn.
    Seek,
}

/// A number of a drive profile, changed for a re-run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Perturbation {
    /// The kind of drive in the lab: `optane`.
    pub drive: String,
    /// The number, by its path in the profile: `flash.flush_us`.
    pub parameter: String,
    /// New ÷ stated value; above 0.
    pub factor: f64,
}
