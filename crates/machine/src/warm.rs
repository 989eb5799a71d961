//! When caches are warm: the share of lookups that they answer has settled.

use crate::outcome::Sample;
use measurement::Counter;

/// Periods that are looked at together.
const PERIODS: usize = 4;
/// The hit ratio is settled when over them it stays within a tenth of the misses, which are what operations
/// wait for,
const SPREAD_OF_MISSES: f64 = 0.1;
/// but at least within this share, which is chance where hardly anything misses, and at most within this.
const SPREAD: (f64, f64) = (0.0005, 0.01);
/// The L2ARC is full, or fed no more, when it grows by less than this share over them.
const GROWTH: f64 = 0.02;
/// Seconds of a period, for the shortest and the longest warm-up.
const PERIOD_S: (f64, f64) = (1.0, 30.0);
/// Periods that the time allowed for a warm-up is divided into.
const DIVISIONS: f64 = 20.0;

/// Virtual seconds of a period when a warm-up may last `limit_s`.
pub fn period_s(limit_s: f64) -> f64 {
    (limit_s / DIVISIONS).clamp(PERIOD_S.0, PERIOD_S.1).round()
}

/// What is known of the caches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warmth {
    /// Whether they are warm.
    pub settled: bool,
    /// Share of lookups answered by memory and L2ARC over the last period; none without lookups.
    pub hit_ratio: Option<f64>,
}

/// Whether the caches are warm, from one sample a second since the warm-up began, in periods of `period_s`
/// seconds: over the last four, the hit ratio stayed within one point, or a tenth of the misses where that
/// is less, and the L2ARC grew by less than 2 %. A client that looks nothing up has nothing to warm.
pub fn warmth(samples: &[Sample], period_s: f64) -> Warmth {
    let each = (period_s as usize).max(1);
    // The last sample, the one a period before it, and so on.
    let ends: Vec<&Sample> = samples.iter().rev().step_by(each).take(PERIODS + 1).collect();
    let periods: Vec<Period> =
        ends.windows(2).map(|pair| Period::between(pair[1], pair[0])).collect();
    let hit_ratio = periods.first().and_then(Period::ratio);
    if periods.len() < PERIODS {
        return Warmth { settled: false, hit_ratio };
    }
    let ratios: Vec<f64> = periods.iter().filter_map(Period::ratio).collect();
    let settled = if ratios.is_empty() {
        true
    } else {
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let least = ratios.iter().copied().fold(1.0, f64::min);
        let (last, first) = (periods[0].l2_size, periods[PERIODS - 1].l2_size);
        let spread = (SPREAD_OF_MISSES * (1.0 - most)).clamp(SPREAD.0, SPREAD.1);
        ratios.len() == PERIODS && most - least <= spread && last <= first * (1.0 + GROWTH)
    };
    Warmth { settled, hit_ratio }
}

/// Lookups of a period.
#[derive(Debug, Clone, Copy)]
struct Period {
    hits: f64,
    misses: f64,
    l2_size: f64,
}

impl Period {
    fn between(from: &Sample, to: &Sample) -> Period {
        let grown = |counter| to.values.count(&counter) - from.values.count(&counter);
        // Every hit of the L2ARC was a miss of the ARC first; it also answers prefetches.
        let missed = grown(Counter::ArcDataMisses) + grown(Counter::ArcMetadataMisses);
        let l2_hits = grown(Counter::L2Hits).min(missed);
        Period {
            hits: grown(Counter::ArcDataHits)
                + grown(Counter::ArcMetadataHits)
                + grown(Counter::DbufHits)
                + l2_hits,
            misses: missed - l2_hits,
            l2_size: to.values.count(&Counter::L2Size),
        }
    }

    fn ratio(&self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0.0).then(|| self.hits / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a run with so many hits in 100 lookups, and so many bytes of L2ARC, in each second.
    fn run(seconds: usize, hits: impl Fn(usize) -> f64, l2: impl Fn(usize) -> f64) -> Vec<Sample> {
        let mut sums = (0.0, 0.0);
        (0..seconds)
            .map(|s| {
                sums = (sums.0 + hits(s), sums.1 + 100.0 - hits(s));
                let values = [
                    (Counter::ArcDataHits, sums.0),
                    (Counter::ArcDataMisses, sums.1),
                    (Counter::L2Size, l2(s)),
                ];
                Sample { at: s as f64, values: values.into() }
            })
            .collect()
    }

    /// The second at which a run is found warm, if ever.
    fn warm_at(hits: impl Fn(usize) -> f64, l2: impl Fn(usize) -> f64) -> Option<usize> {
        let samples = run(600, hits, l2);
        (1..600).find(|s| warmth(&samples[..*s], 5.0).settled)
    }

    #[test]
    fn a_filling_cache_is_warm_once_it_has_filled() {
        let filling = |s: usize| 90.0 * (1.0 - (-(s as f64) / 60.0).exp());
        let at = warm_at(filling, |_| 0.0).unwrap();
        assert!((150..300).contains(&at), "{at}");
        assert!(90.0 - filling(at) < 5.0);
    }

    #[test]
    fn where_little_misses_the_ratio_may_move_less() {
        // From 2 % of misses to 1 % disks have half as much to do.
        let filling = |s: usize| 99.0 - 10.0 * (-(s as f64) / 60.0).exp();
        let at = warm_at(filling, |_| 0.0).unwrap();
        assert!(100.0 - filling(at) < 1.6, "{at}");
    }

    #[test]
    fn a_steady_ratio_is_not_enough_while_the_l2arc_grows() {
        assert_eq!(warm_at(|_| 50.0, |s| s as f64 * 8e6), None);
        assert_eq!(warm_at(|_| 50.0, |_| 1e9), Some(21));
    }

    #[test]
    fn a_client_that_looks_nothing_up_has_nothing_to_warm() {
        let silent: Vec<Sample> = (0..21).map(|_| Sample::default()).collect();
        let warm = warmth(&silent, 5.0);
        assert!(warm.settled && warm.hit_ratio.is_none());
        assert!(!warmth(&silent[..20], 5.0).settled);
    }

    #[test]
    fn a_ratio_that_swings_is_never_settled() {
        let swings = |s: usize| {
            if (s / 5).is_multiple_of(2) { 40.0 } else { 80.0 }
        };
        assert_eq!(warm_at(swings, |_| 0.0), None);
    }

    #[test]
    fn hits_of_the_l2arc_are_no_misses() {
        let mut samples = run(2, |_| 60.0, |_| 0.0);
        samples[1].values.insert(Counter::L2Hits, 30.0);
        assert_eq!(Period::between(&samples[0], &samples[1]).ratio(), Some(0.9));
    }

    #[test]
    fn periods_are_a_twentieth_of_what_is_allowed_within_bounds() {
        assert_eq!([10.0, 100.0, 3600.0].map(period_s), [1.0, 5.0, 30.0]);
    }
}
