//! Result lints: contradictions in tables of results, measured or published.
//!
//! Each lint is a pure function of the whole table. It speaks only where a row states all that it needs:
//! nothing is guessed.

mod cache;
mod latency;
mod layout;
mod rate;
mod table;

pub use table::{Provenance, ReadError, Row, Setup, Table};

use crate::schema::{Lint, LintFinding, Severity};

/// Every lint, in the order of its findings.
const LINTS: [fn(&Table) -> Vec<Lint>; 18] = [
    latency::little,
    rate::bandwidth,
    rate::other_size,
    latency::percentile_order,
    latency::thin_tail,
    latency::constant_tail,
    rate::range,
    rate::media_syncs,
    rate::sync_disabled,
    rate::line_rate,
    rate::over_link,
    cache::primarycache,
    cache::arc_drop,
    cache::fill_time,
    layout::raid0_below,
    layout::layout_width,
    layout::fault_tolerance,
    layout::capacity,
];

/// What all lints find in a table; the worst first.
pub fn contradictions(table: &Table) -> Vec<Lint> {
    let mut all: Vec<Lint> = LINTS.iter().flat_map(|lint| lint(table)).collect();
    all.sort_by_key(|lint| lint.severity);
    all
}

/// A finding on some rows.
fn on(rows: &[&Row], severity: Severity, finding: LintFinding) -> Lint {
    Lint { rows: rows.iter().map(|row| row.name.clone()).collect(), severity, finding }
}

/// What is found in single rows: nothing, one thing or several.
fn of_rows<Found: IntoIterator<Item = LintFinding>>(
    table: &Table,
    severity: Severity,
    find: impl Fn(&Row) -> Found,
) -> Vec<Lint> {
    let lints = |row| find(row).into_iter().map(move |finding| on(&[row], severity, finding));
    table.rows.iter().flat_map(lints).collect()
}

/// What is found in a row beside another one.
fn of_pairs(
    table: &Table,
    find: impl Fn(&Row, &Row) -> Option<(Severity, LintFinding)>,
) -> Vec<Lint> {
    let pairs = table.rows.iter().flat_map(|row| table.rows.iter().map(move |other| (row, other)));
    pairs
        .filter_map(|(row, other)| {
            let (severity, finding) = find(row, other)?;
            Some(on(&[row, other], severity, finding))
        })
        .collect()
}

/// What is found in set-ups: what their layout cannot be.
fn of_setups(table: &Table, find: impl Fn(&Setup) -> Option<LintFinding>) -> Vec<Lint> {
    let severity = Severity::Impossible;
    let lint = |(name, setup): (&String, &Setup)| {
        Some(Lint { rows: vec![name.clone()], severity, finding: find(setup)? })
    };
    table.setups.iter().filter_map(lint).collect()
}
