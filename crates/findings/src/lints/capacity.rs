//! Stated capacity against drives less parity and spares.

use super::{Table, of_setups};
use crate::schema::{Lint, LintFinding};

/// TB against TiB is 10 %, and padding takes its part: a stated capacity may lie this far below.
const BELOW: f64 = 0.15;
/// … and hardly above.
const ABOVE: f64 = 0.01;

/// Set-ups whose stated capacity is not what their layout gives: (drives − spares) × data ÷ (data +
/// parity) × bytes of a drive, which also is what a dRAID's groups come to.
pub fn lint(table: &Table) -> Vec<Lint> {
    of_setups(table, |setup| {
        let (drives, data, parity) = (setup.drives?, setup.data?, setup.parity?);
        let (bytes, stated) = (setup.drive_bytes?, setup.capacity?);
        let left = f64::from(drives.saturating_sub(setup.spares.unwrap_or(0)));
        let width = f64::from(data) + f64::from(parity);
        let computed = left * f64::from(data) / width * bytes;
        let off = stated > computed * (1.0 + ABOVE) || stated < computed * (1.0 - BELOW);
        off.then_some(LintFinding::Capacity { stated, computed })
    })
}
