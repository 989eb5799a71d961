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
    let (found, mut problems, _) = documents(text);
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

/// nvme-cli 2 with `-v`: hosts hold subsystems hold controllers hold namespaces. With native multipath, as most
/// distributions have it, the namespaces are those of the subsystem, and its controllers are paths to one drive.
fn verbose(subsystems: &Value, facts: &mut Vec<Namespace>) {
    let mut take = |drive: &Value, spaces: &[Value]| {
        for space in spaces {
            let path = space.text_at(&["NameSpace"]);
            let path = path.map(|name| name.map(|name| format!("/dev/{name}")));
            facts.push(namespace(path, drive, space));
        }
    };
    for subsystem in subsystems.items() {
        let controllers = subsystem.items_at(&["Controllers"]);
        for controller in controllers {
            take(controller, controller.items_at(&["Namespaces"]));
        }
        take(controllers.first().unwrap_or(subsystem), subsystem.items_at(&["Namespaces"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two paths to one drive, as nvme-cli 2 prints them with native multipath.
    #[test]
    fn namespaces_of_a_subsystem_with_multipath_are_read() {
        let text = r#"{"Devices": [{"HostNQN": "nqn", "Subsystems": [{"Subsystem": "nvme-subsys0",
            "Controllers": [
                {"Controller": "nvme0", "SerialNumber": "S64H1", "ModelNumber": "Samsung SSD 980 PRO 2TB", "Namespaces": [], "Paths": [{"Path": "nvme0c0n1"}]},
                {"Controller": "nvme1", "SerialNumber": "S64H1", "ModelNumber": "Samsung SSD 980 PRO 2TB", "Namespaces": [], "Paths": [{"Path": "nvme0c1n1"}]}],
            "Namespaces": [{"NameSpace": "nvme0n1", "NSID": 1, "PhysicalSize": 3840755982336, "SectorSize": 512}]}]}]}"#;
        let parsed = parse(text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let [space] = parsed.facts.as_slice() else { panic!("{:?}", parsed.facts) };
        assert_eq!(space.path.as_ref().unwrap().text(), "/dev/nvme0n1");
        assert_eq!(space.model.as_ref().unwrap().text(), "Samsung SSD 980 PRO 2TB");
        assert_eq!(
            (space.size.unwrap().value, space.sector.unwrap().value),
            (3_840_755_982_336, 512)
        );
    }
}
