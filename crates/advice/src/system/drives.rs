//! Which drive a pool means by a name.

use super::{Drive, Leaf, Pool, System};

/// The drive in a leaf's name: without its directory and partition suffix.
pub fn drive_of(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    if let Some((stem, number)) = name.rsplit_once("-part")
        && digits(number)
    {
        return stem;
    }
    if name.starts_with("nvme")
        && let Some((stem, number)) = name.rsplit_once('p')
        && digits(number)
        && stem.ends_with(|c: char| c.is_ascii_digit())
    {
        return stem;
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = stem.strip_prefix("sd").or_else(|| stem.strip_prefix("vd"));
    if letters.is_some_and(|l| !l.is_empty() && l.chars().all(|c| c.is_ascii_lowercase())) {
        return stem;
    }
    name
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

impl System {
    /// The drive a pool's leaf lies on: by kernel name, serial number or world-wide name, or by what lsblk lists on it.
    pub fn drive(&self, leaf: &Leaf) -> Option<&Drive> {
        let name = drive_of(&leaf.name);
        self.drives.iter().find(|drive| {
            drive.name == name
                || drive
                    .serial
                    .as_ref()
                    .is_some_and(|s| s.value.len() > 3 && name.contains(&s.value))
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
            !distributed && !file && !digits(&leaf.name)
        };
        let leaves = pool.vdevs.iter().flat_map(|vdev| &vdev.leaves).filter(names_drive);
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
        let vdevs = self.pools.iter().flat_map(|pool| &pool.vdevs);
        let mut leaves = vdevs.flat_map(|vdev| &vdev.leaves).peekable();
        leaves.peek().is_some() && leaves.all(|leaf| self.protected(leaf) == Some(true))
    }

    /// Whether a leaf rotates, where that is known.
    pub fn rotates(&self, leaf: &Leaf) -> Option<bool> {
        if catalogue::flash(self.model(leaf)) || drive_of(&leaf.name).starts_with("nvme") {
            return Some(false);
        }
        self.drive(leaf)?.rotational.as_ref().map(|r| r.value)
    }

    /// The capacity of a leaf's drive, bytes.
    pub fn capacity(&self, leaf: &Leaf) -> Option<u64> {
        self.drive(leaf)?.size.as_ref().map(|s| s.value)
    }

    /// The capacity of a leaf, bytes; of a partition where lsblk lists it.
    pub fn leaf_capacity(&self, leaf: &Leaf) -> Option<u64> {
        let name = leaf.name.rsplit('/').next()?;
        let on = drive_of(&leaf.name);
        let part = |drive: &Drive, wanted: &str| {
            let found = drive.parts.iter().find(|(part, _)| part == wanted);
            found.and_then(|(_, bytes)| *bytes)
        };
        if name != on {
            let drive = self.drive(leaf)?;
            let numbered = name.rsplit_once("-part").map(|(_, number)| {
                let between =
                    if drive.name.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
                format!("{}{between}{number}", drive.name)
            });
            return part(drive, numbered.as_deref().unwrap_or(name));
        }
        let drive = self.drive(leaf)?;
        part(drive, name).or_else(|| self.capacity(leaf))
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
        ] {
            assert_eq!(drive_of(leaf), drive);
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
