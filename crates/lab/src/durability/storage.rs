//! Rules over pools, file systems, arrays and drives.

use super::evidence::{self, Evidence};
use super::{Durability, Reason};
use crate::campaign::{AllocationClass, DriveRef, MdLevel, Stack, Variant};
use crate::command::POOL;
use crate::units;
use drives::FlushBehaviour;
use std::collections::BTreeSet;

/// Bytes of a record where the lab does not say (OpenZFS 2.3 and 2.4).
const RECORD: u64 = 128 << 10;
/// Seconds between transaction groups where the lab does not say (`zfs_txg_timeout`, OpenZFS 2.3 and 2.4).
const TXG_TIMEOUT_S: i64 = 5;

/// What follows from pool, file system and drives, whatever the workload.
pub fn reasons(variant: &Variant) -> Vec<Reason> {
    let found = match &variant.stack {
        Stack::Zfs => {
            [lying_flush(variant), no_cache_flush(variant), zil_no_cache_flush(variant), None]
        }
        Stack::Filesystem(on_drives) => [
            lying_under_filesystem(variant, &on_drives.drives),
            on_drives.level.filter(|_| !on_drives.ppl).and_then(write_hole),
            None,
            None,
        ],
    };
    found.into_iter().flatten().collect()
}

/// `sync=disabled` on a dataset, which cannot corrupt: a pool returns to the last transaction group as a whole.
pub fn sync_disabled(variant: &Variant, dataset: &str) -> Option<Reason> {
    (variant.property(dataset, "sync") == Some("disabled")).then(|| Reason {
        setting: format!("sync=disabled on {}", named(dataset)),
        durability: lost_groups(variant),
        why: lost_groups_why(variant),
        evidence: evidence::SYNC_DISABLED,
    })
}

/// What is lost when writes reach the drives with their transaction group only. A group is open for
/// `zfs_txg_timeout` from the moment at which the one before begins to be written (`txg_sync_thread`), and then
/// it is written, which takes no longer where drives keep up.
pub fn lost_groups(variant: &Variant) -> Durability {
    Durability::LosesLast { seconds: Some(2.0 * txg_timeout(variant) as f64) }
}

/// The same in words.
pub fn lost_groups_why(variant: &Variant) -> String {
    let timeout = txg_timeout(variant);
    let module = |name: &str| variant.module.get(name).map(|value| format!(" ({value})"));
    let dirty = module("zfs_dirty_data_max").unwrap_or_default();
    format!(
        "writes reach the drives with their transaction group: it is open for zfs_txg_timeout \
         ({timeout} s) and written for at most as long; less if dirty data reach \
         zfs_dirty_data_sync_percent of zfs_dirty_data_max{dirty} sooner"
    )
}

fn txg_timeout(variant: &Variant) -> i64 {
    variant.module.get("zfs_txg_timeout").copied().unwrap_or(TXG_TIMEOUT_S)
}

/// Why a cut can tear a page of a file on a dataset; none where it cannot. A write is in one transaction group as a
/// whole (`zfs_write`, OpenZFS 2.3 and 2.4). But fsync puts it into the intent log, which divides what does not fit into
/// the rest of a log block (`zil_lwb_assign`), and replay ends where the log does. With direct I/O the log only has a
/// pointer to each record, so that a page which is a record is there or not. `direct`: the file is opened with O_DIRECT.
pub fn torn_page(variant: &Variant, dataset: &str, page: u64, direct: bool) -> Option<String> {
    // Nothing is in the log.
    if variant.property(dataset, "sync") == Some("disabled") {
        return None;
    }
    let direct = match variant.property(dataset, "direct") {
        Some("always") => true,
        Some("disabled") => false,
        _ => direct,
    };
    (!direct || record(variant, dataset) != page).then(|| {
        format!(
            "fsync puts a page of {page} bytes into the intent log, which can divide it between two log blocks, and the cut can come between them"
        )
    })
}

/// Bytes of a dataset's records.
pub fn record(variant: &Variant, dataset: &str) -> u64 {
    let stated = variant.property(dataset, "recordsize");
    stated.and_then(|text| units::size(text).ok()).unwrap_or(RECORD)
}

/// A dataset by its full name.
pub fn named(dataset: &str) -> String {
    match dataset {
        "" => POOL.to_owned(),
        dataset => format!("{POOL}/{dataset}"),
    }
}

/// Kinds of drives of vdevs of some classes whose volatile cache a power cut empties.
pub fn volatile<'a>(variant: &'a Variant, classes: &[AllocationClass]) -> BTreeSet<&'a str> {
    let vdevs = variant.pool.vdevs.iter().filter(|vdev| classes.contains(&vdev.class));
    volatile_of(variant, vdevs.flat_map(|vdev| &vdev.drives))
}

/// Kinds among some drives whose volatile cache a power cut empties.
pub fn volatile_of<'a>(
    variant: &Variant,
    drives: impl Iterator<Item = &'a DriveRef>,
) -> BTreeSet<&'a str> {
    let kinds: BTreeSet<&str> = drives.map(|drive| drive.kind.as_str()).collect();
    let profile = |kind: &str| variant.drives.get(kind)?.drive_profile().ok();
    kinds
        .into_iter()
        .filter(|kind| profile(kind).is_some_and(|profile| profile.volatile_cache()))
        .collect()
}

/// Those of them that lie about flushes.
pub fn lying<'a>(variant: &Variant, kinds: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let lies = |kind: &&str| {
        let profile = variant.drives.get(*kind).and_then(|known| known.drive_profile().ok());
        profile.is_some_and(|profile| profile.flush == FlushBehaviour::Lies)
    };
    kinds.into_iter().filter(lies).collect()
}

fn list(kinds: &BTreeSet<&str>) -> String {
    kinds.iter().copied().collect::<Vec<_>>().join(", ")
}

/// Classes of vdevs that hold the pool itself.
const DATA: [AllocationClass; 3] =
    [AllocationClass::Normal, AllocationClass::Special, AllocationClass::Dedup];

/// By whether the drives of the pool or only those of its log are concerned.
fn pool_reason(
    data: &BTreeSet<&str>,
    log: &BTreeSet<&str>,
    setting: impl Fn(&BTreeSet<&str>) -> String,
    (of_data, of_log): (Evidence, Evidence),
) -> Option<Reason> {
    if !data.is_empty() {
        return Some(Reason {
            setting: setting(data),
            durability: Durability::MayCorrupt,
            why: "an uberblock can be on the media before the blocks that it refers to".to_owned(),
            evidence: of_data,
        });
    }
    (!log.is_empty()).then(|| Reason {
        setting: setting(log),
        durability: Durability::LosesLast { seconds: None },
        why: "log blocks in the drive's cache are lost, and replay stops before the first of them"
            .to_owned(),
        evidence: of_log,
    })
}

fn lying_flush(variant: &Variant) -> Option<Reason> {
    let data = lying(variant, volatile(variant, &DATA));
    let log = lying(variant, volatile(variant, &[AllocationClass::Log]));
    let setting = |kinds: &BTreeSet<&str>| {
        format!("{}: a volatile cache, and flushes that do nothing", list(kinds))
    };
    pool_reason(&data, &log, setting, (evidence::LYING_DATA, evidence::LYING_LOG))
}

fn no_cache_flush(variant: &Variant) -> Option<Reason> {
    if variant.module.get("zfs_nocacheflush").is_none_or(|value| *value == 0) {
        return None;
    }
    let (data, log) = (volatile(variant, &DATA), volatile(variant, &[AllocationClass::Log]));
    let setting = |kinds: &BTreeSet<&str>| {
        format!("zfs_nocacheflush=1 over volatile caches ({})", list(kinds))
    };
    pool_reason(&data, &log, setting, (evidence::NO_CACHE_FLUSH, evidence::NO_CACHE_FLUSH))
}

fn zil_no_cache_flush(variant: &Variant) -> Option<Reason> {
    if variant.module.get("zil_nocacheflush").is_none_or(|value| *value == 0) {
        return None;
    }
    let log = volatile(variant, &[variant.log_class()]);
    let setting = |kinds: &BTreeSet<&str>| {
        format!("zil_nocacheflush=1 over volatile caches ({})", list(kinds))
    };
    let evidence = evidence::ZIL_NO_CACHE_FLUSH;
    pool_reason(&BTreeSet::new(), &log, setting, (evidence, evidence))
}

fn lying_under_filesystem(variant: &Variant, drives: &[DriveRef]) -> Option<Reason> {
    let kinds = lying(variant, volatile_of(variant, drives.iter()));
    (!kinds.is_empty()).then(|| Reason {
        setting: format!("{}: a volatile cache, and flushes that do nothing", list(&kinds)),
        durability: Durability::MayCorrupt,
        why: "the file system's journal can be on the media after the blocks that it describes"
            .to_owned(),
        evidence: evidence::LYING_UNDER_FILESYSTEM,
    })
}

fn write_hole(level: MdLevel) -> Option<Reason> {
    matches!(level, MdLevel::Raid5 | MdLevel::Raid6).then(|| Reason {
        setting: format!("md {} without a journal", level.name()),
        durability: Durability::MayCorrupt,
        why: "the parity of interrupted stripes is wrong: if a drive fails before the resync \
              ends, it is rebuilt with wrong data (write hole)"
            .to_owned(),
        evidence: evidence::WRITE_HOLE,
    })
}
