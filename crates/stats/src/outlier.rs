//! Outliers: flagged, never dropped.
//!
//! Modified z-scores: B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (1993),
//! 0.6745·|x − median| ÷ MAD > 3.5.

use crate::median;

/// Modified z-score above which a value is flagged.
pub const THRESHOLD: f64 = 3.5;

/// Fewest values among which one can stand out: below, the deviation itself is a guess.
pub const FEWEST: usize = 4;

/// Which values stand out from the rest. None do among fewer than [`FEWEST`], and none within 1 % of
/// the median, however well the rest agree.
pub fn flags(values: &[f64]) -> Vec<bool> {
    let Some(centre) = median(values).filter(|_| values.len() >= FEWEST) else {
        return vec![false; values.len()];
    };
    let distances: Vec<f64> = values.iter().map(|x| (x - centre).abs()).collect();
    // There are as many as values.
    let deviation = median(&distances).unwrap_or(0.0);
    let stands_out = |far: &f64| *far > 0.01 * centre.abs() && 0.6745 * far > THRESHOLD * deviation;
    distances.iter().map(stands_out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stall_among_five_is_flagged() {
        let flagged = flags(&[640.0, 655.0, 630.0, 645.0, 310.0]);
        assert_eq!(flagged, [false, false, false, false, true]);
    }

    #[test]
    fn an_even_spread_has_no_outliers() {
        assert!(!flags(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).contains(&true));
    }

    #[test]
    fn near_agreement_makes_no_outlier_of_a_half_per_cent() {
        assert!(!flags(&[100.0, 100.0, 100.0, 100.0, 100.5]).contains(&true));
        assert!(flags(&[100.0, 100.0, 100.0, 100.0, 120.0])[4]);
    }

    #[test]
    fn three_values_are_too_few() {
        assert!(!flags(&[1.0, 1.0, 100.0]).contains(&true));
    }
}
