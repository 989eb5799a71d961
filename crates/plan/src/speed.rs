//! Streaming and random figures by formula: what the drives can give at most. No cache, no
//! processor, no network, no fragmentation; a lab measures those.

use crate::drive::Drive;
use crate::layout::{Layout, Level, Scheme};
use serde::{Deserialize, Serialize};
use zfs::Layout::{Draid, Mirror, Raidz, Single};

/// Upper limits of the drives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Sequential reading of large blocks, bytes a second.
    pub stream_read: f64,
    /// Sequential writing of large blocks, bytes a second.
    pub stream_write: f64,
    /// Random reads of blocks a second.
    pub read_iops: f64,
    /// Random writes of blocks a second where nothing is aggregated: what ZFS can do to scattered
    /// synchronous writes, and less than it does to asynchronous ones.
    pub write_iops: f64,
}

impl Speed {
    /// The sum over two parts of a pool.
    pub fn and(self, other: Speed) -> Speed {
        Speed {
            stream_read: self.stream_read + other.stream_read,
            stream_write: self.stream_write + other.stream_write,
            read_iops: self.read_iops + other.read_iops,
            write_iops: self.write_iops + other.write_iops,
        }
    }
}

/// Speed of a layout at blocks of `block` bytes.
pub fn estimate(layout: &Layout, drive: &Drive, block: u64) -> Speed {
    let all = f64::from(layout.members());
    let sectors = block.max(1).div_ceil(1 << drive.ashift);
    let columns =
        |data: u32| f64::from(u32::try_from(sectors).unwrap_or(u32::MAX).min(data).max(1));
    let (read_iops, write_iops) = match layout.scheme {
        // A single drive is a mirror of one.
        Scheme::Zfs(Single | Mirror) => (
            all * read_iops(drive, block as f64),
            f64::from(layout.groups) * write_iops(drive, block as f64),
        ),
        // A read touches the data columns only, m = min(sectors, data): n·iops/m. A write
        // touches them and the parity.
        Scheme::Zfs(Raidz { parity }) => {
            let m = columns(layout.width - parity);
            let column = block as f64 / m;
            let writes = all * write_iops(drive, column) / (m + f64::from(parity));
            (all * read_iops(drive, column) / m, writes)
        }
        Scheme::Zfs(Draid { parity, data, .. }) => {
            let m = columns(data);
            // Whole rows are written.
            let rows = sectors.div_ceil(u64::from(data).max(1)).max(1) as f64;
            let written = rows * f64::from(1u32 << drive.ashift);
            let writes = all * write_iops(drive, written) / f64::from(data + parity);
            (all * read_iops(drive, block as f64 / m) / m, writes)
        }
        Scheme::Raid { level, .. } => {
            let penalty = match level {
                Level::R0 => 1.0,
                Level::R1 => f64::from(layout.width),
                Level::R10 => 2.0,
                Level::R5 | Level::R50 => 4.0,
                Level::R6 | Level::R60 => 6.0,
            };
            (all * read_iops(drive, block as f64), all * write_iops(drive, block as f64) / penalty)
        }
    };
    let data = layout.data_drives();
    // Every drive of a mirror serves reads of its own.
    let readers = match layout.scheme {
        Scheme::Zfs(Mirror) | Scheme::Raid { level: Level::R1 | Level::R10, .. } => all,
        _ => data,
    };
    let (stream_read, stream_write) = (readers * drive.read, data * drive.write);
    Speed { stream_read, stream_write, read_iops, write_iops }
}

/// Random requests of `bytes` a second: positioning as for 4K, then the transfer.
fn read_iops(drive: &Drive, bytes: f64) -> f64 {
    requests(drive.read_iops, drive.read, bytes)
}

fn write_iops(drive: &Drive, bytes: f64) -> f64 {
    requests(drive.write_iops, drive.write, bytes)
}

fn requests(iops: f64, rate: f64, bytes: f64) -> f64 {
    1.0 / (1.0 / iops + (bytes - 4096.0).max(0.0) / rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::known;

    #[test]
    fn a_raidz_reads_like_one_disk_only_for_full_width_blocks() {
        let disk = known("hdd-7200", 8_000_000_000_000).unwrap();
        let raidz =
            Layout { scheme: Scheme::Zfs(Raidz { parity: 2 }), groups: 1, width: 10, spares: 0 };
        let small = estimate(&raidz, &disk, 4096).read_iops;
        assert!((small - 10.0 * disk.read_iops).abs() < 1.0);
        let full = estimate(&raidz, &disk, 128 << 10).read_iops;
        assert!((full / disk.read_iops - 10.0 / 8.0).abs() < 0.05, "{full}");
    }

    #[test]
    fn parity_raid_pays_four_and_six_requests_for_a_small_write() {
        let ssd = known("nvme", 4_000_000_000_000).unwrap();
        let raid = |level, groups, width| Layout {
            scheme: Scheme::Raid { by: crate::layout::RaidProvider::Card, level },
            groups,
            width,
            spares: 0,
        };
        let writes = |layout| estimate(&layout, &ssd, 4096).write_iops / ssd.write_iops;
        assert!((writes(raid(Level::R0, 1, 8)) - 8.0).abs() < 1e-9);
        assert!((writes(raid(Level::R10, 4, 2)) - 4.0).abs() < 1e-9);
        assert!((writes(raid(Level::R5, 1, 8)) - 2.0).abs() < 1e-9);
        assert!((writes(raid(Level::R6, 1, 8)) - 8.0 / 6.0).abs() < 1e-9);
    }
}
