//! What configurations cost.

use crate::schema::Price;
use lab::campaign::{Host, Variant};
use std::collections::BTreeSet;

/// Drives that a variant uses.
pub fn drives(variant: &Variant) -> u32 {
    let used: BTreeSet<(&str, u32)> =
        variant.used_drives().map(|d| (d.kind.as_str(), d.index)).collect();
    used.len() as u32
}

/// What the step from one variant to another costs on a machine, drives and memory together, given
/// what lasts of each in operations a second where the one does gain on the other.
pub fn price(host: &Host, from: &Variant, to: &Variant, ops: Option<(f64, f64)>) -> Option<Price> {
    let more = to.price(host)? - from.price(host)?;
    let gained = ops.map(|(from, to)| to - from);
    Some(Price {
        more,
        per_op_s: gained.filter(|gained| *gained > 0.0 && more > 0.0).map(|gained| more / gained),
    })
}
