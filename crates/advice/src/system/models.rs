//! What drives' model names tell: power-loss protection, shingling, a RAID card's volume.
//!
//! Only families whose data sheets or reviews agree are listed; anything else is unknown, and
//! rules say nothing about what is unknown.

/// Families sold with capacitors (or, for Optane, with no volatile buffer) against power loss.
const PROTECTED: [&str; 49] = [
    // Samsung data centre: PM883, PM893, PM983, PM9A3, SM883, PM173x, PM174x, their part numbers.
    "PM863", "PM883", "PM893", "PM963", "PM983", "PM9A3", "PM1633", "PM1643", "PM1653", "PM1725",
    "PM1733", "PM1735", "PM1743", "SM863", "SM883", "SM963", "MZ7KH", "MZ7LH", "MZ7L3", "MZQLB",
    "MZQL2", "MZ1LB", "MZ1L2", "MZWLL", "MZWLJ",
    // Intel and Solidigm: Optane DC and P1600X, SATA DC S, NVMe DC P.
    "SSDPE21K", "SSDPED1K", "SSDPEL1K", "SSDPEK1A", "SSDPF21Q", "SSDSC2BB", "SSDSC2BA", "SSDSC2KB",
    "SSDSC2KG", "SSDPE2KX", "SSDPE2KE", "SSDPF2KX", "P4800X", "P4801X", "P5800X", "P1600X",
    // Micron, Kingston, Kioxia data centre.
    "MTFDDAK", "MTFDHAL", "MTFDHBA", "MTFDKCC", "SEDC500", "SEDC600", "SEDC1500", "SEDC2000",
];

/// Families sold without.
const UNPROTECTED: [&str; 33] = [
    "850 EVO",
    "850 PRO",
    "860 EVO",
    "860 PRO",
    "860 QVO",
    "870 EVO",
    "870 QVO",
    "950 PRO",
    "960 EVO",
    "960 PRO",
    "970 EVO",
    "970 PRO",
    "980 PRO",
    "SSD 980",
    "990 EVO",
    "990 PRO",
    "WDS100T",
    "WDS200T",
    "WDS500G",
    "WD_BLACK",
    "WD Blue SN",
    "SN770",
    "CT500P",
    "CT1000P",
    "CT2000P",
    "CT1000MX",
    "CT500MX",
    "CT2000MX",
    "SSDPEKNW",
    "SSDPEKNU",
    "Sabrent",
    "SA400S37",
    "SNV2S",
];

/// Drive-managed shingled disks, by manufacturers' own lists of 2020.
const SHINGLED: [&str; 16] = [
    "WD20EFAX",
    "WD30EFAX",
    "WD40EFAX",
    "WD60EFAX",
    "WD20EZAZ",
    "WD60EZAZ",
    "ST8000DM004",
    "ST8000AS0002",
    "ST6000DM003",
    "ST5000DM000",
    "ST4000DM004",
    "ST3000DM007",
    "ST2000DM008",
    "ST2000LM015",
    "ST4000LM024",
    "ST5000LM000",
];

/// Names under which RAID cards show their logical volumes.
const VOLUMES: [&str; 12] = [
    "PERC",
    "MegaRAID",
    "ServeRAID",
    "LOGICAL VOLUME",
    "LogicalDrv",
    "MR9",
    "RAID 5-",
    "Smart Array",
    "AVAGO MR",
    "BROADCOM MR",
    "SMC3108",
    "SAS3508",
];

/// Families of Optane, whose writes take about 10 µs.
const OPTANE: [&str; 8] =
    ["OPTANE", "SSDPE21K", "SSDPED1K", "SSDPEL1K", "SSDPEK1A", "P4801X", "P1600X", "P5800X"];

fn has(model: &str, families: &[&str]) -> bool {
    // A by-id name has underscores where the model has blanks.
    let model = model.to_ascii_uppercase().replace('_', " ");
    families.iter().any(|family| model.contains(&family.to_ascii_uppercase().replace('_', " ")))
}

/// Whether a drive keeps what it acknowledged through a power cut; none when the model is not
/// known here. Takes a model name or a `/dev/disk/by-id` name.
pub fn protected(model: &str) -> Option<bool> {
    if has(model, &PROTECTED) {
        Some(true)
    } else if has(model, &UNPROTECTED) {
        Some(false)
    } else {
        None
    }
}

/// Whether a model is known to be shingled by the drive itself.
pub fn shingled(model: &str) -> bool {
    has(model, &SHINGLED)
}

/// Whether this is a RAID card's volume and not a drive.
pub fn card_volume(model: &str) -> bool {
    has(model, &VOLUMES)
}

/// Whether this is Optane.
pub fn optane(model: &str) -> bool {
    has(model, &OPTANE)
}

/// Whether this is surely flash: a model in one of the lists of SSDs.
pub fn flash(model: &str) -> bool {
    protected(model).is_some() || optane(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_drives_are_known() {
        assert_eq!(protected("SAMSUNG MZQL23T8HCLS-00A07"), Some(true), "PM9A3 3.84 TB");
        assert_eq!(protected("INTEL SSDPEL1K100GA"), Some(true), "Optane P4801X");
        assert_eq!(protected("INTEL SSDPEK1A118GA"), Some(true), "Optane P1600X");
        assert_eq!(protected("MZ7LH3T8HMLT"), Some(true), "PM883 3.84 TB");
        assert_eq!(protected("nvme-Samsung_SSD_980_PRO_1TB_S5P2NG0R"), Some(false));
        assert_eq!(protected("Some Brand X"), None);
    }

    #[test]
    fn a_red_is_shingled_and_a_red_plus_is_not() {
        assert!(shingled("WDC WD40EFAX-68JH4N0"));
        assert!(!shingled("WDC WD40EFZX-68AWUN0"));
    }
}
