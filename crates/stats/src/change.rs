//! Change points: where one level ends and another begins.
//!
//! One split is the one that minimises the squared error around two means. It counts when it lowers
//! Schwarz's criterion (Y.-C. Yao, "Estimating the number of change-points via Schwarz' criterion",
//! Statistics & Probability Letters 6 (1988)) by a good margin: n·ln(SSE₀/SSE₁) > 3·ln n, where two
//! further parameters, a mean and a place, would ask for 2·ln n; neighbouring seconds of a throughput
//! series are not independent.
//!
//! Several are found at once by optimal partitioning (B. Jackson et al., "An algorithm for optimal
//! partitioning of data on an interval", IEEE Signal Processing Letters 12 (2005)), the same price for
//! each: splitting in two and the parts again misses a dip that returns.

/// A split of a series in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// First entry of the second part.
    pub at: usize,
    /// Mean of the first part.
    pub before: f64,
    /// Mean of the second part.
    pub after: f64,
    /// Whether it lowers Schwarz's criterion.
    pub counts: bool,
}

impl Split {
    /// Larger mean ÷ smaller mean − 1; infinite where the smaller is not positive.
    pub fn relative(&self) -> f64 {
        relative_difference(self.before, self.after)
    }
}

/// Larger ÷ smaller − 1; infinite where the smaller is not positive.
fn relative_difference(a: f64, b: f64) -> f64 {
    let (small, large) = (a.min(b), a.max(b));
    if small > 0.0 {
        large / small - 1.0
    } else if large > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

/// The split that minimises squared error with at least `least` entries on each side; none when the
/// series is too short or holds something that is not a number.
pub fn best_split(series: &[f64], least: usize) -> Option<Split> {
    let (n, least) = (series.len(), least.max(1));
    if n < 2 * least || series.iter().any(|x| !x.is_finite()) {
        return None;
    }
    // Sums around the mean, so that a large level does not swallow the differences.
    let centre = crate::mean(series)?;
    let total: f64 = series.iter().map(|x| (x - centre).powi(2)).sum();
    let (mut left, mut best) = (0.0, (0usize, f64::MIN, 0.0));
    for at in 1..=n - least {
        left += series[at - 1] - centre;
        if at < least {
            continue;
        }
        // Between-parts sum of squares; the right part sums to −left around the mean.
        let gain = left * left * (1.0 / at as f64 + 1.0 / (n - at) as f64);
        if gain > best.1 {
            best = (at, gain, left);
        }
    }
    let (at, gain, left) = best;
    let rest = (total - gain).max(total * 1e-12);
    let n = n as f64;
    Some(Split {
        at,
        before: centre + left / at as f64,
        after: centre - left / (n - at as f64),
        counts: total > 0.0 && n * (total / rest).ln() > 3.0 * n.ln(),
    })
}

/// Every change point of a series, ascending, each with at least `least` entries on both sides and
/// means that differ by at least `relative` (0.05 is 5 %). Quadratic in the length: meant for
/// histories of some thousand entries. None in a series that holds something that is not a number.
pub fn points(series: &[f64], least: usize, relative: f64) -> Vec<usize> {
    let least = least.max(1);
    if series.iter().any(|x| !x.is_finite()) || series.len() < 2 * least {
        return Vec::new();
    }
    let sums = Sums::from_series(series);
    let mut edges = partition(series, &sums, least);
    // Steps too small to name go one by one, the smallest first, as each joins two levels.
    loop {
        let mean = |i: usize| sums.mean(edges[i], edges[i + 1]);
        let step = |i: usize| relative_difference(mean(i - 1), mean(i));
        let smallest = (1..edges.len() - 1).min_by(|a, b| step(*a).total_cmp(&step(*b)));
        match smallest {
            Some(i) if step(i) < relative => edges.remove(i),
            _ => break,
        };
    }
    edges[1..edges.len() - 1].to_vec()
}

/// Edges of the parts, 0 and the length included, that minimise Σ SSE + 3·ln n·σ² for each part.
fn partition(series: &[f64], sums: &Sums, least: usize) -> Vec<usize> {
    let n = series.len();
    let price = 3.0 * (n as f64).ln() * noise(series).powi(2);
    let mut cost = vec![f64::INFINITY; n + 1];
    let mut from = vec![0; n + 1];
    cost[0] = -price;
    for end in least..=n {
        for start in 0..=end - least {
            let candidate = cost[start] + sums.error(start, end) + price;
            if candidate < cost[end] {
                (cost[end], from[end]) = (candidate, start);
            }
        }
    }
    let mut edges = vec![n];
    let mut at = n;
    while at > 0 {
        at = from[at];
        edges.push(at);
    }
    edges.reverse();
    edges
}

/// Standard deviation around the levels, from first differences, which steps hardly touch: their
/// median size ÷ (0.6745·√2); at least 0.1 % of the level, so that exact numbers do not make every
/// digit a change.
fn noise(series: &[f64]) -> f64 {
    let steps: Vec<f64> = series.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    let level = crate::median(series).unwrap_or(0.0).abs();
    let median = crate::median(&steps).unwrap_or(0.0);
    (median / (0.6745 * std::f64::consts::SQRT_2)).max(0.001 * level)
}

/// Prefix sums around the mean, so that a large level does not swallow the differences.
struct Sums {
    centre: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn from_series(series: &[f64]) -> Sums {
        let centre = crate::mean(series).unwrap_or(0.0);
        let (mut first, mut second) = (vec![0.0], vec![0.0]);
        let (mut sum, mut squares) = (0.0, 0.0);
        for x in series {
            sum += x - centre;
            squares += (x - centre).powi(2);
            first.push(sum);
            second.push(squares);
        }
        Sums { centre, first, second }
    }

    fn mean(&self, start: usize, end: usize) -> f64 {
        self.centre + (self.first[end] - self.first[start]) / (end - start) as f64
    }

    fn error(&self, start: usize, end: usize) -> f64 {
        let sum = self.first[end] - self.first[start];
        let squares = self.second[end] - self.second[start];
        (squares - sum * sum / (end - start) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_burst_of_23_seconds_is_found_to_the_second() {
        let mut random = Random::new(3);
        let series: Vec<f64> = (0..90)
            .map(|i| if i < 23 { 11_200.0 } else { 4_300.0 } * (1.0 + 0.1 * random.normal()))
            .collect();
        let split = best_split(&series, 5).unwrap();
        assert_eq!(split.at, 23);
        assert!(split.counts && split.relative() > 1.4 && split.relative() < 1.8);
    }

    #[test]
    fn the_split_is_the_least_squared_error_by_brute_force() {
        let mut random = Random::new(11);
        for _ in 0..100 {
            let series: Vec<f64> = (0..20).map(|_| 1e6 + random.normal()).collect();
            let error = |part: &[f64]| {
                let mean = crate::mean(part).unwrap();
                part.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
            };
            let brute = (3..=17)
                .map(|at| (at, error(&series[..at]) + error(&series[at..])))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap();
            assert_eq!(best_split(&series, 3).unwrap().at, brute.0);
        }
    }

    #[test]
    fn noise_seldom_counts_as_a_change() {
        let mut random = Random::new(5);
        let false_ones = (0..1000)
            .filter(|_| {
                let series: Vec<f64> = (0..60).map(|_| 100.0 + 30.0 * random.normal()).collect();
                best_split(&series, 5).unwrap().counts
            })
            .count();
        assert!(false_ones <= 20, "{false_ones} of 1000");
    }

    #[test]
    fn a_flat_or_short_or_broken_series_has_none() {
        assert!(!best_split(&[7.0; 30], 5).unwrap().counts);
        assert_eq!(best_split(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(best_split(&[1.0, f64::NAN, 3.0, 4.0], 2), None);
        assert!(points(&[], 2, 0.05).is_empty());
    }

    #[test]
    fn a_quiet_history_has_no_changes() {
        let mut random = Random::new(4);
        let false_ones = (0..200)
            .filter(|_| {
                let series: Vec<f64> = (0..50).map(|_| 100.0 + 5.0 * random.normal()).collect();
                !points(&series, 3, 0.0).is_empty()
            })
            .count();
        assert!(false_ones <= 20, "{false_ones} of 200");
        assert!(points(&[5.0; 40], 3, 0.0).is_empty());
    }

    #[test]
    fn a_regression_and_its_repair_are_both_found_in_a_history() {
        let mut random = Random::new(9);
        let series: Vec<f64> = (0..36)
            .map(|i| if (12..24).contains(&i) { 90.0 } else { 100.0 } + random.normal())
            .collect();
        assert_eq!(points(&series, 3, 0.05), [12, 24]);
        assert!(points(&series, 3, 0.2).is_empty());
    }
}
