//! What OpenZFS makes of the real server's memory.

use crate::campaign::{Host, Variant};

/// Module parameters that size a stock of memory in bytes. Left at their defaults they follow from the ARC or the
/// memory of the machine; stated, they are the real server's and shrink by S.
pub(super) const STOCKS: &[&str] = &[
    "zfs_arc_dnode_limit",
    "zfs_arc_sys_free",
    "dbuf_cache_max_bytes",
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

/// The least ARC that OpenZFS accepts as `zfs_arc_max` (`MIN_ARC_MAX`, 64 MiB).
const LEAST_ARC: u64 = 64 << 20;

/// ARC limit of the real server, bytes: `zfs_arc_max` where the lab sets it and OpenZFS accepts it (64 MiB or more,
/// and less than the memory: `arc_tuning_update`), else the larger of 5/8 of the memory and all but 1 GiB
/// (`arc_default_max` in module/os/linux/zfs/arc_os.c). Where a variant has no ZFS pool, the same is left to the
/// page cache.
pub fn arc_max(host: &Host, variant: &Variant) -> u64 {
    let host = variant.host(host);
    let default = (host.memory / 8 * 5).max(host.memory.saturating_sub(1 << 30));
    parameter(variant, "zfs_arc_max")
        .filter(|bytes| (LEAST_ARC..host.memory).contains(bytes))
        .unwrap_or(default)
        .max(LEAST_ARC)
}

/// `zfs_dirty_data_max` of the real server, bytes: 10 % of memory, at most the lesser of 4 GiB and
/// 25 % of memory, unless the lab sets the parameters (`arc_init`).
pub fn dirty_data_max(host: &Host, variant: &Variant) -> u64 {
    let host = variant.host(host);
    let share = |name: &str, default: u64| {
        let percent = parameter(variant, name).unwrap_or(default).min(100);
        (u128::from(host.memory) * u128::from(percent) / 100) as u64
    };
    parameter(variant, "zfs_dirty_data_max").unwrap_or_else(|| {
        let most = parameter(variant, "zfs_dirty_data_max_max")
            .unwrap_or_else(|| share("zfs_dirty_data_max_max_percent", 25).min(4 << 30));
        share("zfs_dirty_data_max_percent", 10).min(most)
    })
}

/// `zfs_wrlog_data_max` for a dirty-data limit of `dirty` bytes: twice it, unless the lab sets it
/// (`arc_init`, which computes it once).
pub fn wrlog_data_max(variant: &Variant, dirty: u64) -> u64 {
    parameter(variant, "zfs_wrlog_data_max").unwrap_or(dirty.saturating_mul(2))
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
