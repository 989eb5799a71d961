//! Causes found by trying: a cell run again with one cost removed from the machine.

use super::Estimate;
use measurement::Cost;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a cell does without one cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// The cost that was removed.
    pub cost: Cost,
    /// Its place among the costs of the cell, from 1: the one that it gains most without is first.
    pub rank: u32,
    /// Throughput that lasts, without the cost ÷ with it, over the same seconds.
    pub throughput: Estimate,
    /// Mean latency, syncs included, without the cost ÷ with it; none where the re-runs are shorter than the cell's trials.
    pub mean_latency: Option<Estimate>,
    /// Pairs of trials with the same seed behind the intervals.
    pub pairs: u32,
}

/// A cell of which no trial was run: the budget ended first, or its trials are still to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRun {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Trials that it needs at least.
    pub trials: u32,
}
