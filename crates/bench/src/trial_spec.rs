//! One trial of a campaign, before it is run.

use lab::campaign::Campaign;
use measurement::{Cost, TrialKind};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use store::Entry;

/// One trial to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialSpec {
    /// Index of its variant.
    pub variant: usize,
    /// Index of its workload.
    pub workload: usize,
    /// Which repeat of the cell, from 0.
    pub repeat: u32,
    /// How it differs from the cell's other trials.
    pub kind: TrialKind,
}

impl TrialSpec {
    /// A repeat of a closed-loop cell.
    pub fn repeat(variant: usize, workload: usize, repeat: u32) -> TrialSpec {
        TrialSpec { variant, workload, repeat, kind: TrialKind::Repeat }
    }

    /// Seed of its data, drives and offsets: the n-th number of xoshiro256++ seeded with the method's seed. All variants
    /// and workloads of a repeat share it (common random numbers), so that a variant differs from another by its
    /// configuration alone.
    pub fn seed(&self, campaign: &Campaign) -> u64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(campaign.method.seed);
        for _ in 0..self.repeat {
            random.next_u64();
        }
        random.next_u64()
    }

    /// Its entry in a campaign's record.
    pub fn entry(&self, campaign: &Campaign, key: &str) -> Entry {
        Entry {
            key: key.to_owned(),
            variant: campaign.variants[self.variant].name.clone(),
            workload: campaign.workloads[self.workload].name.clone(),
            repeat: self.repeat,
            rerun: match &self.kind {
                TrialKind::Rerun(change) => Some(change.clone()),
                _ => None,
            },
        }
    }

    /// How it differs from a repeat of its closed-loop cell, for people; empty for such a repeat.
    pub fn difference(&self) -> String {
        match &self.kind {
            TrialKind::Repeat => String::new(),
            TrialKind::Rate(rate) => format!("at {rate:.0}/s"),
            TrialKind::Rerun(change) => {
                let factor = change.factor;
                format!("with {} of {} x {factor}", change.parameter, change.drive)
            }
            TrialKind::Size(size) => format!("at S = {size:.1}"),
            TrialKind::Without(cost) => format!("without {}", cost_name(*cost)),
        }
    }

    /// Its cell, its repeat and how it differs, for people.
    pub fn name(&self, campaign: &Campaign) -> String {
        let variant = &campaign.variants[self.variant].name;
        let workload = &campaign.workloads[self.workload].name;
        let name = format!("{variant} · {workload} · repeat {} {}", self.repeat, self.difference());
        name.trim_end().to_owned()
    }
}

/// A cost in the words of a command's output.
pub fn cost_name(cost: Cost) -> &'static str {
    match cost {
        Cost::LogFlush => "log flushes",
        Cost::LogWrite => "log writes",
        Cost::PoolRead => "pool reads",
        Cost::WriteThrottle => "the write throttle",
        Cost::Processor => "CPU time",
        Cost::ArcSize => "the limit of the ARC",
        Cost::Seek => "seeks",
    }
}
