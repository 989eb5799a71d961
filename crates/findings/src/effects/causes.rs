//! Causes found by trying: what a cell does when one cost is removed from the machine.

use crate::cells::phases::Course;
use crate::cells::{Group, Judged, of_cell};
use crate::effects::{Looks, estimate};
use crate::schema::{Cause, Metric, PhaseKind};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::{Cost, Measured, Trial};
use std::collections::BTreeMap;

/// The causes of every cell that was run without some cost, ranked within each.
pub fn causes(
    campaign: &Campaign,
    model: &Model,
    trials: &[&Trial],
    groups: &[Group<'_>],
) -> Vec<Cause> {
    let mut all = Vec::new();
    for with in groups {
        let (variant, workload) = (with.variant, with.workload);
        let mut mine: BTreeMap<Cost, Vec<&Trial>> = BTreeMap::new();
        for trial in of_cell(trials, variant, workload) {
            let main = trial.offered_rate.is_none() && trial.rerun.is_none();
            if let (Some(cost), true) = (trial.without, main) {
                mine.entry(cost).or_default().push(trial);
            }
        }
        let mut causes: Vec<Cause> = mine
            .into_iter()
            .filter_map(|(cost, again)| {
                let without = Group::new(campaign, model, variant, workload, again);
                cause(campaign, model, cost, &without, with)
            })
            .collect();
        let metric = crate::metric(workload);
        causes.sort_by(|a, b| gain(b, metric).total_cmp(&gain(a, metric)));
        for (cause, rank) in causes.iter_mut().zip(1..) {
            cause.rank = rank;
        }
        all.extend(causes);
    }
    all
}

/// The cause that a cell's re-runs show, in the seconds that stand for the cell's own trials: without a cost, a run has other
/// phases, of which none may be there in both. Where the re-runs are shorter these are their first seconds, and no
/// latencies are compared, which are known of whole runs.
fn cause(
    campaign: &Campaign,
    model: &Model,
    cost: Cost,
    without: &Group<'_>,
    with: &Group<'_>,
) -> Option<Cause> {
    let seconds = whole_seconds(without)?;
    let shorter = seconds < whole_seconds(with)?;
    let first_seconds = |judged: &Judged<'_>| {
        let all = &judged.measured.seconds;
        let first = all.get(..seconds).filter(|first| first.len() < all.len())?;
        Some(Course { after_restart: campaign.method.restart, ..Course::new(first)? })
    };
    let with = with.with_courses(model, first_seconds);
    let without = without.with_courses(model, first_seconds);
    let of_the_cell = |judged: &Judged<'_>| {
        let own = with.seeded(judged.trial.seed)?.course.as_ref()?;
        judged.course.clone()?.judged_over(own.lasting_seconds())
    };
    let [without, with] = [&without, &with].map(|group| group.with_courses(model, of_the_cell));
    let terms = [(1.0, &without), (-1.0, &with)];
    let effect = |metric| estimate(&terms, metric, PhaseKind::Whole, &campaign.method, Looks::One);
    let throughput = effect(Metric::Throughput)?;
    Some(Cause {
        variant: with.variant.name.clone(),
        workload: with.workload.name.clone(),
        cost,
        rank: 0,
        throughput: throughput.ratio,
        mean_latency: effect(Metric::MeanLatency).filter(|_| !shorter).map(|effect| effect.ratio),
        pairs: throughput.trials.0,
    })
}

/// Whole seconds of the shortest trial of a cell that counts.
fn whole_seconds(group: &Group<'_>) -> Option<usize> {
    let of = |measured: &Measured| measured.seconds.len().min(measured.runtime_s as usize);
    group.valid().map(|judged| of(judged.measured)).min()
}

/// How much the cell gains without the cost, by what its verdicts rest on.
fn gain(cause: &Cause, metric: Metric) -> f64 {
    match (metric, cause.mean_latency) {
        (Metric::Throughput, _) | (_, None) => cause.throughput.value,
        (_, Some(latency)) => 1.0 / latency.value,
    }
}
