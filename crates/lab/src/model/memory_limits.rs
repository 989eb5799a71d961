//! Limits that OpenZFS derives from the real server's memory.

use crate::campaign::{Host, Variant};
use zfs::memory;

/// Module parameters that size a stock of memory in bytes. Left at their defaults they follow from the ARC or the
/// memory of the machine; stated, they are the real server's and shrink by S.
pub(super) const STOCKS: &[&str] = &[
    "zfs_arc_dnode_limit", "zfs_arc_sys_free", "dbuf_cache_max_bytes",
    "dbuf_metadata_cache_max_bytes",
];

/// A parameter that the lab states, above 0.
pub(super) fn parameter(variant: &Variant, name: &str) -> Option<u64> {
    variant.module.get(name).and_then(|value| u64::try_from(*value).ok()).filter(|value| *value > 0)
}

/// Lists that OpenZFS divides the ARC, dirty dnodes and others into, so that processors do not wait for
/// each other's.
pub const LISTS: &str = "zfs_multilist_num_sublists";

/// [`LISTS`] of the real server: one for each processor and at least four, unless the lab sets it
/// (`multilist_create`).
pub fn lists(cores: u32, variant: &Variant) -> u32 {
    parameter(variant, LISTS)
        .map_or_else(|| cores.max(4), |lists| u32::try_from(lists).unwrap_or(u32::MAX))
}

/// ARC limit of the real server, bytes: `zfs_arc_max` where the lab sets it and OpenZFS accepts it, else the
/// default. Where a variant has no ZFS pool, the same is left to the page cache.
pub fn arc_max(host: &Host, variant: &Variant) -> u64 {
    let memory = variant.host(host).memory;
    parameter(variant, "zfs_arc_max")
        .filter(|bytes| memory::accepts_arc_max(*bytes, memory))
        .unwrap_or_else(|| memory::default_arc_max(memory, variant.openzfs.number()))
        .max(memory::LEAST_ARC)
}

/// `zfs_dirty_data_max` of the real server, bytes: the lab's, or what follows from its memory and the lab's
/// `zfs_dirty_data_max_percent`, `zfs_dirty_data_max_max` and `zfs_dirty_data_max_max_percent`.
pub fn dirty_data_max(host: &Host, variant: &Variant) -> u64 {
    let host = variant.host(host).memory;
    let stated = |name: &str| parameter(variant, name);
    stated("zfs_dirty_data_max").unwrap_or_else(|| {
        let percent = stated("zfs_dirty_data_max_max_percent");
        let most = stated("zfs_dirty_data_max_max").unwrap_or_else(|| {
            memory::dirty_data_max_max(host, percent.unwrap_or(memory::DIRTY_MOST_PERCENT))
        });
        let percent = stated("zfs_dirty_data_max_percent").unwrap_or(memory::DIRTY_PERCENT);
        memory::dirty_data_max(host, percent, most)
    })
}

/// `zfs_wrlog_data_max` for a dirty-data limit of `dirty` bytes, unless the lab sets it (`arc_init` computes
/// it once).
pub fn wrlog_data_max(variant: &Variant, dirty: u64) -> u64 {
    parameter(variant, "zfs_wrlog_data_max").unwrap_or(memory::wrlog_data_max(dirty))
}

/// The same in the model, whose dirty-data limit is `dirty`: a limit stated for the real server shrinks with the dirty
/// data it belongs to.
pub(super) fn modelled_wrlog(host: &Host, variant: &Variant, dirty: u64) -> u64 {
    let most = match dirty < dirty_data_max(host, variant) {
        true => memory::wrlog_data_max(dirty),
        false => u64::MAX,
    };
    wrlog_data_max(variant, dirty).min(most)
}

/// What programs and the kernel itself take of a machine's memory, bytes.
const PROGRAMS: u64 = 1 << 30;
/// Machines' memories are multiples of this, bytes.
const GRAIN: u64 = 256 << 20;

/// Memory of a machine (`mem=`), bytes, for an ARC and the limits of dirty data and of log records in flight.
pub(super) fn guest_memory(arc_max: u64, dirty: u64, wrlog: u64) -> u64 {
    [dirty, wrlog, PROGRAMS]
        .into_iter()
        .fold(arc_max, u64::saturating_add)
        .div_ceil(GRAIN)
        .saturating_mul(GRAIN)
}

/// What of [`guest_memory`] does not shrink with the ARC, rounding included, bytes.
pub(super) fn guest_memory_kept(dirty: u64, wrlog: u64) -> u64 {
    [dirty, wrlog, PROGRAMS].into_iter().fold(GRAIN, u64::saturating_add)
}
