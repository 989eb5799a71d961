//! Facts of one text, merged into a [`System`].

use super::parts::Part;
use super::{CardReport, Dataset, Drive, Found, Leaf, Pool, PostgresFile, Property, System, Vdev};
use crate::raid_card::CardTool;
use facts::card::Card;
use facts::zpool_status::{self, VdevKind};
use facts::{At, Facts, fill, find_or_push, is_digits, lsblk, nvme_list, properties, smartctl};
use zfs::Layout;

/// Adds the facts of a text to a system.
pub(super) fn merge(facts: Facts, part: &Part, system: &mut System) {
    match facts {
        Facts::ZpoolStatus(pools) => {
            pools.into_iter().for_each(|status| take_status(status, part, system));
        }
        Facts::Properties(rows) => take_properties(&rows, part, system),
        Facts::Lsblk(devices) => {
            devices.iter().for_each(|device| take_device(device, part, system));
        }
        Facts::Smartctl(drives) => {
            drives.into_iter().for_each(|drive| take_smart(drive, part, system));
        }
        Facts::NvmeList(namespaces) => {
            namespaces.iter().for_each(|namespace| take_namespace(namespace, part, system));
        }
        Facts::Storcli(cards) => take_cards(cards, part, system, |card| {
            let dell = card.model.as_ref().is_some_and(|model| model.value.contains("PERC"));
            if dell { CardTool::Perccli } else { CardTool::Storcli }
        }),
        Facts::Arcconf(cards) => take_cards(cards, part, system, |_| CardTool::Arcconf),
        Facts::Ssacli(cards) => take_cards(cards, part, system, |_| CardTool::Ssacli),
        Facts::Postgresql(settings) => system.postgresql.push(PostgresFile {
            origin: part.origin(),
            name: part.name.to_string(),
            at: part.beginning(),
            cluster: 0,
            settings,
        }),
        // The files that my.cnf includes are read after it and win.
        Facts::MyCnf(options) => system.mysql.push((part.origin(), options)),
        Facts::Modprobe(options) => {
            for row in options.into_iter().filter(|row| row.module == "zfs") {
                let found = Found::new(row.value.value, part.place(row.value.line));
                system.echoed.remove(&row.name);
                system.module.insert(row.name, found);
            }
        }
        Facts::Queue(queues) => {
            for queue in queues {
                let drive = drive(system, &queue.device, None);
                // A text may have a single attribute.
                let read_ahead = part.found(&queue.number("read_ahead_kb"));
                drive.scheduler = part.found(&queue.scheduler()).or(drive.scheduler.take());
                drive.read_ahead_kib = read_ahead.or(drive.read_ahead_kib.take());
                drive.flushed = part.found(&queue.volatile_cache()).or(drive.flushed.take());
                fill(&mut drive.rotational, part.found(&queue.rotational()));
            }
        }
    }
}

fn take_cards(cards: Vec<Card>, part: &Part, system: &mut System, tool: fn(&Card) -> CardTool) {
    let report = |card| CardReport { origin: part.origin(), tool: tool(&card), card };
    system.cards.extend(cards.into_iter().map(report));
}

/// The drive of that kernel name, or else of that serial number, made where it is new.
///
/// Different drives may show one serial number: namespaces of one controller, drives behind USB bridges. One that lsblk
/// lists under another name is therefore another drive.
fn drive<'a>(system: &'a mut System, name: &str, serial: Option<&str>) -> &'a mut Drive {
    let name = name.rsplit('/').next().unwrap_or(name);
    let numbered =
        |drive: &Drive| !drive.listed && has_serial(drive, serial) && !beside(&drive.name, name);
    first_or_new(system, name, &[&|drive| drive.name == name, &numbered])
}

/// The first drive that the first of some conditions holds for which holds for any; made where there is none.
fn first_or_new<'a>(
    system: &'a mut System,
    name: &str,
    conditions: &[&dyn Fn(&Drive) -> bool],
) -> &'a mut Drive {
    let drives = &mut system.drives;
    let known = conditions.iter().find_map(|holds| drives.iter().position(holds));
    let at = known.unwrap_or_else(|| {
        drives.push(Drive { name: name.to_string(), ..Drive::default() });
        drives.len() - 1
    });
    &mut drives[at]
}

fn has_serial(drive: &Drive, serial: Option<&str>) -> bool {
    serial.is_some_and(|serial| drive.serial.as_ref().is_some_and(|known| known.value == serial))
}

/// Whether two names are of different namespaces of one NVMe controller.
fn beside(one: &str, two: &str) -> bool {
    fn controller(name: &str) -> Option<&str> {
        let (controller, namespace) = name.strip_prefix("nvme")?.split_once('n')?;
        (is_digits(controller) && is_digits(namespace)).then_some(controller)
    }
    one != two && controller(one).is_some() && controller(one) == controller(two)
}

fn pool<'a>(system: &'a mut System, name: &str) -> &'a mut Pool {
    let new = || Pool { name: name.to_string(), ..Pool::default() };
    find_or_push(&mut system.pools, |pool| pool.name == name, new)
}

fn take_status(status: zpool_status::Pool, part: &Part, system: &mut System) {
    let top = |vdev: &zpool_status::Vdev| {
        let layout = vdev.kind.layout()?;
        let leaves: Vec<Leaf> = members(vdev)
            .into_iter()
            .map(|leaf| Leaf { name: leaf.name.clone(), at: part.place(leaf.line) })
            .collect();
        // Of a mirror whose drives the text does not have, nothing can be said.
        let first = leaves.first()?;
        let name = if layout == Layout::Single { &first.name } else { &vdev.name }.clone();
        Some(Vdev { name, class: vdev.class, layout, leaves, at: part.place(vdev.line) })
    };
    let vdevs = status.vdevs.iter().filter_map(top).collect();
    let pool = pool(system, &status.name.value);
    pool.vdevs = vdevs;
    pool.status = Some((part.origin(), status));
}

/// The drives of a vdev; of a replacement or a spare in use, the first stands for its place.
fn members(vdev: &zpool_status::Vdev) -> Vec<&zpool_status::Vdev> {
    if vdev.lacks_drives() {
        return Vec::new();
    }
    if matches!(vdev.kind, VdevKind::Replacing | VdevKind::Spare) {
        return vdev.leaves().into_iter().take(1).collect();
    }
    if vdev.children.is_empty() {
        return vec![vdev];
    }
    vdev.children.iter().flat_map(members).collect()
}

fn take_properties(rows: &[properties::Property], part: &Part, system: &mut System) {
    for row in rows {
        let property = Property {
            value: row.value.value.clone(),
            local: row.source == properties::Source::Local,
            at: part.place(row.value.line),
        };
        if let Some(vdev) = &row.vdev {
            pool(system, &row.target).vdev_ashifts.push((vdev.clone(), property));
        } else if row.owner == properties::Owner::Pool {
            pool(system, &row.target).properties.insert(row.name.clone(), property);
        } else if !row.target.contains(['@', '#']) {
            let new = || Dataset { name: row.target.clone(), ..Dataset::default() };
            find_or_push(&mut system.datasets, |dataset| dataset.name == row.target, new)
                .properties
                .insert(row.name.clone(), property);
        }
    }
}

fn take_device(device: &lsblk::Device, part: &Part, system: &mut System) {
    let known = drive(system, &device.name, device.serial.as_ref().map(At::text));
    fill(&mut known.model, part.found(&device.model));
    fill(&mut known.serial, part.found(&device.serial));
    fill(&mut known.wwn, device.wwn.as_ref().map(|w| w.value.clone()));
    fill(&mut known.size, part.found(&device.size));
    fill(&mut known.rotational, part.found(&device.rotational));
    fill(&mut known.logical_sector, part.found(&device.logical_sector));
    fill(&mut known.physical_sector, part.found(&device.physical_sector));
    fill(&mut known.transport, part.found(&device.transport));
    fill(&mut known.scheduler, part.found(&device.scheduler));
    fill(&mut known.read_ahead_kib, part.found(&device.read_ahead_kib));
    let signature = device
        .signature
        .as_ref()
        .or_else(|| device.children.iter().find_map(|child| child.signature.as_ref()));
    fill(&mut known.signature, signature.map(|s| s.value.clone()));
    known.listed = true;
    let whole = with_parts(device);
    let mounts = whole.iter().flat_map(|device| &device.mounts);
    known.mounts.extend(mounts.map(|m| Found::new(m.value.clone(), part.place(m.line))));
    for child in &whole[1..] {
        let size = child.size.as_ref().map(|size| size.value);
        let others = [&child.part_uuid, &child.part_label].into_iter().flatten();
        let names = std::iter::once(&child.name).chain(others.map(|name| &name.value));
        known.parts.extend(names.map(|name| (name.clone(), size)));
    }
}

/// A device and all that lies on it.
fn with_parts(device: &lsblk::Device) -> Vec<&lsblk::Device> {
    let below = device.children.iter().flat_map(with_parts);
    std::iter::once(device).chain(below).collect()
}

fn take_smart(report: smartctl::Drive, part: &Part, system: &mut System) {
    let known = reported(system, &report);
    fill(&mut known.model, part.found(&report.model));
    fill(&mut known.serial, part.found(&report.serial));
    fill(&mut known.size, part.found(&report.size));
    fill(&mut known.logical_sector, part.found(&report.logical_sector));
    fill(&mut known.physical_sector, part.found(&report.physical_sector));
    let rotates = report.rpm.as_ref().map(|rpm| rpm.map(|rpm| rpm > 0));
    fill(&mut known.rotational, part.found(&rotates));
    // `smartctl --scan` after a report says no more than its device.
    if known.smart.is_none() || !report.only_names_it() {
        known.smart = Some((part.origin(), report));
    }
}

/// The drive that a report of smartctl is about, made where it is new.
///
/// All drives behind a RAID card have the device of the card or of a volume: only the serial number or smartctl's own
/// name tells them apart, and none of them is the volume of that name. Nor are two reports about one drive where their
/// serial numbers differ. (The number that lsblk shows may be another one: of a USB bridge, or a world-wide name.)
fn reported<'a>(system: &'a mut System, report: &smartctl::Drive) -> &'a mut Drive {
    let device = report.device.as_ref().map_or("", At::text);
    // smartctl names the controller (`/dev/nvme0`), the pool its first namespace.
    let namespace = controller_namespace(device);
    let name = match report.behind_card() {
        Some(kind) => {
            let info = report.info_name.as_ref().map(|name| name.value.clone());
            info.unwrap_or_else(|| format!("{device} [{kind}]"))
        }
        None => namespace.rsplit('/').next().unwrap_or(&namespace).to_string(),
    };
    let serial = report.serial.as_ref().map(At::text);
    let named = |drive: &Drive| drive.name == name;
    let same_serial = |drive: &Drive| has_serial(drive, serial);
    let other = |drive: &Drive| {
        let known = drive.smart.as_ref().and_then(|(_, known)| known.serial.as_ref());
        serial.zip(known).is_some_and(|(serial, known)| serial != known.value)
    };
    first_or_new(
        system,
        &name,
        &[
            &|drive| named(drive) && same_serial(drive),
            &|drive| same_serial(drive) && !beside(&drive.name, &name),
            &|drive| named(drive) && !other(drive),
        ],
    )
}

/// `/dev/nvme0` → `/dev/nvme0n1`.
fn controller_namespace(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let controller = file.strip_prefix("nvme").is_some_and(is_digits);
    if controller { format!("{name}n1") } else { name.to_string() }
}

fn take_namespace(namespace: &nvme_list::Namespace, part: &Part, system: &mut System) {
    let Some(path) = &namespace.path else { return };
    let known = drive(system, &path.value, namespace.serial.as_ref().map(At::text));
    fill(&mut known.model, part.found(&namespace.model));
    fill(&mut known.serial, part.found(&namespace.serial));
    fill(&mut known.size, part.found(&namespace.size));
    fill(&mut known.logical_sector, part.found(&namespace.sector));
    fill(&mut known.transport, Some(Found::new("nvme".to_string(), part.place(path.line))));
}
