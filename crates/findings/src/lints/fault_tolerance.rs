//! Stated fault tolerance against the layout's parity.

use super::{Table, of_setups};
use crate::schema::{Lint, LintFinding};

/// Set-ups whose stated fault tolerance is not their parity, of a group's drives or of all. Where redundancy groups
/// are permuted over all drives (dRAID) any two drives share a group somewhere, so that the tolerance is of all drives
/// and cannot be stated for each group.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_setups(table, |setup| {
        let (stated, survives) = (setup.survives?, setup.parity?);
        let stated_of = setup.survives_of.or(setup.drives)?;
        let of = match (setup.permuted, setup.data) {
            (true, _) => setup.drives?,
            (false, Some(data)) => data.saturating_add(survives),
            (false, None) => stated_of,
        };
        let of_all = !setup.permuted && setup.drives == Some(stated_of);
        let wrong = stated != survives || (stated_of != of && !of_all);
        wrong.then_some(LintFinding::FaultTolerance { stated, stated_of, survives, of })
    })
}
