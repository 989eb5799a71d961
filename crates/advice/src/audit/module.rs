//! Parameters of the zfs module.

use super::{Finding, Id, Severity};
use crate::system::parameters;
use crate::system::{Found, System};
use crate::words::size;
use facts::zpool_status::Class;

fn assigned(name: &str, found: &Found<String>) -> String {
    format!("{name}={}", found.value)
}

/// Parameters that no release has.
pub fn unknown(system: &System) -> Vec<Finding> {
    system
        .module
        .iter()
        .filter(|(name, _)| parameters::find(name).is_none())
        .map(|(name, found)| {
            let near = parameters::nearest(name).map_or("-", |p| p.name);
            Finding::new(Id::ModuleUnknown, Severity::Error, name)
                .with("near", near)
                .because(&found.at, assigned(name, found))
                .module(name, None)
        })
        .collect()
}

/// Parameters that other releases have, but not this one.
pub fn other_release(system: &System) -> Vec<Finding> {
    let Some(version) = &system.openzfs else {
        return Vec::new();
    };
    system
        .module
        .iter()
        .filter_map(|(name, found)| {
            let parameter = parameters::find(name)?;
            if parameter.exists_in(version.value) {
                return None;
            }
            let releases: Vec<String> = parameter
                .releases
                .iter()
                .map(|((major, minor), _)| format!("{major}.{minor}"))
                .collect();
            let finding = Finding::new(Id::ModuleOtherRelease, Severity::Warning, name)
                .with("releases", releases.join(", "))
                .with(
                    "release",
                    format!("{}.{}", version.value.0, version.value.1),
                )
                .because(&found.at, assigned(name, found))
                .because(
                    &version.at,
                    format!("OpenZFS {}.{}", version.value.0, version.value.1),
                )
                .module(name, None);
            Some(finding)
        })
        .collect()
}

/// Parameters set to their default.
pub fn default(system: &System) -> Vec<Finding> {
    let release = system.openzfs.as_ref().map(|v| v.value);
    system
        .module
        .iter()
        .filter_map(|(name, found)| {
            let parameter = parameters::find(name)?;
            let value = parameters::intended(&found.value)?;
            let same = match release {
                Some(release) => parameter.default_in(release) == Some(value),
                // Without a release it must be the default of all.
                None => parameter
                    .releases
                    .iter()
                    .all(|(_, default)| *default == Some(value)),
            };
            same.then(|| {
                Finding::new(Id::ModuleDefault, Severity::Note, name)
                    .with("value", value)
                    .because(&found.at, assigned(name, found))
                    .module(name, None)
            })
        })
        .collect()
}

/// Values with a unit, which the kernel does not read.
pub fn suffix(system: &System) -> Vec<Finding> {
    system
        .module
        .iter()
        .filter(|(name, found)| {
            parameters::find(name).is_some() && parameters::number(&found.value).is_none()
        })
        .filter_map(|(name, found)| {
            let value = parameters::intended(&found.value)?;
            let finding = Finding::new(Id::ModuleSuffix, Severity::Error, name)
                .with("written", &found.value)
                .with("value", value)
                .because(&found.at, assigned(name, found))
                .module(name, Some(value));
            Some(finding)
        })
        .collect()
}

/// Lines of a module configuration that set nothing.
pub fn stray(system: &System) -> Vec<Finding> {
    system
        .stray
        .iter()
        .filter_map(|found| {
            let name = found.value.split(['=', ' ']).next()?.trim();
            parameters::find(name)?;
            let finding = Finding::new(Id::ModuleStray, Severity::Warning, name)
                .because(&found.at, found.value.clone())
                .run(&["modprobe", "--showconfig"]);
            Some(finding)
        })
        .collect()
}

/// `zfs_arc_min` near `zfs_arc_max`.
pub fn arc_min(system: &System) -> Vec<Finding> {
    let Some(min) = system.parameter("zfs_arc_min").filter(|min| min.value > 0) else {
        return Vec::new();
    };
    let Some(max) = system.arc_max() else {
        return Vec::new();
    };
    if min.value <= max / 2 {
        return Vec::new();
    }
    let mut finding = Finding::new(Id::ArcMin, Severity::Warning, "zfs_arc_min")
        .with("min", size(min.value))
        .with("max", size(max))
        .because(&min.at, format!("zfs_arc_min={}", min.value))
        .module("zfs_arc_min", None);
    if let Some(set) = system.module.get("zfs_arc_max") {
        finding = finding.because(&set.at, assigned("zfs_arc_max", set));
    }
    vec![finding]
}

/// `zfs_arc_max` out of the range in which it is obeyed.
pub fn arc_max_ignored(system: &System) -> Vec<Finding> {
    let Some(set) = system.parameter("zfs_arc_max").filter(|set| set.value > 0) else {
        return Vec::new();
    };
    let memory = system.memory.as_ref().map(|memory| memory.value);
    let low = set.value < 64 << 20;
    let high = memory.is_some_and(|memory| set.value >= memory);
    if !low && !high {
        return Vec::new();
    }
    let least = size(64 << 20);
    vec![
        Finding::new(Id::ArcMaxIgnored, Severity::Error, "zfs_arc_max")
            .with("value", size(set.value))
            .with("least", least)
            .with("memory", memory.map_or_else(|| "RAM".to_string(), size))
            .because(&set.at, format!("zfs_arc_max={}", set.value))
            .module("zfs_arc_max", None),
    ]
}

/// Flushes turned off while a drive may lose what it acknowledged.
pub fn nocacheflush(system: &System) -> Vec<Finding> {
    ["zfs_nocacheflush", "zil_nocacheflush"]
        .into_iter()
        .filter_map(|name| {
            let set = system.parameter(name).filter(|set| set.value == 1)?;
            let mut leaves = system
                .pools
                .iter()
                .flat_map(|pool| &pool.vdevs)
                .flat_map(|v| &v.leaves)
                .peekable();
            let known = leaves.peek().is_some();
            // Safe only where every drive is known to keep what it acknowledged.
            if known && leaves.all(|leaf| system.protected(leaf) == Some(true)) {
                return None;
            }
            let finding = Finding::new(Id::Nocacheflush, Severity::Error, name)
                .because(&set.at, format!("{name}=1"))
                .module(name, None);
            Some(finding)
        })
        .collect()
}

/// Transaction groups held open for long.
pub fn txg_timeout(system: &System) -> Vec<Finding> {
    let Some(set) = system
        .parameter("zfs_txg_timeout")
        .filter(|set| set.value > 15)
    else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::TxgTimeout, Severity::Warning, "zfs_txg_timeout")
            .with("seconds", set.value)
            .with("loss", set.value.saturating_mul(3))
            .because(&set.at, format!("zfs_txg_timeout={}", set.value))
            .module("zfs_txg_timeout", None),
    ]
}

/// Megabytes where bytes are meant.
pub fn l2arc_units(system: &System) -> Vec<Finding> {
    ["l2arc_write_max", "l2arc_write_boost"]
        .into_iter()
        .filter_map(|name| {
            let set = system
                .parameter(name)
                .filter(|set| (1..1 << 20).contains(&set.value))?;
            let meant = set.value.checked_mul(1 << 20)?;
            let release = system.openzfs.as_ref().map(|v| v.value);
            // Without a release, the least default of any.
            let default = parameters::find(name).is_some_and(|p| match release {
                Some(release) => p.default_in(release).is_none_or(|default| meant <= default),
                None => p
                    .releases
                    .iter()
                    .filter_map(|(_, d)| *d)
                    .all(|default| meant <= default),
            });
            let finding = Finding::new(Id::L2arcUnits, Severity::Error, name)
                .with("value", set.value)
                .with("meant", size(meant))
                .because(&set.at, format!("{name}={}", set.value))
                .module(name, (!default).then_some(meant));
            Some(finding)
        })
        .collect()
}

/// Prefetch off.
pub fn prefetch_off(system: &System) -> Vec<Finding> {
    let Some(set) = system
        .parameter("zfs_prefetch_disable")
        .filter(|set| set.value == 1)
    else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::PrefetchOff, Severity::Note, "zfs_prefetch_disable")
            .because(&set.at, "zfs_prefetch_disable=1")
            .module("zfs_prefetch_disable", None),
    ]
}

/// A dirty-data limit above a quarter of RAM, which the ARC will not lend to one pool.
pub fn dirty_data(system: &System) -> Vec<Finding> {
    let Some(memory) = &system.memory else {
        return Vec::new();
    };
    let Some(set) = system.parameter("zfs_dirty_data_max") else {
        return Vec::new();
    };
    let share = memory.value / 4;
    if set.value <= share {
        return Vec::new();
    }
    vec![
        Finding::new(Id::DirtyData, Severity::Warning, "zfs_dirty_data_max")
            .with("value", size(set.value))
            .with("share", size(share))
            .because(&set.at, format!("zfs_dirty_data_max={}", set.value))
            .because(&memory.at, format!("memory {}", size(memory.value)))
            .module("zfs_dirty_data_max", None),
    ]
}

/// Replay of the intent log turned off.
pub fn replay_off(system: &System) -> Vec<Finding> {
    let Some(set) = system
        .parameter("zil_replay_disable")
        .filter(|set| set.value == 1)
    else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::ReplayOff, Severity::Error, "zil_replay_disable")
            .because(&set.at, "zil_replay_disable=1")
            .module("zil_replay_disable", None),
    ]
}

/// L2ARC parameters without an L2ARC.
pub fn l2arc_without_cache(system: &System) -> Vec<Finding> {
    let known = system.pools.iter().any(|pool| !pool.vdevs.is_empty());
    if !known || system.pools.iter().any(|pool| pool.has(Class::Cache)) {
        return Vec::new();
    }
    system
        .module
        .iter()
        .filter(|(name, _)| name.starts_with("l2arc_") && parameters::find(name).is_some())
        .map(|(name, found)| {
            Finding::new(Id::L2arcWithoutCache, Severity::Note, name)
                .because(&found.at, assigned(name, found))
                .module(name, None)
        })
        .collect()
}
