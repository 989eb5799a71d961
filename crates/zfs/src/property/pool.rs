//! Pool properties (`zpool create -o`), from zpool_prop.c and zfeature_common.c of OpenZFS 2.3.9 and 2.4.4.

use super::{Property, Refused, find, table};
use crate::OpenZfs;
use std::sync::LazyLock;

/// Every pool property that can be set, but `ashift`, which a lab states as a number.
pub static TABLE: LazyLock<Vec<Property>> = LazyLock::new(|| table(include_str!("pool.tsv")));

/// Every feature.
pub static FEATURES: LazyLock<Vec<Property>> =
    LazyLock::new(|| table(include_str!("features.tsv")));

/// Looks a property up.
///
/// # Errors
/// A name that this release of OpenZFS does not know.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<&'static Property, Refused> {
    if name.starts_with("feature@") {
        return find(&FEATURES, "pool", name, openzfs);
    }
    let when = match name {
        "readonly" => Some("at import"),
        "bootfs" => Some("on an existing pool"),
        _ => None,
    };
    if let Some(when) = when {
        return Err(Refused::new(
            format!("`zpool create` does not accept `{name}`"),
            format!("remove it: it can only be set {when}"),
        ));
    }
    find(&TABLE, "pool", name, openzfs)
}

/// The range of `ashift` that zpool accepts (`ASHIFT_MIN`, `ASHIFT_MAX`).
pub const ASHIFT: std::ops::RangeInclusive<u8> = 9..=16;
