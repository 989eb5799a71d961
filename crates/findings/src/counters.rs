//! Names of the counters in a trial's totals and seconds, as the engine spells them.
//!
//! The engine's own list is `poolfs::protocol::counters`; it is repeated here because findings are
//! computed where no engine can be (in a web page). A test in `bench` holds the two together.

/// ARC demand data hits.
pub const ARC_DATA_HITS: &str = "arc.demand_data_hits";
/// ARC demand data misses.
pub const ARC_DATA_MISSES: &str = "arc.demand_data_misses";
/// ARC demand metadata hits.
pub const ARC_META_HITS: &str = "arc.demand_metadata_hits";
/// ARC demand metadata misses.
pub const ARC_META_MISSES: &str = "arc.demand_metadata_misses";
/// Hits in the dbuf cache and on held dbufs.
pub const DBUF_HITS: &str = "dbuf.hits";
/// L2ARC hits.
pub const L2_HITS: &str = "l2.hits";
/// Bytes held in the L2ARC (a level).
pub const L2_SIZE: &str = "l2.size";
/// Bytes fed to the L2ARC.
pub const L2_FEED: &str = "l2.write_bytes";
/// `zil_commit` calls that had something to commit.
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
/// Dirty data, bytes (a level).
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

/// Every throttle that a transaction can wait in.
pub const THROTTLES: [&str; 5] = [
    THROTTLE_DELAYS,
    THROTTLE_OVER_MAX,
    THROTTLE_MEMORY,
    THROTTLE_RESERVE,
    THROTTLE_WRLOG,
];

/// Splits `drive.hdd3.busy` into (`hdd3`, `busy`).
pub fn drive(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("drive.")?.rsplit_once('.')
}

/// Whether findings look at a counter second by second, and not only at its total.
pub fn of_seconds(name: &str) -> bool {
    [TXG_SYNCS, DIRTY, L2_SIZE].contains(&name)
        || THROTTLES.contains(&name)
        || matches!(drive(name), Some((_, "busy")))
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
        assert_eq!(drive("drive.hdd3.busy"), Some(("hdd3", "busy")));
        assert_eq!(drive("arc.size"), None);
        assert_eq!(kind("optane12"), "optane");
        assert_eq!(kind("p1600x-0"), "p1600x-");
    }
}
