//! Properties of datasets, whatever is in them.

use super::{Finding, Id, Severity};
use crate::system::{Dataset, Property, System};
use crate::words::size;

/// Datasets on which `property` is set and wrong; datasets that inherit it are told with the one
/// they inherit from.
fn wrong<'a>(
    system: &'a System,
    property: &'static str,
    is_wrong: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = (&'a Dataset, &'a Property)> {
    system.datasets.iter().filter_map(move |dataset| {
        let found = dataset.get(property).filter(|p| is_wrong(&p.value))?;
        let above = || dataset.name.rsplit_once('/').map(|(parent, _)| parent);
        let inherits = !found.local
            && above().is_some_and(|parent| {
                system
                    .datasets
                    .iter()
                    .any(|d| d.name == parent && d.is(property, &found.value))
            });
        (!inherits).then_some((dataset, found))
    })
}

/// `sync=disabled` where no database is: the database rule says it louder.
pub fn sync_disabled(system: &System) -> Vec<Finding> {
    let databases: Vec<&str> = system
        .databases()
        .iter()
        .map(|db| db.dataset.name.as_str())
        .collect();
    wrong(system, "sync", |v| v == "disabled")
        .filter(|(dataset, _)| !databases.contains(&dataset.name.as_str()))
        .map(|(dataset, property)| {
            Finding::new(Id::SyncDisabled, Severity::Warning, &dataset.name)
                .property("sync", property)
                .set(&dataset.name, "sync", "standard")
        })
        .collect()
}

/// `primarycache=none`.
pub fn primarycache_none(system: &System) -> Vec<Finding> {
    wrong(system, "primarycache", |v| v == "none")
        .map(|(dataset, property)| {
            Finding::new(Id::PrimarycacheNone, Severity::Warning, &dataset.name)
                .property("primarycache", property)
                .set(&dataset.name, "primarycache", "all")
        })
        .collect()
}

/// Access times written at every read.
pub fn atime(system: &System) -> Vec<Finding> {
    wrong(system, "atime", |v| v == "on")
        .filter(|(dataset, _)| dataset.is("relatime", "off"))
        .map(|(dataset, property)| {
            Finding::new(Id::Atime, Severity::Note, &dataset.name)
                .property("atime", property)
                .set(&dataset.name, "atime", "off")
        })
        .collect()
}

/// No compression.
pub fn compression_off(system: &System) -> Vec<Finding> {
    wrong(system, "compression", |v| v == "off")
        .map(|(dataset, property)| {
            Finding::new(Id::CompressionOff, Severity::Note, &dataset.name)
                .property("compression", property)
                .set(&dataset.name, "compression", "lz4")
        })
        .collect()
}

/// Heavy gzip.
pub fn compression_heavy(system: &System) -> Vec<Finding> {
    wrong(system, "compression", |v| {
        v == "gzip" || v.starts_with("gzip-")
    })
    .map(|(dataset, property)| {
        Finding::new(Id::CompressionHeavy, Severity::Note, &dataset.name)
            .with("value", &property.value)
            .property("compression", property)
            .set(&dataset.name, "compression", "zstd")
    })
    .collect()
}

/// Extended attributes in hidden directories.
pub fn xattr(system: &System) -> Vec<Finding> {
    let Some(version) = system.openzfs.as_ref().map(|v| v.value) else {
        return Vec::new();
    };
    // `on` means `dir` up to 2.2 and `sa` from 2.3 on (zfs_prop.c).
    wrong(system, "xattr", move |v| {
        v == "dir" || (v == "on" && version < (2, 3))
    })
    .map(|(dataset, property)| {
        Finding::new(Id::Xattr, Severity::Note, &dataset.name)
            .with("value", &property.value)
            .property("xattr", property)
            .set(&dataset.name, "xattr", "sa")
    })
    .collect()
}

/// No checksums of data.
pub fn checksum_off(system: &System) -> Vec<Finding> {
    wrong(system, "checksum", |v| v == "off" || v == "noparity")
        .map(|(dataset, property)| {
            Finding::new(Id::ChecksumOff, Severity::Error, &dataset.name)
                .property("checksum", property)
                .set(&dataset.name, "checksum", "on")
        })
        .collect()
}

/// Copies within one vdev instead of redundancy.
pub fn copies(system: &System) -> Vec<Finding> {
    wrong(system, "copies", |v| v == "2" || v == "3")
        .map(|(dataset, property)| {
            Finding::new(Id::Copies, Severity::Note, &dataset.name)
                .with("copies", &property.value)
                .property("copies", property)
                .set(&dataset.name, "copies", "1")
        })
        .collect()
}

/// Deduplication.
pub fn dedup(system: &System) -> Vec<Finding> {
    wrong(system, "dedup", |v| v != "off" && v != "-")
        .map(|(dataset, property)| {
            // 320 bytes an entry in core, one entry a block.
            let block = system
                .intended_block(dataset)
                .filter(|b| *b > 0)
                .unwrap_or(1 << 17);
            let per_tib = ((1u64 << 40) / block).saturating_mul(320);
            Finding::new(Id::Dedup, Severity::Warning, &dataset.name)
                .with("block", size(block))
                .with("memory", size(per_tib))
                .property("dedup", property)
                .set(&dataset.name, "dedup", "off")
        })
        .collect()
}

/// CCM, the slower of the two modes.
pub fn encryption_ccm(system: &System) -> Vec<Finding> {
    wrong(system, "encryption", |v| v.ends_with("-ccm"))
        .map(|(dataset, property)| {
            Finding::new(Id::EncryptionCcm, Severity::Note, &dataset.name)
                .with("value", &property.value)
                .property("encryption", property)
                .run(&[
                    "zfs",
                    "create",
                    "-o",
                    "encryption=aes-256-gcm",
                    "-o",
                    "keyformat=passphrase",
                    "NEW-DATASET",
                ])
        })
        .collect()
}

/// Encryption and deduplication together.
pub fn encryption_dedup(system: &System) -> Vec<Finding> {
    wrong(system, "encryption", |v| v != "off" && v != "-")
        .filter_map(|(dataset, property)| {
            let dedup = dataset.get("dedup").filter(|p| p.value != "off")?;
            let finding = Finding::new(Id::EncryptionDedup, Severity::Note, &dataset.name)
                .property("encryption", property)
                .property("dedup", dedup)
                .set(&dataset.name, "dedup", "off");
            Some(finding)
        })
        .collect()
}

/// Fewer copies of metadata.
pub fn redundant_metadata(system: &System) -> Vec<Finding> {
    wrong(system, "redundant_metadata", |v| {
        matches!(v, "most" | "some" | "none")
    })
    .map(|(dataset, property)| {
        let severity = if property.value == "most" {
            Severity::Note
        } else {
            Severity::Warning
        };
        Finding::new(Id::RedundantMetadata, severity, &dataset.name)
            .with("value", &property.value)
            .property("redundant_metadata", property)
            .set(&dataset.name, "redundant_metadata", "all")
    })
    .collect()
}

/// Random writes of a small part of a record.
pub fn partial_writes(system: &System) -> Vec<Finding> {
    let databases: Vec<&str> = system
        .databases()
        .iter()
        .map(|db| db.dataset.name.as_str())
        .collect();
    let mut told: Vec<&str> = Vec::new();
    system
        .loads
        .iter()
        .filter(|load| !databases.contains(&load.dataset.as_str()))
        .filter_map(|load| {
            let (write, record) = system.partial(load)?;
            let dataset = system.datasets.iter().find(|d| d.name == load.dataset)?;
            if told.contains(&dataset.name.as_str()) {
                return None;
            }
            let (_, _, property) = dataset.block()?;
            let wanted = system
                .intended_block(dataset)
                .filter(|wanted| *wanted < record)?;
            told.push(&dataset.name);
            let finding = Finding::new(Id::PartialWrites, Severity::Warning, &dataset.name)
                .with("load", &load.name)
                .with("write", size(write))
                .with("record", size(record))
                .with("factor", record / write.max(1))
                .because(&load.at, load.name.clone())
                .property("recordsize", property)
                .set(&dataset.name, "recordsize", size(wanted));
            Some(finding)
        })
        .collect()
}

/// Volumes with blocks under 16K.
pub fn small_volumes(system: &System) -> Vec<Finding> {
    system
        .datasets
        .iter()
        .filter_map(|dataset| {
            let property = dataset.get("volblocksize")?;
            let block = dataset
                .bytes("volblocksize")
                .filter(|block| *block < 16384)?;
            let finding = Finding::new(Id::SmallVolumes, Severity::Note, &dataset.name)
                .with("block", size(block))
                .property("volblocksize", property)
                .run(&[
                    "zfs",
                    "create",
                    "-V",
                    "SIZE",
                    "-o",
                    "volblocksize=16K",
                    "NEW-VOLUME",
                ]);
            Some(finding)
        })
        .collect()
}
