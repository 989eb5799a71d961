//! Effects: log-ratio contrasts over pairs of trials with the same seed, with intervals that hold under
//! repeated looks.

pub(crate) mod ablation;
pub(crate) mod causes;
pub(crate) mod factors;

use crate::cells::latency;
use crate::cells::phases::{Course, SHORTEST, whole_groups};
use crate::cells::{Group, Judged};
use crate::effects::factors::Pair;
use crate::schema::{
    Basis, Effect, Estimate, Interaction, Lack, Metric, Needed, PhaseKind, Phases, VerdictClass,
};
use crate::verdicts::durability::differs;
use crate::{ERROR_RATE, SMALLEST_EFFECT};
use lab::campaign::Method;
use stats::contrast::{self, Mean};
use stats::sequential::{self, Decision, Look};
use stats::steady::Variation;
use stats::{Interval, batches};
use std::ops::Range;

/// A pair with the cells of its variant and of its baseline.
pub type MeasuredPair<'a> = (&'a Pair<'a>, &'a Group<'a>, &'a Group<'a>);

/// A cell, which is a side of a contrast, with its coefficient.
pub type Term<'a> = (f64, &'a Group<'a>);

impl Group<'_> {
    fn settled(&self) -> bool {
        !matches!(self.phases, Phases::NotSettled { .. } | Phases::Unknown)
    }

    /// How far the rate of a cell that never settled may lie from its mean: the widest of its trials. None where one of
    /// them has no bound.
    pub fn variation(&self) -> Option<Variation> {
        let unsettled = self.valid().filter_map(|trial| trial.course.as_ref());
        let mut variations =
            unsettled.filter(|course| course.judged().is_none()).map(Course::variation);
        let first = variations.next()??;
        variations.try_fold(first, |widest, variation| Some(widest.widest(variation?)))
    }

    /// Mean throughput that lasts, of the trials that count.
    pub fn lasting(&self) -> Option<f64> {
        stats::mean(self.valid().map(|trial| trial.lasting()))
    }

    /// The rate that the cell sustains; none where it never settled or the window began with a restart.
    pub fn sustained(&self) -> Option<f64> {
        match self.phases {
            Phases::Steady { .. } | Phases::Burst { .. } | Phases::WarmUp { .. } => self.lasting(),
            Phases::AfterRestart { .. } | Phases::NotSettled { .. } | Phases::Unknown => None,
        }
    }

    /// The trial with a seed, if it counts.
    pub(crate) fn seeded(&self, seed: u64) -> Option<&Judged<'_>> {
        self.valid().find(|judged| judged.trial.seed == seed)
    }
}

/// The logarithm of what a trial has to compare, of throughput in a window; none where there is none.
fn log(
    trial: &Judged<'_>,
    metric: Metric,
    phase: PhaseKind,
    window: Option<&Range<usize>>,
) -> Option<f64> {
    let value = match (metric, phase) {
        (Metric::Throughput, PhaseKind::Burst) => trial.course.as_ref()?.first()?,
        (Metric::Throughput, _) => match (window, &trial.course) {
            (Some(window), Some(course)) => stats::mean(&course.rates[window.clone()])?,
            _ => trial.lasting(),
        },
        (Metric::MeanLatency, _) => latency::of_clients(&[trial.measured])?.mean_us,
        (Metric::P99Latency, _) => latency::of_clients(&[trial.measured])?.p99_us,
    };
    (value.is_finite() && value > 0.0).then(|| value.ln())
}

/// The phases in which a pair can be compared.
fn kinds(terms: &[Term<'_>]) -> Vec<PhaseKind> {
    let burst = terms.iter().any(|(_, side)| matches!(side.phases, Phases::Burst { .. }));
    std::iter::once(lasting_phase(terms)).chain(burst.then_some(PhaseKind::Burst)).collect()
}

/// The phase in which what lasts of some sides is compared.
pub fn lasting_phase(terms: &[Term<'_>]) -> PhaseKind {
    match terms.iter().any(|(_, side)| side.phases.first().is_some()) {
        true => PhaseKind::Sustained,
        false => PhaseKind::Whole,
    }
}

/// Every effect of one pair: throughput in each phase, and latency over the window.
pub fn of_pair(measured: MeasuredPair<'_>, method: &Method) -> Vec<Effect> {
    let (pair, _, _) = measured;
    let latencies = [Metric::MeanLatency, Metric::P99Latency];
    let named = |effect| Effect {
        variant: Some(pair.variant.name.clone()),
        baseline: Some(pair.baseline.name.clone()),
        context: pair.context.clone(),
        ..effect
    };
    let effects = of_level(&[measured], &latencies, method);
    effects.into_iter().map(named).collect()
}

/// The main effect of a factor's level: the geometric mean of its ratios over the levels of the other
/// factors. None unless there are two or more pairs.
pub fn main(pairs: &[MeasuredPair<'_>], method: &Method) -> Vec<Effect> {
    match pairs.len() {
        0 | 1 => Vec::new(),
        _ => of_level(pairs, &[Metric::MeanLatency], method),
    }
}

/// The contrast that is the mean over some pairs.
pub fn mean_of<'a>(pairs: &[MeasuredPair<'a>]) -> Vec<Term<'a>> {
    let share = 1.0 / pairs.len() as f64;
    pairs.iter().flat_map(|(_, top, bottom)| [(share, *top), (-share, *bottom)]).collect()
}

/// The effects of a factor's level over some pairs: throughput in each phase, and these latencies over the window.
fn of_level(pairs: &[MeasuredPair<'_>], latencies: &[Metric], method: &Method) -> Vec<Effect> {
    let terms = mean_of(pairs);
    let throughput = kinds(&terms).into_iter().map(|phase| (Metric::Throughput, phase));
    let latencies = latencies.iter().map(|metric| (*metric, PhaseKind::Whole));
    let effect = |(metric, phase)| {
        let (pair, _, _) = pairs.first()?;
        Some(Effect {
            factor: pair.factor.to_owned(),
            level: pair.level.to_owned(),
            against: pair.against.to_owned(),
            durability_differs: pairs.iter().any(|(_, a, b)| differs(a, b)),
            ..estimate(&terms, metric, phase, method, Looks::Repeated)?
        })
    };
    throughput.chain(latencies).filter_map(effect).collect()
}

/// How far the effect of one pair's factor depends on another factor: the ratio of two effects. None of clients that keep
/// a pace, whose throughput is what they offer.
pub fn interaction(
    with: MeasuredPair<'_>,
    without: MeasuredPair<'_>,
    second: (String, String),
) -> Vec<Interaction> {
    if with.1.client.paced {
        return Vec::new();
    }
    let terms = [(1.0, with.1), (-1.0, with.2), (-1.0, without.1), (1.0, without.2)];
    kinds(&terms)
        .into_iter()
        .filter_map(|phase| {
            let mut found = combine(&terms, Metric::Throughput, phase, Looks::Repeated)?;
            let known = widen(&mut found, &terms, Metric::Throughput, phase);
            let between = |a: usize, b: usize| (found.means[a] - found.means[b]).exp();
            let shown = known
                && matches!(found.basis, Basis::Trials | Basis::TrialsAndBatches)
                && matches!(
                    sequential::decide(found.ratio, SMALLEST_EFFECT),
                    Decision::Above | Decision::Below
                );
            Some(Interaction {
                first: (with.0.factor.to_owned(), with.0.level.to_owned()),
                second: second.clone(),
                workload: with.1.workload.name.clone(),
                phase,
                ratio: Estimate::new(found.ratio, found.basis),
                without: between(2, 3),
                with: between(0, 1),
                shown,
            })
        })
        .collect()
}

/// A contrast Σ cᵢ·log xᵢ of sides.
struct Found {
    /// Its exponential, with the interval of its look.
    ratio: Interval,
    basis: Basis,
    /// Mean logarithm of each side.
    means: Vec<f64>,
    /// Trials of each side behind it.
    trials: usize,
    /// What is known of its spread; none where there is no interval.
    look: Option<Look>,
}

/// The contrast of some sides: over the seeds of which each has a trial that counts, or of one trial each where they have
/// none in common; with the interval that trials and batches within them give, or none. None where a side has no trial to
/// compare.
fn combine(terms: &[Term<'_>], metric: Metric, phase: PhaseKind, looks: Looks) -> Option<Found> {
    let (_, first) = terms.first()?;
    let seeds = first.valid().map(|judged| judged.trial.seed);
    let seeded = |seed| terms.iter().map(|(_, side)| side.seeded(seed)).collect::<Option<_>>();
    let mut compared: Vec<Compared> =
        seeds.filter_map(|seed| Compared::new(terms, seeded(seed)?, metric, phase)).collect();
    if compared.is_empty() {
        let trials = terms.iter().map(|(_, side)| side.valid().next());
        compared.push(Compared::new(terms, trials.collect::<Option<_>>()?, metric, phase)?);
    }
    let trials = compared.len();
    let contrasts: Vec<f64> = compared.iter().map(|one| one.contrast).collect();
    let batched: Vec<Mean> = compared.iter().filter_map(|one| one.batched).collect();
    let look = match compared.iter().all(|one| one.same) {
        true => Some(sequential::same_runs(trials)),
        false => match looks {
            Looks::Repeated => sequential::look(&contrasts, &batched, ERROR_RATE),
            Looks::One => sequential::one_look(&contrasts, &batched, ERROR_RATE),
        },
    };
    let (ratio, basis) = match &look {
        Some(look) if look.by_batches && trials == 1 => (look.ratio, Basis::Batches),
        Some(look) if look.by_batches => (look.ratio, Basis::TrialsAndBatches),
        Some(look) => (look.ratio, Basis::Trials),
        None => {
            let value = stats::mean(&contrasts)?;
            (Interval { value, low: value, high: value }.exp(), Basis::Point)
        }
    };
    let mean = |i: usize| compared.iter().map(|one| one.logs[i]).sum::<f64>() / trials as f64;
    Some(Found { ratio, basis, means: (0..terms.len()).map(mean).collect(), trials, look })
}

/// One trial of each side, compared.
struct Compared {
    /// The logarithm of each side.
    logs: Vec<f64>,
    /// Their contrast.
    contrast: f64,
    /// The sides are the same runs: the contrast is 0 whatever is compared.
    same: bool,
    /// The same with the error that batches within the trials give; none where they give none.
    batched: Option<Mean>,
}

impl Compared {
    fn new(
        terms: &[Term<'_>],
        trials: Vec<&Judged<'_>>,
        metric: Metric,
        phase: PhaseKind,
    ) -> Option<Compared> {
        let window = common_window(&trials);
        let window = window.as_ref().filter(|_| phase != PhaseKind::Burst);
        let logs = trials.iter().map(|trial| log(trial, metric, phase, window));
        let logs = logs.collect::<Option<Vec<f64>>>()?;
        let coefficients = || terms.iter().map(|(c, _)| *c);
        let contrast = coefficients().zip(&logs).map(|(c, x)| c * x).sum();
        let mean = |trial| batches::mean_of(&batches_of(trial, phase, window)?);
        let means: Option<Vec<(f64, Mean)>> =
            coefficients().zip(&trials).map(|(c, trial)| Some((c, mean(trial)?))).collect();
        let means = means.filter(|_| metric == Metric::Throughput);
        let within = means.as_deref().and_then(contrast::of_means);
        let same = are_same_runs(terms, &trials);
        let batched = within.map(|within| Mean { value: contrast, ..within });
        Some(Compared { logs, contrast, same, batched })
    }
}

/// The seconds in which trials that are compared stand for what lasts: those of the latest of them to settle, in whole
/// transaction groups. Over different seconds what all of them do at their beginning would be a difference. None where
/// they have too few in common: then each has its own.
fn common_window(trials: &[&Judged<'_>]) -> Option<Range<usize>> {
    let courses: Vec<&Course> =
        trials.iter().map(|trial| trial.course.as_ref()).collect::<Option<_>>()?;
    let end = courses.first()?.rates.len();
    if courses.iter().any(|course| course.after_restart || course.rates.len() != end) {
        return None;
    }
    let start = courses.iter().map(|course| course.lasting_seconds().start).max()?;
    // A side that saw one sync has no period of its own.
    let periods = courses.iter().map(|course| course.period).filter(|period| *period > 1);
    let window = whole_groups(start..end, periods.min().unwrap_or(1));
    (window.len() >= SHORTEST).then_some(window)
}

/// Logarithms of the batch means of a trial's phase, of what lasts in a window.
fn batches_of(
    trial: &Judged<'_>,
    phase: PhaseKind,
    window: Option<&Range<usize>>,
) -> Option<Vec<f64>> {
    let course = trial.course.as_ref()?;
    let window = match phase {
        PhaseKind::Burst => 0..course.change.unwrap_or(course.rates.len()),
        PhaseKind::Whole | PhaseKind::Sustained => {
            window.cloned().unwrap_or_else(|| course.lasting_seconds())
        }
    };
    contrast::logs(&batches::means(&course.rates[window]))
}

/// Whether equal results stand on both sides alike: the sides are the same runs.
fn are_same_runs(terms: &[Term<'_>], trials: &[&Judged<'_>]) -> bool {
    let weighed = || terms.iter().map(|(c, _)| *c).zip(trials);
    trials.iter().all(|judged| {
        // A result is compared with itself, too: that takes no look at its series.
        let is_equal = |other: &Judged<'_>| {
            std::ptr::eq(other.measured, judged.measured) || other.measured == judged.measured
        };
        let equal = weighed().filter(|(_, other)| is_equal(other));
        equal.map(|(coefficient, _)| coefficient).sum::<f64>() == 0.0
    })
}

/// How often a contrast is looked at, which its interval allows for.
#[derive(Debug, Clone, Copy)]
pub enum Looks {
    /// After each trial, until it is decided.
    Repeated,
    /// Once: nothing follows from it.
    One,
}

/// The estimate and class of a contrast, names left empty. None where a side has no trial that counts.
pub fn estimate(
    terms: &[Term<'_>],
    metric: Metric,
    phase: PhaseKind,
    method: &Method,
    looks: Looks,
) -> Option<Effect> {
    let mut found = combine(terms, metric, phase, looks)?;
    let known = widen(&mut found, terms, metric, phase);
    let count = |positive: bool| {
        let sides = terms.iter().filter(|(c, _)| (*c > 0.0) == positive).count();
        (sides * found.trials) as u32
    };
    let settled = terms.iter().all(|(_, side)| side.settled());
    let class = match known && found.basis != Basis::Point {
        true => class(found.ratio, metric),
        false => VerdictClass::Undecided,
    };
    let needed = (class == VerdictClass::Undecided).then(|| {
        let more = |look: &Look| {
            let most = 100.max(method.max_trials as usize);
            let n =
                sequential::trials_needed(look, found.trials, ERROR_RATE, SMALLEST_EFFECT, most)?;
            Some((n - found.trials) as u32)
        };
        match &found.look {
            _ if !settled => Needed { lack: Lack::LongerRun, trials: None },
            Some(look) if look.pairs.is_some() => Needed { lack: Lack::Trials, trials: more(look) },
            _ => Needed { lack: Lack::SecondTrial, trials: Some(1) },
        }
    });
    Some(Effect {
        factor: String::new(),
        level: String::new(),
        against: String::new(),
        variant: None,
        baseline: None,
        context: Default::default(),
        workload: terms.first()?.1.workload.name.clone(),
        phase,
        metric,
        ratio: Estimate::new(found.ratio, found.basis),
        class,
        needed,
        trials: (count(true), count(false)),
        durability_differs: false,
    })
}

/// How far sides that never settled may move a contrast, as factors of its exponential; none where nothing bounds it.
fn variation(terms: &[Term<'_>]) -> Option<(f64, f64)> {
    let mut unsettled = terms.iter().filter(|(_, side)| !side.settled());
    unsettled.try_fold((1.0, 1.0), |(low, high), (c, side)| {
        let Variation { lowest, highest, .. } = side.variation()?;
        let (down, up) = if *c > 0.0 { (lowest, highest) } else { (highest, lowest) };
        Some((low * down.powf(*c), high * up.powf(*c)))
    })
}

/// Widens the interval of a contrast by how far sides that never settled may move it. Whether it is known then.
fn widen(found: &mut Found, terms: &[Term<'_>], metric: Metric, phase: PhaseKind) -> bool {
    // Variants that are the same have the same trials, settled or not.
    let same = (found.ratio.low, found.ratio.high) == (1.0, 1.0);
    if same || terms.iter().all(|(_, side)| side.settled()) {
        return true;
    }
    let lasts = metric == Metric::Throughput && phase != PhaseKind::Burst;
    let bounded = lasts && found.basis != Basis::Point;
    let Some((low, high)) = bounded.then(|| variation(terms)).flatten() else {
        return false;
    };
    found.ratio.low *= low;
    found.ratio.high *= high;
    true
}

/// The class of an interval.
pub(crate) fn class(ratio: Interval, metric: Metric) -> VerdictClass {
    let more_is_better = metric.more_is_better();
    match sequential::decide(ratio, SMALLEST_EFFECT) {
        Decision::Above if more_is_better => VerdictClass::WorthIt,
        Decision::Below if more_is_better => VerdictClass::Harmful,
        Decision::Above => VerdictClass::Harmful,
        Decision::Below => VerdictClass::WorthIt,
        Decision::Equal => VerdictClass::NoEffect,
        Decision::Open => VerdictClass::Undecided,
    }
}
