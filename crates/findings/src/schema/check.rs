//! Conservation checks and quality issues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conservation check with its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The trial's key.
    pub trial: String,
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
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
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
    /// There was I/O at all. Operations.
    SomeIo,
    /// p50 ≤ p95 ≤ p99 ≤ maximum. Violations.
    Percentiles,
    /// The logs that the seconds were made from held the operations of the client. Operations.
    Series,
    /// The kernel's counters were read in each second of the window. Seconds.
    Samples,
}

/// A quality issue of a cell's trials: of several of one kind the worst.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellIssue {
    /// The issue.
    #[serde(flatten)]
    pub issue: QualityIssue,
    /// How many of the cell's trials have one of its kind.
    #[serde(default)]
    pub trials: u32,
}

/// What limits how far a trial answers its question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "issue", rename_all = "kebab-case")]
pub enum QualityIssue {
    /// A conservation law does not hold. The trial failed.
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
    NotSettled {
        /// Virtual seconds watched.
        seconds: f64,
    },
    /// The window is too short to see whether throughput settles.
    WindowTooShort {
        /// Virtual seconds of it.
        seconds: f64,
        /// Fewest that can tell.
        least: f64,
    },
    /// Outside the model's truth: transactions were refused by the ARC's 50/25/20 % rule. The model's ARC
    /// is too small for its dirty data, a stall the real server would not have. Kept out of verdicts.
    MemoryThrottle {
        /// How many.
        count: f64,
    },
    /// At the edge of the model's truth: the modelled cores were busy nearly all the time, so that the
    /// result rests on the table of compute costs and not on the drives.
    ProcessorBound {
        /// Share of the modelled cores in use, 0 to 1.
        busy: f64,
    },
    /// It did not run.
    DidNotRun,
}

impl QualityIssue {
    /// Whether both are the same but for their size.
    pub fn is_like(&self, other: &QualityIssue) -> bool {
        match (self, other) {
            (QualityIssue::Broken { law: a, .. }, QualityIssue::Broken { law: b, .. }) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// How bad it is, against one that is like it.
    pub fn weight(&self) -> f64 {
        match self {
            QualityIssue::Broken { measured, expected, .. } => (measured - expected).abs(),
            QualityIssue::Overflow { count } => *count as f64,
            QualityIssue::MemoryThrottle { count } => *count,
            QualityIssue::NotSettled { seconds } => *seconds,
            QualityIssue::WindowTooShort { seconds, .. } => -seconds,
            QualityIssue::ProcessorBound { busy } => *busy,
            QualityIssue::DidNotRun => 0.0,
        }
    }

    /// What a trial with this issue alone is worth.
    pub fn validity(&self) -> Validity {
        match self {
            QualityIssue::Broken { .. } | QualityIssue::DidNotRun => Validity::Failed,
            QualityIssue::MemoryThrottle { .. } => Validity::Excluded,
            QualityIssue::Overflow { .. }
            | QualityIssue::NotSettled { .. }
            | QualityIssue::WindowTooShort { .. }
            | QualityIssue::ProcessorBound { .. } => Validity::Valid,
        }
    }
}

/// What a trial, or a cell, is worth. A cell is worth what its best trial is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// It counts.
    Valid,
    /// Shown, but kept out of verdicts.
    Excluded,
    /// Not shown as a result: it did not run, or breaks a conservation law.
    Failed,
}
