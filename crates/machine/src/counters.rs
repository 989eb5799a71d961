//! The kernel's and the drives' own counters, by the names that findings know them under.
//!
//! Each is read from where a person would read it on a real server: `/proc/spl/kstat/zfs/…` and, of the
//! machine alone, `/proc/drives` (the record of every request) and `/proc/processor`.

use std::collections::BTreeMap;

/// Name → value.
pub type Counters = BTreeMap<String, f64>;

/// Counters of `arcstats`: our name, the kernel's.
///
/// The dirty data of a machine's one pool is what the ARC holds in anonymous buffers: written by clients and not on
/// the drives yet, of all transaction groups. (The `txgs` table has `ndirty` of a group only after its sync.)
const ARC: [(&str, &str); 15] = [
    ("arc.demand_data_hits", "demand_data_hits"),
    ("arc.demand_data_misses", "demand_data_misses"),
    ("arc.demand_metadata_hits", "demand_metadata_hits"),
    ("arc.demand_metadata_misses", "demand_metadata_misses"),
    ("arc.prefetch_data_misses", "prefetch_data_misses"),
    ("arc.size", "size"),
    ("arc.c", "c"),
    ("dirty.bytes", "anon_size"),
    ("l2.hits", "l2_hits"),
    ("l2.misses", "l2_misses"),
    ("l2.size", "l2_asize"),
    ("l2.write_bytes", "l2_write_bytes"),
    ("l2.feeds", "l2_feeds"),
    ("l2.evicted_held", "evict_l2_cached"),
    ("l2.evicted_unfed", "evict_l2_eligible"),
];

/// Counters of `zil`.
const ZIL: [(&str, &str); 9] = [
    ("zil.commits", "zil_commit_count"),
    ("zil.copied", "zil_itx_copied_count"),
    ("zil.needcopy", "zil_itx_needcopy_count"),
    ("zil.indirect", "zil_itx_indirect_count"),
    ("zil.copied_bytes", "zil_itx_copied_bytes"),
    ("zil.needcopy_bytes", "zil_itx_needcopy_bytes"),
    ("zil.indirect_bytes", "zil_itx_indirect_bytes"),
    ("zil.slog_bytes", "zil_itx_metaslab_slog_write"),
    ("zil.pool_bytes", "zil_itx_metaslab_normal_write"),
];

/// Counters of `dmu_tx`.
const TX: [(&str, &str); 5] = [
    ("throttle.dirty_delay", "dmu_tx_dirty_delay"),
    ("throttle.dirty_over_max", "dmu_tx_dirty_over_max"),
    ("throttle.dirty_throttle", "dmu_tx_dirty_throttle"),
    ("throttle.memory_reserve", "dmu_tx_memory_reserve"),
    ("throttle.wrlog_delay", "dmu_tx_wrlog_delay"),
];

/// Adds the named values of a kstat table (`name type data`, after two lines of head).
fn kstat(text: &str, names: &[(&str, &str)], into: &mut Counters) {
    for line in text.lines().skip(2) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(_), Some(data)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Ok(value) = data.parse::<f64>() else {
            continue;
        };
        for (ours, _) in names.iter().filter(|(_, theirs)| *theirs == name) {
            into.insert((*ours).to_owned(), value);
        }
    }
}

/// Adds the counters of `/proc/spl/kstat/zfs/arcstats`.
pub fn arcstats(text: &str, into: &mut Counters) {
    kstat(text, &ARC, into);
}

/// Adds the counters of `/proc/spl/kstat/zfs/zil`.
pub fn zil(text: &str, into: &mut Counters) {
    kstat(text, &ZIL, into);
}

/// Adds the counters of `/proc/spl/kstat/zfs/dmu_tx`.
pub fn dmu_tx(text: &str, into: &mut Counters) {
    kstat(text, &TX, into);
}

/// Adds hits of the dbuf cache, which never reach the ARC, from `/proc/spl/kstat/zfs/dbufstats`.
pub fn dbufstats(text: &str, into: &mut Counters) {
    kstat(text, &[("dbuf.hits", "hash_hits")], into);
}

/// Adds what `/proc/spl/kstat/zfs/POOL/txgs` tells: groups synced and the time of their syncs. The table has
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
    into.insert("txg.syncs".to_owned(), seen.syncs);
    into.insert("txg.sync_ns".to_owned(), seen.sync_ns);
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
            if let Ok(value) = value.parse() {
                into.insert(format!("drive.{drive}.{name}"), value);
            }
        }
    }
}

/// Adds the counters of `/proc/processor`: `processor.busy_ns` and `processor.cores`.
pub fn processor(text: &str, into: &mut Counters) {
    for line in text.lines() {
        if let Some((name, value)) = line.split_once(' ')
            && let ("busy" | "cores", Ok(value)) = (name, value.parse())
        {
            let name = if name == "busy" { "busy_ns" } else { name };
            into.insert(format!("processor.{name}"), value);
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
        arcstats(text, &mut seen);
        let wanted = [("arc.demand_data_hits", 17.0), ("dirty.bytes", 512.0), ("l2.size", 4096.0)];
        assert_eq!(seen, wanted.map(|(n, v)| (n.to_owned(), v)).into());
    }

    #[test]
    fn transaction_groups_are_counted_once_and_after_their_sync() {
        let head = "24 0 0x01 7 784 1 2\ntxg      birth            state ndirty       nread        nwritten     reads    writes   otime        qtime        wtime        stime\n";
        let row = |txg: u64, state: &str, stime: u64| {
            format!("{txg} 1 {state} 100 0 0 0 0 1 2 3 {stime}\n")
        };
        let mut seen = TxgsSeen::default();
        let mut values = Counters::new();
        let text = format!("{head}{}{}", row(4, "C", 7), row(5, "O", 0));
        txgs(&text, &mut seen, &mut values);
        assert_eq!((values["txg.syncs"], values["txg.sync_ns"]), (1.0, 7.0));
        let rows = [row(4, "C", 7), row(5, "C", 9), row(6, "S", 0)];
        txgs(&format!("{head}{}", rows.concat()), &mut seen, &mut values);
        assert_eq!((values["txg.syncs"], values["txg.sync_ns"]), (2.0, 16.0));
    }

    #[test]
    fn drives_and_processor_are_read() {
        let mut values = Counters::new();
        drives("hdd0 reads 3 busy_ns 17\nopt1 reads 0 busy_ns 0\n", &mut values);
        processor("now 5\nbusy 70\ncores 16\n", &mut values);
        assert_eq!(values["drive.hdd0.busy_ns"], 17.0);
        assert_eq!((values["processor.busy_ns"], values["processor.cores"]), (70.0, 16.0));
        assert_eq!(values.len(), 6);
    }

    #[test]
    fn a_version_loses_its_packager() {
        assert_eq!(version("2.4.4-1~bpo13+1\n"), "2.4.4");
    }
}
