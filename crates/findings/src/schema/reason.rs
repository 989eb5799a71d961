//! Reasons: what the kernel's counters and the drives' record say about an effect.

use super::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reason with the command that shows its numbers on a real server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The reason.
    #[serde(flatten)]
    pub reason: Reason,
    /// The command ([`Reason::command`]); `POOL` stands for the pool's name.
    pub command: String,
}

impl From<Reason> for Explanation {
    fn from(reason: Reason) -> Explanation {
        let command = reason.command().to_owned();
        Explanation { reason, command }
    }
}

/// One reason with its numbers. `before` is the denominator of the effect, `after` its numerator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// Writes to the drives that take the intent log take this long.
    LogWrites(Both<DriveTime>),
    /// Flushes of the drives that take the intent log take this long.
    LogFlushes(Both<DriveTime>),
    /// Commits wait for no flush of the drives that take the intent log, as they did before: those need none, or
    /// flushes are switched off.
    NoLogFlush {
        /// The flush before.
        before: DriveTime,
        /// The kind of drives that take the log after.
        kind: String,
    },
    /// Commits of the intent log for each read or write of the client.
    Commits(Both<f64>),
    /// What limits the cell moved.
    LimitMoved(Both<Limit>),
    /// Both cells are limited by the same thing, and about as far.
    SameLimit {
        /// What.
        limit: Limit,
    },
    /// Nothing, or hardly anything, was synchronous in either cell.
    NothingSynced {
        /// Intent-log commits an operation, both cells' larger.
        #[serde(default)]
        commits: f64,
    },
    /// Nothing was read that was not in memory already (and nothing was evicted to read again).
    NothingRead {
        /// Blocks a second that came from drives or L2ARC, both cells' larger.
        per_s: f64,
    },
    /// The log vdev took no log blocks.
    LogUnused,
    /// The log vdev took only a part: it was full, or records went elsewhere.
    LogPartly {
        /// Share of log-block bytes that went to it.
        share: f64,
    },
    /// Log blocks went to the data vdevs although there is a log vdev: it was full. Shares of log-block bytes.
    LogOverflows(Both<f64>),
    /// Intent-log records pointed at data blocks in the pool instead of holding them. Shares of log records.
    Indirect(Both<f64>),
    /// The L2ARC answered next to nothing.
    CacheUnused {
        /// Share of all lookups.
        hits: f64,
        /// Bytes fed to it.
        fed: f64,
    },
    /// Reads with O_DIRECT bypass the ARC (from OpenZFS 2.3 on), from which the L2ARC is fed.
    CacheBypassed,
    /// The L2ARC answered this share of lookups.
    CacheServes {
        /// Share of all lookups.
        hits: f64,
        /// Share of lookups left to the drives, before.
        drives_before: f64,
        /// After.
        drives_after: f64,
    },
    /// Reads served from memory changed. Dbuf and ARC share of lookups.
    MemoryServes(Both<f64>),
    /// Writes had to read the rest of their records first. Bytes read from drives per byte written.
    RecordReads(Both<f64>),
    /// Virtual µs that an operation waited for reads of the rest of its record.
    RecordWait(Both<f64>),
    /// Hardly anything was read from the special vdev.
    SpecialUnread,
    /// Bytes the drives wrote per byte the client wrote.
    WriteAmplification(Both<f64>),
    /// Writers outran the drives: dirty data filled, and from then on writers wait for the drives.
    DirtyFilled {
        /// Virtual seconds until it did.
        seconds: f64,
        /// Seconds until it would on the real server, whose dirty-data limit is larger.
        #[serde(default)]
        real_seconds: f64,
        /// Transactions that waited in a write throttle for each write of the client, after that.
        per_write: f64,
    },
    /// Transactions that waited in a write throttle for each write of the client, in what lasts.
    Throttled(Both<f64>),
    /// Bytes of write-ahead log of PostgreSQL for each transaction.
    Wal(Both<f64>),
    /// Bytes of redo log of MariaDB or MySQL for each transaction.
    Redo(Both<f64>),
    /// Pages that InnoDB wrote to its doublewrite buffer for each transaction.
    Doublewrite(Both<f64>),
    /// The setting changes nothing that was counted.
    SameWork,
}

/// The same of both sides of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Both<T> {
    /// Before.
    pub before: T,
    /// After.
    pub after: T,
}

/// A mean service time of a kind of drives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveTime {
    /// The kind: `optane`.
    pub kind: String,
    /// They take the data as well as the log.
    pub with_data: bool,
    /// Virtual µs.
    pub us: f64,
}

impl Reason {
    /// The command that shows its numbers on a real server; `POOL` stands for the pool's name.
    pub fn command(&self) -> &'static str {
        match self {
            Reason::LogWrites { .. } => "zpool iostat -vl POOL 1",
            // The column `f_await`; zpool iostat does not show flushes. The others hold for any
            // file system.
            Reason::LogFlushes { .. }
            | Reason::NoLogFlush { .. }
            | Reason::WriteAmplification { .. }
            | Reason::SameWork => "iostat -x 1",
            Reason::Commits { .. }
            | Reason::NothingSynced { .. }
            | Reason::LogUnused
            | Reason::LogPartly { .. }
            | Reason::LogOverflows { .. }
            | Reason::Indirect { .. } => "cat /proc/spl/kstat/zfs/zil",
            Reason::LimitMoved(Both { after: limit, .. }) | Reason::SameLimit { limit } => {
                limit.command()
            }
            // What arcstat (zarcstat from 2.4 on) prints, under a name that all versions have.
            Reason::CacheUnused { .. }
            | Reason::CacheBypassed
            | Reason::CacheServes { .. }
            | Reason::NothingRead { .. }
            | Reason::MemoryServes { .. } => "cat /proc/spl/kstat/zfs/arcstats",
            Reason::RecordReads { .. } => "zpool iostat -v POOL 1",
            Reason::RecordWait { .. } | Reason::SpecialUnread => "zpool iostat -vl POOL 1",
            Reason::DirtyFilled { .. } => "cat /proc/spl/kstat/zfs/POOL/txgs",
            Reason::Throttled { .. } => "cat /proc/spl/kstat/zfs/dmu_tx",
            Reason::Wal { .. } => "psql -c 'SELECT wal_bytes, wal_fpi FROM pg_stat_wal'",
            Reason::Redo { .. } => "mysql -e \"SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'\"",
            Reason::Doublewrite { .. } => {
                "mysql -e \"SHOW GLOBAL STATUS LIKE 'Innodb_dblwr_pages_written'\""
            }
        }
    }
}
