//! Result lints: contradictions in tables of results, measured or published.
//!
//! One file a lint, each a pure function of the whole table. A lint speaks only where a row states all
//! that it needs: nothing is guessed.

mod arc_drop;
mod bandwidth;
mod capacity;
mod constant_tail;
mod fault_tolerance;
mod fill_time;
mod layout_width;
mod line_rate;
mod little;
mod media_syncs;
mod other_size;
mod over_link;
mod percentile_order;
mod primarycache;
mod raid0_below;
mod range;
mod sync_disabled;
mod table;
mod thin_tail;

pub use table::{Provenance, ReadError, Row, Setup, Table};

use crate::schema::{Lint, LintFinding, Severity};

/// Every lint, in the order of its findings.
const LINTS: [fn(&Table) -> Vec<Lint>; 18] = [
    little::lint,
    bandwidth::lint,
    other_size::lint,
    percentile_order::lint,
    thin_tail::lint,
    constant_tail::lint,
    range::lint,
    media_syncs::lint,
    sync_disabled::lint,
    line_rate::lint,
    over_link::lint,
    primarycache::lint,
    arc_drop::lint,
    fill_time::lint,
    raid0_below::lint,
    layout_width::lint,
    fault_tolerance::lint,
    capacity::lint,
];

/// What all lints find in a table; the worst first.
pub fn contradictions(table: &Table) -> Vec<Lint> {
    let mut all: Vec<Lint> = LINTS.iter().flat_map(|lint| lint(table)).collect();
    all.sort_by_key(|lint| lint.severity);
    all
}

/// A finding on one row.
fn on(row: &Row, severity: Severity, finding: LintFinding) -> Lint {
    Lint { rows: vec![row.name.clone()], severity, finding }
}

/// What is found in single rows: nothing, one thing or several.
fn of_rows<Found: IntoIterator<Item = LintFinding>>(
    table: &Table,
    severity: Severity,
    find: impl Fn(&Row) -> Found,
) -> Vec<Lint> {
    let lints = |row| find(row).into_iter().map(move |finding| on(row, severity, finding));
    table.rows.iter().flat_map(lints).collect()
}

/// What is found in set-ups: what their layout cannot be.
fn of_setups(table: &Table, find: impl Fn(&Setup) -> Option<LintFinding>) -> Vec<Lint> {
    let severity = Severity::Impossible;
    let lint = |(name, setup): (&String, &Setup)| {
        Some(Lint { rows: vec![name.clone()], severity, finding: find(setup)? })
    };
    table.setups.iter().filter_map(lint).collect()
}
