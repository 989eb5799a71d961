//! Cells at another size scale S, to check whether a result depends on the scale.

use crate::known_trials::KnownTrials;
use crate::plan::baseline_first;
use crate::trial_spec::TrialSpec;
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::TrialKind;

/// The missing cells at each other S of the method.
pub fn next(campaign: &Campaign, model: &Model, known: &KnownTrials) -> Vec<TrialSpec> {
    let mut round = Vec::new();
    for factor in &campaign.method.size_check {
        for workload in 0..campaign.workloads.len() {
            for variant in baseline_first(campaign) {
                let spec = TrialSpec {
                    kind: TrialKind::Size(model.size * factor),
                    ..TrialSpec::repeat(variant, workload, 0)
                };
                if known.trial(&spec).is_none() {
                    round.push(spec);
                }
            }
        }
    }
    round
}
