//! Axes: values to positions in percent of the plot, and where the ticks go.

/// How values are laid along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Axis {
    /// Value at 0 %.
    pub low: f64,
    /// Value at 100 %.
    pub high: f64,
    /// Equal ratios are equally far apart.
    pub log: bool,
}

impl Axis {
    /// From 0 to a round number at or above `highest`.
    pub fn from_zero(highest: f64) -> Self {
        let highest = if highest.is_finite() && highest > 0.0 { highest } else { 1.0 };
        let step = round_up(highest / 4.0);
        Axis { low: 0.0, high: (highest / step).ceil() * step, log: false }
    }

    /// A plain axis with exact ends.
    pub fn between(low: f64, high: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Axis { low, high, log: false }
    }

    /// A log axis that holds `values`, with ends on 1, 2 or 5 times a power of ten.
    pub fn log_around(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if !low.is_finite() {
            (low, high) = (1.0, 10.0);
        }
        let low = round_down(low);
        let mut high = round_up(high);
        if high <= low {
            high = round_up(low * 1.5);
        }
        Axis { low, high, log: true }
    }

    /// Position of `value` in percent of the plot, kept within it.
    pub fn percent(&self, value: f64) -> f64 {
        let at = if self.log {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if at.is_nan() { 0.0 } else { (at * 100.0).clamp(0.0, 100.0) }
    }

    /// Round values to mark, about `wanted` of them.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        if self.log { self.log_ticks(wanted) } else { self.linear_ticks(wanted) }
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<f64> {
        let step = round_up((self.high - self.low) / wanted.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let marks: &[f64] = match wanted as f64 / decades.max(0.1) {
            per_decade if per_decade >= 2.5 => &[1.0, 2.0, 5.0],
            per_decade if per_decade >= 1.6 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let from = self.low.log10().floor() as i32;
        let to = self.high.log10().ceil() as i32;
        (from..=to)
            .flat_map(|power| marks.iter().map(move |mark| mark * 10f64.powi(power)))
            .filter(|v| *v >= self.low * 0.999 && *v <= self.high * 1.001)
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten, at most `value`.
fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let mark = [5.0, 2.0, 1.0].into_iter().find(|m| m * power <= value * 1.000_001);
    mark.unwrap_or(1.0) * power
}

/// 1, 2 or 5 times a power of ten, at least `value`.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let mark = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= value * 0.999_999);
    mark.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_axis_starts_at_zero_and_ends_on_a_round_number() {
        let axis = Axis::from_zero(11_234.0);
        assert_eq!((axis.low, axis.high), (0.0, 15_000.0));
        assert_eq!(axis.ticks(4), [0.0, 5000.0, 10_000.0, 15_000.0]);
        assert_eq!(Axis::from_zero(f64::NAN).high, 1.0);
    }

    #[test]
    fn a_log_axis_gives_equal_room_to_equal_ratios() {
        let axis = Axis::log_around([0.09, 0.9].into_iter());
        assert_eq!((axis.low, axis.high), (0.05, 1.0));
        let decade = axis.percent(1.0) - axis.percent(0.1);
        assert!((axis.percent(0.5) - axis.percent(0.05) - decade).abs() < 1e-9);
        assert_eq!(Axis::log_around([3.0].into_iter()).ticks(3), [2.0, 5.0]);
    }

    #[test]
    fn values_off_the_axis_stay_on_the_plot() {
        let axis = Axis::between(0.0, 10.0);
        assert_eq!(axis.percent(-5.0), 0.0);
        assert_eq!(axis.percent(50.0), 100.0);
        assert_eq!(axis.percent(f64::NAN), 0.0);
    }
}
