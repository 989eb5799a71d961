//! Names of the counters in a trial's totals and seconds: the one list of them. The engine writes these
//! names, findings read them.
//!
//! In a trial's totals a count is summed over the window and a level averaged; in its seconds a count is
//! what was added in that second and a level its mean there ([`is_level`]).

/// ARC demand data hits.
pub const ARC_DATA_HITS: &str = "arc.demand_data_hits";
/// ARC demand data misses.
pub const ARC_DATA_MISSES: &str = "arc.demand_data_misses";
/// ARC demand metadata hits.
pub const ARC_META_HITS: &str = "arc.demand_metadata_hits";
/// ARC demand metadata misses.
pub const ARC_META_MISSES: &str = "arc.demand_metadata_misses";
/// Size of the ARC, bytes (a level).
pub const ARC_SIZE: &str = "arc.size";
/// Target size of the ARC, bytes (a level).
pub const ARC_TARGET: &str = "arc.c";
/// Hits in the dbuf cache and on held dbufs.
pub const DBUF_HITS: &str = "dbuf.hits";
/// L2ARC hits.
pub const L2_HITS: &str = "l2.hits";
/// L2ARC misses.
pub const L2_MISSES: &str = "l2.misses";
/// Bytes held in the L2ARC (a level).
pub const L2_SIZE: &str = "l2.size";
/// Bytes fed to the L2ARC.
pub const L2_FEED: &str = "l2.write_bytes";
/// `zil_commit` calls (`zil_commit_count` of the `zil` kstat).
pub const ZIL_COMMITS: &str = "zil.commits";
/// Intent-log records copied when logged.
pub const ZIL_COPIED: &str = "zil.copied";
/// Intent-log records copied when committed.
pub const ZIL_NEEDCOPY: &str = "zil.needcopy";
/// Intent-log records that point at a block.
pub const ZIL_INDIRECT: &str = "zil.indirect";
/// Log-block bytes written to log vdevs.
pub const ZIL_SLOG_BYTES: &str = "zil.slog_bytes";
/// Log-block bytes written to the pool.
pub const ZIL_POOL_BYTES: &str = "zil.pool_bytes";
/// Transaction groups synced.
pub const TXG_SYNCS: &str = "txg.syncs";
/// Dirty data of all transaction groups, bytes (a level).
pub const DIRTY: &str = "dirty.bytes";
/// Transactions that waited in the smooth delay.
pub const THROTTLE_DELAYS: &str = "throttle.dirty_delay";
/// Transactions that waited because dirty data was over its limit.
pub const THROTTLE_OVER_MAX: &str = "throttle.dirty_over_max";
/// Transactions refused by the ARC's 50/25/20 % rule.
pub const THROTTLE_MEMORY: &str = "throttle.dirty_throttle";
/// Transactions that waited on memory reserve.
pub const THROTTLE_RESERVE: &str = "throttle.memory_reserve";
/// Transactions that waited because the write log was filling up.
pub const THROTTLE_WRLOG: &str = "throttle.wrlog_delay";
/// Share of the modelled cores in use, 0 to 1 (a level).
pub const PROCESSOR_BUSY: &str = "processor.busy";

/// Of a PostgreSQL server: transactions committed, its clients' and the trial's own.
pub const PG_COMMITS: &str = "postgresql.commits";
/// Of a PostgreSQL server: pages found in its shared buffers.
pub const PG_BUFFER_HITS: &str = "postgresql.buffer_hits";
/// Of a PostgreSQL server: pages that it read into its shared buffers.
pub const PG_BUFFER_READS: &str = "postgresql.buffer_reads";
/// Of a PostgreSQL server: bytes of write-ahead log.
pub const PG_WAL_BYTES: &str = "postgresql.wal_bytes";
/// Of a PostgreSQL server: whole pages in its write-ahead log.
pub const PG_WAL_FULL_PAGES: &str = "postgresql.wal_full_pages";
/// Of a PostgreSQL server: checkpoints, by time and by request.
pub const PG_CHECKPOINTS: &str = "postgresql.checkpoints";

/// Every throttle that a transaction can wait in.
pub const THROTTLES: [&str; 5] =
    [THROTTLE_DELAYS, THROTTLE_OVER_MAX, THROTTLE_MEMORY, THROTTLE_RESERVE, THROTTLE_WRLOG];

/// Of a drive: read requests completed.
pub const READS: &str = "reads";
/// Of a drive: write requests completed.
pub const WRITES: &str = "writes";
/// Of a drive: flushes completed.
pub const FLUSHES: &str = "flushes";
/// Of a drive: bytes read.
pub const READ_BYTES: &str = "read_bytes";
/// Of a drive: bytes written.
pub const WRITE_BYTES: &str = "write_bytes";
/// Of a drive: service times of its reads, virtual ns, summed.
pub const READ_NS: &str = "read_ns";
/// Of a drive: service times of its writes, virtual ns, summed.
pub const WRITE_NS: &str = "write_ns";
/// Of a drive: service times of its flushes, virtual ns, summed.
pub const FLUSH_NS: &str = "flush_ns";
/// Of a drive: share of the time with a request in it, 0 to 1 (a level).
pub const BUSY: &str = "busy";
/// Of a drive: requests in it (a level).
pub const QUEUE: &str = "queue";

/// The name of a drive's counter: `drive.hdd3.busy`.
pub fn of_drive(drive: &str, what: &str) -> String {
    format!("drive.{drive}.{what}")
}

/// Splits `drive.hdd3.busy` into (`hdd3`, `busy`).
pub fn drive(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("drive.")?.rsplit_once('.')
}

/// Whether a counter is a level, which is averaged over time, and not a count, which is summed.
pub fn is_level(name: &str) -> bool {
    [ARC_SIZE, ARC_TARGET, L2_SIZE, DIRTY, PROCESSOR_BUSY].contains(&name)
        || matches!(drive(name), Some((_, BUSY | QUEUE)))
}

/// Whether findings look at a counter second by second, and not only at its total.
pub fn of_seconds(name: &str) -> bool {
    [TXG_SYNCS, DIRTY, L2_SIZE, PROCESSOR_BUSY].contains(&name)
        || THROTTLES.contains(&name)
        || matches!(drive(name), Some((_, BUSY)))
}

/// The kind of a drive: `hdd` of `hdd3`.
pub fn kind(drive: &str) -> &str {
    drive.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drive_counters_name_the_drive_and_what_is_counted() {
        assert_eq!(of_drive("hdd3", BUSY), "drive.hdd3.busy");
        assert_eq!(drive("drive.hdd3.busy"), Some(("hdd3", "busy")));
        assert_eq!(drive("arc.size"), None);
        assert_eq!(kind("optane12"), "optane");
        assert_eq!(kind("p1600x-0"), "p1600x-");
    }

    #[test]
    fn shares_and_sizes_are_levels_and_events_are_counts() {
        for level in ["arc.c", "processor.busy", "drive.hdd0.queue", "drive.hdd0.busy"] {
            assert!(is_level(level), "{level}");
        }
        for count in ["zil.commits", "drive.hdd0.writes", "drive.hdd0.write_ns", "arc.busy"] {
            assert!(!is_level(count), "{count}");
        }
    }
}
