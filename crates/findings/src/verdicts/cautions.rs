//! Cautions: what to know before acting on a verdict.

use crate::cells::Judged;
use crate::cells::ladder::keeps_up;
use crate::schema::{Basis, Caution, Cell, Effect, Estimate, Metric, PhaseKind, Phases, Subject};
use crate::verdicts::durability::{after_power_cut, risks};
use crate::verdicts::{Compared, Shown};
use lab::campaign::{AllocationClass, Variant};
use lab::model::Model;
use measurement::{Counter, Fact, Flow, Measured};
use stats::steady::Variation;
use std::collections::BTreeSet;

/// How many trials failed or are excluded.
pub fn kept_out(pairs: &[Compared<'_>]) -> Vec<Caution> {
    let cells: Vec<&Cell> = pairs.iter().flat_map(|(_, a, b)| [a.1, b.1]).collect();
    let sum = |pick: &dyn Fn(&Cell) -> u32| cells.iter().map(|cell| pick(cell)).sum::<u32>();
    let of = sum(&|c| c.trials.all());
    let (excluded, failed) = (sum(&|c| c.trials.excluded), sum(&|c| c.trials.failed));
    let failed = (failed > 0).then_some(Caution::Failed { failed, of });
    let excluded = (excluded > 0).then_some(Caution::Excluded { excluded, of });
    failed.into_iter().chain(excluded).collect()
}

/// What to know, given the pairs of a level and the numerator's cell of the one that decides.
pub fn cautions(
    pairs: &[Compared<'_>],
    (before, after): (&Shown<'_>, &Shown<'_>),
    chosen: &[usize],
    effects: &[Effect],
    subjects: &[Subject],
    model: &Model,
) -> Vec<Caution> {
    let mut cautions = Vec::new();
    let deciding = &effects[chosen[0]];
    let cells: Vec<Shown<'_>> = pairs.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
    if deciding.durability_differs {
        let weaker = |(group, _): &&Shown<'_>| {
            let one = after_power_cut(group);
            cells.iter().any(|(other, _)| one.worse_than(after_power_cut(other)))
        };
        let names = cells.iter().filter(weaker).map(|(group, _)| group.variant.name.clone());
        cautions.push(Caution::Durability { variants: sorted(names) });
    }
    cautions.extend(risks_of_one(before, after));
    cautions.extend(kept_out(pairs));
    cautions.extend((deciding.ratio.basis == Basis::Batches).then_some(Caution::SingleTrial));
    cautions.extend(flows(before, after, deciding));
    cautions.extend(bytes(before, after, deciding));
    cautions.extend(blocking_submission(&cells));
    cautions.extend(rate_not_reached(&cells));
    cautions.extend(unsettled_cells(&cells, deciding).or_else(|| unsettled_trials(&cells)));
    cautions.extend(cells.iter().find_map(|(_, cell)| match cell.phases {
        Phases::AfterRestart { whole } => Some(Caution::AfterRestart {
            seconds: whole.seconds,
            real_seconds: whole.real_seconds.unwrap_or(whole.seconds),
        }),
        _ => None,
    }));
    if subjects.contains(&Subject::Cache) && !after.0.bypasses_cache() {
        cautions.extend(filling(after, model));
    }
    let burst = chosen
        .iter()
        .map(|&i| &effects[i])
        .find(|e| e.phase == PhaseKind::Burst && e.variant == deciding.variant);
    if let Some(burst) = burst {
        let (burst, sustained) = (burst.ratio.value, deciding.ratio.value);
        if burst / sustained > 1.2 || sustained / burst > 1.2 {
            cautions.push(Caution::TwoPhases { burst, sustained });
        }
    }
    cautions
}

/// What one side risks and the other does not: a gain may be the price of it, and so may a loss.
fn risks_of_one(before: &Shown<'_>, after: &Shown<'_>) -> Vec<Caution> {
    let alone = |(one, other): (&Shown<'_>, &Shown<'_>)| {
        let (variant, others) = (one.0.variant, risks(other.0.variant));
        let mut risks = risks(variant);
        risks.retain(|risk| !others.contains(risk));
        (!risks.is_empty()).then(|| Caution::Risks { variant: variant.name.clone(), risks })
    };
    [(before, after), (after, before)].into_iter().filter_map(alone).collect()
}

/// Ratios that differ by no more than this from each other tell the same.
const ALIKE: std::ops::RangeInclusive<f64> = 0.8..=1.25;

/// Reads and writes, where they change in different ways.
fn flows(before: &Shown<'_>, after: &Shown<'_>, deciding: &Effect) -> Option<Caution> {
    let mean = |shown: &Shown<'_>, pick: fn(&Measured) -> &Flow| {
        let value = |measured: &Measured| match deciding.metric {
            Metric::Throughput => pick(measured).ops as f64 / measured.runtime_s,
            Metric::MeanLatency | Metric::P99Latency => pick(measured).mean_ns,
        };
        let trials = shown.0.shown();
        stats::mean(trials.iter().map(|judged| value(judged.measured))).filter(|mean| *mean > 0.0)
    };
    let ratio = |pick| Some(mean(after, pick)? / mean(before, pick)?);
    let (read, write) = (ratio(|m| &m.read)?, ratio(|m| &m.write)?);
    (!ALIKE.contains(&(read / write))).then_some(Caution::Flows { read, write })
}

/// Bytes, where operations of several sizes are added up and bytes change in another way.
fn bytes(before: &Shown<'_>, after: &Shown<'_>, deciding: &Effect) -> Option<Caution> {
    if before.0.client.block.is_some() || deciding.metric != Metric::Throughput {
        return None;
    }
    let ratio = |pick: fn(&Cell) -> Option<Estimate>| {
        Some(pick(after.1)?.value / pick(before.1).filter(|x| x.value > 0.0)?.value)
    };
    let (bytes, operations) = (ratio(|cell| cell.bandwidth)?, ratio(|cell| cell.throughput)?);
    (bytes > 0.0 && !ALIKE.contains(&(bytes / operations)))
        .then_some(Caution::Bytes { ratio: bytes })
}

/// On ZFS, clients whose engine waits for an operation when it submits it.
fn blocking_submission(cells: &[Shown<'_>]) -> Option<Caution> {
    let on_zfs = |(group, _): &&Shown<'_>| group.variant.is_zfs();
    let (group, cell) = cells.iter().find(on_zfs)?;
    let (in_flight, of) = (group.client.in_flight_on_zfs?, cell.concurrency);
    (f64::from(in_flight) < of).then_some(Caution::BlockingSubmission { in_flight, of })
}

/// Variants that fell behind clients which offer a rate.
fn rate_not_reached(cells: &[Shown<'_>]) -> Option<Caution> {
    let rate = cells.first()?.0.client.scheduled_rate?;
    let behind = |(group, cell): &&Shown<'_>| {
        let seconds = group.valid().map(|trial| trial.measured.runtime_s).sum();
        cell.throughput.is_some_and(|done| !keeps_up(done.value, rate, seconds))
    };
    let names = cells.iter().filter(behind).map(|(group, _)| group.variant.name.clone());
    let variants = sorted(names);
    (!variants.is_empty()).then_some(Caution::RateNotReached { variants, rate })
}

/// Each of some names once, sorted.
fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Cells that never settled, the longest watched; with how far their rates may lie from their means where that is in
/// the interval.
fn unsettled_cells(cells: &[Shown<'_>], deciding: &Effect) -> Option<Caution> {
    let unsettled = || {
        cells.iter().filter_map(|(group, _)| match group.phases {
            Phases::NotSettled { seconds } => Some((group, seconds)),
            _ => None,
        })
    };
    let seconds = unsettled().map(|(_, seconds)| seconds).reduce(f64::max)?;
    // Intervals of latency are not widened.
    let widened = deciding.metric == Metric::Throughput && deciding.ratio.basis != Basis::Point;
    let variations: Option<Vec<Variation>> =
        unsettled().map(|(group, _)| group.variation()).collect();
    let widest = variations.and_then(|all| all.into_iter().reduce(Variation::widest));
    Some(match widest.filter(|_| widened) {
        Some(Variation { lowest, highest, drifts }) => {
            Caution::Unsteady { seconds, lowest, highest, drifts }
        }
        None => Caution::NotSettled { seconds },
    })
}

/// Trials that never settled, among those that count of cells that did.
fn unsettled_trials(cells: &[Shown<'_>]) -> Option<Caution> {
    let settled = |trial: &Judged<'_>| trial.course.as_ref().is_none_or(|c| c.judged().is_some());
    let all = || cells.iter().flat_map(|(group, _)| group.valid());
    let trials = all().filter(|trial| !settled(trial)).count() as u32;
    (trials > 0).then(|| Caution::Unsettled { trials, of: all().count() as u32 })
}

/// The cache still grew in the last fifth of a trial, and has room.
fn filling(after: &Shown<'_>, model: &Model) -> Option<Caution> {
    let trial = after.0.shown().into_iter().next_back()?;
    let sizes: Vec<f64> =
        trial.measured.seconds.iter().filter_map(|s| s.values.get(&Counter::L2Size)).collect();
    let held = *sizes.last()?;
    let earlier = sizes[sizes.len() * 4 / 5];
    let stated = after.0.workload.size.map(|bytes| bytes as f64 / model.size);
    let set = stated.or_else(|| trial.measured.facts.get(&Fact::FilesBytes));
    let room = capacity(after.0.variant, AllocationClass::Cache) / model.size;
    let of = set?.min(room).max(held);
    (held > earlier * 1.02 && held < 0.98 * of).then_some(Caution::CacheFilling { held, of })
}

/// Bytes of the drives of a class.
fn capacity(variant: &Variant, class: AllocationClass) -> f64 {
    let drives = variant.pool.drives_of_class(class);
    drives
        .filter_map(|drive| lab::model::drive_capacity(variant, &drive.kind))
        .map(|bytes| bytes as f64)
        .sum()
}
