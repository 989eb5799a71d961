//! Ablation: which of many settings does it.

use crate::effects::factors::Pair;
use crate::schema::{Contribution, Effect, Estimate, Metric, PhaseKind};
use crate::verdicts::metric;
use lab::campaign::{Campaign, Variant};
use std::collections::BTreeMap;

/// The settings of an ablation by what each contributes: alone against the baseline, and last, as all
/// of them against all but it. Empty unless at least two settings have both.
pub fn rank(
    campaign: &Campaign,
    baseline: &Variant,
    pairs: &[Pair<'_>],
    effects: &[Effect],
) -> Vec<Contribution> {
    let mut all = Vec::new();
    for workload in &campaign.workloads {
        let metric = metric(workload);
        let mut of_workload = contributions(&workload.name, metric, baseline, pairs, effects);
        let both = of_workload.iter().filter(|c| c.alone.is_some() && c.last.is_some()).count();
        // A full factorial has main effects and interactions, which say more.
        if both < 2 || is_full_factorial(campaign) {
            continue;
        }
        let logs: Vec<f64> = of_workload.iter().map(mean_log).collect();
        let total: f64 = logs.iter().sum();
        for (contribution, log) in of_workload.iter_mut().zip(&logs) {
            contribution.share = (total.abs() > 0.05f64.ln_1p()).then(|| log / total);
        }
        of_workload.sort_by(|a, b| mean_log(b).total_cmp(&mean_log(a)));
        if !metric.more_is_better() {
            of_workload.reverse();
        }
        all.extend(of_workload);
    }
    all
}

fn contributions(
    workload: &str,
    metric: Metric,
    baseline: &Variant,
    pairs: &[Pair<'_>],
    effects: &[Effect],
) -> Vec<Contribution> {
    let mut found: BTreeMap<(&str, &str), Contribution> = BTreeMap::new();
    for pair in pairs {
        let others = || pair.context.iter().map(|(f, level)| baseline.levels.get(f) == Some(level));
        let (alone, last) = (others().all(|same| same), others().all(|same| !same));
        if alone == last {
            continue;
        }
        let Some(ratio) = lasting(pair, workload, metric, effects) else {
            continue;
        };
        let entry = found.entry((pair.factor, pair.level)).or_insert_with(|| Contribution {
            factor: pair.factor.to_owned(),
            level: pair.level.to_owned(),
            workload: workload.to_owned(),
            metric,
            alone: None,
            last: None,
            share: None,
        });
        if alone {
            entry.alone = Some(ratio);
        } else {
            entry.last = Some(ratio);
        }
    }
    found.into_values().collect()
}

fn lasting(
    pair: &Pair<'_>,
    workload: &str,
    metric: Metric,
    effects: &[Effect],
) -> Option<Estimate> {
    effects
        .iter()
        .find(|e| {
            e.variant.as_deref() == Some(pair.variant.name.as_str())
                && e.baseline.as_deref() == Some(pair.baseline.name.as_str())
                && e.workload == workload
                && e.metric == metric
                && e.phase != PhaseKind::Burst
        })
        .map(|e| e.ratio)
}

/// Mean of the logarithms of both ratios, of the one there is, or 0.
fn mean_log(contribution: &Contribution) -> f64 {
    let both = [contribution.alone, contribution.last].into_iter().flatten();
    stats::mean(both.map(|estimate| estimate.value.ln())).unwrap_or(0.0)
}

fn is_full_factorial(campaign: &Campaign) -> bool {
    let with: Vec<&Variant> = campaign.variants.iter().filter(|v| !v.levels.is_empty()).collect();
    let mut levels: BTreeMap<&String, std::collections::BTreeSet<&String>> = BTreeMap::new();
    for (factor, level) in with.iter().flat_map(|v| &v.levels) {
        levels.entry(factor).or_default().insert(level);
    }
    let product: usize = levels.values().map(|l| l.len()).fold(1, usize::saturating_mul);
    with.len() >= product
}
