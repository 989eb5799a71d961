//! Hits of ARC and L2ARC: against what these can hold, and what they are fed.

use super::{Row, Table, of_rows, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Rows of data reads with L2ARC hits under `primarycache=metadata` or `none`: the L2ARC is fed from the ARC's lists,
/// and data cannot reach it past an ARC that keeps none.
pub fn primarycache(table: &Table) -> Vec<Lint> {
    /// Hit ratios below this may be metadata's.
    const METADATA: f64 = 0.05;
    of_rows(table, Severity::Impossible, |row| {
        let primarycache = row.primarycache.clone().filter(|v| row.reads_data && v != "all")?;
        let hits = row.l2arc_hit.filter(|hits| *hits > METADATA)?;
        Some(LintFinding::PrimaryCache { primarycache, hits })
    })
}

/// Rows whose ARC hit ratio falls further against the row without L2ARC than headers explain. They take
/// at most the share (blocks that fit the L2ARC or the data set) × 96 bytes ÷ ARC; and since the last
/// part of a cache holds its coldest blocks, a cache smaller by that share loses at most that share of
/// its hits.
pub fn arc_drop(table: &Table) -> Vec<Lint> {
    /// Bytes of ARC a block in the L2ARC takes: `HDR_L2ONLY_SIZE` of OpenZFS 2.1 and 2.3 is 96.
    const HEADER: f64 = 96.0;
    /// Points that hit ratios move by themselves between runs.
    const NOISE: f64 = 0.03;
    let lint = |row: &Row| {
        let setup = table.setup(row)?;
        let base = table.row(row.without_l2arc.as_ref()?)?;
        let (without, with) = (base.arc_hit?, row.arc_hit?);
        let (arc, recordsize) = (setup.arc?, setup.recordsize?);
        let held = setup.l2arc?.min(setup.dataset.unwrap_or(f64::MAX));
        let headers = held / recordsize * HEADER;
        let explained = without * (headers / arc).min(1.0);
        let finding = LintFinding::ArcDrop { without, with, arc, headers, explained };
        (without - with > explained + NOISE)
            .then(|| on(&[row, base], Severity::Implausible, finding))
    };
    table.rows.iter().filter_map(lint).collect()
}

/// Rows with L2ARC hits on a uniformly read data set that its feed cannot have filled in the run: hits
/// of a share of uniform reads need that share of the data set in the L2ARC.
pub fn fill_time(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Implausible, |row| {
        let setup = table.setup(row).filter(|setup| setup.uniform)?;
        let (hits, run, feed) = (row.l2arc_hit?, row.runtime_s?, setup.l2arc_feed?);
        let bytes = hits * setup.dataset?;
        let seconds = bytes / feed;
        (seconds > run).then_some(LintFinding::FillTime { hits, bytes, feed, seconds, run })
    })
}
