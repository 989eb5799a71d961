//! What a campaign has shown: the published JSON format.
//!
//! No prose in here. Everything a reader sees is an enum with the numbers it needs; the language
//! files of `report` match these enums exhaustively, so that a missing sentence does not compile.
//! Times are virtual: those of the modelled machine.

mod cause;
mod cell;
mod check;
mod effect;
mod ladder;
mod lint;
mod reason;
mod validation;
mod verdict;

pub use cause::*;
pub use cell::*;
pub use check::*;
pub use effect::*;
pub use ladder::*;
pub use lint::*;
pub use reason::*;
pub use validation::*;
pub use verdict::*;

use measurement::Cost;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Version of this format; readers refuse every other one.
pub const FORMAT: u32 = 2;

/// Everything a campaign has shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// [`FORMAT`].
    pub format: u32,
    /// The lab that was run.
    pub lab: LabRef,
    /// Every configuration, the baseline first.
    pub variants: Vec<VariantRef>,
    /// Every workload, as its job says.
    #[serde(default)]
    pub workloads: Vec<WorkloadRef>,
    /// Every factor with its levels; ablated settings and single variants count as factors.
    pub factors: Vec<Factor>,
    /// The answer: one for each factor level and workload, strongest first.
    pub verdicts: Vec<Verdict>,
    /// Variant × workload, in the order of the campaign.
    pub cells: Vec<Cell>,
    /// Ratios between variants that differ in exactly one factor, and main effects over all of them.
    pub effects: Vec<Effect>,
    /// What each cell waits for, found by running it with one cost removed; by cell, the largest gain
    /// first.
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// Open-loop ladders: what each configuration does at each offered rate.
    #[serde(default)]
    pub ladders: Vec<Ladder>,
    /// The smallest configuration that does as well as the fastest, a workload each, where one does.
    #[serde(default)]
    pub adequate: Vec<Adequate>,
    /// Pairs of factors whose joint effect is not the product of the single ones.
    pub interactions: Vec<Interaction>,
    /// Ablation: settings by what each contributes, largest first.
    pub ranking: Vec<Contribution>,
    /// Contradictions in the numbers themselves.
    pub lints: Vec<Lint>,
    /// How the model was scaled, and what that rules out.
    pub scale: ScaleFindings,
    /// Which checks of docs/validation cover the campaign.
    #[serde(default)]
    pub validation: Vec<Validation>,
    /// How sure the numbers are meant to be.
    pub method: MethodFindings,
    /// Cells without a trial, and how many they need.
    #[serde(default)]
    pub not_run: Vec<NotRun>,
    /// Every trial: by workload and variant in the order of the campaign, then by what it is a part of and
    /// its repeat.
    pub trials: Vec<TrialRow>,
}

/// Which lab it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabRef {
    /// File stem.
    pub name: String,
    /// Title.
    pub title: String,
    /// Where the question comes from, if stated.
    pub source: Option<String>,
    /// Name of the variant the others are held against.
    pub baseline: String,
}

/// One configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantRef {
    /// Its name.
    pub name: String,
    /// Factor → level; empty for a variant outside the factorial.
    pub levels: BTreeMap<String, String>,
    /// Drives in its pool.
    #[serde(default)]
    pub drives: u32,
    /// What they and the memory cost together, in the lab's own currency; memory without a price counts as 0. None
    /// unless each drive has a price.
    #[serde(default)]
    pub price: Option<f64>,
    /// Full versions of OpenZFS its trials ran on.
    pub openzfs: Vec<String>,
    /// What it risks that the words "synchronous write" do not say; empty when nothing is known.
    pub durability: Vec<DurabilityRisk>,
    /// What a power cut alone can cost under the workloads, by its settings and theirs.
    #[serde(default)]
    pub after_power_cut: Option<PowerCutClass>,
    /// The commands that build it on real drives, a line each; before them its server's memory as a comment, where
    /// variants differ in it.
    #[serde(default)]
    pub build: Vec<String>,
    /// `zpool add` for a pool that was built as the baseline, where no more than vdevs is added.
    #[serde(default)]
    pub add: Option<String>,
}

/// One workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRef {
    /// Its name.
    pub name: String,
    /// What each job of its file does: the options that say so, as written: `rw=randwrite bs=16k
    /// numjobs=16`. Sizes are those of the real server.
    pub jobs: Vec<String>,
    /// What its operations are.
    #[serde(default)]
    pub counted: Counted,
}

impl Findings {
    /// Whether all that was counted are transactions of databases.
    pub fn counts_transactions(&self) -> bool {
        let transactions = |w: &WorkloadRef| w.counted == Counted::Transactions;
        !self.workloads.is_empty() && self.workloads.iter().all(transactions)
    }

    /// The versions of OpenZFS that the campaign ran on.
    pub fn openzfs_versions(&self) -> BTreeSet<&String> {
        self.variants.iter().flat_map(|variant| &variant.openzfs).collect()
    }
}

/// What the operations of a client are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Reads and writes.
    #[default]
    Requests,
    /// Transactions of a database: reads where they change nothing, else writes. Their bytes are not known.
    Transactions,
}

/// A difference between resolved variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Factor {
    /// Its name in the lab.
    pub name: String,
    /// Its levels, the baseline's first.
    pub levels: Vec<String>,
    /// What it changes, found by comparing resolved variants and never by its name.
    pub subjects: Vec<Subject>,
}

/// What a factor changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "subject", rename_all = "kebab-case")]
pub enum Subject {
    /// Log vdevs (SLOG).
    Log,
    /// Cache vdevs (L2ARC).
    Cache,
    /// Special vdevs.
    Special,
    /// Dedup vdevs.
    Dedup,
    /// Hot spares.
    Spare,
    /// Layout of the data vdevs.
    Layout,
    /// The storage stack: a pool or a file system without one, and on which array and drives that is.
    Stack,
    /// `ashift`.
    Ashift,
    /// The profile of a kind of drive, or a number in it.
    Drive {
        /// The kind.
        kind: String,
    },
    /// A dataset property.
    Property {
        /// Dataset, `""` for the root.
        dataset: String,
        /// ZFS's name of it.
        name: String,
    },
    /// A pool property.
    PoolProperty {
        /// ZFS's name of it.
        name: String,
    },
    /// A module parameter.
    Module {
        /// Its name.
        name: String,
    },
    /// A setting of a database server.
    Server {
        /// The server's name of it.
        name: String,
    },
    /// The release of OpenZFS.
    OpenZfs,
    /// RAM of the machine.
    Memory,
}

/// How the model was scaled, and what that rules out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScaleFindings {
    /// Size scale S.
    pub size: f64,
    /// The rule that bound S.
    pub size_bound_by: String,
    /// How compute was counted.
    pub processor: Processor,
    /// ARC of the model, bytes.
    pub arc_max: u64,
    /// Dirty-data limit of the model, bytes.
    pub dirty_data_max: u64,
    /// Dirty-data limit of the real server, bytes.
    pub dirty_data_max_real: u64,
    /// How many times longer bursts last on the real server: the ratio of the two.
    pub burst_factor: f64,
    /// What the numbers do not show.
    pub limits: Vec<ScaleLimit>,
    /// Further notes of the lab's resolution, as written there.
    pub notes: Vec<String>,
    /// Numbers of the drive profiles that are estimates, or that their profile gives a range for.
    #[serde(default)]
    pub open_numbers: Vec<OpenNumbers>,
    /// The same cells at another S: how far results move with it.
    #[serde(default)]
    pub other_sizes: Vec<OtherSize>,
}

/// How compute is counted in virtual time: the two ends of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Processor {
    /// By a table of costs, over the modelled cores.
    Charged,
    /// It takes no time: an upper bound.
    Free,
}

/// What of a drive profile is not known for sure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenNumbers {
    /// The kind of drive in the lab.
    pub kind: String,
    /// Its profile.
    pub profile: String,
    /// How many numbers the profile has.
    pub all: u32,
    /// How many have a range, or a source that calls them an estimate, a fit or quoted from memory.
    pub open: u32,
}

/// A cell at another size scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherSize {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// S of these trials.
    pub size: f64,
    /// Trials that count.
    pub trials: u32,
    /// What the workload is judged by.
    #[serde(default)]
    pub metric: Metric,
    /// Theirs ÷ that of the campaign's own S.
    pub ratio: f64,
    /// Whether that is more than 10 % off: the result depends on S.
    pub moves: bool,
}

/// What the numbers do not show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "limit", rename_all = "kebab-case")]
pub enum ScaleLimit {
    /// Times to warm, fill or rebuild come out this factor too short.
    FillTimes {
        /// S.
        factor: f64,
    },
    /// Bursts last this factor longer on the real server: its dirty-data limit is larger.
    Bursts {
        /// Real ÷ model.
        factor: f64,
    },
}

/// How sure the numbers are meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodFindings {
    /// Share of campaigns allowed to name an effect where there is none, per effect, over all looks.
    pub error_rate: f64,
    /// Smallest effect worth naming: 0.05 is ±5 %.
    pub smallest_effect: f64,
    /// Precision asked for by the lab.
    pub precision: f64,
    /// Confidence of the intervals of cells (one look, for reading): 0.95.
    pub confidence: f64,
    /// Seed of the schedule and of every resampling.
    pub seed: u64,
}

/// What a trial is a part of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum Part {
    /// A repeat of its cell.
    #[default]
    Cell,
    /// A rung of a ladder.
    Rung {
        /// Offered operations a second.
        offered: f64,
    },
    /// A re-run with one number of a drive changed.
    Rerun {
        /// The kind of drive.
        kind: String,
        /// The number, by the profile's name.
        parameter: String,
        /// New ÷ stated value.
        factor: f64,
    },
    /// A re-run with one cost removed.
    Without {
        /// Which.
        cost: Cost,
    },
    /// The cell at another size scale.
    OtherSize {
        /// S.
        size: f64,
    },
}

/// One trial in a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRow {
    /// Its key: the name it is stored under.
    pub key: String,
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// What it is a part of.
    #[serde(default)]
    pub part: Part,
    /// Its seed.
    pub seed: u64,
    /// Operations a virtual second; none when it failed.
    pub throughput: Option<f64>,
    /// Those of its last phase, from its seconds; the series of a page may be of longer stretches.
    #[serde(default)]
    pub lasting: Option<f64>,
    /// Mean latency, µs.
    pub mean_us: Option<f64>,
    /// The client's time for each read or write, its syncs included, µs.
    #[serde(default)]
    pub client_us: Option<f64>,
    /// What it is worth.
    pub validity: Validity,
    /// Why it failed, in the words of the program that failed.
    pub failure: Option<String>,
    /// Why it is excluded, or what the reader must know.
    pub issues: Vec<QualityIssue>,
    /// Far from its cell's other trials (flagged, never dropped).
    pub outlier: bool,
    /// Remarks of the engine, as it wrote them.
    pub notes: Vec<String>,
}

/// The first 12 characters of a key, for texts.
pub fn short_key(key: &str) -> &str {
    key.get(..12).unwrap_or(key)
}
