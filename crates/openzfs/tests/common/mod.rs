//! Disks in memory for the tests of the library.
#![allow(dead_code, reason = "each test uses its own part")]

use openzfs::{Class, Disk, Geometry, Io, IoOp, Layout, Vdev};
use std::sync::{Arc, Mutex};

/// A disk in memory that completes at once.
pub struct Memory(Mutex<Vec<u8>>);

impl Memory {
    pub fn new(size: usize) -> Arc<Memory> {
        Arc::new(Memory(Mutex::new(vec![0; size])))
    }

    /// What is on it at this moment: all that a power cut would leave of a disk without a cache.
    pub fn contents(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    /// Puts that back, which no pool may use meanwhile.
    pub fn restore(&self, contents: Vec<u8>) {
        *self.0.lock().unwrap() = contents;
    }
}

impl Disk for Memory {
    fn geometry(&self) -> Geometry {
        Geometry {
            size: self.0.lock().unwrap().len() as u64,
            logical_sector: 512,
            physical_sector: 4096,
            rotational: false,
        }
    }

    fn submit(&self, mut io: Io) {
        let at = io.offset() as usize;
        let end = at + io.len() as usize;
        let mut bytes = self.0.lock().unwrap();
        match io.op() {
            IoOp::Read => io.data_mut().copy_from_slice(&bytes[at..end]),
            IoOp::Write => bytes[at..end].copy_from_slice(io.data()),
            IoOp::Flush | IoOp::Trim => {}
        }
        drop(bytes);
        io.complete(Ok(()));
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
