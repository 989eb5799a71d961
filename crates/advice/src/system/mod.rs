//! The known facts about a machine or a lab's variant: the input of every rule.
//!
//! A value that nobody stated is none; rules say nothing about what they cannot see.

mod arc;
mod counters;
mod database;
pub mod diskstats;
mod drives;
pub mod exports;
pub mod gather;
mod innodb;
mod job;
mod lab;
mod merge;
mod parts;
mod postgresql;
pub mod samba;
mod short_texts;
mod zpool_iostat;

pub use counters::{Counters, Kstat};
pub use database::{Database, DatabaseServer, record_for};
pub use drives::{drive_of, is_freebsd_name, is_kernel_name};
pub use gather::{Input, UNKNOWN, Unread, gather};
pub use lab::variants;
pub use parts::{Heading, heading};
pub use postgresql::{PostgresFile, max_wal_size};
pub use zpool_iostat::Waits;

use crate::raid_card::CardTool;
use facts::card::Card;
use facts::mycnf;
use facts::zpool_status::Pool as Status;
use std::collections::{BTreeMap, BTreeSet};
use zfs::{AllocationClass, Layout, module};

/// A file and a line, where a value was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, or the name the text was given under.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u32,
}

impl Place {
    /// A line of a file; 0 for the file as a whole.
    pub fn new(file: impl Into<String>, line: u32) -> Place {
        Place { file: file.into(), line }
    }

    /// The place so many lines below.
    pub fn below(&self, lines: u32) -> Place {
        Place::new(&self.file, self.line.saturating_add(lines))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = crate::format::printable(&self.file);
        if self.line == 0 { write!(f, "{file}") } else { write!(f, "{file}:{}", self.line) }
    }
}

/// A value and where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Its place in the input.
    pub at: Place,
}

impl<T> Found<T> {
    /// `value`, read at `at`.
    pub fn new(value: T, at: Place) -> Found<T> {
        Found { value, at }
    }
}

/// Properties by ZFS's names.
pub type Properties = BTreeMap<String, Property>;

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// As printed.
    pub value: String,
    /// Whether somebody set it here, and not on an ancestor or not at all.
    pub local: bool,
    /// Its place in the input.
    pub at: Place,
}

/// A pool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// Its properties.
    pub properties: Properties,
    /// The ashift of its vdevs by their names, those of drives below them too, as far as `zpool get` gave them.
    pub vdev_ashifts: Vec<(String, Property)>,
    /// Top-level vdevs of all classes; empty when no layout was given.
    pub vdevs: Vec<Vdev>,
    /// `zpool status` of it, with where its text begins.
    pub status: Option<(Place, Status)>,
}

/// A top-level vdev.
#[derive(Debug, Clone, PartialEq)]
pub struct Vdev {
    /// Its name: `raidz2-0`, or the drive.
    pub name: String,
    /// What it is for.
    pub class: AllocationClass,
    /// How its drives are put together.
    pub layout: Layout,
    /// Its drives.
    pub leaves: Vec<Leaf>,
    /// Its place in the input.
    pub at: Place,
}

/// A drive as a pool names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Its name in the pool.
    pub name: String,
    /// Its place in the input.
    pub at: Place,
}

impl Vdev {
    /// Failed drives it survives: of a mirror all but one, of raidz and dRAID its parity.
    pub fn survives(&self) -> u32 {
        self.layout.tolerance(self.leaves.len() as u32)
    }
}

impl Pool {
    pub(crate) fn vdevs_of(&self, class: AllocationClass) -> impl Iterator<Item = &Vdev> {
        self.vdevs.iter().filter(move |vdev| vdev.class == class)
    }

    pub(crate) fn has(&self, class: AllocationClass) -> bool {
        self.vdevs_of(class).next().is_some()
    }

    pub(crate) fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.vdevs.iter().flat_map(|vdev| &vdev.leaves)
    }

    pub(crate) fn leaves_of(&self, class: AllocationClass) -> impl Iterator<Item = &Leaf> {
        self.vdevs_of(class).flat_map(|vdev| &vdev.leaves)
    }

    /// A property's value.
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.get(name)
    }

    /// Its least ashift; 0 where OpenZFS chooses.
    pub fn ashift(&self) -> Option<u32> {
        Some(self.ashift_property()?.0)
    }

    /// Its least ashift, what the property that has it is called in evidence, and that property: a vdev's where they are
    /// known. The pool's own is that of vdevs to come.
    pub fn ashift_property(&self) -> Option<(u32, String, &Property)> {
        let own = self.get("ashift").map(|own| ("ashift".to_owned(), own));
        let of_vdevs = self.vdev_ashifts.iter().map(|(vdev, own)| (format!("{vdev} ashift"), own));
        let known: Vec<(String, &Property)> = match self.vdev_ashifts.is_empty() {
            true => own.into_iter().collect(),
            false => of_vdevs.collect(),
        };
        let shifts = known.into_iter().filter_map(|(name, property)| {
            Some((property.value.parse::<u32>().ok()?, name, property))
        });
        shifts.min_by_key(|(shift, ..)| *shift)
    }

    /// A line of its `zpool status`.
    pub fn status_line(&self, line: u32) -> Place {
        match &self.status {
            Some((origin, _)) => origin.below(line),
            None => Place::new(&self.name, line),
        }
    }

    /// Where the pool is described.
    pub fn place(&self) -> Place {
        if let Some((_, status)) = &self.status {
            return self.status_line(status.name.line);
        }
        let vdev = self.vdevs.first().map(|vdev| vdev.at.clone());
        vdev.unwrap_or_else(|| first_place(&self.properties, &self.name))
    }
}

/// A dataset: a file system or a volume.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dataset {
    /// Its full name, pool included.
    pub name: String,
    /// Its properties.
    pub properties: Properties,
}

impl Dataset {
    /// The pool it lives in.
    pub fn pool(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }

    /// A property.
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.get(name)
    }

    /// Whether property `name` is known to have this value.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.get(name).is_some_and(|p| p.value == value)
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        facts::units::binary(&self.get(name)?.value)
    }

    /// The largest block it writes, bytes: `recordsize`, or `volblocksize` of a volume.
    pub fn block(&self) -> Option<(&'static str, u64, &Property)> {
        ["volblocksize", "recordsize"].into_iter().find_map(|name| {
            let property = self.get(name)?;
            Some((name, facts::units::binary(&property.value)?, property))
        })
    }

    /// Where the dataset is described.
    pub fn place(&self) -> Place {
        first_place(&self.properties, &self.name)
    }
}

/// Where the first of the properties was read; of something without any, its name.
fn first_place(properties: &Properties, name: &str) -> Place {
    let first = properties.values().map(|property| &property.at).min();
    first.cloned().unwrap_or_else(|| Place::new(name, 0))
}

/// The known facts about a drive, from any number of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drive {
    /// `sda`, `nvme0n1`, or a lab's `hdd3`.
    pub name: String,
    /// Model.
    pub model: Option<Found<String>>,
    /// Serial number.
    pub serial: Option<Found<String>>,
    /// World-wide name.
    pub wwn: Option<String>,
    /// Capacity, bytes.
    pub size: Option<Found<u64>>,
    /// Whether lsblk lists it.
    pub listed: bool,
    /// Partitions and maps on it, each under all of its names, with their capacities, bytes.
    pub parts: Vec<(String, Option<u64>)>,
    /// Whether it rotates.
    pub rotational: Option<Found<bool>>,
    /// Logical sector, bytes.
    pub logical_sector: Option<Found<u64>>,
    /// Physical sector, bytes.
    pub physical_sector: Option<Found<u64>>,
    /// `sata`, `sas`, `nvme`, `usb`.
    pub transport: Option<Found<String>>,
    /// Whether its acknowledged writes survive a power cut: stated by a lab; else see
    /// [`catalogue::protected`].
    pub protected: Option<Found<bool>>,
    /// The scheduler in use.
    pub scheduler: Option<Found<String>>,
    /// Read-ahead, KiB.
    pub read_ahead_kib: Option<Found<u64>>,
    /// Whether the kernel flushes its cache (`write_cache` is `write back`).
    pub flushed: Option<Found<bool>>,
    /// Its content: `zfs_member`, `ext4`, …
    pub signature: Option<String>,
    /// Where it or a part of it is mounted.
    pub mounts: Vec<Found<String>>,
    /// The output of smartctl, with where it begins.
    pub smart: Option<(Place, facts::smartctl::Drive)>,
}

impl Drive {
    /// Whether it speaks SCSI itself. A SATA drive on a SAS card says so in its SMART attributes.
    pub fn is_scsi(&self) -> bool {
        let ata = self.smart.as_ref().is_some_and(|(_, smart)| !smart.attributes.is_empty());
        let bus = self.transport.as_ref().map(|transport| transport.value.as_str());
        !ata && matches!(bus, Some("sas" | "fc" | "iscsi" | "spi"))
    }

    /// The drive as a pool would name it.
    pub fn as_leaf(&self) -> Leaf {
        Leaf { name: self.name.clone(), at: Place::new(&self.name, 0) }
    }
}

/// A RAID card, and where it was described.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CardReport {
    /// Where the output begins.
    pub origin: Place,
    pub tool: CardTool,
    pub card: Card,
}

impl CardReport {
    /// The card's model, or its number.
    pub fn name(&self) -> String {
        let model = self.card.model.as_ref().map(|model| model.value.clone());
        model.unwrap_or_else(|| format!("/c{}", self.card.id))
    }

    pub fn place(&self, line: u32) -> Place {
        self.origin.below(line)
    }
}

/// A client's load, as far as a job file or counters show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Load {
    /// Name of the workload.
    pub name: String,
    pub dataset: String,
    pub reads: bool,
    pub writes: bool,
    /// Whether its offsets are random.
    pub random: bool,
    /// Whether it asks for stable storage itself (fsync, O_SYNC).
    pub syncs: bool,
    /// Bytes of one operation, where they are all the same.
    pub block: Option<u64>,
    pub at: Place,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub name: String,
    /// The text that lists the interfaces of its host.
    pub host: String,
    /// Maximum transmission unit, bytes.
    pub mtu: u64,
    pub at: Place,
}

/// All known facts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct System {
    /// RAM, bytes.
    pub memory: Option<Found<u64>>,
    /// OpenZFS's release line: `(2, 1)`.
    pub openzfs: Option<Found<(u32, u32)>>,
    /// Its point release: 11 of 2.1.11.
    pub openzfs_point: Option<u32>,
    /// Pools.
    pub pools: Vec<Pool>,
    /// Datasets.
    pub datasets: Vec<Dataset>,
    /// Parameters of the zfs module that somebody set, by name.
    pub module: BTreeMap<String, Found<String>>,
    /// Those of them that only a script sets, while the module runs.
    pub echoed: BTreeSet<String>,
    /// Lines of a module configuration that are no options.
    pub stray: Vec<Found<String>>,
    /// Drives.
    pub drives: Vec<Drive>,
    pub(crate) cards: Vec<CardReport>,
    /// `postgresql.conf` and files like it, cluster by cluster: the last of a cluster that sets something counts.
    pub postgresql: Vec<PostgresFile>,
    /// The cluster to look at where there are several; else the last one.
    pub cluster: Option<usize>,
    /// `my.cnf` and the files it includes, likewise.
    pub mysql: Vec<(Place, mycnf::Options)>,
    /// Datasets that hold the data of a server, where a lab says so.
    pub stated_databases: Vec<(String, database::DatabaseServer)>,
    /// Which of MySQL and MariaDB the server is, where a lab or the server's own program says so.
    pub mysql_server: mycnf::Server,
    /// NFS exports.
    pub exports: Vec<exports::Export>,
    /// Samba's settings.
    pub samba: Vec<samba::SambaRow>,
    pub(crate) loads: Vec<Load>,
    pub(crate) links: Vec<Link>,
    /// Counters of a live machine.
    pub counters: Option<Found<Counters>>,
    /// fio job files that no lab gave a dataset, as name and text; [`gather()`] resolves them.
    pub jobs: Vec<Found<String>>,
    /// Module parameters as they are at run time; [`gather()`] keeps those that somebody set.
    pub live: Vec<(String, Found<String>)>,
    /// Readings of kernel counters, in any order; [`gather()`] makes [`Counters`] of them.
    pub readings: Vec<Kstat>,
    /// Readings of the block layer's flushes; see `readings`.
    pub flush_readings: Vec<diskstats::Reading>,
    /// Readings of `zpool iostat -w`; see `readings`.
    pub wait_readings: zpool_iostat::Readings,
    /// Rows of each text of `zpool iostat -l`; see `readings`.
    pub mean_waits: Vec<Vec<Waits>>,
    /// Titles and comments, which may describe layouts.
    pub remarks: Vec<Found<String>>,
    /// Today, as days since 1970-01-01, where the caller has a clock.
    pub today: Option<i64>,
    /// Whether it is only planned (a lab): nothing was built yet, so everything can still be changed.
    pub planned: bool,
}

/// Whether installers give a pool that the machine boots from this name.
pub fn is_boot_pool(name: &str) -> bool {
    matches!(name, "rpool" | "bpool" | "zroot" | "boot-pool" | "freenas-boot")
}

impl System {
    /// Whether the default of a module parameter fulfils a condition in the system's release, or in every release
    /// where that is not known.
    pub fn has_default(&self, name: &str, condition: impl Fn(Option<u64>) -> bool) -> bool {
        module::find(name).is_some_and(|parameter| match &self.openzfs {
            Some(release) => {
                parameter.is_certain_in(release.value, self.openzfs_point)
                    && condition(parameter.default_in(release.value))
            }
            None => parameter.releases.iter().all(|(_, default)| condition(*default)),
        })
    }

    /// A parameter of the zfs module as a number; also one whose suffix the kernel would refuse, so
    /// that writing it right raises nothing new.
    pub fn parameter(&self, name: &str) -> Option<Found<u64>> {
        let found = self.module.get(name)?;
        zfs::module::intended(&found.value).map(|value| Found::new(value, found.at.clone()))
    }

    /// A pool by name.
    pub fn pool(&self, name: &str) -> Option<&Pool> {
        self.pools.iter().find(|pool| pool.name == name)
    }

    /// Whether the machine boots from a pool: by its properties, or by a name that installers give.
    pub fn boots_from(&self, pool: &Pool) -> bool {
        let set = pool.get("bootfs").is_some_and(|set| !matches!(set.value.as_str(), "-" | ""));
        let mut datasets = self.datasets_in(&pool.name);
        is_boot_pool(&pool.name) || set || datasets.any(|d| d.is("mountpoint", "/"))
    }

    pub(crate) fn dataset(&self, name: &str) -> Option<&Dataset> {
        self.datasets.iter().find(|dataset| dataset.name == name)
    }

    /// Whether a dataset has the value of a property from its parent.
    pub fn inherits(&self, dataset: &Dataset, name: &str, property: &Property) -> bool {
        let parent = dataset.name.rsplit_once('/').and_then(|(parent, _)| self.dataset(parent));
        !property.local && parent.is_some_and(|parent| parent.is(name, &property.value))
    }

    pub(crate) fn loads_in<'a>(&'a self, pool: &'a str) -> impl Iterator<Item = &'a Load> {
        self.loads.iter().filter(move |load| load.dataset.split('/').next() == Some(pool))
    }

    pub(crate) fn datasets_in<'a>(&'a self, pool: &'a str) -> impl Iterator<Item = &'a Dataset> {
        self.datasets.iter().filter(move |dataset| dataset.pool() == pool)
    }
}
