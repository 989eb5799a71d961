//! An L2ARC costs the ARC its headers, and no more.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};

/// Bytes of ARC a block in the L2ARC takes: `HDR_L2ONLY_SIZE` of OpenZFS 2.1 and 2.3 is 96.
const HEADER: f64 = 96.0;
/// Points that hit ratios move by themselves between runs.
const NOISE: f64 = 0.03;

/// Rows whose ARC hit ratio falls further against the row without L2ARC than headers explain. They take
/// at most the share (blocks that fit the L2ARC or the data set) × 96 bytes ÷ ARC; and since the last
/// part of a cache holds its coldest blocks, a cache smaller by that share loses at most that share of
/// its hits.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter_map(|row| {
            let setup = table.setup(row)?;
            let base = table.row(row.without_l2arc.as_ref()?)?;
            let (without, with) = (base.arc_hit?, row.arc_hit?);
            let (arc, recordsize) = (setup.arc?, setup.recordsize?);
            let held = setup.l2arc?.min(setup.dataset.unwrap_or(f64::MAX));
            let headers = held / recordsize * HEADER;
            let explained = without * (headers / arc).min(1.0);
            (without - with > explained + NOISE).then(|| Lint {
                rows: vec![row.name.clone(), base.name.clone()],
                severity: Severity::Implausible,
                finding: LintFinding::ArcDrop { without, with, arc, headers, explained },
            })
        })
        .collect()
}
