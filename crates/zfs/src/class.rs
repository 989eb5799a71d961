//! Allocation classes of top-level vdevs.

use serde::{Deserialize, Serialize};

/// What a top-level vdev is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AllocationClass {
    /// Data (no keyword).
    Normal,
    /// `log`: the SLOG.
    Log,
    /// `cache`: the L2ARC.
    Cache,
    /// `special`: metadata and small blocks.
    Special,
    /// `dedup`: the deduplication table.
    Dedup,
    /// `spare`: hot spares.
    Spare,
}

impl AllocationClass {
    /// The classes that have a keyword, in the order in which they are best typed.
    pub const NAMED: [Self; 5] = [Self::Special, Self::Dedup, Self::Log, Self::Cache, Self::Spare];

    /// The classes that hold the pool itself.
    pub const DATA: [Self; 3] = [Self::Normal, Self::Special, Self::Dedup];

    /// Its keyword in `zpool create`; empty for data.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Special => "special",
            Self::Dedup => "dedup",
            Self::Log => "log",
            Self::Cache => "cache",
            Self::Spare => "spare",
        }
    }

    /// The class that a keyword of `zpool create` opens.
    pub fn of_keyword(word: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|class| class.keyword() == word)
    }

    /// The class whose vdevs follow a heading of `zpool status`: `logs`, `cache`, `spares`, …
    pub fn of_heading(word: &str) -> Option<Self> {
        match word {
            "logs" => Some(Self::Log),
            "spares" => Some(Self::Spare),
            "spare" => None,
            _ => Self::of_keyword(word),
        }
    }
}
