//! The scale model of a campaign: S and k, and every stock after shrinking.
//!
//! Stocks (drive sizes, RAM and so the ARC, working sets) are divided by S; flows, times, block
//! sizes and the log vdev's real size are kept. [`resolve`] takes the smallest S that fits this
//! machine's memory and backing store, never beyond the caps of [`caps`].

pub mod caps;
mod demand;
mod estimate;
mod feed;
mod held;
mod machine;
mod resolve;
mod sizes;

pub use caps::{engine_memory, hold};
pub use demand::{Demand, demand};
pub use estimate::{Estimate, estimate};
pub use machine::{LISTS, arc_max, dirty_data_max, lists, unheeded_arc, wrlog_data_max};
pub use resolve::{HostLimits, beyond_pools, of_variant, resolve};
pub use sizes::{drive_capacity, drive_sizes};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The two factors and what follows from them, resolved once per campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Size scale S ≥ 1.
    pub size: f64,
    /// Which rule bound S, in the words of [`Rule::name`].
    pub size_bound_by: String,
    /// Dilation k ≥ 1; none until a campaign's pilot has chosen it.
    pub time: Option<f64>,
    /// No pilot ran to its end, so that k is none but the first one tried. It is chosen again by the next
    /// run of the campaign as long as nothing was measured with it.
    #[serde(default)]
    pub time_guessed: bool,
    /// ARC size of the model (`zfs_arc_max`), bytes.
    pub arc_max: u64,
    /// RAM OpenZFS is told the model has, bytes.
    pub physmem: u64,
    /// `zfs_dirty_data_max` of the model, bytes.
    pub dirty_data_max: u64,
    /// `zfs_dirty_data_max` of the real machine, bytes; bursts are this ratio longer there.
    pub dirty_data_max_real: u64,
    /// `zfs_wrlog_data_max` of the model, bytes.
    pub wrlog_data_max: u64,
    /// About what a trial's drives come to hold, bytes; 0 where a store does not say.
    #[serde(default)]
    pub drives_hold: u64,
    /// Further module parameters that the scaling itself sets, to be applied before the variant's.
    #[serde(default)]
    pub module: BTreeMap<String, i64>,
    /// Intervals of the L2ARC's feed, as a share of `l2arc_feed_secs` and `l2arc_feed_min_ms`.
    #[serde(default = "whole")]
    pub feed_interval: f64,
    /// Every cap that was looked at.
    pub caps: Vec<Cap>,
    /// What the reader must know about this scaling.
    pub notes: Vec<String>,
}

fn whole() -> f64 {
    1.0
}

/// A rule that bounds S.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cap {
    /// Which.
    #[serde(rename = "name")]
    pub rule: Rule,
    /// `true` when the rule wants S at least this, `false` when at most.
    pub lower: bool,
    /// The bound.
    pub bound: f64,
    /// How the number came about.
    pub why: String,
}

/// What can bound S.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// The ARC fits this machine's memory.
    #[serde(rename = "memory")]
    Memory,
    /// What drives hold fits the backing store.
    #[serde(rename = "backing store")]
    BackingStore,
    /// The ARC holds the dirty-data limit several times.
    #[serde(rename = "dirty data")]
    DirtyData,
    /// A transaction group rewrites no larger a share of the files.
    #[serde(rename = "coalescing")]
    Coalescing,
    /// Vdevs keep their embedded log.
    #[serde(rename = "metaslabs")]
    Metaslabs,
    /// Cache drives are large enough to be persistent.
    #[serde(rename = "L2ARC")]
    L2arc,
    /// A client's files are large enough to be files.
    #[serde(rename = "clients")]
    Clients,
}

impl Rule {
    /// As it is printed and serialized.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::BackingStore => "backing store",
            Self::DirtyData => "dirty data",
            Self::Coalescing => "coalescing",
            Self::Metaslabs => "metaslabs",
            Self::L2arc => "L2ARC",
            Self::Clients => "clients",
        }
    }

    /// What helps against it at any S.
    fn remedy(self) -> &'static str {
        match self {
            Self::Memory => "use a machine with more free memory, or model a smaller [host] memory",
            Self::BackingStore => {
                "free space there, put the store elsewhere, or use smaller workloads"
            }
            Self::DirtyData => "reduce [scale] dirty_data_max",
            Self::Coalescing => "reduce [scale] dirty_data_max, or enlarge the workload's files",
            Self::L2arc => "model a larger cache drive",
            Self::Metaslabs => "model larger drives",
            Self::Clients => "enlarge the workload's files, or use fewer jobs",
        }
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests;
