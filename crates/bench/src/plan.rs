//! Which trial is run next, from what the campaign asks for and what is known.

use crate::schedule::{self, Slot};
use crate::{ladder, rerun, resize, settled};
use findings::record::{Outcome, Trial};
use lab::campaign::Campaign;
use lab::model::Model;

/// Trials of a cell that may fail in one run before it is left alone.
const FAILURES: usize = 2;

/// Every trial that a campaign may run.
#[derive(Debug)]
pub struct Plan<'a> {
    campaign: &'a Campaign,
    model: &'a Model,
    /// Repeats of closed-loop cells, in their order.
    slots: Vec<Slot>,
}

/// What is next.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// The trial.
    pub slot: Slot,
    /// Trials that are to be run at least, it included.
    pub left: usize,
}

impl<'a> Plan<'a> {
    /// The plan of a campaign on a model.
    pub fn new(campaign: &'a Campaign, model: &'a Model) -> Plan<'a> {
        Plan {
            campaign,
            model,
            slots: schedule::order(campaign),
        }
    }

    /// The next trial, when `trials` are known and `tried` are the ids that this run has tried; none
    /// when enough is known. Every cell comes as often as it must, then ladders, then cells of which
    /// an effect is still open, those first that have the fewest trials that count, and last, since it
    /// is only known then, what verdicts rest on.
    pub fn next(&self, trials: &[Trial], tried: &[u64]) -> Option<Next> {
        let fewest = self.campaign.method.min_trials.max(1);
        let open = settled::open(self.campaign, self.model, trials);
        let sound = |slot: &&Slot| open.get(&(slot.variant, slot.workload)).copied();
        // No cell is more than its fewest trials ahead of the others, or what drifts would drift under
        // it alone.
        let turn = |slot: &&Slot| {
            let extra = slot.repeat.saturating_sub(fewest);
            sound(slot).unwrap_or(0).max(extra)
        };
        let wanted = |slot: &&Slot| {
            !is_measured(trials, slot.id)
                && !tried.contains(&slot.id)
                && !self.given_up(slot, trials, tried)
                && (slot.repeat < fewest || sound(slot).is_some())
        };
        let must = |slot: &&Slot| slot.repeat < fewest && wanted(slot);
        let seed = |repeat: u32, workload: usize| {
            let of = |s: &&Slot| s.repeat == repeat && s.workload == workload;
            self.slots.iter().find(of).map_or(0, |s| s.seed)
        };
        let rungs = schedule::extras(self.campaign);
        let reruns = rungs + ladder::ids(self.campaign);
        let slot = self
            .slots
            .iter()
            .find(must)
            .cloned()
            .or_else(|| ladder::next(self.campaign, trials, rungs, tried, seed))
            .or_else(|| self.slots.iter().filter(wanted).min_by_key(turn).cloned())
            .or_else(|| {
                if self.campaign.method.sensitivity.is_empty() {
                    return None;
                }
                let findings = findings::analyse(self.campaign, self.model, trials);
                rerun::next(self.campaign, &findings, trials, reruns, tried, seed)
            })
            .or_else(|| resize::next(self.campaign, self.model, trials, reruns, tried, seed))?;
        Some(Next {
            slot,
            left: self.slots.iter().filter(must).count().max(1),
        })
    }

    /// Whether a cell fails again and again.
    fn given_up(&self, slot: &Slot, trials: &[Trial], tried: &[u64]) -> bool {
        let cell = |s: &&Slot| s.variant == slot.variant && s.workload == slot.workload;
        let ids = || self.slots.iter().filter(cell).map(|s| s.id);
        let failed = |id: &u64| tried.contains(id) && !is_measured(trials, *id);
        ids().filter(failed).count() >= FAILURES && !ids().any(|id| is_measured(trials, id))
    }
}

fn is_measured(trials: &[Trial], id: u64) -> bool {
    let mut of = trials.iter().filter(|t| t.id == id && t.is_main());
    of.any(|t| matches!(t.outcome, Outcome::Measured(_)))
}
