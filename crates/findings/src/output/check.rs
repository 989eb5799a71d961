//! Conservation checks and marks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conservation check with its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The trial's number.
    pub trial: u64,
    /// Which law.
    pub law: Law,
    /// What was measured, in the law's unit.
    pub measured: f64,
    /// What it must be, at least or at most (see [`Law`]).
    pub expected: f64,
    /// Relative tolerance: 0.05 is 5 %.
    pub tolerance: f64,
    /// Whether it holds.
    pub pass: bool,
    /// What broke it, where a law is checked on many things (a drive's name, `read`).
    pub of: Option<String>,
}

/// The laws.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// X · (R + syncs per operation × R_sync) = N for closed loops; at most N for open ones.
    /// Operations in flight.
    Little,
    /// Bandwidth = operations × size, where all operations have one size. Bytes a second.
    Bandwidth,
    /// Bytes written to drives ≥ bytes written and synced by the client. Bytes.
    BytesOnDrives,
    /// A drive is busy at most all the time. Share.
    Busy,
    /// Reads = sum of who answered them. Lookups.
    Reads,
    /// Stage times sum to the time spent in the pool. µs per operation.
    Stages,
    /// There was I/O at all. Operations.
    SomeIo,
    /// p50 ≤ p95 ≤ p99 ≤ maximum. Violations.
    Percentiles,
    /// The logs that the seconds were made from held the operations of the client. Operations.
    Series,
    /// The pool was looked at in each second of the window. Seconds.
    Samples,
}

/// A mark on the trials of a cell: of several of one kind the worst.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// The mark.
    #[serde(flatten)]
    pub mark: Mark,
    /// How many of the cell's trials have one of its kind.
    #[serde(default)]
    pub trials: u32,
}

/// Why a trial is set aside, or what the reader must know of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "mark", rename_all = "kebab-case")]
pub enum Mark {
    /// The emulation was late: over 2 % of the mean latency. Kept out of verdicts.
    Late {
        /// Lateness ÷ mean latency.
        share: f64,
        /// 0.02.
        limit: f64,
        /// The k, whole, at which it would have been within the limit: lateness is real time, the
        /// same at every k. None where no k helps: such clients wait for the processor, and issue faster.
        #[serde(default)]
        enough: Option<f64>,
    },
    /// poolfs and the client used over half of this machine. Kept out of verdicts.
    Processor {
        /// Use ÷ cores.
        share: f64,
        /// 0.5.
        limit: f64,
        /// The k, whole, at which it would have been within the limit: work takes the same real time
        /// at every k. None where no k helps: such clients wait for the processor, and issue faster.
        #[serde(default)]
        enough: Option<f64>,
    },
    /// A drive kind's achieved service time is off its intended one. Where that reaches the operations,
    /// `Late` sets the trial aside; for drives of a few µs a ratio alone says little.
    Drives {
        /// Drive kind.
        kind: String,
        /// Achieved ÷ intended at the median (within 1 ± 0.02).
        p50: f64,
        /// At the 99th percentile (within 1 ± 0.05).
        p99: f64,
    },
    /// Other programs were busy: seen, and covered by `Late` and `Processor` when it mattered.
    Neighbours {
        /// Use ÷ cores.
        share: f64,
    },
    /// The host of this virtual machine gave its processors to others: seen, and covered by `Late` and
    /// `Processor` when it mattered.
    Stolen {
        /// Time ÷ cores.
        share: f64,
    },
    /// A law is broken. The trial failed.
    Broken {
        /// Which.
        law: Law,
        /// Measured.
        measured: f64,
        /// Expected.
        expected: f64,
    },
    /// Latencies beyond the histogram's end: high percentiles are lower bounds.
    Overflow {
        /// How many operations.
        count: u64,
    },
    /// Throughput never settled by SNIA's rule.
    NotSteady {
        /// Virtual seconds watched.
        seconds: f64,
    },
    /// The kernel cannot run these writers in parallel: no verdict on concurrency. Kept out.
    Serialised {
        /// The feature that is missing.
        feature: String,
    },
    /// Clients flush a file that several of them write to, which FUSE does for one at a time. Kept out.
    SharedFlush,
    /// Transactions were refused by the ARC's 50/25/20 % rule: the ARC of the model is too small for
    /// its dirty data, a stall the real machine would not have. Kept out of verdicts.
    MemoryThrottle {
        /// How many.
        count: f64,
    },
    /// It ran at another k than the campaign's.
    OtherScale {
        /// S.
        size: f64,
        /// k.
        time: f64,
    },
    /// It did not run.
    DidNotRun,
}

impl Mark {
    /// Whether both say the same, but for how bad it is.
    pub fn is_like(&self, other: &Mark) -> bool {
        match (self, other) {
            (Mark::Drives { kind: a, .. }, Mark::Drives { kind: b, .. }) => a == b,
            (Mark::Broken { law: a, .. }, Mark::Broken { law: b, .. }) => a == b,
            (Mark::Serialised { feature: a }, Mark::Serialised { feature: b }) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// How bad it is, against one that is like it.
    pub fn weight(&self) -> f64 {
        match self {
            Mark::Late { share, .. }
            | Mark::Processor { share, .. }
            | Mark::Neighbours { share }
            | Mark::Stolen { share } => *share,
            Mark::Drives { p50, p99, .. } => (p50 - 1.0).abs().max((p99 - 1.0).abs()),
            Mark::Broken {
                measured, expected, ..
            } => (measured - expected).abs(),
            Mark::Overflow { count } => *count as f64,
            Mark::MemoryThrottle { count } => *count,
            Mark::NotSteady { seconds } => *seconds,
            Mark::Serialised { .. }
            | Mark::SharedFlush
            | Mark::OtherScale { .. }
            | Mark::DidNotRun => 0.0,
        }
    }

    /// Whether a trial so marked is kept out of verdicts.
    pub fn sets_aside(&self) -> bool {
        match self {
            Mark::Late { .. }
            | Mark::Processor { .. }
            | Mark::Serialised { .. }
            | Mark::SharedFlush
            | Mark::MemoryThrottle { .. }
            | Mark::OtherScale { .. }
            | Mark::Broken { .. }
            | Mark::DidNotRun => true,
            Mark::Drives { .. }
            | Mark::Neighbours { .. }
            | Mark::Stolen { .. }
            | Mark::Overflow { .. }
            | Mark::NotSteady { .. } => false,
        }
    }
}
