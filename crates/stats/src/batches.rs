//! The interval that a single run gives: batch means with a correction for serial correlation.
//!
//! A run's series is cut into [`BATCHES`] batches or more (B. Schmeiser, "Batch size effects in the
//! analysis of simulation output", Operations Research 30 (1982): 10 to 30 are enough). With ρ the lag-1
//! autocorrelation of their n means and s² their sample variance, the mean has the variance s² ÷ n′,
//! where n′ = n·(1 − ρ) ÷ (1 + ρ), and Student's interval n′ − 1 degrees of freedom (F. W. Zwiers and
//! H. von Storch, "Taking serial correlation into account in tests of the mean", Journal of Climate 8
//! (1995)). ρ is corrected for its bias of −(1 + 3ρ) ÷ n (M. G. Kendall, "Note on bias in the estimation
//! of autocorrelation", Biometrika 41 (1954)); a negative one counts as 0.
//!
//! Weaker than repeated runs: it does not see what differs between seeds.

use crate::contrast::Mean;
use crate::{Interval, mean, variance};

/// Batches of a series that is long enough for batches of two entries; shorter ones have a batch an
/// entry.
pub const BATCHES: usize = 20;
/// Fewest batches that give an interval.
pub const FEWEST: usize = 5;
/// Largest autocorrelation that is corrected for; beyond, n′ tells nothing.
const MOST_CORRELATION: f64 = 0.9;

/// Mean of each batch; entries that do not fill the last batch are left out. Empty where there would be
/// fewer than [`FEWEST`].
pub fn means(series: &[f64]) -> Vec<f64> {
    if series.len() < FEWEST {
        return Vec::new();
    }
    let size = (series.len() / BATCHES).max(1);
    series.chunks_exact(size).filter_map(mean).collect()
}

/// The mean of batch means with its standard error; none below [`FEWEST`] of them.
pub fn mean_of(batches: &[f64]) -> Option<Mean> {
    if batches.len() < FEWEST {
        return None;
    }
    let n = batches.len() as f64;
    let rho = correlation(batches)?;
    let independent = (n * (1.0 - rho) / (1.0 + rho)).max(2.0);
    Some(Mean {
        value: mean(batches)?,
        error: (variance(batches)? / independent).sqrt(),
        freedom: independent - 1.0,
    })
}

/// The interval of a series' mean that misses with probability `alpha`; none below [`FEWEST`] entries.
pub fn interval(series: &[f64], alpha: f64) -> Option<Interval> {
    let around = mean_of(&means(series))?.interval(alpha);
    // Entries beyond the last batch belong to the mean all the same.
    Some(Interval::around(mean(series)?, around.high - around.value))
}

/// Lag-1 autocorrelation, corrected for its bias, from 0 to [`MOST_CORRELATION`].
fn correlation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - centre).powi(2)).sum();
    if squares <= 0.0 {
        return Some(0.0);
    }
    let products: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    let seen = products / squares;
    let corrected = seen + (1.0 + 3.0 * seen) / values.len() as f64;
    Some(corrected.clamp(0.0, MOST_CORRELATION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contrast::mean_interval;
    use crate::random::Random;

    /// Of 2,000 autoregressive series around 100, the share whose 95 % interval misses it: by batches, and
    /// by single seconds taken as independent.
    fn misses(seed: u64, length: usize, rho: f64) -> (f64, f64) {
        const SERIES: usize = 2000;
        let mut random = Random::new(seed);
        let mut missed = [0usize; 2];
        for _ in 0..SERIES {
            let mut x = random.normal() / (1.0 - rho * rho).sqrt();
            let series: Vec<f64> = (0..length)
                .map(|_| {
                    x = rho * x + random.normal();
                    100.0 + x
                })
                .collect();
            let intervals = [interval(&series, 0.05), mean_interval(&series, 0.05)];
            for (count, interval) in missed.iter_mut().zip(intervals) {
                let interval = interval.unwrap();
                *count += usize::from(interval.low > 100.0 || interval.high < 100.0);
            }
        }
        let [batches, seconds] = missed.map(|n| n as f64 / SERIES as f64);
        println!("{length} s, ρ {rho}: {batches} by batches, {seconds} by seconds");
        (batches, seconds)
    }

    #[test]
    fn batches_cover_the_mean_of_a_correlated_series() {
        for (length, rho) in [(10, 0.0), (20, 0.0), (60, 0.0), (60, 0.5), (120, 0.5), (600, 0.8)] {
            assert!(misses(2, length, rho).0 <= 0.06, "{length} s, ρ {rho}");
        }
        // Ten seconds are too few to see all of a strong correlation.
        assert!(misses(3, 10, 0.5).0 <= 0.12);
        assert!(misses(4, 120, 0.5).1 > 0.2, "taken as independent");
    }

    #[test]
    fn ten_seconds_have_ten_batches_and_long_runs_twenty() {
        assert_eq!(means(&[1.0; 10]).len(), 10);
        assert_eq!(means(&[1.0; 39]).len(), 39);
        assert_eq!(means(&[1.0; 600]).len(), BATCHES);
    }

    #[test]
    fn a_series_without_spread_has_an_interval_without_width() {
        let flat = interval(&[7.0; 12], 0.05).unwrap();
        assert_eq!((flat.low, flat.value, flat.high), (7.0, 7.0, 7.0));
    }

    #[test]
    fn a_short_series_gives_no_interval() {
        assert_eq!(interval(&[1.0, 2.0, 1.0, 2.0], 0.05), None);
        assert_eq!(interval(&[], 0.05), None);
    }
}
