//! Disks: what the pool's leaf vdevs are made of.

use crate::ffi;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, LazyLock, RwLock};

/// What a disk says of itself when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes.
    pub size: u64,
    /// Logical sector, bytes: the smallest unit it can be asked for.
    pub logical_sector: u32,
    /// Physical sector, bytes: the smallest unit it can write without reading first.
    pub physical_sector: u32,
    /// It turns.
    pub rotational: bool,
}

/// What is asked of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoOp {
    /// Fill the buffer.
    Read,
    /// Store the buffer.
    Write,
    /// Make everything written so far durable.
    Flush,
    /// The range's contents are no longer needed.
    Trim,
}

/// A leaf vdev's device.
pub trait Disk: Send + Sync {
    /// Its size and sectors; must not change while it is registered.
    fn geometry(&self) -> Geometry;
    /// Takes an I/O, which must be completed exactly once, from any thread, now or later. It is
    /// called from inside OpenZFS and must not wait for another I/O.
    fn submit(&self, io: Io);
    /// The pool has freed the `length` bytes from `offset` on and may write there again: nobody reads what
    /// they hold until then. No I/O, of which a modelled drive would hear, but a disk in memory may give
    /// room back. Not told of cache drives, nor of what was freed shortly before an export.
    fn forget(&self, offset: u64, length: u64) {
        let _ = (offset, length);
    }
}

/// One I/O on its way through a disk. Dropped without [`Io::complete`], it fails with EIO, so that
/// the pool never waits for an answer that cannot come.
pub struct Io {
    raw: *mut ffi::Io,
}

// SAFETY: the I/O belongs to the disk until it is completed; OpenZFS touches neither the structure
// nor the buffer in between, and lets any thread complete it.
unsafe impl Send for Io {}

impl Io {
    fn raw(&self) -> &ffi::Io {
        // SAFETY: valid from submission until pw_io_done, which only `finish` calls, consuming it.
        unsafe { &*self.raw }
    }

    /// What is asked.
    pub fn op(&self) -> IoOp {
        match self.raw().op {
            0 => IoOp::Read,
            1 => IoOp::Write,
            2 => IoOp::Flush,
            _ => IoOp::Trim,
        }
    }

    /// First byte.
    pub fn offset(&self) -> u64 {
        self.raw().offset
    }

    /// Bytes; 0 for a flush.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a length of bytes asked for, not a collection"
    )]
    pub fn len(&self) -> u64 {
        self.raw().length
    }

    /// `zio_priority_t` of the I/O: 0 sync read, 1 sync write, 2 async read, 3 async write, ….
    pub fn priority(&self) -> u32 {
        self.raw().priority
    }

    /// An intent-log block, or a flush.
    pub fn is_log(&self) -> bool {
        self.raw().log != 0
    }

    /// What to write; empty for other operations.
    pub fn data(&self) -> &[u8] {
        let raw = self.raw();
        if raw.buf.is_null() {
            return &[];
        }
        // SAFETY: the shim passes `length` readable bytes with every read and write.
        unsafe { std::slice::from_raw_parts(raw.buf.cast(), raw.length as usize) }
    }

    /// Where to put what was read; empty for other operations.
    pub fn data_mut(&mut self) -> &mut [u8] {
        let raw = self.raw();
        if raw.buf.is_null() || raw.op != 0 {
            return &mut [];
        }
        // SAFETY: a read's buffer is `length` writable bytes that nobody else looks at until the
        // I/O is completed.
        unsafe { std::slice::from_raw_parts_mut(raw.buf.cast(), raw.length as usize) }
    }

    /// Hands the I/O back: done, or failed with an errno.
    pub fn complete(mut self, result: std::result::Result<(), i32>) {
        self.finish(result.err().unwrap_or(0));
    }

    fn finish(&mut self, errno: i32) {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        if !raw.is_null() {
            // SAFETY: `raw` was submitted to us and has not been completed: the pointer is cleared
            // before the call.
            unsafe { ffi::pw_io_done(raw, errno) };
        }
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        const EIO: i32 = 5;
        self.finish(EIO);
    }
}

#[derive(Default)]
struct Registry {
    by_path: HashMap<String, usize>,
    disks: Vec<Arc<dyn Disk>>,
}

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);

/// A path stands for this disk from now on; a pool names its drives by path.
pub(crate) fn register(path: &str, disk: Arc<dyn Disk>) {
    let mut registry = REGISTRY.write().unwrap_or_else(|e| e.into_inner());
    let number = registry.disks.len();
    registry.disks.push(disk);
    registry.by_path.insert(path.to_owned(), number);
}

/// The path stands for nothing: opening it fails, I/O already under way goes on.
pub(crate) fn unregister(path: &str) {
    REGISTRY
        .write()
        .unwrap_or_else(|e| e.into_inner())
        .by_path
        .remove(path);
}

pub(crate) static OPS: ffi::DiskOps = ffi::DiskOps {
    open,
    submit,
    forget,
};

extern "C" fn open(path: *const c_char, out: *mut ffi::Geometry) -> c_int {
    // SAFETY: the shim passes a vdev's path, a C string that outlives the call.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    let registry = REGISTRY.read().unwrap_or_else(|e| e.into_inner());
    let Some(&number) = registry.by_path.get(path.as_ref()) else {
        return -1;
    };
    let g = registry.disks[number].geometry();
    let geometry = ffi::Geometry {
        size: g.size,
        logical: g.logical_sector,
        physical: g.physical_sector,
        rotational: u32::from(g.rotational),
    };
    // SAFETY: `out` points at a structure on the shim's stack.
    unsafe { out.write(geometry) };
    number as c_int
}

fn numbered(number: c_int) -> Option<Arc<dyn Disk>> {
    let registry = REGISTRY.read().unwrap_or_else(|e| e.into_inner());
    registry.disks.get(number as usize).cloned()
}

extern "C" fn submit(number: c_int, raw: *mut ffi::Io) {
    let io = Io { raw };
    match numbered(number) {
        Some(disk) => disk.submit(io),
        None => drop(io),
    }
}

extern "C" fn forget(number: c_int, offset: u64, length: u64) {
    if let Some(disk) = numbered(number) {
        disk.forget(offset, length);
    }
}
