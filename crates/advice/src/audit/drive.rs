//! Drives: what they are, how they are, how Linux treats them.

use super::{Change, Finding, Id, Severity};
use crate::system::{Drive, Leaf, Place, Pool, System, models};
use crate::words::size;

/// Each leaf of each pool with its drive.
fn members(system: &System) -> impl Iterator<Item = (&Pool, &Leaf, &Drive)> {
    system
        .pools
        .iter()
        .flat_map(|pool| {
            pool.vdevs
                .iter()
                .flat_map(move |v| v.leaves.iter().map(move |l| (pool, l)))
        })
        .filter_map(|(pool, leaf)| Some((pool, leaf, system.drive(leaf)?)))
}

/// Where a drive is spoken of.
fn place(drive: &Drive) -> Place {
    let model = drive.model.as_ref().map(|m| m.at.clone());
    let smart = || {
        drive.smart.as_ref().map(|(file, s)| Place {
            file: file.clone(),
            line: s.line,
        })
    };
    model.or_else(smart).unwrap_or(Place {
        file: drive.name.clone(),
        line: 0,
    })
}

/// A shingled disk in a pool.
pub fn shingled(system: &System) -> Vec<Finding> {
    members(system)
        .filter(|(_, leaf, drive)| {
            let zoned = drive.smart.as_ref().and_then(|(_, s)| s.zoned.as_ref());
            models::shingled(system.model(leaf))
                || zoned.is_some_and(|z| !z.value.to_lowercase().contains("not"))
        })
        .map(|(pool, leaf, drive)| {
            Finding::new(Id::DriveShingled, Severity::Warning, &leaf.name)
                .with("pool", &pool.name)
                .with("model", system.model(leaf))
                .because(&place(drive), system.model(leaf))
                .run(&[
                    "zpool",
                    "replace",
                    &pool.name,
                    &leaf.name,
                    "CONVENTIONAL-DRIVE",
                ])
        })
        .collect()
}

/// A drive whose own report is bad.
pub fn failing(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let (file, smart) = drive.smart.as_ref()?;
            let at = |line| Place {
                file: file.clone(),
                line,
            };
            let sectors = |id: u64| {
                smart
                    .attribute(id)
                    .and_then(|a| Some((a.line, a.name.clone(), a.raw?)))
            };
            let bad = smart
                .passed
                .as_ref()
                .filter(|passed| !passed.value)
                .map(|passed| (at(passed.line), "overall health: failed".to_string()))
                .or_else(|| {
                    // 197: sectors waiting to be reallocated; 198: sectors that cannot be read.
                    [197, 198]
                        .into_iter()
                        .filter_map(sectors)
                        .find(|(_, _, raw)| *raw > 0)
                        .map(|(line, name, raw)| (at(line), format!("{name} {raw}")))
                })
                .or_else(|| {
                    smart
                        .media_errors
                        .as_ref()
                        .filter(|errors| errors.value > 0)
                        .map(|errors| (at(errors.line), format!("media errors {}", errors.value)))
                })?;
            let finding = Finding::new(Id::DriveFailing, Severity::Error, &drive.name)
                .with("what", &bad.1)
                .because(&bad.0, bad.1.clone())
                .run(&["smartctl", "-t", "long", &format!("/dev/{}", drive.name)]);
            Some(finding)
        })
        .collect()
}

/// An SSD near the end of its rated life.
pub fn worn(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let (file, smart) = drive.smart.as_ref()?;
            let used = smart
                .endurance_used
                .as_ref()
                .filter(|used| used.value >= 80);
            let spare = smart.spare.as_ref().zip(smart.spare_threshold.as_ref());
            let low = spare.filter(|(spare, threshold)| spare.value <= threshold.value);
            let (line, text) = match (used, low) {
                (Some(used), _) => (used.line, format!("percentage used {} %", used.value)),
                (None, Some((spare, _))) => {
                    (spare.line, format!("available spare {} %", spare.value))
                }
                (None, None) => return None,
            };
            let finding = Finding::new(Id::DriveWorn, Severity::Warning, &drive.name)
                .with("what", &text)
                .because(
                    &Place {
                        file: file.clone(),
                        line,
                    },
                    text,
                )
                .run(&["smartctl", "-x", &format!("/dev/{}", drive.name)]);
            Some(finding)
        })
        .collect()
}

/// Errors on the cable.
pub fn cable(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let (file, smart) = drive.smart.as_ref()?;
            let crc = smart.attribute(199)?;
            let count = crc.raw.filter(|raw| *raw > 0)?;
            let at = Place {
                file: file.clone(),
                line: crc.line,
            };
            let finding = Finding::new(Id::DriveCable, Severity::Note, &drive.name)
                .with("count", count)
                .because(&at, format!("{} {count}", crc.name))
                .run(&["smartctl", "-x", &format!("/dev/{}", drive.name)]);
            Some(finding)
        })
        .collect()
}

/// A pool on USB.
pub fn usb(system: &System) -> Vec<Finding> {
    members(system)
        .filter_map(|(pool, leaf, drive)| {
            let transport = drive.transport.as_ref().filter(|t| t.value == "usb")?;
            let finding = Finding::new(Id::DriveUsb, Severity::Warning, &leaf.name)
                .with("pool", &pool.name)
                .because(&transport.at, format!("{}: usb", leaf.name))
                .run(&["zpool", "replace", &pool.name, &leaf.name, "INTERNAL-DRIVE"]);
            Some(finding)
        })
        .collect()
}

/// A RAID card's volume in a pool.
pub fn card_volume(system: &System) -> Vec<Finding> {
    members(system)
        .filter(|(_, leaf, _)| models::card_volume(system.model(leaf)))
        .map(|(pool, leaf, drive)| {
            Finding::new(Id::DriveCardVolume, Severity::Warning, &leaf.name)
                .with("pool", &pool.name)
                .with("model", system.model(leaf))
                .because(&place(drive), system.model(leaf))
                .run(&["poolwright", "tune", "generic", "--pool", "FILE"])
        })
        .collect()
}

/// A scheduler in front of an SSD.
pub fn scheduler(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let scheduler = drive
                .scheduler
                .as_ref()
                .filter(|s| s.value != "none" && s.value != "noop")?;
            let leaf = Leaf {
                name: drive.name.clone(),
                at: scheduler.at.clone(),
            };
            let flash = system.rotates(&leaf) == Some(false);
            let pooled = members(system).any(|(_, _, member)| member.name == drive.name);
            if !flash && !pooled {
                return None;
            }
            let stable = drive
                .wwn
                .clone()
                .or_else(|| drive.serial.as_ref().map(|s| s.value.clone()));
            let finding = Finding::new(Id::DriveScheduler, Severity::Note, &drive.name)
                .with("scheduler", &scheduler.value)
                .because(
                    &scheduler.at,
                    format!("{}: {}", drive.name, scheduler.value),
                )
                .change(Change::Scheduler {
                    drive: drive.name.clone(),
                    stable,
                });
            Some(finding)
        })
        .collect()
}

/// An SSD that Linux takes for a disk.
pub fn rotational(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let model = drive.model.as_ref().filter(|m| models::flash(&m.value))?;
            let rotational = drive.rotational.as_ref().filter(|r| r.value)?;
            let finding = Finding::new(Id::DriveRotational, Severity::Warning, &drive.name)
                .with("model", &model.value)
                .because(&rotational.at, format!("{}: rotational 1", drive.name))
                .because(&model.at, model.value.clone())
                .run(&[
                    "lsblk",
                    "-o",
                    "NAME,MODEL,ROTA",
                    &format!("/dev/{}", drive.name),
                ]);
            Some(finding)
        })
        .collect()
}

/// The kernel is told that a volatile cache needs no flush.
pub fn cache_hidden(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let flushed = drive.flushed.as_ref().filter(|f| !f.value)?;
            let leaf = Leaf {
                name: drive.name.clone(),
                at: flushed.at.clone(),
            };
            let volatile = drive
                .smart
                .as_ref()
                .and_then(|(_, s)| s.write_cache.as_ref())
                .is_some_and(|cache| cache.value)
                || system.protected(&leaf) == Some(false);
            volatile.then(|| {
                Finding::new(Id::DriveCacheHidden, Severity::Error, &drive.name)
                    .because(
                        &flushed.at,
                        format!("{}: write_cache write through", drive.name),
                    )
                    .line(
                        &format!("/sys/block/{}/queue/write_cache", drive.name),
                        "write back",
                    )
            })
        })
        .collect()
}

/// Read-ahead by the block layer in front of an SSD that is no pool member.
pub fn read_ahead(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter_map(|drive| {
            let ahead = drive
                .read_ahead_kib
                .as_ref()
                .filter(|ahead| ahead.value > 128)?;
            let leaf = Leaf {
                name: drive.name.clone(),
                at: ahead.at.clone(),
            };
            let pooled = members(system).any(|(_, _, member)| member.name == drive.name)
                || drive.signature.as_deref() == Some("zfs_member");
            (system.rotates(&leaf) == Some(false) && !pooled).then(|| {
                Finding::new(Id::DriveReadAhead, Severity::Note, &drive.name)
                    .with("kib", ahead.value)
                    .because(
                        &ahead.at,
                        format!("{}: read_ahead_kb {}", drive.name, ahead.value),
                    )
                    .run(&["blockdev", "--setra", "16", &format!("/dev/{}", drive.name)])
            })
        })
        .collect()
}

/// Swap on a volume of a pool.
pub fn swap_on_volume(system: &System) -> Vec<Finding> {
    system
        .drives
        .iter()
        .filter(|drive| {
            drive
                .name
                .strip_prefix("zd")
                .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
        })
        .filter_map(|drive| {
            let swap = drive.mounts.iter().find(|mount| mount.value == "[SWAP]")?;
            let finding = Finding::new(Id::SwapOnVolume, Severity::Warning, &drive.name)
                .because(&swap.at, format!("{}: [SWAP]", drive.name))
                .run(&["swapoff", &format!("/dev/{}", drive.name)]);
            Some(finding)
        })
        .collect()
}

/// Drives of different physical sectors in one vdev.
pub fn mixed_sectors(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .flat_map(|pool| pool.vdevs.iter().map(move |vdev| (pool, vdev)))
        .filter_map(|(pool, vdev)| {
            let mut sectors = vdev
                .leaves
                .iter()
                .filter_map(|leaf| Some((leaf, system.drive(leaf)?.physical_sector.as_ref()?)));
            let (first, one) = sectors.next()?;
            let (other, two) = sectors.find(|(_, sector)| sector.value != one.value)?;
            let finding = Finding::new(Id::DriveMixedSectors, Severity::Warning, &vdev.name)
                .with("pool", &pool.name)
                .with("one", size(one.value))
                .with("two", size(two.value))
                .because(&one.at, format!("{}: {}", first.name, one.value))
                .because(&two.at, format!("{}: {}", other.name, two.value))
                .run(&["zpool", "create", "-o", "ashift=12", "NEW-POOL", "VDEVS"]);
            Some(finding)
        })
        .collect()
}
