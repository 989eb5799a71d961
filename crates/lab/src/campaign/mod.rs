//! The resolved campaign: what a lab file means once every default, factor and variant is applied.
//!
//! Sizes are the real server's, in bytes; [`crate::model`] shrinks them.

mod host;
mod pg_test_fsync;
mod pgbench;
mod sqlite;
mod stack;
mod sysbench;
mod workload;

pub use host::{Host, Processor};
pub use pg_test_fsync::{PgTestFsync, SECONDS_PER_TEST, SYNC_TESTS, SyncMethod};
pub use pgbench::{BUILTIN, Directories, Pgbench, Protocol, Script};
pub use sqlite::{JournalMode, SQLITE_CACHE, Sqlite, Synchronous};
pub use stack::{Filesystem, FilesystemOnDrives, MdLevel, Stack};
pub use sysbench::{
    MysqlDirectories, OptionKind, SYSBENCH_OPTIONS, SYSBENCH_SCRIPTS, Sysbench, SysbenchScript,
};
pub use workload::{Program, Rates, Workload};
pub use zfs::{AllocationClass, DriveRef, Layout, OpenZfs, Sectors, Vdev};

use drives::{Profile, ProfileError, RaidLevel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole lab file, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Campaign {
    /// The lab's title.
    pub title: String,
    /// Where the question comes from (a key such as `hk-2025`), if stated.
    pub source: Option<String>,
    /// File stem of the lab, the name of its directory of results.
    pub name: String,
    /// The server being modelled.
    pub host: Host,
    /// Every configuration to compare, the baseline first.
    pub variants: Vec<Variant>,
    /// Every client program to run on each of them.
    pub workloads: Vec<Workload>,
    /// How to measure.
    pub method: Method,
    /// What the lab asks of the size scale.
    pub scale: Scale,
}

/// One configuration of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name: `none/none`, `big-records`.
    pub name: String,
    /// Factor → level, for variants made by `[factors]` (and `[ablate]`); empty for single ones.
    pub levels: BTreeMap<String, String>,
    /// The release it runs on.
    pub openzfs: OpenZfs,
    /// Its storage stack.
    #[serde(default)]
    pub stack: Stack,
    /// Kind of drive → number and profile. Only drives of the pool or the array are used.
    pub drives: BTreeMap<String, DriveKind>,
    /// The pool; empty where `stack` is no ZFS pool.
    pub pool: Pool,
    /// Dataset → its properties by ZFS's names with ZFS's values; the root dataset is `""`.
    pub datasets: BTreeMap<String, BTreeMap<String, String>>,
    /// Module parameters by their own names.
    pub module: BTreeMap<String, i64>,
    /// Module parameters with a text value (`zfs_deadman_failmode`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub module_words: BTreeMap<String, String>,
    /// RAM, bytes, where it differs from the lab's (`host.memory`): variants may compare memory with drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Settings of database servers (`postgresql`, `mariadb`, `mysql`) that replace those of the workloads.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, BTreeMap<String, String>>,
}

/// Bytes of a record where the lab does not say (OpenZFS 2.3 and 2.4).
const RECORD: u64 = 128 << 10;

impl Variant {
    /// A dataset's property, its own or inherited: from `a` by `a/b`, and from the root by both.
    pub fn property(&self, dataset: &str, name: &str) -> Option<&str> {
        inherited(&self.datasets, dataset, name)
    }

    /// Bytes of a dataset's whole records.
    pub fn recordsize(&self, dataset: &str) -> u64 {
        let stated = self.property(dataset, "recordsize");
        stated.and_then(|text| crate::units::size(text).ok()).unwrap_or(RECORD)
    }

    /// Whether ZFS compresses what a dataset holds: unless stated otherwise it does. `zle` shortens zeros alone.
    pub fn compresses(&self, dataset: &str) -> bool {
        self.is_zfs() && !matches!(self.property(dataset, "compression"), Some("off" | "zle"))
    }

    /// The machine that this variant runs on, if the lab's machine is `host`.
    pub fn host(&self, host: &Host) -> Host {
        Host { memory: self.memory.unwrap_or(host.memory), ..*host }
    }

    /// The drives that are used: those of its pool, or of its file system.
    pub fn used_drives(&self) -> impl Iterator<Item = &DriveRef> {
        let under_filesystem: &[DriveRef] = match &self.stack {
            Stack::Zfs => &[],
            Stack::Filesystem(filesystem) => &filesystem.drives,
        };
        let pool = self.pool.vdevs.iter().flat_map(|vdev| &vdev.drives);
        pool.chain(under_filesystem)
    }

    /// The kinds of drives that are used, each with how many there must be of it: the last used and those before it.
    pub fn drive_counts(&self) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        for drive in self.used_drives() {
            let count = counts.entry(drive.kind.clone()).or_insert(0);
            *count = (drive.index + 1).max(*count);
        }
        counts
    }

    /// Whether a drive is the volume of a RAID card that survives the loss of one of its members.
    pub fn is_redundant_volume(&self, drive: &DriveRef) -> bool {
        let card = self.profile(&drive.kind).and_then(|profile| profile.card);
        card.is_some_and(|card| card.level != RaidLevel::Raid0)
    }

    /// The profile of a kind of drive; none for a kind that the variant does not have.
    pub fn profile(&self, kind: &str) -> Option<Profile> {
        self.drives.get(kind)?.drive_profile().ok()
    }

    /// The class of the vdevs that hold the intent log when there is no log vdev: special from 2.4 on
    /// (`zio_alloc_zil`), else normal.
    pub fn log_class_without_slog(&self) -> AllocationClass {
        match self.pool.has(AllocationClass::Special) && self.openzfs >= OpenZfs::V2_4 {
            true => AllocationClass::Special,
            false => AllocationClass::Normal,
        }
    }

    /// The class of the vdevs that hold the intent log.
    pub fn log_class(&self) -> AllocationClass {
        match self.pool.has(AllocationClass::Log) {
            true => AllocationClass::Log,
            false => self.log_class_without_slog(),
        }
    }

    /// The ashift that OpenZFS gives a vdev of these drives when the lab states `stated`.
    pub fn ashift(&self, vdev: &Vdev, stated: Option<u8>) -> u8 {
        vdev.ashift(stated, |kind| self.drives.get(kind)?.reported_sectors())
    }

    /// Whether its stack is a ZFS pool.
    pub fn is_zfs(&self) -> bool {
        self.stack == Stack::Zfs
    }

    /// Price of its memory and its used drives, in the lab's currency; none unless each drive has a price.
    /// Memory without a price counts as 0.
    pub fn price(&self, host: &Host) -> Option<f64> {
        let drives: Option<f64> =
            self.used_drives().map(|drive| self.drives.get(&drive.kind)?.price).sum();
        let memory = self.host(host).memory as f64 / f64::from(1 << 30);
        Some(drives? + memory * host.memory_price.unwrap_or(0.0))
    }
}

/// As [`Variant::property`], of datasets with their properties.
pub(crate) fn inherited<'a>(
    datasets: &'a BTreeMap<String, BTreeMap<String, String>>,
    dataset: &str,
    name: &str,
) -> Option<&'a str> {
    let value = |dataset: &str| datasets.get(dataset)?.get(name);
    std::iter::successors(Some(dataset), |name| Some(name.rsplit_once('/')?.0))
        .find_map(value)
        .or_else(|| value(""))
        .map(String::as_str)
}

/// `count` drives of one profile; drive *i* of kind `hdd` is written `hdd<i>` or `hdd[i]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveKind {
    /// How many there are.
    pub count: u32,
    /// Name of the profile.
    pub profile: String,
    /// The numbers of the profile, with the lab's overrides applied: a `drives::Profile` as JSON, see
    /// [`DriveKind::drive_profile`].
    pub numbers: serde_json::Value,
    /// Price of one, in the lab's own currency, where it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
}

impl DriveKind {
    /// Its numbers as a validated profile.
    ///
    /// # Errors
    /// Why the numbers are not a valid profile.
    pub fn drive_profile(&self) -> Result<Profile, ProfileError> {
        let profile: Profile = serde_json::from_value(self.numbers.clone())
            .map_err(|e| ProfileError::Syntax { message: e.to_string(), span: None })?;
        profile.validate()?;
        Ok(profile)
    }

    /// A number of its profile, with or without a range; none if the profile does not have it.
    pub fn number(&self, name: &str) -> Option<f64> {
        let stated = &self.numbers[name];
        stated.as_f64().or_else(|| stated["value"].as_f64())
    }

    /// The sectors that its drives report.
    pub fn reported_sectors(&self) -> Option<Sectors> {
        let physical = self.number("reported_sector").or_else(|| self.number("physical_sector"))?;
        let logical = self.number("logical_sector")?;
        Some(Sectors { logical: logical as u64, physical: physical as u64 })
    }
}

/// A pool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    /// `ashift`; none lets OpenZFS choose from the drives' sector sizes.
    pub ashift: Option<u8>,
    /// Top-level vdevs in `zpool create` order.
    pub vdevs: Vec<Vdev>,
    /// Further pool properties (`autotrim`, …) by name.
    pub properties: BTreeMap<String, String>,
}

impl Pool {
    /// The vdevs of a class.
    pub fn of_class(&self, class: AllocationClass) -> impl Iterator<Item = &Vdev> {
        self.vdevs.iter().filter(move |vdev| vdev.class == class)
    }

    /// The drives of the vdevs of a class.
    pub fn drives_of_class(&self, class: AllocationClass) -> impl Iterator<Item = &DriveRef> {
        self.of_class(class).flat_map(|vdev| &vdev.drives)
    }

    /// Whether it has a vdev of a class.
    pub fn has(&self, class: AllocationClass) -> bool {
        self.of_class(class).next().is_some()
    }

    /// Whether a vdev has drives of a kind.
    pub fn uses(&self, kind: &str) -> bool {
        let mut drives = self.vdevs.iter().flat_map(|vdev| &vdev.drives);
        drives.any(|drive| drive.kind == kind)
    }
}

/// Shortest window, seconds, in which five rounds are left whatever the length of its transaction groups.
pub const SETTLES_S: f64 = 8.0;

/// Most trials of a cell that a lab may ask for.
pub const MOST_TRIALS: u32 = 1000;

/// How to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Name of the variant that the others are compared with.
    pub baseline: String,
    /// Stop when the interval of an effect is this tight (0.05: ±5 %).
    pub precision: f64,
    /// Wall time for the whole campaign, seconds.
    pub budget_s: f64,
    /// Fewest trials of a cell.
    pub min_trials: u32,
    /// Most trials of a cell, at most [`MOST_TRIALS`].
    pub max_trials: u32,
    /// Virtual seconds measured in a trial; none leaves it to the job file's `runtime`.
    pub runtime_s: Option<f64>,
    /// Virtual seconds at the start of a trial that are not measured.
    pub ramp_s: f64,
    /// Upper limit of the ramp, virtual seconds, also for a job file's own ramp; none for no limit.
    #[serde(default)]
    pub ramp_most_s: Option<f64>,
    /// Maximum virtual seconds to warm caches before the measurement; 0 for no warm-up.
    #[serde(default)]
    pub warm_up_s: f64,
    /// Whether the pool is exported and imported again between the warm-up and the measurement.
    #[serde(default)]
    pub restart: bool,
    /// Factors on a drive's uncertain numbers; the cells of a verdict are run again with each.
    #[serde(default)]
    pub sensitivity: Vec<f64>,
    /// Factors on S; every cell is run again with each, to see whether its result depends on S.
    #[serde(default)]
    pub size_check: Vec<f64>,
    /// Seed of the schedule, the data and the drives.
    pub seed: u64,
}

/// What the lab asks of the size scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The size scale S: stocks are divided by it; none for `"auto"`.
    pub size: Option<f64>,
    /// Dirty-data limit of the machine, bytes, where the lab reduces it.
    pub dirty_data_max: Option<u64>,
}
