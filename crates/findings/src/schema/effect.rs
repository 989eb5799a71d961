//! Effects: ratios of two variants that differ in exactly one factor.

use super::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A ratio of two variants that differ in one factor, or its mean over every such pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The factor.
    pub factor: String,
    /// Its level in the numerator.
    pub level: String,
    /// Its level in the denominator.
    pub against: String,
    /// The variant of the numerator; none for a main effect over several pairs.
    pub variant: Option<String>,
    /// The variant of the denominator; none for a main effect.
    pub baseline: Option<String>,
    /// Levels of the other factors where it was measured; empty for a main effect.
    pub context: BTreeMap<String, String>,
    /// The workload.
    pub workload: String,
    /// Which stretch of the trials.
    pub phase: PhaseKind,
    /// What is compared.
    pub metric: Metric,
    /// Numerator ÷ denominator, with an interval that holds under repeated looks: the mean over pairs of
    /// trials with the same seed.
    pub ratio: Estimate,
    /// Its outcome.
    pub class: VerdictClass,
    /// What would decide an undecided one; none for the others.
    pub needed: Option<Needed>,
    /// Trials behind the interval of numerator and denominator.
    pub trials: (u32, u32),
    /// The numerator may lose acknowledged writes and the denominator not, or the other way round.
    pub durability_differs: bool,
}

/// Which stretch of a trial a number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// All of it: neither side has two phases.
    Whole,
    /// Before the change point.
    Burst,
    /// After it.
    Sustained,
}

/// What is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Operations a second: more is better.
    #[default]
    Throughput,
    /// Mean latency, syncs included: less is better.
    MeanLatency,
    /// 99th percentile: less is better.
    P99Latency,
}

impl Metric {
    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        match self {
            Metric::Throughput => true,
            Metric::MeanLatency | Metric::P99Latency => false,
        }
    }
}

/// The outcome of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictClass {
    /// Better: the interval excludes 1.
    WorthIt,
    /// Worse: the interval excludes 1.
    Harmful,
    /// The interval lies inside ±5 %.
    NoEffect,
    /// None of these yet.
    Undecided,
    /// Of a verdict alone: better beside some levels of the other factors, and worse beside others.
    Depends,
}

/// What would decide an undecided effect, if things stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Needed {
    /// Further trials of each of the two cells; none when no number of them would, or when it is not known
    /// (single trials show nothing of the spread between seeds).
    pub trials: Option<u32>,
    /// What is missing first.
    pub lack: Lack,
}

/// What an undecided effect lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// More trials.
    Trials,
    /// A second trial: batches within one leave it open.
    SecondTrial,
    /// A trial that counts: all of a cell's failed or are excluded.
    ValidTrial,
    /// A longer run: a cell never settled.
    LongerRun,
}

/// Two factors whose joint effect is not the product of the single ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interaction {
    /// First factor and level.
    pub first: (String, String),
    /// Second factor and level.
    pub second: (String, String),
    /// The workload.
    pub workload: String,
    /// Which stretch of the trials.
    pub phase: PhaseKind,
    /// Effect of the first with the second ÷ its effect without: 1 means they do not interact.
    pub ratio: Estimate,
    /// Effect of the first without the second.
    pub without: f64,
    /// Effect of the first with the second.
    pub with: f64,
    /// Whether the interval excludes 1 (and is not inside ±5 %).
    pub shown: bool,
}

/// What one setting contributes (ablation).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// The setting.
    pub factor: String,
    /// Its level.
    pub level: String,
    /// The workload.
    pub workload: String,
    /// What is compared.
    #[serde(default)]
    pub metric: Metric,
    /// Effect of this one alone against the baseline.
    pub alone: Option<Estimate>,
    /// All settings ÷ all but this one.
    pub last: Option<Estimate>,
    /// Share of the whole gain, in logarithms: mean of the two over the sum for all settings; none
    /// where all together gain nothing.
    pub share: Option<f64>,
}
