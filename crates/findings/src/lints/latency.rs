//! Latencies: against rates, and percentiles against one another.

use super::{Row, Table, of_rows, on};
use crate::schema::{Lint, LintFinding, Severity};
use std::collections::BTreeMap;

/// Little's law of a closed loop: rows whose throughput × mean latency is not their concurrency. More in flight than
/// there are places is impossible; fewer is possible where clients do other work, and is reported as implausible.
pub fn little(table: &Table) -> Vec<Lint> {
    /// Published means are rounded, and clients do a little between operations.
    const TOLERANCE: f64 = 0.15;
    let lint = |row: &Row| {
        let (throughput, mean_ms, concurrency) = (row.throughput?, row.mean_ms?, row.concurrency?);
        let in_flight = throughput * mean_ms / 1e3;
        let severity = if in_flight > concurrency * (1.0 + TOLERANCE) {
            Severity::Impossible
        } else if in_flight < concurrency * (1.0 - TOLERANCE) {
            Severity::Implausible
        } else {
            return None;
        };
        let finding = LintFinding::Little { throughput, mean_ms, in_flight, concurrency };
        Some(on(&[row], severity, finding))
    };
    table.rows.iter().filter_map(lint).collect()
}

/// Rows with a higher percentile below a lower one.
pub fn percentile_order(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let stated: Vec<(f64, f64)> =
            [(50.0, row.p50_ms), (95.0, row.p95_ms), (99.0, row.p99_ms), (99.9, row.p999_ms)]
                .into_iter()
                .filter_map(|(percent, value)| Some((percent, value?)))
                .collect();
        let falls = stated.windows(2).filter(|pair| pair[1].1 < pair[0].1);
        let finding = |pair: &[(f64, f64)]| {
            let ((lower, lower_ms), (higher, higher_ms)) = (pair[0], pair[1]);
            LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms }
        };
        falls.map(finding).collect::<Vec<_>>()
    })
}

/// Rows that commit beside checkpoints and transaction groups, and whose p99 hardly exceeds their p95.
pub fn thin_tail(table: &Table) -> Vec<Lint> {
    /// Least p99 ÷ p95 that is plausible. Exponential waiting gives ln 100 ÷ ln 20 = 1.54; a normal
    /// distribution whose spread is half its mean gives 1.19, and checkpoints make tails heavier than
    /// normal, not lighter.
    const PLAUSIBLE: f64 = 1.2;
    of_rows(table, Severity::Implausible, |row| {
        let (p95_ms, p99_ms) = (row.p95_ms?, row.p99_ms?);
        let ratio = p99_ms / p95_ms;
        // Below 1 is another lint's.
        let thin = row.commits_beside_checkpoints && (1.0..PLAUSIBLE).contains(&ratio);
        thin.then_some(LintFinding::ThinTail { p95_ms, p99_ms, ratio, plausible: PLAUSIBLE })
    })
}

/// Workloads with three rows or more whose means differ at least twofold and whose p99 is one and the same multiple of
/// them: computed, or made up, rather than measured.
pub fn constant_tail(table: &Table) -> Vec<Lint> {
    /// Multiples within this of one another are the same.
    const SAME: f64 = 0.02;
    /// Fewest rows that are no coincidence.
    const ROWS: usize = 3;
    /// Means must differ by this much: rows that measured the same thing have the same tail.
    const SPREAD: f64 = 2.0;
    let mut workloads: BTreeMap<&str, Vec<(&Row, f64, f64)>> = BTreeMap::new();
    for row in &table.rows {
        if let (Some(mean), Some(p99)) = (row.mean_ms, row.p99_ms)
            && mean > 0.0
        {
            workloads.entry(&row.workload).or_default().push((row, mean, p99 / mean));
        }
    }
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    };
    let lint = |rows: Vec<(&Row, f64, f64)>| {
        let (least, most) = range(&mut rows.iter().map(|r| r.2));
        let (fast, slow) = range(&mut rows.iter().map(|r| r.1));
        let same = most - least <= SAME * most && slow >= SPREAD * fast;
        let names: Vec<&Row> = rows.iter().map(|r| r.0).collect();
        let finding = LintFinding::ConstantTail { least, most };
        (rows.len() >= ROWS && same).then(|| on(&names, Severity::Implausible, finding))
    };
    workloads.into_values().filter_map(lint).collect()
}
