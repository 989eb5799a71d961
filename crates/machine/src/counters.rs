//! The kernel's and the drives' own counters.
//!
//! Each is read from where a person would read it on a real server: `/proc/spl/kstat/zfs/…` and, of the
//! machine alone, `/proc/drives` (the record of every request) and `/proc/processor`.

use measurement::{Counter, Counters, DriveCounter, Named};

/// Counters of `arcstats`: ours, the kernel's name.
///
/// The dirty data of a machine's one pool is what the ARC holds in anonymous buffers: written by clients and not on
/// the drives yet, of all transaction groups. (The `txgs` table has `ndirty` of a group only after its sync.)
const ARC: &[(Counter, &str)] = &[
    (Counter::ArcDataHits, "demand_data_hits"),
    (Counter::ArcDataMisses, "demand_data_misses"),
    (Counter::ArcMetadataHits, "demand_metadata_hits"),
    (Counter::ArcMetadataMisses, "demand_metadata_misses"),
    (Counter::ArcPrefetchMisses, "prefetch_data_misses"),
    (Counter::ArcSize, "size"),
    (Counter::ArcTarget, "c"),
    (Counter::DirtyBytes, "anon_size"),
    (Counter::L2Hits, "l2_hits"),
    (Counter::L2Misses, "l2_misses"),
    (Counter::L2Size, "l2_asize"),
    (Counter::L2WriteBytes, "l2_write_bytes"),
    (Counter::L2Feeds, "l2_feeds"),
    (Counter::L2EvictedHeld, "evict_l2_cached"),
    (Counter::L2EvictedUnfed, "evict_l2_eligible"),
];

const ZIL: &[(Counter, &str)] = &[
    (Counter::ZilCommits, "zil_commit_count"),
    (Counter::ZilCopied, "zil_itx_copied_count"),
    (Counter::ZilNeedcopy, "zil_itx_needcopy_count"),
    (Counter::ZilIndirect, "zil_itx_indirect_count"),
    (Counter::ZilCopiedBytes, "zil_itx_copied_bytes"),
    (Counter::ZilNeedcopyBytes, "zil_itx_needcopy_bytes"),
    (Counter::ZilIndirectBytes, "zil_itx_indirect_bytes"),
    (Counter::ZilSlogBytes, "zil_itx_metaslab_slog_write"),
    (Counter::ZilPoolBytes, "zil_itx_metaslab_normal_write"),
];

const TX: &[(Counter, &str)] = &[
    (Counter::ThrottleDirtyDelay, "dmu_tx_dirty_delay"),
    (Counter::ThrottleDirtyOverMax, "dmu_tx_dirty_over_max"),
    (Counter::ThrottleDirtyThrottle, "dmu_tx_dirty_throttle"),
    (Counter::ThrottleMemoryReserve, "dmu_tx_memory_reserve"),
    (Counter::ThrottleWrlogDelay, "dmu_tx_wrlog_delay"),
];

/// The files that are such tables, with their counters. Hits of the dbuf cache never reach the ARC.
pub const KSTATS: [(&str, &[(Counter, &str)]); 4] = [
    ("/proc/spl/kstat/zfs/arcstats", ARC),
    ("/proc/spl/kstat/zfs/zil", ZIL),
    ("/proc/spl/kstat/zfs/dmu_tx", TX),
    ("/proc/spl/kstat/zfs/dbufstats", &[(Counter::DbufHits, "hash_hits")]),
];

/// Adds the named values of a kstat table (`name type data`, after two lines of head).
pub fn kstat(text: &str, names: &[(Counter, &str)], into: &mut Counters) {
    for line in text.lines().skip(2) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(_), Some(data)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Ok(value) = data.parse::<f64>() else {
            continue;
        };
        for (counter, _) in names.iter().filter(|(_, theirs)| *theirs == name) {
            into.insert(counter.clone(), value);
        }
    }
}

/// Adds the counters of `/proc/spl/kstat/zfs/POOL/txgs`: groups synced and the time of their syncs. The table has
/// the newest groups only (`zfs_txg_history`), so that its totals grow by what is newer than `seen`, which is
/// brought up to date.
pub fn txgs(text: &str, seen: &mut TxgsSeen, into: &mut Counters) {
    for line in text.lines().skip(2) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // txg birth state ndirty nread nwritten reads writes otime qtime wtime stime
        let [txg, _, "C", .., stime] = words[..] else {
            continue;
        };
        let Ok(txg) = txg.parse::<u64>() else {
            continue;
        };
        if txg > seen.newest {
            seen.newest = txg;
            seen.syncs += 1.0;
            seen.sync_ns += stime.parse::<f64>().unwrap_or(0.0);
        }
    }
    into.insert(Counter::TxgSyncs, seen.syncs);
    into.insert(Counter::TxgSyncNs, seen.sync_ns);
}

/// What was seen of a pool's transaction groups.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TxgsSeen {
    newest: u64,
    syncs: f64,
    sync_ns: f64,
}

/// Adds the counters of `/proc/drives`: `drive.hdd0.reads` and so on.
pub fn drives(text: &str, into: &mut Counters) {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(drive) = words.next() else { continue };
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            if let (Some(what), Ok(value)) = (DriveCounter::parse(name), value.parse()) {
                into.insert(Counter::drive(drive, what), value);
            }
        }
    }
}

/// Adds the counters of `/proc/processor`: `processor.busy_ns` and `processor.cores`.
pub fn processor(text: &str, into: &mut Counters) {
    for line in text.lines() {
        let counter = match line.split_once(' ') {
            Some(("busy", value)) => Some((Counter::ProcessorBusyNs, value)),
            Some(("cores", value)) => Some((Counter::ProcessorCores, value)),
            _ => None,
        };
        if let Some((counter, Ok(value))) = counter.map(|(counter, text)| (counter, text.parse())) {
            into.insert(counter, value);
        }
    }
}

/// The version in `/sys/module/zfs/version`, without the packager's part: `2.4.4`.
pub fn version(text: &str) -> String {
    let text = text.trim();
    text.split('-').next().unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kstat_tables_are_read_by_name() {
        let text = "9 1 0x01 2 3 4 5\nname                            type data\n\
                    demand_data_hits                4    17\nanon_size 4 512\n\
                    l2_asize 4 4096\nother 4 1\n";
        let mut seen = Counters::new();
        kstat(text, ARC, &mut seen);
        let wanted =
            [(Counter::ArcDataHits, 17.0), (Counter::DirtyBytes, 512.0), (Counter::L2Size, 4096.0)];
        assert_eq!(seen, wanted.into());
    }

    #[test]
    fn transaction_groups_are_counted_once_and_after_their_sync() {
        let head = "24 0 0x01 7 784 1 2\ntxg      birth            state ndirty       nread        nwritten     reads    writes   otime        qtime        wtime        stime\n";
        let row = |txg: u64, state: &str, stime: u64| {
            format!("{txg} 1 {state} 100 0 0 0 0 1 2 3 {stime}\n")
        };
        let synced = |values: &Counters| {
            (values.count(&Counter::TxgSyncs), values.count(&Counter::TxgSyncNs))
        };
        let mut seen = TxgsSeen::default();
        let mut values = Counters::new();
        let text = format!("{head}{}{}", row(4, "C", 7), row(5, "O", 0));
        txgs(&text, &mut seen, &mut values);
        assert_eq!(synced(&values), (1.0, 7.0));
        let rows = [row(4, "C", 7), row(5, "C", 9), row(6, "S", 0)];
        txgs(&format!("{head}{}", rows.concat()), &mut seen, &mut values);
        assert_eq!(synced(&values), (2.0, 16.0));
    }

    #[test]
    fn drives_and_processor_are_read() {
        let mut values = Counters::new();
        drives("hdd0 reads 3 busy_ns 17\nopt1 reads 0 busy_ns 0\n", &mut values);
        processor("now 5\nbusy 70\ncores 16\n", &mut values);
        let wanted = [
            (Counter::drive("hdd0", DriveCounter::Reads), 3.0),
            (Counter::drive("hdd0", DriveCounter::BusyNs), 17.0),
            (Counter::drive("opt1", DriveCounter::Reads), 0.0),
            (Counter::drive("opt1", DriveCounter::BusyNs), 0.0),
            (Counter::ProcessorBusyNs, 70.0),
            (Counter::ProcessorCores, 16.0),
        ];
        assert_eq!(values, wanted.into());
    }

    #[test]
    fn a_version_loses_its_packager() {
        assert_eq!(version("2.4.4-1~bpo13+1\n"), "2.4.4");
    }
}
