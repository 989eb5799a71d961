//! When a cell has been measured often enough.

use findings::output::{Class, Effect, Metric};
use findings::record::Trial;
use lab::campaign::Campaign;
use lab::model::Model;
use std::collections::BTreeSet;

/// The cells (indices of variant and workload) of which more trials are not wanted: each effect on
/// throughput that they take part in has a clear verdict or an interval within the method's
/// precision. The intervals are those of `findings`, which hold under repeated looks. A cell that
/// takes part in no effect has nothing to settle, and runs its fewest trials.
pub fn cells(campaign: &Campaign, model: &Model, trials: &[Trial]) -> BTreeSet<(usize, usize)> {
    let findings = findings::analyse(campaign, model, trials);
    let mut settled = BTreeSet::new();
    for (v, variant) in campaign.variants.iter().enumerate() {
        for (w, workload) in campaign.workloads.iter().enumerate() {
            let open = findings.effects.iter().any(|effect| {
                let takes_part = [&effect.variant, &effect.baseline]
                    .into_iter()
                    .any(|name| name.as_deref() == Some(&variant.name));
                takes_part
                    && effect.workload == workload.name
                    && effect.metric == Metric::Throughput
                    && !known(effect, campaign.method.precision)
            });
            if !open {
                settled.insert((v, w));
            }
        }
    }
    settled
}

fn known(effect: &Effect, precision: f64) -> bool {
    let ratio = &effect.ratio;
    let tight = ratio.value > 0.0
        && ratio.low >= ratio.value * (1.0 - precision)
        && ratio.high <= ratio.value * (1.0 + precision);
    effect.class != Class::Undecided || (tight && effect.trials.0.min(effect.trials.1) > 1)
}
