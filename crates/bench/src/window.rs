//! The measured window: client series and engine counters on one axis of virtual seconds.

use crate::workload::fio::series::PerSecond;
use measurement::{Counters, Second};

/// One virtual second of the machine's counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Virtual seconds since the pool was built, at its end.
    pub at: f64,
    /// What was counted in it.
    pub values: Counters,
}

/// Each second of the window of `runtime_s`, in which the last lasts until its end. `begin` is the
/// machine's virtual time at its begin.
pub fn seconds(series: &PerSecond, samples: &[Sample], begin: f64, runtime_s: f64) -> Vec<Second> {
    let mut seconds: Vec<Second> = series
        .iter()
        .enumerate()
        .map(|(i, (reads, writes))| Second {
            at: i as f64 + 1.0,
            reads: *reads,
            writes: *writes,
            values: Counters::new(),
        })
        .collect();
    let last = seconds.len().saturating_sub(1);
    if let Some(second) = seconds.last_mut() {
        second.at = runtime_s;
    }
    let mut before = f64::NEG_INFINITY;
    // Seconds of the window in which the levels of each second were sampled.
    let mut covered = vec![0.0; seconds.len()];
    for sample in samples {
        // The first one is of a second; one at a program's end is of what remained.
        let at = sample.at - begin;
        let length = (at.min(runtime_s) - before.max(at - 1.0).max(0.0)).max(0.0);
        before = at;
        let end = at.round();
        // A sample counts to the window if at least half of its second lies in it.
        if end < 1.0 || end > runtime_s.round() {
            continue;
        }
        let i = (end as usize - 1).min(last);
        if let Some(second) = seconds.get_mut(i) {
            let total = covered[i] + length;
            // Two that round to one second are both of it: counts are added, levels are means over time.
            for (counter, value) in sample.values.iter() {
                let known = second.values.get(counter);
                let now = match known {
                    None => value,
                    Some(known) if !counter.is_level() => known + value,
                    Some(known) if total > 0.0 => (known * covered[i] + value * length) / total,
                    Some(known) => known,
                };
                *second.values.entry(counter.clone()) = now;
            }
            covered[i] = total;
        }
    }
    seconds
}

/// Counters over the whole window, from those of its seconds: sums of counts, means of levels.
pub fn totals<'a>(seconds: impl Iterator<Item = &'a Counters> + Clone) -> Counters {
    let mut totals = Counters::added(seconds.clone());
    for (counter, total) in totals.iter_mut().filter(|(counter, _)| counter.is_level()) {
        let sampled = seconds.clone().filter(|second| second.get(counter).is_some());
        *total /= sampled.count() as f64;
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use measurement::{Counter, DriveCounter};

    fn sample(at: f64, syncs: f64) -> Sample {
        Sample { at, values: [(Counter::TxgSyncs, syncs)].into() }
    }

    fn syncs(seconds: &[Second]) -> Vec<f64> {
        seconds.iter().map(|s| s.values.count(&Counter::TxgSyncs)).collect()
    }

    #[test]
    fn samples_before_the_window_are_left_out_and_the_others_fall_into_their_second() {
        let samples: Vec<Sample> =
            (1..=6).map(|i| sample(10.0 + f64::from(i), f64::from(i))).collect();
        let seconds = seconds(&vec![(1.0, 0.0); 3], &samples, 12.1, 3.0);
        assert_eq!(syncs(&seconds), [3.0, 4.0, 5.0]);
    }

    #[test]
    fn the_last_second_lasts_until_the_window_ends() {
        let samples: Vec<Sample> = (1..=5).map(|i| sample(f64::from(i), 1.0)).collect();
        // A job of a given size: 100 operations a second to its end.
        let series = vec![(100.0, 0.0), (100.0, 0.0), (155.0, 0.0)];
        let seconds = seconds(&series, &samples, 0.0, 3.55);
        assert_eq!(seconds[2].at, 3.55);
        assert_eq!(syncs(&seconds), [1.0, 1.0, 2.0]);
    }

    #[test]
    fn levels_of_two_samples_in_a_second_are_weighted_by_their_time_in_the_window() {
        let busy = Counter::drive("hdd0", DriveCounter::Busy);
        let sample = |at, share| Sample { at, values: [(busy.clone(), share)].into() };
        let shares = |samples: &[Sample], runtime_s| -> Vec<f64> {
            let seconds = seconds(&vec![(1.0, 0.0); 2], samples, 0.0, runtime_s);
            seconds.iter().map(|second| second.values.count(&busy)).collect()
        };
        // The program took 0.2 s to end after its window: the drive was idle then.
        assert_eq!(
            shares(&[sample(1.0, 0.9), sample(2.0, 0.8), sample(2.2, 0.0)], 2.0),
            [0.9, 0.8]
        );
        // The window ends in its third second.
        let ends = shares(&[sample(1.0, 0.9), sample(2.0, 0.8), sample(2.4, 0.4)], 2.4);
        assert!((ends[1] - (0.8 + 0.4 * 0.4) / 1.4).abs() < 1e-9, "{ends:?}");
    }

    #[test]
    fn counts_are_summed_and_levels_averaged() {
        let busy = Counter::drive("hdd0", DriveCounter::Busy);
        let second = |syncs, share| Second {
            values: [(Counter::TxgSyncs, syncs), (busy.clone(), share)].into(),
            ..Second::default()
        };
        let seconds = [second(1.0, 1.0), Second::default(), second(2.0, 0.5)];
        let totals = totals(seconds.iter().map(|second| &second.values));
        assert_eq!(totals.count(&Counter::TxgSyncs), 3.0);
        assert_eq!(totals.count(&busy), 0.75, "a second without a sample has no level");
    }
}
