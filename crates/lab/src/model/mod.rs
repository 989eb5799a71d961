//! The size scale of a campaign: S, and every stock after shrinking.
//!
//! Stocks (drive sizes, RAM and so the ARC, working sets) are divided by S; flows, times, block sizes and the
//! log vdev's real size are kept. [`resolve`] takes the smallest S at which a machine fits into a fixed
//! amount of memory ([`HostLimits::MACHINE`]), never beyond the caps of [`size_caps`]. It does not depend on the
//! host: a lab has the same model everywhere, and [`host_memory_needed`] is what a host needs for it.

mod demand;
mod does_not_fit;
mod drive_memory;
mod estimate;
pub mod l2arc_feed;
mod memory_limits;
mod notes;
mod parameters;
pub(crate) mod reserved;
mod resolve;
pub mod size_caps;
mod sizes;

pub(crate) use demand::job;
pub use demand::{Demand, demand};
pub use does_not_fit::beyond_pools;
pub use estimate::{Estimate, estimate, expected_rate};
pub use memory_limits::{LISTS, arc_max, dirty_data_max, lists, wrlog_data_max};
pub use parameters::{SET, parameters};
pub use resolve::{HostLimits, cell_model, largest_dirty_data_max, resolve, variant_model};
pub(crate) use sizes::space;
pub use sizes::{drive_capacity, drive_sizes};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// S and what follows from it, resolved once per campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Size scale S ≥ 1.
    pub size: f64,
    /// The rule that limits S, by its [`Rule::name`].
    pub size_bound_by: String,
    /// ARC size of the machine (`zfs_arc_max`), bytes.
    pub arc_max: u64,
    /// Memory of the machine (`mem=`), bytes: ARC, dirty data, in-flight log records and 1 GiB for programs and
    /// kernel, rounded up to 256 MiB.
    pub guest_memory: u64,
    /// `zfs_dirty_data_max` of the machine, bytes.
    pub dirty_data_max: u64,
    /// `zfs_dirty_data_max` of the real server, bytes; bursts are this ratio longer there.
    pub dirty_data_max_real: u64,
    /// `zfs_wrlog_data_max` of the machine, bytes.
    pub wrlog_data_max: u64,
    /// Approximate contents of a trial's drives, bytes, in the variant with the most.
    pub drives_hold: u64,
    /// Module parameters that the scaling sets beside those above; they replace the variant's own. See
    /// [`parameters()`] for all of them together.
    #[serde(default)]
    pub module: BTreeMap<String, i64>,
    /// Every cap that was considered.
    pub caps: Vec<Cap>,
    /// Notes for the reader about this scaling.
    pub notes: Vec<String>,
}

/// Memory of a host that one machine of this model takes at the most, bytes: the guest's, and what its drives come to
/// hold. A model is one variant's; see [`variant_model`] for another's.
pub fn host_memory_needed(model: &Model) -> u64 {
    model.guest_memory.saturating_add(model.drives_hold)
}

/// A limit of S.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cap {
    /// Which.
    #[serde(rename = "name")]
    pub rule: Rule,
    /// `true` when the rule wants S at least this, `false` when at most.
    pub lower: bool,
    /// The bound. Infinite where no S does; JSON, which has no such number, says null.
    #[serde(deserialize_with = "bound")]
    pub bound: f64,
    /// How the number was computed.
    pub why: String,
}

fn bound<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

zfs::named! {
    /// The rules that can limit S.
    pub enum Rule {
        /// Guest memory and drives' contents fit the memory of one machine.
        Memory = "memory",
        /// The ARC holds the dirty-data limit several times.
        DirtyData = "dirty data",
        /// A transaction group rewrites no larger a share of the files.
        Coalescing = "coalescing",
        /// Dirty data hold no larger a share of the records that writes read first.
        ReadModifyWrite = "read-modify-write",
        /// Vdevs keep their embedded log.
        Metaslabs = "metaslabs",
        /// Cache drives are large enough to be persistent.
        L2arc = "L2ARC",
        /// A client's files are large enough to be files.
        Clients = "clients",
    }
}

impl Rule {
    /// The remedy, whatever S is.
    fn remedy(self) -> &'static str {
        match self {
            Self::Memory => "use smaller workloads, or a host with more memory",
            Self::DirtyData => "reduce [scale] dirty_data_max",
            Self::Coalescing | Self::ReadModifyWrite => {
                "reduce [scale] dirty_data_max, or enlarge the workload's files"
            }
            Self::L2arc => "model a larger cache drive",
            Self::Metaslabs => "model larger drives",
            Self::Clients => "enlarge the workload's files, or use fewer jobs",
        }
    }
}

#[cfg(test)]
mod tests;
