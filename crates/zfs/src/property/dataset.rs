//! Dataset properties (`zfs create -o`), from zfs_prop.c of OpenZFS 2.3.9 and 2.4.4.

use super::{MachineEffect, Property, Refused, Values, find, table};
use crate::OpenZfs;
use std::sync::LazyLock;

/// Every property that can be set on a file system.
pub static TABLE: LazyLock<Vec<Property>> = LazyLock::new(|| table(include_str!("dataset.tsv")));

/// Looks a property up; all user properties (`com.example:name`) share one entry.
///
/// # Errors
/// A name that this release of OpenZFS does not know, or one that belongs to a volume.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<&'static Property, Refused> {
    let instead = match name {
        "volblocksize" => Some("use `recordsize`"),
        "volsize" => Some("remove it: files are as large as the workload says"),
        "volthreading" => Some("remove it"),
        _ => None,
    };
    if let Some(instead) = instead {
        let message = format!("`{name}` is for volumes, but a lab's datasets are file systems");
        return Err(Refused::new(message, instead));
    }
    if READ_ONLY.contains(&name) {
        let message = format!("`{name}` is read-only and cannot be set");
        return Err(Refused::new(message, "remove it"));
    }
    if name == "special_small_blocks" && openzfs >= OpenZfs::V2_4 {
        return Ok(&SPECIAL_SMALL_BLOCKS_2_4);
    }
    if name.contains(':')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.:".contains(c))
    {
        return Ok(&USER);
    }
    let of_whom = name.split_once('@').filter(|(_, whom)| !whom.is_empty());
    if of_whom.is_some_and(|(kind, _)| QUOTAS_OF.contains(&kind)) {
        return Ok(&QUOTA_OF);
    }
    find(&TABLE, "dataset", name, openzfs)
}

/// The names of columns of `zfs get`, which `zfs` takes for the properties (`pd_colname` in zfs_prop.c).
pub const SHORT: [(&str, &str); 6] = [
    ("recsize", "recordsize"),
    ("compress", "compression"),
    ("rdonly", "readonly"),
    ("reserv", "reservation"),
    ("refreserv", "refreservation"),
    ("case", "casesensitivity"),
];

/// The full name of a property that may be written in short.
pub fn full_name(name: &str) -> &str {
    let full = SHORT.iter().find(|(short, _)| *short == name);
    full.map_or(name, |(_, full)| full)
}

/// Properties that tell and cannot be set, of both releases.
const READ_ONLY: [&str; 20] = [
    "available", "compressratio", "createtxg", "creation", "encryptionroot", "guid", "keystatus",
    "logicalreferenced", "logicalused", "mounted", "name", "objsetid", "origin",
    "refcompressratio", "referenced", "type", "used", "usedbydataset", "usedbysnapshots",
    "written",
];

/// Quotas of one user, group or project: `userquota@joe`.
const QUOTAS_OF: [&str; 6] =
    ["userquota", "groupquota", "projectquota", "userobjquota", "groupobjquota", "projectobjquota"];

/// What all of these have in common.
static QUOTA_OF: Property = property(
    "quota",
    Values::Size { min: 0, max: u64::MAX, words: &["none"] },
    MachineEffect::NotModelled("the machine has no users, groups and projects of its own"),
);

/// What all user properties have in common.
static USER: Property = property("user property", Values::Text, MachineEffect::None);

/// `special_small_blocks` since 2.4, which takes any size and not only powers of two.
static SPECIAL_SMALL_BLOCKS_2_4: Property = property(
    "special_small_blocks",
    Values::Size { min: 0, max: MAX_RECORDSIZE, words: &[] },
    MachineEffect::Modelled,
);

const fn property(name: &'static str, values: Values, effect: MachineEffect) -> Property {
    Property { name, since: OpenZfs::V2_3, values, effect }
}

/// Checks a value, with the limits that depend on the release and on module parameters.
///
/// # Errors
/// What ZFS would refuse.
pub fn check(property: &Property, value: &str, max_recordsize: u64) -> Result<String, Refused> {
    let printed = property.check(value)?;
    if matches!(property.name, "recordsize" | "special_small_blocks")
        && crate::units::size(&printed).is_ok_and(|size| size > max_recordsize)
    {
        let (name, most) = (property.name, crate::units::print_size(max_recordsize));
        return Err(Refused::new(
            format!("`{name}` cannot be {value}: `zfs_max_recordsize` is {most} here"),
            "raise `zfs_max_recordsize` in [module], or use a smaller value",
        ));
    }
    Ok(printed)
}

/// Largest `recordsize` without a module parameter, bytes (`zfs_max_recordsize`).
pub const MAX_RECORDSIZE: u64 = 16 << 20;

/// Defaults of the properties that decide how data is stored and cached; of both known releases (zfs_prop.c).
pub const DEFAULTS: [(&str, &str); 12] = [
    ("recordsize", "128K"),
    ("sync", "standard"),
    ("logbias", "latency"),
    ("primarycache", "all"),
    ("secondarycache", "all"),
    ("compression", "on"),
    ("checksum", "on"),
    ("copies", "1"),
    ("dedup", "off"),
    ("encryption", "off"),
    ("redundant_metadata", "all"),
    ("special_small_blocks", "0"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str, openzfs: OpenZfs) -> Result<String, Refused> {
        check(lookup(name, openzfs)?, value, MAX_RECORDSIZE)
    }

    #[test]
    fn recordsize_is_a_power_of_two_up_to_its_limit() {
        for (value, taken) in [
            ("16384", true),
            ("512", true),
            ("16M", true),
            ("32M", false),
            ("256", false),
            ("100K", false),
            ("big", false),
        ] {
            let set = set("recordsize", value, OpenZfs::V2_4);
            assert_eq!(set.is_ok(), taken, "{value}");
        }
        let recordsize = lookup("recordsize", OpenZfs::V2_4).unwrap();
        assert_eq!(check(recordsize, "16384", MAX_RECORDSIZE), Ok("16K".to_owned()));
        assert_eq!(
            check(recordsize, "100K", MAX_RECORDSIZE).map_err(|e| e.fix),
            Err("write 64K or 128K".to_owned())
        );
        assert!(check(recordsize, "2M", 1 << 20).is_err(), "a lower limit");
    }

    #[test]
    fn newer_properties_and_values_need_the_newer_release() {
        for (name, value) in [
            ("defaultuserquota", "10G"),
            ("special_small_blocks", "48K"),
            ("special_small_blocks", "3K"),
        ] {
            assert!(set(name, value, OpenZfs::V2_3).is_err(), "{name}");
            assert!(set(name, value, OpenZfs::V2_4).is_ok(), "{name}");
        }
        assert!(set("special_small_blocks", "17M", OpenZfs::V2_4).is_err());
    }

    #[test]
    fn values_of_zfs_are_accepted_and_others_refused() {
        for (name, value) in [
            ("compression", "zstd-19"),
            ("compression", "gzip-9"),
            ("compression", "zstd-fast-1000"),
            ("special_small_blocks", "0"),
            ("special_small_blocks", "64K"),
            ("dnodesize", "auto"),
            ("com.example:owner", "me"),
            ("quota", "none"),
            ("userquota@joe", "10G"),
            ("mountpoint", "/srv/db"),
            ("mountpoint", "legacy"),
            ("acltype", "disabled"),
            ("special_small_blocks", "1M"),
            ("checksum", "blake3"),
            ("direct", "disabled"),
        ] {
            for openzfs in OpenZfs::ALL {
                assert!(set(name, value, openzfs).is_ok(), "{name}={value}");
            }
        }
        for (name, value) in [
            ("compression", "zstd-20"),
            ("compression", "gzip-0"),
            ("sync", "off"),
            ("copies", "4"),
            ("special_small_blocks", "32M"),
            ("quota", "0"),
            ("mountpoint", "srv"),
            ("userquota@", "10G"),
            ("volblocksize", "16K"),
            ("used", "1"),
        ] {
            for openzfs in OpenZfs::ALL {
                assert!(set(name, value, openzfs).is_err(), "{name}={value}");
            }
        }
    }

    #[test]
    fn a_property_of_volumes_is_refused_with_what_is_there_instead() {
        let fix = |name| lookup(name, OpenZfs::ALL[0]).unwrap_err().fix;
        assert_eq!(fix("volblocksize"), "use `recordsize`");
        assert_eq!(fix("volsize"), "remove it: files are as large as the workload says");
    }

    #[test]
    fn no_property_is_listed_twice() {
        for (i, property) in TABLE.iter().enumerate() {
            assert!(
                TABLE[i + 1..].iter().all(|other| other.name != property.name),
                "{}",
                property.name
            );
        }
    }
}
