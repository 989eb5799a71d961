//! How the model was scaled, and what that rules out.

use crate::cells::{Group, Ran, burst_factor};
use crate::output::{Achieved, OtherSize, ScaleFindings, ScaleLimit, Standing};
use crate::profile_numbers;
use crate::record::{Measured, Outcome, Trial};
use lab::campaign::Campaign;
use lab::model::Model;
use std::collections::BTreeMap;

/// Scale, fidelity and limits of a campaign.
pub fn of(
    campaign: &Campaign,
    model: &Model,
    trials: &[Trial],
    groups: &[Group<'_>],
) -> ScaleFindings {
    // A re-run with other numbers is no result.
    let measured: Vec<&Measured> = trials
        .iter()
        .filter(|t| t.rerun.is_none())
        .filter_map(|t| match &t.outcome {
            Outcome::Measured(m) => Some(&**m),
            Outcome::Failed { .. } => None,
        })
        .collect();
    let time = model.time.or_else(|| trials.first().map(|t| t.time));
    let worst = |pick: &dyn Fn(&Measured) -> f64| measured.iter().map(|m| pick(m)).reduce(f64::max);
    ScaleFindings {
        size: model.size,
        size_bound_by: model.size_bound_by.clone(),
        time,
        arc_max: model.arc_max,
        dirty_data_max: model.dirty_data_max,
        dirty_data_max_real: model.dirty_data_max_real,
        burst_factor: burst_factor(model),
        limits: limits(campaign, model, time),
        notes: model.notes.clone(),
        drives: drives(&measured),
        worst_late_share: worst(&Measured::late_share),
        worst_cpu_share: worst(&|m| m.fidelity.cpu_share),
        open_numbers: profile_numbers::open(campaign),
        other_sizes: other_sizes(campaign, model, trials, groups),
    }
}

fn limits(campaign: &Campaign, model: &Model, time: Option<f64>) -> Vec<ScaleLimit> {
    let mut limits = Vec::new();
    if model.size > 1.0 {
        limits.push(ScaleLimit::FillTimes { factor: model.size });
    }
    let bursts = burst_factor(model);
    if bursts > 1.0 {
        limits.push(ScaleLimit::Bursts { factor: bursts });
    }
    if let Some(factor) = time.filter(|k| *k > 1.0) {
        limits.push(ScaleLimit::Processor { factor });
    }
    for cap in &model.caps {
        let broken = if cap.lower {
            model.size < cap.bound
        } else {
            model.size > cap.bound
        };
        if broken && campaign.scale.size.is_some() {
            limits.push(ScaleLimit::Cap {
                name: cap.rule.name().to_owned(),
                bound: cap.bound,
                size: model.size,
                why: cap.why.clone(),
            });
        }
    }
    limits.push(ScaleLimit::Network);
    limits
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
    trials: &[Trial],
    groups: &[Group<'_>],
) -> Vec<OtherSize> {
    let mut found: Vec<OtherSize> = Vec::new();
    for group in groups {
        let mine = |t: &&Trial| {
            t.variant == group.variant.name
                && t.workload == group.workload.name
                && t.is_main()
                && other_size(t, model)
        };
        let mut sizes: Vec<f64> = trials.iter().filter(mine).map(|t| t.size).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let Some(here) = mean(group) else { continue };
        for size in sizes {
            let at: Vec<&Trial> = trials
                .iter()
                .filter(mine)
                .filter(|t| t.size == size)
                .collect();
            // At another S, k may be another too; each of these is held to its own.
            let ran = Ran {
                time: Some(at[0].time),
                ..Ran::of(campaign, model, trials)
            };
            let there = Group::of(group.variant, group.workload, ran, at);
            let Some(ratio) = mean(&there).map(|x| x / here) else {
                continue;
            };
            found.push(OtherSize {
                variant: group.variant.name.clone(),
                workload: group.workload.name.clone(),
                size,
                trials: there.sound().count() as u32,
                ratio,
                moves: !(1.0 - MOVES..=1.0 + MOVES).contains(&ratio),
            });
        }
    }
    found
}

/// Mean throughput that lasts, of the trials that count.
fn mean(group: &Group<'_>) -> Option<f64> {
    let values: Vec<f64> = group
        .ran
        .iter()
        .filter(|j| j.standing == Standing::Sound)
        .map(|j| {
            let lasts = j.course.as_ref().and_then(crate::phases::Course::lasting);
            lasts.unwrap_or_else(|| j.throughput())
        })
        .collect();
    stats::mean(&values)
}

/// The worst achieved ÷ intended of each drive kind.
fn drives(measured: &[&Measured]) -> BTreeMap<String, Achieved> {
    let mut worst: BTreeMap<String, Achieved> = BTreeMap::new();
    for (kind, (p50, p99)) in measured.iter().flat_map(|m| &m.fidelity.drives) {
        let new = Achieved {
            p50: *p50,
            p99: *p99,
        };
        let entry = worst.entry(kind.clone()).or_insert(new);
        let farther = |a: f64, b: f64| {
            if (a - 1.0).abs() > (b - 1.0).abs() {
                a
            } else {
                b
            }
        };
        entry.p50 = farther(*p50, entry.p50);
        entry.p99 = farther(*p99, entry.p99);
    }
    worst
}
