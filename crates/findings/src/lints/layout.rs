//! Rates, tolerance and capacity: against what a layout of so many drives gives.

use super::{Table, of_pairs, of_setups};
use crate::schema::{Lint, LintFinding, Severity};

/// RAID 0 rows below those of a redundant level with as many drives and the same workload. Under the same settings
/// one of them is wrong; under others the two are not comparable.
pub fn raid0_below(table: &Table) -> Vec<Lint> {
    const REDUNDANT: [&str; 5] = ["raid1", "raid5", "raid6", "raid10", "raid50"];
    /// Differences below this are noise.
    const NOISE: f64 = 0.05;
    of_pairs(table, |row, other_row| {
        let (setup, other_setup) = (table.setup(row)?, table.setup(other_row)?);
        let (raid0, other) = (row.throughput?, other_row.throughput?);
        let level = other_setup.level.clone().filter(|of| REDUNDANT.contains(&of.as_str()))?;
        let comparable = setup.level.as_deref() == Some("raid0")
            && setup.drives.is_some()
            && other_setup.drives == setup.drives
            && other_row.workload == row.workload
            && other_row.size == row.size;
        let same_settings = row.settings == other_row.settings;
        let severity = if same_settings { Severity::Implausible } else { Severity::NotComparable };
        (comparable && other > raid0 * (1.0 + NOISE))
            .then_some((severity, LintFinding::Raid0Below { raid0, other, level, same_settings }))
    })
}

/// Set-ups whose vdevs × (data + parity) is not their number of drives.
pub fn layout_width(table: &Table) -> Vec<Lint> {
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

/// Set-ups whose stated fault tolerance is not their parity, of a group's drives or of all. Where redundancy groups
/// are permuted over all drives (dRAID) any two drives share a group somewhere, so that the tolerance is of all drives
/// and cannot be stated for each group.
pub fn fault_tolerance(table: &Table) -> Vec<Lint> {
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

/// Set-ups whose stated capacity is not what their layout gives: (drives − spares) × data ÷ (data +
/// parity) × bytes of a drive, which also is what a dRAID's groups come to.
pub fn capacity(table: &Table) -> Vec<Lint> {
    /// TB against TiB is 10 %, and padding takes its part: a stated capacity may lie this far below.
    const BELOW: f64 = 0.15;
    /// … and hardly above.
    const ABOVE: f64 = 0.01;
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
