//! Data cannot reach the L2ARC past an ARC that keeps none: the L2ARC is fed from the ARC's lists.

use super::{Table, on};
use crate::schema::{Lint, LintFinding, Severity};

/// Hit ratios below this may be metadata's.
const METADATA: f64 = 0.05;

/// Rows of data reads with L2ARC hits under `primarycache=metadata` or `none`.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .rows
        .iter()
        .filter(|row| row.reads_data)
        .filter_map(|row| {
            let primarycache = row.primarycache.as_ref().filter(|v| *v != "all")?;
            let hits = row.l2arc_hit.filter(|hits| *hits > METADATA)?;
            Some(on(
                row,
                Severity::Impossible,
                LintFinding::PrimaryCache { primarycache: primarycache.clone(), hits },
            ))
        })
        .collect()
}
