//! Rates and bandwidths: against one another, a link, and a rotating medium.

use super::{Table, of_pairs, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows that state bandwidth, operations and their size, and contradict themselves.
pub fn bandwidth(table: &Table) -> Vec<Lint> {
    /// Rounding, and MB against MiB (4.9 %).
    const TOLERANCE: f64 = 0.06;
    of_rows(table, Severity::Impossible, |row| {
        let (bandwidth, throughput, size) = (row.bandwidth?, row.throughput?, row.size?);
        let computed = throughput * size;
        let off = (bandwidth - computed).abs() > TOLERANCE * computed.max(bandwidth);
        off.then_some(LintFinding::Bandwidth { bandwidth, throughput, size })
    })
}

/// Pairs of rows of one set-up and one workload, one with a bandwidth alone and one with operations
/// and their size, where the two bandwidths differ: another block size was measured.
pub fn other_size(table: &Table) -> Vec<Lint> {
    /// Bandwidths that differ by less may be the same measurement.
    const TOLERANCE: f64 = 0.2;
    of_pairs(table, |alone, other| {
        let bandwidth = alone.bandwidth.filter(|_| alone.throughput.is_none())?;
        let comparable = alone.setup.is_some()
            && other.setup == alone.setup
            && other.workload == alone.workload
            && other.settings == alone.settings;
        let (throughput, size) = (other.throughput.filter(|_| comparable)?, other.size?);
        let computed = throughput * size;
        let size = bandwidth / throughput;
        ((bandwidth - computed).abs() > TOLERANCE * computed.max(bandwidth)).then_some((
            Severity::NotComparable,
            LintFinding::OtherSize { bandwidth, computed, size },
        ))
    })
}

/// Rows whose text says that they fill a link that they do not.
pub fn line_rate(table: &Table) -> Vec<Lint> {
    /// A link is full from this share on (headers and acknowledgements take the rest).
    const FULL: f64 = 0.8;
    of_rows(table, Severity::Impossible, |row| {
        let (link, bits) = (row.said_to_fill?, 8.0 * row.moved()?);
        (bits < FULL * link).then_some(LintFinding::NotLineRate { bits, link })
    })
}

/// Rows whose bandwidth exceeds their set-up's link.
pub fn over_link(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let (link, bandwidth) = (table.setup(row)?.link? / 8.0, row.moved()?);
        (bandwidth > link).then_some(LintFinding::OverLink { bandwidth, link })
    })
}

/// Rows with more synchronous commits than the medium can turn: something answers before the medium
/// does, a write-back cache for instance. Clients that commit together share a revolution, so the bound
/// grows with their number.
pub fn media_syncs(table: &Table) -> Vec<Lint> {
    /// Commits a revolution at best: a client that commits in turn to several vdevs can catch another one
    /// in time for the next half revolution, hardly more.
    const PER_REVOLUTION: f64 = 2.0;
    of_rows(table, Severity::Impossible, |row| {
        let setup = table.setup(row)?;
        let (rpm, vdevs) = (setup.sync_rpm?, setup.vdevs.unwrap_or(1));
        let syncs = row.throughput? * row.syncs.filter(|syncs| *syncs > 0.0)?;
        let together = row.concurrency.unwrap_or(1.0).max(1.0);
        let at_most = rpm / 60.0 * PER_REVOLUTION * together;
        (syncs > at_most).then_some(LintFinding::MediaSyncs { syncs, at_most, rpm, vdevs })
    })
}

/// Rows that are called synchronous although the data set ignores it. Where the same writes without
/// syncs were many times faster, sync was probably active after all, and the listing is of another
/// moment.
pub fn sync_disabled(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::NotComparable, |row| {
        row.sync.as_ref().filter(|sync| *sync == "disabled")?;
        row.syncs.filter(|syncs| *syncs > 0.0)?;
        let throughput = row.throughput?;
        let unsynced = row.unsynced.as_ref().and_then(|name| table.row(name)?.throughput);
        let unsynced_faster = unsynced.map(|x| x / throughput);
        Some(LintFinding::SyncDisabled { throughput, unsynced_faster })
    })
}

/// Rows with a share outside 0 to 1, or a rate or time below 0.
pub fn range(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let columns = [
            ("arc_hit", row.arc_hit, 1.0),
            ("l2arc_hit", row.l2arc_hit, 1.0),
            ("throughput", row.throughput, f64::MAX),
            ("bandwidth", row.bandwidth, f64::MAX),
            ("size", row.size, f64::MAX),
            ("concurrency", row.concurrency, f64::MAX),
            ("mean_ms", row.mean_ms, f64::MAX),
            ("p50_ms", row.p50_ms, f64::MAX),
            ("p95_ms", row.p95_ms, f64::MAX),
            ("p99_ms", row.p99_ms, f64::MAX),
            ("p999_ms", row.p999_ms, f64::MAX),
            ("runtime_s", row.runtime_s, f64::MAX),
        ];
        columns.into_iter().filter_map(|(column, value, most)| {
            let value = value.filter(|value| !(0.0..=most).contains(value))?;
            Some(LintFinding::Range { column: column.to_owned(), value })
        })
    })
}
