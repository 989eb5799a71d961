//! A pool's health, space and features.

use super::{Finding, Id, Severity};
use crate::system::{Place, Pool, System};
use facts::zpool_status::{ScanKind, ScanState, Vdev};

fn percent(pool: &Pool, name: &str) -> Option<u64> {
    pool.get(name)?.value.trim_end_matches('%').parse().ok()
}

fn about(pool: &Pool, id: Id, severity: Severity, property: &str) -> Finding {
    let finding = Finding::new(id, severity, &pool.name);
    match pool.get(property) {
        Some(found) => finding.property(property, found),
        None => finding,
    }
}

/// A pool over 80 % full.
pub fn full(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let used = percent(pool, "capacity").filter(|used| *used >= 80)?;
            let severity = if used >= 95 {
                Severity::Error
            } else {
                Severity::Warning
            };
            let finding = about(pool, Id::PoolFull, severity, "capacity").with("used", used);
            Some(finding.run(&["zfs", "list", "-o", "space", "-r", &pool.name]))
        })
        .collect()
}

/// Free space in small pieces.
pub fn fragmented(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let share = percent(pool, "fragmentation").filter(|share| *share >= 50)?;
            let finding = about(pool, Id::PoolFragmented, Severity::Warning, "fragmentation");
            Some(
                finding
                    .with("share", share)
                    .run(&["zpool", "list", "-v", &pool.name]),
            )
        })
        .collect()
}

/// Vdevs without children.
fn leaves<'a>(vdevs: &'a [Vdev], into: &mut Vec<&'a Vdev>) {
    for vdev in vdevs {
        if vdev.children.is_empty() {
            into.push(vdev);
        }
        leaves(&vdev.children, into);
    }
}

/// Where a drive that a pool names is found: a path, a kernel name, or an identity.
fn device(name: &str) -> String {
    let kernel = ["sd", "nvme", "vd", "hd", "xvd"]
        .iter()
        .any(|p| name.starts_with(p));
    match name {
        path if path.starts_with('/') => path.to_string(),
        name if kernel && !name.contains('-') => format!("/dev/{name}"),
        name => format!("/dev/disk/by-id/{name}"),
    }
}

/// A pool that is not whole.
pub fn degraded(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (file, status) = pool.status.as_ref()?;
            let state = status
                .state
                .as_ref()
                .filter(|state| state.value != "ONLINE")?;
            let at = Place {
                file: file.clone(),
                line: state.line,
            };
            let mut finding = Finding::new(Id::PoolDegraded, Severity::Error, &pool.name)
                .with("state", &state.value)
                .because(&at, format!("state: {}", state.value));
            let mut all = Vec::new();
            leaves(&status.vdevs, &mut all);
            for leaf in all {
                let state = leaf.state.as_str();
                let fix: &[&str] = match state {
                    "OFFLINE" => &["zpool", "online", &pool.name, &leaf.name],
                    "UNAVAIL" | "FAULTED" | "REMOVED" => {
                        &["zpool", "replace", &pool.name, &leaf.name, "NEW-DRIVE"]
                    }
                    _ => continue,
                };
                let at = Place {
                    file: file.clone(),
                    line: leaf.line,
                };
                finding = finding
                    .because(&at, format!("{} {state}", leaf.name))
                    .run(fix);
            }
            if finding.steps.is_empty() {
                finding = finding.run(&["zpool", "status", "-v", &pool.name]);
            }
            Some(finding)
        })
        .collect()
}

/// Errors that ZFS counted on a drive.
pub fn errors(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| Some((pool, pool.status.as_ref()?)))
        .flat_map(|(pool, (file, status))| {
            let mut all = Vec::new();
            leaves(&status.vdevs, &mut all);
            all.into_iter().filter_map(move |leaf| {
                let counts = [leaf.read, leaf.write, leaf.cksum].map(|count| count.unwrap_or(0));
                (counts.iter().any(|count| *count > 0)).then(|| {
                    let at = Place {
                        file: file.clone(),
                        line: leaf.line,
                    };
                    let words = format!("{} {} {}", counts[0], counts[1], counts[2]);
                    Finding::new(Id::PoolErrors, Severity::Warning, &leaf.name)
                        .with("pool", &pool.name)
                        .with("counts", &words)
                        .because(&at, format!("{} {words}", leaf.name))
                        .run(&["smartctl", "-x", &device(&leaf.name)])
                        .run(&["zpool", "scrub", &pool.name])
                })
            })
        })
        .collect()
}

/// Files that are known to be damaged.
pub fn damaged(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (file, status) = pool.status.as_ref()?;
            let errors = status
                .errors
                .as_ref()
                .filter(|_| status.undamaged() == Some(false))?;
            let at = Place {
                file: file.clone(),
                line: errors.line,
            };
            let finding = Finding::new(Id::PoolDamaged, Severity::Error, &pool.name)
                .because(&at, format!("errors: {}", errors.value))
                .run(&["zpool", "status", "-v", &pool.name]);
            Some(finding)
        })
        .collect()
}

/// Days after which a scrub counts as old.
const SCRUB_DAYS: i64 = 35;

/// No scrub, or an old one.
pub fn scrub(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (file, status) = pool.status.as_ref()?;
            let scrub = status
                .scans
                .iter()
                .find(|scan| scan.kind != Some(ScanKind::Resilver));
            let finding = Finding::new(Id::PoolScrub, Severity::Warning, &pool.name)
                .run(&["zpool", "scrub", &pool.name]);
            match scrub {
                // A pool without errors and without any scan line was never scrubbed.
                None if status.scans.is_empty() && status.errors.is_some() => Some(
                    finding
                        .with("age", "-")
                        .because(&pool.place(), pool.name.clone()),
                ),
                Some(scan) if scan.state == ScanState::Finished => {
                    let age = system.today? - scan.date?.days();
                    let at = Place {
                        file: file.clone(),
                        line: scan.line,
                    };
                    (age > SCRUB_DAYS)
                        .then(|| finding.with("age", age).because(&at, scan.text.clone()))
                }
                Some(scan) if scan.state == ScanState::Never => {
                    let at = Place {
                        file: file.clone(),
                        line: scan.line,
                    };
                    Some(finding.with("age", "-").because(&at, scan.text.clone()))
                }
                _ => None,
            }
        })
        .collect()
}

/// TRIM by itself where each round of it closes transaction groups: openzfs/zfs pull request 12194, in
/// 2.2, ended that.
pub fn autotrim_early(system: &System) -> Vec<Finding> {
    if !before_2_2(system) {
        return Vec::new();
    }
    let finding = |pool: &Pool| {
        let on = pool.get("autotrim").filter(|p| p.value == "on")?;
        Some(
            Finding::new(Id::PoolAutotrimEarly, Severity::Note, &pool.name)
                .property("autotrim", on)
                .change(super::Change::Pool {
                    pool: pool.name.clone(),
                    property: "autotrim".to_string(),
                    value: "off".to_string(),
                }),
        )
    };
    system.pools.iter().filter_map(finding).collect()
}

/// Whether OpenZFS is known to be older than 2.2.
fn before_2_2(system: &System) -> bool {
    let known = system.openzfs.as_ref();
    known.is_some_and(|version| version.value < (2, 2))
}

/// SSDs without TRIM.
pub fn autotrim(system: &System) -> Vec<Finding> {
    let weekly = before_2_2(system);
    system
        .pools
        .iter()
        .filter(|_| !weekly)
        .filter_map(|pool| {
            let off = pool.get("autotrim").filter(|p| p.value == "off")?;
            let leaf = pool
                .vdevs
                .iter()
                .flat_map(|vdev| &vdev.leaves)
                .find(|leaf| system.rotates(leaf) == Some(false))?;
            let finding = Finding::new(Id::PoolAutotrim, Severity::Note, &pool.name)
                .with("drive", &leaf.name)
                .property("autotrim", off)
                .because(&leaf.at, leaf.name.clone())
                .change(super::Change::Pool {
                    pool: pool.name.clone(),
                    property: "autotrim".to_string(),
                    value: "on".to_string(),
                });
            Some(finding)
        })
        .collect()
}

/// Features that the software has and the pool has not.
pub fn features(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let by_property: Vec<(&String, &crate::system::Property)> = pool
                .properties
                .iter()
                .filter(|(name, property)| {
                    name.starts_with("feature@") && property.value == "disabled"
                })
                .collect();
            let finding = Finding::new(Id::PoolFeatures, Severity::Note, &pool.name)
                .run(&["zpool", "upgrade", &pool.name]);
            if let Some((name, property)) = by_property.first() {
                return Some(
                    finding
                        .with("count", by_property.len())
                        .property(name, property),
                );
            }
            let (file, status) = pool.status.as_ref()?;
            let words = status.status.as_ref()?;
            let at = Place {
                file: file.clone(),
                line: words.line,
            };
            words
                .value
                .contains("features are not enabled")
                .then(|| finding.with("count", "-").because(&at, words.value.clone()))
        })
        .collect()
}

/// Features that this software does not know.
pub fn unsupported(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (name, property) = pool
                .properties
                .iter()
                .find(|(name, _)| name.starts_with("unsupported@"))?;
            let finding = Finding::new(Id::PoolUnsupported, Severity::Warning, &pool.name)
                .with("feature", name.trim_start_matches("unsupported@"))
                .property(name, property)
                .run(&["zpool", "get", "all", &pool.name]);
            Some(finding)
        })
        .collect()
}

/// A checkpoint that is still held.
pub fn checkpoint(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .filter_map(|pool| {
            let (file, status) = pool.status.as_ref()?;
            let (_, text) = status.others.iter().find(|(key, _)| key == "checkpoint")?;
            let at = Place {
                file: file.clone(),
                line: text.line,
            };
            let finding = Finding::new(Id::PoolCheckpoint, Severity::Note, &pool.name)
                .because(&at, format!("checkpoint: {}", text.value))
                .run(&["zpool", "checkpoint", "--discard", &pool.name]);
            Some(finding)
        })
        .collect()
}

/// A device that was written to while it was away, or is being rebuilt.
pub fn resilvering(system: &System) -> Vec<Finding> {
    system
        .pools
        .iter()
        .flat_map(|pool| pool.scans().map(move |(file, scan)| (pool, file, scan)))
        .filter(|(_, _, scan)| {
            scan.kind == Some(ScanKind::Resilver) && scan.state == ScanState::Running
        })
        .map(|(pool, file, scan)| {
            let at = Place {
                file: file.to_string(),
                line: scan.line,
            };
            Finding::new(Id::PoolResilvering, Severity::Warning, &pool.name)
                .because(&at, scan.text.clone())
                .run(&["zpool", "wait", "-t", "resilver", &pool.name])
        })
        .collect()
}
