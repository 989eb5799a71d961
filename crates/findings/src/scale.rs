//! How the model was scaled, and what that rules out.

use crate::attribution;
use crate::cells::burst_factor;
use crate::output::{Achieved, ScaleFindings, ScaleLimit, Validation};
use crate::record::{Measured, Outcome, Trial};
use lab::campaign::Campaign;
use lab::model::Model;
use std::collections::BTreeMap;

/// Scale, fidelity and limits of a campaign.
pub fn of(campaign: &Campaign, model: &Model, trials: &[Trial]) -> ScaleFindings {
    let measured: Vec<&Measured> = trials
        .iter()
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
        worst_late_share: worst(&attribution::late_share),
        worst_cpu_share: worst(&|m| m.fidelity.cpu_share),
        nearest_validation: Validation::None,
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
                name: cap.name.clone(),
                bound: cap.bound,
                size: model.size,
                why: cap.why.clone(),
            });
        }
    }
    limits.push(ScaleLimit::Network);
    limits
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
