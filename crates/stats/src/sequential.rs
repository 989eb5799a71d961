//! When to stop: verdicts whose error rate holds under repeated looks.
//!
//! Alpha spending (K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983)) in its simplest sound form: the
//! look at n trials of each side may err with probability αₙ, and these sum to α over any number of looks,
//! so that by the union bound the chance that any of the intervals ever misses is at most α, whatever the
//! dependence between looks, without a horizon fixed beforehand. A tenth of α goes to the look at single
//! trials, whose batches have many degrees of freedom, and of the rest 1/((n − 1)·n) to that at n. Looking
//! twice at the same trials costs nothing.

use crate::Interval;
use crate::contrast::{Mean, of_batched, of_pairs};
use crate::student;

/// Part of the error rate that the look at single trials may spend.
const FIRST_LOOK: f64 = 0.1;

/// Part of a look's error rate that the interval by batches may spend, where there is one by pairs, too: its quantile
/// hardly depends on it, and that of a few pairs very much.
const BY_BATCHES: f64 = 0.15;
/// Most trials of each side of which batches are asked: with more, pairs tell as much by themselves.
const FEW: usize = 4;

/// What the look at `trials` trials of each side may err with; 0 without any.
pub fn alpha(total: f64, trials: usize) -> f64 {
    match trials {
        0 => 0.0,
        1 => FIRST_LOOK * total,
        n => (1.0 - FIRST_LOOK) * total / ((n - 1) * n) as f64,
    }
}

/// What an interval of a ratio says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The ratio is above 1.
    Above,
    /// The ratio is below 1.
    Below,
    /// It lies within the smallest effect worth naming.
    Equal,
    /// None of these yet.
    Open,
}

/// The decision for the interval of a ratio. `smallest` is the smallest effect worth naming: 0.05
/// makes an interval inside 0.95 to 1.05 `Equal`, even where it excludes 1.
pub fn decide(ratio: Interval, smallest: f64) -> Decision {
    if ratio.inside(1.0 - smallest, 1.0 + smallest) {
        Decision::Equal
    } else if ratio.low > 1.0 {
        Decision::Above
    } else if ratio.high < 1.0 {
        Decision::Below
    } else {
        Decision::Open
    }
}

/// Least effect that single trials decide, as a ratio.
const LARGE: f64 = 1.3;

/// Whether single trials are enough for the interval of a ratio that batches within them gave: all of it lies beyond
/// 1.3 or 1/1.3, or both sides are the same runs. That seeds differ by more than batches let expect is not seen in single
/// trials: an allowance in the interval covers a part of it, and a large effect the rest.
pub fn single_trials_decide(ratio: Interval) -> bool {
    let same_runs = (ratio.low, ratio.high) == (1.0, 1.0);
    same_runs || ratio.low >= LARGE || ratio.high <= 1.0 / LARGE
}

/// What is known at a look of a contrast of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The interval of the ratio, for use in [`decide`].
    pub ratio: Interval,
    /// The interval is that of batches within the trials, with an allowance for what differs between seeds
    /// ([`of_batched`]): the spread between the trials tells less.
    pub by_batches: bool,
    /// The spread between trials alone; none of a single one.
    pub pairs: Option<Mean>,
    /// The spread that batches show; none where they show none.
    pub batches: Option<Mean>,
}

/// The look at `trials` runs that both sides share: nothing is left to chance.
pub fn same_runs(trials: usize) -> Look {
    let ratio = Interval { value: 1.0, low: 1.0, high: 1.0 };
    Look { ratio, by_batches: trials == 1, pairs: None, batches: None }
}

/// Looks at the contrasts of single seeds: their values, and of those of which batches within the trials show an error,
/// that too. Where all of them do there are two intervals, of which that by batches may err with 15 % of the look, and the
/// narrower one counts. None where neither is there.
pub fn look(contrasts: &[f64], batched: &[Mean], total: f64) -> Option<Look> {
    one_look(contrasts, batched, alpha(total, contrasts.len()))
}

/// The same with all of an error rate `alpha`, for contrasts that are looked at once.
pub fn one_look(contrasts: &[f64], batched: &[Mean], alpha: f64) -> Option<Look> {
    let pairs = of_pairs(contrasts);
    let asked = batched.len() == contrasts.len() && batched.len() <= FEW;
    let batches = of_batched(batched).filter(|_| asked);
    let (of_pairs, of_batches) = shares(pairs.as_ref(), batches.as_ref());
    let width = |interval: Interval| interval.high - interval.low;
    let (ratio, by_batches) = match (
        pairs.map(|mean| mean.interval(of_pairs * alpha)),
        batches.map(|mean| mean.interval(of_batches * alpha)),
    ) {
        (Some(pairs), Some(batches)) if width(batches) < width(pairs) => (batches, true),
        (Some(pairs), _) => (pairs, false),
        (None, Some(batches)) => (batches, true),
        (None, None) => return None,
    };
    Some(Look { ratio: ratio.exp(), by_batches, pairs, batches })
}

/// The shares of a look's error rate that an interval by pairs and one by batches may spend.
fn shares(pairs: Option<&Mean>, batches: Option<&Mean>) -> (f64, f64) {
    match (pairs, batches) {
        (Some(_), Some(_)) => (1.0 - BY_BATCHES, BY_BATCHES),
        _ => (1.0, 1.0),
    }
}

/// Trials of each side at which a contrast would be decided if value and spreads stay as they are; none up
/// to `most`. `trials` is what each side has now.
pub fn trials_needed(
    look: &Look,
    trials: usize,
    total: f64,
    smallest: f64,
    most: usize,
) -> Option<usize> {
    let per_trial = |mean: &Mean| mean.error * (trials as f64).sqrt();
    (trials + 1..=most).find(|&n| {
        let batches = look.batches.as_ref().filter(|_| n <= FEW);
        let (of_pairs, of_batches) = shares(look.pairs.as_ref(), batches);
        let half = |mean: &Mean, freedom: f64, share: f64| {
            student::two_sided(share * alpha(total, n), freedom) * per_trial(mean)
                / (n as f64).sqrt()
        };
        let pairs = look.pairs.as_ref().map(|mean| half(mean, (n - 1) as f64, of_pairs));
        let more = n as f64 / trials as f64;
        let batches = batches.map(|mean| half(mean, more * mean.freedom, of_batches));
        let half = pairs.into_iter().chain(batches).fold(f64::INFINITY, f64::min);
        let ratio = Interval::around(look.ratio.value.ln(), half).exp();
        decide(ratio, smallest) != Decision::Open
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const ALPHA: f64 = 0.05;
    const SMALLEST: f64 = 0.05;

    /// Degrees of freedom of the batches of a pair of trials of ten seconds.
    const FREEDOM: usize = 18;

    /// Of what a pair's ratio is made: its spread within trials, which batches estimate, and between seeds.
    #[derive(Clone, Copy)]
    struct Spread {
        within: f64,
        between: f64,
        batches: bool,
    }

    /// A spread between trials of which nothing within them tells.
    fn between(sigma: f64) -> Spread {
        Spread { within: 0.0, between: sigma, batches: false }
    }

    /// One campaign: a trial of each side with the same seed, a look after each pair from the `first` on, until decided
    /// or out of trials. Returns the decision and the trials each side took.
    fn campaign(
        random: &mut Random,
        effect: f64,
        spread: Spread,
        first: usize,
        most: usize,
    ) -> (Decision, usize) {
        let (mut contrasts, mut batched) = (Vec::new(), Vec::new());
        for n in 1..=most {
            let value =
                effect.ln() + spread.within * random.normal() + spread.between * random.normal();
            contrasts.push(value);
            if spread.batches {
                let squares: f64 = (0..FREEDOM).map(|_| random.normal().powi(2)).sum();
                let error = spread.within * (squares / FREEDOM as f64).sqrt();
                batched.push(Mean { value, error, freedom: FREEDOM as f64 });
            }
            if n >= first
                && let Some(look) = look(&contrasts, &batched, ALPHA)
            {
                let decision = decide(look.ratio, SMALLEST);
                let enough = n > 1 || !look.by_batches || single_trials_decide(look.ratio);
                if decision != Decision::Open && enough {
                    return (decision, n);
                }
            }
        }
        (Decision::Open, most)
    }

    /// Shares of 2,000 campaigns that end above, below and equal, and the mean number of trials.
    fn outcomes(seed: u64, effect: f64, sigma: f64, most: usize) -> (f64, f64, f64, f64) {
        outcomes_of(seed, effect, between(sigma), 1, most)
    }

    fn outcomes_of(
        seed: u64,
        effect: f64,
        spread: Spread,
        first: usize,
        most: usize,
    ) -> (f64, f64, f64, f64) {
        const CAMPAIGNS: usize = 2000;
        let mut random = Random::new(seed);
        let (mut above, mut below, mut equal, mut trials) = (0, 0, 0, 0);
        for _ in 0..CAMPAIGNS {
            let (decision, n) = campaign(&mut random, effect, spread, first, most);
            trials += n;
            match decision {
                Decision::Above => above += 1,
                Decision::Below => below += 1,
                Decision::Equal => equal += 1,
                Decision::Open => {}
            }
        }
        let share = |n: usize| n as f64 / CAMPAIGNS as f64;
        (share(above), share(below), share(equal), share(trials))
    }

    /// Looked at after each pair of trials up to 20, quiet and noisy: at most the stated 5 % ever name an
    /// effect that is not there.
    #[test]
    fn null_campaigns_name_an_effect_in_at_most_the_stated_share() {
        for (seed, sigma) in [(1, 0.005), (2, 0.02), (3, 0.10), (4, 0.30)] {
            let (above, below, _, _) = outcomes(seed, 1.0, sigma, 20);
            println!("σ {sigma}: {} false", above + below);
            assert!(above + below <= ALPHA, "σ {sigma}: {}", above + below);
        }
    }

    /// A pair's ratio that spreads within trials, and `ratio` times that variance between seeds.
    fn batched(within: f64, ratio: f64) -> Spread {
        Spread { within, between: within * ratio.sqrt(), batches: true }
    }

    /// With batches, from the second pair of trials on, and however much seeds differ.
    #[test]
    fn batches_name_an_effect_that_is_not_there_in_at_most_the_stated_share() {
        for ratio in [0.0, 0.25, 1.0, 4.0, 10.0, 100.0] {
            let (above, below, _, _) = outcomes_of(11, 1.0, batched(0.1, ratio), 2, 20);
            println!("seeds {ratio} times batches: {} false", above + below);
            assert!(above + below <= ALPHA, "{ratio}: {}", above + below);
        }
    }

    /// From single trials on, whatever batches within them say: where seeds differ by up to 10 %.
    #[test]
    fn single_trials_name_an_effect_that_is_not_there_in_at_most_the_stated_share() {
        for within in [0.001, 0.01, 0.03, 0.1] {
            for between in [0.0, 0.02, 0.05, 0.1] {
                let spread = Spread { within, between, batches: true };
                let (above, below, _, _) = outcomes_of(13, 1.0, spread, 1, 20);
                let (first, last, _, _) = outcomes_of(14, 1.0, spread, 1, 1);
                println!(
                    "{within} within, {between} between seeds: {} false, {} at once",
                    above + below,
                    first + last
                );
                assert!(above + below <= ALPHA, "{within}, {between}: {}", above + below);
            }
        }
    }

    /// Twice as fast, with the spreads of the labs: most campaigns end with single trials.
    #[test]
    fn single_trials_find_large_effects() {
        for (percent, effect, power) in [(3, 2.0, 0.95), (8, 4.0, 0.95)] {
            let within = f64::from(percent) / 100.0;
            let (above, below, _, trials) = outcomes_of(15, effect, batched(within, 0.25), 1, 1);
            println!("{percent} %, {effect} at once: {above} found, {trials} trials");
            assert!(above >= power, "{effect}: {above}");
            assert_eq!(below, 0.0);
        }
    }

    /// What they are for: a spread between seeds of a quarter of that within, as in the labs.
    #[test]
    fn batches_find_effects_with_the_stated_power() {
        for (percent, effect, most, power) in
            [(3, 1.20, 2, 0.45), (3, 1.20, 3, 0.75), (8, 1.5, 2, 0.35), (8, 1.5, 4, 0.80)]
        {
            let within = f64::from(percent) / 100.0;
            let (above, below, _, trials) = outcomes_of(12, effect, batched(within, 0.25), 2, most);
            let (alone, _, _, _) = outcomes(12, effect, within * 1.25f64.sqrt(), most);
            println!(
                "{percent} %, {effect} in {most}: {above} found, {alone} without batches, {trials} trials"
            );
            assert!(above >= power, "effect {effect} in {most} trials: {above}");
            assert!(below <= ALPHA / 2.0);
        }
    }

    /// An effect at the edge of what is worth naming is called none in at most half of the stated
    /// share (one side of the interval misses).
    #[test]
    fn a_real_effect_is_seldom_called_none() {
        for (seed, sigma) in [(1, 0.005), (2, 0.02)] {
            let (_, below, equal, _) = outcomes(seed, 1.05, sigma, 30);
            assert!(below + equal <= ALPHA, "σ {sigma}: {}", below + equal);
        }
    }

    /// The power stated in docs/explanation/method.md, by the spread of a pair's ratio, in percent.
    #[test]
    fn effects_of_5_10_and_50_per_cent_are_found_with_the_stated_power() {
        for (percent, effect, most, power) in [
            (1, 1.05, 7, 0.95),
            (1, 1.10, 5, 0.95),
            (1, 1.50, 3, 0.95),
            (3, 1.05, 20, 0.80),
            (3, 1.10, 9, 0.80),
            (3, 1.50, 4, 0.95),
        ] {
            let sigma = f64::from(percent) / 100.0;
            let (above, below, _, trials) = outcomes(8, effect, sigma, most);
            println!("σ {percent} %, {effect} in {most}: {above} found, {trials} trials");
            assert!(above >= power, "effect {effect} in {most} trials: {above}");
            assert!(below <= ALPHA / 2.0);
        }
        let (_, _, equal, trials) = outcomes(8, 1.0, 0.01, 7);
        println!("σ 1 %, none in 7: {equal} found, {trials} trials");
        assert!(equal >= 0.95, "no effect is found in {equal}");
    }

    #[test]
    fn a_single_look_has_all_of_the_error_rate() {
        let batched = [Mean { value: 0.1, error: 0.02, freedom: FREEDOM as f64 }];
        let half = |look: Look| look.ratio.high.ln() - 0.1;
        let one = half(one_look(&[0.1], &batched, ALPHA).unwrap());
        let repeated = half(look(&[0.1], &batched, ALPHA).unwrap());
        assert!(one < repeated, "{one} {repeated}");
        let quantile = |alpha| student::two_sided(alpha, FREEDOM as f64);
        assert!((repeated / one - quantile(ALPHA / 10.0) / quantile(ALPHA)).abs() < 1e-9);
    }

    #[test]
    fn the_spending_sums_to_alpha_over_any_number_of_looks() {
        let spent: f64 = (0..100_000).map(|n| alpha(ALPHA, n)).sum();
        assert!(spent <= ALPHA && spent > 0.99 * ALPHA);
    }

    #[test]
    fn decisions_are_by_the_interval_and_not_by_the_number() {
        let ratio = |low, value, high| decide(Interval { value, low, high }, SMALLEST);
        assert_eq!(ratio(1.01, 1.20, 1.40), Decision::Above);
        assert_eq!(ratio(0.99, 1.20, 1.40), Decision::Open);
        assert_eq!(ratio(0.70, 0.80, 0.99), Decision::Below);
        assert_eq!(ratio(0.96, 1.00, 1.04), Decision::Equal);
        assert_eq!(ratio(1.01, 1.02, 1.03), Decision::Equal);
        assert_eq!(ratio(0.94, 1.00, 1.04), Decision::Open);
    }

    #[test]
    fn the_number_of_trials_needed_is_enough_and_one_less_is_not() {
        let contrasts = [0.10, 0.11];
        let look = look(&contrasts, &[], ALPHA).unwrap();
        assert_eq!(decide(look.ratio, SMALLEST), Decision::Open);
        let needed = trials_needed(&look, 2, ALPHA, SMALLEST, 100).unwrap();
        assert!((3..20).contains(&needed), "{needed}");
        assert_eq!(trials_needed(&look, 2, ALPHA, SMALLEST, needed - 1), None);
    }
}
