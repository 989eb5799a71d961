//! Numbers in, numbers with intervals out.
//!
//! Pure: no I/O, no clock. The mathematics is written down once, with
//! its sources, in `docs/explanation/method.md`.

#[cfg(test)]
mod random;

pub mod batches;
pub mod change;
pub mod contrast;
pub mod histogram;
pub mod outlier;
pub mod sequential;
pub mod steady;
mod student;

use std::borrow::Borrow;

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval that reaches as far to both sides of a number.
    pub(crate) fn around(value: f64, half: f64) -> Interval {
        Interval { value, low: value - half, high: value + half }
    }

    /// The interval of the exponentials: from differences of logarithms to ratios. Ends beyond what a
    /// report can print are cut at 10⁻⁶ and 10⁶.
    pub fn exp(self) -> Interval {
        let exp = |x: f64| x.exp().clamp(1e-6, 1e6);
        Interval { value: exp(self.value), low: exp(self.low), high: exp(self.high) }
    }

    /// Whether both ends lie strictly between `low` and `high`.
    pub fn inside(&self, low: f64, high: f64) -> bool {
        low < self.low && self.high < high
    }
}

/// Arithmetic mean; none of nothing.
pub fn mean<T: Borrow<f64>>(values: impl IntoIterator<Item = T>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0_u32);
    for value in values {
        sum += *value.borrow();
        n += 1;
    }
    (n > 0).then(|| sum / f64::from(n))
}

/// Sample variance with Bessel's correction; none below two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

/// Median; none of nothing. The mean of the middle two for an even count.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_nothing_are_nothing() {
        assert_eq!(mean([0.0; 0]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(variance(&[1.0]), None);
    }

    #[test]
    fn variance_has_bessels_correction() {
        // NIST StRD "NumAcc1": 10000001, 10000003, 10000002 has a standard deviation of exactly 1.
        let values = [10_000_001.0, 10_000_003.0, 10_000_002.0];
        assert_eq!(variance(&values), Some(1.0));
        assert_eq!(mean(values), Some(10_000_002.0));
        assert_eq!(median(&values), Some(10_000_002.0));
    }

    #[test]
    fn exponentials_are_cut_where_a_report_could_not_print_them() {
        let wide = Interval { value: 0.0, low: -1e9, high: 1e9 };
        assert_eq!(wide.exp(), Interval { value: 1.0, low: 1e-6, high: 1e6 });
    }
}
