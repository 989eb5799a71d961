//! Pool properties (`zpool create -o`), from zpool_prop.c and zfeature_common.c of OpenZFS 2.3.9 and 2.4.4.

use super::Effect::{Modelled, None, NotModelled};
use super::Values::{Comment, Path, SizeNoneAuto, Text, Words};
use super::{ON_OFF, Property, Refused, find, property};
use crate::OpenZfs;

/// Every pool property that can be set, but `ashift`, which a lab states as a number.
pub const TABLE: &[Property] = &[
    property("autotrim", ON_OFF, Modelled),
    property("failmode", Words(&["wait", "continue", "panic"]), Modelled),
    property("autoreplace", ON_OFF, None),
    property("autoexpand", ON_OFF, None),
    property("comment", Comment, None),
    property(
        "compatibility",
        Text,
        NotModelled("the machine enables every feature of its release"),
    ),
    property("delegation", ON_OFF, None),
    property("listsnapshots", ON_OFF, None),
    property("multihost", ON_OFF, NotModelled("the machine writes no multihost heartbeats")),
    property("cachefile", Path(&["none", ""]), None),
    property("altroot", Path(&[]), None),
    property(
        "dedup_table_quota",
        SizeNoneAuto,
        NotModelled("the machine does not limit the deduplication table"),
    ),
];

/// Declares a property for each feature, by the first of the known releases that has it.
macro_rules! features {
    ($($since:ident: $($name:ident)*;)*) => {
        &[$($(Property {
            name: concat!("feature@", stringify!($name)),
            since: OpenZfs::$since,
            values: Words(&["enabled", "disabled"]),
            effect: Modelled,
        },)*)*]
    };
}

/// Every feature.
pub const FEATURES: &[Property] = features! {
    V2_3: async_destroy empty_bpobj lz4_compress multi_vdev_crash_dump spacemap_histogram
        enabled_txg hole_birth extensible_dataset embedded_data bookmarks filesystem_limits
        large_blocks large_dnode sha512 skein edonr userobj_accounting encryption project_quota
        device_removal obsolete_counts zpool_checkpoint spacemap_v2 allocation_classes
        resilver_defer bookmark_v2 redaction_bookmarks redacted_datasets bookmark_written
        log_spacemap livelist device_rebuild zstd_compress draid zilsaxattr head_errlog blake3
        block_cloning vdev_zaps_v2 redaction_list_spill raidz_expansion fast_dedup longname
        large_microzap;
    V2_4: block_cloning_endian dynamic_gang_header physical_rewrite;
};

/// Looks a property up.
///
/// # Errors
/// A name that this release of OpenZFS does not know.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<&'static Property, Refused> {
    if name.starts_with("feature@") {
        return find(FEATURES, "pool", name, openzfs);
    }
    let when = match name {
        "readonly" => Some("at import"),
        "bootfs" => Some("on an existing pool"),
        _ => Option::None,
    };
    if let Some(when) = when {
        return Err(Refused::new(
            format!("`zpool create` does not accept `{name}`"),
            format!("remove it: it can only be set {when}"),
        ));
    }
    find(TABLE, "pool", name, openzfs)
}

/// The range of `ashift` that zpool accepts (`ASHIFT_MIN`, `ASHIFT_MAX`).
pub const ASHIFT: std::ops::RangeInclusive<u8> = 9..=16;
