//! Contrasts of means with their intervals.
//!
//! Of independent groups: B. L. Welch, "The generalization of 'Student's' problem when several different
//! population variances are involved", Biometrika 34 (1947): Σ cᵢ·meanᵢ with variance Σ cᵢ²·sᵢ²/nᵢ and, after
//! Satterthwaite (1946), ν = (Σ vᵢ)² / Σ vᵢ²/νᵢ where vᵢ = cᵢ²·sᵢ²/nᵢ and νᵢ = nᵢ − 1.
//!
//! Of trials with batches ([`of_batched`]): the spread within trials, which has many degrees of freedom, with an
//! allowance for what differs between seeds.
//!
//! Of trials that share their seeds (common random numbers; A. M. Law, "Simulation Modeling and Analysis",
//! 5th ed. (2015), sections 10.2.1 and 11.2): Student's interval on the contrast of each seed.

use crate::{Interval, mean, student, variance};

/// Part of a spread that is always assumed: two trials that happen to agree in every digit are no
/// proof that a third would. In the unit of the values (natural logarithms: 0.001 is 0.1 %).
const LEAST_SPREAD: f64 = 0.001;

/// What the variance between seeds may be, as a multiple of the variance of a trial's mean that its batches show. Of 118
/// contrasts of two or more settled trials (24 labs, 2026-11-26), the squared spread between trials, which holds both,
/// was 1.23 times that of batches on average: 0.23, where 4 are allowed for.
const BETWEEN_SEEDS: f64 = 4.0;
/// Trials further apart than the nearest three in ten would be with [`BETWEEN_SEEDS`] may have seeds that differ more, such as in
/// what an L2ARC holds: nine times the variance of batches was seen there. With both numbers an effect that is not there
/// is named in less than 5 % of campaigns, however much seeds differ (`sequential.rs`).
const INCONSISTENT: f64 = 0.7;

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
}

impl Mean {
    /// The mean of independent values that have at least this spread; none below two.
    fn from_values(values: &[f64], least: f64) -> Option<Mean> {
        let n = values.len() as f64;
        let spread = variance(values)?.max(least * least);
        Some(Mean { value: mean(values)?, error: (spread / n).sqrt(), freedom: n - 1.0 })
    }

    /// Student's interval that misses with probability `alpha`.
    pub fn interval(&self, alpha: f64) -> Interval {
        let half = match self.error {
            0.0 => 0.0,
            error => student::two_sided(alpha, self.freedom) * error,
        };
        Interval::around(self.value, half)
    }
}

/// The contrast Σ cᵢ·meanᵢ of independent means. None of nothing, or where all of them are known without
/// an error.
pub fn of_means(terms: &[(f64, Mean)]) -> Option<Mean> {
    let (mut value, mut variances, mut satterthwaite) = (0.0, 0.0, 0.0);
    for (coefficient, mean) in terms {
        let v = (coefficient * mean.error).powi(2);
        value += coefficient * mean.value;
        variances += v;
        satterthwaite += v * v / mean.freedom;
    }
    (satterthwaite > 0.0).then(|| Mean {
        value,
        error: variances.sqrt(),
        freedom: variances * variances / satterthwaite,
    })
}

/// The contrast Σ cᵢ·mean(groupᵢ) of independent groups. None unless each has two values or more.
pub fn of_groups(groups: &[(f64, &[f64])]) -> Option<Mean> {
    let terms: Option<Vec<(f64, Mean)>> = groups
        .iter()
        .map(|(coefficient, values)| Some((*coefficient, Mean::from_values(values, LEAST_SPREAD)?)))
        .collect();
    of_means(&terms?)
}

/// The mean of the contrasts of single seeds; none below two.
pub fn of_pairs(contrasts: &[f64]) -> Option<Mean> {
    Mean::from_values(contrasts, LEAST_SPREAD)
}

/// The mean of the contrasts of single seeds, each with the error that batches within its trials give, with an error
/// for batches and seeds together. None of nothing, and where the contrasts are further apart than that allowance
/// explains: then only their own spread tells.
pub fn of_batched(contrasts: &[Mean]) -> Option<Mean> {
    let n = contrasts.len() as f64;
    let values: Vec<f64> = contrasts.iter().map(|contrast| contrast.value).collect();
    let squares = |power: i32| contrasts.iter().map(move |contrast| contrast.error.powi(power));
    let within: f64 = squares(2).sum();
    let satterthwaite: f64 =
        squares(4).zip(contrasts).map(|(square, contrast)| square / contrast.freedom).sum();
    let freedom = within * within / satterthwaite;
    let allowed = (1.0 + BETWEEN_SEEDS) * (within / n).max(LEAST_SPREAD * LEAST_SPREAD);
    let seen = variance(&values).unwrap_or(0.0);
    let most = allowed * student::ratio_of_variances(INCONSISTENT, n - 1.0, freedom);
    (freedom > 0.0 && seen <= most).then_some(Mean {
        value: mean(&values)?,
        error: (allowed / n).sqrt(),
        freedom,
    })
}

/// Natural logarithms; none when a value has none.
pub fn logs(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().map(|x| (x.is_finite() && *x > 0.0).then(|| x.ln())).collect()
}

/// The mean of a single group with Student's interval; none below two values.
pub fn mean_interval(values: &[f64], alpha: f64) -> Option<Interval> {
    Some(Mean::from_values(values, 0.0)?.interval(alpha))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The example data of `t.test(extra ~ group, data = sleep)` in R (Student 1908, table 1):
    /// t = −1.8608, df = 17.776, 95 % interval −3.3654832 to 0.2054832.
    #[test]
    fn welchs_interval_is_that_of_r_on_students_sleep_data() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let contrast = of_groups(&[(1.0, &first), (-1.0, &second)]).unwrap();
        assert!((contrast.freedom - 17.776).abs() < 0.001);
        assert!((contrast.value / contrast.error + 1.8608).abs() < 1e-4);
        let interval = contrast.interval(0.05);
        assert!((interval.low + 3.365_483_2).abs() < 1e-4);
        assert!((interval.high - 0.205_483_2).abs() < 1e-4);
    }

    #[test]
    fn a_single_value_has_no_spread_and_so_no_contrast() {
        assert_eq!(of_groups(&[(1.0, &[1.0]), (-1.0, &[1.0, 2.0])]), None);
        assert_eq!(of_groups(&[]), None);
        assert_eq!(mean_interval(&[3.0], 0.05), None);
    }

    #[test]
    fn equal_trials_still_leave_a_tenth_of_a_per_cent() {
        let same = [2.0, 2.0];
        let interval = of_groups(&[(1.0, &same), (-1.0, &same)]).unwrap().interval(0.05);
        assert!(interval.low < 0.0 && interval.high > 0.0);
        let pairs = of_pairs(&[0.5, 0.5]).unwrap().interval(0.05);
        assert!(pairs.low < 0.5 && pairs.high > 0.5);
    }

    /// The same data as pairs (Student's own reading of them): `t.test(extra[group == 1], extra[group == 2],
    /// paired = TRUE)` in R gives t = −4.0621, df = 9, 95 % interval −2.4598858 to −0.7001142.
    #[test]
    fn paired_intervals_are_those_of_r_on_students_sleep_data() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let contrasts: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let pairs = of_pairs(&contrasts).unwrap();
        assert!((pairs.value / pairs.error + 4.0621).abs() < 1e-4);
        let interval = pairs.interval(0.05);
        assert!((interval.low + 2.459_885_8).abs() < 1e-6);
        assert!((interval.high + 0.700_114_2).abs() < 1e-6);
    }

    #[test]
    fn equal_values_of_two_sides_leave_a_tenth_of_a_per_cent() {
        let interval = of_pairs(&[0.0, 0.0]).unwrap().interval(0.05).exp();
        assert!(interval.low < 1.0 && interval.value == 1.0 && interval.high > 1.0);
        assert_eq!(of_pairs(&[0.0]), None);
    }

    /// 10,000 seeded pairs of groups of two or three with unequal spreads, as in a lab where the
    /// baseline is steady and the variant is not. Welch's degrees of freedom are an approximation,
    /// known to be a little too kind to a few very unequal groups: misses of up to 6 % instead of 5 %
    /// are accepted here.
    #[test]
    fn few_trials_of_unequal_spread_are_covered() {
        let mut random = Random::new(7);
        for (n, m, ratio) in [(2, 2, 1.0), (2, 2, 5.0), (3, 3, 1.0), (3, 3, 5.0), (5, 5, 5.0)] {
            let mut missed = 0;
            for _ in 0..10_000 {
                let a: Vec<f64> = (0..n).map(|_| random.normal()).collect();
                let b: Vec<f64> = (0..m).map(|_| ratio * random.normal()).collect();
                let interval = of_groups(&[(1.0, &a), (-1.0, &b)]).unwrap().interval(0.05);
                missed += usize::from(interval.low > 0.0 || interval.high < 0.0);
            }
            assert!(missed <= 600, "n={n} m={m} ratio={ratio}: {missed} missed");
        }
    }

    #[test]
    fn logarithms_are_refused_where_there_are_none() {
        assert_eq!(logs(&[1.0, 0.0]), None);
        assert_eq!(logs(&[1.0, f64::NAN]), None);
        assert_eq!(logs(&[1.0]), Some(vec![0.0]));
    }
}
