//! The contents of a trial's drives, which are in the host's memory.
//!
//! Freed blocks are counted for one sync only. What a long trial writes beyond that stays in the drives' contents
//! until it is overwritten or trimmed, and is not known beforehand.

use super::demand::Demand;
use super::sizes::{allocatable, sizes};
use super::{l2arc_feed, memory_limits};
use crate::campaign::{AllocationClass, Campaign, Variant};

/// Dirty-data limits whose copy-on-write churn lies on drives at one time: what a sync writes, and what it
/// replaces, which is freed only afterwards.
const CHURN: f64 = 2.0;

/// The contents of a trial's drives, bytes; each part is that of the variant with the most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// Data and what is fed to cache drives, which shrink with S.
    pub stock: f64,
    /// Churn, log and what is fed of records that are written again, which do not.
    pub kept: f64,
    /// The part of `kept` that was fed. A cache drive does not learn that a record has a successor, so
    /// that this grows for as long as a trial writes.
    refed: f64,
    /// How much more than their part of `stock` cache drives would hold if they were full; that shrinks too.
    to_full: f64,
}

impl Held {
    /// At this S, bytes: cache drives are full, or hold what they were fed.
    pub fn at(&self, size: f64) -> u64 {
        let fed = self.refed.min(self.to_full / size);
        (self.stock / size + self.kept - self.refed + fed) as u64
    }

    /// The least S at which `room` bytes hold it.
    pub fn least_size(&self, room: f64) -> f64 {
        let least = |stock: f64, kept: f64| match room - kept {
            left if left > 0.0 => (stock / left).max(1.0),
            _ => f64::INFINITY,
        };
        let full = least(self.stock + self.to_full, self.kept - self.refed);
        least(self.stock, self.kept).min(full)
    }

    pub fn kept_names(&self) -> &'static str {
        if self.refed > 0.0 {
            "replaced blocks that are not freed yet, the log, and rewritten records that are fed to the L2ARC"
        } else {
            "replaced blocks that are not freed yet, and the log"
        }
    }
}

/// The contents of the drives, for each variant's dirty-data limit.
pub(super) fn held(campaign: &Campaign, demand: &Demand, dirty_limits: &[u64]) -> Held {
    let variants = || campaign.variants.iter();
    let most = |of: &dyn Fn(&Variant) -> f64| variants().map(of).fold(0.0, f64::max);
    let dirty = dirty_limits.iter().copied().max().unwrap_or(0);
    let log = |(variant, dirty): (&Variant, &u64)| -> f64 {
        let wrlog = 1.5 * memory_limits::modelled_wrlog(&campaign.host, variant, *dirty) as f64;
        let logs = variant.pool.of_class(AllocationClass::Log);
        let held = |vdev| (allocatable(variant, vdev) as f64).min(wrlog);
        logs.map(|vdev| held(vdev) * vdev.drives.len() as f64).sum()
    };
    let log = variants().zip(dirty_limits).map(log).fold(0.0, f64::max);
    let caches = |variant: &Variant| {
        sizes(variant, AllocationClass::Cache).map(|bytes| bytes as f64).sum::<f64>()
    };
    let data = demand.working_set as f64 * demand.compressed;
    let cached = most(&|variant| caches(variant).min(data));
    let refed = most(&|variant| match caches(variant) {
        0.0 => 0.0,
        _ => l2arc_feed::cold(variant) * demand.rewritten_s,
    });
    Held {
        stock: data * demand.expansion + cached,
        kept: CHURN * dirty as f64 * demand.expansion + log + refed,
        refed,
        to_full: most(&caches) - cached,
    }
}
