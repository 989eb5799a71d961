//! Verdicts: the answer for one factor level and one workload.

use super::{Estimate, Explanation, Metric, PhaseKind, VerdictClass};
use lab::durability::Durability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer for one factor level and one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The factor.
    pub factor: String,
    /// The level judged.
    pub level: String,
    /// The level it is held against.
    pub against: String,
    /// The workload.
    pub workload: String,
    /// The outcome, by the sustained phase where there are two.
    pub class: VerdictClass,
    /// What is compared.
    pub metric: Metric,
    /// The phase the class is taken from.
    pub phase: PhaseKind,
    /// Effects it rests on: indices into `Findings.effects`, the deciding one first.
    pub effects: Vec<usize>,
    /// Why, from the kernel's counters and the drives' record, each with the command that shows it on a
    /// real server.
    pub reasons: Vec<Explanation>,
    /// Levels of the other factors in the pair of cells that the reasons are about; none where there are none.
    #[serde(default)]
    pub reasons_context: BTreeMap<String, String>,
    /// Over which range of the drives' uncertain numbers it holds.
    pub sensitivity: Vec<Sensitivity>,
    /// Below which load nothing is gained.
    #[serde(default)]
    pub break_even: Option<BreakEven>,
    /// What the gain costs, where the lab states every drive's price.
    #[serde(default)]
    pub price: Option<Price>,
    /// Where it depends on the other factors.
    pub conditions: Vec<Condition>,
    /// What to know before acting on it.
    pub cautions: Vec<Caution>,
}

/// Over which range of an uncertain number a verdict holds, from re-runs with that number changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sensitivity {
    /// The drive kind.
    pub kind: String,
    /// The number, by the profile's name.
    pub parameter: String,
    /// Each re-run, by ascending factor.
    pub points: Vec<RerunPoint>,
    /// The verdict held from this multiple of the stated value…
    pub holds_from: f64,
    /// … to this one. 1 where the next re-run beyond it already came out otherwise.
    pub holds_to: f64,
    /// The range that the profile states for the number, as multiples of its value; none where it states
    /// none.
    pub stated: Option<(f64, f64)>,
}

impl Sensitivity {
    /// Whether the verdict held over the whole range that the profile states; none where it states none.
    pub fn covers_stated(&self) -> Option<bool> {
        let (low, high) = self.stated?;
        Some(self.holds_from <= low && high <= self.holds_to)
    }
}

/// What came of re-runs with one number changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RerunPoint {
    /// New ÷ stated value.
    pub factor: f64,
    /// The verdict's ratio there: that of the verdict, times what the re-run differs by from trials with its seeds.
    pub ratio: Estimate,
    /// Whether it came out as in the verdict. It is judged by the number alone.
    pub holds: bool,
    /// Trials behind numerator and denominator.
    pub trials: (u32, u32),
}

/// Below which load the two sides do the same work a second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakEven {
    /// Operations a second.
    pub ops_s: f64,
    /// Synchronous commits a second at that load, where the workload syncs.
    pub syncs_s: Option<f64>,
    /// How that is known.
    pub basis: BreakEvenBasis,
}

/// How a break-even load is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BreakEvenBasis {
    /// What lasts of the slower side when its clients ask for all they can get.
    ClosedLoop,
    /// The highest rate of a ladder that the slower side kept up with.
    Ladder,
}

/// What a gain costs, in the lab's own currency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// Price of the numerator less that of the denominator: drives, and memory that has a price.
    pub more: f64,
    /// The same for each operation a second gained; none where nothing is gained or it costs nothing.
    pub per_op_s: Option<f64>,
}

/// A verdict's dependence on the other factors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// Levels of the other factors.
    pub context: BTreeMap<String, String>,
    /// The class there.
    pub class: VerdictClass,
    /// The ratio there.
    pub ratio: f64,
}

/// What to know before acting on a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "caution", rename_all = "kebab-case")]
pub enum Caution {
    /// The two sides do not promise the same about acknowledged writes.
    Durability {
        /// Variants that may lose them.
        variants: Vec<String>,
    },
    /// One of the two has risks that the other does not have.
    Risks {
        /// Its name.
        variant: String,
        /// Which.
        risks: Vec<DurabilityRisk>,
    },
    /// Trials are excluded.
    Excluded {
        /// How many.
        excluded: u32,
        /// Of how many.
        of: u32,
    },
    /// Trials failed.
    Failed {
        /// How many.
        failed: u32,
        /// Of how many.
        of: u32,
    },
    /// The interval is from batches within one trial of each side: for what differs between seeds it has an allowance.
    SingleTrial,
    /// Some trials never settled, in cells of which most did: they stand with the mean of all their
    /// seconds after a burst.
    Unsettled {
        /// How many of the trials that count.
        trials: u32,
        /// Of how many.
        of: u32,
    },
    /// A cell never settled, and nothing bounds its rate: what lasts is not known.
    NotSettled {
        /// Virtual seconds it was watched.
        seconds: f64,
    },
    /// A cell never settled. The interval includes how far its rate lay from its mean in any fifth of a trial, and a
    /// trend continued for as long again.
    Unsteady {
        /// Virtual seconds it was watched.
        seconds: f64,
        /// Lowest rate ÷ mean.
        lowest: f64,
        /// Highest rate ÷ mean.
        highest: f64,
        /// Whether there was a trend.
        drifts: bool,
    },
    /// What is compared begins with a restart, and is not what lasts.
    AfterRestart {
        /// Virtual seconds of it.
        seconds: f64,
        /// As long on the real server, seconds.
        real_seconds: f64,
    },
    /// The cache was still filling at the end.
    CacheFilling {
        /// Bytes held.
        held: f64,
        /// Bytes it can hold, or the working set, whichever is less; in the model.
        of: f64,
    },
    /// A variant did not carry out what its clients offered, so that their latency grows with the window.
    RateNotReached {
        /// The variants.
        variants: Vec<String>,
        /// Operations a second offered.
        rate: f64,
    },
    /// Reads and writes change in different ways: what is compared adds them up.
    Flows {
        /// Ratio of reads a second, or where latency is compared, of their mean latency.
        read: f64,
        /// The same of writes.
        write: f64,
    },
    /// Operations of several sizes are added up: by bytes the ratio is another.
    Bytes {
        /// Ratio of bytes a second.
        ratio: f64,
    },
    /// fio's libaio waits for each operation on ZFS when it submits it, so that fewer are under way than its depth says.
    BlockingSubmission {
        /// Operations that are under way.
        in_flight: u32,
        /// Operations in fio's queues.
        of: f64,
    },
    /// Two phases lie far apart: quote both numbers.
    TwoPhases {
        /// Ratio in the burst.
        burst: f64,
        /// Ratio sustained.
        sustained: f64,
    },
}

impl Caution {
    /// Whether it is that reads and writes change in different ways.
    pub fn is_flows(&self) -> bool {
        matches!(self, Caution::Flows { .. })
    }
}

/// What a power cut leaves of acknowledged writes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "class", rename_all = "kebab-case")]
pub enum PowerCutClass {
    /// All of them.
    KeepsAcknowledged,
    /// The last ones may be gone; what is left is consistent.
    LosesLast {
        /// Most seconds of work that are lost; none where the settings do not bound it.
        seconds: Option<f64>,
    },
    /// What is left may be inconsistent.
    MayCorrupt,
}

impl From<Durability> for PowerCutClass {
    fn from(durability: Durability) -> PowerCutClass {
        match durability {
            Durability::KeepsAcknowledged => PowerCutClass::KeepsAcknowledged,
            Durability::LosesLast { seconds } => PowerCutClass::LosesLast { seconds },
            Durability::MayCorrupt => PowerCutClass::MayCorrupt,
        }
    }
}

/// What a configuration risks that "synchronous" does not say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "risk", rename_all = "kebab-case")]
pub enum DurabilityRisk {
    /// `sync=disabled`: acknowledged synchronous writes of the last transaction groups are lost at a
    /// power cut.
    SyncDisabled {
        /// Datasets, `""` for the root.
        datasets: Vec<String>,
    },
    /// `zfs_nocacheflush=1` over drives whose cache is volatile.
    NoCacheFlush {
        /// Their kinds.
        kinds: Vec<String>,
    },
    /// `zil_nocacheflush=1` where the drives that hold the log have a volatile cache.
    NoLogFlush {
        /// Their kinds.
        kinds: Vec<String>,
    },
    /// Drives that acknowledge a flush and do not keep it.
    LyingFlush {
        /// Their kinds.
        kinds: Vec<String>,
    },
    /// The only copy of the intent log is on one drive: lost with it if it dies together with a
    /// power cut.
    LogNotMirrored,
    /// A special or dedup vdev has less redundancy than the data: it can take the pool with it.
    SpecialNotRedundant,
    /// A data vdev without redundancy.
    NoRedundancy,
    /// A file system without ZFS on one drive, or on an array that survives no failed drive.
    FilesystemNotRedundant,
}
