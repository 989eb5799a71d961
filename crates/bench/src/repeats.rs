//! Repeats of the cells that have not been measured often enough.

use crate::known_trials::KnownTrials;
use crate::plan::{baseline_first, cells_of};
use crate::trial_spec::TrialSpec;
use findings::schema::{Basis, Effect, Lack, PhaseKind, VerdictClass};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::TrialResult;
use stats::sequential::single_trials_decide;

/// Trials of each side after which further ones do not make a cell settle: its run is too short.
const FUTILE: u32 = 4;

/// The next repeats of the cells of every open effect: one that decides a verdict and has neither a clear
/// verdict nor an interval within the method's precision; of single trials also one that is not large
/// ([`single_trials_decide`]). The intervals are those of `findings`, which hold under repeated looks. Both cells of an
/// effect get the same repeats, since their trials are compared seed by seed.
pub fn next(campaign: &Campaign, model: &Model, known: &KnownTrials) -> Vec<TrialSpec> {
    let findings = findings::analyse(campaign, model, known.trials());
    let mut wanted = Vec::new();
    let open = findings.effects.iter().filter(|effect| {
        effect.phase != PhaseKind::Burst
            && !is_known(effect, campaign.method.precision)
            && !is_futile(effect)
    });
    for (variants, workload) in open.filter_map(|effect| cells_of(campaign, effect)) {
        wanted.extend(missing(campaign, known, variants, workload));
    }
    let order = baseline_first(campaign);
    let rank = |spec: &TrialSpec| order.iter().position(|v| *v == spec.variant);
    wanted.sort_by_key(|spec| (spec.repeat, rank(spec), spec.workload));
    wanted.dedup();
    wanted
}

/// What is missing of the first repeat that two cells do not both have. A repeat that failed in either is
/// passed over; nothing where one of the cells is given up or there are no more repeats.
fn missing(
    campaign: &Campaign,
    known: &KnownTrials,
    variants: [usize; 2],
    workload: usize,
) -> Vec<TrialSpec> {
    if variants.iter().any(|v| known.is_given_up(*v, workload)) {
        return Vec::new();
    }
    for repeat in 0..campaign.method.max_trials {
        let specs = variants.map(|v| TrialSpec::repeat(v, workload, repeat));
        let failed = |spec: &TrialSpec| {
            let trial = known.trial(spec);
            trial.is_some_and(|t| matches!(t.outcome, TrialResult::Failed { .. }))
        };
        if specs.iter().any(failed) {
            continue;
        }
        let missing = specs.into_iter().filter(|spec| known.trial(spec).is_none());
        let missing: Vec<TrialSpec> = missing.collect();
        if !missing.is_empty() {
            return missing;
        }
    }
    Vec::new()
}

/// Whether only a longer run would decide it.
fn is_futile(effect: &Effect) -> bool {
    let (after, before) = effect.trials;
    let lacks_a_longer_run =
        effect.needed.as_ref().is_some_and(|needed| needed.lack == Lack::LongerRun);
    lacks_a_longer_run && after.min(before) >= FUTILE
}

/// Whether it has a clear verdict, or a difference that is known as well as asked for. An interval that contains 1 is
/// not: it becomes a difference, or "no effect", with more trials.
fn is_known(effect: &Effect, precision: f64) -> bool {
    let ratio = &effect.ratio;
    let differs = ratio.low > 1.0 || ratio.high < 1.0;
    let tight = ratio.value > 0.0
        && ratio.low >= ratio.value * (1.0 - precision)
        && ratio.high <= ratio.value * (1.0 + precision);
    // A single pair of latencies is a number without an interval.
    let estimated = ratio.basis != Basis::Point;
    let decided = effect.class != VerdictClass::Undecided || (estimated && tight && differs);
    decided && (ratio.basis != Basis::Batches || single_trials_decide(ratio.interval()))
}
