//! `nvme list -o json` of nvme-cli 1 and 2, plain and verbose.

use crate::json::{Value, documents};
use crate::{At, Parsed, nothing_found};

/// An NVMe namespace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Namespace {
    /// `/dev/nvme0n1`.
    pub path: Option<At<String>>,
    /// Model number.
    pub model: Option<At<String>>,
    /// Serial number.
    pub serial: Option<At<String>>,
    /// Capacity, bytes.
    pub size: Option<At<u64>>,
    /// Sector in use, bytes: an LBA format of 512 on a drive that offers 4096 costs speed.
    pub sector: Option<At<u64>>,
}

/// The namespaces of an `nvme list -o json` text.
pub fn parse(text: &str) -> Parsed<Vec<Namespace>> {
    let (found, mut problems) = documents(text);
    let mut facts = Vec::new();
    let mut known = false;
    for list in found.iter().filter_map(|document| document.get("Devices")) {
        known = true;
        for device in list.items() {
            match device.get("Subsystems") {
                Some(subsystems) => verbose(subsystems, &mut facts),
                None => facts.push(plain(device)),
            }
        }
    }
    if !known {
        problems.push(nothing_found(text, "nvme list -o json"));
    }
    Parsed { facts, problems }
}

fn plain(device: &Value) -> Namespace {
    let text = |key: &str| device.get(key).and_then(Value::text);
    let whole = |key: &str| device.get(key).and_then(Value::whole);
    Namespace {
        path: text("DevicePath"),
        model: text("ModelNumber"),
        serial: text("SerialNumber"),
        size: whole("PhysicalSize"),
        sector: whole("SectorSize"),
    }
}

/// nvme-cli 2 with `-v`: hosts hold subsystems hold controllers hold namespaces.
fn verbose(subsystems: &Value, facts: &mut Vec<Namespace>) {
    for controller in subsystems
        .items()
        .iter()
        .filter_map(|subsystem| subsystem.get("Controllers"))
        .flat_map(Value::items)
    {
        let text = |key: &str| controller.get(key).and_then(Value::text);
        for space in controller.get("Namespaces").map_or(&[][..], Value::items) {
            let whole = |key: &str| space.get(key).and_then(Value::whole);
            facts.push(Namespace {
                path: space
                    .get("NameSpace")
                    .and_then(Value::text)
                    .map(|name| name.map(|name| format!("/dev/{name}"))),
                model: text("ModelNumber"),
                serial: text("SerialNumber"),
                size: whole("PhysicalSize"),
                sector: whole("SectorSize"),
            });
        }
    }
}
