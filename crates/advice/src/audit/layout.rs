//! How the data vdevs are put together.

use super::{Finding, Id, Severity};
use crate::system::{Pool, System, Vdev, models};
use crate::words::size;
use facts::zpool_status::{Class, VdevKind};
use std::collections::BTreeSet;

fn data_vdevs(system: &System) -> impl Iterator<Item = (&Pool, &Vdev)> {
    system
        .pools
        .iter()
        .flat_map(|pool| pool.of(Class::Normal).map(move |vdev| (pool, vdev)))
}

/// Data on a drive without a second copy.
pub fn stripe(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let bare: Vec<_> = pool
                .of(Class::Normal)
                .filter(|vdev| vdev.survives() == 0)
                .collect();
            let first = bare.first()?;
            // A mixture is a pitfall of its own.
            let all = pool.of(Class::Normal).count() == bare.len();
            // A RAID card or array below may be redundant; then the card's rules speak.
            let below = first
                .leaves
                .iter()
                .any(|leaf| models::card_volume(system.model(leaf)));
            (all && !below).then(|| {
                let finding = Finding::new(Id::LayoutStripe, Severity::Error, &pool.name)
                    .with("drives", bare.len())
                    .because(&first.at, first.name.clone());
                // Each of them: a mirror beside bare drives would be no safer.
                let drives = bare.iter().flat_map(|vdev| vdev.leaves.first());
                drives.fold(finding, |finding, leaf| {
                    finding.attach(&pool.name, &leaf.name, 1)
                })
            })
        })
        .collect()
}

/// Data vdevs of unequal redundancy.
pub fn mixed(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let weakest = pool.of(Class::Normal).min_by_key(|vdev| vdev.survives())?;
            let strongest = pool.of(Class::Normal).max_by_key(|vdev| vdev.survives())?;
            (weakest.survives() < strongest.survives()).then(|| {
                let bare = weakest.survives() == 0;
                let severity = if bare {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let finding = Finding::new(Id::LayoutMixed, severity, &pool.name)
                    .with("weakest", &weakest.name)
                    .with("survives", weakest.survives())
                    .with("strongest", &strongest.name)
                    .because(&weakest.at, weakest.name.clone())
                    .because(&strongest.at, strongest.name.clone());
                match weakest.leaves.first() {
                    Some(leaf) if weakest.parity().is_none() => {
                        let missing = strongest.survives() - weakest.survives();
                        finding.attach(&pool.name, &leaf.name, missing)
                    }
                    _ => finding.run(&["zfs", "send", "-R", &format!("{}@ALL", pool.name)]),
                }
            })
        })
        .collect()
}

/// raidz vdevs of unequal width.
pub fn uneven(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let raidz = || {
                pool.of(Class::Normal)
                    .filter(|v| matches!(v.kind, VdevKind::Raidz { .. }))
            };
            let widths: BTreeSet<usize> = raidz().map(|vdev| vdev.leaves.len()).collect();
            let narrow = raidz().min_by_key(|vdev| vdev.leaves.len())?;
            (widths.len() > 1).then(|| {
                let words: Vec<String> = widths.iter().map(ToString::to_string).collect();
                Finding::new(Id::LayoutUneven, Severity::Note, &pool.name)
                    .with("widths", words.join(", "))
                    .because(&narrow.at, narrow.name.clone())
                    .run(&[
                        "zpool",
                        "attach",
                        &pool.name,
                        &narrow.name,
                        "ONE-MORE-DRIVE",
                    ])
            })
        })
        .collect()
}

/// Drives of unequal size in one vdev.
pub fn unequal_drives(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .flat_map(|pool| pool.vdevs.iter().map(move |vdev| (pool, vdev)))
        .filter(|(_, vdev)| {
            vdev.leaves.len() > 1 && !matches!(vdev.class, Class::Spare | Class::Cache)
        })
        .filter_map(|(pool, vdev)| {
            let sizes: Vec<(u64, &crate::system::Leaf)> = vdev
                .leaves
                .iter()
                .filter_map(|leaf| Some((system.capacity(leaf)?, leaf)))
                .collect();
            let (least, small) = sizes.iter().min_by_key(|(bytes, _)| *bytes)?;
            let (most, _) = sizes.iter().max_by_key(|(bytes, _)| *bytes)?;
            // Drives of one label size differ by a percent between makers.
            (most - least > least / 50).then(|| {
                let lost: u64 = sizes.iter().map(|(bytes, _)| bytes - least).sum();
                Finding::new(Id::LayoutUnequalDrives, Severity::Warning, &vdev.name)
                    .with("pool", &pool.name)
                    .with("least", size(*least))
                    .with("lost", size(lost))
                    .because(&small.at, format!("{}: {}", small.name, size(*least)))
                    .run(&["zpool", "replace", &pool.name, &small.name, "LARGER-DRIVE"])
            })
        })
        .collect()
}

/// A raidz vdev wider than is comfortable to resilver.
pub fn wide(system: &System) -> Vec<Finding> {
    data_vdevs(system)
        .filter(|(_, vdev)| matches!(vdev.kind, VdevKind::Raidz { .. }) && vdev.leaves.len() > 14)
        .map(|(pool, vdev)| {
            Finding::new(Id::LayoutWide, Severity::Warning, &vdev.name)
                .with("pool", &pool.name)
                .with("width", vdev.leaves.len())
                .because(&vdev.at, vdev.name.clone())
                .run(&[
                    "poolwright",
                    "plan",
                    "--drives",
                    &format!("{}xDRIVE", vdev.leaves.len()),
                ])
        })
        .collect()
}

/// Single parity over large rotating drives.
pub fn single_parity(system: &System) -> Vec<Finding> {
    data_vdevs(system)
        .filter(|(_, vdev)| vdev.parity() == Some(1))
        .filter_map(|(pool, vdev)| {
            let leaf = vdev.leaves.iter().find(|leaf| {
                system.rotates(leaf) == Some(true)
                    && system
                        .capacity(leaf)
                        .is_some_and(|bytes| bytes >= 3_900_000_000_000)
            })?;
            let bytes = system.capacity(leaf)?;
            let finding = Finding::new(Id::LayoutSingleParity, Severity::Warning, &vdev.name)
                .with("pool", &pool.name)
                .with("size", size(bytes))
                // At the 180 MiB/s that a 7200 rpm disk averages over its whole surface.
                .with(
                    "hours",
                    format!("{:.0}", bytes as f64 / (180.0 * 1048576.0) / 3600.0),
                )
                .because(&vdev.at, vdev.name.clone())
                .run(&["zpool", "add", &pool.name, "spare", "DRIVE"]);
            Some(finding)
        })
        .collect()
}

/// A database on raidz or dRAID.
pub fn database(system: &System) -> Vec<Finding> {
    system
        .databases()
        .into_iter()
        .filter_map(|database| {
            let pool = system.pool(database.dataset.pool())?;
            let vdev = pool
                .of(Class::Normal)
                .find(|vdev| vdev.parity().is_some())?;
            let finding = Finding::new(
                Id::LayoutDatabase,
                Severity::Warning,
                &database.dataset.name,
            )
            .with("vdev", &vdev.name)
            .with("engine", database.engine.name())
            .because(&vdev.at, vdev.name.clone())
            .because(&database.dataset.place(), database.dataset.name.clone())
            .run(&[
                "zpool", "create", "NEW-POOL", "mirror", "DRIVE-1", "DRIVE-2", "mirror", "DRIVE-3",
                "DRIVE-4",
            ]);
            Some(finding)
        })
        .collect()
}

/// A dRAID without distributed spares.
pub fn draid_spares(system: &System) -> Vec<Finding> {
    data_vdevs(system)
        .filter(|(_, vdev)| matches!(vdev.kind, VdevKind::Draid { spares: 0, .. }))
        .map(|(pool, vdev)| {
            let (parity, data, children) = match vdev.kind {
                VdevKind::Draid {
                    parity,
                    data,
                    children,
                    ..
                } => (parity, data, children),
                _ => (1, 1, 1),
            };
            Finding::new(Id::DraidSpares, Severity::Note, &vdev.name)
                .with("pool", &pool.name)
                .because(&vdev.at, vdev.name.clone())
                .run(&[
                    "zpool",
                    "create",
                    "NEW-POOL",
                    &format!("draid{parity}:{data}d:{children}c:1s"),
                    "DRIVES",
                ])
        })
        .collect()
}

/// Words that state other data and parity counts than the vdevs have: `6D+2P`, `raidz2 (6+2)`.
pub fn miscounted(system: &System) -> Vec<Finding> {
    let Some((pool, vdev, parity)) = data_vdevs(system).find_map(|(pool, vdev)| match vdev.kind {
        VdevKind::Raidz { parity } => Some((pool, vdev, u64::from(parity))),
        _ => None,
    }) else {
        return Vec::new();
    };
    let has = (vdev.leaves.len() as u64).saturating_sub(parity);
    // Vdevs of several widths make any count ambiguous.
    if data_vdevs(system).any(|(_, other)| other.leaves.len() != vdev.leaves.len()) {
        return Vec::new();
    }
    system
        .remarks
        .iter()
        .find_map(|remark| {
            let (data, stated) = counts(&remark.value)?;
            (stated == parity && data != has).then(|| {
                vec![
                    Finding::new(Id::LayoutMiscounted, Severity::Warning, &vdev.name)
                        .with("pool", &pool.name)
                        .with("said", format!("{data}+{stated}"))
                        .with("has", format!("{has}+{parity}"))
                        .with("drives", data + stated)
                        .because(
                            &remark.at,
                            remark.value.trim().chars().take(80).collect::<String>(),
                        )
                        .because(&vdev.at, vdev.name.clone())
                        .run(&[
                            "poolwright",
                            "plan",
                            "--drives",
                            &format!("{}xDRIVE", data + stated),
                        ]),
                ]
            })
        })
        .unwrap_or_default()
}

/// `6D+2P`, `6d + 2p`, or `6+2` on a line that speaks of raidz.
fn counts(text: &str) -> Option<(u64, u64)> {
    let lower = text.to_ascii_lowercase();
    for (plus, _) in lower.match_indices('+') {
        let left = lower[..plus].trim_end();
        let right = lower[plus + 1..].trim_start();
        let marked = left
            .strip_suffix('d')
            .is_some_and(|l| l.ends_with(|c: char| c.is_ascii_digit()));
        let left = if marked {
            &left[..left.len() - 1]
        } else {
            left
        };
        let digits = left.bytes().rev().take_while(u8::is_ascii_digit).count();
        let after = right.bytes().take_while(u8::is_ascii_digit).count();
        let (Ok(data), Ok(parity)) = (
            left[left.len() - digits..].parse::<u64>(),
            right[..after].parse::<u64>(),
        ) else {
            continue;
        };
        let letter = right[after..].starts_with('p');
        let bounded = !right[after..].starts_with(|c: char| c.is_ascii_alphanumeric() && c != 'p');
        let said = (marked && letter) || (lower.contains("raidz") && bounded && !marked);
        if said && (1..=3).contains(&parity) && (1..=255).contains(&data) {
            return Some((data, parity));
        }
    }
    None
}

/// Leaves named by kernel names, which change between boots.
pub fn unstable_names(system: &System) -> Vec<Finding> {
    if system.planned {
        return Vec::new();
    }
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let leaf = pool
                .vdevs
                .iter()
                .flat_map(|vdev| &vdev.leaves)
                .find(|leaf| {
                    let base = crate::system::base(&leaf.name);
                    let letters = base.strip_prefix("sd").or_else(|| base.strip_prefix("vd"));
                    letters.is_some_and(|l| {
                        (1..=3).contains(&l.len()) && l.chars().all(|c| c.is_ascii_lowercase())
                    }) || (base.starts_with("nvme") && base.ends_with("n1") && base.len() <= 9)
                })?;
            let finding = Finding::new(Id::LayoutUnstableNames, Severity::Note, &pool.name)
                .with("drive", &leaf.name)
                .because(&leaf.at, leaf.name.clone())
                .run(&["zpool", "export", &pool.name])
                .run(&["zpool", "import", "-d", "/dev/disk/by-id", &pool.name]);
            Some(finding)
        })
        .collect()
}

/// Two members of one vdev on the same drive.
pub fn same_drive(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .flat_map(|pool| pool.vdevs.iter().map(move |vdev| (pool, vdev)))
        .filter(|(_, vdev)| vdev.kind != VdevKind::Disk)
        .filter_map(|(pool, vdev)| {
            vdev.leaves.iter().enumerate().find_map(|(index, leaf)| {
                let base = crate::system::base(&leaf.name);
                let other = vdev.leaves[..index].iter().find(|other| {
                    other.name != leaf.name && crate::system::base(&other.name) == base
                })?;
                let finding = Finding::new(Id::LayoutSameDrive, Severity::Error, &vdev.name)
                    .with("pool", &pool.name)
                    .with("one", &other.name)
                    .with("two", &leaf.name)
                    .because(&other.at, other.name.clone())
                    .because(&leaf.at, leaf.name.clone())
                    .run(&["zpool", "replace", &pool.name, &leaf.name, "ANOTHER-DRIVE"]);
                Some(finding)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        assert_eq!(counts("2 个 raidz2 vdev(6D+2P)"), Some((6, 2)));
        assert_eq!(counts("# two raidz2 (6+2)"), Some((6, 2)));
        assert_eq!(counts("3 + 4 = 7"), None);
        assert_eq!(counts("raidz2 + special"), None);
        assert_eq!(counts("18446744073709551616D+2P"), None);
    }
}
