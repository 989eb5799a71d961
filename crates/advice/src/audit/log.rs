//! The log vdev (SLOG).

use super::{Finding, Id, Severity};
use crate::system::{Pool, System, models};
use crate::words::size;
use facts::zpool_status::{Class, VdevKind};

/// Pools with a log vdev.
fn logged(system: &System) -> impl Iterator<Item = &Pool> {
    system.pools.iter().filter(|pool| pool.has(Class::Log))
}

/// A log on a drive without power-loss protection.
pub fn unprotected(system: &System) -> Vec<Finding> {
    logged(system)
        .flat_map(|pool| {
            pool.of(Class::Log)
                .flat_map(|vdev| &vdev.leaves)
                .filter(|leaf| system.protected(leaf) == Some(false))
                .map(|leaf| {
                    Finding::new(Id::LogUnprotected, Severity::Error, &leaf.name)
                        .with("pool", &pool.name)
                        .with("model", system.model(leaf))
                        .because(&leaf.at, leaf.name.clone())
                        .run(&[
                            "zpool",
                            "replace",
                            &pool.name,
                            &leaf.name,
                            "PROTECTED-DRIVE",
                        ])
                })
        })
        .collect()
}

/// A log vdev of a single drive.
pub fn unmirrored(system: &System) -> Vec<Finding> {
    logged(system)
        .flat_map(|pool| {
            pool.of(Class::Log)
                .filter(|vdev| vdev.kind == VdevKind::Disk)
                .map(|vdev| {
                    Finding::new(Id::LogUnmirrored, Severity::Warning, &vdev.name)
                        .with("pool", &pool.name)
                        .because(&vdev.at, vdev.name.clone())
                        .run(&["zpool", "attach", &pool.name, &vdev.name, "SECOND-DRIVE"])
                })
        })
        .collect()
}

/// Whether anything in a pool asks for stable storage: a workload, `sync=always`, a database, an
/// export. `sync=disabled` does not count: it only hides what is asked.
fn asks_for_sync(system: &System, pool: &Pool) -> bool {
    let here = |name: &str| name.split('/').next() == Some(pool.name.as_str());
    system
        .loads
        .iter()
        .any(|load| here(&load.dataset) && load.writes && load.syncs)
        || system
            .in_pool(&pool.name)
            .any(|dataset| dataset.is("sync", "always"))
        || system
            .databases()
            .iter()
            .any(|db| db.dataset.pool() == pool.name)
}

/// A log under loads that never sync.
pub fn asynchronous(system: &System) -> Vec<Finding> {
    logged(system)
        .filter(|pool| {
            let mut loads = system
                .loads
                .iter()
                .filter(|l| l.dataset.split('/').next() == Some(&pool.name));
            loads.next().is_some() && !asks_for_sync(system, pool)
        })
        .filter_map(|pool| {
            let vdev = pool.of(Class::Log).next()?;
            let load = system.loads.first()?;
            let finding = Finding::new(Id::LogAsynchronous, Severity::Warning, &pool.name)
                .because(&load.at, load.name.clone())
                .because(&vdev.at, vdev.name.clone())
                .run(&["zpool", "remove", &pool.name, &vdev.name]);
            Some(finding)
        })
        .collect()
}

/// Synchronous writes to rotating drives and no log.
pub fn missing(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter(|pool| !pool.vdevs.is_empty() && !pool.has(Class::Log))
        .filter(|pool| {
            pool.of(Class::Normal)
                .flat_map(|vdev| &vdev.leaves)
                .any(|leaf| system.rotates(leaf) == Some(true))
        })
        .filter(|pool| asks_for_sync(system, pool))
        .map(|pool| {
            Finding::new(Id::LogMissing, Severity::Note, &pool.name)
                .because(&pool.place(), pool.name.clone())
                .run(&[
                    "zpool", "add", &pool.name, "log", "mirror", "DRIVE-1", "DRIVE-2",
                ])
        })
        .collect()
}

/// Bytes the log can ever hold: once and a half the write-log limit, which is twice the
/// dirty-data limit: min(10 % of RAM, min(4 GiB, 25 % of RAM)).
fn needed(system: &System) -> Option<u64> {
    let memory = system.memory.as_ref()?.value;
    let dirty = system
        .parameter("zfs_dirty_data_max")
        // More than a quarter of RAM is a pitfall of its own and never comes to be.
        .filter(|set| set.value > 0 && set.value <= memory / 4)
        .map_or_else(
            || (memory / 10).min(memory / 4).min(4 << 30),
            |set| set.value,
        );
    let log = system
        .parameter("zfs_wrlog_data_max")
        .filter(|set| set.value > 0)
        .map_or(dirty.saturating_mul(2), |set| set.value);
    Some(log.saturating_add(log / 2))
}

/// A log many times larger than anything that can be in it.
pub fn oversized(system: &System) -> Vec<Finding> {
    sized(system, Id::LogOversized, Severity::Note, |has, needs| {
        has > needs.saturating_mul(16)
    })
}

/// A log smaller than what the throttle lets into it.
pub fn undersized(system: &System) -> Vec<Finding> {
    sized(
        system,
        Id::LogUndersized,
        Severity::Warning,
        |has, needs| has < needs / 2,
    )
}

fn sized(system: &System, id: Id, severity: Severity, wrong: fn(u64, u64) -> bool) -> Vec<Finding> {
    let Some(needs) = needed(system) else {
        return Vec::new();
    };
    logged(system)
        .filter_map(|pool| {
            let mut has = 0u64;
            for vdev in pool.of(Class::Log) {
                // A partition's size is not the drive's.
                if vdev.leaves.iter().any(|leaf| partition(&leaf.name)) {
                    return None;
                }
                let sizes: Option<Vec<u64>> =
                    vdev.leaves.iter().map(|l| system.capacity(l)).collect();
                has = has.saturating_add(sizes?.into_iter().min()?);
            }
            let vdev = pool.of(Class::Log).next()?;
            wrong(has, needs).then(|| {
                Finding::new(id, severity, &pool.name)
                    .with("has", size(has))
                    .with("needs", size(needs))
                    .because(&vdev.at, vdev.name.clone())
                    .run(&[
                        "zpool",
                        "replace",
                        &pool.name,
                        &vdev.name,
                        "DRIVE-OF-THAT-SIZE",
                    ])
            })
        })
        .collect()
}

fn partition(name: &str) -> bool {
    crate::system::base(name) != name.rsplit('/').next().unwrap_or(name)
}

/// How fast a drive acknowledges a flushed write, coarsely; larger is faster.
fn speed(system: &System, leaf: &crate::system::Leaf) -> Option<u8> {
    let model = system.model(leaf);
    if models::optane(model) {
        return Some(3);
    }
    if system.rotates(leaf)? {
        return Some(0);
    }
    let transport = system
        .drive(leaf)
        .and_then(|d| d.transport.as_ref())
        .map(|t| t.value.as_str());
    let nvme = transport == Some("nvme") || crate::system::base(&leaf.name).starts_with("nvme");
    transport.or(nvme.then_some("nvme"))?;
    Some(if nvme { 2 } else { 1 })
}

/// A log on a slower kind of drive than the pool's own.
pub fn slower(system: &System) -> Vec<Finding> {
    logged(system)
        .filter_map(|pool| {
            let pool_speed = pool
                .of(Class::Normal)
                .flat_map(|vdev| &vdev.leaves)
                .filter_map(|leaf| speed(system, leaf))
                .min()?;
            let (vdev, log) = pool
                .of(Class::Log)
                .flat_map(|vdev| vdev.leaves.iter().map(move |leaf| (vdev, leaf)))
                .filter_map(|(vdev, leaf)| Some((vdev, speed(system, leaf)?)))
                .min_by_key(|(_, speed)| *speed)?;
            (log < pool_speed).then(|| {
                Finding::new(Id::LogSlower, Severity::Warning, &vdev.name)
                    .with("pool", &pool.name)
                    .because(&vdev.at, vdev.name.clone())
                    .run(&["zpool", "remove", &pool.name, &vdev.name])
            })
        })
        .collect()
}

/// A dataset that bypasses the log by `logbias=throughput`.
pub fn bypassed(system: &System) -> Vec<Finding> {
    logged(system)
        .flat_map(|pool| {
            system.in_pool(&pool.name).filter_map(|dataset| {
                let property = dataset.get("logbias").filter(|p| p.value == "throughput")?;
                let finding = Finding::new(Id::LogBypassed, Severity::Warning, &dataset.name)
                    .with("pool", &pool.name)
                    .property("logbias", property)
                    .set(&dataset.name, "logbias", "latency");
                Some(finding)
            })
        })
        .collect()
}

/// A log under `sync=disabled`.
pub fn silenced(system: &System) -> Vec<Finding> {
    logged(system)
        .flat_map(|pool| {
            system.in_pool(&pool.name).filter_map(|dataset| {
                let property = dataset.get("sync").filter(|p| p.value == "disabled")?;
                let finding = Finding::new(Id::LogSilenced, Severity::Warning, &dataset.name)
                    .with("pool", &pool.name)
                    .property("sync", property)
                    .set(&dataset.name, "sync", "standard");
                Some(finding)
            })
        })
        .collect()
}

/// A log that shares a drive with something else of the pool.
pub fn shared(system: &System) -> Vec<Finding> {
    logged(system)
        .flat_map(|pool| {
            let others: Vec<_> = pool
                .vdevs
                .iter()
                .filter(|vdev| vdev.class != Class::Log)
                .flat_map(|vdev| vdev.leaves.iter().map(move |leaf| (vdev.class, leaf)))
                .collect();
            pool.of(Class::Log)
                .flat_map(|vdev| &vdev.leaves)
                .filter_map(|leaf| {
                    let (_, other) = others.iter().find(|(_, other)| {
                        other.name != leaf.name
                            && crate::system::base(&other.name) == crate::system::base(&leaf.name)
                    })?;
                    let finding = Finding::new(Id::LogShared, Severity::Warning, &leaf.name)
                        .with("pool", &pool.name)
                        .with("other", &other.name)
                        .because(&leaf.at, leaf.name.clone())
                        .because(&other.at, other.name.clone())
                        .run(&[
                            "zpool",
                            "replace",
                            &pool.name,
                            &leaf.name,
                            "DRIVE-OF-ITS-OWN",
                        ]);
                    Some(finding)
                })
                .collect::<Vec<_>>()
        })
        .collect()
}
