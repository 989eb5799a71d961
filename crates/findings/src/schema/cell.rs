//! Cells: variant × workload.

use super::{CellIssue, Check, Metric, Validity};
use measurement::{Counters, SyncTest, WarmUpEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::Interval;
use std::collections::BTreeMap;

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What the interval is made of.
    pub basis: Basis,
}

impl Estimate {
    /// An interval as an estimate.
    pub(crate) fn new(interval: Interval, basis: Basis) -> Estimate {
        Estimate { value: interval.value, low: interval.low, high: interval.high, basis }
    }

    /// Its interval.
    pub fn interval(&self) -> Interval {
        Interval { value: self.value, low: self.low, high: self.high }
    }

    /// The estimate and its interval, multiplied.
    pub(crate) fn times(self, factor: f64) -> Estimate {
        let Estimate { value, low, high, basis } = self;
        Estimate { value: value * factor, low: low * factor, high: high * factor, basis }
    }

    /// A number that nothing is known around.
    pub(crate) fn point(value: f64) -> Estimate {
        Estimate { value, low: value, high: value, basis: Basis::Point }
    }
}

/// What an interval is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Whole trials, repeated with other seeds.
    Trials,
    /// Of an effect alone: several trials and batches of time within them, with an allowance for what differs between
    /// seeds. The spread between so few trials alone tells less.
    TrialsAndBatches,
    /// Batches of time within a single trial: weaker. Of a cell it leaves out what differs between seeds; of an effect it
    /// has an allowance for that.
    Batches,
    /// Nothing to estimate from: `low` and `high` repeat the value and mean nothing.
    Point,
}

/// Variant × workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// What verdicts on it rest on: throughput, or where operations come at a given rate, how long they
    /// take.
    #[serde(default)]
    pub metric: Metric,
    /// Operations in flight when every client is busy.
    pub concurrency: f64,
    /// Trials that count, are excluded, failed.
    pub trials: TrialCounts,
    /// What the cell is worth: valid when one trial is.
    pub validity: Validity,
    /// Why, and what else the reader must know.
    pub issues: Vec<CellIssue>,
    /// Reads and writes a second over the whole window; none when every trial failed.
    pub throughput: Option<Estimate>,
    /// Bytes a second over the whole window; none where the client does not tell them, as a database's.
    pub bandwidth: Option<Estimate>,
    /// What clients wait for: the mean is the time per read or write, its syncs included; percentiles are
    /// over all reads, writes and syncs.
    pub latency: Option<Latency>,
    /// Reads alone, where there are any.
    pub read_latency: Option<Latency>,
    /// Writes alone, where there are any.
    pub write_latency: Option<Latency>,
    /// fsync and fdatasync calls, where there are any.
    pub sync_latency: Option<Latency>,
    /// Latency by percentile, for a curve: reads and writes together.
    pub percentiles: Vec<Percentile>,
    /// The same of fsync and fdatasync calls, where there are any.
    #[serde(default)]
    pub sync_percentiles: Vec<Percentile>,
    /// How its caches were warmed before the windows; none where nothing was.
    #[serde(default)]
    pub warm_up: Option<Warmed>,
    /// Where reads were served; ratios are none where nothing was looked up.
    pub hits: Hits,
    /// How throughput went over time.
    pub phases: Phases,
    /// Each conservation check of each trial with its numbers.
    pub checks: Vec<Check>,
    /// Its scale.
    pub scale: CellScale,
    /// What it used, and what limited it; none without operations.
    pub resources: Option<Resources>,
    /// What its database server did; none where the client has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Database>,
    /// Operations a second of each test of pg_test_fsync, in its order; empty of another client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sync_tests: Vec<SyncRate>,
    /// Each trial's course.
    pub series: Vec<ThroughputSeries>,
}

/// How the caches of a cell's trials were warmed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warmed {
    /// Mean virtual seconds it lasted.
    pub seconds: f64,
    /// The least settled end of them: by time limit before by a fixed time before settled.
    pub ended: WarmUpEnd,
    /// Lowest share of lookups that memory and L2ARC answered at its end; none where nothing was
    /// looked up.
    pub hit_ratio: Option<f64>,
}

/// How many trials of a cell came to what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialCounts {
    /// Counted.
    pub valid: u32,
    /// Shown, kept out of verdicts.
    pub excluded: u32,
    /// Did not run, or broke a check.
    pub failed: u32,
}

impl TrialCounts {
    /// All of them.
    pub fn all(&self) -> u32 {
        self.valid + self.excluded + self.failed
    }
}

/// Latency, virtual µs, from histograms merged over jobs and trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 95th percentile.
    pub p95_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile; none below 1,000 operations.
    pub p999_us: Option<f64>,
    /// Operations behind it.
    pub count: u64,
    /// Operations beyond the histogram's end: percentiles that reach them are lower bounds.
    pub overflow: u64,
}

/// A point of the latency curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// 0 to 100.
    pub percent: f64,
    /// Virtual µs.
    pub us: f64,
}

/// Where reads were served. Shares, 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hits {
    /// ARC demand-data hits ÷ ARC demand-data lookups (reads the dbuf cache served are not among
    /// them).
    pub arc_data: Option<f64>,
    /// ARC demand-metadata hits ÷ lookups.
    pub arc_metadata: Option<f64>,
    /// L2ARC hits ÷ **all** lookups of data and metadata, dbuf hits included (arcstat divides by
    /// L2ARC lookups).
    pub l2_of_reads: Option<f64>,
    /// Dbuf hits ÷ all lookups.
    pub dbuf: Option<f64>,
    /// The same lookups split whole: shares sum to 1.
    pub reads: Option<ReadShares>,
}

/// Lookups of blocks by who answered; sums to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadShares {
    /// Dbuf cache.
    pub dbuf: f64,
    /// ARC.
    pub arc: f64,
    /// L2ARC.
    pub l2arc: f64,
    /// The pool's drives.
    pub drives: f64,
}

/// How throughput went over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phases", rename_all = "kebab-case")]
pub enum Phases {
    /// One number says it.
    Steady {
        /// The whole window.
        whole: Phase,
    },
    /// Fast until a limit fills, then what lasts.
    Burst {
        /// Until the change.
        burst: Phase,
        /// After it.
        sustained: Phase,
    },
    /// Slow until caches are warm, then what lasts.
    WarmUp {
        /// Until the change.
        cold: Phase,
        /// After it.
        sustained: Phase,
    },
    /// The time after a restart, while caches come back: what was asked for, settled or not.
    AfterRestart {
        /// The whole window, which is S times longer on the real server.
        whole: Phase,
    },
    /// Still moving at the end: no sustained verdict.
    NotSettled {
        /// Virtual seconds it was watched.
        seconds: f64,
    },
    /// No trial, or windows too short to judge.
    Unknown,
}

impl Phases {
    /// The phase that lasts, or the whole where it is one; none where nothing settled.
    pub fn lasting(&self) -> Option<Phase> {
        match *self {
            Phases::Steady { whole } | Phases::AfterRestart { whole } => Some(whole),
            Phases::Burst { sustained, .. } | Phases::WarmUp { sustained, .. } => Some(sustained),
            Phases::NotSettled { .. } | Phases::Unknown => None,
        }
    }

    /// The phase before the one that lasts, where there are two.
    pub fn first(&self) -> Option<Phase> {
        match *self {
            Phases::Burst { burst: first, .. } | Phases::WarmUp { cold: first, .. } => Some(first),
            Phases::Steady { .. }
            | Phases::AfterRestart { .. }
            | Phases::NotSettled { .. }
            | Phases::Unknown => None,
        }
    }
}

/// A stretch of a trial with one level of throughput.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Reads and writes a second within it.
    pub throughput: Estimate,
    /// Virtual seconds it lasted in the model (for the last phase: was watched).
    pub seconds: f64,
    /// Seconds it would last on the real server (bursts × real ÷ model dirty limit; cold × S); none
    /// for the last phase, unless it begins with a restart.
    pub real_seconds: Option<f64>,
}

/// Scale of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellScale {
    /// Size scale S.
    pub size: f64,
}

/// What a cell used, from the kernel's counters and the drives' record. Shares and waits are those of what
/// lasts; service times, commits and bytes are of the whole window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    /// What limited the cell.
    pub limit: Limit,
    /// Mean busy share of each drive, 0 to 1.
    pub drives: BTreeMap<String, f64>,
    /// Mean share of the modelled cores in use, 0 to 1; none where it was not counted.
    pub processor: Option<f64>,
    /// Transactions that waited in a write throttle, for each write of the client.
    pub throttled_per_write: f64,
    /// Intent-log commits for each read or write of the client.
    pub commits_per_op: f64,
    /// The drives that take the intent log; none where it is never committed.
    pub log: Option<LogDrives>,
    /// Bytes that the drives wrote for each byte the client wrote; none where it wrote nothing.
    pub written_per_byte: Option<f64>,
    /// Counters of the kernel and of the client's server by name, over the whole window: a level's mean, any other
    /// for each virtual second. Those that counted nothing are left out, and so are those of drives.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, f64>")]
    pub counters: Counters,
}

/// What a database server did over the windows, by its own counters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "server", rename_all = "lowercase")]
pub enum Database {
    /// A PostgreSQL server.
    Postgresql {
        /// Bytes of write-ahead log for each transaction.
        wal_bytes: f64,
        /// Whole pages in the write-ahead log for each transaction.
        full_pages: f64,
        /// Checkpoints in a virtual second.
        checkpoints: f64,
        /// Share of pages found in the server's shared buffers, 0 to 1; none where none was asked for.
        buffer_hits: Option<f64>,
    },
    /// A MariaDB or MySQL server.
    Mysql {
        /// Bytes of redo log for each transaction.
        redo_bytes: f64,
        /// Flushes that InnoDB asked for, of redo log and tablespaces, for each transaction.
        flushes: f64,
        /// Pages written to tablespaces for each transaction.
        pages_written: f64,
        /// Pages written to the doublewrite buffer for each transaction.
        pages_doubled: f64,
        /// Transactions in a group that is written to the binary log at once; none without a binary log.
        binlog_group: Option<f64>,
        /// Waits for the lock of a row for each transaction.
        row_lock_waits: f64,
        /// Share of pages found in the buffer pool, 0 to 1; none where none was asked for.
        buffer_hits: Option<f64>,
    },
}

/// A line of pg_test_fsync's table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncRate {
    /// The test.
    pub test: SyncTest,
    /// Operations a virtual second.
    pub rate: Estimate,
    /// Mean time of an operation, virtual µs.
    pub mean_us: f64,
}

/// The drives that take the intent log: those of the log vdevs where most of its bytes went there,
/// otherwise those of the data vdevs, which take the data as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogDrives {
    /// Their kind: `optane`; of several kinds the first of the layout.
    pub kind: String,
    /// They take the data as well: times are of all their writes.
    pub with_data: bool,
    /// Mean service time of a write, virtual µs; none without one.
    pub write_us: Option<f64>,
    /// Mean service time of a flush, virtual µs; none without one.
    pub flush_us: Option<f64>,
}

/// What a cell was limited by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "limit", rename_all = "kebab-case")]
pub enum Limit {
    /// Drives of a kind were busy nearly all the time.
    Drives {
        /// The kind: `hdd`.
        kind: String,
        /// Mean busy share of the busiest of them.
        busy: f64,
    },
    /// The modelled cores were busy nearly all the time.
    Processor {
        /// Share of them in use.
        busy: f64,
    },
    /// The write throttle held writers back.
    Throttle {
        /// Transactions that waited for each write of the client.
        per_write: f64,
    },
    /// The clients asked for no more: a rate, think time, an arrival process.
    Clients {
        /// Operations in flight.
        in_flight: f64,
        /// Operations in flight when every client is busy.
        of: f64,
    },
    /// Each operation waits for what is not busy: latency, not capacity.
    Latency {
        /// Kind of the busiest drives.
        kind: String,
        /// Mean busy share of the busiest of them.
        busy: f64,
    },
    /// No counter says.
    Unknown,
}

impl Limit {
    /// The command that shows it on a real server.
    pub fn command(&self) -> &'static str {
        match self {
            // The column `%util`, which zpool iostat does not have.
            Limit::Drives { .. }
            | Limit::Latency { .. }
            | Limit::Clients { .. }
            | Limit::Unknown => "iostat -x 1",
            Limit::Processor { .. } => "mpstat -P ALL 1",
            Limit::Throttle { .. } => "cat /proc/spl/kstat/zfs/dmu_tx",
        }
    }
}

/// A trial's course: parallel arrays, one entry for each virtual second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputSeries {
    /// The trial's key.
    pub trial: String,
    /// End of each second since the window began.
    pub at: Vec<f64>,
    /// Reads completed in it.
    pub reads: Vec<f64>,
    /// Writes completed in it.
    pub writes: Vec<f64>,
    /// Dirty data, bytes.
    pub dirty: Vec<f64>,
    /// Transaction groups synced in it.
    pub txg_syncs: Vec<f64>,
    /// Transactions that waited in any throttle.
    pub throttled: Vec<f64>,
    /// Drive → busy share.
    pub busy: BTreeMap<String, Vec<f64>>,
    /// Where the change point is, if it counts: virtual seconds.
    pub change_at: Option<f64>,
    /// The window in which it was steady by SNIA's rule: from, to.
    pub steady: Option<(f64, f64)>,
}
