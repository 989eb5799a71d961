//! The rules that limit S, each with the computation of its number.
//!
//! The lower bound is what a machine may take of a host's memory; the upper bounds keep the machine's
//! behaviour that of the real server.

use super::demand::Demand;
use super::drive_memory::held;
use super::memory_limits;
use super::sizes::{LEAST_CACHE, sizes};
use super::{Cap, HostLimits, Rule};
use crate::campaign::{AllocationClass, Campaign};
use crate::units::about;

/// The ARC of the machine holds at least this many times `zfs_dirty_data_max`, or
/// `arc_tempreserve_space` refuses transactions, each of which then waits for a whole txg.
const ARC_TO_DIRTY: f64 = 4.0;
/// A txg is pushed when this share of the dirty-data limit is full (`zfs_dirty_data_sync_percent`).
const TXG_PUSH: f64 = 0.2;
/// Share of a working set's blocks that one txg may rewrite before coalescing makes destaging look
/// cheap; real servers stay near 1 %.
const COALESCING: f64 = 0.05;
/// Share of a working set's records that the dirty-data limit may hold where a write reads its record first.
/// Dirty records need not be read: at 16 %, beside an ARC of 62 %, 93 % of the writes of hk-sync-l2arc-filled found
/// theirs in memory, and the pool did 3.8 times the operations that it did with 5 % (docs/explanation/scale.md).
const DIRTY_RECORDS: f64 = 0.1;
/// A vdev has an embedded log above 64 metaslabs, which are 512 MiB each on a small vdev.
const EMBEDDED_LOG: f64 = (65u64 * (512 << 20)) as f64;
/// A client's files shrunk below this no longer hold a random access pattern.
const CLIENT_FILES: f64 = (16 << 20) as f64;

/// That S may be at most this, and at least 1.
fn at_most(rule: Rule, bound: f64, why: String) -> Cap {
    Cap { rule, lower: false, bound: bound.max(1.0), why }
}

/// S must be at least this for a machine to fit its memory, for each variant's dirty-data limit.
pub(super) fn memory(
    campaign: &Campaign,
    demand: &Demand,
    limits: &HostLimits,
    dirty_limits: &[u64],
) -> Cap {
    let arc = arcs(campaign).max().unwrap_or(0);
    let dirty = dirty_limits.iter().copied().max().unwrap_or(0);
    let wrlog = |(variant, dirty): (_, &u64)| {
        memory_limits::modelled_wrlog(&campaign.host, variant, *dirty)
    };
    let wrlog = campaign.variants.iter().zip(dirty_limits).map(wrlog).max().unwrap_or(0);
    let guest = memory_limits::guest_memory_kept(dirty, wrlog) as f64;
    let mut held = held(campaign, demand, dirty_limits);
    held.stock += arc as f64;
    let why = format!(
        "ARC and contents of drives, {} ÷ S, plus dirty data, programs, {} ({} at any S) must fit into the {} that one machine may take",
        about(held.stock as u64),
        held.kept_names(),
        about((guest + held.kept) as u64),
        about(limits.memory)
    );
    let bound = held.least_size(limits.memory as f64 - guest);
    Cap { rule: Rule::Memory, lower: true, bound, why }
}

/// S may be at most this for the ARC to hold four dirty-data limits, in the variant with the least room for them.
pub(super) fn dirty_data(campaign: &Campaign, dirty_limits: &[u64]) -> Cap {
    let both = arcs(campaign).zip(dirty_limits.iter().copied());
    let (arc, dirty) = both
        .min_by(|a, b| (a.0 as f64 / a.1 as f64).total_cmp(&(b.0 as f64 / b.1 as f64)))
        .unwrap_or((0, 1));
    let why = format!(
        "the model's ARC, {} ÷ S, must hold {ARC_TO_DIRTY} times zfs_dirty_data_max ({})",
        about(arc),
        about(dirty)
    );
    at_most(Rule::DirtyData, arc as f64 / (ARC_TO_DIRTY * dirty as f64), why)
}

/// S may be at most this for one txg to rewrite no larger a share of the blocks than it may.
pub(super) fn coalescing(demand: &Demand, dirty: u64, dirty_real: u64) -> Option<Cap> {
    let bytes = demand.random_writes? as f64;
    let real = TXG_PUSH * dirty_real as f64 / bytes;
    let share = real.max(COALESCING);
    let bound = share * bytes / (TXG_PUSH * dirty as f64);
    let percent = |share: f64| 100.0 * share.min(1.0);
    let why = format!(
        "a txg of {} may rewrite at most {:.1} % of the randomly written data, {} ÷ S ({:.1} % on the real server)",
        about((TXG_PUSH * dirty as f64) as u64),
        percent(share),
        about(bytes as u64),
        percent(real)
    );
    Some(at_most(Rule::Coalescing, bound, why))
}

/// S may be at most this for the dirty-data limit to hold no larger a share of the records that writes read first.
pub(super) fn read_modify_write(demand: &Demand, dirty: u64, dirty_real: u64) -> Option<Cap> {
    let bytes = demand.read_modify_write? as f64;
    let real = dirty_real as f64 / bytes;
    let share = real.max(DIRTY_RECORDS);
    let percent = |share: f64| 100.0 * share.min(1.0);
    let why = format!(
        "zfs_dirty_data_max = {} may hold at most {:.0} % of the files whose records are read before a write, {} ÷ S ({:.1} % on the real server)",
        about(dirty),
        percent(share),
        about(bytes as u64),
        percent(real)
    );
    Some(at_most(Rule::ReadModifyWrite, share * bytes / dirty as f64, why))
}

/// S may be at most this for every data vdev that has an embedded log to keep it.
pub(super) fn metaslabs(campaign: &Campaign) -> Option<Cap> {
    let logless =
        campaign.variants.iter().filter(|variant| !variant.pool.has(AllocationClass::Log));
    let data = logless.flat_map(|variant| sizes(variant, AllocationClass::Normal));
    let least = data.filter(|bytes| *bytes as f64 > EMBEDDED_LOG).min()?;
    let why = format!(
        "a vdev, {} ÷ S, must have more than 64 metaslabs: with 64 or fewer it has no embedded log",
        about(least)
    );
    Some(at_most(Rule::Metaslabs, least as f64 / EMBEDDED_LOG, why))
}

/// S may be at most this for cache drives to stay above 1 GiB.
pub(super) fn l2arc(campaign: &Campaign) -> Option<Cap> {
    let caches = campaign.variants.iter().flat_map(|v| sizes(v, AllocationClass::Cache));
    let least = caches.min()?;
    let why = format!(
        "a cache drive, {} ÷ S, must stay above 1 GiB: on a smaller one the L2ARC is not persistent",
        about(least)
    );
    Some(at_most(Rule::L2arc, least as f64 / LEAST_CACHE as f64, why))
}

/// S may be at most this for each client's files to stay above 16 MiB.
pub(super) fn clients(demand: &Demand) -> Option<Cap> {
    let each = demand.least_client_bytes?;
    let bytes = about(each);
    let why = match each as f64 > CLIENT_FILES {
        true => format!("a client's files, {bytes} ÷ S, must stay above 16 MiB"),
        false => format!("a client's files, {bytes}, are at most 16 MiB and are not scaled"),
    };
    Some(at_most(Rule::Clients, each as f64 / CLIENT_FILES, why))
}

/// ARCs of the real servers of the variants, bytes.
fn arcs(campaign: &Campaign) -> impl Iterator<Item = u64> {
    let arc = |variant| memory_limits::arc_max(&campaign.host, variant);
    campaign.variants.iter().map(arc)
}
