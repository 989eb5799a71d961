//! The cache vdev (L2ARC).

use super::{Finding, Id, Severity};
use crate::system::{Pool, System};
use crate::words::size;
use facts::zpool_status::Class;

/// RAM taken by the header of one L2ARC block (`arc_buf_hdr_t` with only its L2 part), bytes.
const HEADER: u64 = 96;

/// Pools with a cache vdev, and the cache's size where it is known.
fn cached(system: &System) -> impl Iterator<Item = (&Pool, Option<u64>)> {
    system
        .pools
        .iter()
        .filter(|pool| pool.has(Class::Cache))
        .map(|pool| {
            let sizes: Option<Vec<u64>> = pool
                .of(Class::Cache)
                .flat_map(|vdev| &vdev.leaves)
                .map(|leaf| {
                    (crate::system::base(&leaf.name) == leaf.name.rsplit('/').next().unwrap_or(""))
                        .then(|| system.capacity(leaf))?
                })
                .collect();
            (
                pool,
                sizes.map(|sizes| sizes.into_iter().fold(0, u64::saturating_add)),
            )
        })
}

fn at_cache(finding: Finding, pool: &Pool) -> Finding {
    match pool.of(Class::Cache).next() {
        Some(vdev) => finding.because(&vdev.at, vdev.name.clone()),
        None => finding,
    }
}

/// Headers of a full L2ARC take more than a tenth of RAM.
pub fn headers(system: &System) -> Vec<Finding> {
    let Some(memory) = &system.memory else {
        return Vec::new();
    };
    cached(system)
        .filter_map(|(pool, bytes)| {
            let bytes = bytes?;
            let block = system
                .in_pool(&pool.name)
                .filter(|dataset| !dataset.is("secondarycache", "none"))
                .filter_map(|dataset| system.intended_block(dataset))
                .min()
                .filter(|block| *block > 0)?;
            let headers = (bytes / block).saturating_mul(HEADER);
            (headers > memory.value / 10).then(|| {
                let finding = Finding::new(Id::CacheHeaders, Severity::Warning, &pool.name)
                    .with("cache", size(bytes))
                    .with("block", size(block))
                    .with("headers", size(headers))
                    .with("memory", size(memory.value))
                    .because(&memory.at, format!("memory {}", size(memory.value)));
                at_cache(finding, pool).run(&["zfs", "set", "secondarycache=metadata", &pool.name])
            })
        })
        .collect()
}

/// An L2ARC smaller than the ARC before it.
pub fn small(system: &System) -> Vec<Finding> {
    let Some(arc) = system.arc_max() else {
        return Vec::new();
    };
    cached(system)
        .filter_map(|(pool, bytes)| {
            let bytes = bytes.filter(|bytes| *bytes < arc)?;
            let finding = Finding::new(Id::CacheSmall, Severity::Warning, &pool.name)
                .with("cache", size(bytes))
                .with("arc", size(arc));
            let name = pool.of(Class::Cache).next()?.name.clone();
            Some(at_cache(finding, pool).run(&["zpool", "remove", &pool.name, &name]))
        })
        .collect()
}

/// `primarycache=metadata` under an L2ARC: data leaves the ARC before the L2ARC is fed.
pub fn starved(system: &System) -> Vec<Finding> {
    cached(system)
        .flat_map(|(pool, _)| {
            system.in_pool(&pool.name).filter_map(|dataset| {
                let primary = dataset
                    .get("primarycache")
                    .filter(|p| p.value == "metadata" || p.value == "none")?;
                // Nobody expects data in an L2ARC that is told to hold none.
                let wants = dataset
                    .get("secondarycache")
                    .is_none_or(|p| p.value == "all");
                wants.then(|| {
                    Finding::new(Id::CacheStarved, Severity::Warning, &dataset.name)
                        .with("pool", &pool.name)
                        .with("value", &primary.value)
                        .property("primarycache", primary)
                        .set(&dataset.name, "primarycache", "all")
                })
            })
        })
        .collect()
}

/// An L2ARC that takes most of a day to fill at its feed rate.
pub fn slow_to_fill(system: &System) -> Vec<Finding> {
    let default = match system.openzfs.as_ref().map(|v| v.value) {
        Some(version) if version >= (2, 2) => 32 << 20,
        Some(_) => 8 << 20,
        None => return Vec::new(),
    };
    let set = system
        .parameter("l2arc_write_max")
        .filter(|set| set.value >= 1 << 20);
    let feed = set.map_or(default, |set| set.value);
    cached(system)
        .filter_map(|(pool, bytes)| {
            let bytes = bytes?;
            let hours = bytes as f64 / feed as f64 / 3600.0;
            // In half a day, or twice as fast as now.
            let faster = (bytes / 43_200).max(feed * 2) >> 20 << 20;
            (hours >= 18.0).then(|| {
                let finding = Finding::new(Id::CacheSlowToFill, Severity::Note, &pool.name)
                    .with("cache", size(bytes))
                    .with("feed", size(feed))
                    .with("hours", format!("{hours:.0}"))
                    // A feed that wrote more than half of what it wanted is followed after 0.2 s.
                    .with("least", format!("{:.0}", hours / 5.0));
                at_cache(finding, pool)
                    .module("l2arc_write_max", (faster != default).then_some(faster))
            })
        })
        .collect()
}

/// An L2ARC on a rotating drive.
pub fn rotating(system: &System) -> Vec<Finding> {
    cached(system)
        .flat_map(|(pool, _)| {
            pool.of(Class::Cache)
                .flat_map(|vdev| &vdev.leaves)
                .filter(|leaf| system.rotates(leaf) == Some(true))
                .map(|leaf| {
                    Finding::new(Id::CacheRotating, Severity::Warning, &leaf.name)
                        .with("pool", &pool.name)
                        .because(&leaf.at, leaf.name.clone())
                        .run(&["zpool", "remove", &pool.name, &leaf.name])
                })
        })
        .collect()
}

/// An L2ARC under 1 GiB, which is not persistent.
pub fn forgetful(system: &System) -> Vec<Finding> {
    let least = system
        .parameter("l2arc_rebuild_blocks_min_l2size")
        .map_or(1 << 30, |set| set.value);
    cached(system)
        .flat_map(|(pool, _)| {
            pool.of(Class::Cache)
                .flat_map(|vdev| &vdev.leaves)
                .filter_map(move |leaf| {
                    let bytes = system.capacity(leaf).filter(|bytes| *bytes < least)?;
                    let finding = Finding::new(Id::CacheForgetful, Severity::Note, &leaf.name)
                        .with("pool", &pool.name)
                        .with("cache", size(bytes))
                        .with("least", size(least))
                        .because(&leaf.at, leaf.name.clone())
                        .run(&["zpool", "remove", &pool.name, &leaf.name]);
                    Some(finding)
                })
        })
        .collect()
}

/// The L2ARC is told not to be persistent.
pub fn rebuild_off(system: &System) -> Vec<Finding> {
    let Some(set) = system
        .parameter("l2arc_rebuild_enabled")
        .filter(|set| set.value == 0)
    else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::CacheRebuildOff, Severity::Note, "l2arc_rebuild_enabled")
            .because(&set.at, "l2arc_rebuild_enabled=0")
            .module("l2arc_rebuild_enabled", None),
    ]
}

/// An L2ARC in front of loads that only write.
pub fn write_only(system: &System) -> Vec<Finding> {
    cached(system)
        .filter_map(|(pool, _)| {
            let loads: Vec<_> = system
                .loads
                .iter()
                .filter(|load| load.dataset.split('/').next() == Some(pool.name.as_str()))
                .collect();
            let first = loads.first()?;
            let name = pool.of(Class::Cache).next()?.name.clone();
            // A write of part of a record reads the rest: then a cache may serve.
            let partial = loads.iter().any(|load| {
                let dataset = system
                    .datasets
                    .iter()
                    .find(|dataset| dataset.name == load.dataset);
                let record = dataset.and_then(|dataset| system.intended_block(dataset));
                load.block
                    .zip(record)
                    .is_some_and(|(write, record)| load.random && write < record)
            });
            (!partial && loads.iter().all(|load| !load.reads)).then(|| {
                let finding = Finding::new(Id::CacheWriteOnly, Severity::Warning, &pool.name)
                    .because(&first.at, first.name.clone());
                at_cache(finding, pool).run(&["zpool", "remove", &pool.name, &name])
            })
        })
        .collect()
}

/// Every dataset turns the L2ARC off.
pub fn unused(system: &System) -> Vec<Finding> {
    cached(system)
        .filter_map(|(pool, _)| {
            let mut off = system
                .in_pool(&pool.name)
                .map(|dataset| dataset.is("secondarycache", "none"))
                .peekable();
            off.peek()?;
            let name = pool.of(Class::Cache).next()?.name.clone();
            off.all(|off| off).then(|| {
                let finding = Finding::new(Id::CacheUnused, Severity::Warning, &pool.name);
                at_cache(finding, pool).run(&["zpool", "remove", &pool.name, &name])
            })
        })
        .collect()
}

/// An L2ARC beside so little RAM that more RAM comes first.
pub fn before_memory(system: &System) -> Vec<Finding> {
    let Some(memory) = system.memory.as_ref().filter(|m| m.value < 32 << 30) else {
        return Vec::new();
    };
    cached(system)
        .map(|(pool, _)| {
            let finding = Finding::new(Id::CacheBeforeMemory, Severity::Note, &pool.name)
                .with("memory", size(memory.value))
                .because(&memory.at, format!("memory {}", size(memory.value)));
            at_cache(finding, pool)
        })
        .filter_map(|finding| {
            let name = system
                .pool(&finding.subject)?
                .of(Class::Cache)
                .next()?
                .name
                .clone();
            let pool = finding.subject.clone();
            Some(finding.run(&["zpool", "remove", &pool, &name]))
        })
        .collect()
}
