//! Latency from merged histograms.

use crate::schema::{Latency, Percentile};
use measurement::{Flow, HISTOGRAM_END_NS, Measured};
use stats::histogram::Histogram;

/// Percentiles of the curve in a report.
const CURVE: [f64; 13] =
    [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

/// The latency of some flows together; none when there was no operation.
pub fn merged(flows: &[&Flow]) -> Option<Latency> {
    let histogram = histogram(flows);
    let us = |q: f64| histogram.quantile(q).map(|ns| ns as f64 / 1e3);
    let count = histogram.count();
    Some(Latency {
        mean_us: mean_ns(flows)? / 1e3,
        p50_us: us(0.50)?,
        p95_us: us(0.95)?,
        p99_us: us(0.99)?,
        p999_us: us(0.999).filter(|_| count >= 1000),
        count,
        overflow: histogram.overflow(),
    })
}

/// Mean over the operations of some flows, ns.
pub fn mean_ns(flows: &[&Flow]) -> Option<f64> {
    let ops: u64 = flows.iter().map(|f| f.ops).sum();
    let time: f64 = flows.iter().map(|f| f.ops as f64 * f.mean_ns).sum();
    (ops > 0).then(|| time / ops as f64)
}

/// The client's time per read or write, syncs included, µs; none without operations.
pub fn client_us(trials: &[&Measured]) -> Option<f64> {
    let (mut time, mut ops) = (0.0, 0.0);
    for m in trials {
        for flow in [&m.read, &m.write, &m.sync] {
            time += flow.ops as f64 * flow.mean_ns / 1e3;
        }
        ops += m.operations();
    }
    (ops > 0.0 && time > 0.0).then(|| time / ops)
}

/// What clients wait for: reads, writes and syncs. The mean is their time per read or write with the syncs
/// that belong to it (so that throughput × mean is the concurrency); percentiles are over all calls. Of a
/// job that calls fsync the write alone is a copy to memory. None without operations.
pub fn of_clients(trials: &[&Measured]) -> Option<Latency> {
    let calls: Vec<&Flow> = trials.iter().flat_map(|m| [&m.read, &m.write, &m.sync]).collect();
    let latency = merged(&calls)?;
    Some(Latency { mean_us: client_us(trials)?, ..latency })
}

/// The latency curve of some flows together. Points that the number of operations cannot tell (fewer
/// than ten beyond them) are left out.
pub fn curve(flows: &[&Flow]) -> Vec<Percentile> {
    let histogram = histogram(flows);
    let beyond = |percent: f64| (1.0 - percent / 100.0) * histogram.count() as f64;
    CURVE
        .into_iter()
        .filter(|percent| *percent <= 50.0 || beyond(*percent) >= 10.0)
        .filter_map(|percent| {
            Some(Percentile { percent, us: histogram.quantile(percent / 100.0)? as f64 / 1e3 })
        })
        .collect()
}

fn histogram(flows: &[&Flow]) -> Histogram {
    let parts = flows.iter().map(|f| (f.histogram.as_slice(), f.overflow));
    Histogram::merged(parts, HISTOGRAM_END_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(ops: u64, ns: u64) -> Flow {
        Flow { ops, bytes: ops * 8192, mean_ns: ns as f64, histogram: vec![(ns, ops)], overflow: 0 }
    }

    #[test]
    fn reads_and_writes_are_merged_by_count() {
        let merged = merged(&[&flow(900, 1_000_000), &flow(100, 11_000_000)]).unwrap();
        assert_eq!(merged.mean_us, 2000.0);
        assert_eq!(merged.p50_us, 1000.0);
        assert_eq!(merged.p95_us, 11_000.0);
        assert_eq!(merged.count, 1000);
        assert!(merged.p999_us.is_some());
    }

    #[test]
    fn a_percentile_beyond_the_histogram_is_its_end_and_not_its_last_bin() {
        // 1.5 % of the operations hung for longer than fio tells apart.
        let hung =
            Flow { histogram: vec![(5_000_000, 1970)], overflow: 30, ..flow(2000, 5_000_000) };
        let latency = merged(&[&hung]).unwrap();
        assert_eq!(latency.p95_us, 5000.0);
        assert!(latency.p99_us > 17e6, "{latency:?}");
    }

    #[test]
    fn no_operation_has_no_latency() {
        assert_eq!(merged(&[&Flow::default()]), None);
        assert!(curve(&[&Flow::default()]).is_empty());
    }

    #[test]
    fn the_curve_ends_where_the_operations_do() {
        let last = |ops| curve(&[&flow(ops, 5)]).last().unwrap().percent;
        assert_eq!(last(1000), 99.0);
        assert_eq!(last(200), 95.0);
        assert_eq!(last(100_000), 99.99);
    }
}
