//! How the model was scaled, and what that rules out.

use crate::cells::{Group, burst_factor, latency, of_cell};
use crate::quality::profile_numbers;
use crate::schema::{Metric, OtherSize, Processor, ScaleFindings, ScaleLimit};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::{Measured, Trial};

pub fn scale(
    campaign: &Campaign,
    model: &Model,
    trials: &[&Trial],
    groups: &[Group<'_>],
) -> ScaleFindings {
    ScaleFindings {
        size: model.size,
        size_bound_by: model.size_bound_by.clone(),
        processor: processor(campaign),
        arc_max: model.arc_max,
        dirty_data_max: model.dirty_data_max,
        dirty_data_max_real: model.dirty_data_max_real,
        burst_factor: burst_factor(model),
        limits: limits(model),
        notes: model.notes.clone(),
        open_numbers: profile_numbers::open(campaign),
        other_sizes: other_sizes(campaign, model, trials, groups),
    }
}

/// How compute was counted.
pub fn processor(campaign: &Campaign) -> Processor {
    match campaign.host.processor {
        lab::campaign::Processor::Charged => Processor::Charged,
        lab::campaign::Processor::Free => Processor::Free,
    }
}

fn limits(model: &Model) -> Vec<ScaleLimit> {
    let (size, burst) = (model.size, burst_factor(model));
    let fill_times = (size > 1.0).then_some(ScaleLimit::FillTimes { factor: size });
    let bursts = (burst > 1.0).then_some(ScaleLimit::Bursts { factor: burst });
    fill_times.into_iter().chain(bursts).collect()
}

/// Results that differ by more than this between size scales depend on the scale.
const MOVES: f64 = 0.10;

/// Whether a trial ran at another S than the campaign's, as a check of the scaling itself.
pub fn other_size(trial: &Trial, model: &Model) -> bool {
    (trial.size - model.size).abs() > 1e-6 * model.size
}

/// Cells at another S beside those at the campaign's.
fn other_sizes(
    campaign: &Campaign,
    model: &Model,
    trials: &[&Trial],
    groups: &[Group<'_>],
) -> Vec<OtherSize> {
    let mut found: Vec<OtherSize> = Vec::new();
    for group in groups {
        let mine: Vec<&Trial> = of_cell(trials, group.variant, group.workload)
            .filter(|t| t.is_repeat() && other_size(t, model))
            .collect();
        let mut sizes: Vec<f64> = mine.iter().map(|t| t.size).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        for size in sizes {
            let at = mine.iter().copied().filter(|t| t.size == size).collect();
            let there = Group::new(campaign, model, group.variant, group.workload, at);
            // Of the same seeds: another seed can differ by more than another S.
            let seeds: Vec<u64> = there.valid().map(|judged| judged.trial.seed).collect();
            let here = mean(&group.of_seeds(&seeds)).or_else(|| mean(group));
            let Some(ratio) = mean(&there).zip(here).map(|(there, here)| there / here) else {
                continue;
            };
            found.push(OtherSize {
                variant: group.variant.name.clone(),
                workload: group.workload.name.clone(),
                size,
                trials: there.valid().count() as u32,
                metric: crate::metric(group.workload),
                ratio,
                moves: !(1.0 - MOVES..=1.0 + MOVES).contains(&ratio),
            });
        }
    }
    found
}

/// Mean of what the workload is judged by, of the trials that count: throughput that lasts, or of clients that keep a
/// pace their latency.
fn mean(group: &Group<'_>) -> Option<f64> {
    match crate::metric(group.workload) {
        Metric::Throughput => group.lasting(),
        Metric::MeanLatency | Metric::P99Latency => {
            let trials: Vec<&Measured> = group.valid().map(|judged| judged.measured).collect();
            latency::client_us(&trials)
        }
    }
}
