//! Which checks of docs/validation cover a campaign.

use super::Processor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part that results rest on, and how far it was held against something outside the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum Validation {
    /// The timing model of one kind of drive, against published figures of that drive.
    Drive {
        /// The kind of drive in the lab.
        kind: String,
        /// Its profile.
        profile: String,
        /// What was compared.
        state: DriveState,
    },
    /// Linux, OpenZFS and fio together, against the reference pool.
    Pool {
        /// How the campaign differs from what the reference has; empty where it covers all of it.
        beyond: Vec<Beyond>,
    },
    /// The charges for compute.
    Processor {
        /// How compute was counted.
        processor: Processor,
        /// Cells whose modelled cores were busy nearly all the time: they rest on the charges.
        bound: u32,
        /// Cells with a trial.
        cells: u32,
    },
    /// The size scale S.
    Size {
        /// S of the campaign.
        size: f64,
        /// How it was checked.
        state: SizeState,
    },
    /// The published table that the lab's question is from.
    Published {
        /// Its key, a file of published/.
        key: String,
    },
    /// The network: clients run on the modelled server, and nothing of it is checked.
    Network,
}

/// What a drive's profile was compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum DriveState {
    /// Published figures of the drive were measured in the machine.
    Compared {
        /// Figures that no number of the profile was chosen by.
        held_out: u32,
        /// The largest difference among those, as a share of the published figure; none without any.
        worst: Option<f64>,
        /// Figures that numbers of the profile were chosen by.
        fitted: u32,
    },
    /// The profile has no published figure that was measured in the machine.
    NotCompared,
    /// The lab changes numbers of the profile: what holds of the profile need not hold of the drive.
    Changed,
    /// A profile of the lab's own.
    Own,
}

/// What a campaign has that the reference pool has not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "beyond", rename_all = "kebab-case")]
pub enum Beyond {
    /// Another stack than ZFS.
    Stack {
        /// Its name: `md`.
        stack: String,
    },
    /// A release that the reference was not measured with.
    Release {
        /// `2.4`.
        release: String,
    },
    /// Data vdevs of another layout.
    Layout {
        /// `mirror`.
        layout: String,
    },
    /// Log vdevs on disks or behind a RAID card.
    LogOnDisks,
    /// A dedup vdev.
    Dedup,
    /// A workload whose client is a database or another program than fio.
    Client {
        /// Its name.
        workload: String,
    },
}

/// How S was checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum SizeState {
    /// The model has the real server's size.
    Whole,
    /// The campaign's own cells were measured at other S.
    Measured {
        /// Cells at other S.
        cells: u32,
        /// How many of them differ by more than 10 %.
        moved: u32,
    },
    /// Not in this campaign; S is among those of the lab self-check, another pool.
    Elsewhere {
        /// Smallest S of it.
        from: f64,
        /// Largest.
        to: f64,
    },
    /// Neither here nor in the lab self-check.
    Unchecked {
        /// Smallest S of the lab self-check; none where it has no result.
        from: Option<f64>,
        /// Largest.
        to: Option<f64>,
    },
}
