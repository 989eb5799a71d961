//! Burst and sustained: how throughput went over time.

use crate::schema::{Basis, Estimate, Phase, Phases, ThroughputSeries};
use measurement::{Counter, Measured, Second, THROTTLES};
use stats::steady::{self, Variation};
use stats::{Interval, batches, change, contrast};
use std::ops::Range;

/// Two phases are reported where their means differ by this much.
const DIFFERENCE: f64 = 0.20;
/// … and each spans this many transaction groups, or the throttle shows what ended the first.
const TXGS: f64 = 3.0;
/// The throttle has set in where this share of a phase's operations waited in it, and it is what
/// ended the phase before where at most half of that phase's share did.
const THROTTLED: f64 = 0.5;
/// Shortest series that can be judged steady or not, seconds.
pub const SHORTEST: usize = 5;

#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Operations a second, each virtual second.
    pub rates: Vec<f64>,
    /// Where the level changes, if it does: the first second of the second phase.
    pub change: Option<usize>,
    /// The steady stretch of the last phase; none when it never settled.
    pub steady: Option<Range<usize>>,
    /// Seconds of a transaction group.
    pub period: usize,
    /// It begins with a restart: what is asked is how it goes until caches are back, all of it.
    pub after_restart: bool,
}

impl Course {
    /// The course of these seconds of a trial. None of a series too short to judge.
    pub fn new(seconds: &[Second]) -> Option<Course> {
        let by_second = |counters: &[Counter]| -> Vec<f64> {
            seconds.iter().map(|s| s.values.sum(counters)).collect()
        };
        Self::from_rates(rates(seconds), &by_second(&[Counter::TxgSyncs]), &by_second(&THROTTLES))
    }

    /// The course of a trial whose client tells one rate for its whole run: it stands for all of it.
    pub fn of_one_rate(measured: &Measured) -> Course {
        let rates = rates(&measured.seconds);
        let all = 0..rates.len();
        Course { rates, change: None, steady: Some(all), period: 1, after_restart: false }
    }

    /// The same of a trial that did all that its clients offered, at random times: its rate is theirs, whatever it varies
    /// from second to second.
    pub fn at_pace(self) -> Course {
        Course { steady: Some(0..self.rates.len()), change: None, ..self }
    }

    /// The course of a trial as the findings keep it.
    pub fn from_series(series: &ThroughputSeries) -> Option<Course> {
        let ops = series.reads.iter().zip(&series.writes).map(|(r, w)| r + w);
        Self::from_rates(
            per_second(series.at.iter().copied().zip(ops)),
            &series.txg_syncs,
            &series.throttled,
        )
    }

    /// The course of a series of rates, with the transaction groups synced in each second and the
    /// transactions that waited in a throttle.
    pub fn from_rates(rates: Vec<f64>, syncs: &[f64], throttled: &[f64]) -> Option<Course> {
        if rates.len() < SHORTEST || syncs.len() != rates.len() || throttled.len() != rates.len() {
            return None;
        }
        let period = period(syncs);
        let split = |least: usize| {
            change::best_split(&rates, least)
                .filter(|split| split.counts && split.relative() >= DIFFERENCE)
                .map(|split| split.at)
        };
        let sum = |part: &[f64]| part.iter().sum::<f64>();
        let change = split(2.max(period))
            .filter(|at| {
                sum(syncs) == 0.0 || (sum(&syncs[..*at]) >= TXGS && sum(&syncs[*at..]) >= TXGS)
            })
            .or_else(|| {
                let share =
                    |part: Range<usize>| sum(&throttled[part.clone()]) / sum(&rates[part]).max(1.0);
                // It ends bursts, begins no warm-up; and what it leaves must be long enough to be judged.
                split(1).filter(|at| {
                    let (before, after) = (share(0..*at), share(*at..rates.len()));
                    let falls = stats::mean(&rates[..*at]) > stats::mean(&rates[*at..]);
                    falls
                        && rates.len() - at >= SHORTEST
                        && after >= THROTTLED
                        && before <= after / 2.0
                })
            });
        let from = change.unwrap_or(0);
        let steady = steady::window(&rates[from..], period)
            .map(|window| whole_groups(from + window.start..from + window.end, period));
        Some(Course { rates, change, steady, period, after_restart: false })
    }

    /// The seconds that stand for the trial: after a restart all of them, otherwise the steady stretch;
    /// none when it never settled.
    pub fn judged(&self) -> Option<Range<usize>> {
        match self.after_restart {
            true => Some(0..self.rates.len()),
            false => self.steady.clone(),
        }
    }

    /// The course of a trial that is asked about all of these seconds, steady or not. None of too few.
    pub fn judged_over(self, seconds: Range<usize>) -> Option<Course> {
        let seconds = seconds.start..seconds.end.min(self.rates.len());
        let long_enough = seconds.len() >= SHORTEST;
        long_enough.then_some(Course { steady: Some(seconds), change: None, period: 1, ..self })
    }

    /// How far the rate of a trial that never settled may lie from what lasts of it.
    pub fn variation(&self) -> Option<Variation> {
        steady::variation(&self.rates[self.lasting_seconds()], self.period)
    }

    /// Mean rate before the change, or of the whole where there is none.
    pub fn first(&self) -> Option<f64> {
        stats::mean(&self.rates[..self.change.unwrap_or(self.rates.len())])
    }

    /// The seconds of what lasts: those that stand for the trial; where it never settled, all that
    /// follow its change, since a burst is no part of what lasts.
    pub fn lasting_seconds(&self) -> Range<usize> {
        let after = self.change.unwrap_or(0)..self.rates.len();
        self.judged().unwrap_or(after)
    }

    /// Mean rate of what lasts.
    pub fn lasting(&self) -> Option<f64> {
        stats::mean(&self.rates[self.lasting_seconds()])
    }

    /// Whether it slows down: a burst, not a warm-up.
    pub fn falls(&self) -> bool {
        self.change
            .is_some_and(|at| stats::mean(&self.rates[..at]) > stats::mean(&self.rates[at..]))
    }
}

/// The end of a window that holds whole transaction groups, of `period` seconds each: the mean over a part of one depends
/// on whether its sync is in that part. All of the window where too little would be left.
pub fn whole_groups(window: Range<usize>, period: usize) -> Range<usize> {
    let whole = window.len() - window.len() % period.max(1);
    match whole >= SHORTEST {
        true => window.end - whole..window.end,
        false => window,
    }
}

/// Seconds from one transaction group's sync to the next, at least one and at most 30; a series that
/// saw fewer than two has none to average over. Where distances differ it is the one in which most seconds lie:
/// a group that closes while another syncs is followed by a small one, so that by number half of all are short.
fn period(syncs: &[f64]) -> usize {
    let seen: Vec<usize> = (0..syncs.len()).filter(|at| syncs[*at] > 0.0).collect();
    let mut distances: Vec<usize> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    distances.sort_unstable();
    let all: usize = distances.iter().sum();
    let mut shorter = 0;
    let most = distances.into_iter().find(|distance| {
        shorter += distance;
        2 * shorter >= all
    });
    match (most, seen.is_empty()) {
        (Some(seconds), _) => seconds.clamp(1, 30),
        (None, true) => 1,
        (None, false) => syncs.len().clamp(1, 30),
    }
}

/// Operations a second in each entry of the series.
fn rates(seconds: &[Second]) -> Vec<f64> {
    per_second(seconds.iter().map(|s| (s.at, s.reads + s.writes)))
}

/// Rates of (end of a span, operations in it).
fn per_second(spans: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut last = 0.0;
    spans
        .map(|(at, operations)| {
            let span = at - last;
            last = at;
            let span = if span > 0.0 && span.is_finite() { span } else { 1.0 };
            operations / span
        })
        .collect()
}

/// Real ÷ model lengths of the phases that end: a burst's, a warm-up's.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    /// Real ÷ model dirty-data limit.
    pub burst: f64,
    /// S.
    pub warm_up: f64,
}

/// The phases of a cell from the courses of its trials: what most of them show.
pub fn phases(courses: &[Option<Course>], lengths: Lengths, alpha: f64) -> Phases {
    let known: Vec<&Course> = courses.iter().flatten().collect();
    if known.is_empty() {
        return Phases::Unknown;
    }
    if known.iter().all(|course| course.after_restart) {
        return last(&known, alpha).map_or(Phases::Unknown, |whole| Phases::AfterRestart {
            whole: Phase { real_seconds: Some(whole.seconds * lengths.warm_up), ..whole },
        });
    }
    if 2 * known.iter().filter(|course| course.steady.is_none()).count() > known.len() {
        return Phases::NotSettled {
            seconds: known.iter().map(|c| c.rates.len()).max().unwrap_or(0) as f64,
        };
    }
    let changed: Vec<&Course> = known.iter().copied().filter(|c| c.change.is_some()).collect();
    if 2 * changed.len() <= known.len() {
        return last(&known, alpha).map_or(Phases::Unknown, |whole| Phases::Steady { whole });
    }
    let falls = 2 * changed.iter().filter(|c| c.falls()).count() > changed.len();
    let alike: Vec<&Course> = changed.into_iter().filter(|c| c.falls() == falls).collect();
    let factor = if falls { lengths.burst } else { lengths.warm_up };
    match (first(&alike, alpha, factor), last(&known, alpha)) {
        (Some(burst), Some(sustained)) if falls => Phases::Burst { burst, sustained },
        (Some(cold), Some(sustained)) => Phases::WarmUp { cold, sustained },
        _ => Phases::Unknown,
    }
}

fn first(courses: &[&Course], alpha: f64, factor: f64) -> Option<Phase> {
    let seconds = stats::mean(courses.iter().filter_map(|c| c.change).map(|at| at as f64))?;
    Some(Phase {
        throughput: throughput(courses, alpha, |c| 0..c.change.unwrap_or(c.rates.len()))?,
        seconds,
        real_seconds: Some(seconds * factor),
    })
}

fn last(courses: &[&Course], alpha: f64) -> Option<Phase> {
    Some(Phase {
        throughput: throughput(courses, alpha, Course::lasting_seconds)?,
        seconds: stats::mean(courses.iter().map(|c| c.lasting_seconds().len() as f64))?,
        real_seconds: None,
    })
}

fn throughput(
    courses: &[&Course],
    alpha: f64,
    window: impl Fn(&Course) -> Range<usize>,
) -> Option<Estimate> {
    let means: Vec<f64> =
        courses.iter().filter_map(|course| stats::mean(&course.rates[window(course)])).collect();
    let single = courses.first().map(|course| &course.rates[window(course)]);
    estimate(&means, single, alpha)
}

/// The estimate from one number a trial; of a single trial, from batches of its series.
pub fn estimate(trials: &[f64], series: Option<&[f64]>, alpha: f64) -> Option<Estimate> {
    let value = stats::mean(trials)?;
    let estimate = |interval: Interval, basis| Estimate {
        value,
        low: interval.low.max(0.0),
        high: interval.high,
        basis,
    };
    if let Some(interval) = contrast::mean_interval(trials, alpha) {
        return Some(estimate(interval, Basis::Trials));
    }
    let within = series.and_then(|series| batches::interval(series, alpha));
    Some(match within {
        // The series' own mean may differ a little from the client's count: keep the width.
        Some(i) => estimate(
            Interval { value, low: value - (i.value - i.low), high: value + (i.high - i.value) },
            Basis::Batches,
        ),
        None => Estimate::point(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: Lengths = Lengths { burst: 8.0, warm_up: 12.0 };

    fn course(levels: &[(usize, f64)], sync_every: usize) -> Course {
        let rates: Vec<f64> = levels
            .iter()
            .flat_map(|(n, level)| std::iter::repeat_n(*level, *n))
            .enumerate()
            .map(|(i, level)| level * (1.0 + 0.02 * ((i * 7919 % 13) as f64 / 6.0 - 1.0)))
            .collect();
        let syncs: Vec<f64> = (0..rates.len())
            .map(|i| f64::from(u8::from(i % sync_every == sync_every - 1)))
            .collect();
        let none = vec![0.0; rates.len()];
        Course::from_rates(rates, &syncs, &none).unwrap()
    }

    #[test]
    fn what_stands_for_a_trial_is_whole_transaction_groups() {
        // Seconds of a sync are slow: where the window begins would otherwise change its mean by 5 %.
        let mean = |slow_at: usize| {
            let rates: Vec<f64> =
                (0..13).map(|i| if i % 5 == slow_at { 700.0 } else { 1200.0 }).collect();
            let syncs: Vec<f64> =
                (0..13).map(|i| if i % 5 == slow_at { 1.0 } else { 0.0 }).collect();
            let course = Course::from_rates(rates, &syncs, &[0.0; 13]).unwrap();
            assert_eq!(course.judged(), Some(3..13));
            course.lasting().unwrap()
        };
        for slow_at in 0..5 {
            assert_eq!(mean(slow_at), 1100.0);
        }
        assert_eq!(whole_groups(2..9, 5), 4..9);
        assert_eq!(whole_groups(2..9, 4), 2..9, "four seconds are too few");
        assert_eq!(whole_groups(0..8, 20), 0..8);
    }

    #[test]
    fn after_a_restart_all_of_it_counts_settled_or_not() {
        // Caches come back: twice as fast at the end as at the beginning, and still rising.
        let rates: Vec<f64> = (0..20).map(|i| 1000.0 + 50.0 * f64::from(i)).collect();
        let quiet = vec![0.0; 20];
        let rising = Course::from_rates(rates, &quiet, &quiet).unwrap();
        assert_eq!(rising.judged(), None);
        let trial = Some(Course { after_restart: true, ..rising });
        let Phases::AfterRestart { whole } = super::phases(&[trial.clone(), trial], LENGTHS, 0.05)
        else {
            panic!("a rise after a restart is not the sustained phase");
        };
        assert_eq!(whole.throughput.value, 1475.0);
        assert_eq!((whole.seconds, whole.real_seconds), (20.0, Some(240.0)));
    }

    #[test]
    fn a_burst_is_told_from_what_lasts() {
        let trial = course(&[(23, 11_200.0), (60, 4300.0)], 5);
        assert_eq!(trial.change, Some(23));
        let phases = super::phases(&[Some(trial.clone()), Some(trial)], LENGTHS, 0.05);
        let Phases::Burst { burst, sustained } = phases else {
            panic!("{phases:?}");
        };
        assert_eq!(burst.seconds, 23.0);
        assert_eq!(burst.real_seconds, Some(184.0));
        assert!((burst.throughput.value - 11_200.0).abs() < 200.0);
        assert!((sustained.throughput.value - 4300.0).abs() < 100.0);
        assert_eq!(sustained.throughput.basis, Basis::Trials);
    }

    #[test]
    fn a_warm_up_is_not_a_burst() {
        let phases = super::phases(&[Some(course(&[(30, 500.0), (60, 900.0)], 5))], LENGTHS, 0.05);
        let Phases::WarmUp { cold, sustained } = phases else {
            panic!("{phases:?}");
        };
        assert_eq!(cold.real_seconds, Some(360.0));
        assert_eq!(sustained.throughput.basis, Basis::Batches);
    }

    #[test]
    fn a_step_of_less_than_a_fifth_or_of_two_groups_is_one_number() {
        assert_eq!(course(&[(30, 1000.0), (30, 900.0)], 5).change, None);
        // Ten seconds of a higher level hold two groups of five seconds.
        assert_eq!(course(&[(10, 2000.0), (60, 1000.0)], 5).change, None);
        assert_eq!(course(&[(16, 2000.0), (60, 1000.0)], 5).change, Some(16));
    }

    #[test]
    fn a_burst_of_one_group_is_told_by_the_throttle_that_ends_it() {
        // Eight writers on a mirror with a log, as measured: groups of two seconds.
        let rates = vec![
            28_575.0, 13_503.0, 8635.0, 11_702.0, 9629.0, 11_886.0, 9325.0, 12_043.0, 9379.0,
            11_785.0,
        ];
        let syncs = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        let throttled: Vec<f64> =
            std::iter::once(0.0).chain(std::iter::repeat_n(17_000.0, 9)).collect();
        let trial = Course::from_rates(rates.clone(), &syncs, &throttled).unwrap();
        assert_eq!((trial.period, trial.change), (2, Some(1)));
        assert!(trial.falls() && trial.steady.is_some(), "{trial:?}");
        // Without the throttle, or with it all along, the same series is one number.
        for throttled in [vec![0.0; 10], rates.clone()] {
            let trial = Course::from_rates(rates.clone(), &syncs, &throttled).unwrap();
            assert_eq!(trial.change, None);
        }
    }

    #[test]
    fn the_throttle_ends_bursts_and_nothing_else() {
        // Throttled from a second on; groups of five seconds, too few for the other rule.
        let change = |rates: [f64; 10], from: usize| {
            let throttled: Vec<f64> =
                (0..10).map(|i| if i < from { 0.0 } else { 9000.0 }).collect();
            let course = Course::from_rates(rates.to_vec(), &[0.2; 10], &throttled);
            course.unwrap().change
        };
        let with = |i: usize, rate: f64, rest: f64| {
            let mut rates = [rest; 10];
            rates[i] = rate;
            rates
        };
        assert_eq!(change(with(0, 24_000.0, 8000.0), 1), Some(1));
        // Faster from the second on in which it sets in: no warm-up of its making.
        assert_eq!(change(with(0, 5000.0, 8000.0), 1), None);
        // A single slow second at the end is not what lasts.
        assert_eq!(change(with(9, 3000.0, 12_000.0), 9), None);
    }

    #[test]
    fn a_group_every_five_seconds_is_not_taken_for_drift() {
        // One mirror of disks without a log, as measured; three groups of the layout end first.
        let rates =
            vec![728.0, 1272.0, 1264.0, 1264.0, 968.0, 736.0, 1240.0, 1232.0, 1272.0, 952.0];
        let syncs = [3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let trial = Course::from_rates(rates, &syncs, &[0.0; 10]).unwrap();
        assert_eq!((trial.period, trial.change), (5, None));
        assert_eq!(trial.steady, Some(0..10));
    }

    #[test]
    fn a_small_group_behind_each_large_one_does_not_halve_their_distance() {
        // One mirror of disks without a log, as measured: groups of four seconds, each with a small one behind it.
        let rates = vec![1984.0, 2048.0, 1824.0, 144.0, 1543.0, 2000.0, 2112.0, 288.0, 2039.0];
        let syncs = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0];
        let trial = Course::from_rates(rates, &syncs, &[0.0; 9]).unwrap();
        assert_eq!((trial.period, trial.change), (4, None));
        assert_eq!(trial.steady, Some(1..9));
        // Groups of less than a second, and one that took longer.
        let mut often = [3.0; 20];
        assert_eq!(period(&often), 1);
        often[4..9].fill(0.0);
        assert_eq!(period(&often), 1);
    }

    #[test]
    fn a_trial_that_did_not_settle_counts_where_most_did() {
        let (steady, mut wild) = (course(&[(60, 1000.0)], 5), course(&[(60, 1300.0)], 5));
        wild.steady = None;
        let all = [Some(steady.clone()), Some(wild.clone()), Some(steady)];
        let Phases::Steady { whole } = super::phases(&all, LENGTHS, 0.05) else {
            panic!("most of them settled");
        };
        // What effects are computed from: no trial is left out for its outcome.
        let each: Vec<f64> = all.iter().flatten().filter_map(Course::lasting).collect();
        assert_eq!(whole.throughput.value, stats::mean(&each).unwrap());
        assert!(whole.throughput.low < 1100.0 && whole.throughput.high > 1100.0);
    }

    #[test]
    fn a_decline_that_goes_on_is_not_settled() {
        let rates: Vec<f64> = (0..60).map(|i| 5000.0 * 0.97f64.powi(i)).collect();
        let trial = Course::from_rates(rates, &[0.25; 60], &[0.0; 60]).unwrap();
        assert_eq!(trial.steady, None);
        assert_eq!(
            super::phases(&[Some(trial)], LENGTHS, 0.05),
            Phases::NotSettled { seconds: 60.0 }
        );
    }

    #[test]
    fn too_short_a_series_says_nothing() {
        assert_eq!(Course::from_rates(vec![1.0; 4], &[1.0; 4], &[0.0; 4]), None);
        assert_eq!(super::phases(&[None, None], LENGTHS, 0.05), Phases::Unknown);
    }

    #[test]
    fn one_trial_gives_batches_and_none_gives_nothing() {
        let series = [10.0; 40];
        let one = estimate(&[10.0], Some(&series), 0.05).unwrap();
        assert_eq!(one.basis, Basis::Batches);
        assert_eq!(estimate(&[10.0], None, 0.05).unwrap().basis, Basis::Point);
        assert_eq!(estimate(&[], None, 0.05), None);
    }
}
