//! What a cell used, and what limited it, from the kernel's counters and the drives' record.

use crate::cells::client::ClientFacts;
use crate::quality::PROCESSOR_BOUND;
use crate::quality::conservation::in_flight;
use crate::schema::{Limit, LogDrives, Resources};
use lab::campaign::{AllocationClass, Variant};
use measurement::{Counter, Counters, DriveCounter, Measured, Second, THROTTLES, drive_kind};
use std::collections::BTreeMap;

/// From this busy share on, drives are the limit.
const BUSY: f64 = 0.90;
/// From this share of what a flash drive can do on, it is full.
const FULL: f64 = 0.80;
/// From this many waits for each write on, the throttle is.
const THROTTLED: f64 = 0.5;
/// Clients that wait by themselves are the limit below this share of their places in flight.
const PACED: f64 = 0.80;

/// What the trials of a cell used; `lasting` are the seconds of what lasts. None without operations.
pub fn resources(
    trials: &[&Measured],
    client: &ClientFacts,
    variant: &Variant,
    lasting: &[&Second],
) -> Option<Resources> {
    let operations: f64 = trials.iter().map(|m| m.operations()).sum();
    if operations <= 0.0 {
        return None;
    }
    let totals = Counters::added(trials.iter().map(|m| &m.totals));
    let drives = mean_busy(lasting.iter().copied());
    let processor = mean_processor(lasting.iter().copied());
    let throttled = throttled_per_write(lasting.iter().copied());
    let written: f64 = trials.iter().map(|m| m.write.bytes as f64).sum();
    let commits = totals.count(&Counter::ZilCommits);
    let seconds: f64 = trials.iter().map(|m| m.runtime_s).sum();
    Some(Resources {
        limit: limit(trials, client, &drives, processor, throttled, &|drive| {
            is_full(variant, drive, &totals, seconds)
        }),
        drives,
        processor,
        throttled_per_write: throttled,
        commits_per_op: commits / operations,
        log: (commits > 0.0).then(|| log(variant, &totals)).flatten(),
        written_per_byte: (written > 0.0)
            .then(|| totals.sum_of_drives(DriveCounter::WriteBytes) / written),
        counters: counters(trials, &totals),
    })
}

/// Totals of some trials for each virtual second, levels as means; without drives' own.
fn counters(trials: &[&Measured], totals: &Counters) -> Counters {
    let seconds: f64 = trials.iter().map(|m| m.runtime_s).sum();
    let counted = totals.iter().filter(|(counter, value)| {
        *value > 0.0 && !matches!(counter, Counter::Drive { .. }) && seconds > 0.0
    });
    let per = |counter: &Counter| if counter.is_level() { trials.len() as f64 } else { seconds };
    counted.map(|(counter, value)| (counter.clone(), value / per(counter))).collect()
}

/// Mean busy share of each drive over some seconds.
pub fn mean_busy<'a>(seconds: impl IntoIterator<Item = &'a Second>) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for second in seconds {
        for (drive, busy) in second.values.of_drives(DriveCounter::Busy) {
            let sum = sums.entry(drive.to_owned()).or_default();
            sum.0 += busy;
            sum.1 += 1.0;
        }
    }
    sums.into_iter().map(|(drive, (sum, n))| (drive, sum / n)).collect()
}

/// Mean share of the modelled cores in use over some seconds; none where it was not counted.
pub fn mean_processor<'a>(seconds: impl IntoIterator<Item = &'a Second>) -> Option<f64> {
    let busy = |second: &Second| second.values.get(&Counter::ProcessorBusy);
    stats::mean(seconds.into_iter().filter_map(busy))
}

/// Transactions that waited in a throttle for each write of the client; 0 without writes.
pub fn throttled_per_write<'a>(seconds: impl IntoIterator<Item = &'a Second>) -> f64 {
    let (mut waited, mut writes) = (0.0, 0.0);
    for second in seconds {
        waited += second.values.sum(&THROTTLES);
        writes += second.writes;
    }
    if writes > 0.0 { waited / writes } else { 0.0 }
}

/// The drives that take the intent log, with their mean service times.
fn log(variant: &Variant, totals: &Counters) -> Option<LogDrives> {
    let with_data = totals.count(&Counter::ZilSlogBytes) <= totals.count(&Counter::ZilPoolBytes);
    let class = match with_data {
        true => variant.log_class_without_slog(),
        false => AllocationClass::Log,
    };
    let drives = || variant.pool.drives_of_class(class);
    let sum = |what: DriveCounter| -> f64 {
        drives().map(|drive| totals.count(&Counter::drive(drive.to_string(), what))).sum()
    };
    let mean_us = |ns, count| {
        let n = sum(count);
        (n > 0.0).then(|| sum(ns) / n / 1e3)
    };
    Some(LogDrives {
        kind: drives().next()?.kind.clone(),
        with_data: class == AllocationClass::Normal,
        write_us: mean_us(DriveCounter::WriteNs, DriveCounter::Writes),
        flush_us: mean_us(DriveCounter::FlushNs, DriveCounter::Flushes),
    })
}

/// Whether a drive that always has a request can do no more. A disk cannot; a flash drive works on many at a time, so
/// that its operations and bytes are compared with its profile's.
fn is_full(variant: &Variant, drive: &str, totals: &Counters, seconds: f64) -> bool {
    let kind = variant.drives.get(drive_kind(drive));
    let Some(flash) = kind.and_then(|kind| kind.drive_profile().ok()).and_then(|p| p.flash) else {
        return true;
    };
    let per_s = |what| totals.count(&Counter::drive(drive, what)) / seconds;
    let (reads, writes) = (per_s(DriveCounter::Reads), per_s(DriveCounter::Writes));
    let (read, written) = (per_s(DriveCounter::ReadBytes), per_s(DriveCounter::WriteBytes));
    let shares = [
        reads / flash.read_iops.value + writes / flash.sustained_iops.value,
        read / (flash.read_mb_s.value * 1e6),
        written / (flash.sustained_mb_s.value * 1e6),
        (read + written) / (flash.shared_mb_s.value * 1e6),
    ];
    shares.into_iter().any(|share| share >= FULL)
}

fn limit(
    trials: &[&Measured],
    client: &ClientFacts,
    drives: &BTreeMap<String, f64>,
    processor: Option<f64>,
    throttled: f64,
    is_full: &dyn Fn(&str) -> bool,
) -> Limit {
    let by_busy = |a: &(&String, &f64), b: &(&String, &f64)| a.1.total_cmp(b.1);
    let busiest = drives.iter().max_by(by_busy);
    let full = drives.iter().filter(|(drive, busy)| **busy >= BUSY && is_full(drive));
    if let Some((drive, busy)) = full.max_by(by_busy) {
        return Limit::Drives { kind: drive_kind(drive).to_owned(), busy: *busy };
    }
    if let Some(busy) = processor.filter(|busy| *busy >= PROCESSOR_BOUND) {
        return Limit::Processor { busy };
    }
    if throttled >= THROTTLED {
        return Limit::Throttle { per_write: throttled };
    }
    let mean = |pick: &dyn Fn(&Measured) -> f64| {
        stats::mean(trials.iter().map(|m| pick(m))).unwrap_or(0.0)
    };
    let (flying, of) = (mean(&in_flight), mean(&|m| m.concurrency));
    if client.paced && flying < PACED * of {
        return Limit::Clients { in_flight: flying, of };
    }
    match busiest {
        Some((drive, busy)) => Limit::Latency { kind: drive_kind(drive).to_owned(), busy: *busy },
        None => Limit::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measurement::Flow;

    fn second(writes: f64, values: &[(Counter, f64)]) -> Second {
        Second { writes, values: values.iter().cloned().collect(), ..Second::default() }
    }

    fn busy(drive: &str, share: f64) -> (Counter, f64) {
        (Counter::drive(drive, DriveCounter::Busy), share)
    }

    fn limit_of(client: ClientFacts, in_flight: f64, second: &Second) -> Limit {
        let measured = Measured {
            concurrency: 8.0,
            runtime_s: 1.0,
            write: Flow { ops: 1000, mean_ns: in_flight * 1e6, ..Flow::default() },
            ..Measured::default()
        };
        limit(
            &[&measured],
            &client,
            &mean_busy([second]),
            mean_processor([second]),
            throttled_per_write([second]),
            &|_| true,
        )
    }

    #[test]
    fn what_is_full_limits_a_cell_drives_before_processor_before_throttle() {
        let all = [
            busy("hdd3", 0.97),
            (Counter::ProcessorBusy, 0.95),
            (Counter::ThrottleDirtyDelay, 800.0),
        ];
        let closed = ClientFacts::default();
        let limit_from = |from: usize| limit_of(closed, 8.0, &second(1000.0, &all[from..]));
        assert_eq!(limit_from(0), Limit::Drives { kind: "hdd".into(), busy: 0.97 });
        assert_eq!(limit_from(1), Limit::Processor { busy: 0.95 });
        assert_eq!(limit_from(2), Limit::Throttle { per_write: 0.8 });
        assert_eq!(limit_from(3), Limit::Unknown);
    }

    #[test]
    fn counters_are_rates_levels_means_and_drives_have_their_own_places() {
        let trial = |commits, size| Measured {
            runtime_s: 10.0,
            totals: [(Counter::ZilCommits, commits), (Counter::ArcSize, size), busy("hdd0", 0.5)]
                .into_iter()
                .chain([(Counter::L2Hits, 0.0)])
                .collect(),
            ..Measured::default()
        };
        let (a, b) = (trial(100.0, 6e9), trial(300.0, 8e9));
        let totals = Counters::added([&a.totals, &b.totals]);
        let expected = Counters::from([(Counter::ZilCommits, 20.0), (Counter::ArcSize, 7e9)]);
        assert_eq!(counters(&[&a, &b], &totals), expected);
    }

    #[test]
    fn clients_that_keep_a_pace_ask_for_no_more_and_others_wait() {
        let idle = second(1000.0, &[busy("hdd0", 0.4)]);
        let waits = Limit::Latency { kind: "hdd".into(), busy: 0.4 };
        assert_eq!(limit_of(ClientFacts::default(), 1.0, &idle), waits);
        let paced = ClientFacts { paced: true, ..ClientFacts::default() };
        assert_eq!(limit_of(paced, 1.0, &idle), Limit::Clients { in_flight: 1.0, of: 8.0 });
        assert_eq!(limit_of(paced, 7.0, &idle), waits, "they cannot keep it");
    }
}
