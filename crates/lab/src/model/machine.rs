//! What OpenZFS makes of the modelled machine's memory.

use crate::campaign::{Host, OpenZfs, Variant};

/// Module parameters that size a stock of memory in bytes. Left at their defaults they follow from what the
/// model has; stated, they are the real machine's and shrink by S.
pub(super) const STOCKS: &[&str] = &[
    "zfs_arc_meta_limit",
    "zfs_arc_meta_min",
    "zfs_arc_dnode_limit",
    "zfs_arc_sys_free",
    "dbuf_cache_max_bytes",
    "dbuf_metadata_cache_max_bytes",
];

/// A parameter that the lab states, above 0.
pub(super) fn parameter(variant: &Variant, name: &str) -> Option<u64> {
    variant
        .module
        .get(name)
        .and_then(|value| u64::try_from(*value).ok())
        .filter(|value| *value > 0)
}

/// Lists that OpenZFS divides the ARC, dirty dnodes and others into, so that processors do not wait for
/// each other's.
pub const LISTS: &str = "zfs_multilist_num_sublists";

/// [`LISTS`] of the real machine: one for each processor and at least four, unless the lab sets it
/// (`multilist_create`).
pub fn lists(cores: u32, variant: &Variant) -> u32 {
    parameter(variant, LISTS).map_or_else(
        || cores.max(4),
        |lists| u32::try_from(lists).unwrap_or(u32::MAX),
    )
}

/// The least ARC that OpenZFS accepts as `zfs_arc_max` (`MIN_ARC_MAX`, 64 MiB).
const LEAST_ARC: u64 = 64 << 20;

/// ARC limit of the real machine, bytes: `zfs_arc_max` where the lab sets it and OpenZFS accepts
/// it, else half of the memory (2.1), or the larger of 5/8 and all but 1 GiB (2.3)
/// (`arc_default_max` in module/os/linux/zfs/arc_os.c).
pub fn arc_max(host: &Host, variant: &Variant) -> u64 {
    let host = variant.host(host);
    let default = match variant.openzfs {
        OpenZfs::V2_1 => host.memory / 2,
        OpenZfs::V2_3 => (host.memory / 8 * 5).max(host.memory.saturating_sub(1 << 30)),
    };
    parameter(variant, "zfs_arc_max")
        .filter(|bytes| is_heeded(*bytes, &host))
        .unwrap_or(default)
        .max(LEAST_ARC)
}

/// Whether OpenZFS accepts a size as `zfs_arc_max` (`arc_tuning_update`); of one that it does not it goes on
/// as if it were not stated.
fn is_heeded(bytes: u64, host: &Host) -> bool {
    (LEAST_ARC..host.memory).contains(&bytes)
}

/// A variant's `zfs_arc_max` that OpenZFS does not accept, bytes.
pub fn unheeded_arc(host: &Host, variant: &Variant) -> Option<u64> {
    parameter(variant, "zfs_arc_max").filter(|bytes| !is_heeded(*bytes, &variant.host(host)))
}

/// `zfs_dirty_data_max` of the real machine, bytes: 10 % of memory, at most the lesser of 4 GiB and
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
