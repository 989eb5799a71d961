//! The limits that OpenZFS derives from a server's memory, bytes.

use crate::OpenZfs;

/// The least ARC that OpenZFS accepts as `zfs_arc_max` (`MIN_ARC_MAX`, 64 MiB).
pub const LEAST_ARC: u64 = 64 << 20;

/// Bytes of the ARC that the header of a block in the L2ARC takes (`HDR_L2ONLY_SIZE` in OpenZFS 2.1 to 2.3).
pub const L2ARC_HEADER: u64 = 96;

/// Whether OpenZFS takes `bytes` as `zfs_arc_max`: 64 MiB or more and less than the memory
/// (`arc_tuning_update`).
pub fn accepts_arc_max(bytes: u64, memory: u64) -> bool {
    (LEAST_ARC..memory).contains(&bytes)
}

/// The least that OpenZFS accepts as `zfs_arc_min` (two blocks of 16 MiB).
pub const LEAST_ARC_MIN: u64 = 32 << 20;

/// Whether OpenZFS takes `bytes` as `zfs_arc_min` with an ARC of at most `arc_max` (`arc_tuning_update`).
pub fn accepts_arc_min(bytes: u64, arc_max: u64) -> bool {
    (LEAST_ARC_MIN..=arc_max).contains(&bytes)
}

/// The ARC's minimum where nothing sets it: a thirty-second of memory, at least 32 MiB (`arc_set_limits`).
pub fn default_arc_min(memory: u64) -> u64 {
    (memory / 32).max(LEAST_ARC_MIN)
}

/// `zfs_arc_max` where nothing sets it: half of memory up to 2.2; from 2.3 on the larger of 5/8 of it and all
/// but 1 GiB (`arc_default_max` in module/os/linux/zfs/arc_os.c).
pub fn default_arc_max(memory: u64, release: (u32, u32)) -> u64 {
    match release >= OpenZfs::V2_3.number() {
        true => (memory / 8 * 5).max(memory.saturating_sub(1 << 30)),
        false => memory / 2,
    }
}

/// `zfs_dirty_data_max` where nothing sets it: `percent` of memory, at most `most` (`arc_init`).
pub fn dirty_data_max(memory: u64, percent: u64, most: u64) -> u64 {
    share(memory, percent).min(most)
}

/// `zfs_dirty_data_max_percent`.
pub const DIRTY_PERCENT: u64 = 10;
/// `zfs_dirty_data_max_max_percent`.
pub const DIRTY_MOST_PERCENT: u64 = 25;

/// `zfs_dirty_data_max_max` where nothing sets it: `percent` of memory, at most 4 GiB (`arc_init`).
pub fn dirty_data_max_max(memory: u64, percent: u64) -> u64 {
    share(memory, percent).min(4 << 30)
}

/// `zfs_wrlog_data_max` where nothing sets it: twice the dirty-data limit (`arc_init`).
pub fn wrlog_data_max(dirty_data_max: u64) -> u64 {
    dirty_data_max.saturating_mul(2)
}

fn share(memory: u64, percent: u64) -> u64 {
    (u128::from(memory) * u128::from(percent.min(100)) / 100) as u64
}
