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
                None => facts.push(namespace(device.text_at(&["DevicePath"]), device, device)),
            }
        }
    }
    if !known {
        problems.push(nothing_found(text, "nvme list -o json"));
    }
    Parsed { facts, problems }
}

/// A namespace, from what is said of its drive and of itself.
fn namespace(path: Option<At<String>>, drive: &Value, space: &Value) -> Namespace {
    Namespace {
        path,
        model: drive.text_at(&["ModelNumber"]),
        serial: drive.text_at(&["SerialNumber"]),
        size: space.get("PhysicalSize").and_then(Value::whole),
        sector: space.get("SectorSize").and_then(Value::whole),
    }
}

/// nvme-cli 2 with `-v`: hosts hold subsystems hold controllers hold namespaces.
fn verbose(subsystems: &Value, facts: &mut Vec<Namespace>) {
    let subsystems = subsystems.items().iter();
    for controller in subsystems.flat_map(|subsystem| subsystem.items_at(&["Controllers"])) {
        for space in controller.items_at(&["Namespaces"]) {
            let path = space.text_at(&["NameSpace"]);
            let path = path.map(|name| name.map(|name| format!("/dev/{name}")));
            facts.push(namespace(path, controller, space));
        }
    }
}
