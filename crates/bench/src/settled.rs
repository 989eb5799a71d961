//! Which cells have not been measured often enough.

use findings::output::{Class, Effect, Mark, Marked, PhaseKind};
use findings::record::Trial;
use lab::campaign::Campaign;
use lab::model::Model;
use std::collections::BTreeMap;

/// The cells (indices of variant and workload) of which more trials are wanted, each with how many of
/// its trials count: an effect that decides a verdict and that it takes part in has neither a clear
/// verdict nor an interval within the method's precision. The intervals are those of `findings`, which
/// hold under repeated looks. A cell that takes part in no effect has nothing to settle, and runs its fewest
/// trials. One whose trials were all set aside gets as many again, unless it was for their use of the
/// processor: others would use as much.
pub fn open(campaign: &Campaign, model: &Model, trials: &[Trial]) -> BTreeMap<(usize, usize), u32> {
    let findings = findings::analyse(campaign, model, trials);
    let mut cells = BTreeMap::new();
    for (v, variant) in campaign.variants.iter().enumerate() {
        for (w, workload) in campaign.workloads.iter().enumerate() {
            let open = findings.effects.iter().any(|effect| {
                let takes_part = [&effect.variant, &effect.baseline]
                    .into_iter()
                    .any(|name| name.as_deref() == Some(&variant.name));
                takes_part
                    && effect.workload == workload.name
                    && effect.metric == findings::metric(workload)
                    && effect.phase != PhaseKind::Burst
                    && !known(effect, campaign.method.precision)
            });
            let mut of = findings.cells.iter();
            let cell = of.find(|c| c.variant == variant.name && c.workload == workload.name);
            let again = cell.is_some_and(|cell| {
                let processor = |m: &Marked| matches!(m.mark, Mark::Processor { .. });
                cell.trials.sound == 0
                    && (1..2 * campaign.method.min_trials).contains(&cell.trials.marked)
                    && !cell.marks.iter().any(processor)
            });
            if open || again {
                cells.insert((v, w), cell.map_or(0, |c| c.trials.sound));
            }
        }
    }
    cells
}

fn known(effect: &Effect, precision: f64) -> bool {
    let ratio = &effect.ratio;
    let tight = ratio.value > 0.0
        && ratio.low >= ratio.value * (1.0 - precision)
        && ratio.high <= ratio.value * (1.0 + precision);
    effect.class != Class::Undecided || (tight && effect.trials.0.min(effect.trials.1) > 1)
}
