//! The bootstrap over whole trials: a cross-check of Welch's intervals that assumes no distribution.
//!
//! B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979);
//! percentile interval as in Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), ch. 13.

use crate::random::Random;
use crate::{Interval, mean};

/// Fewest trials of each side: below, resamples repeat themselves and intervals come out too narrow
/// (n = 4 has 35 different resamples, n = 5 has 126).
pub const FEWEST: usize = 5;

/// Percentile interval of mean(`a`) ÷ mean(`b`), resampling each side's trials with replacement.
/// None below [`FEWEST`] trials of a side or where a mean is not positive.
pub fn ratio_of_means(
    a: &[f64],
    b: &[f64],
    alpha: f64,
    resamples: usize,
    seed: u64,
) -> Option<Interval> {
    if a.len() < FEWEST || b.len() < FEWEST || resamples == 0 {
        return None;
    }
    let (top, bottom) = (mean(a)?, mean(b)?);
    if !(top > 0.0 && bottom > 0.0) {
        return None;
    }
    let mut random = Random::new(seed);
    let mut resample = |values: &[f64]| -> f64 {
        (0..values.len()).map(|_| values[random.below(values.len())]).sum()
    };
    let scale = b.len() as f64 / a.len() as f64;
    let mut ratios: Vec<f64> = (0..resamples).map(|_| resample(a) / resample(b) * scale).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |q: f64| ratios[((q * resamples as f64) as usize).min(resamples - 1)];
    Some(Interval { value: top / bottom, low: at(alpha / 2.0), high: at(1.0 - alpha / 2.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 6] = [4300.0, 4410.0, 4250.0, 4380.0, 4290.0, 4350.0];
    const B: [f64; 6] = [640.0, 655.0, 630.0, 645.0, 641.0, 660.0];

    #[test]
    fn the_interval_holds_the_ratio_and_agrees_with_welch() {
        let bootstrap = ratio_of_means(&A, &B, 0.05, 2000, 1).unwrap();
        assert!(bootstrap.low < bootstrap.value && bootstrap.value < bootstrap.high);
        let logs = |x: &[f64]| crate::contrast::logs(x).unwrap();
        let welch = crate::contrast::of_groups(&[(1.0, &logs(&A)), (-1.0, &logs(&B))])
            .unwrap()
            .interval(0.05)
            .exp();
        assert!(welch.overlaps(&bootstrap));
        // The bootstrap of six is known to be the narrower one, but not by half.
        let width = |i: Interval| i.high - i.low;
        assert!(width(bootstrap) < width(welch) && width(bootstrap) > width(welch) / 2.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_a_near_one() {
        let first = ratio_of_means(&A, &B, 0.05, 2000, 1);
        assert_eq!(first, ratio_of_means(&A, &B, 0.05, 2000, 1));
        let other = ratio_of_means(&A, &B, 0.05, 2000, 2).unwrap();
        assert_ne!(first, Some(other));
        assert!((first.unwrap().low - other.low).abs() < 0.02);
    }

    #[test]
    fn too_few_trials_are_refused() {
        assert_eq!(ratio_of_means(&A[..4], &B, 0.05, 100, 1), None);
        assert_eq!(ratio_of_means(&A, &[0.0; 6], 0.05, 100, 1), None);
    }
}
