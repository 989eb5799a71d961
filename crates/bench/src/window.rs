//! The measured window: client series and engine samples on one axis of virtual seconds.

use crate::workload::fio::series::PerSecond;
use findings::record::Second;
use std::collections::BTreeMap;
use std::time::Instant;

/// One virtual second of the engine's counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Virtual seconds since the pool was built, at its end.
    pub at: f64,
    /// Name → value.
    pub values: BTreeMap<String, f64>,
}

/// The engine's virtual time between its samples, from the real time since the last.
#[derive(Debug)]
pub(crate) struct Clock {
    time: f64,
    last: Option<(f64, Instant)>,
}

impl Clock {
    pub(crate) fn new(time: f64) -> Clock {
        Clock { time, last: None }
    }

    pub(crate) fn saw(&mut self, at: f64) {
        self.last = Some((at, Instant::now()));
    }

    pub(crate) fn now(&self) -> Option<f64> {
        self.last
            .map(|(at, seen)| at + seen.elapsed().as_secs_f64() / self.time)
    }
}

/// Whether a counter is a level (its mean is of interest) and not a count (its sum is).
fn is_level(name: &str) -> bool {
    use poolfs::protocol::counters::{ARC_SIZE, ARC_TARGET, DIRTY, L2_SIZE, WRLOG};
    [ARC_SIZE, ARC_TARGET, L2_SIZE, DIRTY, WRLOG].contains(&name)
        || (name.starts_with("drive.") && (name.ends_with(".queue") || name.ends_with(".busy")))
}

/// Each second of the window of `runtime_s`, in which the last lasts until its end. `begin` is the
/// engine's virtual time at its begin; without it the first sample is taken for the first second.
pub fn seconds(
    series: &PerSecond,
    samples: &[Sample],
    begin: Option<f64>,
    runtime_s: f64,
) -> Vec<Second> {
    let begin = begin
        .or_else(|| samples.first().map(|s| s.at - 1.0))
        .unwrap_or(0.0);
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
                *known = if is_level(name) {
                    *value
                } else {
                    *known + value
                };
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
            let value = if is_level(&name) {
                sum / f64::from(count)
            } else {
                sum
            };
            (name, value)
        })
        .collect()
}

/// Takes what the engine says of its drives' timing out of the stages: (p50, p99) of achieved ÷
/// intended service time by kind of drive, of each kind of request by itself and weighted by requests.
pub fn drives(stages: &mut BTreeMap<String, f64>) -> BTreeMap<String, (f64, f64)> {
    let (of_drives, rest): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(stages)
        .into_iter()
        .partition(|(name, _)| name.starts_with("drive."));
    *stages = rest;
    let mut kinds: BTreeMap<String, (f64, f64, f64)> = BTreeMap::new();
    for (name, requests) in &of_drives {
        let Some(drive) = name.strip_suffix(".requests") else {
            continue;
        };
        let ratio = |what: &str| {
            let of = |side: &str| of_drives.get(&format!("{drive}.{side}_{what}")).copied();
            match (of("achieved"), of("intended")) {
                (Some(achieved), Some(intended)) if intended > 0.0 => Some(achieved / intended),
                _ => None,
            }
        };
        if let (Some(p50), Some(p99)) = (ratio("p50"), ratio("p99"))
            && *requests > 0.0
        {
            // `drive.hdd11.flush`; the name of a kind may have a point in it.
            let name = drive.trim_start_matches("drive.");
            let kind = name
                .rsplit_once('.')
                .map_or(name, |(drive, _)| drive)
                .trim_end_matches(|c: char| c.is_ascii_digit());
            let entry = kinds.entry(kind.to_owned()).or_default();
            entry.0 += p50 * requests;
            entry.1 += p99 * requests;
            entry.2 += requests;
        }
    }
    kinds
        .into_iter()
        .map(|(kind, (p50, p99, requests))| (kind, (p50 / requests, p99 / requests)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: f64, name: &str, value: f64) -> Sample {
        Sample {
            at,
            values: BTreeMap::from([(name.to_owned(), value)]),
        }
    }

    #[test]
    fn samples_before_the_window_are_left_out_and_the_others_fall_into_their_second() {
        let samples: Vec<Sample> = (1..=6)
            .map(|i| sample(10.0 + f64::from(i), "txg.syncs", f64::from(i)))
            .collect();
        let seconds = seconds(&vec![(1.0, 0.0); 3], &samples, Some(12.1), 3.0);
        let seen: Vec<f64> = seconds.iter().map(|s| s.values["txg.syncs"]).collect();
        assert_eq!(seen, [3.0, 4.0, 5.0]);
    }

    #[test]
    fn the_last_second_lasts_until_the_window_ends() {
        let samples: Vec<Sample> = (1..=5)
            .map(|i| sample(f64::from(i), "txg.syncs", 1.0))
            .collect();
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
        let mean = totals(&[
            second("drive.hdd0.busy", 1.0),
            second("drive.hdd0.busy", 0.5),
        ]);
        assert_eq!(mean["drive.hdd0.busy"], 0.75);
    }

    fn map(values: &[(&str, f64)]) -> BTreeMap<String, f64> {
        values.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect()
    }

    #[test]
    fn timing_of_drives_is_taken_by_kind_and_leaves_the_stages() {
        let mut stages = map(&[
            ("write.count", 5.0),
            ("drive.hdd.a0.write.requests", 3.0),
            ("drive.hdd.a0.write.achieved_p50", 2.0),
            ("drive.hdd.a0.write.intended_p50", 1.0),
            ("drive.hdd.a0.write.achieved_p99", 4.0),
            ("drive.hdd.a0.write.intended_p99", 2.0),
            ("drive.hdd.a11.flush.requests", 1.0),
            ("drive.hdd.a11.flush.achieved_p50", 1.0),
            ("drive.hdd.a11.flush.intended_p50", 1.0),
            ("drive.hdd.a11.flush.achieved_p99", 1.0),
            ("drive.hdd.a11.flush.intended_p99", 1.0),
        ]);
        let kinds = drives(&mut stages);
        assert_eq!(kinds, BTreeMap::from([("hdd.a".to_owned(), (1.75, 1.75))]));
        assert_eq!(stages, map(&[("write.count", 5.0)]));
    }
}
