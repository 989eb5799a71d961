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
    property("comment", Values::Text, None),
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
    property("cachefile", Values::Text, None),
    property("altroot", Values::Text, None),
    property("bootfs", Values::Text, None),
    property(
        "readonly",
        ON_OFF,
        NotModelled("the workloads write where they please"),
    ),
    since_2_3(
        "dedup_table_quota",
        Values::Text,
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
    find(TABLE, "pool", name, openzfs)
}

/// The range of `ashift` that zpool accepts (`ASHIFT_MIN`, `ASHIFT_MAX`).
pub const ASHIFT: std::ops::RangeInclusive<u8> = 9..=16;
