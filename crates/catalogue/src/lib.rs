//! Facts about drives beyond the timing in their profiles: reliability and rates of a class of drives, and
//! properties of models by name. Read from `profiles/catalogue/`, which is embedded.

use drives::{Profile, ProfileNumber};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A class of drives, with the source of each number.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveClass {
    /// Its name: `hdd-7200`, `nvme`.
    pub name: String,
    /// Whether it rotates.
    pub rotational: bool,
    /// Sequential read over the whole medium, MB/s.
    pub read_mb_s: ProfileNumber,
    /// Sequential write over the whole medium, MB/s.
    pub write_mb_s: ProfileNumber,
    /// Random 4K reads a second with ten outstanding.
    pub read_iops: ProfileNumber,
    /// Random 4K writes a second with ten outstanding.
    pub write_iops: ProfileNumber,
    /// Chance to fail within a year.
    pub annual_failure_rate: ProfileNumber,
    /// Chance of an unrecoverable error for each bit read.
    pub read_errors_per_bit: ProfileNumber,
}

/// Drive models whose names have a part in common.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Parts of names as lsblk, smartctl or `/dev/disk/by-id` print them.
    pub names: Vec<String>,
    /// The built-in profile of such a drive.
    pub profile: Option<String>,
    /// Whether a drive's acknowledged writes survive a power cut; none if unknown.
    pub power_loss_protection: Option<bool>,
    /// Whether the drive is drive-managed SMR.
    #[serde(default)]
    pub shingled: bool,
    /// Whether it is Optane, whose writes take about 10 µs.
    #[serde(default)]
    pub optane: bool,
    /// Whether it is a RAID card's volume and not a drive.
    #[serde(default)]
    pub card_volume: bool,
    /// The source.
    pub source: String,
}

static CLASSES: LazyLock<Vec<DriveClass>> =
    LazyLock::new(|| read(include_str!("../../../profiles/catalogue/classes.toml"), "class"));

static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| read(include_str!("../../../profiles/catalogue/models.toml"), "family"));

/// The list of an embedded file, which has no other; empty where it cannot be read, which a test below excludes.
fn read<T: DeserializeOwned>(text: &str, list: &str) -> Vec<T> {
    let mut lists: BTreeMap<String, Vec<T>> = toml::from_str(text).unwrap_or_default();
    let wanted = lists.remove(list).unwrap_or_default();
    if lists.is_empty() { wanted } else { Vec::new() }
}

/// Every class of drives.
pub fn classes() -> &'static [DriveClass] {
    &CLASSES
}

/// The class of that name.
pub fn class(name: &str) -> Option<&'static DriveClass> {
    CLASSES.iter().find(|class| class.name == name)
}

/// The class that a profile's drive is nearest to, for what the profile does not state.
pub fn class_of(profile: &Profile) -> Option<&'static DriveClass> {
    class(match (profile.rotational, &profile.hdd, &profile.flash) {
        (true, Some(hdd), _) if hdd.rpm.value < 6500.0 => "hdd-5400",
        (true, ..) => "hdd-7200",
        (false, _, Some(flash)) if flash.read_mb_s.value < 700.0 => "ssd-sata",
        (false, ..) => "nvme",
    })
}

/// Every family of models.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

/// The families that a model name, or the name of a `/dev/disk/by-id` link, belongs to.
pub fn families_of(model: &str) -> impl Iterator<Item = &'static Family> {
    // A by-id name has underscores where the model has blanks.
    let plain = |name: &str| name.to_ascii_uppercase().replace('_', " ");
    let model = plain(model);
    FAMILIES
        .iter()
        .filter(move |family| family.names.iter().any(|name| model.contains(&plain(name))))
}

/// Whether a drive's acknowledged writes survive a power cut; none for an unknown model.
pub fn protected(model: &str) -> Option<bool> {
    families_of(model).find_map(|family| family.power_loss_protection)
}

/// Whether this is a model of a known SSD family.
pub fn flash(model: &str) -> bool {
    protected(model).is_some() || optane(model)
}

/// Whether a model is known to be drive-managed SMR.
pub fn shingled(model: &str) -> bool {
    families_of(model).any(|family| family.shingled)
}

/// Whether this is a RAID card's volume and not a drive.
pub fn card_volume(model: &str) -> bool {
    families_of(model).any(|family| family.card_volume)
}

/// Whether this is Optane.
pub fn optane(model: &str) -> bool {
    families_of(model).any(|family| family.optane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_class_has_its_source_and_an_estimate_its_range() {
        assert_eq!(classes().len(), 6);
        for class in classes() {
            for number in [
                &class.read_mb_s, &class.write_mb_s, &class.read_iops, &class.write_iops,
                &class.annual_failure_rate, &class.read_errors_per_bit,
            ] {
                assert!(number.value > 0.0 && number.source != ProfileNumber::STATED, "{class:?}");
                assert_eq!(
                    number.is_estimate(),
                    number.source.starts_with("estimate"),
                    "{number:?}"
                );
                let document = ["data sheet", "measured", "Backblaze"];
                assert!(
                    number.is_estimate() || document.iter().any(|d| number.source.contains(d)),
                    "{number:?} is derived, and has no range"
                );
            }
        }
    }

    #[test]
    fn every_family_states_something_and_its_source() {
        assert!(families().len() > 10);
        for family in families() {
            let kind = family.shingled || family.optane || family.card_volume;
            assert!(kind || family.power_loss_protection.is_some(), "{family:?}");
            assert!(!family.source.is_empty(), "{family:?}");
        }
    }

    #[test]
    fn the_sources_drives_are_known() {
        assert_eq!(protected("SAMSUNG MZQL23T8HCLS-00A07"), Some(true), "PM9A3 3.84 TB");
        assert_eq!(protected("INTEL SSDPEL1K100GA"), Some(true), "Optane P4801X");
        assert_eq!(protected("INTEL SSDPEK1A118GA"), Some(true), "Optane P1600X");
        assert_eq!(protected("MZ7LH3T8HMLT"), Some(true), "PM883 3.84 TB");
        assert_eq!(protected("nvme-Samsung_SSD_980_PRO_1TB_S5P2NG0R"), Some(false));
        assert_eq!(protected("Micron_5300_MTFDDAK960TDS"), Some(true));
        assert_eq!(protected("Micron_2200_MTFDHBA512TCK"), Some(false), "a client drive");
        assert_eq!(protected("Micron 1100 MTFDDAK512TBN"), Some(false), "a client drive");
        assert_eq!(protected("MTFDDAK960TDS"), None, "the form factor alone");
        assert_eq!(protected("Some Brand X"), None);
    }

    #[test]
    fn a_red_is_shingled_and_a_red_plus_is_not() {
        assert!(shingled("WDC WD40EFAX-68JH4N0"));
        assert!(!shingled("WDC WD40EFZX-68AWUN0"));
    }

    #[test]
    fn a_link_is_recognised_as_its_model() {
        assert!(card_volume("DELL PERC H730P Mini"));
        assert!(optane("nvme-INTEL_SSDPEK1A118GA_PHOC0001"));
        assert!(!optane("SAMSUNG MZQL23T8HCLS-00A07"));
    }
}
