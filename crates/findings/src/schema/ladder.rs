//! Open-loop ladders, and the smallest configuration that will do.

use super::{CellIssue, Estimate, Latency, TrialCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One configuration under ascending offered rates. Latency is counted from the intended start of each
/// operation, so that a stall is charged to all that had to wait for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ladder {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// By ascending offered rate.
    pub rungs: Vec<Rung>,
    /// Highest offered rate up to which every rung counts and kept up; none when not even the first did.
    pub carried: Option<f64>,
    /// Lowest offered rate that was not kept up with; none when the ladder, or what is known of it, ends
    /// below saturation.
    pub saturated: Option<f64>,
    /// Lowest offered rate of which no trial counts; what lies above it is not known, and decides nothing.
    #[serde(default)]
    pub unknown_from: Option<f64>,
    /// Most operations a second that any rung achieved that counts.
    pub most: Option<f64>,
    /// What load keeps the 99th percentile under a limit, by ascending limit.
    pub within: Vec<LoadWithin>,
}

impl Ladder {
    /// Operations a second completed where so many were offered.
    pub fn achieved_at(&self, offered: f64) -> Option<f64> {
        let rung = self.rungs.iter().find(|rung| rung.offered == offered)?;
        Some(rung.achieved?.value)
    }
}

/// One offered rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rung {
    /// Offered operations a second.
    pub offered: f64,
    /// Trials that count, are excluded, failed.
    pub trials: TrialCounts,
    /// Operations a second completed; none when every trial failed.
    pub achieved: Option<Estimate>,
    /// Whether at least 95 % of what was offered was completed.
    pub kept_up: bool,
    /// Reads and writes together, from the intended start.
    pub latency: Option<Latency>,
    /// fsync and fdatasync calls, where there are any.
    pub sync_latency: Option<Latency>,
    /// Why trials are excluded, and what else the reader must know.
    pub issues: Vec<CellIssue>,
}

impl Rung {
    /// The 99th percentile of some operations, virtual µs; none without any.
    pub fn p99_us(&self, of: Operation) -> Option<f64> {
        let latency = match of {
            Operation::ReadWrite => self.latency,
            Operation::Sync => self.sync_latency,
        };
        latency.map(|latency| latency.p99_us)
    }
}

/// The load that keeps a 99th percentile under a limit. The truth lies between the two rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadWithin {
    /// Of what.
    pub of: Operation,
    /// The limit, virtual µs.
    pub limit_us: f64,
    /// Highest offered rate up to which every rung kept up and stayed under the limit; none when not
    /// even the first did.
    pub up_to: Option<f64>,
    /// Lowest offered rate that did not; none when all did.
    pub exceeded_at: Option<f64>,
}

/// Which operations a percentile is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Reads and writes; syncs that a job calls itself are among them.
    ReadWrite,
    /// fsync and fdatasync.
    Sync,
}

/// A smaller configuration that does as well as the fastest one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adequate {
    /// The workload.
    pub workload: String,
    /// The fastest variant.
    pub fastest: String,
    /// The smallest that is as fast: the interval of the ratio lies inside ±5 %.
    pub enough: String,
    /// Throughput of `enough` ÷ that of `fastest`.
    pub ratio: Estimate,
    /// Drives in the pool: of `enough`, of `fastest`.
    pub drives: (u32, u32),
    /// Prices of the two, where the lab states every drive's.
    pub prices: Option<(f64, f64)>,
    /// `enough` runs risks that `fastest` does not (see its `durability`).
    pub riskier: bool,
}
