//! The storage stack of a variant: a ZFS pool, or a file system on a Linux md array or on one drive.

use super::DriveRef;
use serde::{Deserialize, Serialize};

/// The storage stack of a variant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stack {
    /// A ZFS pool: [`super::Variant::pool`].
    #[default]
    Zfs,
    /// A file system without ZFS; the variant's pool has no vdevs and no properties. Trials' keys have its first name.
    #[serde(rename = "md")]
    Filesystem(FilesystemOnDrives),
}

/// One file system over all of an md array, as `mdadm --create` makes it, or over one whole drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesystemOnDrives {
    /// RAID level of the array; none for a file system on one drive, without md.
    pub level: Option<MdLevel>,
    /// Chunk of a stripe, bytes; none for mdadm's default, 512 KiB.
    pub chunk: Option<u64>,
    /// Whether a RAID 5 keeps a partial parity log (`mdadm --consistency-policy=ppl`), which closes its write hole;
    /// otherwise a redundant array has a write-intent bitmap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ppl: bool,
    /// The array's drives, in mdadm's order, or the one drive.
    pub drives: Vec<DriveRef>,
    /// The file system on them.
    pub filesystem: Filesystem,
    /// Options of `mount -o`, empty for none.
    pub mount_options: String,
}

impl FilesystemOnDrives {
    /// The mount option under which the file system sends no flush; of several the last one counts.
    pub fn without_barriers(&self) -> Option<&str> {
        let options = self.mount_options.split(',').map(str::trim);
        let last = options
            .rev()
            .find(|option| matches!(option.split('=').next(), Some("barrier" | "nobarrier")))?;
        ["nobarrier", "barrier=0"].contains(&last).then_some(last)
    }

    /// Bytes on its drives per byte of data, with parity and copies.
    pub fn copies(&self) -> f64 {
        let drives = self.drives.len() as f64;
        match self.level {
            None | Some(MdLevel::Raid0) => 1.0,
            Some(MdLevel::Raid1) => drives,
            Some(MdLevel::Raid10) => 2.0,
            Some(MdLevel::Raid5) => drives / (drives - 1.0),
            Some(MdLevel::Raid6) => drives / (drives - 2.0),
        }
    }

    /// What a lab calls the stack: `md`, `ext4`, `xfs`.
    pub fn name(&self) -> &'static str {
        match self.level {
            Some(_) => "md",
            None => self.filesystem.name(),
        }
    }
}

zfs::named! {
    /// The RAID levels that a lab can name.
    pub enum MdLevel {
        /// Striping without redundancy.
        Raid0 = "raid0",
        /// Every drive holds everything.
        Raid1 = "raid1",
        /// Two copies of each chunk, striped (mdadm's layout `near=2`).
        Raid10 = "raid10",
        /// One drive's worth of parity.
        Raid5 = "raid5",
        /// Two drives' worth of parity.
        Raid6 = "raid6",
    }
}

impl MdLevel {
    /// The number in its name.
    pub fn number(self) -> &'static str {
        self.name().trim_start_matches("raid")
    }

    /// Fewest drives. mdadm also takes a RAID 5 of two drives, which is a mirror.
    pub fn least_drives(self) -> usize {
        match self {
            Self::Raid0 | Self::Raid1 | Self::Raid10 => 2,
            Self::Raid5 => 3,
            Self::Raid6 => 4,
        }
    }

    /// Whether the array survives the failure of one drive.
    pub fn is_redundant(self) -> bool {
        self != Self::Raid0
    }
}

zfs::named! {
    /// The file systems that an array or a drive can have.
    pub enum Filesystem {
        /// XFS.
        Xfs = "xfs",
        /// ext4.
        Ext4 = "ext4",
    }
}
