//! Converts samples of running totals into counts per second.

use crate::window::Sample;
use machine::outcome;
use measurement::{Counter, Counters, DriveCounter};

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
    let mut values = Counters::new();
    for (counter, value) in to.values.iter() {
        let grown = value - from.values.count(counter);
        // Time busy and requests x time become shares of the second.
        let share = grown / 1e9 / seconds;
        match counter {
            Counter::Drive { drive, what: DriveCounter::BusyNs } => {
                values.insert(Counter::drive(drive, DriveCounter::Busy), share);
            }
            Counter::Drive { drive, what: DriveCounter::QueueNs } => {
                values.insert(Counter::drive(drive, DriveCounter::Queue), share);
            }
            Counter::ProcessorBusyNs => {
                let cores = to.values.get(&Counter::ProcessorCores).unwrap_or(1.0);
                values.insert(Counter::ProcessorBusy, share / cores);
            }
            Counter::ProcessorCores => {}
            level if level.is_level() => values.insert(level.clone(), value),
            count => values.insert(count.clone(), grown),
        }
    }
    Sample { at: to.at, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_become_counts_levels_and_shares() {
        let sample = |at, commits, arc_size, hdd_busy_ns, processor_ns| outcome::Sample {
            at,
            values: Counters::from([
                (Counter::ZilCommits, commits),
                (Counter::ArcSize, arc_size),
                (Counter::drive("hdd0", DriveCounter::BusyNs), hdd_busy_ns),
                (Counter::ProcessorBusyNs, processor_ns),
                (Counter::ProcessorCores, 4.0),
            ]),
        };
        let samples = [sample(0.0, 5.0, 7.0, 1e9, 0.0), sample(2.0, 9.0, 6.0, 2e9, 4e9)];
        let seconds = differences(&samples);
        assert_eq!(seconds.len(), 1);
        let wanted = Counters::from([
            (Counter::ArcSize, 6.0),
            (Counter::drive("hdd0", DriveCounter::Busy), 0.5),
            (Counter::ProcessorBusy, 0.5),
            (Counter::ZilCommits, 4.0),
        ]);
        assert_eq!(seconds[0].values, wanted);
    }
}
