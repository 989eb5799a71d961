//! Space that small records lose on raidz and dRAID.

use super::{Finding, Id, Severity};
use crate::system::{System, Vdev};
use crate::words::size;
use facts::zpool_status::{Class, VdevKind};
use plan::geometry::Geometry;

/// How a raidz or dRAID vdev stores a block; none for other vdevs, or a width that cannot be.
fn geometry(vdev: &Vdev) -> Option<Geometry> {
    match vdev.kind {
        VdevKind::Raidz { parity } => {
            let (width, parity) = (u32::try_from(vdev.leaves.len()).ok()?, u32::from(parity));
            (width > parity).then_some(Geometry::Raidz { width, parity })
        }
        VdevKind::Draid { parity, data, .. } if data > 0 => Some(Geometry::Draid {
            data,
            parity: u32::from(parity),
        }),
        _ => None,
    }
}

fn padded(system: &System, id: Id, which: fn(&VdevKind) -> bool) -> Vec<Finding> {
    let databases: Vec<&str> = system
        .databases()
        .iter()
        .map(|db| db.dataset.name.as_str())
        .collect();
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let vdev = pool.of(Class::Normal).find(|vdev| which(&vdev.kind))?;
            let shift = pool
                .get("ashift")
                .and_then(|p| p.value.parse().ok())
                .filter(|s| (9..=16).contains(s));
            Some((pool, vdev, geometry(vdev)?, shift.unwrap_or(12u32)))
        })
        .flat_map(|(pool, vdev, geometry, ashift)| {
            let databases = &databases;
            system
                .in_pool(&pool.name)
                .filter(|dataset| !databases.contains(&dataset.name.as_str()))
                .filter_map(move |dataset| {
                    let (name, _, property) = dataset.block()?;
                    let block = system
                        .intended_block(dataset)
                        .filter(|b| (1..=1 << 24).contains(b))?;
                    let takes = geometry.asize(block, ashift);
                    let share = |block: u64| geometry.asize(block, ashift) as f64 / block as f64;
                    let fair = share(1 << 20);
                    let better = (17..20).map(|s| 1 << s).find(|b| share(*b) <= fair * 1.3);
                    let better = better.unwrap_or(1 << 20);
                    let share = share(block);
                    let random = system
                        .loads
                        .iter()
                        .any(|load| load.dataset == dataset.name && load.writes && load.random);
                    (share > fair * 1.3).then(|| {
                        let finding = Finding::new(id, Severity::Warning, &dataset.name)
                            .with("vdev", &vdev.name)
                            .with("block", size(block))
                            .with("takes", size(takes))
                            .with("factor", format!("{share:.1}"))
                            .with("fair", format!("{fair:.2}"))
                            .property(name, property)
                            .because(&vdev.at, vdev.name.clone());
                        if random {
                            // Larger records would make each of these writes a rewrite of more.
                            finding.run(&[
                                "zpool", "create", "NEW-POOL", "mirror", "DRIVE-1", "DRIVE-2",
                            ])
                        } else if name == "volblocksize" {
                            finding.run(&[
                                "zfs",
                                "create",
                                "-V",
                                "SIZE",
                                "-o",
                                "volblocksize=64K",
                                "NEW-VOLUME",
                            ])
                        } else {
                            finding.set(&dataset.name, "recordsize", size(better))
                        }
                    })
                })
        })
        .collect()
}

/// Small records on raidz take far more than their share of parity.
pub fn raidz(system: &System) -> Vec<Finding> {
    padded(system, Id::LayoutRaidzPadding, |kind| {
        matches!(kind, VdevKind::Raidz { .. })
    })
}

/// Small records on dRAID fill whole stripes.
pub fn draid(system: &System) -> Vec<Finding> {
    padded(system, Id::LayoutDraidPadding, |kind| {
        matches!(kind, VdevKind::Draid { .. })
    })
}
