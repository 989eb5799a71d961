//! The trials of a campaign that are known so far.

use crate::trial_spec::TrialSpec;
use measurement::{Measured, Trial, TrialKind, TrialResult};

/// Trials, each with its spec. A trial that failed in this run is among them; one that
/// failed in an earlier run is not, so that it is tried again.
#[derive(Debug, Clone, Default)]
pub struct KnownTrials {
    specs: Vec<TrialSpec>,
    trials: Vec<Trial>,
}

impl KnownTrials {
    /// Adds a trial.
    pub fn add(&mut self, spec: TrialSpec, trial: Trial) {
        self.specs.push(spec);
        self.trials.push(trial);
    }

    /// All of them, in the order in which they were added.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The trial of a spec.
    pub fn trial(&self, spec: &TrialSpec) -> Option<&Trial> {
        let index = self.specs.iter().position(|s| s == spec)?;
        self.trials.get(index)
    }

    /// The measurements of a spec's trial.
    pub fn measured(&self, spec: &TrialSpec) -> Option<&Measured> {
        match &self.trial(spec)?.outcome {
            TrialResult::Measured(measured) => Some(measured),
            TrialResult::Failed { .. } => None,
        }
    }

    /// The repeats of a closed-loop cell that were measured.
    pub fn cell(&self, variant: usize, workload: usize) -> impl Iterator<Item = (u32, &Measured)> {
        let repeats = self.repeats(variant, workload);
        repeats.filter_map(|(spec, _)| Some((spec.repeat, self.measured(spec)?)))
    }

    fn repeats(
        &self,
        variant: usize,
        workload: usize,
    ) -> impl Iterator<Item = (&TrialSpec, &Trial)> {
        self.specs.iter().zip(&self.trials).filter(move |(spec, _)| {
            (spec.variant, spec.workload) == (variant, workload) && spec.kind == TrialKind::Repeat
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
