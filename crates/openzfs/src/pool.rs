//! Pools.

use crate::error::{Result, check};
use crate::ffi;
use crate::library::c_string;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

/// What a top-level vdev is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Data.
    Normal,
    /// Intent log.
    Log,
    /// L2ARC; each drive stands for itself.
    Cache,
    /// Metadata and small blocks.
    Special,
    /// Deduplication table.
    Dedup,
    /// Hot spares; each drive stands for itself.
    Spare,
}

/// How the drives of a top-level vdev are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One drive.
    Single,
    /// Every drive holds everything.
    Mirror,
    /// Raidz of this parity, 1 to 3.
    Raidz(u8),
    /// dRAID.
    Draid {
        /// 1 to 3.
        parity: u8,
        /// Data drives of a redundancy group.
        data: u32,
        /// Distributed spares.
        spares: u32,
    },
}

/// A top-level vdev.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vdev {
    /// What it is for.
    pub class: Class,
    /// How it is put together.
    pub layout: Layout,
    /// Paths of its drives, registered by [`crate::Library::add_disk`].
    pub drives: Vec<String>,
}

/// Sizes of a pool, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Normal class, with parity.
    pub size: u64,
    /// Allocated of it.
    pub allocated: u64,
    /// Deflated space (`spa_get_dspace`), the special class left out.
    pub dspace: u64,
    /// Reserved (`spa_get_slop_space`).
    pub slop: u64,
    /// Log class.
    pub log: u64,
    /// Embedded log class.
    pub embedded_log: u64,
    /// Special class.
    pub special: u64,
    /// What the root dataset calls available.
    pub available: u64,
    /// Metaslabs of the first normal top-level vdev.
    pub metaslabs: u64,
    /// Bytes in each of them.
    pub metaslab_size: u64,
    /// Metaslabs of the first log vdev, 0 without one.
    pub log_metaslabs: u64,
    /// Every drive is there and none has failed.
    pub healthy: bool,
}

/// A drive that a pool cannot use any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostDrive {
    /// Its path.
    pub drive: String,
    /// It is of a log vdev.
    pub log: bool,
}

/// An imported pool. Dropping it leaves the pool imported; [`Pool::export`] ends it.
pub struct Pool {
    name: CString,
    config: CString,
    handle: Handle,
}

/// The library's own pool, for what must never wait for the lock that names are looked up under.
struct Handle(*mut c_void);

// SAFETY: the shim only reads through it, under the library's own locks; it stays valid until
// `Pool::export` takes the pool that holds it.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// Strings and vdevs in the shape that the shim takes, alive for one call.
struct Arguments {
    _strings: Vec<CString>,
    _paths: Vec<Vec<*const c_char>>,
    vdevs: Vec<ffi::Vdev>,
}

impl Arguments {
    fn new(vdevs: &[Vdev]) -> Result<Arguments> {
        let mut strings = Vec::new();
        let mut paths = Vec::new();
        let mut raw = Vec::new();
        for v in vdevs {
            let mut own = Vec::new();
            for drive in &v.drives {
                let s = c_string(drive)?;
                own.push(s.as_ptr());
                strings.push(s);
            }
            let (layout, parity, data, spares) = match v.layout {
                Layout::Single => (0, 0, 0, 0),
                Layout::Mirror => (1, 0, 0, 0),
                Layout::Raidz(parity) => (2, u32::from(parity), 0, 0),
                Layout::Draid {
                    parity,
                    data,
                    spares,
                } => (3, u32::from(parity), data, spares),
            };
            raw.push(ffi::Vdev {
                class: v.class as u32,
                layout,
                parity,
                data,
                spares,
                children: own.len() as u32,
                paths: own.as_ptr(),
            });
            paths.push(own);
        }
        Ok(Arguments {
            _strings: strings,
            _paths: paths,
            vdevs: raw,
        })
    }
}

/// A pool's name and the file of its configuration, as the shim takes them.
fn names(name: &str, config: &Path) -> Result<(CString, CString)> {
    Ok((c_string(name)?, c_string(&config.to_string_lossy())?))
}

impl Pool {
    /// Creates a pool with every feature of the version enabled, and keeps its configuration in a
    /// file, as a cachefile does. `ashift` none leaves the choice to OpenZFS.
    ///
    /// # Errors
    /// The errno of the library: EINVAL for a layout it refuses, EOVERFLOW for drives that are too
    /// small, ENOENT for a path that is no disk, EEXIST for a pool of this name.
    pub fn create(
        name: &str,
        ashift: Option<u8>,
        vdevs: &[Vdev],
        properties: &[(String, String)],
        config: &Path,
    ) -> Result<Pool> {
        let (name, config) = names(name, config)?;
        let arguments = Arguments::new(vdevs)?;
        let strings = properties
            .iter()
            .map(|(n, v)| Ok((c_string(n)?, c_string(v)?)))
            .collect::<Result<Vec<_>>>()?;
        let pairs: Vec<ffi::Pair> = strings
            .iter()
            .map(|(n, v)| ffi::Pair {
                name: n.as_ptr(),
                value: v.as_ptr(),
            })
            .collect();
        // SAFETY: every pointer is into the names, `arguments` or `strings`, which outlive the call;
        // the shim copies what it keeps.
        check(unsafe {
            ffi::pw_pool_create(
                name.as_ptr(),
                ashift.map_or(0, u32::from),
                arguments.vdevs.as_ptr(),
                arguments.vdevs.len(),
                pairs.as_ptr(),
                pairs.len(),
                config.as_ptr(),
            )
        })?;
        Pool::imported(name, config)
    }

    /// Imports a pool by its kept configuration. `without_log` accepts that log vdevs are missing,
    /// as `zpool import -m` does.
    ///
    /// # Errors
    /// The errno of the library: ENXIO when drives are missing, ENOENT without a configuration.
    pub fn import(name: &str, config: &Path, without_log: bool) -> Result<Pool> {
        let (name, config) = names(name, config)?;
        // SAFETY: both are C strings that outlive the call.
        check(unsafe {
            ffi::pw_pool_import(name.as_ptr(), config.as_ptr(), u32::from(without_log))
        })?;
        Pool::imported(name, config)
    }

    fn imported(name: CString, config: CString) -> Result<Pool> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: a C string and a place for the result.
        check(unsafe { ffi::pw_pool_handle(name.as_ptr(), &mut handle) })?;
        Ok(Pool {
            name,
            config,
            handle: Handle(handle),
        })
    }

    pub(crate) fn handle(&self) -> *mut c_void {
        self.handle.0
    }

    /// The pool's name.
    pub fn name(&self) -> &str {
        self.name.to_str().unwrap_or("")
    }

    /// Exports the pool; its file systems must have been closed.
    ///
    /// # Errors
    /// EBUSY while something of it is open.
    pub fn export(self) -> Result<()> {
        // SAFETY: a C string.
        check(unsafe { ffi::pw_pool_export(self.name.as_ptr()) })
    }

    /// Adds top-level vdevs, as `zpool add` does.
    ///
    /// # Errors
    /// As [`Pool::create`].
    pub fn add(&self, ashift: Option<u8>, vdevs: &[Vdev]) -> Result<()> {
        let arguments = Arguments::new(vdevs)?;
        // SAFETY: as in `create`.
        check(unsafe {
            ffi::pw_pool_add(
                self.name.as_ptr(),
                ashift.map_or(0, u32::from),
                arguments.vdevs.as_ptr(),
                arguments.vdevs.len(),
                self.config.as_ptr(),
            )
        })
    }

    /// Removes the log, cache or (where OpenZFS can) data vdev that holds this drive.
    ///
    /// # Errors
    /// ENODEV when no vdev does; the library's errno when it cannot be removed.
    pub fn remove(&self, drive: &str) -> Result<()> {
        let path = c_string(drive)?;
        // SAFETY: C strings that outlive the call.
        check(unsafe {
            ffi::pw_pool_remove(self.name.as_ptr(), path.as_ptr(), self.config.as_ptr())
        })
    }

    /// Waits until everything dirty is on the drives.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn drain(&self) -> Result<()> {
        // SAFETY: a C string.
        check(unsafe { ffi::pw_pool_drain(self.name.as_ptr()) })
    }

    /// Starts a scrub.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn scrub(&self) -> Result<()> {
        // SAFETY: a C string.
        check(unsafe { ffi::pw_pool_scrub(self.name.as_ptr()) })
    }

    /// Its sizes.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn space(&self) -> Result<Space> {
        let mut raw = ffi::Space::default();
        // SAFETY: a C string and a place for the result.
        check(unsafe { ffi::pw_pool_space(self.name.as_ptr(), &mut raw) })?;
        const VDEV_STATE_HEALTHY: u64 = 7;
        Ok(Space {
            size: raw.size,
            allocated: raw.allocated,
            dspace: raw.dspace,
            slop: raw.slop,
            log: raw.log_size,
            embedded_log: raw.embedded_log_size,
            special: raw.special_size,
            available: raw.available,
            metaslabs: raw.metaslabs,
            metaslab_size: raw.metaslab_size,
            log_metaslabs: raw.log_metaslabs,
            healthy: raw.health == VDEV_STATE_HEALTHY,
        })
    }

    /// Drives that the pool cannot read or write any more.
    ///
    /// # Errors
    /// EAGAIN while the pool's shape changes.
    pub fn lost_drives(&self) -> Result<Vec<LostDrive>> {
        let mut lost: Vec<LostDrive> = Vec::new();
        // SAFETY: the handle of a pool that is imported; `note` gets back the pointer to `lost`,
        // which outlives the call.
        check(unsafe { ffi::pw_pool_lost_drives(self.handle(), note, (&raw mut lost).cast()) })?;
        Ok(lost)
    }

    /// Bytes that a block of `psize` bytes takes on the first normal top-level vdev.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn asize(&self, psize: u64) -> Result<u64> {
        let mut asize = 0;
        // SAFETY: a C string and a place for the result.
        check(unsafe { ffi::pw_pool_asize(self.name.as_ptr(), psize, &mut asize) })?;
        Ok(asize)
    }

    /// The full name of a dataset: `tank/wal`; `""` is the root.
    pub fn dataset(&self, name: &str) -> String {
        if name.is_empty() {
            self.name().to_owned()
        } else {
            format!("{}/{name}", self.name())
        }
    }

    /// Creates a dataset below the root.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn create_dataset(&self, name: &str) -> Result<()> {
        let full = c_string(&self.dataset(name))?;
        // SAFETY: a C string.
        check(unsafe { ffi::pw_dataset_create(full.as_ptr()) })
    }

    /// Sets a property by ZFS's own name; numbers in bytes, choices by ZFS's own words.
    ///
    /// # Errors
    /// ENOENT for a property that this version does not have, EINVAL for a value it does not take.
    pub fn set(&self, dataset: &str, property: &str, value: &str) -> Result<()> {
        let full = c_string(&self.dataset(dataset))?;
        let (property, value) = (c_string(property)?, c_string(value)?);
        // SAFETY: C strings that outlive the call.
        check(unsafe { ffi::pw_dataset_set(full.as_ptr(), property.as_ptr(), value.as_ptr()) })
    }
}

extern "C" fn note(arg: *mut c_void, path: *const c_char, log: c_int) {
    // SAFETY: `lost_drives` passes a pointer to its own vector, which nobody else uses while the
    // call lasts.
    let lost = unsafe { &mut *arg.cast::<Vec<LostDrive>>() };
    // SAFETY: the shim passes a C string.
    let drive = unsafe { CStr::from_ptr(path) }
        .to_string_lossy()
        .into_owned();
    lost.push(LostDrive {
        drive,
        log: log != 0,
    });
}
