//! Data cannot reach the L2ARC past an ARC that keeps none: the L2ARC is fed from the ARC's lists.

use super::{Table, of_rows};
use crate::schema::{Lint, LintFinding, Severity};

/// Hit ratios below this may be metadata's.
const METADATA: f64 = 0.05;

/// Rows of data reads with L2ARC hits under `primarycache=metadata` or `none`.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_rows(table, Severity::Impossible, |row| {
        let primarycache = row.primarycache.clone().filter(|v| row.reads_data && v != "all")?;
        let hits = row.l2arc_hit.filter(|hits| *hits > METADATA)?;
        Some(LintFinding::PrimaryCache { primarycache, hits })
    })
}
