//! Reasons: what the stage times and counters say about an effect.

use super::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One reason with its numbers. `before` is the denominator of the effect, `after` its numerator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// A stage of the blocking path changed, and by how much of the whole change.
    Stage {
        /// `read`, `write`, `sync`.
        operation: String,
        /// The stage's name as poolfs gives it.
        stage: String,
        /// µs per operation.
        before_us: f64,
        /// µs per operation.
        after_us: f64,
        /// Its part of the change in time per operation (1 is all of it).
        share_of_change: f64,
    },
    /// A commit takes this long.
    Commit {
        /// µs per commit.
        before_us: f64,
        /// µs per commit.
        after_us: f64,
    },
    /// What limits the cell moved.
    LimitMoved {
        /// Before.
        before: Limit,
        /// After.
        after: Limit,
    },
    /// Both cells are limited by the same thing.
    SameLimit {
        /// What.
        limit: Limit,
    },
    /// Nothing was synchronous: no intent-log commits in either cell.
    NothingSynced,
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
    /// Intent-log records pointed at data blocks in the pool instead of holding them.
    Indirect {
        /// Share of log records, before.
        before: f64,
        /// After.
        after: f64,
    },
    /// The L2ARC answered next to nothing.
    CacheUnused {
        /// Share of all lookups.
        hits: f64,
        /// Bytes fed to it.
        fed: f64,
    },
    /// The L2ARC answered this share of lookups.
    CacheServes {
        /// Share of all lookups.
        hits: f64,
        /// Share of lookups left to the drives, before.
        drives_before: f64,
        /// After.
        drives_after: f64,
    },
    /// Reads served from memory changed.
    MemoryServes {
        /// Dbuf and ARC share of lookups, before.
        before: f64,
        /// After.
        after: f64,
    },
    /// Writes had to read the rest of their records first.
    RecordReads {
        /// Bytes read from drives per byte written, before.
        before: f64,
        /// After.
        after: f64,
    },
    /// Bytes the drives wrote per byte the client wrote.
    WriteAmplification {
        /// Before.
        before: f64,
        /// After.
        after: f64,
    },
    /// Writers outran the drives: dirty data filled, and from then on writers wait for the drives.
    DirtyFilled {
        /// Virtual seconds until it did.
        seconds: f64,
        /// Seconds until it would on the real machine, whose dirty-data limit is larger.
        #[serde(default)]
        real_seconds: f64,
        /// Share of an operation's time in the throttle over the window, 0 to 1.
        throttle_share: f64,
    },
    /// Most of an operation's time is outside the pool, where the factor cannot help.
    OutsidePool {
        /// Share of it, both cells' smaller.
        share: f64,
    },
    /// The setting changes nothing that was counted.
    SameWork,
}
