//! Stated fault tolerance against the layout's parity.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};

/// Set-ups whose stated fault tolerance is not their parity, of a group's drives or of all. Where redundancy groups
/// are permuted over all drives (dRAID) any two drives share a group somewhere, so that the tolerance is of all drives
/// and cannot be stated for each group.
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
            let of_all = !setup.permuted && setup.drives == Some(of);
            (survives != parity || (of != group && !of_all)).then(|| Lint {
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
