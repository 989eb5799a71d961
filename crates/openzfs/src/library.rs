//! The library as a whole: started once, with its clock, its memory and its module parameters.

use crate::error::{Result, check};
use crate::pool::Pool;
use crate::{Disk, disk, ffi};
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How the library is started.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Memory of the modelled host, bytes: the ARC and the dirty-data limits follow from it.
    pub memory: u64,
    /// Processors of the modelled host, by which task queues and lists are sized; at most 64 count,
    /// and with 0 it is this machine's.
    pub processors: u32,
    /// Virtual time runs this many times slower than real time; at least 1.
    pub dilation: f64,
    /// `CLOCK_MONOTONIC`, ns, at which virtual time is 0; must lie in the past.
    pub origin: i64,
    /// Module parameters by their own names, set before anything is sized by them.
    pub tunables: Vec<(String, i64)>,
}

/// The running library. There can be only one in a process, and it cannot be started twice: a pool
/// after a power cut is opened by another process, as after a real one.
pub struct Library {
    unknown: Vec<String>,
}

/// A counter and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Its name in the control protocol.
    pub name: &'static str,
    /// A level (a size), not a running total.
    pub level: bool,
    /// Its value.
    pub value: u64,
}

static STARTED: AtomicBool = AtomicBool::new(false);

impl Library {
    /// Starts the library.
    ///
    /// # Errors
    /// EALREADY when it has been started in this process before.
    pub fn start(settings: &Settings) -> Result<Library> {
        const EALREADY: i32 = 114;
        if STARTED.swap(true, Ordering::SeqCst) {
            return Err(crate::Error(EALREADY));
        }
        // As in a kernel. A library built with DEBUG begins with every check it has, among them a
        // checksum of each ARC buffer before and after a write to it: of 1 MiB for 4 KiB.
        set_tunable("zfs_flags", 0)?;
        let mut unknown = Vec::new();
        // SAFETY: called once, before any other thread of the library exists.
        unsafe {
            ffi::pw_clock_start(settings.origin, settings.dilation.max(1.0));
            ffi::pw_disk_register(&disk::OPS);
        }
        for (name, value) in &settings.tunables {
            if set_tunable(name, *value).is_err() {
                unknown.push(name.clone());
            }
        }
        // SAFETY: the disks and the clock are in place, which is all it asks for.
        unsafe { ffi::pw_init(settings.memory, settings.processors) };
        Ok(Library { unknown })
    }

    /// Parameters of [`Settings::tunables`] that this version does not have as a variable.
    pub fn unknown_tunables(&self) -> &[String] {
        &self.unknown
    }

    /// Full version: `2.1.11`.
    pub fn version(&self) -> &'static str {
        version()
    }

    /// Built with assertions, which costs processor time.
    pub fn is_debug(&self) -> bool {
        is_debug()
    }

    /// Virtual nanoseconds since the origin.
    pub fn now(&self) -> i64 {
        // SAFETY: reads the clock.
        unsafe { ffi::pw_clock_now() }
    }

    /// From now on a leaf vdev of this (absolute) path is this disk.
    pub fn add_disk(&self, path: &str, disk: Arc<dyn Disk>) {
        disk::register(path, disk);
    }

    /// The path is no disk any more.
    pub fn remove_disk(&self, path: &str) {
        disk::unregister(path);
    }

    /// Sets a module parameter.
    ///
    /// # Errors
    /// ENOENT when this version has no such variable, ERANGE when the value does not fit.
    pub fn set_tunable(&self, name: &str, value: i64) -> Result<()> {
        set_tunable(name, value)
    }

    /// From now on the feed of the L2ARC comes after this share, above 0, of `l2arc_feed_secs` and
    /// `l2arc_feed_min_ms`, which are whole numbers.
    pub fn pace_feed(&self, share: f64) {
        // SAFETY: stores a number that the feed's thread reads.
        unsafe { ffi::pw_feed_pace(share) };
    }

    /// Reads a module parameter.
    ///
    /// # Errors
    /// ENOENT when this version has no such variable.
    pub fn tunable(&self, name: &str) -> Result<i64> {
        let name = c_string(name)?;
        let mut value = 0;
        // SAFETY: `name` is a C string and `value` a place for the result.
        check(unsafe { ffi::pw_tunable_get(name.as_ptr(), &mut value) })?;
        Ok(value)
    }

    /// Every counter, of the library (over all datasets) and of a pool.
    pub fn counters(&self, pool: Option<&Pool>) -> Vec<Counter> {
        // SAFETY: takes nothing.
        let n = unsafe { ffi::pw_counter_count() };
        let mut values = vec![0u64; n];
        let pool = pool.map_or(std::ptr::null_mut(), Pool::handle);
        // SAFETY: `values` has room for as many as the shim says, the pool is imported or null.
        unsafe { ffi::pw_counters(pool, values.as_mut_ptr()) };
        values
            .into_iter()
            .enumerate()
            .map(|(i, value)| {
                // SAFETY: `i` is below the count; names are string literals of the shim.
                let (name, level) = unsafe {
                    (
                        CStr::from_ptr(ffi::pw_counter_name(i)),
                        ffi::pw_counter_is_level(i) != 0,
                    )
                };
                Counter {
                    name: name.to_str().unwrap_or(""),
                    level,
                    value,
                }
            })
            .collect()
    }

    /// Stops the library; every pool must have been exported.
    pub fn stop(self) {
        // SAFETY: it was started, and `self` was the only handle.
        unsafe { ffi::pw_fini() };
    }
}

/// Full version of the linked library: `2.1.11`.
pub fn version() -> &'static str {
    // SAFETY: a string literal of the shim.
    unsafe { CStr::from_ptr(ffi::pw_version()) }
        .to_str()
        .unwrap_or("unknown")
}

/// The linked library was built with assertions.
pub fn is_debug() -> bool {
    // SAFETY: returns a constant.
    unsafe { ffi::pw_is_debug() != 0 }
}

fn set_tunable(name: &str, value: i64) -> Result<()> {
    let name = c_string(name)?;
    // SAFETY: `name` is a C string.
    check(unsafe { ffi::pw_tunable_set(name.as_ptr(), value) })
}

pub(crate) fn c_string(s: &str) -> Result<CString> {
    const EINVAL: i32 = 22;
    CString::new(s).map_err(|_| crate::Error(EINVAL))
}
