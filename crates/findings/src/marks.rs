//! Marks: why a trial is set aside, or what must be known of it.

use crate::attribution;
use crate::counters as c;
use crate::job::Job;
use crate::output::{Check, Mark, Standing};
use crate::record::{Measured, Second, Trial};
use lab::campaign::SLOWEST;

/// Most of a cell's mean latency that may be lateness of the emulation.
const LATE: f64 = 0.02;
/// Most of this machine's processors that poolfs and the client may use.
const PROCESSOR: f64 = 0.5;
/// Use by other programs from which on they are named.
const NEIGHBOURS: f64 = 0.05;
/// Share of its processors' time that a virtual machine may lose before that is named: about where trials
/// with a log begin to be late (docs/findings.md).
const STOLEN: f64 = 0.02;
/// How far achieved service times may be off the intended ones: at the median and at the 99th
/// percentile.
const SERVICE: (f64, f64) = (0.02, 0.05);

/// The marks of a trial, given its checks, the campaign's k, and whether it was steady.
pub fn of(
    trial: &Trial,
    measured: &Measured,
    job: &Job,
    checks: &[Check],
    time: Option<f64>,
) -> Vec<Mark> {
    let mut marks: Vec<Mark> = checks
        .iter()
        .filter(|check| !check.pass)
        .map(|check| Mark::Broken {
            law: check.law,
            measured: check.measured,
            expected: check.expected,
        })
        .collect();
    let fidelity = &measured.fidelity;
    let waits = waits(measured, job.paced);
    let enough = |excess: f64| slowed_enough(trial.time, excess, waits);
    let share = measured.late_share();
    if share > LATE {
        marks.push(Mark::Late {
            share,
            limit: LATE,
            enough: enough(share / LATE),
        });
    }
    if fidelity.cpu_share > PROCESSOR {
        marks.push(Mark::Processor {
            share: fidelity.cpu_share,
            limit: PROCESSOR,
            enough: enough(fidelity.cpu_share / PROCESSOR),
        });
    }
    for (kind, (p50, p99)) in &fidelity.drives {
        if (p50 - 1.0).abs() > SERVICE.0 || (p99 - 1.0).abs() > SERVICE.1 {
            marks.push(Mark::Drives {
                kind: kind.clone(),
                p50: *p50,
                p99: *p99,
            });
        }
    }
    if fidelity.neighbours_share > NEIGHBOURS {
        marks.push(Mark::Neighbours {
            share: fidelity.neighbours_share,
        });
    }
    if fidelity.stolen_share > STOLEN {
        marks.push(Mark::Stolen {
            share: fidelity.stolen_share,
        });
    }
    marks.extend(serialised(measured, job));
    // FUSE holds the inode while it flushes, on any kernel.
    let fuse = !measured.features.is_empty();
    if fuse && job.shared_file && measured.write.ops > 0 && measured.sync.ops > 0 {
        marks.push(Mark::SharedFlush);
    }
    let refused = [c::THROTTLE_MEMORY, c::THROTTLE_RESERVE]
        .iter()
        .filter_map(|name| measured.totals.get(*name))
        .sum::<f64>();
    if refused > 0.0 {
        marks.push(Mark::MemoryThrottle { count: refused });
    }
    let overflow = measured.read.overflow + measured.write.overflow + measured.sync.overflow;
    if overflow > 0 {
        marks.push(Mark::Overflow { count: overflow });
    }
    let other = |a: f64, b: f64| (a - b).abs() > 1e-6 * b.abs();
    if time.is_some_and(|time| other(trial.time, time)) {
        marks.push(Mark::OtherScale {
            size: trial.size,
            time: trial.time,
        });
    }
    marks
}

/// Share of its clients' time that a trial takes longer with when the clock is slower: all of it where they
/// keep a pace ([`crate::is_paced`]), else what they wait for drives. Of clients that only read, as in the last
/// second, since memory fills with what they have read.
pub fn waits(measured: &Measured, paced: bool) -> f64 {
    let waits = attribution::drives_share(measured);
    match (paced, measured.seconds.last()) {
        (true, _) => 1.0,
        (false, Some(last)) if measured.write.ops == 0 => {
            waits.min(at_drives(last) / measured.concurrency.max(1.0))
        }
        (false, _) => waits,
    }
}

/// Clients that wait for a drive at the most: where endlessly many come at random to a drive that is busy for a
/// share b of the time, b ÷ (1 − b) do (M/M/1), and of a few clients fewer.
fn at_drives(second: &Second) -> f64 {
    let busy = second
        .values
        .iter()
        .filter(|(name, _)| matches!(c::drive(name), Some((_, "busy"))));
    busy.map(|(_, b)| b / (1.0 - b).max(1e-9)).sum()
}

/// The k, whole, at which a trial at `time` keeps a limit that it exceeds by the factor `excess`; none where
/// none that a lab can state does. Work and lateness take the same real time at every k, so that their shares
/// fall with 1/k where the load is the same. Clients that issue their next operation at once go faster as the
/// rest of their operations, 1 − `waits`, takes less virtual time: of each share are left at k′
/// (k/k′) ÷ (waits + (1 − waits)·k/k′).
pub fn slowed_enough(time: f64, excess: f64, waits: f64) -> Option<f64> {
    let k = (time * (excess - 1.0 + waits) / waits).ceil();
    (k <= SLOWEST).then_some(k)
}

/// Writers that share a file, and threads with several operations in flight, run one operation at a
/// time where the kernel's FUSE lacks a feature. A mount that reported no features is not judged.
fn serialised(measured: &Measured, job: &Job) -> Option<Mark> {
    let needed = [
        (
            "parallel-direct-writes",
            job.shared_file && measured.write.ops > 0,
        ),
        ("async-dio", job.deep),
    ];
    let has = |feature: &str| measured.features.iter().any(|f| f == feature);
    needed
        .into_iter()
        .find(|(feature, needed)| *needed && !measured.features.is_empty() && !has(feature))
        .map(|(feature, _)| Mark::Serialised {
            feature: feature.to_owned(),
        })
}

/// What a trial is worth, by its marks.
pub fn standing(marks: &[Mark]) -> Standing {
    let broken = |mark: &Mark| matches!(mark, Mark::Broken { .. } | Mark::DidNotRun);
    if marks.iter().any(broken) {
        Standing::Failed
    } else if marks.iter().any(Mark::sets_aside) {
        Standing::Marked
    } else {
        Standing::Sound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Flow;

    #[test]
    fn clients_that_wait_for_drives_need_a_slower_clock_than_a_fixed_load_and_others_none() {
        assert_eq!(slowed_enough(4.0, 1.4, 1.0), Some(6.0), "a fixed load: 5.6");
        // hk-sync-slog-8k at k = 22: 73 % of two processors, 98 of 190 µs an operation in the log's drives.
        assert_eq!(slowed_enough(22.0, 0.734 / 0.5, 98.0 / 190.0), Some(42.0));
        let left = |k: f64| (22.0 / k) / (98.0 / 190.0 + (92.0 / 190.0) * 22.0 / k);
        assert!(0.734 * left(42.0) < 0.5 && 0.734 * left(41.0) > 0.5);
        assert_eq!(slowed_enough(22.0, 1.1, 0.0), None, "all of it from memory");
    }

    #[test]
    fn readers_that_memory_answers_in_the_end_wait_for_no_drive() {
        let second = |busy: [f64; 2]| Second {
            values: [("drive.ssd0.busy", busy[0]), ("drive.ssd1.busy", busy[1])]
                .map(|(name, share)| (name.to_owned(), share))
                .into(),
            ..Second::default()
        };
        assert_eq!(at_drives(&second([0.5, 0.75])), 1.0 + 3.0);
        assert!(at_drives(&second([0.0, 1.0])) > 1e8, "any number may");
        let reads = Measured {
            concurrency: 8.0,
            read: Flow {
                ops: 100,
                ..Flow::default()
            },
            seconds: vec![second([1.0, 1.0]), second([0.5, 0.75])],
            ..Measured::default()
        };
        assert_eq!(waits(&reads, false), 0.5, "of eight four");
        assert_eq!(waits(&reads, true), 1.0);
        let writes = Measured {
            write: reads.read.clone(),
            ..reads
        };
        assert_eq!(waits(&writes, false), 1.0, "no stage times");
    }
}
