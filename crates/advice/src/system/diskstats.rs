//! Flushes that the drives were sent, as the block layer counts them: `/proc/diskstats`.

use super::{Counters, Leaf, Pool, System, drive_of};
use std::collections::BTreeMap;
use zfs::AllocationClass;

/// Flushes of a window. Every file system's fsync ends in them, ZFS's commits too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flushes {
    /// Length of the window, seconds.
    pub seconds: f64,
    /// By drive: how many, and the milliseconds they took together.
    pub drives: BTreeMap<String, (u64, u64)>,
}

impl Flushes {
    /// The drive whose mean flush is the longest, ns, among those that were sent any.
    pub fn slowest(&self) -> Option<(&str, u64)> {
        self.slowest_of(|_| true)
    }

    /// The same among the drives of these names.
    fn slowest_of(&self, wanted: impl Fn(&str) -> bool) -> Option<(&str, u64)> {
        self.drives
            .iter()
            .filter(|(name, (count, _))| *count > 0 && wanted(name))
            .map(|(name, (count, ms))| (name.as_str(), ms.saturating_mul(1_000_000) / count))
            .max_by_key(|(_, mean)| *mean)
    }

    /// Most flushes that one drive was sent.
    pub fn most(&self) -> u64 {
        self.drives.values().map(|(count, _)| *count).max().unwrap_or(0)
    }
}

impl System {
    /// The slowest mean flush that a commit waits for, with its drive, ns.
    ///
    /// A commit of ZFS waits for the drives that hold the log, and for no other drive of the machine: those of the pool
    /// whose waits were counted, or of every pool. None where one of them is not known by its kernel name. On a machine
    /// without ZFS any drive counts.
    pub(super) fn commit_flush(&self, counters: &Counters) -> Option<(String, u64)> {
        let flushes = counters.flushes.as_ref()?;
        let owned = |(name, mean): (&str, u64)| (name.to_string(), mean);
        let mut pools: Vec<&Pool> = self.pools.iter().filter(|p| !p.vdevs.is_empty()).collect();
        if let Some(waits) = &counters.waits {
            pools.retain(|pool| pool.name == waits.pool);
        }
        if pools.is_empty() {
            let zfs = counters.commits.is_some() || counters.waits.is_some();
            return flushes.slowest().filter(|_| !zfs).map(owned);
        }
        let leaves = pools.iter().flat_map(|pool| pool.leaves_of(self.log_class(pool)));
        let names: Option<Vec<&str>> = leaves.map(|leaf| self.counted_as(leaf, flushes)).collect();
        let names = names?;
        flushes.slowest_of(|name| names.contains(&name)).map(owned)
    }

    /// The vdevs that hold a pool's intent log: those for it; from OpenZFS 2.4 on else the special ones; else the data
    /// vdevs.
    fn log_class(&self, pool: &Pool) -> AllocationClass {
        let on_special = self.openzfs.as_ref().is_some_and(|version| version.value >= (2, 4));
        if pool.has(AllocationClass::Log) {
            AllocationClass::Log
        } else if on_special && pool.has(AllocationClass::Special) {
            AllocationClass::Special
        } else {
            AllocationClass::Normal
        }
    }

    /// The name under which the flushes of a pool's drive were counted.
    fn counted_as<'a>(&'a self, leaf: &'a Leaf, flushes: &Flushes) -> Option<&'a str> {
        let known = self.drive(leaf).map(|drive| drive.name.as_str());
        let name = known.unwrap_or_else(|| drive_of(&leaf.name));
        flushes.drives.contains_key(name).then_some(name)
    }
}

/// One reading of `/proc/diskstats`, after the first line of `/proc/uptime`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Seconds since the machine was started.
    pub uptime: f64,
    /// By drive, since then: flushes, and milliseconds.
    drives: BTreeMap<String, (u64, u64)>,
}

/// Devices of the block layer that are no drives.
const NO_DRIVES: [&str; 10] = ["loop", "ram", "zram", "zd", "dm-", "md", "nbd", "sr", "fd", "rbd"];

/// Whether a name of `/sys/block` is a drive's.
pub fn is_drive(name: &str) -> bool {
    !NO_DRIVES.iter().any(|prefix| name.starts_with(prefix))
}

/// A text made of `/proc/uptime` and `/proc/diskstats` (`cat /proc/uptime /proc/diskstats`); none
/// for any other, and for kernels before 5.5, which do not count flushes.
pub fn reading(text: &str) -> Option<Reading> {
    let mut rows = text.lines().filter(|row| !row.trim().is_empty());
    let mut first = rows.next()?.split_whitespace();
    let uptime: f64 = first.next()?.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0)?;
    first.next()?.parse::<f64>().ok()?;
    if first.next().is_some() {
        return None;
    }
    let mut drives = BTreeMap::new();
    for row in rows {
        let words: Vec<&str> = row.split_whitespace().collect();
        // major minor name, 11 counters, 4 of discards, flushes and their milliseconds
        // (Documentation/admin-guide/iostats.rst).
        let [major, minor, name, ..] = words.as_slice() else { return None };
        (major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok()).then_some(())?;
        let number = |index: usize| words.get(index)?.parse::<u64>().ok();
        if let (Some(count), Some(ms), true) = (number(18), number(19), is_drive(name)) {
            drives.insert((*name).to_string(), (count, ms));
        }
    }
    (!drives.is_empty()).then_some(Reading { uptime, drives })
}

/// Flushes between the first and the last reading; with one, since the machine was started. Drives
/// that came or went between are left out.
pub fn flushes(readings: &[Reading]) -> Option<Flushes> {
    let order = |a: &&Reading, b: &&Reading| a.uptime.total_cmp(&b.uptime);
    let last = readings.iter().max_by(order)?;
    let first = readings.iter().min_by(order).filter(|_| readings.len() > 1);
    let drives = last.drives.iter().filter_map(|(name, (count, ms))| {
        let (count_before, ms_before) = match first {
            Some(first) => *first.drives.get(name)?,
            None => (0, 0),
        };
        let since = (count.saturating_sub(count_before), ms.saturating_sub(ms_before));
        Some((name.clone(), since))
    });
    Some(Flushes {
        seconds: last.uptime - first.map_or(0.0, |first| first.uptime),
        drives: drives.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two rows are those of a virtual machine with Linux 6.18.
    fn text(uptime: f64, flushes: u64, ms: u64) -> String {
        format!(
            "{uptime} 100.0\n 254       0 vda 1036418 56140 40603898 1369123 271123 271202 149791056 1147237 0 187168 2561549 148941 61 51715520 42901 {flushes} {ms}\n 253       0 zram0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 9\n"
        )
    }

    #[test]
    fn two_readings_give_the_flushes_between_them() {
        let readings = [
            reading(&text(400.0, 11_944, 2586)).unwrap(),
            reading(&text(100.0, 11_644, 2286)).unwrap(),
        ];
        let found = flushes(&readings).unwrap();
        assert_eq!(found.seconds, 300.0);
        assert_eq!(found.drives.len(), 1, "zram is no drive");
        assert_eq!((found.most(), found.slowest()), (300, Some(("vda", 1_000_000))));
    }

    #[test]
    fn a_kernel_that_does_not_count_flushes_says_nothing() {
        assert_eq!(reading("1.0 2.0\n 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"), None);
        assert_eq!(reading("pool: tank\n"), None);
        assert_eq!(reading("1.0 2.0\nnot diskstats\n"), None);
    }
}
