//! Pool properties (`zpool create -o`), from zpool_prop.c of 2.1.11 and 2.3.2.

use super::Effect::{Modelled, None, NotModelled};
use super::{ON_OFF, Property, Refused, Values, find, property, since_2_3};
use crate::campaign::OpenZfs;

/// Every pool property that can be set, but `ashift`, which a lab states as a number.
pub const TABLE: &[Property] = &[
    property("autotrim", ON_OFF, Modelled),
    property(
        "failmode",
        Values::Words(&["wait", "continue", "panic"]),
        Modelled,
    ),
    property("autoreplace", ON_OFF, None),
    property("autoexpand", ON_OFF, None),
    property("comment", Values::Comment, None),
    property(
        "compatibility",
        Values::Text,
        NotModelled("the model enables every feature of its version"),
    ),
    property("delegation", ON_OFF, None),
    property("listsnapshots", ON_OFF, None),
    property(
        "multihost",
        ON_OFF,
        NotModelled("the model writes no multihost heartbeats"),
    ),
    property("cachefile", Values::Path(&["none", ""]), None),
    property("altroot", Values::Path(&[]), None),
    since_2_3(
        "dedup_table_quota",
        Values::SizeNoneAuto,
        NotModelled("the model has no limit on the table"),
    ),
];

/// What all `feature@NAME` have in common.
pub static FEATURE: Property = property(
    "feature",
    Values::Words(&["enabled", "disabled"]),
    NotModelled("the model enables every feature of its version"),
);

/// Looks a property up.
///
/// # Errors
/// A name that this version of OpenZFS does not know.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<&'static Property, Refused> {
    if name.starts_with("feature@") {
        return Ok(&FEATURE);
    }
    let when = match name {
        "readonly" => Some("at import only"),
        "bootfs" => Some("of a pool that is there already"),
        _ => Option::None,
    };
    if let Some(when) = when {
        return Err(Refused {
            message: format!("`zpool create` does not take `{name}`"),
            fix: format!("it is set {when}: remove it"),
        });
    }
    find(TABLE, "pool", name, openzfs)
}

/// The range of `ashift` that zpool accepts (`ASHIFT_MIN`, `ASHIFT_MAX`).
pub const ASHIFT: std::ops::RangeInclusive<u8> = 9..=16;
