//! The trials of a campaign that are known so far.

use crate::slot::Slot;
use measurement::{Measured, Trial, TrialKind, TrialResult};

/// Trials, each with the slot that it fills. A trial that failed in this run is among them; one that
/// failed in an earlier run is not, so that it is tried again.
#[derive(Debug, Clone, Default)]
pub struct KnownTrials {
    slots: Vec<Slot>,
    trials: Vec<Trial>,
}

impl KnownTrials {
    /// Adds a trial.
    pub fn add(&mut self, slot: Slot, trial: Trial) {
        self.slots.push(slot);
        self.trials.push(trial);
    }

    /// All of them, in the order in which they were added.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The trial of a slot.
    pub fn trial(&self, slot: &Slot) -> Option<&Trial> {
        let index = self.slots.iter().position(|s| s == slot)?;
        self.trials.get(index)
    }

    /// The measurements of a slot's trial.
    pub fn measured(&self, slot: &Slot) -> Option<&Measured> {
        match &self.trial(slot)?.outcome {
            TrialResult::Measured(measured) => Some(measured),
            TrialResult::Failed { .. } => None,
        }
    }

    /// The repeats of a closed-loop cell that were measured.
    pub fn cell(&self, variant: usize, workload: usize) -> impl Iterator<Item = (u32, &Measured)> {
        let repeats = self.repeats(variant, workload);
        repeats.filter_map(|(slot, _)| Some((slot.repeat, self.measured(slot)?)))
    }

    fn repeats(&self, variant: usize, workload: usize) -> impl Iterator<Item = (&Slot, &Trial)> {
        self.slots.iter().zip(&self.trials).filter(move |(slot, _)| {
            (slot.variant, slot.workload) == (variant, workload) && slot.kind == TrialKind::Repeat
        })
    }

    /// Whether a cell failed twice and was never measured, so that it would fail again.
    pub fn is_given_up(&self, variant: usize, workload: usize) -> bool {
        const FAILURES: usize = 2;
        let repeats = self.repeats(variant, workload);
        let failed = repeats.filter(|(_, t)| matches!(t.outcome, TrialResult::Failed { .. }));
        failed.count() >= FAILURES && self.cell(variant, workload).next().is_none()
    }
}
