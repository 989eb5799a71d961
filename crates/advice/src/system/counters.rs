//! Kernel counters of OpenZFS: kstats, read twice.

use super::diskstats::Flushes;
use super::zpool_iostat::Waits;
use std::collections::BTreeMap;

/// Counters of a live machine over a window.
///
/// Counts are of the window. Nothing that a machine offers to readers times an fsync itself: its
/// parts are the waits of a log write at the drives and the flush after it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Length of the window, seconds.
    pub seconds: f64,
    /// `zil_commit` calls: requests for stable storage.
    pub commits: Option<u64>,
    /// Waits of an intent log write at the drives.
    pub waits: Option<Waits>,
    /// Flushes that the drives were sent.
    pub flushes: Option<Flushes>,
    /// The slowest mean flush that a commit waits for, with its drive, ns.
    pub commit_flush: Option<(String, u64)>,
    /// ARC hits and misses by demand reads.
    pub demand_hits: Option<u64>,
    /// See `demand_hits`.
    pub demand_misses: Option<u64>,
    /// Hits on the ghost lists: hits that a larger cache would have had.
    pub ghost_hits: Option<u64>,
    /// L2ARC hits.
    pub l2_hits: Option<u64>,
    /// L2ARC misses.
    pub l2_misses: Option<u64>,
    /// L2ARC checksum and I/O errors since boot.
    pub l2_errors: Option<u64>,
    /// Bytes of L2ARC headers in RAM.
    pub l2_headers: Option<u64>,
    /// Times that memory pressure throttled writers.
    pub memory_throttled: Option<u64>,
    /// Transactions that the write throttle delayed.
    pub dirty_delayed: Option<u64>,
}

/// A kstat as `/proc/spl/kstat/zfs/*` shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kstat {
    /// When it was made (the module was loaded) and when it was read, ns of the machine's clock.
    pub window: (u64, u64),
    /// Its counters.
    pub counters: BTreeMap<String, u64>,
}

/// A kstat of type 1 (named counters), without counters where it is that of one dataset; none for any other text.
pub fn kstat(text: &str) -> Option<Kstat> {
    let mut rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = rows.next()?;
    let [_, "1", _, _, _, made, read] = header.as_slice() else { return None };
    if rows.next()?.as_slice() != ["name", "type", "data"] {
        return None;
    }
    let rows: Vec<Vec<&str>> = rows.collect();
    // A dataset's own (`POOL/objset-…`) counts under the names of the whole machine's.
    let whole = !rows.iter().any(|words| words.first() == Some(&"dataset_name"));
    let counters = rows
        .into_iter()
        .filter(|_| whole)
        .filter_map(|words| match words.as_slice() {
            [name, _, value] => Some((name.to_string(), value.parse().ok()?)),
            _ => None,
        })
        .collect();
    Some(Kstat { window: (made.parse().ok()?, read.parse().ok()?), counters })
}

/// What was counted between the first and the last reading of each kstat; with one reading, since
/// the module was loaded.
pub fn counters(readings: &[Kstat]) -> Option<Counters> {
    let mut kinds: BTreeMap<&str, Vec<&Kstat>> = BTreeMap::new();
    for reading in readings {
        let kind = ["zil_commit_count", "demand_data_hits", "dmu_tx_dirty_delay"]
            .into_iter()
            .find(|key| reading.counters.contains_key(*key));
        if let Some(kind) = kind {
            kinds.entry(kind).or_default().push(reading);
        }
    }
    let mut before: BTreeMap<&str, u64> = BTreeMap::new();
    let mut after: BTreeMap<&str, u64> = BTreeMap::new();
    let mut seconds: Option<f64> = None;
    for readings in kinds.values_mut() {
        readings.sort_by_key(|reading| reading.window.1);
        let (first, last) = (readings.first()?, readings.last()?);
        let single = readings.len() == 1;
        let from = if single { first.window.0 } else { first.window.1 };
        let window = last.window.1.saturating_sub(from) as f64 / 1e9;
        seconds = Some(seconds.map_or(window, |known| known.min(window)));
        for (name, value) in &last.counters {
            after.insert(name, *value);
            before
                .insert(name, if single { 0 } else { *first.counters.get(name).unwrap_or(value) });
        }
    }
    let grew = |name: &str| Some(after.get(name)?.saturating_sub(*before.get(name)?));
    let sum = |names: &[&str], read: &dyn Fn(&str) -> Option<u64>| {
        names.iter().filter_map(|name| read(name)).reduce(u64::saturating_add)
    };
    let now = |name: &str| after.get(name).copied();
    Some(Counters {
        seconds: seconds?,
        commits: grew("zil_commit_count"),
        demand_hits: sum(&["demand_data_hits", "demand_metadata_hits"], &grew),
        demand_misses: sum(&["demand_data_misses", "demand_metadata_misses"], &grew),
        ghost_hits: sum(&["mru_ghost_hits", "mfu_ghost_hits"], &grew),
        l2_hits: grew("l2_hits"),
        l2_misses: grew("l2_misses"),
        l2_errors: sum(&["l2_cksum_bad", "l2_io_error"], &now),
        l2_headers: now("l2_hdr_size"),
        memory_throttled: grew("memory_throttle_count"),
        dirty_delayed: grew("dmu_tx_dirty_delay"),
        ..Counters::default()
    })
}

impl Counters {
    /// What a commit takes at the drives, ns: the mean wait of a log write and the mean flush of the
    /// slowest drive that holds the log, as far as they are known; none where neither is.
    pub fn commit_mean_ns(&self) -> Option<u64> {
        let write = self.waits.as_ref().map(|waits| waits.mean_ns);
        let flush = self.commit_flush.as_ref().map(|(_, mean)| *mean);
        write.into_iter().chain(flush).reduce(u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(read: u64, rows: &str) -> Kstat {
        kstat(&format!("13 1 0x01 3 4 1000000000 {read}\nname type data\n{rows}")).unwrap()
    }

    #[test]
    fn two_readings_are_a_window() {
        let first = reading(5_000_000_000, "zil_commit_count 4 100\nl2_io_error 4 1\n");
        let last = reading(305_000_000_000, "zil_commit_count 4 400\nl2_io_error 4 2\n");
        let counted = counters(&[last, first]).unwrap();
        assert_eq!((counted.seconds, counted.commits), (300.0, Some(300)));
        assert_eq!(counted.l2_errors, Some(2), "a level, not a difference");
        assert_eq!(counted.l2_hits, None);
    }

    #[test]
    fn what_was_counted_of_one_dataset_does_not_count_for_the_machine() {
        let dataset = reading(9_000_000_000, "dataset_name 7 tank/idle\nzil_commit_count 4 0\n");
        assert_eq!(counters(std::slice::from_ref(&dataset)), None);
        let zil = reading(11_000_000_000, "zil_commit_count 4 50\n");
        let counted = counters(&[zil, dataset]).unwrap();
        assert_eq!((counted.seconds, counted.commits), (10.0, Some(50)));
    }

    #[test]
    fn one_reading_counts_since_the_module_was_loaded() {
        let counted = counters(&[reading(11_000_000_000, "zil_commit_count 4 50\n")]).unwrap();
        assert_eq!((counted.seconds, counted.commits), (10.0, Some(50)));
    }
}
