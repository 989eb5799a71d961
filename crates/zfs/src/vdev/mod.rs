//! Vdevs, and the grammar of `zpool create`: a sentence of vdevs, read and printed.
//!
//! As in zpool, a class keyword (`log`, `special`, `dedup`) holds for all that follows until the next
//! one; `cache` and `spare` hold for their drives, and a layout after them begins a data vdev. Drives are written `hdd3`, `hdd[3]`, or as ranges `hdd[0-5]`,
//! `hdd[0-2,7]`.

mod drive;
mod parse;
mod print;

pub use drive::{drives, valid_kind};
pub use parse::{Placed, Problem, Sentence, is_keyword, parse, placed_words};
pub use print::{needs_force, ranges, sort, summary, words};

use crate::{AllocationClass, Layout};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// A top-level vdev.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vdev {
    /// What it is for.
    pub class: AllocationClass,
    /// How its drives are put together.
    pub layout: Layout,
    /// Its drives, as `("hdd", 3)` for the fourth drive of kind `hdd`.
    pub drives: Vec<DriveRef>,
}

impl Vdev {
    /// The ashift that OpenZFS gives it: the stated one, or what its drives' sectors ask for; of a mirror, raidz
    /// or dRAID the larger of both (`vdev_ashift_optimize`; OpenZFS 2.3.9 and 2.4.4). `sector` tells the physical
    /// sector that drives of a kind report, bytes.
    pub fn ashift(&self, stated: Option<u8>, sector: impl Fn(&str) -> Option<u64>) -> u8 {
        let largest = self.drives.iter().filter_map(|drive| sector(&drive.kind)).max();
        let asked = largest.map(|sector| sector.ilog2() as u8);
        match stated {
            Some(stated) if self.layout == Layout::Single => stated,
            Some(stated) => stated.max(asked.unwrap_or(stated)),
            None => asked.unwrap_or(12),
        }
    }
}

/// One drive of a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DriveRef {
    /// The kind: a name such as `hdd`.
    pub kind: String,
    /// Which one, from 0.
    pub index: u32,
}

/// Its name, as labs and counters have it: `hdd3`.
impl std::fmt::Display for DriveRef {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}{}", self.kind, self.index)
    }
}
