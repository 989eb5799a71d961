//! A variant's pool: the library started for its model, the pool made or imported, its datasets.

use crate::clock::Clock;
use crate::protocol::{Build, Pace, Refusal};
use crate::volume::Time;
use crate::zpl::Dataset;
use lab::campaign::{Class, DriveRef, Layout, OpenZfs, Vdev};
use lab::model::LISTS;
use lab::property::{self, Effect};
use openzfs::{Disk, FileSystem, Library, Pool, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the pool inside a scale model.
pub const POOL: &str = "tank";

/// Module parameters that size a stock: the model's own value stands, not the real machine's.
const SCALED: &[&str] = &[
    "zfs_arc_max",
    "zfs_arc_min",
    "zfs_dirty_data_max",
    "zfs_dirty_data_max_max",
    "zfs_dirty_data_max_percent",
    "zfs_dirty_data_max_max_percent",
    "zfs_wrlog_data_max",
];

/// The least that OpenZFS takes for an ARC (`arc_init`): 32 MiB.
const ARC_MIN: u64 = 32 << 20;

/// How many times as much is read in a virtual second at instant drives, about: hk-smb-l2arc read 10 (k = 2) to
/// 25 times (k = 4) as fast as its disks would.
const WARMING: f64 = 16.0;

/// A running pool.
pub struct Zfs {
    library: Library,
    feed_interval: f64,
    config: PathBuf,
    pool: Option<Pool>,
    datasets: BTreeMap<String, Arc<Dataset>>,
    names: Vec<String>,
    replayed: u64,
    clock: Clock,
}

fn refuse(what: &str, e: openzfs::Error) -> Refusal {
    Refusal {
        message: format!("{what}: {e}"),
    }
}

/// The path by which the pool knows a drive.
pub fn drive_path(drive: &DriveRef) -> String {
    format!("/{drive}")
}

/// Module parameters of a build, those that size things by the model, the rest as the lab has them.
pub fn tunables(build: &Build) -> Vec<(String, i64)> {
    let m = &build.model;
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    // The kernel starts from 1/32 of memory; userland would pin half of the ARC.
    let arc_min = (m.physmem / 32)
        .max(ARC_MIN)
        .min(m.arc_max.saturating_sub(1));
    let mut all = vec![
        ("zfs_arc_max".to_owned(), signed(m.arc_max)),
        ("zfs_arc_min".to_owned(), signed(arc_min)),
        ("zfs_dirty_data_max".to_owned(), signed(m.dirty_data_max)),
        (
            "zfs_dirty_data_max_max".to_owned(),
            signed(m.dirty_data_max),
        ),
        ("zfs_wrlog_data_max".to_owned(), signed(m.wrlog_data_max)),
        (LISTS.to_owned(), lists(build)),
        // Buffers in one piece reach the drives without a copy, which the timer's thread would make.
        ("zfs_abd_scatter_enabled".to_owned(), 0),
    ];
    all.extend(m.module.iter().map(|(name, value)| (name.clone(), *value)));
    all.extend(
        build
            .variant
            .module
            .iter()
            // The model's value of the same stands: it is scaled.
            .filter(|(name, _)| !SCALED.contains(&name.as_str()) && !m.module.contains_key(*name))
            .map(|(name, value)| (name.clone(), *value)),
    );
    all
}

/// Lists for the modelled host's processors, not for this machine's.
fn lists(build: &Build) -> i64 {
    i64::from(lab::model::lists(build.cores, &build.variant))
}

/// Processors by which the library sizes its task queues. A thread here does in slowed time what `k`
/// threads do in the modelled machine, so that the host's over `k` are as many; but four at least, if
/// it has them: with two, a single thread would compress, add parity and issue every write. More than
/// needed only keep each other, and the drives' timer, from this machine's processors.
fn processors(cores: u32, k: f64) -> u32 {
    let same = (f64::from(cores) / k.max(1.0)).ceil() as u32;
    same.max(4).min(cores)
}

fn vdev(v: &Vdev) -> openzfs::Vdev {
    openzfs::Vdev {
        class: match v.class {
            Class::Normal => openzfs::Class::Normal,
            Class::Log => openzfs::Class::Log,
            Class::Cache => openzfs::Class::Cache,
            Class::Special => openzfs::Class::Special,
            Class::Dedup => openzfs::Class::Dedup,
            Class::Spare => openzfs::Class::Spare,
        },
        layout: match v.layout {
            Layout::Single => openzfs::Layout::Single,
            Layout::Mirror => openzfs::Layout::Mirror,
            Layout::Raidz { parity } => openzfs::Layout::Raidz(parity),
            Layout::Draid {
                parity,
                data,
                spares,
            } => openzfs::Layout::Draid {
                parity,
                data,
                spares,
            },
        },
        drives: v.drives.iter().map(drive_path).collect(),
    }
}

impl Zfs {
    /// Starts the library for a build whose drives are given; once in a process.
    ///
    /// # Errors
    /// When the library runs already.
    pub fn start(
        build: &Build,
        clock: &Clock,
        disks: &[(DriveRef, Arc<dyn Disk>)],
    ) -> Result<Zfs, Refusal> {
        let settings = Settings {
            memory: build.model.physmem,
            processors: processors(build.cores, clock.dilation()),
            dilation: clock.dilation(),
            origin: clock.origin() as i64,
            tunables: tunables(build),
        };
        let library = Library::start(&settings).map_err(|e| refuse("libzpool", e))?;
        // The ARC has its lists now, which are fewer where it is smaller. Those of dnodes and metaslabs,
        // made with pools and datasets, say how many threads sync them.
        library
            .set_tunable(LISTS, lists(build))
            .map_err(|e| refuse(LISTS, e))?;
        for (drive, disk) in disks {
            library.add_disk(&drive_path(drive), disk.clone());
        }
        let zfs = Zfs {
            library,
            feed_interval: build.model.feed_interval,
            config: build.store.join("pool.config"),
            pool: None,
            datasets: BTreeMap::new(),
            names: build.variant.datasets.keys().cloned().collect(),
            replayed: 0,
            clock: *clock,
        };
        zfs.pace_feed(Pace::Timed);
        Ok(zfs)
    }

    /// How often the L2ARC is fed.
    pub fn pace_feed(&self, pace: Pace) {
        let share = match pace {
            Pace::Timed | Pace::Instant => 1.0,
            Pace::Warming => 1.0 / WARMING,
        };
        self.library.pace_feed(self.feed_interval * share);
    }

    /// Creates the pool and its datasets.
    ///
    /// # Errors
    /// What the library refused, with its reason.
    pub fn create(&mut self, build: &Build) -> Result<(), Refusal> {
        let v = &build.variant;
        let vdevs: Vec<_> = v.pool.vdevs.iter().map(vdev).collect();
        let properties: Vec<_> = v
            .pool
            .properties
            .iter()
            .filter(|(name, _)| is_modelled(name, v.openzfs))
            .map(|(n, value)| (n.clone(), value.clone()))
            .collect();
        let pool = Pool::create(POOL, v.pool.ashift, &vdevs, &properties, &self.config)
            .map_err(|e| refuse("the pool cannot be created", e))?;
        let mut made = BTreeSet::new();
        for (dataset, properties) in &v.datasets {
            // As `zfs create -p`: a lab may leave the `db` of `db/pg` to ZFS.
            for one in with_ancestors(dataset) {
                if made.insert(one) {
                    pool.create_dataset(one)
                        .map_err(|e| refuse(&format!("dataset {one} cannot be created"), e))?;
                }
            }
            for (name, value) in properties {
                set(&pool, dataset, name, value)?;
            }
        }
        self.pool = Some(pool);
        self.open()
    }

    /// Imports the pool from its drives; `without_log` goes on when log vdevs are missing.
    ///
    /// # Errors
    /// What the library refused, with its reason.
    pub fn import(&mut self, without_log: bool) -> Result<(), Refusal> {
        let pool = Pool::import(POOL, &self.config, without_log)
            .map_err(|e| refuse("the pool cannot be imported", e))?;
        self.pool = Some(pool);
        self.open()
    }

    fn open(&mut self) -> Result<(), Refusal> {
        let Some(pool) = &self.pool else {
            return Ok(());
        };
        let mut names = self.names.clone();
        if !names.iter().any(String::is_empty) {
            names.push(String::new());
        }
        self.replayed = 0;
        for name in names {
            let fs = FileSystem::open(pool, &name)
                .map_err(|e| refuse(&format!("dataset {name:?} cannot be opened"), e))?;
            self.replayed += fs.replayed();
            let clock = self.clock;
            let wall = wall_origin(clock.origin());
            let now = move || {
                let ns = wall + clock.now() as i128;
                Time {
                    seconds: (ns / 1_000_000_000) as i64,
                    nanos: (ns % 1_000_000_000) as u32,
                }
            };
            self.datasets.insert(name, Arc::new(Dataset::new(fs, now)));
        }
        Ok(())
    }

    /// A dataset of the pool; `""` is the root.
    pub fn dataset(&self, name: &str) -> Option<Arc<Dataset>> {
        self.datasets.get(name).cloned()
    }

    /// Records replayed from the intent log when the pool was last opened.
    pub fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Waits until everything dirty is on the drives.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn drain(&self) -> Result<(), Refusal> {
        self.pool
            .as_ref()
            .map_or(Ok(()), |p| p.drain().map_err(|e| refuse("drain", e)))
    }

    /// Exports the pool; every mount of its datasets must be gone.
    ///
    /// # Errors
    /// When something is still in use.
    pub fn export(&mut self) -> Result<(), Refusal> {
        self.datasets.clear();
        match self.pool.take() {
            Some(pool) => pool
                .export()
                .map_err(|e| refuse("the pool cannot be exported", e)),
            None => Ok(()),
        }
    }

    /// Every counter by its name in the protocol; true for a level.
    pub fn counters(&self) -> Vec<(&'static str, bool, f64)> {
        self.library
            .counters(self.pool.as_ref())
            .into_iter()
            .map(|c| (c.name, c.level, c.value as f64))
            .collect()
    }

    /// Drives that the pool has given up, a sentence each.
    pub fn faults(&self) -> Vec<String> {
        let lost = self.pool.as_ref().map(Pool::lost_drives);
        // While the pool's shape changes there is no answer; the next second has one.
        let lost = lost.and_then(Result::ok).unwrap_or_default();
        lost.into_iter()
            .map(|l| {
                let drive = l.drive.trim_start_matches('/');
                if l.log {
                    format!("the pool has given up drive {drive} of its log")
                } else {
                    format!("the pool has given up drive {drive}")
                }
            })
            .collect()
    }

    /// What the pool really is, for the record: sizes in bytes, counts, parameters it did not take.
    pub fn facts(&self) -> BTreeMap<String, f64> {
        let mut facts = BTreeMap::new();
        if let Some(Ok(s)) = self.pool.as_ref().map(Pool::space) {
            for (name, value) in [
                ("pool.size", s.size),
                ("pool.dspace", s.dspace),
                ("pool.slop", s.slop),
                ("pool.available", s.available),
                ("pool.log", s.log),
                ("pool.embedded_log", s.embedded_log),
                ("pool.special", s.special),
                ("pool.metaslabs", s.metaslabs),
                ("pool.metaslab_size", s.metaslab_size),
                ("pool.log_metaslabs", s.log_metaslabs),
            ] {
                facts.insert(name.to_owned(), value as f64);
            }
        }
        for name in self.library.unknown_tunables() {
            facts.insert(format!("module.{name}.not-in-this-version"), 1.0);
        }
        facts.insert(
            "openzfs.debug".to_owned(),
            f64::from(u8::from(self.library.is_debug())),
        );
        facts
    }

    /// Full version of the library.
    pub fn version(&self) -> &'static str {
        self.library.version()
    }

    /// Stops the library; the pool must have been exported.
    pub fn stop(self) {
        self.library.stop();
    }
}

/// `CLOCK_REALTIME` at the clock's origin, ns: file times are then those that libzpool's own clock
/// gives.
fn wall_origin(origin: u64) -> i128 {
    let now = |id| {
        let now = rustix::time::clock_gettime(id);
        i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec)
    };
    let since = now(rustix::time::ClockId::Monotonic) - i128::from(origin);
    now(rustix::time::ClockId::Realtime) - since
}

/// Whether a pool property acts in the model. What `check` says changes nothing here must not, and the
/// library does not take all of it: `feature@…` is no property to it, `dedup_table_quota` a number.
fn is_modelled(name: &str, openzfs: OpenZfs) -> bool {
    property::pool::lookup(name, openzfs).is_ok_and(|p| p.effect == Effect::Modelled)
}

/// A dataset behind those that it lies in, the outermost first; nothing for the root, which is there.
fn with_ancestors(dataset: &str) -> impl Iterator<Item = &str> {
    let above = dataset
        .match_indices('/')
        .map(move |(end, _)| &dataset[..end]);
    above.chain((!dataset.is_empty()).then_some(dataset))
}

/// Properties of a dataset that concern mounting, sharing and names, not the pool.
const NOT_THE_POOLS: &[&str] = &[
    "mountpoint",
    "canmount",
    "sharenfs",
    "sharesmb",
    "overlay",
    "devices",
    "exec",
    "setuid",
    "readonly",
    "nbmand",
    "vscan",
    "snapdir",
    "volmode",
    "relatime",
    "acltype",
    "aclmode",
    "aclinherit",
    "xattr",
    "casesensitivity",
    "normalization",
    "utf8only",
    "snapdev",
    "quota",
    "refquota",
    "reservation",
    "refreservation",
    "encryption",
    "keyformat",
    "keylocation",
];

fn set(pool: &Pool, dataset: &str, name: &str, value: &str) -> Result<(), Refusal> {
    // User properties and quotas of users.
    if NOT_THE_POOLS.contains(&name) || name.contains([':', '@']) {
        return Ok(());
    }
    let number = lab::units::size(value).map_or_else(|_| value.to_owned(), |b| b.to_string());
    // Sizes are given to the library in bytes; every other value is one of ZFS's own words.
    let value = if matches!(name, "recordsize" | "special_small_blocks" | "volblocksize") {
        number.as_str()
    } else {
        value
    };
    pool.set(dataset, name, value)
        .map_err(|e| refuse(&format!("{name}={value} cannot be set on {dataset:?}"), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowed_thread_stands_for_k_of_the_modelled_machine() {
        assert_eq!(processors(64, 8.0), 8);
        assert_eq!(processors(20, 3.0), 7);
        assert_eq!(processors(16, 8.0), 4, "four at least");
        assert_eq!(processors(2, 8.0), 2, "but no more than the machine has");
        assert_eq!(processors(32, 1.0), 32);
    }

    #[test]
    fn only_pool_properties_that_act_in_the_model_reach_the_library() {
        for name in ["autotrim", "failmode"] {
            assert!(is_modelled(name, OpenZfs::V2_1), "{name}");
        }
        for name in [
            "dedup_table_quota",
            "feature@lz4_compress",
            "multihost",
            "compatibility",
            "comment",
            "cachefile",
            "readonly",
            "ashift",
        ] {
            assert!(!is_modelled(name, OpenZfs::V2_3), "{name}");
        }
    }

    #[test]
    fn a_dataset_comes_behind_those_that_it_lies_in() {
        let names = |dataset| with_ancestors(dataset).collect::<Vec<_>>();
        assert_eq!(names("db/pg/wal"), ["db", "db/pg", "db/pg/wal"]);
        assert_eq!(names("wal"), ["wal"]);
        assert!(names("").is_empty(), "the root is there");
    }
}
