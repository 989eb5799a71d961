//! Rules over pools, file systems, arrays and drives.

use super::evidence::{
    self,
    Evidence::{self, Lab},
};
use super::{Durability, Reason};
use crate::build_commands::full_name;
use crate::campaign::{AllocationClass, DriveRef, FilesystemOnDrives, MdLevel, Stack, Variant};
use std::collections::BTreeSet;
use zfs::WritePath;
use zfs::write_path::IMMEDIATE_WRITE;

/// Seconds between transaction groups where the lab does not say (`zfs_txg_timeout`, OpenZFS 2.3 and 2.4).
const TXG_TIMEOUT_S: u64 = 5;

/// What follows from pool, file system and drives for a workload whose files are on these datasets. `o_direct`: it opens
/// some of them with O_DIRECT.
pub fn reasons(variant: &Variant, datasets: &BTreeSet<&str>, o_direct: bool) -> Vec<Reason> {
    let found = match &variant.stack {
        Stack::Zfs => [
            lying_flush(variant, datasets),
            no_cache_flush(variant, datasets),
            zil_no_cache_flush(variant, datasets, o_direct),
            no_replay(variant),
        ],
        Stack::Filesystem(on_drives) => [
            lying_under_filesystem(variant, &on_drives.drives),
            on_drives.level.filter(|_| !on_drives.ppl).and_then(write_hole),
            no_barrier(variant, on_drives),
            None,
        ],
    };
    found.into_iter().flatten().collect()
}

/// `sync=disabled` on a dataset, which cannot corrupt: a pool returns to the last transaction group as a whole.
pub fn sync_disabled(variant: &Variant, dataset: &str) -> Option<Reason> {
    let is_disabled = variant.property(dataset, "sync") == Some("disabled");
    let setting = || format!("sync=disabled on {}", full_name(dataset));
    is_disabled.then(|| lost_groups(variant, setting(), Lab(evidence::SYNC_DISABLED)))
}

/// Datasets of a database on which nothing is durable before its transaction group: `sync=disabled`, or a server that
/// never syncs (`never_syncs` is its setting). Where all of the database is on such, it returns to one moment; otherwise
/// parts of it return to different ones, `apart`.
pub fn unsynced(
    variant: &Variant,
    datasets: &BTreeSet<&str>,
    never_syncs: Option<&str>,
    apart: &str,
    (of_server, of_parts): (Evidence, Evidence),
) -> Option<Reason> {
    let is_unsynced = |dataset: &&str| match variant.property(dataset, "sync") {
        Some("disabled") => true,
        Some("always") => false,
        _ => never_syncs.is_some(),
    };
    let (late, durable): (Vec<&str>, Vec<&str>) = datasets.iter().partition(|d| is_unsynced(d));
    let first = *late.first()?;
    let names = |all: Vec<&str>| all.into_iter().map(full_name).collect::<Vec<_>>().join(", ");
    let by_server = never_syncs.filter(|_| variant.property(first, "sync") != Some("disabled"));
    let setting = format!("{} on {}", by_server.unwrap_or("sync=disabled"), names(late));
    Some(match durable.is_empty() {
        true => {
            let evidence =
                if by_server.is_some() { of_server } else { Lab(evidence::SYNC_DISABLED) };
            lost_groups(variant, setting, evidence)
        }
        false => Reason {
            setting: format!("{setting}, but not on {}", names(durable)),
            durability: Durability::MayCorrupt,
            why: apart.to_owned(),
            evidence: of_parts,
        },
    })
}

/// Seconds of writes that a cut can lose where they reach the drives with their transaction group only: a group is open
/// for `zfs_txg_timeout` from the moment at which the one before begins to be written (`txg_sync_thread`), and then it is
/// written, which takes no longer where drives keep up.
/// `txg_timeout_s`: none for OpenZFS's default.
pub fn lost_groups_s(txg_timeout_s: Option<u64>) -> f64 {
    2.0 * txg_timeout_s.unwrap_or(TXG_TIMEOUT_S) as f64
}

/// That writes reach the drives with their transaction group only.
pub fn lost_groups(variant: &Variant, setting: String, evidence: Evidence) -> Reason {
    let module = |name: &str| variant.module.get(name).map(|value| value.unsigned_abs());
    let timeout = module("zfs_txg_timeout").unwrap_or(TXG_TIMEOUT_S);
    // With 0 a group is closed as soon as the one before is written: only that time is lost.
    let seconds = (timeout > 0).then(|| lost_groups_s(Some(timeout)));
    let dirty = module("zfs_dirty_data_max").map(|value| format!(" ({value})")).unwrap_or_default();
    let why = format!(
        "writes reach the drives with their transaction group: it stays open for zfs_txg_timeout \
         ({timeout} s), and writing it takes at most as long again; less if dirty data reaches \
         zfs_dirty_data_sync_percent of zfs_dirty_data_max{dirty} sooner"
    );
    Reason { setting, durability: Durability::LosesLast { seconds }, why, evidence }
}

/// How writes to a file on a dataset reach the drives. `o_direct`: the file is opened with O_DIRECT.
pub fn write_path<'a>(variant: &'a Variant, dataset: &str, o_direct: bool) -> WritePath<'a> {
    let immediate = variant.module.get("zfs_immediate_write_sz");
    WritePath {
        release: Some(variant.openzfs.number()),
        sync: variant.property(dataset, "sync"),
        direct: variant.property(dataset, "direct"),
        logbias: variant.property(dataset, "logbias"),
        record: variant.recordsize(dataset),
        o_direct,
        direct_io_enabled: variant.module.get("zfs_dio_enabled").is_none_or(|value| *value != 0),
        immediate_write: immediate.map_or(IMMEDIATE_WRITE, |bytes| bytes.unsigned_abs()),
        has_log_or_special: variant.log_class() != AllocationClass::Normal,
    }
}

/// Why a cut can tear a page of a file on a dataset; none where it cannot. `o_direct`: the file is opened with O_DIRECT.
pub fn torn_page(variant: &Variant, dataset: &str, page: u64, o_direct: bool) -> Option<String> {
    write_path(variant, dataset, o_direct).tears(page).then(|| {
        format!(
            "fsync puts a page of {page} bytes into the intent log, which can divide it between two log blocks, and the cut can come between them"
        )
    })
}

/// A block of ext4 and XFS as `mkfs` makes them, bytes: they place each block of a file on its own.
const FILESYSTEM_BLOCK: u64 = 4096;

/// Whether a cut can tear a page of a file of ext4 or XFS: it is larger than a block, or than what a drive writes as a
/// whole.
pub fn tears_on_filesystem(variant: &Variant, on_drives: &FilesystemOnDrives, page: u64) -> bool {
    let profiles = on_drives.drives.iter().filter_map(|drive| variant.profile(&drive.kind));
    let mut units = profiles.map(|profile| profile.tearing.value as u64);
    page > FILESYSTEM_BLOCK || units.any(|unit| page > unit)
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
    let is_volatile =
        |kind: &&str| variant.profile(kind).is_some_and(|profile| profile.volatile_cache());
    kinds.into_iter().filter(is_volatile).collect()
}

/// Those of them whose caches no flush empties: they lie about flushes, or announce no cache, so that Linux sends none
/// (a card that writes through to members with volatile caches). The members of a card may be what lies.
pub fn unflushed<'a>(variant: &Variant, kinds: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let is_unflushed = |kind: &&str| {
        let profile = variant.profile(kind);
        profile.is_some_and(|profile| profile.lies() || !profile.attachment().write_cache)
    };
    kinds.into_iter().filter(is_unflushed).collect()
}

/// Kinds of drives, as in a sentence.
pub fn list(kinds: &BTreeSet<&str>) -> String {
    kinds.iter().copied().collect::<Vec<_>>().join(", ")
}

fn never_emptied(kinds: &BTreeSet<&str>) -> String {
    format!("{}: a volatile cache that no flush empties", list(kinds))
}

fn over_caches(setting: &str, kinds: &BTreeSet<&str>) -> String {
    format!("{setting} over volatile caches ({})", list(kinds))
}

/// By whether the drives of the pool or only those of its log are concerned. Each dataset has an intent log of its own:
/// those of a database on several end at different moments.
fn volatile_drives(
    data: &BTreeSet<&str>,
    log: &BTreeSet<&str>,
    datasets: &BTreeSet<&str>,
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
    if log.is_empty() {
        return None;
    }
    let ends =
        "log blocks in the drive's cache are lost, and replay stops before the first of them";
    let (durability, why, evidence) = match datasets.len() {
        0 | 1 => (Durability::LosesLast { seconds: None }, ends.to_owned(), of_log),
        _ => (
            Durability::MayCorrupt,
            format!(
                "{ends}; each dataset has a log of its own, so the database's datasets can be from different points in time"
            ),
            Lab(evidence::LYING_LOG_OF_DATASETS),
        ),
    };
    Some(Reason { setting: setting(log), durability, why, evidence })
}

/// Whether a module parameter is stated, and not 0.
fn is_set(variant: &Variant, parameter: &str) -> bool {
    variant.module.get(parameter).is_some_and(|value| *value != 0)
}

/// The intent log is dropped at the import. All datasets return to one transaction group.
fn no_replay(variant: &Variant) -> Option<Reason> {
    let evidence = Lab(evidence::NO_REPLAY);
    is_set(variant, "zil_replay_disable").then(|| Reason {
        why: "the intent log is dropped at the import instead of replayed".to_owned(),
        ..lost_groups(variant, "zil_replay_disable=1".to_owned(), evidence)
    })
}

fn lying_flush(variant: &Variant, datasets: &BTreeSet<&str>) -> Option<Reason> {
    let data = unflushed(variant, volatile(variant, &AllocationClass::DATA));
    let log = unflushed(variant, volatile(variant, &[AllocationClass::Log]));
    let of_data = Lab(evidence::LYING_DATA);
    volatile_drives(&data, &log, datasets, never_emptied, (of_data, Lab(evidence::LYING_LOG)))
}

fn no_cache_flush(variant: &Variant, datasets: &BTreeSet<&str>) -> Option<Reason> {
    if !is_set(variant, "zfs_nocacheflush") {
        return None;
    }
    let (data, log) =
        (volatile(variant, &AllocationClass::DATA), volatile(variant, &[AllocationClass::Log]));
    let setting = |kinds: &BTreeSet<&str>| over_caches("zfs_nocacheflush=1", kinds);
    let evidence = Lab(evidence::NO_CACHE_FLUSH);
    volatile_drives(&data, &log, datasets, setting, (evidence, evidence))
}

fn zil_no_cache_flush(
    variant: &Variant,
    datasets: &BTreeSet<&str>,
    o_direct: bool,
) -> Option<Reason> {
    if !is_set(variant, "zil_nocacheflush") {
        return None;
    }
    let mut log = volatile(variant, &[variant.log_class()]);
    // A record that points at its data needs the flush of the data's drives, too.
    let points = |dataset: &&str| write_path(variant, dataset, o_direct).always_logs_pointers();
    if datasets.iter().any(points) {
        log.extend(volatile(variant, &AllocationClass::DATA));
    }
    let setting = |kinds: &BTreeSet<&str>| over_caches("zil_nocacheflush=1", kinds);
    let evidence = Lab(evidence::ZIL_NO_CACHE_FLUSH);
    volatile_drives(&BTreeSet::new(), &log, datasets, setting, (evidence, evidence))
}

fn lying_under_filesystem(variant: &Variant, drives: &[DriveRef]) -> Option<Reason> {
    let kinds = unflushed(variant, volatile_of(variant, drives.iter()));
    (!kinds.is_empty()).then(|| Reason {
        setting: never_emptied(&kinds),
        durability: Durability::MayCorrupt,
        why: "the file system's journal can be on the media after the blocks that it describes"
            .to_owned(),
        evidence: Lab(evidence::LYING_UNDER_FILESYSTEM),
    })
}

/// A file system that sends no flush.
fn no_barrier(variant: &Variant, on_drives: &FilesystemOnDrives) -> Option<Reason> {
    let option = on_drives.without_barriers()?;
    let kinds = volatile_of(variant, on_drives.drives.iter());
    (!kinds.is_empty()).then(|| Reason {
        setting: over_caches(option, &kinds),
        durability: Durability::MayCorrupt,
        why: "neither fsync nor the journal empties the drives' caches: the journal can be on the media after the blocks that it describes"
            .to_owned(),
        evidence: Lab(evidence::NO_BARRIER),
    })
}

fn write_hole(level: MdLevel) -> Option<Reason> {
    matches!(level, MdLevel::Raid5 | MdLevel::Raid6).then(|| Reason {
        setting: format!("md {} without a journal", level.name()),
        durability: Durability::MayCorrupt,
        why: "the parity of interrupted stripes is wrong: if a drive fails before the resync \
              ends, it is rebuilt with wrong data (write hole)"
            .to_owned(),
        evidence: Lab(evidence::WRITE_HOLE),
    })
}
