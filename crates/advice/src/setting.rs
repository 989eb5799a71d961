//! A setting of a system: where it is made, its name, its value.
//!
//! `audit` changes settings to fix what it finds, `tune` chooses them; both read what is there and
//! write the line that changes it through this module.

use crate::format::{printable, quoted};
use crate::system::samba::GLOBAL;
use crate::system::{Drive, Found, Property, System};
use serde::Serialize;

/// Where a setting is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A dataset.
    Dataset(String),
    /// A pool.
    Pool(String),
    /// The zfs module.
    Module,
    /// `postgresql.conf`.
    Postgresql,
    /// `my.cnf`, group `[mysqld]`.
    Mysql,
    /// `my.cnf`, group `[mariadb]`, which MySQL does not read.
    Mariadb,
    /// `nfs.conf`, section `[nfsd]`.
    Nfs,
    /// `/etc/exports.d`.
    Exports,
    /// `smb.conf`, section `[global]`.
    Samba,
    /// `smb.conf`, a share.
    Share(String),
    /// A udev rule; the setting's name is the drive, its value the rule.
    Udev,
    /// A RAID card; the setting's value is the command.
    Card,
}

impl Target {
    /// The file and section to edit; none where a command makes the setting.
    fn file(&self) -> Option<&'static str> {
        match self {
            Target::Dataset(_) | Target::Pool(_) | Target::Card | Target::Share(_) => None,
            Target::Module => Some("/etc/modprobe.d/zfs.conf"),
            Target::Postgresql => Some("postgresql.conf"),
            Target::Mysql => Some("my.cnf [mysqld]"),
            Target::Mariadb => Some("my.cnf [mariadb]"),
            Target::Nfs => Some("nfs.conf [nfsd]"),
            Target::Exports => Some("/etc/exports"),
            Target::Samba => Some("smb.conf [global]"),
            Target::Udev => Some("/etc/udev/rules.d/60-poolwright.rules"),
        }
    }

    /// What the setting is of, for a list of changes: a dataset, a pool or a file.
    pub fn owner(&self) -> &str {
        match self {
            Target::Dataset(name) | Target::Pool(name) | Target::Share(name) => name,
            other => other.file().unwrap_or_default(),
        }
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Where it is made.
    pub target: Target,
    /// Its name.
    pub name: String,
    /// Its value; none to remove it.
    pub value: Option<String>,
}

impl Setting {
    /// The command, or the line of the file, that makes it.
    pub fn line(&self) -> String {
        let Setting { target, name, value } = self;
        let Some(value) = value else {
            return printable(&format!("- {name}"));
        };
        let assignment = || quoted(&format!("{name}={value}"));
        match target {
            Target::Dataset(dataset) => format!("zfs set {} {}", assignment(), quoted(dataset)),
            Target::Pool(pool) => format!("zpool set {} {}", assignment(), quoted(pool)),
            Target::Module => printable(&format!("options zfs {name}={value}")),
            Target::Exports => printable(&format!("{name} {value}")),
            Target::Postgresql if value.contains([' ', '\'']) => {
                printable(&format!("{name} = '{value}'"))
            }
            Target::Postgresql
            | Target::Mysql
            | Target::Mariadb
            | Target::Nfs
            | Target::Samba
            | Target::Share(_) => printable(&format!("{name} = {value}")),
            Target::Udev | Target::Card => printable(value),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Target::Share(share) = &self.target {
            return write!(f, "smb.conf [{}]: {}", printable(share), self.line());
        }
        match self.target.file() {
            Some(file) => write!(f, "{file}: {}", self.line()),
            None => f.write_str(&self.line()),
        }
    }
}

/// `l2arc_write_max` for an L2ARC of so many bytes: with one feed a second it fills in a quarter of a day, within what SSDs
/// bear.
pub fn l2arc_feed(bytes: u64) -> u64 {
    (bytes / (6 * 3600)).clamp(32 << 20, 128 << 20) >> 20 << 20
}

/// A size of the ARC in whole gigabytes where that costs little, else in megabytes.
pub fn rounded_arc(bytes: u64) -> u64 {
    let unit = if bytes >= 8 << 30 { 30 } else { 20 };
    bytes >> unit << unit
}

/// Read-ahead of a drive, KiB: the kernel's default.
pub const READ_AHEAD_KIB: u64 = 128;

/// The udev rule that turns a drive's scheduler off. It matches the world-wide name or serial
/// number where one is known, else the kernel name, which may change between boots.
pub fn scheduler_rule(drive: &Drive) -> String {
    let serial = drive.serial.as_ref().map(|serial| serial.value.as_str());
    let (key, id) = match (drive.wwn.as_deref(), serial) {
        // lsblk prints the name with its extension where there is one.
        (Some(id), _) if id.starts_with("0x") && id.len() > 18 => {
            ("ENV{ID_WWN_WITH_EXTENSION}", id)
        }
        (Some(id), _) => ("ENV{ID_WWN}", id),
        // What ID_SERIAL_SHORT of a SCSI drive has is its world-wide name.
        (None, Some(id)) if drive.is_scsi() => ("ENV{ID_SCSI_SERIAL}", id),
        (None, Some(id)) => ("ENV{ID_SERIAL_SHORT}", id),
        (None, None) => ("KERNEL", drive.name.as_str()),
    };
    // udev has no escape for a quote in a rule.
    let id: String = id.chars().filter(|c| !c.is_control() && *c != '"').collect();
    format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {key}==\"{id}\", ATTR{{queue/scheduler}}=\"none\""
    )
}

impl System {
    /// The value that a setting has, where it is known.
    pub fn setting(&self, target: &Target, name: &str) -> Option<Found<String>> {
        let property = |p: &Property| Found::new(p.value.clone(), p.at.clone());
        match target {
            Target::Dataset(dataset) => self.dataset(dataset)?.get(name).map(property),
            Target::Pool(pool) => self.pool(pool)?.get(name).map(property),
            Target::Module => self.module.get(name).cloned(),
            Target::Postgresql => self.postgres(name),
            Target::Mysql => self.innodb(name),
            Target::Mariadb => self.innodb_as(true, name),
            Target::Samba => Some(self.samba_of(GLOBAL, name)?.found.clone()),
            Target::Share(share) => Some(self.samba_of(share, name)?.found.clone()),
            Target::Udev => self.drives.iter().find(|drive| drive.name == name)?.scheduler.clone(),
            Target::Nfs | Target::Exports | Target::Card => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Place;

    #[test]
    fn a_rule_matches_the_property_that_udev_sets() {
        let found = |text: &str| Some(Found::new(text.to_string(), Place::new("lsblk", 1)));
        let rule = |wwn: Option<&str>, transport: &str| {
            let drive = Drive {
                name: "sda".to_string(),
                wwn: wwn.map(String::from),
                serial: found("S1"),
                transport: found(transport),
                ..Drive::default()
            };
            let rule = scheduler_rule(&drive);
            rule.split(", ").nth(3).unwrap().to_string()
        };
        for (wwn, transport, expected) in [
            (Some("0x5000c500a1b2c3d1"), "sata", "ENV{ID_WWN}==\"0x5000c500a1b2c3d1\""),
            (
                Some("0x600605b00fa1b2c3d4e5f60718293a4b"),
                "sas",
                "ENV{ID_WWN_WITH_EXTENSION}==\"0x600605b00fa1b2c3d4e5f60718293a4b\"",
            ),
            (Some("nvme.1b36-44454144"), "nvme", "ENV{ID_WWN}==\"nvme.1b36-44454144\""),
            (Some("t10.ATA QEMU"), "sata", "ENV{ID_WWN}==\"t10.ATA QEMU\""),
            (None, "sata", "ENV{ID_SERIAL_SHORT}==\"S1\""),
            (None, "sas", "ENV{ID_SCSI_SERIAL}==\"S1\""),
        ] {
            assert_eq!(rule(wwn, transport), expected);
        }
    }
}
