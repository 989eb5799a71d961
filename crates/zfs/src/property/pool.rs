//! Pool properties (`zpool create -o`), from zpool_prop.c and zfeature_common.c of OpenZFS 2.3.9 and 2.4.4.

use super::Effect::{Modelled, None, NotModelled};
use super::{ON_OFF, Property, Refused, Values, find, property};
use crate::OpenZfs;

/// Every pool property that can be set, but `ashift`, which a lab states as a number.
pub const TABLE: &[Property] = &[
    property("autotrim", ON_OFF, Modelled),
    property("failmode", Values::Words(&["wait", "continue", "panic"]), Modelled),
    property("autoreplace", ON_OFF, None),
    property("autoexpand", ON_OFF, None),
    property("comment", Values::Comment, None),
    property(
        "compatibility",
        Values::Text,
        NotModelled("the machine enables every feature of its release"),
    ),
    property("delegation", ON_OFF, None),
    property("listsnapshots", ON_OFF, None),
    property("multihost", ON_OFF, NotModelled("the machine writes no multihost heartbeats")),
    property("cachefile", Values::Path(&["none", ""]), None),
    property("altroot", Values::Path(&[]), None),
    property(
        "dedup_table_quota",
        Values::SizeNoneAuto,
        NotModelled("the machine does not limit the deduplication table"),
    ),
];

/// Every feature, with the first of the known releases that has it.
pub const FEATURES: &[Property] = &[
    feature("feature@async_destroy", OpenZfs::V2_3),
    feature("feature@empty_bpobj", OpenZfs::V2_3),
    feature("feature@lz4_compress", OpenZfs::V2_3),
    feature("feature@multi_vdev_crash_dump", OpenZfs::V2_3),
    feature("feature@spacemap_histogram", OpenZfs::V2_3),
    feature("feature@enabled_txg", OpenZfs::V2_3),
    feature("feature@hole_birth", OpenZfs::V2_3),
    feature("feature@extensible_dataset", OpenZfs::V2_3),
    feature("feature@embedded_data", OpenZfs::V2_3),
    feature("feature@bookmarks", OpenZfs::V2_3),
    feature("feature@filesystem_limits", OpenZfs::V2_3),
    feature("feature@large_blocks", OpenZfs::V2_3),
    feature("feature@large_dnode", OpenZfs::V2_3),
    feature("feature@sha512", OpenZfs::V2_3),
    feature("feature@skein", OpenZfs::V2_3),
    feature("feature@edonr", OpenZfs::V2_3),
    feature("feature@userobj_accounting", OpenZfs::V2_3),
    feature("feature@encryption", OpenZfs::V2_3),
    feature("feature@project_quota", OpenZfs::V2_3),
    feature("feature@device_removal", OpenZfs::V2_3),
    feature("feature@obsolete_counts", OpenZfs::V2_3),
    feature("feature@zpool_checkpoint", OpenZfs::V2_3),
    feature("feature@spacemap_v2", OpenZfs::V2_3),
    feature("feature@allocation_classes", OpenZfs::V2_3),
    feature("feature@resilver_defer", OpenZfs::V2_3),
    feature("feature@bookmark_v2", OpenZfs::V2_3),
    feature("feature@redaction_bookmarks", OpenZfs::V2_3),
    feature("feature@redacted_datasets", OpenZfs::V2_3),
    feature("feature@bookmark_written", OpenZfs::V2_3),
    feature("feature@log_spacemap", OpenZfs::V2_3),
    feature("feature@livelist", OpenZfs::V2_3),
    feature("feature@device_rebuild", OpenZfs::V2_3),
    feature("feature@zstd_compress", OpenZfs::V2_3),
    feature("feature@draid", OpenZfs::V2_3),
    feature("feature@zilsaxattr", OpenZfs::V2_3),
    feature("feature@head_errlog", OpenZfs::V2_3),
    feature("feature@blake3", OpenZfs::V2_3),
    feature("feature@block_cloning", OpenZfs::V2_3),
    feature("feature@vdev_zaps_v2", OpenZfs::V2_3),
    feature("feature@redaction_list_spill", OpenZfs::V2_3),
    feature("feature@raidz_expansion", OpenZfs::V2_3),
    feature("feature@fast_dedup", OpenZfs::V2_3),
    feature("feature@longname", OpenZfs::V2_3),
    feature("feature@large_microzap", OpenZfs::V2_3),
    feature("feature@block_cloning_endian", OpenZfs::V2_4),
    feature("feature@dynamic_gang_header", OpenZfs::V2_4),
    feature("feature@physical_rewrite", OpenZfs::V2_4),
];

const fn feature(name: &'static str, since: OpenZfs) -> Property {
    Property { name, since, values: Values::Words(&["enabled", "disabled"]), effect: Modelled }
}

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
        return Err(Refused {
            message: format!("`zpool create` does not accept `{name}`"),
            fix: format!("remove it: it can only be set {when}"),
        });
    }
    find(TABLE, "pool", name, openzfs)
}

/// The range of `ashift` that zpool accepts (`ASHIFT_MIN`, `ASHIFT_MAX`).
pub const ASHIFT: std::ops::RangeInclusive<u8> = 9..=16;
