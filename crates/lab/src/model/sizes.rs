//! Sizes of drives, real and scaled.

use super::Model;
use crate::campaign::{AllocationClass, DriveRef, Layout, MdLevel, Stack, Variant, Vdev};
use crate::units;
use std::collections::BTreeMap;
use zfs::Geometry;

/// L2ARC persistence stops below this size (`l2arc_rebuild_blocks_min_l2size`, 1 GiB).
pub(super) const LEAST_CACHE: u64 = 1 << 30;

/// Drives below this make no pool that can be worked in (`SPA_MINDEVSIZE` is 64 MiB).
const LEAST_DRIVE: u64 = 1 << 30;

/// A log vdev holds at least this many times `zfs_wrlog_data_max`: three txgs' worth of log blocks,
/// whose sizes exceed their payload (8K is written as 12K).
const LOG_FACTOR: f64 = 1.5;

/// Real capacity of a drive, bytes; none for a kind that the variant does not have.
pub fn drive_capacity(variant: &Variant, kind: &str) -> Option<u64> {
    let value = variant.drives.get(kind)?.number("capacity")?;
    Some(value as u64)
}

/// Bytes that a vdev offers to the allocator on the real server, redundancy included.
pub(super) fn allocatable(variant: &Variant, vdev: &Vdev) -> u64 {
    let least = vdev
        .drives
        .iter()
        .filter_map(|drive| drive_capacity(variant, &drive.kind))
        .min()
        .unwrap_or(0);
    match vdev.layout {
        Layout::Single | Layout::Mirror => least,
        Layout::Raidz { .. } => least.saturating_mul(vdev.drives.len() as u64),
        Layout::Draid { spares, .. } => {
            least.saturating_mul((vdev.drives.len() as u64).saturating_sub(spares.into()))
        }
    }
}

/// The same of each vdev of a class.
pub(super) fn sizes(variant: &Variant, class: AllocationClass) -> impl Iterator<Item = u64> {
    variant.pool.of_class(class).map(|vdev| allocatable(variant, vdev))
}

/// Bytes of incompressible data that a dataset can hold at the most: its pool's drives, less the slop of a
/// 32nd (`spa_slop_shift`) and at most 128 GiB, at the redundancy of the vdev where it costs least; or those under its
/// file system.
pub(super) fn room(variant: &Variant, dataset: &str) -> u64 {
    if let Stack::Filesystem(on_drives) = &variant.stack {
        let drives = || on_drives.drives.iter();
        let capacities = || drives().filter_map(|drive| drive_capacity(variant, &drive.kind));
        let raw = match on_drives.level {
            // md stripes over as many drives as still have room.
            Some(MdLevel::Raid0) => capacities().fold(0, u64::saturating_add),
            _ => capacities().min().unwrap_or(0).saturating_mul(drives().count() as u64),
        };
        return (raw as f64 / on_drives.copies()) as u64;
    }
    pool_room(variant, |vdev| stored(variant, dataset, vdev))
}

/// Bytes of a pool as quotas and reservations count them: in records of 128K (`vdev_deflate_ratio`).
pub(crate) fn space(variant: &Variant) -> u64 {
    const RECORD: u64 = 128 << 10;
    let stated = variant.pool.ashift;
    pool_room(variant, |vdev| expansion(vdev, RECORD, variant.ashift(vdev, stated)))
}

/// What a pool holds where a byte takes `stored` bytes of a vdev's drives.
fn pool_room(variant: &Variant, stored: impl Fn(&Vdev) -> f64) -> u64 {
    /// `spa_max_slop`, bytes.
    const MOST_SLOP: f64 = (128u64 << 30) as f64;
    let (mut raw, mut least) = (0u64, f64::INFINITY);
    // Data goes to special vdevs too where it is small enough.
    let holds =
        |vdev: &&Vdev| matches!(vdev.class, AllocationClass::Normal | AllocationClass::Special);
    for vdev in variant.pool.vdevs.iter().filter(holds) {
        let each = match vdev.layout {
            Layout::Mirror => vdev.drives.len() as u64,
            _ => 1,
        };
        raw = raw.saturating_add(allocatable(variant, vdev).saturating_mul(each));
        least = least.min(stored(vdev));
    }
    let room = raw as f64 / least;
    (room - (room / 32.0).min(MOST_SLOP)) as u64
}

/// Bytes on the drives of a vdev for each byte of a dataset's data.
pub(super) fn stored(variant: &Variant, dataset: &str, vdev: &Vdev) -> f64 {
    let size = |name: &str| units::size(variant.property(dataset, name)?).ok();
    let recordsize = variant.recordsize(dataset).max(512);
    let copies = size("copies").unwrap_or(1) as f64;
    let ashift = variant.ashift(vdev, variant.pool.ashift);
    expansion(vdev, recordsize, ashift) * copies
}

/// Bytes of each drive that takes part, scaled: data drives by S; log drives keep their
/// real size, since a log is no stock; cache drives by S but not below 1 GiB. Whole mebibytes.
pub fn drive_sizes(model: &Model, variant: &Variant) -> BTreeMap<DriveRef, u64> {
    let classes: BTreeMap<&DriveRef, AllocationClass> = variant
        .pool
        .vdevs
        .iter()
        .flat_map(|vdev| vdev.drives.iter().map(|drive| (drive, vdev.class)))
        .collect();
    let size = |drive: &DriveRef| {
        let real = drive_capacity(variant, &drive.kind).unwrap_or(0);
        let shrunk = (real as f64 / model.size) as u64;
        let bytes = match classes.get(drive) {
            Some(AllocationClass::Log) => real,
            Some(AllocationClass::Cache) => shrunk.max(LEAST_CACHE.min(real)),
            _ => shrunk.max(LEAST_DRIVE.min(real)),
        };
        bytes >> 20 << 20
    };
    let drives = variant.used_drives();
    drives.map(|drive| (drive.clone(), size(drive))).collect()
}

/// Whether a log vdev of the variant is too small for what its pool may have logged; the drive, its
/// bytes and the bytes needed.
pub(super) fn small_log(variant: &Variant, wrlog_data_max: u64) -> Option<(&DriveRef, u64, u64)> {
    let held: u64 = sizes(variant, AllocationClass::Log).sum();
    let needed = (wrlog_data_max as f64 * LOG_FACTOR) as u64;
    let first = variant.pool.of_class(AllocationClass::Log).next()?.drives.first()?;
    (held < needed).then_some((first, held, needed))
}

/// Bytes on drives for each byte of data in records of `recordsize` bytes on this vdev.
pub(super) fn expansion(vdev: &Vdev, recordsize: u64, ashift: u8) -> f64 {
    let children = vdev.drives.len() as u32;
    let copies = if vdev.layout == Layout::Mirror { children } else { 1 };
    let stored = Geometry { layout: vdev.layout, children }.asize(recordsize, ashift.into());
    (stored * u64::from(copies)) as f64 / recordsize as f64
}
