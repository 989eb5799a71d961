//! Student's t distribution, and Fisher's F.

use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

/// Beyond this many degrees of freedom the quantiles agree with the normal's to four digits, and the
/// incomplete beta function loses precision.
const MOST_FREEDOM: f64 = 10_000.0;

/// The t that is exceeded in absolute value with probability `alpha`, for `freedom` degrees of
/// freedom (fractions allowed). Infinite where there is no freedom or no `alpha` to spend.
pub fn two_sided(alpha: f64, freedom: f64) -> f64 {
    if !(alpha > 0.0 && freedom > 0.0) {
        return f64::INFINITY;
    }
    match StudentsT::new(0.0, 1.0, freedom.min(MOST_FREEDOM)) {
        Ok(student) => student.inverse_cdf(1.0 - alpha.min(1.0) / 2.0),
        Err(_) => f64::INFINITY,
    }
}

/// The ratio of two variances, of `above` and `below` degrees of freedom, that is exceeded with probability `alpha`
/// where both estimate the same. Infinite where there is no freedom.
pub fn ratio_of_variances(alpha: f64, above: f64, below: f64) -> f64 {
    match FisherSnedecor::new(above, below.min(MOST_FREEDOM)) {
        Ok(fisher) if alpha > 0.0 => fisher.inverse_cdf(1.0 - alpha.min(1.0)),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.3.
    #[test]
    fn ratios_of_variances_are_those_of_the_nist_table() {
        for (alpha, above, below, ratio) in [
            (0.10, 1.0, 10.0, 3.285),
            (0.05, 1.0, 20.0, 4.351),
            (0.05, 3.0, 10.0, 3.708),
            (0.01, 5.0, 30.0, 3.699),
        ] {
            let got = ratio_of_variances(alpha, above, below);
            assert!((got - ratio).abs() < 0.001, "{alpha} {above} {below}: {got}");
        }
        assert_eq!(ratio_of_variances(0.05, 1.0, 0.0), f64::INFINITY);
    }

    /// NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2.
    #[test]
    fn quantiles_are_those_of_the_nist_table() {
        for (alpha, freedom, t) in [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 10.0, 2.228),
            (0.01, 2.0, 9.925),
            (0.002, 3.0, 10.215),
            (0.10, 30.0, 1.697),
            (0.05, 1e9, 1.960),
        ] {
            let got = two_sided(alpha, freedom);
            assert!((got - t).abs() < 0.001, "{alpha} {freedom}: {got}");
        }
    }

    #[test]
    fn an_invalid_error_rate_or_no_degrees_of_freedom_give_an_infinite_quantile() {
        assert_eq!(two_sided(0.05, 0.0), f64::INFINITY);
        assert_eq!(two_sided(0.0, 5.0), f64::INFINITY);
        assert_eq!(two_sided(f64::NAN, 5.0), f64::INFINITY);
    }

    #[test]
    fn smaller_error_needs_a_wider_interval() {
        let mut last = 0.0;
        for look in 1..200 {
            let t = two_sided(0.05 / (look * (look + 1)) as f64, 7.3);
            assert!(t > last, "look {look}: {t} after {last}");
            last = t;
        }
    }
}
