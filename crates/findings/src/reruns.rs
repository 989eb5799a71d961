//! How far a verdict holds, from re-runs with one number of a drive changed.

use crate::cells::{Group, Ran};
use crate::effects::{self, Side};
use crate::factors::Pair;
use crate::output::{Class, Metric, PhaseKind, RerunPoint, Sensitivity};
use crate::record::{Perturbation, Trial};
use crate::{SMALLEST_EFFECT, phases};
use lab::campaign::{Campaign, Variant};
use lab::model::Model;

/// Re-runs of one variant and workload with one number changed.
#[derive(Debug)]
pub struct Rerun<'a> {
    changed: &'a Perturbation,
    side: Group<'a>,
    phases: crate::output::Phases,
}

/// Every re-run of a campaign, put together by variant, workload and change.
pub fn gather<'a>(campaign: &'a Campaign, model: &Model, trials: &'a [Trial]) -> Vec<Rerun<'a>> {
    let ran = Ran::of(campaign, model, trials);
    let mut all = Vec::new();
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let mine: Vec<(&Perturbation, &Trial)> = trials
                .iter()
                .filter(|t| t.variant == variant.name && t.workload == workload.name)
                .filter_map(|t| Some((t.rerun.as_ref()?, t)))
                .collect();
            let mut seen: Vec<&Perturbation> = Vec::new();
            for (changed, _) in &mine {
                if changed.factor > 0.0 && changed.factor.is_finite() && !seen.contains(changed) {
                    seen.push(changed);
                }
            }
            for changed in seen {
                let of = mine.iter().filter(|(c, _)| *c == changed);
                let side = Group::of(variant, workload, ran, of.map(|(_, t)| *t).collect());
                all.push(Rerun {
                    changed,
                    phases: phases::of(
                        &side
                            .shown()
                            .iter()
                            .map(|j| j.course.clone())
                            .collect::<Vec<_>>(),
                        crate::cells::lengths(model),
                        1.0 - crate::CONFIDENCE,
                    ),
                    side,
                });
            }
        }
    }
    all
}

/// The ranges that re-runs give for a verdict on a pair. A side that has the drive in its pool must
/// have been run again with it; a side that has not stands as it was.
pub fn of(
    (class, metric, phase): (Class, Metric, PhaseKind),
    pair: &Pair<'_>,
    (top, bottom): (&Side<'_>, &Side<'_>),
    campaign: &Campaign,
    reruns: &[Rerun<'_>],
) -> Vec<Sensitivity> {
    if class == Class::Undecided {
        return Vec::new();
    }
    let workload = top.group.workload.name.as_str();
    let mut numbers: Vec<(&str, &str)> = mine(reruns, pair.variant, workload)
        .chain(mine(reruns, pair.baseline, workload))
        .map(|r| (r.changed.drive.as_str(), r.changed.parameter.as_str()))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut all = Vec::new();
    for (drive, parameter) in numbers {
        let of_number = |r: &&Rerun<'_>| {
            (r.changed.drive.as_str(), r.changed.parameter.as_str()) == (drive, parameter)
        };
        let mut factors: Vec<f64> = mine(reruns, pair.variant, workload)
            .chain(mine(reruns, pair.baseline, workload))
            .filter(of_number)
            .map(|r| r.changed.factor)
            .collect();
        factors.sort_by(f64::total_cmp);
        factors.dedup();
        let at = |variant: &Variant, factor: f64| {
            mine(reruns, variant, workload)
                .filter(of_number)
                .find(|r| r.changed.factor == factor)
        };
        let point = |factor: f64| {
            let top = again(pair.variant, drive, at(pair.variant, factor), top)?;
            let bottom = again(pair.baseline, drive, at(pair.baseline, factor), bottom)?;
            let terms = [(1.0, &top), (-1.0, &bottom)];
            let effect = effects::estimate(&terms, metric, phase, &campaign.method)?;
            Some(RerunPoint {
                factor,
                ratio: effect.ratio,
                holds: same(class, metric, effect.ratio.value),
                trials: effect.trials,
            })
        };
        let points: Vec<RerunPoint> = factors.into_iter().filter_map(point).collect();
        if points.is_empty() {
            continue;
        }
        let holding = |points: &mut dyn Iterator<Item = &RerunPoint>| {
            points
                .take_while(|p| p.holds)
                .last()
                .map_or(1.0, |p| p.factor)
        };
        all.push(Sensitivity::Reruns {
            kind: drive.to_owned(),
            parameter: parameter.to_owned(),
            holds_from: holding(&mut points.iter().rev().filter(|p| p.factor < 1.0)),
            holds_to: holding(&mut points.iter().filter(|p| p.factor > 1.0)),
            points,
        });
    }
    all
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
        .filter(move |r| (&r.side.variant.name, &r.side.workload.name) == (&names.0, &names.1))
}

/// A side with the number changed: run again, or as it stood where it has no such drive.
fn again<'s>(
    variant: &Variant,
    drive: &str,
    rerun: Option<&'s Rerun<'s>>,
    stood: &Side<'s>,
) -> Option<Side<'s>> {
    match rerun {
        Some(rerun) => Some(Side {
            group: &rerun.side,
            phases: rerun.phases,
        }),
        None if has(variant, drive) => None,
        None => Some(*stood),
    }
}

fn has(variant: &Variant, kind: &str) -> bool {
    let mut drives = variant.pool.vdevs.iter().flat_map(|v| &v.drives);
    drives.any(|drive| drive.kind == kind)
}

/// Whether a ratio comes to the same as the verdict. For latency less is better.
fn same(class: Class, metric: Metric, ratio: f64) -> bool {
    let gain = if metric == Metric::Throughput {
        ratio
    } else {
        1.0 / ratio
    };
    let named = 1.0 + SMALLEST_EFFECT;
    match class {
        Class::WorthIt => gain >= named,
        Class::Harmful => gain <= 1.0 / named,
        Class::NoEffect => (1.0 / named..=named).contains(&gain),
        Class::Undecided => false,
    }
}
