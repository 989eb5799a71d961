//! Causes found by trying: what a cell does when one cost is removed from the machine.

use crate::cells::{Group, of_cell};
use crate::effects;
use crate::schema::{Cause, Effect, Metric, PhaseKind};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::{Cost, Trial};
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
                cause(campaign, cost, &without, with)
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

fn cause(campaign: &Campaign, cost: Cost, without: &Group<'_>, with: &Group<'_>) -> Option<Cause> {
    let terms = [(1.0, without), (-1.0, with)];
    let effect = |metric| -> Option<Effect> {
        let phase = match metric {
            Metric::Throughput => effects::lasting_phase(&terms),
            Metric::MeanLatency | Metric::P99Latency => PhaseKind::Whole,
        };
        effects::estimate(&terms, metric, phase, &campaign.method)
    };
    let throughput = effect(Metric::Throughput)?;
    Some(Cause {
        variant: with.variant.name.clone(),
        workload: with.workload.name.clone(),
        cost,
        rank: 0,
        throughput: throughput.ratio,
        mean_latency: effect(Metric::MeanLatency).map(|effect| effect.ratio),
        pairs: throughput.trials.0,
    })
}

/// How much the cell gains without the cost, by what its verdicts rest on.
fn gain(cause: &Cause, metric: Metric) -> f64 {
    match (metric, cause.mean_latency) {
        (Metric::Throughput, _) | (_, None) => cause.throughput.value,
        (_, Some(latency)) => 1.0 / latency.value,
    }
}
