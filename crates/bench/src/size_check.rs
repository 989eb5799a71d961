//! Cells at another size scale S, to check whether a result depends on the scale.

use crate::known_trials::KnownTrials;
use crate::plan::baseline_first;
use crate::slot::Slot;
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::TrialKind;

/// The missing cells at each other S of the method.
pub fn next(campaign: &Campaign, model: &Model, known: &KnownTrials) -> Vec<Slot> {
    let mut round = Vec::new();
    for factor in &campaign.method.size_check {
        for workload in 0..campaign.workloads.len() {
            for variant in baseline_first(campaign) {
                let slot = Slot {
                    kind: TrialKind::Size(model.size * factor),
                    ..Slot::main(variant, workload, 0)
                };
                if known.trial(&slot).is_none() {
                    round.push(slot);
                }
            }
        }
    }
    round
}
