//! Steady state by SNIA's rule.
//!
//! SNIA, "Solid State Storage Performance Test Specification", Enterprise v1.1 (2013), 2.1.24 and
//! Client v2.0: over a measurement window of five rounds, max − min is at most 20 % of the mean, and
//! the least-squares line moves at most 10 % of the mean from the first round to the last. Both.

use crate::mean;
use std::ops::Range;

/// Rounds of the measurement window.
pub const ROUNDS: usize = 5;
/// Greatest range ÷ mean.
pub const RANGE: f64 = 0.20;
/// Greatest movement of the fitted line over the window ÷ mean.
pub const SLOPE: f64 = 0.10;

/// Whether the rounds are steady: both the range and the slope are within their limits. Fewer than
/// [`ROUNDS`] or a mean that is not positive are not steady.
pub fn is_steady(rounds: &[f64]) -> bool {
    let Some(average) = mean(rounds) else {
        return false;
    };
    if rounds.len() < ROUNDS || !average.is_finite() || average <= 0.0 {
        return false;
    }
    let (min, max) = extremes(rounds);
    max - min <= RANGE * average && !drifts(rounds, average)
}

/// Whether the fitted line moves too far.
fn drifts(rounds: &[f64], average: f64) -> bool {
    slope(rounds).abs() * (rounds.len() - 1) as f64 > SLOPE * average
}

fn extremes(rounds: &[f64]) -> (f64, f64) {
    let least = rounds.iter().copied().fold(f64::MAX, f64::min);
    (least, rounds.iter().copied().fold(f64::MIN, f64::max))
}

/// Slope of the least-squares line, per entry.
fn slope(rounds: &[f64]) -> f64 {
    let centre = (rounds.len() - 1) as f64 / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (i, y) in rounds.iter().enumerate() {
        let x = i as f64 - centre;
        products += x * y;
        squares += x * x;
    }
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// The longest end of a series (all of it, then without its first tenth, … down to its half) that is
/// steady when cut into [`ROUNDS`] equal rounds. `period` entries are averaged first, so that a
/// sawtooth of that period (a transaction group's) is not taken for drift. None when no end is.
pub fn window(series: &[f64], period: usize) -> Option<Range<usize>> {
    let n = series.len();
    (0..=5)
        .map(|tenths| n * tenths / 10)
        .find(|&start| rounds(&series[start..], period).is_some_and(|rounds| is_steady(&rounds)))
        .map(|start| start..n)
}

/// How far the rate of a series that is not steady may lie from its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variation {
    /// Lowest ÷ mean, above 0.
    pub lowest: f64,
    /// Highest ÷ mean.
    pub highest: f64,
    /// The fitted line moves too far: the two include where it would be after as long again.
    pub drifts: bool,
}

impl Variation {
    /// What holds for both.
    pub fn widest(self, other: Variation) -> Variation {
        Variation {
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
            drifts: self.drifts || other.drifts,
        }
    }
}

/// The lowest and the highest round of a series ÷ its mean, `period` entries averaged first, with its trend continued
/// for as long again where it drifts. None where the series is too short, or where the lowest is not positive: then
/// nothing bounds it from below.
pub fn variation(series: &[f64], period: usize) -> Option<Variation> {
    let rounds = rounds(series, period)?;
    let average = mean(&rounds).filter(|average| average.is_finite())?;
    let (mut lowest, mut highest) = extremes(&rounds);
    let drifts = drifts(&rounds, average);
    if drifts {
        // The line passes through the mean in the middle of the series.
        let ahead = 1.5 * series.len() as f64;
        let later = average + slope(&smooth(series, period)) * ahead;
        (lowest, highest) = (lowest.min(later), highest.max(later));
    }
    let variation = Variation { lowest: lowest / average, highest: highest / average, drifts };
    (lowest > 0.0 && average > 0.0).then_some(variation)
}

/// Moving averages over `period` entries, one entry apart.
fn smooth(series: &[f64], period: usize) -> Vec<f64> {
    let period = period.clamp(1, (series.len() / 2).max(1));
    series.windows(period).filter_map(mean).collect()
}

/// The series cut into [`ROUNDS`] rounds, each the mean of its moving averages over `period`.
fn rounds(series: &[f64], period: usize) -> Option<Vec<f64>> {
    let smooth = smooth(series, period);
    if smooth.len() < ROUNDS {
        return None;
    }
    let edge = |i: usize| i * smooth.len() / ROUNDS;
    (0..ROUNDS).map(|i| mean(&smooth[edge(i)..edge(i + 1)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_line_is_steady() {
        assert!(is_steady(&[100.0; 5]));
    }

    #[test]
    fn exactly_at_the_limits_is_steady_and_just_beyond_is_not() {
        // Range 20 % of a mean of 100, slope 0.
        assert!(is_steady(&[100.0, 110.0, 100.0, 90.0, 100.0]));
        assert!(!is_steady(&[100.0, 110.1, 100.0, 89.9, 100.0]));
        // Range 10 %, slope 2.5 a round: moves 10 % over the window.
        assert!(is_steady(&[95.0, 97.5, 100.0, 102.5, 105.0]));
        assert!(!is_steady(&[94.8, 97.4, 100.0, 102.6, 105.2]));
    }

    /// The mistake one public implementation made: either test alone is not enough.
    #[test]
    fn both_tests_must_hold() {
        // Slope flat, range 40 %.
        assert!(!is_steady(&[80.0, 120.0, 100.0, 120.0, 80.0]));
        // Range 16 %, slope 16 %.
        assert!(!is_steady(&[92.0, 96.0, 100.0, 104.0, 108.0]));
    }

    #[test]
    fn too_little_or_nothing_is_not_steady() {
        assert!(!is_steady(&[100.0; 4]));
        assert!(!is_steady(&[0.0; 5]));
        assert!(!is_steady(&[f64::NAN; 5]));
        assert_eq!(window(&[], 1), None);
        assert_eq!(window(&[5.0; 3], 1), None);
    }

    #[test]
    fn a_warm_up_is_left_out_of_the_window() {
        let series: Vec<f64> =
            (0..100).map(|i| if i < 25 { f64::from(i) * 4.0 } else { 100.0 }).collect();
        let chosen = window(&series, 1).unwrap();
        assert!((10..=30).contains(&chosen.start), "{chosen:?}");
        assert_eq!(chosen.end, 100);
    }

    #[test]
    fn a_steady_decline_never_settles() {
        let series: Vec<f64> = (0..100).map(|i| 1000.0 * 0.98f64.powi(i)).collect();
        assert_eq!(window(&series, 1), None);
    }

    #[test]
    fn a_series_that_swings_varies_as_far_as_its_rounds() {
        let swings = [80.0, 120.0, 100.0, 120.0, 80.0];
        assert_eq!(window(&swings, 1), None);
        let expected = Variation { lowest: 0.8, highest: 1.2, drifts: false };
        assert_eq!(variation(&swings, 1), Some(expected));
        assert_eq!(variation(&[100.0; 4], 1), None);
        assert_eq!(variation(&[0.0; 5], 1), None);
        // Without a single operation in a round nothing bounds it from below.
        assert_eq!(variation(&[0.0, 120.0, 100.0, 120.0, 0.0], 1), None);
    }

    #[test]
    fn a_trend_is_continued_for_as_long_again() {
        // Five rounds that rise by 10 each: five rounds after the last they would be at 170 to 175.
        let rising = variation(&[80.0, 90.0, 100.0, 110.0, 120.0], 1).unwrap();
        assert_eq!(rising, Variation { lowest: 0.8, highest: 1.75, drifts: true });
        let falling = variation(&[120.0, 110.0, 100.0, 90.0, 80.0], 1).unwrap();
        assert_eq!(falling, Variation { lowest: 0.25, highest: 1.2, drifts: true });
        // Averages over groups move over fewer seconds than the series has; the trend goes on for all of them.
        let falling: Vec<f64> = (0..10).map(|i| 1000.0 - 40.0 * f64::from(i)).collect();
        for period in 1..=5 {
            let lowest = variation(&falling, period).unwrap().lowest;
            assert!((lowest - 0.268).abs() < 0.03, "{period}: {lowest}");
        }
        // It would have come to nothing.
        assert_eq!(variation(&[160.0, 130.0, 100.0, 70.0, 40.0], 1), None);
    }

    #[test]
    fn a_sawtooth_of_transaction_groups_is_steady_once_its_period_is_known() {
        // Four fast seconds, one slow one; 23 seconds, so that rounds hold unequal parts of it.
        let series: Vec<f64> = (0..23).map(|i| if i % 5 == 4 { 200.0 } else { 1200.0 }).collect();
        assert_eq!(window(&series, 1), None);
        assert_eq!(window(&series, 5), Some(0..23));
    }
}
