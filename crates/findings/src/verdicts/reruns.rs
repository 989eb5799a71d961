//! How far a verdict holds, from re-runs with one number of a drive changed.

use crate::SMALLEST_EFFECT;
use crate::cells::{Group, of_cell};
use crate::effects::{self, Looks, MeasuredPair, Term};
use crate::quality::profile_numbers;
use crate::schema::{Effect, RerunPoint, Sensitivity, VerdictClass};
use lab::campaign::{Campaign, Variant};
use lab::model::Model;
use measurement::{Perturbation, Trial};
use std::collections::BTreeSet;

/// Re-runs of one variant and workload with one number changed.
#[derive(Debug)]
pub struct Rerun<'a> {
    changed: &'a Perturbation,
    group: Group<'a>,
}

/// Every re-run of a campaign, put together by variant, workload and change.
pub fn gather<'a>(campaign: &'a Campaign, model: &Model, trials: &[&'a Trial]) -> Vec<Rerun<'a>> {
    let mut all = Vec::new();
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let mine: Vec<(&Perturbation, &Trial)> = of_cell(trials, variant, workload)
                .filter_map(|t| Some((t.rerun.as_ref()?, t)))
                .collect();
            let mut seen: Vec<&Perturbation> = Vec::new();
            for (changed, _) in &mine {
                if changed.factor > 0.0 && changed.factor.is_finite() && !seen.contains(changed) {
                    seen.push(changed);
                }
            }
            for changed in seen {
                let trials = mine.iter().filter(|(c, _)| *c == changed);
                let trials = trials.map(|(_, t)| *t).collect();
                let group = Group::new(campaign, model, variant, workload, trials);
                all.push(Rerun { changed, group });
            }
        }
    }
    all
}

/// The ranges that re-runs give for the effect a verdict rests on, of one pair or over several, each with
/// its numerator and denominator. A side that uses the drive must have been run again with it; a
/// side without it is not changed by it.
pub fn sensitivities(
    deciding: &Effect,
    pairs: &[MeasuredPair<'_>],
    campaign: &Campaign,
    reruns: &[Rerun<'_>],
) -> Vec<Sensitivity> {
    if deciding.class == VerdictClass::Undecided {
        return Vec::new();
    }
    let workload = deciding.workload.as_str();
    let sides = || pairs.iter().flat_map(|(pair, _, _)| [pair.variant, pair.baseline]);
    let changed: Vec<&Perturbation> =
        sides().flat_map(|variant| mine(reruns, variant, workload)).map(|r| r.changed).collect();
    let numbers: BTreeSet<(&str, &str)> =
        changed.iter().map(|c| (c.drive.as_str(), c.parameter.as_str())).collect();
    let mut all = Vec::new();
    for (drive, parameter) in numbers {
        let is_number =
            |c: &Perturbation| (c.drive.as_str(), c.parameter.as_str()) == (drive, parameter);
        let mut factors: Vec<f64> =
            changed.iter().filter(|c| is_number(c)).map(|c| c.factor).collect();
        factors.sort_by(f64::total_cmp);
        factors.dedup();
        let at = |variant: &Variant, factor: f64| {
            mine(reruns, variant, workload)
                .find(|r| is_number(r.changed) && r.changed.factor == factor)
        };
        let point = |factor: f64| {
            let changed: Option<Vec<MeasuredPair<'_>>> = pairs
                .iter()
                .map(|&(pair, top, bottom)| {
                    let top = again(pair.variant, drive, at(pair.variant, factor), top)?;
                    let bottom = again(pair.baseline, drive, at(pair.baseline, factor), bottom)?;
                    Some((pair, top, bottom))
                })
                .collect();
            let terms = effects::mean_of(&changed?);
            let estimate = |terms: &[Term<'_>]| {
                effects::estimate(
                    terms,
                    deciding.metric,
                    deciding.phase,
                    &campaign.method,
                    Looks::Repeated,
                )
            };
            let effect = estimate(&terms)?;
            // Re-runs have the seeds of few repeats: what the number changes is what differs from those.
            let before = of_seeds(&seeds_of(&terms), pairs, estimate)?.ratio.value;
            let ratio = effect.ratio.times(deciding.ratio.value / before);
            Some(RerunPoint {
                factor,
                ratio,
                holds: same(deciding, ratio.value),
                trials: effect.trials,
            })
        };
        let points: Vec<RerunPoint> = factors.into_iter().filter_map(point).collect();
        if points.is_empty() {
            continue;
        }
        let holding = |points: &mut dyn Iterator<Item = &RerunPoint>| {
            points.take_while(|p| p.holds).last().map_or(1.0, |p| p.factor)
        };
        let mut stated = sides()
            .filter(|variant| has(variant, drive))
            .filter_map(|variant| profile_numbers::stated_range(variant, drive, parameter));
        all.push(Sensitivity {
            kind: drive.to_owned(),
            parameter: parameter.to_owned(),
            stated: stated.next(),
            holds_from: holding(&mut points.iter().rev().filter(|p| p.factor < 1.0)),
            holds_to: holding(&mut points.iter().filter(|p| p.factor > 1.0)),
            points,
        });
    }
    all
}

/// The effect of the pairs from the trials of some seeds.
fn of_seeds(
    seeds: &[u64],
    pairs: &[MeasuredPair<'_>],
    estimate: impl Fn(&[Term<'_>]) -> Option<Effect>,
) -> Option<Effect> {
    let terms = effects::mean_of(pairs);
    let groups: Vec<Group<'_>> = terms.iter().map(|(_, side)| side.of_seeds(seeds)).collect();
    let of_seeds: Vec<Term<'_>> = terms.iter().zip(&groups).map(|((c, _), of)| (*c, of)).collect();
    estimate(&of_seeds)
}

/// The seeds of which each side has a trial that counts.
fn seeds_of(terms: &[Term<'_>]) -> Vec<u64> {
    let of =
        |side: &Group<'_>| -> Vec<u64> { side.valid().map(|judged| judged.trial.seed).collect() };
    let mut all = terms.iter().map(|(_, side)| of(side));
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, other| {
        common.into_iter().filter(|seed| other.contains(seed)).collect()
    })
}

/// Re-runs of a variant under a workload.
fn mine<'r, 't>(
    reruns: &'r [Rerun<'t>],
    variant: &Variant,
    workload: &str,
) -> impl Iterator<Item = &'r Rerun<'t>> {
    let names = (variant.name.clone(), workload.to_owned());
    reruns
        .iter()
        .filter(move |r| (&r.group.variant.name, &r.group.workload.name) == (&names.0, &names.1))
}

/// A side with the number changed: run again, or as it stood where it has no such drive.
fn again<'s>(
    variant: &Variant,
    drive: &str,
    rerun: Option<&'s Rerun<'s>>,
    stood: &'s Group<'s>,
) -> Option<&'s Group<'s>> {
    match rerun {
        Some(rerun) => Some(&rerun.group),
        None if has(variant, drive) => None,
        None => Some(stood),
    }
}

fn has(variant: &Variant, kind: &str) -> bool {
    variant.used_drives().any(|drive| drive.kind == kind)
}

/// Whether a ratio has the verdict's outcome: a change worth naming, or where the verdict's own is smaller than
/// that, one of the same sign. For latency less is better.
fn same(deciding: &Effect, ratio: f64) -> bool {
    let gain = |ratio: f64| match deciding.metric.more_is_better() {
        true => ratio,
        false => 1.0 / ratio,
    };
    let named = 1.0 + SMALLEST_EFFECT;
    let (stated, gain) = (gain(deciding.ratio.value), gain(ratio));
    match deciding.class {
        VerdictClass::WorthIt if stated >= named => gain >= named,
        VerdictClass::WorthIt => gain > 1.0,
        VerdictClass::Harmful if stated <= 1.0 / named => gain <= 1.0 / named,
        VerdictClass::Harmful => gain < 1.0,
        VerdictClass::NoEffect => (1.0 / named..=named).contains(&gain),
        VerdictClass::Undecided | VerdictClass::Depends => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Basis, Estimate, Metric, PhaseKind};

    #[test]
    fn a_small_gain_holds_as_long_as_it_is_one() {
        let verdict = |class, metric, value| Effect {
            factor: String::new(),
            level: String::new(),
            against: String::new(),
            variant: None,
            baseline: None,
            context: Default::default(),
            workload: String::new(),
            phase: PhaseKind::Whole,
            metric,
            ratio: Estimate { value, low: value, high: value, basis: Basis::Trials },
            class,
            needed: None,
            trials: (2, 2),
            durability_differs: false,
        };
        let agree = |class, metric, value, ratios: [f64; 3]| {
            ratios.map(|ratio| same(&verdict(class, metric, value), ratio))
        };
        let (up, slow) = (Metric::Throughput, Metric::MeanLatency);
        assert_eq!(agree(VerdictClass::WorthIt, up, 1.04, [1.04, 1.01, 0.99]), [true, true, false]);
        assert_eq!(agree(VerdictClass::WorthIt, up, 1.5, [1.5, 1.05, 1.04]), [true, true, false]);
        assert_eq!(
            agree(VerdictClass::Harmful, up, 0.97, [0.97, 0.999, 1.01]),
            [true, true, false]
        );
        assert_eq!(agree(VerdictClass::WorthIt, slow, 0.5, [0.5, 0.9, 1.1]), [true, true, false]);
    }
}
