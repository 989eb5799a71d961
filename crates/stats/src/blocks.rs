//! The interval a single trial can give: batch means.
//!
//! The series is cut into batches long enough to be nearly independent, whose means get Student's
//! interval (A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), section 9.5.3). Weaker
//! than trials: it does not see what differs between trials.

use crate::contrast::mean_interval;
use crate::{Interval, mean};

/// Batches a series is cut into.
pub const BATCHES: usize = 10;

/// Mean of each batch; entries that do not fill the last batch are left out. Empty where a batch would
/// hold fewer than `least` entries in fewer than five batches.
pub fn means(series: &[f64], least: usize) -> Vec<f64> {
    let size = (series.len() / BATCHES).max(least).max(1);
    if series.len() / size < 5 {
        return Vec::new();
    }
    series.chunks_exact(size).filter_map(mean).collect()
}

/// Interval of the series' mean from batches of at least `least` entries; none below five batches.
pub fn interval(series: &[f64], least: usize, alpha: f64) -> Option<Interval> {
    let batches = mean_interval(&means(series, least), alpha)?;
    let value = mean(series)?;
    Some(Interval {
        value,
        low: batches.low.min(value),
        high: batches.high.max(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// An autoregressive series (ρ = 0.5): single seconds taken as independent would cover far less.
    #[test]
    fn batches_cover_the_mean_of_a_correlated_series() {
        let mut random = Random::new(2);
        let (mut missed, mut missed_by_seconds) = (0, 0);
        for _ in 0..1000 {
            let mut x = 0.0;
            let series: Vec<f64> = (0..120)
                .map(|_| {
                    x = 0.5 * x + random.normal();
                    100.0 + x
                })
                .collect();
            let misses = |i: Interval| usize::from(i.low > 100.0 || i.high < 100.0);
            missed += misses(interval(&series, 1, 0.05).unwrap());
            missed_by_seconds += misses(mean_interval(&series, 0.05).unwrap());
        }
        assert!(missed < 90, "{missed} of 1000");
        assert!(missed_by_seconds > 200, "{missed_by_seconds} of 1000");
    }

    #[test]
    fn a_short_series_gives_no_interval() {
        assert_eq!(interval(&[1.0; 8], 2, 0.05), None);
        assert_eq!(interval(&[], 1, 0.05), None);
    }
}
