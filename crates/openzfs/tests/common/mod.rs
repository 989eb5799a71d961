//! Disks in memory for the tests of the library.
#![allow(dead_code, reason = "each test uses its own part")]

use openzfs::{Class, Disk, Geometry, Io, IoOp, Layout, Vdev};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A disk in memory that completes at once.
pub struct Memory {
    bytes: Mutex<Vec<u8>>,
    written: AtomicU64,
    forgotten: AtomicU64,
}

impl Memory {
    pub fn new(size: usize) -> Arc<Memory> {
        Arc::new(Memory {
            bytes: Mutex::new(vec![0; size]),
            written: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
        })
    }

    /// What is on it at this moment: all that a power cut would leave of a disk without a cache.
    pub fn contents(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }

    /// Bytes that the pool has written, each time they were.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Bytes that the pool has freed, each time they were.
    pub fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::Relaxed)
    }

    /// Puts that back, which no pool may use meanwhile.
    pub fn restore(&self, contents: Vec<u8>) {
        *self.bytes.lock().unwrap() = contents;
    }
}

impl Disk for Memory {
    fn geometry(&self) -> Geometry {
        Geometry {
            size: self.bytes.lock().unwrap().len() as u64,
            logical_sector: 512,
            physical_sector: 4096,
            rotational: false,
        }
    }

    fn submit(&self, mut io: Io) {
        let at = io.offset() as usize;
        let end = at + io.len() as usize;
        let mut bytes = self.bytes.lock().unwrap();
        match io.op() {
            IoOp::Read => io.data_mut().copy_from_slice(&bytes[at..end]),
            IoOp::Write => {
                bytes[at..end].copy_from_slice(io.data());
                self.written.fetch_add(io.len(), Ordering::Relaxed);
            }
            IoOp::Flush | IoOp::Trim => {}
        }
        drop(bytes);
        io.complete(Ok(()));
    }

    /// What nobody reads may be anything.
    fn forget(&self, offset: u64, length: u64) {
        let range = offset as usize..(offset + length) as usize;
        self.bytes.lock().unwrap()[range].fill(0xdb);
        self.forgotten.fetch_add(length, Ordering::Relaxed);
    }
}

pub const MIB: usize = 1 << 20;

/// A top-level vdev of drives `/pw/<kind><i>`.
pub fn vdev(class: Class, layout: Layout, kind: &str, range: std::ops::Range<usize>) -> Vdev {
    Vdev {
        class,
        layout,
        drives: range.map(|i| format!("/pw/{kind}{i}")).collect(),
    }
}
