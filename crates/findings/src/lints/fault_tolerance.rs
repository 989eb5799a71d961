//! Stated fault tolerance against the layout's parity.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};

/// Set-ups that are said to survive another number of drives than their parity, or, where redundancy
/// groups are permuted over all drives (dRAID), that number of each group: there, any two drives share
/// a group somewhere, so that it is of all of them.
pub fn lint(table: &Table) -> Vec<Lint> {
    table
        .setups
        .iter()
        .filter_map(|(name, setup)| {
            let (survives, parity) = (setup.survives?, setup.parity?);
            let of = setup.survives_of.or(setup.drives)?;
            let group = match (setup.permuted, setup.data) {
                (true, _) => setup.drives?,
                (false, Some(data)) => data.saturating_add(parity),
                (false, None) => of,
            };
            (survives != parity || of != group).then(|| Lint {
                rows: vec![name.clone()],
                severity: Severity::Impossible,
                finding: LintFinding::FaultTolerance {
                    stated: survives,
                    stated_of: of,
                    survives: parity,
                    of: group,
                },
            })
        })
        .collect()
}
