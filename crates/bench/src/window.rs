//! The measured window: client series and engine counters on one axis of virtual seconds.

use crate::workload::fio::series::PerSecond;
use findings::counters::is_level;
use findings::record::Second;
use std::collections::BTreeMap;

/// One virtual second of the machine's counters, by the names of [`findings::counters`].
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Virtual seconds since the pool was built, at its end.
    pub at: f64,
    /// Name → value.
    pub values: BTreeMap<String, f64>,
}

/// Each second of the window of `runtime_s`, in which the last lasts until its end. `begin` is the
/// machine's virtual time at its begin; without it the first sample is taken for the first second.
pub fn seconds(
    series: &PerSecond,
    samples: &[Sample],
    begin: Option<f64>,
    runtime_s: f64,
) -> Vec<Second> {
    let begin = begin.or_else(|| samples.first().map(|s| s.at - 1.0)).unwrap_or(0.0);
    let mut seconds: Vec<Second> = series
        .iter()
        .enumerate()
        .map(|(i, (reads, writes))| Second {
            at: i as f64 + 1.0,
            reads: *reads,
            writes: *writes,
            values: BTreeMap::new(),
        })
        .collect();
    let last = seconds.len().saturating_sub(1);
    if let Some(second) = seconds.last_mut() {
        second.at = runtime_s;
    }
    for sample in samples {
        let end = (sample.at - begin).round();
        // Of the window is what lies in it by half or more.
        if end < 1.0 || end > runtime_s.round() {
            continue;
        }
        if let Some(second) = seconds.get_mut((end as usize - 1).min(last)) {
            // Two that round to one second are both of it: nothing that was counted is lost.
            for (name, value) in &sample.values {
                let known = second.values.entry(name.clone()).or_default();
                *known = if is_level(name) { *value } else { *known + value };
            }
        }
    }
    seconds
}

/// Counters over the whole window: sums of counts, means of levels.
pub fn totals(seconds: &[Second]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
    for second in seconds {
        for (name, value) in &second.values {
            let entry = sums.entry(name.clone()).or_default();
            entry.0 += value;
            entry.1 += 1;
        }
    }
    sums.into_iter()
        .map(|(name, (sum, count))| {
            let value = if is_level(&name) { sum / f64::from(count) } else { sum };
            (name, value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: f64, name: &str, value: f64) -> Sample {
        Sample { at, values: BTreeMap::from([(name.to_owned(), value)]) }
    }

    #[test]
    fn samples_before_the_window_are_left_out_and_the_others_fall_into_their_second() {
        let samples: Vec<Sample> =
            (1..=6).map(|i| sample(10.0 + f64::from(i), "txg.syncs", f64::from(i))).collect();
        let seconds = seconds(&vec![(1.0, 0.0); 3], &samples, Some(12.1), 3.0);
        let seen: Vec<f64> = seconds.iter().map(|s| s.values["txg.syncs"]).collect();
        assert_eq!(seen, [3.0, 4.0, 5.0]);
    }

    #[test]
    fn the_last_second_lasts_until_the_window_ends() {
        let samples: Vec<Sample> =
            (1..=5).map(|i| sample(f64::from(i), "txg.syncs", 1.0)).collect();
        // A job of a given size: 100 operations a second to its end.
        let series = vec![(100.0, 0.0), (100.0, 0.0), (155.0, 0.0)];
        let seconds = seconds(&series, &samples, Some(0.0), 3.55);
        assert_eq!(seconds[2].at, 3.55);
        let seen: Vec<f64> = seconds.iter().map(|s| s.values["txg.syncs"]).collect();
        assert_eq!(seen, [1.0, 1.0, 2.0]);
    }

    #[test]
    fn counts_are_summed_and_levels_averaged() {
        let second = |name: &str, value| Second {
            values: BTreeMap::from([(name.to_owned(), value)]),
            ..Second::default()
        };
        let sum = totals(&[second("txg.syncs", 1.0), second("txg.syncs", 2.0)]);
        assert_eq!(sum["txg.syncs"], 3.0);
        let mean = totals(&[second("drive.hdd0.busy", 1.0), second("drive.hdd0.busy", 0.5)]);
        assert_eq!(mean["drive.hdd0.busy"], 0.75);
    }
}
