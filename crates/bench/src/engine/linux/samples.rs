//! From running totals at moments to what happened in each second.

use crate::window::Sample;
use findings::counters::is_level;
use machine::outcome;
use std::collections::BTreeMap;

/// The differences between samples that follow each other: counts, levels, and shares of time.
pub fn differences(samples: &[outcome::Sample]) -> Vec<Sample> {
    samples
        .windows(2)
        .filter(|pair| pair[1].at > pair[0].at)
        .map(|pair| difference(&pair[0], &pair[1]))
        .collect()
}

fn difference(from: &outcome::Sample, to: &outcome::Sample) -> Sample {
    let seconds = to.at - from.at;
    let mut values = BTreeMap::new();
    for (name, value) in &to.values {
        let before = from.values.get(name).copied().unwrap_or(0.0);
        let grown = value - before;
        match name.strip_suffix("_ns") {
            // Time busy and requests x time become shares of the second.
            Some(share)
                if name.starts_with("drive.")
                    && (share.ends_with(".busy") || share.ends_with(".queue")) =>
            {
                values.insert(share.to_owned(), grown / 1e9 / seconds);
            }
            Some("processor.busy") => {
                let cores = to.values.get("processor.cores").copied().unwrap_or(1.0);
                values.insert("processor.busy".to_owned(), grown / 1e9 / seconds / cores);
            }
            _ if name == "processor.cores" => {}
            _ if is_level(name) => {
                values.insert(name.clone(), *value);
            }
            _ => {
                values.insert(name.clone(), grown);
            }
        }
    }
    Sample { at: to.at, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: f64, values: &[(&str, f64)]) -> outcome::Sample {
        outcome::Sample { at, values: values.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect() }
    }

    #[test]
    fn totals_become_counts_levels_and_shares() {
        let samples = [
            sample(
                0.0,
                &[
                    ("zil.commits", 5.0),
                    ("arc.size", 7.0),
                    ("drive.hdd0.busy_ns", 1e9),
                    ("processor.busy_ns", 0.0),
                    ("processor.cores", 4.0),
                ],
            ),
            sample(
                2.0,
                &[
                    ("zil.commits", 9.0),
                    ("arc.size", 6.0),
                    ("drive.hdd0.busy_ns", 2e9),
                    ("processor.busy_ns", 4e9),
                    ("processor.cores", 4.0),
                ],
            ),
        ];
        let seconds = differences(&samples);
        assert_eq!(seconds.len(), 1);
        let wanted = [
            ("arc.size", 6.0),
            ("drive.hdd0.busy", 0.5),
            ("processor.busy", 0.5),
            ("zil.commits", 4.0),
        ];
        assert_eq!(seconds[0].values, wanted.map(|(n, v)| (n.to_owned(), v)).into());
    }
}
