//! How large log, cache and special vdevs should be.

use crate::histogram::{Amount, Blocks};
use serde::{Deserialize, Serialize};
use zfs::memory;

/// What a log vdev needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slog {
    /// `zfs_dirty_data_max`, bytes.
    pub dirty_data_max: u64,
    /// `zfs_wrlog_data_max`, bytes: what may stand in the log and not yet in the pool.
    pub wrlog_data_max: u64,
    /// `zfs_txg_timeout`, seconds between txgs.
    pub txg_timeout_s: f64,
    /// Bytes a second that clients can send at most.
    pub arrives: f64,
    /// Bytes that can arrive in the seconds before a txg ends and the ones it takes to write it.
    pub by_rate: u64,
    /// Bytes the log can hold at most: the smaller of both, and half as much again for lwb
    /// headers and rounding.
    pub needed: u64,
}

/// A txg is open, one quiesces and one syncs: records of all three are in the log.
const TXGS: f64 = 3.0;

/// Module parameters that bound what waits in the log, where they are set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogLimits {
    /// `zfs_dirty_data_max`, bytes.
    pub dirty_data_max: Option<u64>,
    /// `zfs_wrlog_data_max`, bytes.
    pub wrlog_data_max: Option<u64>,
    /// `zfs_txg_timeout`, seconds.
    pub txg_timeout_s: f64,
}

impl Default for LogLimits {
    fn default() -> LogLimits {
        LogLimits { dirty_data_max: None, wrlog_data_max: None, txg_timeout_s: 5.0 }
    }
}

/// Size of a SLOG for a machine with `memory` bytes whose clients send at most `network` bytes a
/// second.
pub fn slog(memory: u64, network: f64, limits: &LogLimits) -> Slog {
    let most = memory::dirty_data_max_max(memory, memory::DIRTY_MOST_PERCENT);
    let default = memory::dirty_data_max(memory, memory::DIRTY_PERCENT, most);
    let dirty = limits.dirty_data_max.unwrap_or(default);
    let wrlog = limits.wrlog_data_max.unwrap_or(memory::wrlog_data_max(dirty));
    let by_rate = (network.max(0.0) * limits.txg_timeout_s.max(1.0) * TXGS) as u64;
    Slog {
        dirty_data_max: dirty,
        wrlog_data_max: wrlog,
        txg_timeout_s: limits.txg_timeout_s,
        arrives: network,
        by_rate,
        needed: (wrlog.min(by_rate) / 2).saturating_mul(3),
    }
}

/// What an L2ARC costs and how long it takes to fill.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct L2arc {
    /// Blocks it can hold.
    pub blocks: u64,
    /// Bytes of ARC that their headers take.
    pub headers: u64,
    /// Share of the ARC that is; above a third OpenZFS stops filling it.
    pub of_arc: f64,
    /// Hours to fill it at the feed limit.
    pub fill_h: f64,
    /// Largest cache worth having: the one whose headers take a tenth of the ARC.
    pub sensible: u64,
}

/// An L2ARC of `bytes` for blocks of `block` bytes (as compressed) beside an ARC of `arc` bytes,
/// filled at `feed` bytes a second (`l2arc_write_max`; 32 MiB in 2.3 and 2.4, five feeds a second at most).
pub fn l2arc(bytes: u64, block: u64, arc: u64, feed: f64) -> L2arc {
    let block = block.max(512);
    let blocks = bytes / block;
    let headers = blocks.saturating_mul(memory::L2ARC_HEADER);
    L2arc {
        blocks,
        headers,
        of_arc: headers as f64 / arc.max(1) as f64,
        fill_h: bytes as f64 / feed.max(1.0) / 3600.0,
        sensible: (arc / 10 / memory::L2ARC_HEADER).saturating_mul(block),
    }
}

/// Number of files, or blocks, from one size up to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Largest size, bytes.
    pub up_to: u64,
    /// How many.
    pub count: f64,
    /// Bytes of all of them together.
    pub bytes: f64,
}

/// What a special vdev needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Special {
    /// Metadata: dnodes, indirect blocks, directories, spacemaps.
    pub metadata: u64,
    /// Small blocks, those up to `special_small_blocks`.
    pub small: u64,
    /// Both, with the quarter on top that stays free: above 75 % small blocks go elsewhere
    /// (`zfs_special_class_metadata_reserve_pct` is 25).
    pub needed: u64,
}

impl Special {
    fn of(metadata: f64, small: f64) -> Special {
        Special {
            metadata: metadata as u64,
            small: small as u64,
            needed: ((metadata + small) / 0.75) as u64,
        }
    }
}

/// Size of a special vdev for these files at `recordsize`, with `small_blocks` bytes as the
/// dataset's `special_small_blocks` (0: metadata only).
///
/// A file takes a dnode (512 bytes, with `dnodesize=auto` and extended attributes 1 KiB), about
/// 128 bytes of directory, and, unless it is one block, whose pointer is in the dnode (`dn_nblkptr` is 1 beside the
/// attributes in its bonus), for each block a pointer of 128 bytes in indirect blocks of at least a sector of 4K;
/// metadata is stored compressed (about 2:1, not counted here) and twice, the top of it three
/// times, which is what this counts.
pub fn special(files: &[Sizes], recordsize: u64, small_blocks: u64) -> Special {
    const DNODE: f64 = 1024.0;
    const ENTRY: f64 = 128.0;
    const POINTER: f64 = 128.0;
    const SECTOR: f64 = 4096.0;
    const COPIES: f64 = 2.0;
    let record = recordsize.max(512) as f64;
    let mut metadata = 0.0;
    let mut small = 0.0;
    for files in files {
        let mean = files.bytes / files.count.max(1.0);
        let blocks = if mean <= record { 1.0 } else { (mean / record).ceil() };
        let pointers = if blocks > 1.0 { (blocks * POINTER).max(SECTOR) } else { 0.0 };
        metadata += files.count * (DNODE + ENTRY + pointers) * COPIES;
        // A file up to the recordsize is one block of its own size, rounded up to sectors.
        if files.up_to <= small_blocks && mean <= record {
            small += files.count * (mean / 4096.0).ceil() * 4096.0;
        }
    }
    Special::of(metadata, small)
}

/// Size of a special vdev for the blocks of a pool, with `small_blocks` bytes as its datasets'
/// `special_small_blocks` (0: metadata only, none where the histogram does not tell it from data).
///
/// Metadata is stored twice and in whole sectors of 4K. Bins are counted as a whole, and metadata is
/// taken to lie in the small ones: rather too much than too little.
pub fn special_for_blocks(blocks: &Blocks, small_blocks: u64) -> Option<Special> {
    let metadata = match (blocks.metadata, small_blocks) {
        (Some(metadata), _) => metadata,
        (None, 0) => return None,
        (None, _) => Amount::default(),
    };
    let small = blocks
        .sizes
        .iter()
        .filter(|size| size.up_to <= small_blocks)
        .fold(0.0, |sum, size| sum + size.bytes.max(size.count * 4096.0));
    let metadata_once = metadata.bytes.max(metadata.count * 4096.0);
    let small = match small_blocks {
        0 => 0.0,
        _ => (small - metadata_once).max(0.0),
    };
    Some(Special::of(2.0 * metadata_once, small))
}

/// File sizes of a software mirror holding `bytes`, for want of a histogram of one's own: a
/// log-normal distribution with a median of 8 KiB and a mean of 1 MiB. Half of the files are of a
/// few KiB and most bytes are in files beyond a MiB, as the mirror-site article's workload (5K,
/// 512K and 2M to 14M requests, weighted after USTC's statistics) has it; the two numbers are an
/// estimate. Counts of a real tree are better.
pub fn mirror_site(bytes: u64) -> Vec<Sizes> {
    // Log-normal: mean = median·exp(σ²/2).
    let (median, mean) = (8192.0f64, 1_048_576.0f64);
    let sigma = (2.0 * (mean / median).ln()).sqrt();
    let files = bytes as f64 / mean;
    let share = |x: f64| normal((x / median).ln() / sigma);
    let weight = |x: f64| normal((x / median).ln() / sigma - sigma);
    let mut out = Vec::new();
    let mut low = 0.0;
    for shift in 10..=42 {
        let high = f64::from(2u32).powi(shift);
        out.push(Sizes {
            up_to: 1 << shift,
            count: files * (share(high) - share(low)),
            bytes: bytes as f64 * (weight(high) - weight(low)),
        });
        low = high;
    }
    out
}

fn normal(x: f64) -> f64 {
    libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_to_sixty_four_gigabytes_of_slog_are_enough_for_any_usual_machine() {
        // The Hong Kong article's machine: 128 GiB of RAM, 10 GbE.
        let slog = slog(128 << 30, 1.25e9, &LogLimits::default());
        assert_eq!(slog.dirty_data_max, 4 << 30);
        assert_eq!(slog.needed, 12 << 30);
        // A slower network bounds it first.
        assert!(super::slog(128 << 30, 125e6, &LogLimits::default()).needed < 3 << 30);
    }

    #[test]
    fn a_machines_own_limits_count() {
        let limits = LogLimits {
            dirty_data_max: Some(16 << 30),
            txg_timeout_s: 10.0,
            ..LogLimits::default()
        };
        let own = slog(128 << 30, 1.25e9, &limits);
        assert_eq!(own.wrlog_data_max, 32 << 30);
        assert_eq!(own.by_rate, 37_500_000_000, "three txgs of ten seconds");
        assert_eq!(own.needed, 32 * (1 << 30) / 2 * 3);
    }

    #[test]
    fn headers_of_a_terabyte_of_small_blocks_eat_the_arc() {
        let cache = l2arc(1 << 40, 8 << 10, 64 << 30, 8.0 * 1_048_576.0);
        assert_eq!(cache.blocks, 1 << 27);
        assert_eq!(cache.headers, 12 << 30);
        assert!((cache.of_arc - 12.0 / 64.0).abs() < 1e-9);
        assert!((cache.fill_h - 36.4).abs() < 0.1, "{}", cache.fill_h);
        assert_eq!(l2arc(0, 0, 0, 0.0).blocks, 0);
    }

    #[test]
    fn a_mirror_sites_sizes_add_up_to_what_it_holds() {
        let sizes = mirror_site(100_000_000_000_000);
        let bytes: f64 = sizes.iter().map(|s| s.bytes).sum();
        assert!((bytes / 1e14 - 1.0).abs() < 0.02, "{bytes}");
        let below: f64 = sizes.iter().filter(|s| s.up_to <= 8192).map(|s| s.count).sum();
        let all: f64 = sizes.iter().map(|s| s.count).sum();
        assert!((below / all - 0.5).abs() < 0.01, "half the files are below the median");
    }

    #[test]
    fn blocks_are_sized_by_what_zdb_counted() {
        let bin = |up_to, count, bytes| Sizes { up_to, count, bytes };
        let blocks = Blocks {
            sizes: vec![
                bin(4096, 1000.0, 4_096_000.0),
                bin(32 << 10, 100.0, 4e6),
                bin(128 << 10, 100.0, 13e6),
            ],
            metadata: Some(Amount { count: 500.0, bytes: 1e6 }),
        };
        let none = special_for_blocks(&blocks, 0).unwrap();
        assert_eq!((none.metadata, none.small), (2 * 500 * 4096, 0));
        let some = special_for_blocks(&blocks, 32 << 10).unwrap();
        assert_eq!(some.small, 4_096_000 + 4_000_000 - 500 * 4096);
        let untold = Blocks { metadata: None, ..blocks };
        assert_eq!(special_for_blocks(&untold, 0), None);
        assert_eq!(special_for_blocks(&untold, 4096).unwrap().small, 4_096_000);
    }

    /// A million files of two records: dnode, entry and an indirect block of a sector, each twice, and a quarter free.
    #[test]
    fn a_file_of_two_records_has_an_indirect_block() {
        let of = |bytes: f64| {
            let files = [Sizes { up_to: bytes as u64, count: 1e6, bytes: 1e6 * bytes }];
            special(&files, 128 << 10, 0).needed as f64
        };
        let one = 1e6 * (1024.0 + 128.0) * 2.0 / 0.75;
        let two = 1e6 * (1024.0 + 128.0 + 4096.0) * 2.0 / 0.75;
        assert!((of(100e3) / one - 1.0).abs() < 1e-6);
        assert!((of(200e3) / two - 1.0).abs() < 1e-6);
        // 40 pointers are more than a sector.
        let forty = 1e6 * (1024.0 + 128.0 + 40.0 * 128.0) * 2.0 / 0.75;
        assert!((of(40.0 * 131_072.0) / forty - 1.0).abs() < 1e-6);
    }

    #[test]
    fn small_blocks_are_only_counted_when_the_dataset_sends_them_there() {
        let sizes = mirror_site(10_000_000_000_000);
        let none = special(&sizes, 128 << 10, 0);
        let some = special(&sizes, 128 << 10, 32 << 10);
        assert_eq!(none.small, 0);
        assert!(some.small > 0 && some.metadata == none.metadata);
        assert!(some.needed > some.small + some.metadata);
    }
}
