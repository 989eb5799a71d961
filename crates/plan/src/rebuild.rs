//! How long it takes until a failed drive is replaced in full.
//!
//! A resilver reads and writes what is used; a RAID rebuilds the whole drive. Where the failed
//! drive's content goes to one other drive, that drive's writing binds; where it goes to
//! distributed spares, all drives together do.

use crate::drive::Drive;
use crate::layout::{Layout, Scheme};
use serde::{Deserialize, Serialize};
use zfs::Layout::Draid;

/// The conditions of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Share of the pool that is used.
    pub used: f64,
    /// Share of the drives' time that the rebuild gets beside the clients.
    pub share: f64,
    /// Share of the sequential rate that a rotating drive reaches in a resilver: blocks lie where
    /// they were allocated, and sorting them (since 0.8) leaves gaps and short seeks.
    pub rotating: f64,
    /// The same for flash.
    pub flash: f64,
    /// Hours until a failed drive is swapped where no spare stands by.
    pub swap_h: f64,
}

impl Default for Conditions {
    /// 70 % used, an idle pool, 60 % of the sequential rate for disks (published resilvers of
    /// 0.8 and later lie between 35 and 90 %) and 80 % for flash, a day until somebody swaps the
    /// drive.
    fn default() -> Conditions {
        Conditions { used: 0.7, share: 1.0, rotating: 0.6, flash: 0.8, swap_h: 24.0 }
    }
}

/// How long a group has reduced redundancy after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rebuild {
    /// Bytes to write.
    pub bytes: f64,
    /// Hours of rebuilding.
    pub hours: f64,
    /// Hours until it begins: the swap, or nothing with a spare.
    pub wait_h: f64,
    /// Bytes a second that the surviving drives read together.
    pub read_rate: f64,
}

impl Rebuild {
    /// Hours between failure and full redundancy.
    pub fn exposed_h(&self) -> f64 {
        self.hours + self.wait_h
    }
}

/// The rebuild of one failed drive; none where nothing can be rebuilt.
///
/// `asize` is what a whole drive holds of allocatable space, bytes.
pub fn estimate(
    layout: &Layout,
    drive: &Drive,
    asize: f64,
    conditions: &Conditions,
) -> Option<Rebuild> {
    if layout.tolerance() == 0 {
        return None;
    }
    let found = if drive.rotational { conditions.rotating } else { conditions.flash };
    let width = f64::from(layout.width);
    let wait_h = if layout.all_spares() > 0 { 0.0 } else { conditions.swap_h };
    let write = drive.write * conditions.share;
    let read = drive.read * conditions.share;
    let used = asize * conditions.used;
    let (bytes, seconds) = match layout.scheme {
        // The permutations spread the failed drive over all others: each stripe of it costs
        // `data` reads and one write, and all drives but the failed one take part. A sequential
        // rebuild walks allocated space in order.
        Scheme::Zfs(Draid { data, spares, .. }) if spares > 0 => {
            let work = used * (f64::from(data) / (read * found) + 1.0 / (write * found));
            (used, work / (width - 1.0))
        }
        // Every byte, used or not, from one end to the other: the full rate.
        Scheme::Raid { .. } => (drive.bytes as f64, drive.bytes as f64 / write.min(read)),
        _ => (used, used / (write.min(read) * found)),
    };
    // Drives of which stripes are made again.
    let sources = match layout.scheme {
        Scheme::Zfs(Draid { data, .. }) => f64::from(data),
        _ => layout.data(),
    };
    let read_rate = bytes * sources / seconds;
    Some(Rebuild { bytes, hours: seconds / 3600.0, wait_h, read_rate })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::known;
    use crate::layout::Level;
    use zfs::Layout::{Raidz, Single};

    fn disk() -> Drive {
        known("hdd-7200", 16_000_000_000_000).unwrap()
    }

    #[test]
    fn a_distributed_spare_is_filled_by_all_drives_together() {
        let draid = Layout {
            scheme: Scheme::Zfs(Draid { parity: 2, data: 8, spares: 2 }),
            groups: 1,
            width: 60,
            spares: 0,
        };
        let raidz =
            Layout { scheme: Scheme::Zfs(Raidz { parity: 2 }), groups: 6, width: 10, spares: 0 };
        let conditions = Conditions::default();
        let hours = |layout: &Layout| estimate(layout, &disk(), 16e12, &conditions).unwrap().hours;
        // 59 drives share 8 reads and a write for each byte: 59/9 times faster than one writer.
        let ratio = hours(&raidz) / hours(&draid);
        assert!((ratio - 59.0 / 9.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_raid_rebuilds_what_was_never_written_too() {
        let raid = Layout {
            scheme: Scheme::Raid { by: crate::layout::RaidProvider::Mdadm, level: Level::R6 },
            groups: 1,
            width: 10,
            spares: 0,
        };
        let empty = Conditions { used: 0.0, ..Conditions::default() };
        let hours = estimate(&raid, &disk(), 16e12, &empty).unwrap().hours;
        assert!((hours - 16e12 / 165e6 / 3600.0).abs() < 0.01);
    }

    #[test]
    fn a_raid_of_two_parities_reads_as_many_drives_as_raidz2() {
        let rate = |scheme: Scheme| {
            let layout = Layout { scheme, groups: 1, width: 10, spares: 0 };
            let rebuild = estimate(&layout, &disk(), 16e12, &Conditions::default()).unwrap();
            rebuild.read_rate / (rebuild.bytes / rebuild.hours / 3600.0)
        };
        let raid = |level| Scheme::Raid { by: crate::layout::RaidProvider::Mdadm, level };
        let raidz2 = Scheme::Zfs(Raidz { parity: 2 });
        for (scheme, sources) in
            [(raidz2, 8.0), (raid(Level::R6), 8.0), (raid(Level::R60), 8.0), (raid(Level::R5), 9.0)]
        {
            assert!((rate(scheme) - sources).abs() < 1e-9, "{scheme:?}");
        }
    }

    #[test]
    fn without_redundancy_there_is_nothing_to_rebuild() {
        let stripe = Layout { scheme: Scheme::Zfs(Single), groups: 4, width: 1, spares: 0 };
        assert_eq!(estimate(&stripe, &disk(), 16e12, &Conditions::default()), None);
    }
}
