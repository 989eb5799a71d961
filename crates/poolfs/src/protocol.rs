//! The control channel: newline-delimited JSON on an inherited socket.
//!
//! The parent sends [`Request`]s with ids, poolfs answers each with one [`Message::Reply`] and sends
//! [`Message::Event`]s in between. End of file makes poolfs exit: no orphans.

use lab::{campaign::Variant, model::Model};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Version of this protocol; both sides refuse another.
pub const PROTOCOL: u32 = 3;

/// A numbered request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Numbered {
    /// Chosen by the parent, echoed in the reply.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub request: Request,
}

/// What the parent asks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Make the drives and create the pool and its datasets.
    Build(Box<Build>),
    /// Re-open drives that are there and import the pool (after a power cut, or between cells).
    Import(Box<Build>),
    /// The same although log drives are missing, as `zpool import -m`: what only they held is given
    /// up.
    ImportWithoutLog(Box<Build>),
    /// Mount a dataset (or a raw drive, `drive:hdd0`) on a directory.
    Mount {
        /// Dataset name within the pool, `""` for the root.
        dataset: String,
        /// An empty directory.
        dir: PathBuf,
        /// Requests that its clients may have under way at once; there is room for some anyway.
        #[serde(default)]
        requests: usize,
    },
    /// Wait until everything dirty is on the drives (two txg syncs).
    Drain,
    /// Export and import the pool: an empty ARC, a settled pool.
    Reopen,
    /// Let a drive fail: every further I/O to it errors.
    FailDrive {
        /// `hdd3`.
        drive: String,
    },
    /// Start sampling every virtual second (an [`Event::Sample`] each).
    Sample {
        /// On or off.
        on: bool,
    },
    /// Stage times and counters since the last call, summed over operations.
    Stages,
    /// How fast a running pool's drives are from now on: working files are laid out and caches warmed at the
    /// speed of this machine, and only the measured part runs on timed drives.
    Pace {
        /// The pace.
        pace: Pace,
    },
    /// Unmount, export, exit 0.
    Stop,
}

/// How fast drives are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// By their timing models.
    Timed,
    /// Requests complete as soon as their data is stored.
    Instant,
    /// The same while caches are warmed: much more is read in a virtual second, and the L2ARC's feed comes as
    /// much more often.
    Warming,
}

/// All that poolfs needs to build or import a variant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Build {
    /// The variant, with the real machine's sizes.
    pub variant: Variant,
    /// How it is scaled; `time` must be set.
    pub model: Model,
    /// Cores of the modelled host.
    pub cores: u32,
    /// Directory for the files of the drives, their logs of unflushed writes and the pool's configuration.
    pub store: PathBuf,
    /// Directory whose space the drives share instead, and which the next process can have again: their
    /// data ends with the process, so that it cannot be imported and a power cut cannot be tried.
    #[serde(default)]
    pub arena: Option<PathBuf>,
    /// Seed of the drive models.
    pub seed: u64,
    /// Instant drives: no timing model, for file-system tests.
    pub instant: bool,
}

/// What poolfs sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case")]
pub enum Message {
    /// First message: who is speaking.
    Hello(Hello),
    /// The answer to a request.
    Reply {
        /// Of the request.
        id: u64,
        /// What came of it.
        result: Result<Answer, Refusal>,
    },
    /// Something happened.
    Event(Event),
}

/// Who is speaking.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Full version of the library: `2.1.11`.
    pub openzfs: String,
    /// The library was built with assertions (Debian's is).
    pub debug: bool,
    /// Features of the kernel's FUSE that matter: `parallel-direct-writes`, `async-dio`, …
    pub kernel: Vec<String>,
}

/// What came of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// Done, nothing to say.
    Done,
    /// The pool is there.
    Built {
        /// Wall seconds it took.
        seconds: f64,
        /// Real sizes after metaslab rounding and slop, for the record.
        facts: BTreeMap<String, f64>,
        /// Records replayed from the intent log (import only).
        replayed: u64,
    },
    /// The mount is there.
    Mounted {
        /// Features the mount negotiated.
        features: Vec<String>,
    },
    /// Stage times, virtual ns, by operation and stage (`write.throttle`), and counts.
    Stages(BTreeMap<String, f64>),
}

/// Why a request was refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refusal {
    /// What is wrong, where, and what to do.
    pub message: String,
}

/// Something happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// One virtual second of counters; names as in [`counters`].
    Sample {
        /// Virtual seconds since the pool was built.
        at: f64,
        /// Name → value; monotonic counters are given as differences over the second.
        values: BTreeMap<String, f64>,
    },
    /// An operation has waited longer than 30 virtual seconds.
    Stalled {
        /// Virtual seconds since the pool was built.
        at: f64,
        /// Which operation, and the stage it is in.
        what: String,
    },
    /// A drive or the pool has failed.
    Fault {
        /// Virtual seconds since the pool was built.
        at: f64,
        /// What happened.
        what: String,
    },
}

/// Names of the sampled counters, so that no two sides spell them differently.
///
/// Drives add `drive.<name>.<what>` with what one of `reads writes read_bytes write_bytes flushes
/// queue busy late_ns`: queue is the mean number outstanding, busy the share of the second.
pub mod counters {
    /// ARC demand data hits.
    pub const ARC_DATA_HITS: &str = "arc.demand_data_hits";
    /// ARC demand data misses.
    pub const ARC_DATA_MISSES: &str = "arc.demand_data_misses";
    /// ARC demand metadata hits.
    pub const ARC_META_HITS: &str = "arc.demand_metadata_hits";
    /// ARC demand metadata misses.
    pub const ARC_META_MISSES: &str = "arc.demand_metadata_misses";
    /// ARC size, bytes (a level, not a difference).
    pub const ARC_SIZE: &str = "arc.size";
    /// ARC target, bytes (a level).
    pub const ARC_TARGET: &str = "arc.c";
    /// Hits in the dbuf cache and on held dbufs, which never reach the ARC.
    pub const DBUF_HITS: &str = "dbuf.hits";
    /// L2ARC hits.
    pub const L2_HITS: &str = "l2.hits";
    /// L2ARC misses.
    pub const L2_MISSES: &str = "l2.misses";
    /// Bytes held in the L2ARC (a level).
    pub const L2_SIZE: &str = "l2.size";
    /// Bytes fed to the L2ARC.
    pub const L2_FEED: &str = "l2.write_bytes";
    /// Feeds that an L2ARC was given.
    pub const L2_FEEDS: &str = "l2.feeds";
    /// Bytes evicted from the ARC that an L2ARC held.
    pub const L2_EVICTED_HELD: &str = "l2.evicted_held";
    /// Bytes evicted from the ARC that an L2ARC might have held and did not.
    pub const L2_EVICTED_UNFED: &str = "l2.evicted_unfed";
    /// `zil_commit` calls that had something to commit.
    pub const ZIL_COMMITS: &str = "zil.commits";
    /// Intent-log records copied when logged (WR_COPIED), count.
    pub const ZIL_COPIED: &str = "zil.copied";
    /// Intent-log records copied when committed (WR_NEED_COPY), count.
    pub const ZIL_NEEDCOPY: &str = "zil.needcopy";
    /// Intent-log records that point at a block (WR_INDIRECT), count.
    pub const ZIL_INDIRECT: &str = "zil.indirect";
    /// Bytes in each of the three.
    pub const ZIL_COPIED_BYTES: &str = "zil.copied_bytes";
    /// See [`ZIL_COPIED_BYTES`].
    pub const ZIL_NEEDCOPY_BYTES: &str = "zil.needcopy_bytes";
    /// See [`ZIL_COPIED_BYTES`].
    pub const ZIL_INDIRECT_BYTES: &str = "zil.indirect_bytes";
    /// Log-block bytes written to log vdevs.
    pub const ZIL_SLOG_BYTES: &str = "zil.slog_bytes";
    /// Log-block bytes written to the pool's normal (or embedded log) class.
    pub const ZIL_POOL_BYTES: &str = "zil.pool_bytes";
    /// Transaction groups synced.
    pub const TXG_SYNCS: &str = "txg.syncs";
    /// Virtual ns spent syncing them.
    pub const TXG_SYNC_NS: &str = "txg.sync_ns";
    /// Dirty data, bytes (a level).
    pub const DIRTY: &str = "dirty.bytes";
    /// Write-log data outstanding, bytes (a level).
    pub const WRLOG: &str = "wrlog.bytes";
    /// Transactions that waited in the smooth delay, count.
    pub const THROTTLE_DELAYS: &str = "throttle.dirty_delay";
    /// Transactions that waited because dirty data was over its limit.
    pub const THROTTLE_OVER_MAX: &str = "throttle.dirty_over_max";
    /// Transactions refused by the ARC's 50/25/20 % rule, each of which waits a whole txg.
    pub const THROTTLE_MEMORY: &str = "throttle.dirty_throttle";
    /// Transactions that waited on memory reserve.
    pub const THROTTLE_RESERVE: &str = "throttle.memory_reserve";
    /// Transactions that waited because the write log was filling up (`zfs_wrlog_data_max`).
    pub const THROTTLE_WRLOG: &str = "throttle.wrlog_delay";
}
