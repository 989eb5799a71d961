//! One way to put drives of one kind together.

use serde::{Deserialize, Serialize};
use zfs::Geometry;
use zfs::Layout::{Draid, Mirror, Raidz, Single};

/// How the drives of a group are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scheme {
    /// Vdevs of ZFS.
    Zfs(zfs::Layout),
    /// A RAID below the file system.
    Raid {
        /// Who does it.
        by: RaidProvider,
        /// Its level.
        level: Level,
    },
}

zfs::named! {
    /// Who does a RAID.
    #[derive(PartialOrd, Ord)]
    pub enum RaidProvider {
        /// Linux md.
        Mdadm = "mdadm",
        /// A RAID card.
        Card = "card",
    }
}

zfs::named! {
    /// RAID levels.
    #[derive(PartialOrd, Ord)]
    pub enum Level {
        /// Striping.
        R0 = "0",
        /// Mirroring of all drives.
        R1 = "1",
        /// One parity.
        R5 = "5",
        /// Two parities.
        R6 = "6",
        /// A stripe of mirrors.
        R10 = "10",
        /// A stripe of RAID 5.
        R50 = "50",
        /// A stripe of RAID 6.
        R60 = "60",
    }
}

/// A layout of drives of one kind: `groups` alike, of `width` drives each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// How a group is put together.
    pub scheme: Scheme,
    /// Top-level vdevs, or spans of a RAID.
    pub groups: u32,
    /// Drives of a group, distributed spares included.
    pub width: u32,
    /// Hot spares beside the groups.
    pub spares: u32,
}

impl Layout {
    /// Drives of the groups.
    pub fn members(&self) -> u32 {
        self.groups * self.width
    }

    /// Drives in all.
    pub fn drives(&self) -> u32 {
        self.members() + self.spares
    }

    /// Spares, distributed and hot.
    pub(crate) fn all_spares(&self) -> u32 {
        match self.scheme {
            Scheme::Zfs(Draid { spares, .. }) => spares + self.spares,
            _ => self.spares,
        }
    }

    /// Failures that a group survives whichever they are.
    pub fn tolerance(&self) -> u32 {
        match self.scheme {
            Scheme::Zfs(layout) => layout.tolerance(self.width),
            Scheme::Raid { level, .. } => match level {
                Level::R0 => 0,
                Level::R1 => self.width - 1,
                Level::R5 | Level::R10 | Level::R50 => 1,
                Level::R6 | Level::R60 => 2,
            },
        }
    }

    /// Drives' worth of data in a group.
    pub fn data(&self) -> f64 {
        match self.scheme {
            Scheme::Zfs(Mirror) => 1.0,
            Scheme::Zfs(Draid { parity, data, spares }) => {
                f64::from(self.width - spares) * f64::from(data) / f64::from(data + parity)
            }
            Scheme::Raid { level: Level::R1 | Level::R10, .. } => 1.0,
            _ => f64::from(self.width - self.tolerance()),
        }
    }

    /// Raw capacity in drives, as a data sheet or the mirror-site article counts it: data drives
    /// of all groups, where a dRAID counts whole redundancy groups of the drives left after its
    /// spares.
    pub fn data_drives(&self) -> f64 {
        f64::from(self.groups) * self.data()
    }

    /// Whether ZFS does it.
    pub fn is_zfs(&self) -> bool {
        !matches!(self.scheme, Scheme::Raid { .. })
    }

    /// The geometry of a top-level vdev of it; none for a RAID.
    pub fn geometry(&self) -> Option<Geometry> {
        match self.scheme {
            Scheme::Zfs(layout) => Some(Geometry { layout, children: self.width }),
            Scheme::Raid { .. } => None,
        }
    }

    /// A short name: `3×raidz2-10`, `draid2:12d:30c:2s`, `mdadm RAID 60 (3×10)`.
    pub fn name(&self) -> String {
        let times = |one: String| match self.groups {
            1 => one,
            groups => format!("{groups}×{one}"),
        };
        let name = match self.scheme {
            Scheme::Zfs(Single) => format!("stripe-{}", self.members()),
            Scheme::Zfs(Mirror) => times(format!("mirror-{}", self.width)),
            Scheme::Zfs(Raidz { parity }) => times(format!("raidz{parity}-{}", self.width)),
            Scheme::Zfs(Draid { parity, data, spares }) => {
                times(format!("draid{parity}:{data}d:{}c:{spares}s", self.width))
            }
            Scheme::Raid { by, level } => {
                let shape = match level {
                    Level::R10 | Level::R50 | Level::R60 => {
                        format!(" ({}×{})", self.groups, self.width)
                    }
                    _ => format!("-{}", self.members()),
                };
                format!("{} RAID {}{shape}", by.name(), level.name())
            }
        };
        match self.spares {
            0 => name,
            spares => format!("{name} + {spares} spare"),
        }
    }

    /// The vdevs in `zpool create`'s grammar, with drives `kind[a-b]` from `first` on; none for a
    /// RAID.
    pub fn vdevs(&self, kind: &str, first: u32) -> Option<String> {
        let Scheme::Zfs(layout) = self.scheme else { return None };
        let range = |from: u32, count: u32| match count {
            1 => format!("{kind}[{from}]"),
            _ => format!("{kind}[{from}-{}]", from + count - 1),
        };
        let mut lines: Vec<String> = match layout.keyword(self.width as usize) {
            None => vec![range(first, self.members())],
            Some(keyword) => (0..self.groups)
                .map(|group| format!("{keyword} {}", range(first + group * self.width, self.width)))
                .collect(),
        };
        if self.spares > 0 {
            lines.push(format!("spare {}", range(first + self.members(), self.spares)));
        }
        Some(lines.join("\n"))
    }
}
