//! Stated data and parity drives must fit the drives there are.

use super::{Table, of_setups};
use crate::schema::{Lint, LintFinding};

/// Set-ups whose vdevs × (data + parity) is not their number of drives.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_setups(table, |setup| {
        let (drives, vdevs) = (setup.drives?, setup.vdevs.filter(|n| *n > 0)?);
        let (data, parity) = (setup.data?, setup.parity?);
        let spares = setup.spares.unwrap_or(0);
        let needed =
            u128::from(vdevs) * (u128::from(data) + u128::from(parity)) + u128::from(spares);
        let data_actual = (drives.saturating_sub(spares) / vdevs).saturating_sub(parity);
        (needed != u128::from(drives)).then_some(LintFinding::LayoutWidth {
            data,
            parity,
            vdevs,
            spares,
            drives,
            data_actual,
        })
    })
}
