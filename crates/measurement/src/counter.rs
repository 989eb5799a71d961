//! The counters of a trial.
//!
//! In a trial's totals a count is summed over the window and a level averaged; in its seconds a count is
//! what was added in that second and a level its mean there ([`Counter::is_level`]).

use crate::named::{current, named};
use crate::values::Named;
use std::borrow::Cow;

named! {
    /// A counter of the kernel, of the machine, of a drive or of a database server.
    pub enum Counter {
        /// ARC demand data hits.
        ArcDataHits = "arc.demand_data_hits",
        /// ARC demand data misses.
        ArcDataMisses = "arc.demand_data_misses",
        /// ARC demand metadata hits.
        ArcMetadataHits = "arc.demand_metadata_hits",
        /// ARC demand metadata misses.
        ArcMetadataMisses = "arc.demand_metadata_misses",
        /// ARC prefetch data misses.
        ArcPrefetchMisses = "arc.prefetch_data_misses",
        /// Size of the ARC, bytes (a level).
        ArcSize = "arc.size",
        /// Target size of the ARC, bytes (a level).
        ArcTarget = "arc.c",
        /// Hits in the dbuf cache and on held dbufs.
        DbufHits = "dbuf.hits",
        /// Dirty data of all transaction groups, bytes (a level).
        DirtyBytes = "dirty.bytes",
        /// L2ARC hits.
        L2Hits = "l2.hits",
        /// L2ARC misses.
        L2Misses = "l2.misses",
        /// Bytes held in the L2ARC (a level).
        L2Size = "l2.size",
        /// Bytes fed to the L2ARC.
        L2WriteBytes = "l2.write_bytes",
        /// Rounds of the L2ARC's feed thread.
        L2Feeds = "l2.feeds",
        /// Bytes evicted from the ARC that the L2ARC held.
        L2EvictedHeld = "l2.evicted_held",
        /// Bytes evicted from the ARC before the L2ARC had them.
        L2EvictedUnfed = "l2.evicted_unfed",
        /// `zil_commit` calls (`zil_commit_count` of the `zil` kstat).
        ZilCommits = "zil.commits",
        /// Intent-log records copied when logged.
        ZilCopied = "zil.copied",
        /// Bytes of them.
        ZilCopiedBytes = "zil.copied_bytes",
        /// Intent-log records copied when committed.
        ZilNeedcopy = "zil.needcopy",
        /// Bytes of them.
        ZilNeedcopyBytes = "zil.needcopy_bytes",
        /// Intent-log records that point at a block.
        ZilIndirect = "zil.indirect",
        /// Bytes of them.
        ZilIndirectBytes = "zil.indirect_bytes",
        /// Log-block bytes written to log vdevs.
        ZilSlogBytes = "zil.slog_bytes",
        /// Log-block bytes written to the pool.
        ZilPoolBytes = "zil.pool_bytes",
        /// Transaction groups synced.
        TxgSyncs = "txg.syncs",
        /// Time of their syncs, virtual ns, summed.
        TxgSyncNs = "txg.sync_ns",
        /// Transactions that waited in the smooth delay.
        ThrottleDirtyDelay = "throttle.dirty_delay",
        /// Transactions that waited because dirty data was over its limit.
        ThrottleDirtyOverMax = "throttle.dirty_over_max",
        /// Transactions refused by the ARC's 50/25/20 % rule.
        ThrottleDirtyThrottle = "throttle.dirty_throttle",
        /// Transactions that waited on memory reserve.
        ThrottleMemoryReserve = "throttle.memory_reserve",
        /// Transactions that waited because the write log was filling up.
        ThrottleWrlogDelay = "throttle.wrlog_delay",
        /// Share of the modelled cores in use, 0 to 1 (a level).
        ProcessorBusy = "processor.busy",
        /// Time in which cores were in use, virtual ns of all cores together. Samples have it, records have
        /// [`Counter::ProcessorBusy`].
        ProcessorBusyNs = "processor.busy_ns",
        /// Modelled cores. In samples only.
        ProcessorCores = "processor.cores",
        /// Of a PostgreSQL server: transactions committed, its clients' and the trial's own.
        PostgresqlCommits = "postgresql.commits",
        /// Of a PostgreSQL server: pages found in its shared buffers.
        PostgresqlBufferHits = "postgresql.buffer_hits",
        /// Of a PostgreSQL server: pages that it read into its shared buffers.
        PostgresqlBufferReads = "postgresql.buffer_reads",
        /// Of a PostgreSQL server: bytes of write-ahead log.
        PostgresqlWalBytes = "postgresql.wal_bytes",
        /// Of a PostgreSQL server: whole pages in its write-ahead log.
        PostgresqlWalFullPages = "postgresql.wal_full_pages",
        /// Of a PostgreSQL server: checkpoints, by time and by request.
        PostgresqlCheckpoints = "postgresql.checkpoints",
        /// Of a MariaDB or MySQL server: COMMIT statements.
        MysqlCommits = "mysql.commits",
        /// Of a MariaDB or MySQL server: pages asked of its buffer pool.
        MysqlBufferRequests = "mysql.buffer_requests",
        /// Of a MariaDB or MySQL server: pages asked of its buffer pool that were not in it.
        MysqlBufferReads = "mysql.buffer_reads",
        /// Of a MariaDB or MySQL server: bytes of redo log.
        MysqlRedoBytes = "mysql.redo_bytes",
        /// Of a MariaDB or MySQL server: flushes that InnoDB asked for, of the redo log and of tablespaces.
        MysqlFlushes = "mysql.flushes",
        /// Of a MariaDB or MySQL server: groups of transactions written to the binary log at once.
        MysqlBinlogGroups = "mysql.binlog_groups",
        /// Of a MariaDB or MySQL server: pages written to tablespaces.
        MysqlPagesWritten = "mysql.pages_written",
        /// Of a MariaDB or MySQL server: pages written to the doublewrite buffer.
        MysqlPagesDoubled = "mysql.pages_doubled",
        /// Of a MariaDB or MySQL server: waits for the lock of a row.
        MysqlRowLockWaits = "mysql.row_lock_waits",
    }
    and {
        /// A counter of one drive: `drive.hdd3.busy`.
        Drive {
            /// The drive: `hdd3`.
            drive: String,
            /// What is counted.
            what: DriveCounter,
        },
    }
}

named! {
    /// What is counted of a drive, by its name in records and in `/proc/drives`.
    #[derive(Copy)]
    pub enum DriveCounter {
        /// Read requests completed.
        Reads = "reads",
        /// Bytes read.
        ReadBytes = "read_bytes",
        /// Service times of reads, virtual ns, summed.
        ReadNs = "read_ns",
        /// Write requests completed.
        Writes = "writes",
        /// Bytes written.
        WriteBytes = "write_bytes",
        /// Service times of writes, virtual ns, summed.
        WriteNs = "write_ns",
        /// Flushes completed.
        Flushes = "flushes",
        /// Service times of flushes, virtual ns, summed.
        FlushNs = "flush_ns",
        /// Discards completed.
        Discards = "discards",
        /// Bytes discarded.
        DiscardBytes = "discard_bytes",
        /// Time by which completions came after their due time, virtual ns, summed.
        LateNs = "late_ns",
        /// Share of the time with a request in the drive, 0 to 1 (a level).
        Busy = "busy",
        /// Time with a request in the drive, virtual ns. Samples have it, records have
        /// [`DriveCounter::Busy`].
        BusyNs = "busy_ns",
        /// Requests in the drive (a level).
        Queue = "queue",
        /// Requests in the drive × time, virtual ns. Samples have it, records have [`DriveCounter::Queue`].
        QueueNs = "queue_ns",
    }
}

/// Every throttle that a transaction can wait in.
pub const THROTTLES: [Counter; 5] = [
    Counter::ThrottleDirtyDelay,
    Counter::ThrottleDirtyOverMax,
    Counter::ThrottleDirtyThrottle,
    Counter::ThrottleMemoryReserve,
    Counter::ThrottleWrlogDelay,
];

impl Counter {
    /// A counter of a drive.
    pub fn drive(drive: impl Into<String>, what: DriveCounter) -> Counter {
        Counter::Drive { drive: drive.into(), what }
    }

    /// Whether it is a level, which is averaged over time, and not a count, which is summed.
    pub fn is_level(&self) -> bool {
        matches!(
            self,
            Counter::ArcSize
                | Counter::ArcTarget
                | Counter::L2Size
                | Counter::DirtyBytes
                | Counter::ProcessorBusy
                | Counter::Drive { what: DriveCounter::Busy | DriveCounter::Queue, .. }
        )
    }

    /// The counter of this name, if findings look at it second by second and not only at its total.
    pub(crate) fn read_by_second(name: &str) -> Option<Counter> {
        match drive_counter(name) {
            Some((_, DriveCounter::Busy)) => Counter::parse(name),
            Some(_) => None,
            None => Counter::parse(name).filter(|counter| {
                matches!(
                    counter,
                    Counter::TxgSyncs
                        | Counter::DirtyBytes
                        | Counter::L2Size
                        | Counter::ProcessorBusy
                ) || THROTTLES.contains(counter)
            }),
        }
    }
}

impl Named for Counter {
    fn name(&self) -> Cow<'static, str> {
        match (self, self.fixed_name()) {
            (Counter::Drive { drive, what }, _) => format!("drive.{drive}.{}", what.name()).into(),
            (_, name) => name.unwrap_or_default().into(),
        }
    }

    fn parse(name: &str) -> Option<Counter> {
        match drive_counter(name) {
            Some((drive, what)) => Some(Counter::drive(drive, what)),
            None => Counter::with_fixed_name(&current(name)),
        }
    }
}

/// Splits `drive.hdd3.busy`.
fn drive_counter(name: &str) -> Option<(&str, DriveCounter)> {
    let (drive, what) = name.strip_prefix("drive.")?.rsplit_once('.')?;
    Some((drive, DriveCounter::parse(what)?))
}

/// The kind of a drive: `hdd` of `hdd3`.
pub fn drive_kind(drive: &str) -> &str {
    drive.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn every_counter() -> Vec<Counter> {
        let of_drives = DriveCounter::NAMED.iter().map(|what| Counter::drive("hdd3", *what));
        Counter::NAMED.iter().cloned().chain(of_drives).collect()
    }

    #[test]
    fn every_counter_is_read_back_by_its_name() {
        let mut names = BTreeSet::new();
        for counter in every_counter() {
            let name = counter.name();
            assert_eq!(Counter::parse(&name), Some(counter.clone()), "{name}");
            assert!(names.insert(name.clone()), "{name} names two counters");
        }
    }

    /// Names in stored results, which must stay readable.
    #[test]
    fn the_names_are_those_of_stored_results() {
        let stored = include_str!("../tests/counters.txt");
        let ours: BTreeSet<String> =
            every_counter().iter().map(|counter| counter.name().into_owned()).collect();
        assert_eq!(ours, stored.lines().map(str::to_owned).collect());
    }

    #[test]
    fn counters_of_mariadb_are_read_by_their_former_names() {
        assert_eq!(Counter::parse("mariadb.redo_bytes"), Some(Counter::MysqlRedoBytes));
    }

    #[test]
    fn drive_counters_name_the_drive_and_what_is_counted() {
        let busy = Counter::drive("p1600x-0", DriveCounter::Busy);
        assert_eq!(busy.name(), "drive.p1600x-0.busy");
        for unknown in ["drive.hdd3.colour", "drive.busy", "drive.", "arc.sizes", ""] {
            assert_eq!(Counter::parse(unknown), None, "{unknown}");
        }
        assert_eq!(drive_kind("optane12"), "optane");
        assert_eq!(drive_kind("p1600x-0"), "p1600x-");
    }

    #[test]
    fn shares_and_sizes_are_levels_and_events_are_counts() {
        let is_level = |name: &str| Counter::parse(name).unwrap().is_level();
        for level in ["arc.c", "processor.busy", "drive.hdd0.queue", "drive.hdd0.busy"] {
            assert!(is_level(level), "{level}");
        }
        for count in ["zil.commits", "drive.hdd0.writes", "drive.hdd0.write_ns"] {
            assert!(!is_level(count), "{count}");
        }
    }
}
