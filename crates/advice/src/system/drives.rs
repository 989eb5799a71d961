//! Which drive a pool means by a name.

use super::{Drive, Leaf, Pool, System};
use facts::is_digits;

/// Beginnings of Linux's names of drives that a number ends, before `p` and the number of a partition.
const NUMBERED: [&str; 3] = ["nvme", "mmcblk", "pmem"];
/// The same of FreeBSD's names.
const FREEBSD: [&str; 5] = ["ada", "nda", "nvd", "vtbd", "da"];
/// Beginnings of those that letters end, which the number of a partition follows.
const LETTERED: [&str; 3] = ["xvd", "sd", "vd"];

/// Whether a name without a directory or partition is a kernel's name of a drive.
pub fn is_kernel_name(name: &str) -> bool {
    let numbered = |prefix: &&str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| match rest.split_once('n').filter(|_| *prefix == "nvme") {
            Some((controller, namespace)) => is_digits(controller) && is_digits(namespace),
            None => is_digits(rest),
        })
    };
    lettered(name).is_some_and(str::is_empty)
        || NUMBERED.iter().any(numbered)
        || is_freebsd_name(name)
}

/// Whether a name without a directory or partition is FreeBSD's name of a drive.
pub fn is_freebsd_name(name: &str) -> bool {
    FREEBSD.iter().any(|prefix| name.strip_prefix(prefix).is_some_and(is_digits))
}

/// What follows the letters of a name such as `sdab`.
fn lettered(name: &str) -> Option<&str> {
    let rest = LETTERED.iter().find_map(|prefix| name.strip_prefix(prefix))?;
    let after = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
    (after.len() < rest.len() && rest.len() - after.len() <= 3).then_some(after)
}

/// The drive in a leaf's name: without its directory and partition suffix.
pub fn drive_of(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    if let Some((stem, number)) = name.rsplit_once("-part")
        && is_digits(number)
    {
        return stem;
    }
    if let Some((stem, number)) = name.rsplit_once('p')
        && is_digits(number)
        && lettered(stem).is_none()
        && is_kernel_name(stem)
    {
        return stem;
    }
    match lettered(name) {
        Some(number) if is_digits(number) => &name[..name.len() - number.len()],
        _ => name,
    }
}

/// What tells drives apart: the drive's name below /dev and /dev/disk/by-*, which list drives; elsewhere the path without
/// the suffix of a partition, since volumes of several groups and files in several directories may have one name.
fn identity(name: &str) -> &str {
    let path = name.strip_prefix("/dev/").unwrap_or(name);
    match path.rsplit_once('/') {
        Some((directory, _)) if !directory.starts_with("disk/by-") => {
            let part = path.rsplit_once("-part").filter(|(_, number)| is_digits(number));
            part.map_or(path, |(stem, _)| stem)
        }
        _ => drive_of(path),
    }
}

/// Whether a name holds a serial number, and not as a part of a longer one: `drive-scsi1` is not in `…_drive-scsi10`. The
/// digit that `scsi-35000c500…` begins with is the type of the number, and `p1` after it a partition.
fn holds_serial(name: &str, serial: &str) -> bool {
    name.match_indices(serial).any(|(at, _)| {
        let (before, after) = (&name[..at], &name[at + serial.len()..]);
        let stem = before.strip_suffix(|c: char| c.is_ascii_digit());
        let begins = !before.ends_with(|c: char| c.is_ascii_alphanumeric())
            || before.ends_with("-0x")
            || stem.is_some_and(|stem| stem.ends_with('-'));
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric())
            || after.strip_prefix('p').is_some_and(is_digits);
        begins && ends
    })
}

impl Leaf {
    pub(crate) fn shares_drive(&self, other: &Leaf) -> bool {
        self.name != other.name && identity(&self.name) == identity(&other.name)
    }
}

impl Drive {
    /// A command of smartctl about it. A drive behind a RAID card has no device of its own.
    pub fn smartctl(&self, options: &[&str]) -> Vec<String> {
        let report = self.smart.as_ref().map(|(_, report)| report);
        let card = report.and_then(|report| Some((report.behind_card()?, report.device.as_ref()?)));
        let (kind, device) = match card {
            Some((kind, device)) => (vec!["-d", kind], device.value.clone()),
            None => (Vec::new(), format!("/dev/{}", self.name)),
        };
        let words = ["smartctl"].iter().chain(options).chain(&kind);
        words.map(ToString::to_string).chain([device]).collect()
    }
}

impl System {
    /// The drive a pool's leaf lies on: by kernel name, serial number or world-wide name, or by what lsblk lists on it.
    pub fn drive(&self, leaf: &Leaf) -> Option<&Drive> {
        let name = drive_of(&leaf.name);
        self.drives.iter().find(|drive| {
            drive.name == name
                || drive.name == leaf.name
                || drive
                    .serial
                    .as_ref()
                    .is_some_and(|s| s.value.len() > 3 && holds_serial(name, &s.value))
                || drive.wwn.as_ref().is_some_and(|w| {
                    // `scsi-35000c500…` has it without `0x`.
                    let digits = w.strip_prefix("0x").unwrap_or(w);
                    digits.len() > 8 && name.contains(digits)
                })
                || drive.parts.iter().any(|(part, _)| leaf.name.rsplit('/').next() == Some(part))
        })
    }

    /// Leaves of a pool that no known drive is, among those that name one.
    pub(super) fn unknown_leaves<'a>(&'a self, pool: &'a Pool) -> Vec<&'a Leaf> {
        let names_drive = |leaf: &&Leaf| {
            let distributed = leaf.name.starts_with("draid");
            let file = leaf.name.starts_with('/') && !leaf.name.starts_with("/dev/");
            // A number stands for a drive that is gone.
            !distributed && !file && !is_digits(&leaf.name)
        };
        let leaves = pool.leaves().filter(names_drive);
        leaves.filter(|leaf| self.drive(leaf).is_none()).collect()
    }

    /// A leaf's model: the drive's, or what a by-id name says.
    pub fn model<'a>(&'a self, leaf: &'a Leaf) -> &'a str {
        self.drive(leaf)
            .and_then(|drive| drive.model.as_ref())
            .map_or(leaf.name.as_str(), |model| model.value.as_str())
    }

    /// Whether a leaf survives a power cut with what it acknowledged, where that is known.
    pub fn protected(&self, leaf: &Leaf) -> Option<bool> {
        self.drive(leaf)
            .and_then(|drive| drive.protected.as_ref().map(|p| p.value))
            .or_else(|| catalogue::protected(self.model(leaf)))
    }

    /// Whether all drives of all pools are known to survive a power cut with what they acknowledged.
    pub fn all_protected(&self) -> bool {
        let mut leaves = self.pools.iter().flat_map(Pool::leaves).peekable();
        leaves.peek().is_some() && leaves.all(|leaf| self.protected(leaf) == Some(true))
    }

    /// Whether a leaf rotates, where that is known.
    pub fn rotates(&self, leaf: &Leaf) -> Option<bool> {
        if catalogue::flash(self.model(leaf)) || drive_of(&leaf.name).starts_with("nvme") {
            return Some(false);
        }
        self.drive(leaf)?.rotational.as_ref().map(|r| r.value)
    }

    /// The capacity of a leaf, bytes; of a partition where lsblk lists it.
    pub fn leaf_capacity(&self, leaf: &Leaf) -> Option<u64> {
        let name = leaf.name.rsplit('/').next()?;
        let drive = self.drive(leaf)?;
        let part = |wanted: &str| drive.parts.iter().find(|(part, _)| part == wanted)?.1;
        if name == drive_of(&leaf.name) {
            return part(name).or(drive.size.as_ref().map(|size| size.value));
        }
        let numbered = name.rsplit_once("-part").map(|(_, number)| {
            let between = if drive.name.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
            format!("{}{between}{number}", drive.name)
        });
        part(numbered.as_deref().unwrap_or(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_on_its_drive() {
        for (leaf, drive) in [
            ("sda1", "sda"),
            ("/dev/sdab3", "sdab"),
            ("nvme0n1p2", "nvme0n1"),
            ("nvme0n1", "nvme0n1"),
            ("ata-ST16000NM001G_ZL2-part1", "ata-ST16000NM001G_ZL2"),
            ("hdd3", "hdd3"),
            ("mfid1", "mfid1"),
            ("xvdf2", "xvdf"),
            ("mmcblk0p3", "mmcblk0"),
            ("ada0p4", "ada0"),
            ("da12p1", "da12"),
            ("nvd0p2", "nvd0"),
            ("data1", "data1"),
            ("gpt/disk1", "disk1"),
        ] {
            assert_eq!(drive_of(leaf), drive);
        }
    }

    #[test]
    fn volumes_and_files_of_one_name_in_two_places_are_not_one_drive() {
        let leaf =
            |name: &str| Leaf { name: name.to_string(), at: crate::system::Place::new("s", 1) };
        let share = |one: &str, two: &str| leaf(one).shares_drive(&leaf(two));
        for (one, two) in [
            ("/dev/vg_ssd1/zfs", "/dev/vg_ssd2/zfs"),
            ("/mnt/a/disk.img", "/mnt/b/disk.img"),
            ("mapper/crypt-a", "mapper/crypt-b"),
        ] {
            assert!(!share(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("/dev/sda1", "sda2"),
            ("/dev/disk/by-id/ata-X_1-part1", "ata-X_1-part2"),
            ("disk/by-path/pci-0-part1", "/dev/disk/by-path/pci-0-part3"),
            ("/dev/mapper/mpatha-part1", "mapper/mpatha-part2"),
        ] {
            assert!(share(one, two), "{one} {two}");
        }
    }

    #[test]
    fn kernel_names_are_those_of_linux_and_freebsd() {
        for name in ["sda", "sdabc", "nvme0n1", "xvdb", "vda", "mmcblk0", "ada3", "nda0", "da10"] {
            assert!(is_kernel_name(name), "{name}");
        }
        for name in ["sda1", "sd", "nvme0n1p1", "data", "A0", "disk1", "luks-sda", "ada", "sdabcd"]
        {
            assert!(!is_kernel_name(name), "{name}");
        }
    }

    #[test]
    fn a_world_wide_name_matches_with_and_without_its_prefix() {
        let drive = Drive {
            name: "sda".to_string(),
            wwn: Some("0x5000c500a1b2c3d1".to_string()),
            ..Drive::default()
        };
        let system = System { drives: vec![drive], ..System::default() };
        let leaf =
            |name: &str| Leaf { name: name.to_string(), at: crate::system::Place::new("s", 1) };
        for name in
            ["scsi-35000c500a1b2c3d1", "wwn-0x5000c500a1b2c3d1", "scsi-35000c500a1b2c3d1-part1"]
        {
            assert!(system.drive(&leaf(name)).is_some(), "{name}");
        }
        assert!(system.drive(&leaf("scsi-35000c500a1b2c3d2")).is_none());
    }

    #[test]
    fn a_serial_number_is_not_a_part_of_a_longer_one() {
        for (name, serial) in [
            ("scsi-0QEMU_QEMU_HARDDISK_drive-scsi1", "drive-scsi1"),
            ("ata-ST16000NM001G_ZL2A1B2C", "ZL2A1B2C"),
            ("nvme-SAMSUNG_MZQL2_S64GNE0R_1", "S64GNE0R"),
            ("usb-Samsung_PSSD_T7_S5T4NS0R-0:0", "S5T4NS0R"),
            ("scsi-35000c500a1b2c3d1", "5000c500a1b2c3d1"),
            ("wwn-0x5000c500a1b2c3d1", "5000c500a1b2c3d1"),
            ("DISK-S64GNE0Rp1", "S64GNE0R"),
        ] {
            assert!(holds_serial(name, serial), "{name}");
        }
        for (name, serial) in [
            ("scsi-0QEMU_QEMU_HARDDISK_drive-scsi10", "drive-scsi1"),
            ("ata-X_AZL2A1B2C", "ZL2A1B2C"),
            ("virtio-disk12", "disk1"),
        ] {
            assert!(!holds_serial(name, serial), "{name}");
        }
    }

    #[test]
    fn the_catalogue_and_the_profiles_agree_on_power_loss_protection() {
        let profiles = lab::Profiles::builtin();
        for family in catalogue::families() {
            let Some(name) = &family.profile else { continue };
            let profile = profiles.get(name).unwrap().unwrap();
            let stated = Some(profile.power_loss_protection);
            assert_eq!(family.power_loss_protection, stated, "{name}");
        }
    }
}
