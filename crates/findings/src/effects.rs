//! Effects: log-ratio contrasts over trials, with intervals that hold under repeated looks.

use crate::cells::{Group, Judged};
use crate::durability::loses_acknowledged;
use crate::factors::Pair;
use crate::output::{
    Basis, Class, Effect, Estimate, Interaction, Lack, Metric, Needed, PhaseKind, Phases,
};
use crate::{ERROR_RATE, SMALLEST_EFFECT, latency, phases};
use lab::campaign::Method;
use stats::sequential::{self, Decision};
use stats::{Interval, contrast};

/// A cell as effects see it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its trials.
    pub group: &'a Group<'a>,
    /// How it went over time.
    pub phases: Phases,
}

impl Side<'_> {
    fn has_burst(&self) -> bool {
        matches!(self.phases, Phases::Burst { .. })
    }

    fn has_two(&self) -> bool {
        matches!(self.phases, Phases::Burst { .. } | Phases::WarmUp { .. })
    }

    fn settled(&self) -> bool {
        !matches!(self.phases, Phases::NotSettled { .. } | Phases::Unknown)
    }

    /// One number a sound trial.
    fn values(&self, metric: Metric, phase: PhaseKind) -> Vec<f64> {
        self.group
            .sound()
            .filter_map(|trial| value(trial, metric, phase))
            .collect()
    }

    /// Mean throughput that lasts, of the trials that count.
    pub fn lasting(&self) -> Option<f64> {
        stats::mean(&self.values(Metric::Throughput, PhaseKind::Sustained))
    }

    /// Wall seconds of one more trial.
    fn wall_s(&self) -> Option<f64> {
        let walls: Vec<f64> = self.group.ran.iter().map(|j| j.trial.wall_s).collect();
        stats::mean(&walls)
    }
}

fn value(trial: &Judged<'_>, metric: Metric, phase: PhaseKind) -> Option<f64> {
    let flows = [&trial.measured.read, &trial.measured.write];
    match (metric, phase) {
        (Metric::Throughput, PhaseKind::Burst) => trial.course.as_ref()?.first(),
        (Metric::Throughput, _) => {
            let lasting = trial.course.as_ref().and_then(phases::Course::lasting);
            Some(lasting.unwrap_or_else(|| trial.throughput()))
        }
        (Metric::MeanLatency, _) => {
            let m = trial.measured;
            crate::attribution::client_us(&[m])
        }
        (Metric::P99Latency, _) => Some(latency::merged(&flows)?.p99_us),
    }
}

/// The phases in which a pair can be compared.
fn kinds(sides: &[&Side<'_>]) -> Vec<PhaseKind> {
    if sides.iter().any(|s| s.has_burst()) {
        vec![PhaseKind::Sustained, PhaseKind::Burst]
    } else if sides.iter().any(|s| s.has_two()) {
        vec![PhaseKind::Sustained]
    } else {
        vec![PhaseKind::Whole]
    }
}

/// The phase in which what lasts of some sides is compared.
pub fn lasting_phase(sides: &[&Side<'_>]) -> PhaseKind {
    if sides.iter().any(|s| s.has_two()) {
        PhaseKind::Sustained
    } else {
        PhaseKind::Whole
    }
}

/// Every effect of one pair: throughput in each phase, and latency over the window.
pub fn of_pair(pair: &Pair<'_>, top: &Side<'_>, bottom: &Side<'_>, method: &Method) -> Vec<Effect> {
    let comparisons = kinds(&[top, bottom])
        .into_iter()
        .map(|phase| (Metric::Throughput, phase))
        .chain([
            (Metric::MeanLatency, PhaseKind::Whole),
            (Metric::P99Latency, PhaseKind::Whole),
        ]);
    comparisons
        .filter_map(|(metric, phase)| {
            let terms = [(1.0, top), (-1.0, bottom)];
            let mut effect = estimate(&terms, metric, phase, method)?;
            effect.factor = pair.factor.to_owned();
            effect.level = pair.level.to_owned();
            effect.against = pair.against.to_owned();
            effect.variant = Some(pair.variant.name.clone());
            effect.baseline = Some(pair.baseline.name.clone());
            effect.context = pair.context.clone();
            effect.durability_differs =
                loses_acknowledged(pair.variant) != loses_acknowledged(pair.baseline);
            Some(effect)
        })
        .collect()
}

/// The main effect of a factor's level: the geometric mean of its ratios over the levels of the other
/// factors. None unless there are two or more pairs.
pub fn main(pairs: &[(&Pair<'_>, &Side<'_>, &Side<'_>)], method: &Method) -> Vec<Effect> {
    let Some((first, _, _)) = pairs.first().filter(|_| pairs.len() > 1) else {
        return Vec::new();
    };
    let share = 1.0 / pairs.len() as f64;
    let sides: Vec<&Side<'_>> = pairs.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
    let terms: Vec<(f64, &Side<'_>)> = pairs
        .iter()
        .flat_map(|(_, a, b)| [(share, *a), (-share, *b)])
        .collect();
    kinds(&sides)
        .into_iter()
        .map(|phase| (Metric::Throughput, phase))
        .chain([(Metric::MeanLatency, PhaseKind::Whole)])
        .filter_map(|(metric, phase)| {
            let mut effect = estimate(&terms, metric, phase, method)?;
            effect.factor = first.factor.to_owned();
            effect.level = first.level.to_owned();
            effect.against = first.against.to_owned();
            effect.durability_differs = pairs
                .iter()
                .any(|(p, _, _)| loses_acknowledged(p.variant) != loses_acknowledged(p.baseline));
            Some(effect)
        })
        .collect()
}

/// How far the effect of one pair's factor depends on another factor: the ratio of two effects.
pub fn interaction(
    with: (&Pair<'_>, &Side<'_>, &Side<'_>),
    without: (&Pair<'_>, &Side<'_>, &Side<'_>),
    second: (String, String),
) -> Vec<Interaction> {
    let sides = [with.1, with.2, without.1, without.2];
    let terms = [
        (1.0, with.1),
        (-1.0, with.2),
        (-1.0, without.1),
        (1.0, without.2),
    ];
    kinds(&sides)
        .into_iter()
        .filter_map(|phase| {
            let values = logs(&terms, Metric::Throughput, phase)?;
            let (ratio, basis, _) = interval(&values, &terms, phase)?;
            let between = |a: usize, b: usize| {
                let mean = |i: usize| stats::mean(&values[i].1);
                Some((mean(a)? - mean(b)?).exp())
            };
            let shown = basis == Basis::Trials
                && matches!(
                    sequential::decide(ratio, SMALLEST_EFFECT),
                    Decision::Above | Decision::Below
                );
            Some(Interaction {
                first: (with.0.factor.to_owned(), with.0.level.to_owned()),
                second: second.clone(),
                workload: with.1.group.workload.name.clone(),
                phase,
                ratio: self::ratio(ratio, basis),
                without: between(2, 3)?,
                with: between(0, 1)?,
                shown,
            })
        })
        .collect()
}

type Logs = Vec<(f64, Vec<f64>)>;

fn logs(terms: &[(f64, &Side<'_>)], metric: Metric, phase: PhaseKind) -> Option<Logs> {
    terms
        .iter()
        .map(|(coefficient, side)| {
            let logs = contrast::logs(&side.values(metric, phase))?;
            (!logs.is_empty()).then_some((*coefficient, logs))
        })
        .collect()
}

/// The interval of a contrast: over trials where each side has two, else from blocks of single trials,
/// else none around the number.
fn interval(
    values: &Logs,
    terms: &[(f64, &Side<'_>)],
    phase: PhaseKind,
) -> Option<(Interval, Basis, Option<contrast::Contrast>)> {
    let borrowed: Vec<(f64, &[f64])> = values.iter().map(|(c, v)| (*c, v.as_slice())).collect();
    if let Some((contrast, ratio, _)) = sequential::look(&borrowed, ERROR_RATE) {
        return Some((ratio, Basis::Trials, Some(contrast)));
    }
    let value: f64 = values
        .iter()
        .filter_map(|(c, v)| Some(c * stats::mean(v)?))
        .sum();
    let blocks: Option<Logs> = terms
        .iter()
        .map(|(coefficient, side)| {
            let course = side.group.sound().next()?.course.as_ref()?;
            let window = match phase {
                PhaseKind::Burst => 0..course.change.unwrap_or(course.rates.len()),
                PhaseKind::Whole | PhaseKind::Sustained => course.lasting_seconds(),
            };
            let means = stats::blocks::means(&course.rates[window], course.period);
            Some((
                *coefficient,
                contrast::logs(&means).filter(|m| m.len() > 1)?,
            ))
        })
        .collect();
    let spread = blocks.and_then(|blocks| {
        let borrowed: Vec<(f64, &[f64])> = blocks.iter().map(|(c, v)| (*c, v.as_slice())).collect();
        Some(contrast::Contrast::of(&borrowed)?.interval(ERROR_RATE))
    });
    Some(match spread {
        Some(spread) => {
            let half = spread.value - spread.low;
            let around = Interval {
                value,
                low: value - half,
                high: value + half,
            };
            (around.exp(), Basis::Blocks, None)
        }
        None => (
            Interval {
                value,
                low: value,
                high: value,
            }
            .exp(),
            Basis::Point,
            None,
        ),
    })
}

fn ratio(interval: Interval, basis: Basis) -> Estimate {
    Estimate {
        value: interval.value,
        low: interval.low,
        high: interval.high,
        basis,
    }
}

/// The estimate and class of a contrast, names left empty. None where a side has no sound trial.
pub fn estimate(
    terms: &[(f64, &Side<'_>)],
    metric: Metric,
    phase: PhaseKind,
    method: &Method,
) -> Option<Effect> {
    let values = logs(terms, metric, phase)?;
    let (found, basis, contrast) = interval(&values, terms, phase)?;
    let fewest = values.iter().map(|(_, v)| v.len()).min().unwrap_or(0);
    // An interval over trials is that of as many of each side as the side with the fewest has.
    let count = |positive: bool| {
        let of_sign = values.iter().filter(|(c, _)| (*c > 0.0) == positive);
        of_sign
            .map(|(_, v)| match basis {
                Basis::Trials => fewest,
                Basis::Blocks | Basis::Point => v.len(),
            } as u32)
            .sum()
    };
    let settled = terms.iter().all(|(_, side)| side.settled());
    let class = if basis == Basis::Trials && settled {
        class(found, metric)
    } else {
        Class::Undecided
    };
    let needed = (class == Class::Undecided).then(|| {
        let lack = if !settled {
            Lack::LongerRun
        } else if fewest < 2 {
            Lack::SecondTrial
        } else {
            Lack::Trials
        };
        let more = contrast
            .filter(|_| lack == Lack::Trials)
            .and_then(|contrast| {
                let most = 100.max(method.max_trials as usize);
                let n = sequential::trials_needed(
                    &contrast,
                    fewest,
                    ERROR_RATE,
                    SMALLEST_EFFECT,
                    most,
                )?;
                Some((n - fewest) as u32)
            });
        let one_each: Option<f64> = terms.iter().map(|(_, side)| side.wall_s()).sum();
        Needed {
            trials: more,
            wall_s: more.zip(one_each).map(|(n, wall)| f64::from(n) * wall),
            lack,
        }
    });
    Some(Effect {
        factor: String::new(),
        level: String::new(),
        against: String::new(),
        variant: None,
        baseline: None,
        context: Default::default(),
        workload: terms.first()?.1.group.workload.name.clone(),
        phase,
        metric,
        ratio: ratio(found, basis),
        class,
        needed,
        trials: (count(true), count(false)),
        durability_differs: false,
    })
}

/// The class of an interval.
pub(crate) fn class(ratio: Interval, metric: Metric) -> Class {
    let more_is_better = metric.more_is_better();
    match sequential::decide(ratio, SMALLEST_EFFECT) {
        Decision::Above if more_is_better => Class::WorthIt,
        Decision::Below if more_is_better => Class::Harmful,
        Decision::Above => Class::Harmful,
        Decision::Below => Class::WorthIt,
        Decision::Equal => Class::NoEffect,
        Decision::Open => Class::Undecided,
    }
}
