//! When to stop: verdicts whose error rate holds under repeated looks.
//!
//! Alpha spending (K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983)) in its simplest sound form: the
//! look at n trials of each side may err with probability αₙ, and these sum to α over any number of looks,
//! so that by the union bound the chance that any of the intervals ever misses is at most α, whatever the
//! dependence between looks, without a horizon fixed beforehand. A tenth of α goes to the look at single
//! trials, whose batches have many degrees of freedom, and of the rest 1/((n − 1)·n) to that at n. Looking
//! twice at the same trials costs nothing.

use crate::Interval;
use crate::contrast::{Mean, of_pairs};
use crate::student;

/// Part of the error rate that the look at single trials may spend.
const FIRST_LOOK: f64 = 0.1;

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

/// The mean of the contrasts of logarithms of single seeds, with the interval of its look: the ratio's
/// interval for use in [`decide`]. None below two seeds.
pub fn look(contrasts: &[f64], total: f64) -> Option<(Mean, Interval)> {
    let mean = of_pairs(contrasts)?;
    let interval = mean.interval(alpha(total, contrasts.len()));
    Some((mean, interval.exp()))
}

/// Trials of each side at which a contrast would be decided if value and spread stay as they are; none up
/// to `most`. `trials` is what each side has now.
pub fn trials_needed(
    contrast: &Mean,
    trials: usize,
    total: f64,
    smallest: f64,
    most: usize,
) -> Option<usize> {
    let per_trial = contrast.error * (trials as f64).sqrt();
    (trials + 1..=most).find(|&n| {
        let freedom = (n - 1) as f64;
        let half = student::two_sided(alpha(total, n), freedom) * per_trial / (n as f64).sqrt();
        let ratio = Interval {
            value: contrast.value,
            low: contrast.value - half,
            high: contrast.value + half,
        }
        .exp();
        decide(ratio, smallest) != Decision::Open
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const ALPHA: f64 = 0.05;
    const SMALLEST: f64 = 0.05;

    /// One campaign: a trial of each side with the same seed, a look after each pair from the second on,
    /// until decided or out of trials. `sigma` is the spread of a pair's ratio. Returns the decision and the
    /// trials each side took.
    fn campaign(random: &mut Random, effect: f64, sigma: f64, most: usize) -> (Decision, usize) {
        let mut contrasts = Vec::new();
        for n in 1..=most {
            contrasts.push(effect.ln() + sigma * random.normal());
            if let Some((_, ratio)) = look(&contrasts, ALPHA) {
                let decision = decide(ratio, SMALLEST);
                if decision != Decision::Open {
                    return (decision, n);
                }
            }
        }
        (Decision::Open, most)
    }

    /// Shares of 2,000 campaigns that end above, below and equal, and the mean number of trials.
    fn shares(seed: u64, effect: f64, sigma: f64, most: usize) -> (f64, f64, f64, f64) {
        const CAMPAIGNS: usize = 2000;
        let mut random = Random::new(seed);
        let (mut above, mut below, mut equal, mut trials) = (0, 0, 0, 0);
        for _ in 0..CAMPAIGNS {
            let (decision, n) = campaign(&mut random, effect, sigma, most);
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
            let (above, below, _, _) = shares(seed, 1.0, sigma, 20);
            println!("σ {sigma}: {} false", above + below);
            assert!(above + below <= ALPHA, "σ {sigma}: {}", above + below);
        }
    }

    /// An effect at the edge of what is worth naming is called none in at most half of the stated
    /// share (one side of the interval misses).
    #[test]
    fn a_real_effect_is_seldom_called_none() {
        for (seed, sigma) in [(1, 0.005), (2, 0.02)] {
            let (_, below, equal, _) = shares(seed, 1.05, sigma, 30);
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
            let (above, below, _, trials) = shares(8, effect, sigma, most);
            println!("σ {percent} %, {effect} in {most}: {above} found, {trials} trials");
            assert!(above >= power, "effect {effect} in {most} trials: {above}");
            assert!(below <= ALPHA / 2.0);
        }
        let (_, _, equal, trials) = shares(8, 1.0, 0.01, 7);
        println!("σ 1 %, none in 7: {equal} found, {trials} trials");
        assert!(equal >= 0.95, "no effect is found in {equal}");
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
        let (mean, ratio) = look(&contrasts, ALPHA).unwrap();
        assert_eq!(decide(ratio, SMALLEST), Decision::Open);
        let needed = trials_needed(&mean, 2, ALPHA, SMALLEST, 100).unwrap();
        assert!((3..20).contains(&needed), "{needed}");
        assert_eq!(trials_needed(&mean, 2, ALPHA, SMALLEST, needed - 1), None);
    }
}
