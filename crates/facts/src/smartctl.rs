//! `smartctl -j` (`-a`, `-x`, `-i`, `-g all`) of smartmontools 7, for ATA, SCSI and NVMe.

use crate::json::{Value, documents};
use crate::{At, Parsed, Problem, excerpt, nothing_found};

/// A drive. A field is none where that kind of drive or call does not have it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drive {
    /// The line its document begins on.
    pub line: u32,
    /// `/dev/sda`.
    pub device: Option<At<String>>,
    /// What smartctl calls the drive: `/dev/sda [SAT]`, `/dev/bus/0 [megaraid_disk_01]`.
    pub info_name: Option<At<String>>,
    /// The device type, as `-d` takes it: `sat`, `megaraid,1`.
    pub kind: Option<At<String>>,
    /// Model.
    pub model: Option<At<String>>,
    /// Serial number.
    pub serial: Option<At<String>>,
    /// Capacity, bytes.
    pub size: Option<At<u64>>,
    /// Logical sector, bytes.
    pub logical_sector: Option<At<u64>>,
    /// Physical sector, bytes.
    pub physical_sector: Option<At<u64>>,
    /// Revolutions a minute; 0 for an SSD.
    pub rpm: Option<At<u64>>,
    /// Overall health.
    pub passed: Option<At<bool>>,
    /// Whether its volatile write cache is on (`-g wcache`).
    pub write_cache: Option<At<bool>>,
    /// Zoned capabilities in words; a host-managed or drive-managed shingled disk says so here.
    pub zoned: Option<At<String>>,
    /// ATA attributes.
    pub attributes: Vec<Attribute>,
    /// Rated endurance used, percent, may exceed 100.
    pub endurance_used: Option<At<u64>>,
    /// Spare capacity left, percent.
    pub spare: Option<At<u64>>,
    /// The spare capacity at which the drive warns, percent.
    pub spare_threshold: Option<At<u64>>,
    /// NVMe: unrecovered media errors. SCSI: uncorrected read, write and verify errors.
    pub media_errors: Option<At<u64>>,
    /// SCSI: sectors that the drive replaced since it was made.
    pub grown_defects: Option<At<u64>>,
}

/// An ATA SMART attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The line it stands on.
    pub line: u32,
    /// Number: 5 is reallocated sectors, 187 reported uncorrectable errors, 197 pending, 198 uncorrectable, 199 CRC errors.
    pub id: u64,
    /// Name.
    pub name: String,
    /// Normalized value: 100 or more when new, and falling.
    pub value: Option<u64>,
    /// Raw value: the number that smartctl shows first, where the maker packs several into one.
    pub raw: Option<u64>,
}

/// Types of drives behind a RAID card, without the number of the drive.
const CARDS: [&str; 9] =
    ["3ware", "aacraid", "areca", "cciss", "hpt", "jmb39x", "jms56x", "megaraid", "sssraid"];

impl Drive {
    /// The type of a drive behind a RAID card (`megaraid,1`, `sat+megaraid,1`). The device is then that of the card or of
    /// any of its volumes, the same for every drive behind it.
    pub fn behind_card(&self) -> Option<&str> {
        let kind = self.kind.as_ref().map(At::text)?;
        let card = kind.rsplit('+').next().unwrap_or(kind);
        let name = card.split_once(',')?.0;
        let known = |known: &str| name == known || name.starts_with(&format!("{known}-"));
        CARDS.iter().any(|card| known(card)).then_some(kind)
    }

    /// Whether it tells nothing of the drive but its device, as a row of `--scan`.
    pub fn only_names_it(&self) -> bool {
        let (device, kind) = (self.device.clone(), self.kind.clone());
        let info_name = self.info_name.clone();
        *self == Drive { line: self.line, device, info_name, kind, ..Drive::default() }
    }

    /// ATA attribute `id`.
    pub fn attribute(&self, id: u64) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.id == id)
    }
}

/// The drives of one or more `smartctl -j` documents.
pub fn parse(text: &str) -> Parsed<Vec<Drive>> {
    let (found, mut problems, _) = documents(text);
    let mut facts = Vec::new();
    for document in found.iter().filter(|d| d.get("smartctl").is_some()) {
        // `--scan` lists devices and says nothing of them.
        let listed = document.items_at(&["devices"]);
        for device in listed {
            facts.push(Drive {
                line: device.line,
                device: device.text_at(&["name"]),
                info_name: device.text_at(&["info_name"]),
                kind: device.text_at(&["type"]),
                ..Drive::default()
            });
        }
        if listed.is_empty() {
            facts.push(drive(document, &mut problems));
        }
    }
    if facts.is_empty() {
        problems.push(nothing_found(text, "smartctl -j"));
    }
    Parsed { facts, problems }
}

fn drive(document: &Value, problems: &mut Vec<Problem>) -> Drive {
    let text = |path: &[&str]| document.text_at(path);
    let whole = |path: &[&str]| document.at(path).and_then(Value::whole);
    let flag = |path: &[&str]| document.at(path).and_then(Value::flag);
    const NVME: &str = "nvme_smart_health_information_log";
    // Bits 0 and 1 of the exit status: the command line or the device could not be opened.
    if let Some(status) = whole(&["smartctl", "exit_status"]).filter(|s| s.value & 3 != 0) {
        let mut messages = document.items_at(&["smartctl", "messages"]).iter();
        let why = messages.find_map(|message| message.text_at(&["string"]));
        let why = excerpt(why.as_ref().map_or("no message", At::text));
        let code = status.value;
        let what = format!("smartctl could not read the drive (exit status {code}): {why}");
        problems.push(Problem::new(status.line, what));
    }
    Drive {
        line: document.line,
        device: text(&["device", "name"]),
        info_name: text(&["device", "info_name"]),
        kind: text(&["device", "type"]),
        model: text(&["model_name"]).or_else(|| text(&["scsi_model_name"])),
        serial: text(&["serial_number"]),
        size: whole(&["user_capacity", "bytes"]).or_else(|| whole(&["nvme_total_capacity"])),
        logical_sector: whole(&["logical_block_size"]),
        physical_sector: whole(&["physical_block_size"]),
        rpm: whole(&["rotation_rate"]),
        passed: flag(&["smart_status", "passed"]),
        write_cache: flag(&["write_cache", "enabled"]),
        zoned: text(&["zoned_device_capabilities", "string"]).or_else(|| text(&["zoned_device"])),
        attributes: attributes(document),
        endurance_used: whole(&[NVME, "percentage_used"])
            .or_else(|| whole(&["scsi_percentage_used_endurance_indicator"]))
            .or_else(|| whole(&["endurance_used", "current_percent"])),
        spare: whole(&[NVME, "available_spare"])
            .or_else(|| whole(&["spare_available", "current_percent"])),
        spare_threshold: whole(&[NVME, "available_spare_threshold"])
            .or_else(|| whole(&["spare_available", "threshold_percent"])),
        media_errors: whole(&[NVME, "media_errors"]).or_else(|| scsi_uncorrected(document)),
        grown_defects: whole(&["scsi_grown_defect_list"]),
    }
}

fn attributes(document: &Value) -> Vec<Attribute> {
    let attribute = |row: &Value| {
        let number = |path: &[&str]| row.at(path).and_then(Value::whole).map(|n| n.value);
        Some(Attribute {
            line: row.line,
            id: number(&["id"])?,
            name: row.text_at(&["name"]).map_or_else(String::new, |name| name.value),
            value: number(&["value"]),
            raw: shown(row).or_else(|| number(&["raw", "value"])),
        })
    };
    let rows = document.items_at(&["ata_smart_attributes", "table"]);
    rows.iter().filter_map(attribute).collect()
}

/// The number that `raw.string` begins with: `8`, `12 (0 3)`; none for `0x12` or `3h+05m`.
fn shown(row: &Value) -> Option<u64> {
    let text = row.text_at(&["raw", "string"])?.value;
    text.split_whitespace().next()?.parse().ok()
}

fn scsi_uncorrected(document: &Value) -> Option<At<u64>> {
    let log = document.get("scsi_error_counter_log")?;
    let operations = ["read", "write", "verify"].into_iter();
    let counts = operations
        .filter_map(|operation| log.at(&[operation, "total_uncorrected_errors"])?.whole());
    counts.reduce(|sum, errors| errors.map(|errors| errors.saturating_add(sum.value)))
}
