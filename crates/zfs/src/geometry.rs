//! How many bytes a block takes on a vdev: `vdev_raidz_asize`, `vdev_draid_asize` and
//! `vdev_default_asize` of OpenZFS.

use crate::Layout;
use serde::{Deserialize, Serialize};

/// Sizes are accounted in units of 2^9 bytes (`SPA_MINBLOCKSHIFT`).
const MIN_SHIFT: u32 = 9;
/// The block size whose overhead is deflated away: 128 KiB, whatever the recordsize is.
const DEFLATE: u64 = 1 << 17;

/// A top-level vdev as its blocks see it: how its drives are put together, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Geometry {
    /// How they are put together.
    pub layout: Layout,
    /// Drives of the vdev, distributed spares included.
    pub children: u32,
}

impl Geometry {
    /// Bytes that a block of `psize` bytes (after compression) takes, parity and padding included: whole on
    /// each drive of a mirror, split over the drives of a raidz, in full rows over a redundancy group of a
    /// dRAID. A block of nothing takes nothing.
    pub fn asize(self, psize: u64, ashift: u32) -> u64 {
        if psize == 0 {
            return 0;
        }
        let sectors = ((psize - 1) >> ashift) + 1;
        match self.layout {
            Layout::Single | Layout::Mirror => sectors << ashift,
            Layout::Raidz { parity } => {
                let (width, parity) = (u64::from(self.children), u64::from(parity));
                let data = width.saturating_sub(parity).max(1);
                let used = sectors + parity * sectors.div_ceil(data);
                used.next_multiple_of(parity + 1) << ashift
            }
            Layout::Draid { data, parity, .. } => {
                let (data, parity) = (u64::from(data).max(1), u64::from(parity));
                (sectors.div_ceil(data) * (data + parity)) << ashift
            }
        }
    }

    /// The deflate ratio times 512: what 512 allocated bytes count as (`vdev_set_deflate_ratio`).
    pub fn deflate(self, ashift: u32) -> u64 {
        DEFLATE / (self.asize(DEFLATE, ashift) >> MIN_SHIFT).max(1)
    }

    /// What `asize` allocated bytes count as in `zfs list` and `du` (`vdev_deflated_space`).
    pub fn deflated(self, asize: u64, ashift: u32) -> u64 {
        (asize >> MIN_SHIFT) * self.deflate(ashift)
    }

    /// Bytes that `zfs list` charges for a block of `psize` bytes.
    pub fn charged(self, psize: u64, ashift: u32) -> u64 {
        self.deflated(self.asize(psize, ashift), ashift)
    }

    /// Share of the allocated bytes that is data.
    pub fn efficiency(self, psize: u64, ashift: u32) -> f64 {
        match self.asize(psize, ashift) {
            0 => 0.0,
            asize => psize as f64 / asize as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raidz(children: u32, parity: u32) -> Geometry {
        Geometry { layout: Layout::Raidz { parity }, children }
    }

    const DRAID: Geometry =
        Geometry { layout: Layout::Draid { data: 8, parity: 2, spares: 0 }, children: 10 };

    #[test]
    fn deflate_ratios_are_those_known_for_common_widths() {
        // shared knowledge of the field, for 4K sectors: 6-wide z2 .666, 8-wide .711, 10- and
        // 12-wide .762, 11-wide z3 .727, 5-wide z1 .799.
        for (width, parity, ratio) in [
            (6, 2, 0.666),
            (8, 2, 0.711),
            (10, 2, 0.762),
            (12, 2, 0.762),
            (11, 3, 0.727),
            (5, 1, 0.799),
        ] {
            let deflate = raidz(width, parity).deflate(12) as f64 / 512.0;
            assert!((deflate - ratio).abs() < 0.001, "{width} z{parity}: {deflate}");
        }
        assert_eq!(Geometry { layout: Layout::Single, children: 1 }.deflate(12), 512);
        assert_eq!(DRAID.deflate(12), 409);
    }

    #[test]
    fn eight_kilobytes_take_three_times_their_size_on_any_raidz2() {
        for width in 4..=20 {
            assert_eq!(raidz(width, 2).asize(8192, 12), 24 << 10);
        }
    }

    #[test]
    fn a_draid_row_is_always_filled() {
        assert_eq!(DRAID.asize(8 << 10, 12), 40 << 10);
        assert_eq!(DRAID.asize(32 << 10, 12), 40 << 10);
        assert_eq!(DRAID.asize(36 << 10, 12), 80 << 10);
    }

    #[test]
    fn a_whole_128k_block_is_charged_at_most_what_it_holds() {
        for width in 3..=40 {
            for parity in 1..=3.min(width - 1) {
                let charged = raidz(width, parity).charged(128 << 10, 12);
                assert!(charged <= 128 << 10 && charged > 127 << 10, "{width} {parity}");
            }
        }
    }
}
