//! What a machine saw, written by its first process.

use measurement::Counters;
use serde::{Deserialize, Serialize};

/// The end of a script.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why a step failed, in one line; none when all succeeded.
    pub failure: Option<String>,
    /// Exit code of the shell, as a shell reports it; none without one.
    #[serde(default)]
    pub shell: Option<i32>,
    /// Counters at the beginning of the measured window and at the end of each of its seconds.
    pub samples: Vec<Sample>,
    /// How the caches were warmed; none when nothing was.
    pub warm_up: Option<WarmUp>,
    /// Virtual seconds from the start of the first process to the first step after building.
    pub built_s: f64,
}

/// Counters at a moment: running totals and levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Virtual seconds since the measured program was started, less the ramp.
    pub at: f64,
    /// The counters.
    pub values: Counters,
}

/// How a warm-up went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// Virtual seconds it lasted.
    pub seconds: f64,
    /// Whether it ended because the caches were warm.
    pub settled: bool,
    /// Share of lookups answered by memory and L2ARC over its last period; none without lookups.
    pub hit_ratio: Option<f64>,
}
