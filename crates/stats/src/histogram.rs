//! Quantiles of merged histograms. Histograms are merged, percentiles never.

use std::collections::BTreeMap;

/// Counts by upper edge of their bins, ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram {
    bins: Vec<(u64, u64)>,
    overflow: u64,
    end: u64,
}

impl Histogram {
    /// The sum of histograms given as (upper edge, count) in any order, each with its count of
    /// samples beyond `end`, where all of them end. Bins with the same edge are added.
    pub fn merged<'a>(
        parts: impl IntoIterator<Item = (&'a [(u64, u64)], u64)>,
        end: u64,
    ) -> Histogram {
        let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
        let mut overflow = 0u64;
        for (part, beyond) in parts {
            overflow = overflow.saturating_add(beyond);
            for &(edge, count) in part {
                if count > 0 {
                    let bin = bins.entry(edge).or_default();
                    *bin = bin.saturating_add(count);
                }
            }
        }
        Histogram { bins: bins.into_iter().collect(), overflow, end }
    }

    /// Samples, those beyond the end included.
    pub fn count(&self) -> u64 {
        let binned = self.bins.iter().fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
        binned.saturating_add(self.overflow)
    }

    /// Samples beyond the end.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// The `q`-quantile (0 to 1) by nearest rank: the upper edge of the bin that holds it, so that it
    /// errs high by at most one bin. A rank among the samples beyond the end gives the end, a lower
    /// bound. None of an empty histogram.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * count as f64).ceil() as u64).clamp(1, count);
        let mut seen = 0u64;
        for &(edge, n) in &self.bins {
            seen = seen.saturating_add(n);
            if seen >= rank {
                return Some(edge);
            }
        }
        Some(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn merged_percentiles_are_not_the_mean_of_percentiles() {
        // 99 operations of 1 ms on one job and 99 of 100 ms on another: the p50 of both together is
        // 1 ms or 100 ms, never 50.5.
        let fast = [(1_000_000u64, 99u64)];
        let slow = [(100_000_000u64, 99u64)];
        let both = Histogram::merged([(&fast[..], 0), (&slow[..], 0)], u64::MAX);
        assert_eq!(both.quantile(0.5), Some(1_000_000));
        assert_eq!(both.quantile(0.51), Some(100_000_000));
        assert_eq!(both.count(), 198);
    }

    #[test]
    fn what_lies_beyond_the_end_pushes_percentiles_up() {
        let bins = [(10u64, 90u64)];
        let histogram = Histogram::merged([(&bins[..], 10)], 5000);
        assert_eq!(histogram.count(), 100);
        assert_eq!(histogram.overflow(), 10);
        assert_eq!(histogram.quantile(0.9), Some(10));
        assert_eq!(histogram.quantile(0.99), Some(5000), "a lower bound");
        let all_beyond = Histogram::merged([(&[][..], 3)], 5000);
        assert_eq!(all_beyond.quantile(0.5), Some(5000));
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_samples(
            mut samples in prop::collection::vec(1u64..1000, 1..200),
            q in 0.0f64..=1.0,
            cut in 0usize..200,
        ) {
            let cut = cut.min(samples.len());
            let bins = |part: &[u64]| part.iter().map(|x| (*x, 1)).collect::<Vec<_>>();
            let (left, right) = (bins(&samples[..cut]), bins(&samples[cut..]));
            let merged = Histogram::merged([(&left[..], 0), (&right[..], 0)], 1000);
            samples.sort_unstable();
            let rank = ((q * samples.len() as f64).ceil() as usize).clamp(1, samples.len());
            prop_assert_eq!(merged.quantile(q), Some(samples[rank - 1]));
            prop_assert_eq!(merged.quantile(1.0), samples.last().copied());
        }
    }
}
