//! The layouts worth considering for a number of drives.

use crate::layout::{Layout, Level, RaidProvider, Scheme};
use serde::{Deserialize, Serialize};
use zfs::Layout::{Draid, Mirror, Raidz, Single};

/// What is enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// Most hot spares beside the groups. Drives that fill no group become spares too, and a
    /// layout that leaves more of them is not worth considering.
    pub spares: u32,
    /// Widest raidz vdev.
    pub widest: u32,
    /// Most distributed spares of a dRAID.
    pub distributed: u32,
    /// Whether mdadm and RAID-card levels are considered.
    pub raid: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope { spares: 2, widest: 255, distributed: 4, raid: true }
    }
}

/// Every layout of up to `drives` drives that leaves at most `scope.spares` of them as spares.
pub fn layouts(drives: u32, scope: &Scope) -> Vec<Layout> {
    let mut out = Vec::new();
    let mut add = |scheme: Scheme, groups: u32, width: u32| {
        let used = groups * width;
        if groups > 0 && used > 0 && used <= drives && drives - used <= scope.spares {
            out.push(Layout { scheme, groups, width, spares: drives - used });
        }
    };
    add(Scheme::Zfs(Single), drives, 1);
    for ways in [2, 3] {
        for groups in counts(drives, ways, scope.spares) {
            add(Scheme::Zfs(Mirror), groups, ways);
        }
    }
    for parity in 1..=3 {
        // A raidz of one data drive is a mirror that stores parity: not worth considering.
        for width in parity + 2..=drives.min(scope.widest) {
            for groups in counts(drives, width, scope.spares) {
                add(Scheme::Zfs(Raidz { parity }), groups, width);
            }
        }
    }
    for groups in 1..=drives / 3 {
        // A vdev takes what there is, at most 255.
        let widest = (drives / groups).min(255);
        for width in widest.saturating_sub(scope.spares / groups)..=widest {
            draid(&mut add, groups, width, scope);
        }
    }
    if scope.raid {
        for by in RaidProvider::ALL {
            raid(&mut add, drives, by, scope);
        }
    }
    out
}

/// Numbers of groups of `width` that leave at most `spares` drives.
fn counts(drives: u32, width: u32, spares: u32) -> impl Iterator<Item = u32> {
    let most = drives / width.max(1);
    let least = drives.saturating_sub(spares).div_ceil(width.max(1)).max(1);
    least..=most
}

fn draid(add: &mut impl FnMut(Scheme, u32, u32), groups: u32, width: u32, scope: &Scope) {
    for parity in 1..=3 {
        for spares in 0..=scope.distributed {
            let Some(most) = width.checked_sub(parity + spares) else {
                continue;
            };
            for data in 1..=most {
                let scheme = Scheme::Zfs(Draid { parity, data, spares });
                add(scheme, groups, width);
            }
        }
    }
}

/// Spans of RAID 10, 50 and 60 have at least two groups, as cards ask for; a card's span has at
/// most 32 drives (Broadcom and Microchip guides).
fn raid(add: &mut impl FnMut(Scheme, u32, u32), drives: u32, by: RaidProvider, scope: &Scope) {
    let scheme = |level| Scheme::Raid { by, level };
    let span = match by {
        RaidProvider::Mdadm => u32::MAX,
        RaidProvider::Card => 32,
    };
    let members = drives.saturating_sub(scope.spares).max(1)..=drives;
    for width in members {
        if width <= span {
            add(scheme(Level::R0), 1, width);
            if width == 2 || (width == 3 && by == RaidProvider::Mdadm) {
                add(scheme(Level::R1), 1, width);
            }
            if width >= 3 {
                add(scheme(Level::R5), 1, width);
            }
            if width >= 4 {
                add(scheme(Level::R6), 1, width);
            }
        }
    }
    for groups in counts(drives, 2, scope.spares).filter(|g| *g >= 2) {
        add(scheme(Level::R10), groups, 2);
    }
    for width in 3..=(drives / 2).min(span) {
        for groups in counts(drives, width, scope.spares).filter(|g| *g >= 2) {
            add(scheme(Level::R50), groups, width);
            if width >= 4 {
                add(scheme(Level::R60), groups, width);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_uses_drives_that_are_there_and_none_appears_twice() {
        for drives in 1..=40 {
            let all = layouts(drives, &Scope::default());
            let mut seen = std::collections::BTreeSet::new();
            for layout in &all {
                assert_eq!(layout.drives(), drives);
                assert!(seen.insert(*layout), "{}", layout.name());
                assert!(layout.tolerance() < layout.width.max(1) || layout.width == 1);
            }
        }
    }

    #[test]
    fn thirty_drives_offer_the_eight_layouts_of_the_mirror_site() {
        let names: Vec<String> = layouts(30, &Scope::default()).iter().map(Layout::name).collect();
        for name in [
            "stripe-30", "raidz3-30", "3×raidz2-10", "draid2:12d:30c:2s", "3×raidz3-10",
            "draid2:7d:30c:3s", "5×raidz2-6", "draid2:5d:30c:2s",
        ] {
            assert!(names.iter().any(|n| n == name), "{name}");
        }
    }
}
