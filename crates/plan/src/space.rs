//! What a pool offers, as `zfs list` shows it: labels, metaslabs, deflation, the embedded log and
//! slop. Follows `vdev_open`, `vdev_metaslab_set_size`, `vdev_metaslab_init`, `spa_update_dspace`
//! and `spa_get_slop_space`, which are the same in OpenZFS 2.1, 2.2 and 2.3.

use serde::{Deserialize, Serialize};
use zfs::Geometry;
use zfs::Layout;

/// Two labels and the boot block at the front, two labels at the end.
const LABELS: u64 = (4 << 20) + (512 << 10);
/// Sizes are cut to whole labels.
const LABEL: u64 = 256 << 10;
/// Height of a dRAID row on one drive, `VDEV_DRAID_ROWHEIGHT`.
const ROW: u64 = 16 << 20;
/// Scratch space at the end of each dRAID child, `VDEV_DRAID_REFLOW_RESERVE`.
const REFLOW: u64 = 2 * ROW;
/// A vdev of more metaslabs gives one to the ZIL, `zfs_embedded_slog_min_ms`.
const EMBEDDED_LOG_MIN: u64 = 64;
/// `spa_min_slop` and `spa_max_slop`.
const SLOP: (u64, u64) = (128 << 20, 128 << 30);

/// Bytes that ZFS opens of a whole disk of `bytes`, with logical sectors of `sector` bytes: `zpool create` partitions it,
/// with 1 MiB before and 8 MiB and the second partition table after the data, in units of the sector
/// (`zpool_label_disk`).
pub fn partition(bytes: u64, sector: u64) -> u64 {
    const ALIGN: u64 = 2048;
    const RESERVED: u64 = 16_384;
    let sector = sector.max(512);
    let table = 1 + (128 * 128u64).div_ceil(sector);
    let usable = (bytes / sector).saturating_sub(1 + table);
    let slice = (usable + 1).saturating_sub(1 + RESERVED + ALIGN);
    slice / ALIGN * ALIGN * sector
}

/// Space of one top-level vdev, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VdevSpace {
    /// Allocatable bytes with parity (`vdev_asize`).
    pub asize: u64,
    /// Metaslabs.
    pub metaslabs: u64,
    /// Bytes of a metaslab, before dRAID cuts it to whole groups.
    pub metaslab: u64,
    /// Bytes of all metaslabs for data, the embedded log left out.
    pub space: u64,
    /// Deflated bytes of them.
    pub dspace: u64,
    /// Bytes of the metaslab that the ZIL has, 0 on a small vdev.
    pub embedded_log: u64,
    /// Deflated bytes of it.
    pub embedded_dspace: u64,
}

/// Space of a top-level vdev whose smallest drive offers `device` bytes.
///
/// `embeds` is true for the normal class, which gives a metaslab to the ZIL where it has enough.
pub fn vdev(geometry: Geometry, device: u64, ashift: u32, embeds: bool) -> VdevSpace {
    let leaf = (device / LABEL * LABEL).saturating_sub(LABELS);
    let children = geometry.children;
    let asize = match geometry.layout {
        Layout::Single | Layout::Mirror => leaf,
        Layout::Raidz { .. } => leaf * u64::from(children),
        Layout::Draid { parity, data, spares } => {
            let rows = leaf.saturating_sub(REFLOW) / ROW * ROW;
            let group = u64::from(data + parity) * ROW;
            rows * u64::from(children.saturating_sub(spares)) / group * group
        }
    } / LABEL
        * LABEL;
    let shift = metaslab_shift(asize);
    let metaslabs = asize >> shift;
    let metaslab = 1u64 << shift;
    let deflate = geometry.deflate(ashift);
    let (all, first) = match geometry.layout {
        Layout::Draid { parity, data, .. } => {
            whole_groups(metaslabs, metaslab, u64::from(data + parity) << ashift)
        }
        _ => (metaslabs * metaslab, metaslab),
    };
    // The ZIL gets the emptiest metaslab, which on a new vdev is the first.
    let embedded_log = if embeds && metaslabs > EMBEDDED_LOG_MIN { first } else { 0 };
    let space = all - embedded_log;
    VdevSpace {
        asize,
        metaslabs,
        metaslab,
        space,
        // Every metaslab is a multiple of 512 bytes, so the sum deflates as its parts do.
        dspace: (space >> 9) * deflate,
        embedded_log,
        embedded_dspace: (embedded_log >> 9) * deflate,
    }
}

/// Bytes of whole groups of `group` bytes in `count` metaslabs of `size` bytes, and in the first of
/// them. `vdev_draid_metaslab_init` begins each at the next multiple of a group and cuts it to
/// whole groups, so that metaslab i offers ⌊(i+1)·size/group⌋ − ⌈i·size/group⌉ of them.
fn whole_groups(count: u64, size: u64, group: u64) -> (u64, u64) {
    if group == 0 || group > size {
        return (0, 0);
    }
    // The sum telescopes but for the metaslabs that begin within a group.
    let every = group / gcd(group, size);
    let aligned = count.div_ceil(every);
    let groups = (count * size / group).saturating_sub(count - aligned);
    (groups * group, size / group * group)
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `vdev_metaslab_set_size`: about 200 metaslabs, between 512 MiB and 16 GiB each, never fewer
/// than 16 nor more than 131,072.
fn metaslab_shift(asize: u64) -> u32 {
    const DEFAULT_SHIFT: u32 = 29;
    let high_bit = |n: u64| u64::BITS - n.leading_zeros();
    let count = asize >> DEFAULT_SHIFT;
    let shift = if count < 16 {
        high_bit(asize / 16)
    } else if count > 200 {
        high_bit(asize / 200)
    } else {
        DEFAULT_SHIFT
    };
    if shift < 24 {
        24
    } else if shift > 34 {
        if asize >> 34 > 1 << 17 { high_bit(asize >> 17) } else { 34 }
    } else {
        shift
    }
}

/// Space of a pool, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolSpace {
    /// Deflated bytes of the normal class (`spa_get_dspace`); neither special, dedup nor log
    /// vdevs are in it.
    pub dspace: u64,
    /// What is kept back (`spa_get_slop_space`).
    pub slop: u64,
    /// Deflated bytes of the embedded log.
    pub embedded_log: u64,
    /// USED + AVAIL of the root dataset in `zfs list`.
    pub usable: u64,
}

impl PoolSpace {
    /// Space of a pool of so many deflated bytes.
    pub fn of(dspace: u64, embedded_log: u64) -> PoolSpace {
        let slop = slop(dspace, embedded_log);
        PoolSpace { dspace, slop, embedded_log, usable: dspace.saturating_sub(slop) }
    }
}

/// A 32nd, at most 128 GiB, less the embedded log (but at least half of it stays); at least
/// 128 MiB or half of a tiny pool.
pub fn slop(dspace: u64, embedded_log: u64) -> u64 {
    let slop = (dspace >> 5).min(SLOP.1);
    let slop = slop - embedded_log.min(slop >> 1);
    slop.max((dspace >> 1).min(SLOP.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIB: u64 = 1 << 40;

    #[test]
    fn metaslabs_follow_the_table_in_vdev_c() {
        let count = |asize: u64| asize >> metaslab_shift(asize);
        assert_eq!(count(4 << 30), 8.max(count(4 << 30)));
        assert_eq!(1u64 << metaslab_shift(50 << 30), 512 << 20);
        assert!((100..=200).contains(&count(TIB)), "{}", count(TIB));
        assert_eq!(1u64 << metaslab_shift(100 * TIB), 16 << 30);
        assert!(count(4096 * TIB) <= 1 << 17);
    }

    #[test]
    fn whole_groups_add_up_over_the_metaslabs() {
        for size in [1u64 << 24, 1 << 29, 1 << 34] {
            for group in [3u64 << 12, 8 << 12, 14 << 12, 255 << 12, 17 << 9] {
                for count in [0u64, 1, 2, 63, 64, 200] {
                    let direct: u64 = (0..count)
                        .map(|i| ((i + 1) * size / group - (i * size).div_ceil(group)) * group)
                        .sum();
                    assert_eq!(whole_groups(count, size, group).0, direct, "{size} {group}");
                }
            }
        }
    }

    #[test]
    fn slop_is_a_32nd_within_its_bounds_and_less_the_embedded_log() {
        assert_eq!(slop(64 << 20, 0), 32 << 20, "half of a tiny pool");
        assert_eq!(slop(1 << 30, 0), 128 << 20);
        assert_eq!(slop(32 * TIB / 10, 0), TIB / 10);
        assert_eq!(slop(100 * TIB, 0), 128 << 30);
        assert_eq!(slop(100 * TIB, 12 << 30), 116 << 30);
        assert_eq!(slop(100 * TIB, 100 << 30), 64 << 30, "half always stays");
    }

    #[test]
    fn an_8_tb_disk_loses_9_mib_to_its_partitions() {
        // 15,628,053,168 sectors; `zpool create` gives partition 1 15,628,034,048 of them and
        // partition 9 16,384 (as lsblk and parted show on any such disk).
        assert_eq!(partition(15_628_053_168 * 512, 512), 15_628_034_048 * 512);
    }

    #[test]
    fn a_special_vdev_does_not_count_and_a_log_gives_no_metaslab_away() {
        let drive = Geometry { layout: Layout::Single, children: 1 };
        let with = vdev(drive, TIB, 12, true);
        let without = vdev(drive, TIB, 12, false);
        assert_eq!(with.space + with.embedded_log, without.space);
        assert_eq!(without.embedded_log, 0);
    }
}
