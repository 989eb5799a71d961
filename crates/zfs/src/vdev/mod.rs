//! Vdevs, and the grammar of `zpool create`: a sentence of vdevs, read and printed.
//!
//! As in zpool, a class keyword (`log`, `special`, `dedup`) holds for all that follows until the next
//! one; `cache` and `spare` hold for their drives, and a layout after them begins a data vdev. Drives are written `hdd3`, `hdd[3]`, or as ranges `hdd[0-5]`,
//! `hdd[0-2,7]`.

mod drive;
mod parse;
mod print;

pub use drive::{drives, valid_kind};
pub use parse::{Placed, Sentence, is_keyword, parse, placed_words};
pub use print::{needs_force, ranges, sort, summary, words};

use crate::{AllocationClass, Layout};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The largest ashift that a drive's physical sector is given (`zfs_vdev_max_auto_ashift`).
pub const MAX_AUTO_ASHIFT: u8 = 14;

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
    /// The ashift that OpenZFS 2.3.6, 2.4.0 and later give it: the stated one, but no less than its drives' logical
    /// sectors ask for; where none is stated, what their physical sectors ask for, of those that are not too large for it
    /// (`vdev_ashift_optimize`, `vdev_best_ashift`). Before, a stated ashift of a mirror,
    /// raidz or dRAID was raised to the physical sector, too (openzfs/zfs pull request 17826). `sectors` tells what
    /// drives of a kind report.
    pub fn ashift(&self, stated: Option<u8>, sectors: impl Fn(&str) -> Option<Sectors>) -> u8 {
        let all = || self.drives.iter().filter_map(|drive| sectors(&drive.kind));
        let shift = |bytes: u64| bytes.checked_ilog2().unwrap_or(0) as u8;
        match stated {
            Some(stated) => all().map(|of| shift(of.logical)).fold(stated, u8::max),
            None => {
                let physical = all().map(|of| shift(of.physical));
                let taken = physical.filter(|shift| *shift <= MAX_AUTO_ASHIFT);
                taken.chain(all().map(|of| shift(of.logical))).max().unwrap_or(12)
            }
        }
    }
}

/// The sectors that a drive reports, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// The least that can be read or written.
    pub logical: u64,
    /// What the drive writes without reading the rest.
    pub physical: u64,
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
