//! `ashift` against the drives' sectors.

use super::{Finding, Id, Severity};
use crate::system::{Leaf, Pool, System, models};
use crate::words::size;
use facts::zpool_status::Class;

fn ashift(pool: &Pool) -> Option<(u32, &crate::system::Property)> {
    let property = pool.get("ashift")?;
    Some((property.value.parse().ok()?, property))
}

fn data(pool: &Pool) -> impl Iterator<Item = &Leaf> {
    pool.vdevs
        .iter()
        .filter(|vdev| vdev.class != Class::Spare)
        .flat_map(|vdev| &vdev.leaves)
}

/// A sector smaller than the drive's physical one.
pub fn too_small(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (shift, property) = ashift(pool).filter(|(shift, _)| (1..=16).contains(shift))?;
            let (leaf, sector) = data(pool)
                .filter_map(|leaf| Some((leaf, system.drive(leaf)?.physical_sector.as_ref()?)))
                .max_by_key(|(_, sector)| sector.value)?;
            (1u64 << shift < sector.value).then(|| {
                Finding::new(Id::AshiftTooSmall, Severity::Error, &pool.name)
                    .with("ashift", shift)
                    .with("sector", size(sector.value))
                    .with("right", sector.value.ilog2())
                    .property("ashift", property)
                    .because(
                        &sector.at,
                        format!("{}: physical sector {}", leaf.name, sector.value),
                    )
                    .run(&[
                        "zpool",
                        "create",
                        "-o",
                        &format!("ashift={}", sector.value.ilog2()),
                        "NEW-POOL",
                        "VDEVS",
                    ])
            })
        })
        .collect()
}

/// `ashift=9` where the drives' sectors are not known: hardly any drive sold since 2011 has 512.
pub fn nine(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (_, property) = ashift(pool).filter(|(shift, _)| *shift == 9)?;
            let known = data(pool).any(|leaf| {
                system.drive(leaf).is_some_and(|drive| {
                    drive.physical_sector.as_ref().is_some_and(|s| {
                        s.value > 512 || drive.rotational.as_ref().is_some_and(|r| r.value)
                    })
                })
            });
            (!known).then(|| {
                Finding::new(Id::AshiftNine, Severity::Warning, &pool.name)
                    .property("ashift", property)
                    .run(&["zpool", "create", "-o", "ashift=12", "NEW-POOL", "VDEVS"])
            })
        })
        .collect()
}

/// `ashift` left to SSDs that claim 512-byte sectors.
pub fn believed(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let shift = ashift(pool);
            // `ashift` 0 is "ask the drives", and so is a plan that does not state it.
            let asks = match shift {
                Some((shift, _)) => shift == 0,
                None => system.planned,
            };
            if !asks {
                return None;
            }
            let (leaf, sector) = data(pool).find_map(|leaf| {
                let drive = system.drive(leaf)?;
                let flash =
                    system.rotates(leaf) == Some(false) || models::flash(system.model(leaf));
                let sector = drive.physical_sector.as_ref()?;
                (flash && sector.value == 512).then_some((leaf, sector))
            })?;
            let finding = Finding::new(Id::AshiftBelieved, Severity::Warning, &pool.name)
                .with("drive", &leaf.name)
                .because(&sector.at, format!("{}: physical sector 512", leaf.name))
                .run(&["zpool", "create", "-o", "ashift=12", "POOL", "VDEVS"]);
            Some(finding)
        })
        .collect()
}

/// A block of one or two sectors, which compression cannot make smaller or only by half.
pub fn no_room(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            Some((
                pool,
                ashift(pool).filter(|(shift, _)| (9..=14).contains(shift))?,
            ))
        })
        .flat_map(|(pool, (shift, property))| {
            system.in_pool(&pool.name).filter_map(move |dataset| {
                let block = system.intended_block(dataset)?;
                let (name, _, block_property) = dataset.block()?;
                (block > 0 && block <= 1 << shift).then(|| {
                    Finding::new(Id::CompressionNoRoom, Severity::Note, &dataset.name)
                        .with("block", size(block))
                        .with("sector", size(1 << shift))
                        .property("ashift", property)
                        .property(name, block_property)
                        .set(&dataset.name, "recordsize", size(2 << shift))
                })
            })
        })
        .map(|mut finding| {
            if finding
                .evidence
                .iter()
                .any(|e| e.text.starts_with("volblocksize"))
            {
                // A volume's block size is fixed when it is made.
                finding.changes.clear();
                finding.steps = vec![super::Step::Run(
                    [
                        "zfs",
                        "create",
                        "-V",
                        "SIZE",
                        "-o",
                        "volblocksize=16K",
                        "NEW-VOLUME",
                    ]
                    .map(String::from)
                    .to_vec(),
                )];
            }
            finding
        })
        .collect()
}
