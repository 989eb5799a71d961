//! Facts of one text, merged into a [`System`].

use super::gather::Within;
use super::{CardReport, Dataset, Drive, Found, Leaf, Pool, PostgresFile, Property, System, Vdev};
use crate::raid_card::CardTool;
use facts::zpool_status::{self, VdevKind};
use facts::{At, Facts, Format, lsblk, nvme_list, properties, smartctl};
use zfs::Layout;

/// Adds the facts of a text to a system.
pub(super) fn merge(format: Format, facts: Facts, within: &Within, system: &mut System) {
    match facts {
        Facts::Pools(pools) => {
            for status in pools {
                take_status(status, within, system);
            }
        }
        Facts::Properties(rows) => take_properties(&rows, within, system),
        Facts::BlockDevices(devices) => {
            for device in &devices {
                take_device(device, within, system);
            }
        }
        Facts::Drives(drives) => {
            for drive in drives {
                take_smart(drive, within, system);
            }
        }
        Facts::Namespaces(namespaces) => {
            for namespace in &namespaces {
                take_namespace(namespace, within, system);
            }
        }
        Facts::Cards(cards) => {
            let tool = match format {
                Format::Arcconf => CardTool::Arcconf,
                Format::Ssacli => CardTool::Ssacli,
                _ => CardTool::Storcli,
            };
            system.cards.extend(cards.into_iter().map(|card| {
                let dell = card.model.as_ref().is_some_and(|model| model.value.contains("PERC"));
                let tool = if dell && tool == CardTool::Storcli { CardTool::Perccli } else { tool };
                CardReport { origin: within.origin(), tool, card }
            }));
        }
        Facts::Postgresql(settings) => system.postgresql.push(PostgresFile {
            origin: within.origin(),
            name: within.name.to_string(),
            at: within.beginning(),
            cluster: 0,
            settings,
        }),
        // The files that my.cnf includes are read after it and win.
        Facts::MyCnf(options) => system.mysql.push((within.origin(), options)),
        Facts::Module(options) => {
            for row in options.into_iter().filter(|row| row.module == "zfs") {
                let found = Found::new(row.value.value, within.place(row.value.line));
                system.module.insert(row.name, found);
            }
        }
        Facts::Queues(queues) => {
            for queue in queues {
                let drive = drive(system, &queue.device, None);
                drive.scheduler = within.found(&queue.scheduler());
                drive.read_ahead_kib = within.found(&queue.number("read_ahead_kb"));
                drive.flushed = within.found(&queue.volatile_cache());
                if drive.rotational.is_none() {
                    drive.rotational = within.found(&queue.rotational());
                }
            }
        }
    }
}

/// The drive of that kernel name or serial number, made where it is new.
fn drive<'a>(system: &'a mut System, name: &str, serial: Option<&str>) -> &'a mut Drive {
    let name = name.rsplit('/').next().unwrap_or(name);
    let known = system.drives.iter().position(|drive| {
        drive.name == name
            || serial.is_some_and(|s| drive.serial.as_ref().is_some_and(|known| known.value == s))
    });
    let index = known.unwrap_or_else(|| {
        system.drives.push(Drive { name: name.to_string(), ..Drive::default() });
        system.drives.len() - 1
    });
    &mut system.drives[index]
}

/// Keeps known values and adds new ones.
fn fill<T>(into: &mut Option<T>, new: Option<T>) {
    if into.is_none() {
        *into = new;
    }
}

fn pool<'a>(system: &'a mut System, name: &str) -> &'a mut Pool {
    let index = system.pools.iter().position(|pool| pool.name == name).unwrap_or_else(|| {
        system.pools.push(Pool { name: name.to_string(), ..Pool::default() });
        system.pools.len() - 1
    });
    &mut system.pools[index]
}

fn take_status(status: zpool_status::Pool, within: &Within, system: &mut System) {
    let top = |vdev: &zpool_status::Vdev| {
        let layout = vdev.kind.layout()?;
        let leaves: Vec<Leaf> = members(vdev)
            .into_iter()
            .map(|leaf| Leaf { name: leaf.name.clone(), at: within.place(leaf.line) })
            .collect();
        let single = leaves.first().filter(|_| layout == Layout::Single);
        let name = single.map_or(&vdev.name, |leaf| &leaf.name).clone();
        Some(Vdev { name, class: vdev.class, layout, leaves, at: within.place(vdev.line) })
    };
    let vdevs = status.vdevs.iter().filter_map(top).collect();
    let pool = pool(system, &status.name.value);
    pool.vdevs = vdevs;
    pool.status = Some((within.origin(), status));
}

/// The drives of a vdev; of a replacement or a spare in use, the first stands for its place.
fn members(vdev: &zpool_status::Vdev) -> Vec<&zpool_status::Vdev> {
    if matches!(vdev.kind, VdevKind::Replacing | VdevKind::Spare) {
        return vdev.leaves().into_iter().take(1).collect();
    }
    if vdev.children.is_empty() {
        return vec![vdev];
    }
    vdev.children.iter().flat_map(members).collect()
}

fn take_properties(rows: &[properties::Property], within: &Within, system: &mut System) {
    for row in rows {
        let property = Property {
            value: row.value.value.clone(),
            local: matches!(row.source, properties::Source::Local | properties::Source::Received),
            at: within.place(row.value.line),
        };
        if row.owner == properties::Owner::Pool {
            pool(system, &row.target).properties.insert(row.name.clone(), property);
        } else if !row.target.contains(['@', '#']) {
            let known = system.datasets.iter().position(|d| d.name == row.target);
            let index = known.unwrap_or_else(|| {
                system.datasets.push(Dataset { name: row.target.clone(), ..Dataset::default() });
                system.datasets.len() - 1
            });
            system.datasets[index].properties.insert(row.name.clone(), property);
        }
    }
}

fn take_device(device: &lsblk::Device, within: &Within, system: &mut System) {
    let mut mounts = Vec::new();
    collect_mounts(device, within, &mut mounts);
    let known = drive(system, &device.name, device.serial.as_ref().map(At::text));
    fill(&mut known.model, within.found(&device.model));
    fill(&mut known.serial, within.found(&device.serial));
    fill(&mut known.wwn, device.wwn.as_ref().map(|w| w.value.clone()));
    fill(&mut known.size, within.found(&device.size));
    fill(&mut known.rotational, within.found(&device.rotational));
    fill(&mut known.logical_sector, within.found(&device.logical_sector));
    fill(&mut known.physical_sector, within.found(&device.physical_sector));
    fill(&mut known.transport, within.found(&device.transport));
    fill(&mut known.scheduler, within.found(&device.scheduler));
    fill(&mut known.read_ahead_kib, within.found(&device.read_ahead_kib));
    let signature = device
        .signature
        .as_ref()
        .or_else(|| device.children.iter().find_map(|child| child.signature.as_ref()));
    fill(&mut known.signature, signature.map(|s| s.value.clone()));
    known.mounts.append(&mut mounts);
    known.listed = true;
    collect_parts(device, &mut known.parts);
}

fn collect_mounts(device: &lsblk::Device, within: &Within, into: &mut Vec<Found<String>>) {
    into.extend(device.mounts.iter().map(|m| Found::new(m.value.clone(), within.place(m.line))));
    for child in &device.children {
        collect_mounts(child, within, into);
    }
}

fn collect_parts(device: &lsblk::Device, into: &mut Vec<(String, Option<u64>)>) {
    for child in &device.children {
        let size = child.size.as_ref().map(|size| size.value);
        let others = [&child.part_uuid, &child.part_label].into_iter().flatten();
        let names = std::iter::once(&child.name).chain(others.map(|name| &name.value));
        into.extend(names.map(|name| (name.clone(), size)));
        collect_parts(child, into);
    }
}

fn take_smart(report: smartctl::Drive, within: &Within, system: &mut System) {
    let name = report.device.as_ref().map_or("", |d| d.value.as_str()).to_string();
    // smartctl names the controller (`/dev/nvme0`), the pool its first namespace.
    let name = controller_namespace(&name);
    let known = drive(system, &name, report.serial.as_ref().map(At::text));
    fill(&mut known.model, within.found(&report.model));
    fill(&mut known.serial, within.found(&report.serial));
    fill(&mut known.size, within.found(&report.size));
    fill(&mut known.logical_sector, within.found(&report.logical_sector));
    fill(&mut known.physical_sector, within.found(&report.physical_sector));
    let rotates = report.rpm.as_ref().map(|rpm| rpm.map(|rpm| rpm > 0));
    fill(&mut known.rotational, within.found(&rotates));
    known.smart = Some((within.origin(), report));
}

/// `/dev/nvme0` → `/dev/nvme0n1`.
fn controller_namespace(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    match file.strip_prefix("nvme") {
        Some(number) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => {
            format!("{name}n1")
        }
        _ => name.to_string(),
    }
}

fn take_namespace(namespace: &nvme_list::Namespace, within: &Within, system: &mut System) {
    let Some(path) = &namespace.path else { return };
    let known = drive(system, &path.value, namespace.serial.as_ref().map(At::text));
    fill(&mut known.model, within.found(&namespace.model));
    fill(&mut known.serial, within.found(&namespace.serial));
    fill(&mut known.size, within.found(&namespace.size));
    fill(&mut known.logical_sector, within.found(&namespace.sector));
    fill(&mut known.transport, Some(Found::new("nvme".to_string(), within.place(path.line))));
}
