//! When to stop: verdicts whose error rate holds under repeated looks.
//!
//! Alpha spending (K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983)) in its simplest sound form:
//! look k may err with probability α/(k·(k+1)). These sum to α over any number of looks, so by the
//! union bound the chance that any of the intervals ever misses is at most α, whatever the
//! dependence between looks, without a horizon fixed beforehand. A look is a number of trials: look k
//! is the comparison of the first k + 1 trials of each side, and looking twice at the same trials
//! costs nothing.

use crate::Interval;
use crate::contrast::Contrast;
use crate::student;

/// Fewest trials of each side: one has no spread.
pub const FEWEST: usize = 2;

/// What a look may err with, for sides of `trials` trials each. 0 below [`FEWEST`].
pub fn alpha(total: f64, trials: usize) -> f64 {
    if trials < FEWEST {
        return 0.0;
    }
    let look = (trials - 1) as f64;
    total / (look * (look + 1.0))
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

/// Contrast of the logarithms of trials, each group cut to the shortest, with the interval of its look:
/// the ratio's interval for use in [`decide`]. None below [`FEWEST`] trials of a group.
pub fn look(groups: &[(f64, &[f64])], total: f64) -> Option<(Contrast, Interval, usize)> {
    let trials = groups.iter().map(|(_, values)| values.len()).min()?;
    let cut: Vec<(f64, &[f64])> = groups.iter().map(|(c, v)| (*c, &v[..trials])).collect();
    let contrast = Contrast::of(&cut)?;
    let interval = contrast.interval(alpha(total, trials));
    Some((contrast, interval.exp(), trials))
}

/// Trials of each of the contrast's groups at which it would be decided if value and spread stay as
/// they are; none up to `most`. `trials` is what each has now.
pub fn trials_needed(
    contrast: &Contrast,
    trials: usize,
    total: f64,
    smallest: f64,
    most: usize,
) -> Option<usize> {
    let per_trial = contrast.error * (trials as f64).sqrt();
    (trials + 1..=most).find(|&n| {
        let freedom = contrast.freedom * (n - 1) as f64 / (trials - 1).max(1) as f64;
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

    /// One campaign: trials of both sides one after the other, a look after each pair, until decided
    /// or out of trials. Returns the decision and the trials each side took.
    fn campaign(
        random: &mut Random,
        effect: f64,
        sigma: [f64; 2],
        drift: f64,
        most: usize,
    ) -> (Decision, usize) {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for n in 1..=most {
            // The machine drifts; pairs that stand beside one another share it.
            let drift = drift * sigma[0] * n as f64;
            a.push(effect.ln() + drift + sigma[0] * random.normal());
            b.push(drift + sigma[1] * random.normal());
            if let Some((_, ratio, _)) = look(&[(1.0, &a), (-1.0, &b)], ALPHA) {
                let decision = decide(ratio, SMALLEST);
                if decision != Decision::Open {
                    return (decision, n);
                }
            }
        }
        (Decision::Open, most)
    }

    fn shares(
        seed: u64,
        effect: f64,
        sigma: [f64; 2],
        drift: f64,
        most: usize,
    ) -> (f64, f64, f64, f64) {
        const CAMPAIGNS: usize = 2000;
        let mut random = Random::new(seed);
        let (mut above, mut below, mut equal, mut trials) = (0, 0, 0, 0);
        for _ in 0..CAMPAIGNS {
            let (decision, n) = campaign(&mut random, effect, sigma, drift, most);
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

    /// 2,000 campaigns with no effect, looked at after each pair of trials up to 20, for quiet, noisy
    /// and unequal spreads, with and without a drift of the machine that both sides share: at most the
    /// stated 5 % ever name one.
    #[test]
    fn null_campaigns_name_an_effect_in_at_most_the_stated_share() {
        for (seed, sigma) in [
            (1, [0.005, 0.005]),
            (2, [0.02, 0.02]),
            (3, [0.10, 0.10]),
            (4, [0.01, 0.08]),
            (5, [0.30, 0.10]),
            (6, [0.30, 0.05]),
        ] {
            for drift in [0.0, 0.3] {
                let (above, below, _, _) = shares(seed, 1.0, sigma, drift, 20);
                println!("σ {sigma:?}, drift {drift}: {} false", above + below);
                assert!(above + below <= ALPHA, "σ {sigma:?}: {}", above + below);
            }
        }
    }

    /// An effect at the edge of what is worth naming is called none in at most half of the stated
    /// share (one side of the interval misses).
    #[test]
    fn a_real_effect_is_seldom_called_none() {
        for (seed, sigma) in [(1, 0.005), (2, 0.02)] {
            let (_, below, equal, _) = shares(seed, 1.05, [sigma, sigma], 0.0, 30);
            assert!(below + equal <= ALPHA, "σ {sigma}: {}", below + equal);
        }
    }

    /// The power stated in docs/method.md, by the spread between trials, in percent.
    #[test]
    fn effects_of_5_10_and_50_per_cent_are_found_with_the_stated_power() {
        for (percent, effect, most, power) in [
            (1, 1.05, 6, 0.95),
            (1, 1.10, 4, 0.95),
            (1, 1.50, 3, 0.95),
            (3, 1.05, 20, 0.80),
            (3, 1.10, 8, 0.80),
            (3, 1.50, 3, 0.95),
        ] {
            let sigma = f64::from(percent) / 100.0;
            let (above, below, _, trials) = shares(8, effect, [sigma; 2], 0.0, most);
            println!("σ {percent} %, {effect} in {most}: {above} found, {trials} trials");
            assert!(above >= power, "effect {effect} in {most} trials: {above}");
            assert!(below <= ALPHA / 2.0);
        }
        let (_, _, equal, trials) = shares(8, 1.0, [0.01; 2], 0.0, 6);
        println!("σ 1 %, none in 6: {equal} said, {trials} trials");
        assert!(equal >= 0.95, "no effect is said in {equal}");
    }

    #[test]
    fn the_spending_sums_to_alpha_over_any_number_of_looks() {
        let spent: f64 = (2..100_000).map(|n| alpha(ALPHA, n)).sum();
        assert!(spent <= ALPHA && spent > 0.99 * ALPHA);
        assert_eq!(alpha(ALPHA, 1), 0.0);
    }

    #[test]
    fn a_side_with_more_trials_is_cut_so_that_a_look_is_not_taken_twice() {
        let (a, b) = ([0.5, 0.51, 0.9, 0.9], [0.0, 0.01]);
        let long = look(&[(1.0, &a), (-1.0, &b)], ALPHA).unwrap();
        let short = look(&[(1.0, &a[..2]), (-1.0, &b)], ALPHA).unwrap();
        assert_eq!(long, short);
        assert_eq!(long.2, 2);
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
        let (a, b) = ([0.10, 0.14], [0.0, 0.03]);
        let (contrast, ratio, n) = look(&[(1.0, &a), (-1.0, &b)], ALPHA).unwrap();
        assert_eq!(decide(ratio, SMALLEST), Decision::Open);
        let needed = trials_needed(&contrast, n, ALPHA, SMALLEST, 100).unwrap();
        assert!((3..20).contains(&needed), "{needed}");
        assert_eq!(
            trials_needed(&contrast, n, ALPHA, SMALLEST, needed - 1),
            None
        );
    }
}
