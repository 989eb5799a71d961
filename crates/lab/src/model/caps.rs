//! The rules that bound S, each with how its number came about.
//!
//! Lower bounds come from this machine (memory, backing store); upper bounds keep the model's
//! behaviour that of the real machine.

use super::demand::Demand;
use super::held::held;
use super::machine;
use super::sizes::{LEAST_CACHE, allocatable};
use super::{Cap, HostLimits, Model, Rule};
use crate::campaign::{Campaign, Class};
use crate::units::about;

/// Share of this machine's free memory that the modelled pool may take; the rest is for the client,
/// the page cache under the backing files, and whatever else runs.
const MEMORY_SHARE: f64 = 0.6;
/// What the engine takes beside the ARC, bytes.
const ENGINE: f64 = (768 << 20) as f64;
/// Bytes the ARC takes for each byte it counts (slabs, headers, allocator).
const ARC_OVERHEAD: f64 = 1.25;
/// Share of the backing store's free space that the drives' files may take.
pub(super) const STORE_SHARE: f64 = 0.9;
/// The ARC of the model holds at least this many times `zfs_dirty_data_max`, or
/// `arc_tempreserve_space` refuses transactions, each of which then waits for a whole txg.
const ARC_TO_DIRTY: f64 = 4.0;
/// A txg is pushed when this share of the dirty-data limit is full (`zfs_dirty_data_sync_percent`).
const TXG_PUSH: f64 = 0.2;
/// Share of a working set's blocks that one txg may rewrite before coalescing makes destaging look
/// cheap; real servers stay near 1 %.
const COALESCING: f64 = 0.05;
/// A vdev has an embedded log above 64 metaslabs, which are 512 MiB each on a small vdev.
const EMBEDDED_LOG: f64 = (65u64 * (512 << 20)) as f64;
/// A client's files shrunk below this no longer hold a random access pattern.
const CLIENT_FILES: f64 = (16 << 20) as f64;

fn cap(rule: Rule, lower: bool, bound: f64, why: String) -> Cap {
    Cap {
        rule,
        lower,
        bound,
        why,
    }
}

/// Memory that an engine takes for an ARC of so many bytes, bytes.
pub fn engine_memory(arc: u64) -> u64 {
    (arc as f64 * ARC_OVERHEAD + ENGINE) as u64
}

/// S must be at least this for the model to fit into memory, for a dirty-data limit of `dirty`.
pub(super) fn memory(campaign: &Campaign, limits: &HostLimits) -> Cap {
    let arc = largest_arc(campaign);
    let room = (limits.memory as f64 * MEMORY_SHARE - ENGINE) / ARC_OVERHEAD;
    let bound = if room > 0.0 {
        (arc as f64 / room).max(1.0)
    } else {
        f64::INFINITY
    };
    let why = format!(
        "an ARC of {} in {} of {} free",
        about(arc),
        about(room.max(0.0) as u64),
        about(limits.memory)
    );
    cap(Rule::Memory, true, bound, why)
}

/// Whether a machine holds a model that was resolved on another, or on it when more was free.
///
/// # Errors
/// What there is too little of.
pub fn hold(model: &Model, limits: &HostLimits) -> Result<(), String> {
    let arc_room = (limits.memory as f64 * MEMORY_SHARE - ENGINE) / ARC_OVERHEAD;
    let (arc, drives) = (model.arc_max as f64, model.drives_hold as f64);
    // As much as is free differs a little from one run to the next.
    const SLACK: f64 = 1.1;
    if arc > arc_room.max(0.0) * SLACK {
        return Err(format!(
            "an ARC of {} needs {} with what the engine takes beside it, and {} of memory are free, of which a model \
             may take {:.0} %",
            about(model.arc_max),
            about(engine_memory(model.arc_max)),
            about(limits.memory),
            MEMORY_SHARE * 100.0
        ));
    }
    if drives > limits.store_bytes as f64 * SLACK {
        return Err(format!(
            "drives that come to hold {} want more than the {} that are free where they lie",
            about(model.drives_hold),
            about(limits.store_bytes)
        ));
    }
    Ok(())
}

/// S must be at least this for the drives' files to fit the backing store.
pub(super) fn store(campaign: &Campaign, demand: &Demand, limits: &HostLimits, dirty: u64) -> Cap {
    let room = limits.store_bytes as f64 * STORE_SHARE;
    let held = held(campaign, demand, dirty);
    let why = format!(
        "{} on drives (working set × {:.2}) beside {} that do not shrink ({}), in {} free",
        about(held.stock as u64),
        demand.expansion,
        about(held.kept as u64),
        held.of_what(),
        about(limits.store_bytes)
    );
    let bound = held.least_size(room);
    cap(Rule::BackingStore, true, bound, why)
}

/// S may be at most this for the ARC to hold four dirty-data limits.
pub(super) fn dirty_data(campaign: &Campaign, dirty: u64) -> Cap {
    let arc = least_arc(campaign);
    let why = format!(
        "an ARC of {} holds {ARC_TO_DIRTY} × zfs_dirty_data_max = {}",
        about(arc),
        about(dirty)
    );
    cap(
        Rule::DirtyData,
        false,
        (arc as f64 / (ARC_TO_DIRTY * dirty as f64)).max(1.0),
        why,
    )
}

/// S may be at most this for one txg to rewrite no larger a share of the blocks than it may.
pub(super) fn coalescing(demand: &Demand, dirty: u64, dirty_real: u64) -> Option<Cap> {
    let (bytes, _) = demand.random_writes?;
    let bytes = bytes as f64;
    let real = TXG_PUSH * dirty_real as f64 / bytes;
    let share = real.max(COALESCING);
    let bound = (share * bytes / (TXG_PUSH * dirty as f64)).max(1.0);
    let percent = |share: f64| 100.0 * share.min(1.0);
    let why = format!(
        "a txg of {} rewrites at most {:.1} % of {} of blocks ({:.1} % on the real machine)",
        about((TXG_PUSH * dirty as f64) as u64),
        percent(share),
        about(bytes as u64),
        percent(real)
    );
    Some(cap(Rule::Coalescing, false, bound, why))
}

/// S may be at most this for every data vdev that has an embedded log to keep it.
pub(super) fn metaslabs(campaign: &Campaign) -> Option<Cap> {
    let logless = campaign.variants.iter().filter(|variant| {
        variant
            .pool
            .vdevs
            .iter()
            .all(|vdev| vdev.class != Class::Log)
    });
    let least = logless
        .flat_map(|variant| {
            let data = variant
                .pool
                .vdevs
                .iter()
                .filter(|vdev| vdev.class == Class::Normal);
            data.map(|vdev| allocatable(variant, vdev))
        })
        .filter(|bytes| *bytes as f64 > EMBEDDED_LOG)
        .min()?;
    let why = format!(
        "a vdev of {} keeps more than 64 metaslabs, and with them its embedded log",
        about(least)
    );
    Some(cap(
        Rule::Metaslabs,
        false,
        least as f64 / EMBEDDED_LOG,
        why,
    ))
}

/// S may be at most this for cache drives to stay above 1 GiB.
pub(super) fn l2arc(campaign: &Campaign) -> Option<Cap> {
    let least = campaign
        .variants
        .iter()
        .flat_map(|variant| {
            let caches = variant
                .pool
                .vdevs
                .iter()
                .filter(|vdev| vdev.class == Class::Cache);
            caches.map(|vdev| allocatable(variant, vdev))
        })
        .min()?;
    let why = format!(
        "a cache drive of {} stays above 1 GiB, where L2ARC persistence works",
        about(least)
    );
    Some(cap(
        Rule::L2arc,
        false,
        (least as f64 / LEAST_CACHE as f64).max(1.0),
        why,
    ))
}

/// S may be at most this for each client's files to stay above 16 MiB.
pub(super) fn clients(demand: &Demand) -> Option<Cap> {
    let each = demand.least_client_bytes?;
    let bytes = about(each);
    let why = match each as f64 > CLIENT_FILES {
        true => format!("a client's {bytes} of files stay above 16 MiB"),
        false => format!("a client's {bytes} of files are kept whole"),
    };
    Some(cap(
        Rule::Clients,
        false,
        (each as f64 / CLIENT_FILES).max(1.0),
        why,
    ))
}

/// The largest ARC of a real machine among the variants, bytes.
fn largest_arc(campaign: &Campaign) -> u64 {
    let arcs = campaign
        .variants
        .iter()
        .map(|variant| machine::arc_max(&campaign.host, variant));
    arcs.max().unwrap_or(campaign.host.memory / 2)
}

/// The smallest, bytes.
fn least_arc(campaign: &Campaign) -> u64 {
    let arcs = campaign
        .variants
        .iter()
        .map(|variant| machine::arc_max(&campaign.host, variant));
    arcs.min().unwrap_or(campaign.host.memory / 2)
}
