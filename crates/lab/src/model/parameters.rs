//! The module parameters with which a machine loads zfs.ko.

use super::Model;
use crate::campaign::{Host, Variant};
use std::collections::BTreeMap;
use zfs::memory::{LEAST_ARC_MIN, accepts_arc_min};

/// The parameters that follow from a model alone; a lab's own values of them are of the real server and enter
/// the model.
pub const SET: [&str; 5] = [
    "zfs_arc_max", "zfs_arc_min", "zfs_dirty_data_max", "zfs_dirty_data_max_max",
    "zfs_wrlog_data_max",
];

/// Shares of memory, which would be the guest's and not the server's: the limits above are set instead.
const SHARES: [&str; 2] = ["zfs_dirty_data_max_percent", "zfs_dirty_data_max_max_percent"];

/// Every module parameter of a variant's machine. `model` is that variant's ([`super::variant_model`]).
/// The server's
/// values are scaled where they size a stock, and as written otherwise.
pub fn parameters(model: &Model, host: &Host, variant: &Variant) -> BTreeMap<String, i64> {
    let memory = variant.host(host).memory;
    // OpenZFS's default is a 32nd of memory, which would be the guest's, or half of a limit that is below that
    // (`arc_init`).
    let arc_max = super::memory_limits::arc_max(host, variant);
    let default = if arc_max <= memory / 32 { arc_max / 2 } else { memory / 32 };
    let stated = super::memory_limits::parameter(variant, "zfs_arc_min")
        .filter(|bytes| accepts_arc_min(*bytes, arc_max))
        .unwrap_or(default);
    let arc_min = ((stated as f64 / model.size) as u64).max(LEAST_ARC_MIN).min(model.arc_max);
    let values =
        [model.arc_max, arc_min, model.dirty_data_max, model.dirty_data_max, model.wrlog_data_max];
    let own = variant
        .module
        .iter()
        .filter(|(name, _)| !SHARES.contains(&name.as_str()) && !SET.contains(&name.as_str()));
    let mut all: BTreeMap<String, i64> = own.map(|(name, value)| (name.clone(), *value)).collect();
    all.extend(model.module.clone());
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    all.extend(SET.iter().zip(values).map(|(name, bytes)| ((*name).to_owned(), signed(bytes))));
    all
}
