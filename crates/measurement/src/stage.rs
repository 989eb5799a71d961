//! What a trial is doing.

use serde::{Deserialize, Serialize};

/// A stage of a trial, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The machine starts.
    Booting,
    /// Drives, pool and datasets are made.
    Building,
    /// The client's files are laid out.
    LayingOut,
    /// Everything dirty is written; the pool is exported and imported.
    Settling,
    /// The client works until the caches are warm.
    WarmingUp,
    /// The measured window, ramp included.
    Measuring,
}

impl Stage {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Booting => "booting",
            Stage::Building => "building the pool",
            Stage::LayingOut => "laying out files",
            Stage::Settling => "settling",
            Stage::WarmingUp => "warming up",
            Stage::Measuring => "measuring",
        }
    }
}
