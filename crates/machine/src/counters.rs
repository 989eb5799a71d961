//! The kernel's and the drives' own counters.
//!
//! Each is read from where a person would read it on a real server: `/proc/spl/kstat/zfs/…` and, of the
//! machine alone, `/proc/drives` (the record of every request) and `/proc/processor`.

use measurement::{Counter, Counters, DriveCounter, Named};
use std::sync::LazyLock;

/// The tables in `/proc/spl/kstat/zfs` whose values are counters.
pub const TABLES: [&str; 4] = ["arcstats", "zil", "dmu_tx", "dbufstats"];

/// Table, the kernel's name, and the counter.
///
/// The dirty data of a machine's one pool is what the ARC holds in anonymous buffers: written by clients and not on
/// the drives yet, of all transaction groups. (The `txgs` table has `ndirty` of a group only after its sync.) Hits of the
/// dbuf cache never reach the ARC.
static KSTATS: LazyLock<Vec<(&str, &str, Counter)>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        Some((cells.next()?, cells.next()?, Counter::parse(cells.next()?)?))
    };
    include_str!("kstats.tsv").lines().filter_map(row).collect()
});

/// Adds the values of a table that are counters (`name type data`, after two lines of head).
pub fn kstat(text: &str, table: &str, into: &mut Counters) {
    for line in text.lines().skip(2) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(_), Some(data)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let is_it = |(of, theirs, _): &&(&str, &str, _)| (*of, *theirs) == (table, name);
        if let (Some((.., counter)), Ok(value)) = (KSTATS.iter().find(is_it), data.parse()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_a_counter_of_a_table_that_is_read() {
        assert_eq!(KSTATS.len(), include_str!("kstats.tsv").lines().count());
        assert!(KSTATS.iter().all(|(table, ..)| TABLES.contains(table)));
    }

    #[test]
    fn kstat_tables_are_read_by_name() {
        let text = "9 1 0x01 2 3 4 5\nname                            type data\n\
                    demand_data_hits                4    17\nanon_size 4 512\n\
                    l2_asize 4 4096\nother 4 1\n";
        let mut seen = Counters::new();
        kstat(text, "arcstats", &mut seen);
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
}
