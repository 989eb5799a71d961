//! Reads every counter at a moment.

use crate::counters::{self, TxgsSeen};
use crate::outcome::Sample;
use measurement::Counters;
use std::fs;
use std::path::PathBuf;

pub struct Sampler {
    txgs: PathBuf,
    seen: TxgsSeen,
}

impl Sampler {
    /// Of a machine with this pool; without a pool where its name is empty.
    pub fn new(pool: &str) -> Sampler {
        Sampler {
            txgs: PathBuf::from(format!("/proc/spl/kstat/zfs/{pool}/txgs")),
            seen: TxgsSeen::default(),
        }
    }

    pub fn sample(&mut self, at: f64) -> Sample {
        let mut values = Counters::new();
        // What is not there is not counted: a machine without ZFS has no kstats.
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        for table in counters::TABLES {
            let text = read(&format!("/proc/spl/kstat/zfs/{table}"));
            counters::kstat(&text, table, &mut values);
        }
        if let Ok(text) = fs::read_to_string(&self.txgs) {
            counters::txgs(&text, &mut self.seen, &mut values);
        }
        counters::drives(&read("/proc/drives"), &mut values);
        counters::processor(&read("/proc/processor"), &mut values);
        Sample { at, values }
    }
}
