//! When caches are warm: the share of lookups that they answer has settled.

use crate::window::Sample;
use findings::counters::{
    ARC_DATA_HITS, ARC_DATA_MISSES, ARC_META_HITS, ARC_META_MISSES, DBUF_HITS, L2_HITS, L2_SIZE,
};

/// Periods that are looked at together.
const PERIODS: usize = 4;
/// The hit ratio is settled when over them it stays within a tenth of what misses, since that is what operations
/// wait for,
const SPREAD_OF_MISSES: f64 = 0.1;
/// but within so much at the least, which is chance where hardly anything misses, and so much at the most.
const SPREAD: (f64, f64) = (0.0005, 0.01);
/// The L2ARC is full, or fed no more, when it grows by less than this share over them.
const GROWTH: f64 = 0.02;
/// Virtual seconds of a period, for the shortest and the longest warm-up.
const PERIOD_S: (f64, f64) = (2.0, 30.0);
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

/// Whether the caches are warm by what was sampled since the warm-up began, in periods of `period_s`
/// virtual seconds: over the last four, the hit ratio stayed within one point, or a tenth of the misses
/// where that is less, and the L2ARC grew by less than 2 %. A client that looks nothing up has nothing to warm.
pub fn warmth(samples: &[Sample], period_s: f64) -> Warmth {
    let each = (period_s as usize).max(1);
    let recent: Vec<Period> = samples.rchunks_exact(each).take(PERIODS).map(Period::of).collect();
    let ratio = recent.first().and_then(Period::ratio);
    if recent.len() < PERIODS {
        return Warmth { settled: false, hit_ratio: ratio };
    }
    let ratios: Vec<f64> = recent.iter().filter_map(Period::ratio).collect();
    let settled = if ratios.is_empty() {
        true
    } else {
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let least = ratios.iter().copied().fold(1.0, f64::min);
        let (last, first) = (recent[0].l2_size, recent[PERIODS - 1].l2_size);
        let spread = (SPREAD_OF_MISSES * (1.0 - most)).clamp(SPREAD.0, SPREAD.1);
        ratios.len() == PERIODS && most - least <= spread && last <= first * (1.0 + GROWTH)
    };
    Warmth { settled, hit_ratio: ratio }
}

/// Lookups of a period.
#[derive(Debug, Clone, Copy)]
struct Period {
    hits: f64,
    misses: f64,
    l2_size: f64,
}

impl Period {
    fn of(samples: &[Sample]) -> Period {
        let sum = |name: &str| -> f64 { samples.iter().filter_map(|s| s.values.get(name)).sum() };
        // Every hit of the L2ARC was a miss of the ARC first; it also answers prefetches.
        let missed = sum(ARC_DATA_MISSES) + sum(ARC_META_MISSES);
        let l2_hits = sum(L2_HITS).min(missed);
        Period {
            hits: sum(ARC_DATA_HITS) + sum(ARC_META_HITS) + sum(DBUF_HITS) + l2_hits,
            misses: missed - l2_hits,
            l2_size: samples.last().and_then(|s| s.values.get(L2_SIZE)).copied().unwrap_or(0.0),
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
    use std::collections::BTreeMap;

    fn sample(at: usize, hits: f64, l2_size: f64) -> Sample {
        Sample {
            at: at as f64,
            values: BTreeMap::from([
                (ARC_DATA_HITS.to_owned(), hits),
                (ARC_DATA_MISSES.to_owned(), 100.0 - hits),
                (L2_SIZE.to_owned(), l2_size),
            ]),
        }
    }

    /// The second at which a run is found warm, if ever.
    fn warm_at(hits: impl Fn(usize) -> f64, l2: impl Fn(usize) -> f64) -> Option<usize> {
        let samples: Vec<Sample> = (0..600).map(|s| sample(s, hits(s), l2(s))).collect();
        (0..600).find(|s| warmth(&samples[..*s], 5.0).settled)
    }

    #[test]
    fn a_filling_cache_is_warm_once_it_has_filled() {
        let filling = |s: usize| 90.0 * (1.0 - (-(s as f64) / 60.0).exp());
        let at = warm_at(filling, |_| 0.0).unwrap();
        // What is still to come is then little: 90 × e^(-t/60) under five points.
        assert!((150..300).contains(&at), "{at}");
        assert!(90.0 - filling(at) < 5.0);
    }

    /// From 2 % of misses to 1 % disks have half as much to do.
    #[test]
    fn where_little_misses_less_may_move() {
        let filling = |s: usize| 99.0 - 10.0 * (-(s as f64) / 60.0).exp();
        let at = warm_at(filling, |_| 0.0).unwrap();
        assert!(100.0 - filling(at) < 1.6, "{at}");
    }

    #[test]
    fn a_steady_ratio_is_not_enough_while_the_l2arc_grows() {
        // At 8 MB a second it has grown by 15 s of feeding over the periods: 2 % of 750 s.
        assert_eq!(warm_at(|_| 50.0, |s| s as f64 * 8e6), None);
        assert_eq!(warm_at(|_| 50.0, |_| 1e9), Some(20));
    }

    #[test]
    fn a_client_that_reads_nothing_has_nothing_to_warm() {
        let silent: Vec<Sample> =
            (0..20).map(|at| Sample { at: f64::from(at), values: BTreeMap::new() }).collect();
        let warm = warmth(&silent, 5.0);
        assert!(warm.settled && warm.hit_ratio.is_none());
        assert!(!warmth(&silent[..19], 5.0).settled);
    }

    #[test]
    fn a_ratio_that_swings_is_never_settled() {
        assert_eq!(warm_at(|s| if s / 5 % 2 == 0 { 40.0 } else { 80.0 }, |_| 0.0), None);
    }

    #[test]
    fn hits_of_the_l2arc_are_no_misses() {
        let mut one = sample(0, 60.0, 0.0);
        one.values.insert(L2_HITS.to_owned(), 30.0);
        assert_eq!(Period::of(&[one]).ratio(), Some(0.9));
    }

    #[test]
    fn periods_are_a_twentieth_of_what_is_allowed_within_bounds() {
        let periods = [10.0, 100.0, 3600.0].map(period_s);
        assert_eq!(periods, [2.0, 5.0, 30.0]);
    }
}
