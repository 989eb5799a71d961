//! What configurations cost.

use crate::output::Cost;
use lab::campaign::Variant;
use std::collections::BTreeSet;

/// Drives in a variant's pool.
pub fn drives(variant: &Variant) -> u32 {
    used(variant).len() as u32
}

fn used(variant: &Variant) -> BTreeSet<(&str, u32)> {
    let all = variant.pool.vdevs.iter().flat_map(|v| &v.drives);
    all.map(|d| (d.kind.as_str(), d.index)).collect()
}

/// The price of the drives in a variant's pool; none unless each has one.
pub fn of(variant: &Variant) -> Option<f64> {
    used(variant)
        .into_iter()
        .map(|(kind, _)| variant.drives.get(kind)?.price)
        .sum()
}

/// What the step from one variant to another costs, given what lasts of each in operations a second.
pub fn cost(from: &Variant, to: &Variant, ops: Option<(f64, f64)>) -> Option<Cost> {
    let more = of(to)? - of(from)?;
    let gained = ops.map(|(from, to)| to - from);
    Some(Cost {
        more,
        per_op_s: gained
            .filter(|gained| *gained > 0.0 && more > 0.0)
            .map(|gained| more / gained),
    })
}
