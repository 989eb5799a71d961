//! Special and dedup vdevs.

use super::{Finding, Id, Severity};
use crate::system::{Pool, System};
use crate::words::size;
use facts::zpool_status::{Class, VdevKind};

fn special(system: &System) -> impl Iterator<Item = &Pool> {
    system.pools.iter().filter(|pool| pool.has(Class::Special))
}

/// Failures that the data of a pool survives whichever they are.
fn data_survives(pool: &Pool) -> u32 {
    let normal = pool.of(Class::Normal).map(|vdev| vdev.survives());
    normal.min().unwrap_or(0)
}

fn single(system: &System, class: Class, id: Id) -> Vec<Finding> {
    system
        .pools
        .iter()
        .flat_map(|pool| {
            pool.of(class)
                .filter(|vdev| vdev.kind == VdevKind::Disk)
                .map(|vdev| {
                    let finding = Finding::new(id, Severity::Error, &vdev.name)
                        .with("pool", &pool.name)
                        .because(&vdev.at, vdev.name.clone());
                    finding.attach(&pool.name, &vdev.name, data_survives(pool))
                })
        })
        .collect()
}

/// A special vdev of a single drive.
pub fn unmirrored(system: &System) -> Vec<Finding> {
    single(system, Class::Special, Id::SpecialUnmirrored)
}

/// A dedup vdev of a single drive.
pub fn dedup_unmirrored(system: &System) -> Vec<Finding> {
    single(system, Class::Dedup, Id::DedupVdevUnmirrored)
}

/// A special vdev that survives fewer failures than the data.
pub fn weaker(system: &System) -> Vec<Finding> {
    special(system)
        .flat_map(|pool| {
            let data = data_survives(pool);
            pool.of(Class::Special).filter_map(move |vdev| {
                let survives = vdev.survives();
                let last = vdev.leaves.last()?;
                (survives > 0 && survives < data).then(|| {
                    let finding = Finding::new(Id::SpecialWeaker, Severity::Warning, &vdev.name)
                        .with("pool", &pool.name)
                        .with("survives", survives)
                        .with("data", data)
                        .because(&vdev.at, vdev.name.clone());
                    finding.attach(&pool.name, &last.name, data - survives)
                })
            })
        })
        .collect()
}

/// A special vdev in a pool with raidz or dRAID can never be removed.
pub fn irreversible(system: &System) -> Vec<Finding> {
    special(system)
        .filter_map(|pool| {
            let raidz = pool
                .vdevs
                .iter()
                .find(|vdev| vdev.class == Class::Normal && vdev.parity().is_some())?;
            let vdev = pool.of(Class::Special).next()?;
            let finding = Finding::new(Id::SpecialIrreversible, Severity::Note, &pool.name)
                .with("special", &vdev.name)
                .with("raidz", &raidz.name)
                .because(&vdev.at, vdev.name.clone())
                .because(&raidz.at, raidz.name.clone());
            // In a pool that has it, it is too late for a checkpoint: try the next step elsewhere.
            Some(match pool.status {
                Some(_) => finding.run(&["poolwright", "new", "--from-status", "FILE"]),
                None => finding.run(&["zpool", "checkpoint", &pool.name]),
            })
        })
        .collect()
}

/// A special vdev and no dataset that sends it small blocks: it holds metadata only.
pub fn metadata_only(system: &System) -> Vec<Finding> {
    special(system)
        .filter_map(|pool| {
            let databases: Vec<&str> = system
                .databases()
                .iter()
                .map(|db| db.dataset.name.as_str())
                .collect();
            let known: Vec<_> = system
                .in_pool(&pool.name)
                .filter(|dataset| !databases.contains(&dataset.name.as_str()))
                .filter_map(|dataset| Some((dataset, dataset.get("special_small_blocks")?)))
                .collect();
            let (dataset, property) = known.first()?;
            // Datasets below inherit it, databases too.
            let below = format!("{}/", dataset.name);
            let heirs = system.in_pool(&pool.name).filter(|heir| {
                heir.name == dataset.name
                    || (heir.name.starts_with(&below)
                        && heir.get("special_small_blocks").is_none_or(|p| !p.local))
            });
            let block = heirs
                .filter_map(|heir| system.intended_block(heir))
                .min()
                .filter(|block| *block > 512)?;
            let small = (block / 4).clamp(512, 32768);
            known.iter().all(|(_, p)| p.value == "0").then(|| {
                Finding::new(Id::SpecialMetadataOnly, Severity::Note, &pool.name)
                    .property("special_small_blocks", property)
                    .set(&dataset.name, "special_small_blocks", size(small))
            })
        })
        .collect()
}

/// `special_small_blocks` at or above the record size: all data goes to the special vdev.
pub fn everything(system: &System) -> Vec<Finding> {
    special(system)
        .flat_map(|pool| {
            system.in_pool(&pool.name).filter_map(|dataset| {
                let small = dataset
                    .bytes("special_small_blocks")
                    .filter(|small| *small > 0)?;
                let block = system.intended_block(dataset)?;
                let property = dataset.get("special_small_blocks")?;
                let below = if block > 1024 {
                    size(block / 2)
                } else {
                    "0".to_string()
                };
                (small >= block).then(|| {
                    Finding::new(Id::SpecialEverything, Severity::Warning, &dataset.name)
                        .with("small", size(small))
                        .with("block", size(block))
                        .property("special_small_blocks", property)
                        .set(&dataset.name, "special_small_blocks", below)
                })
            })
        })
        .collect()
}
