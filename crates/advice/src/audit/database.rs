//! A database's dataset.

use super::{Change, Finding, Id, Severity};
use crate::system::{Engine, System};
use crate::words::size;

/// `sync=disabled` under a database.
pub fn sync_disabled(system: &System) -> Vec<Finding> {
    system
        .databases()
        .into_iter()
        .filter_map(|database| {
            let property = database
                .dataset
                .get("sync")
                .filter(|p| p.value == "disabled")?;
            let finding = Finding::new(
                Id::DatabaseSyncDisabled,
                Severity::Error,
                &database.dataset.name,
            )
            .with("engine", database.engine.name())
            .property("sync", property)
            .set(&database.dataset.name, "sync", "standard");
            Some(finding)
        })
        .collect()
}

/// Records that do not suit the database's page.
pub fn recordsize(system: &System) -> Vec<Finding> {
    system
        .databases()
        .into_iter()
        .filter_map(|database| {
            let property = database.dataset.get("recordsize")?;
            let record = database.dataset.bytes("recordsize")?;
            if database.suits(record) {
                return None;
            }
            let smaller = record < database.page;
            let id = if smaller {
                Id::DatabaseRecordsTorn
            } else {
                Id::DatabaseRecordsLarge
            };
            let severity = if smaller {
                Severity::Error
            } else {
                Severity::Warning
            };
            let mut finding = Finding::new(id, severity, &database.dataset.name)
                .with("engine", database.engine.name())
                .with("page", size(database.page))
                .with("record", size(record))
                .with("factor", record / database.page.max(1))
                .property("recordsize", property)
                .set(&database.dataset.name, "recordsize", "16K");
            // A threshold at or above the new record would send the whole database to special.
            if database
                .dataset
                .bytes("special_small_blocks")
                .is_some_and(|small| small >= 16384)
            {
                finding = finding.set(&database.dataset.name, "special_small_blocks", "8K");
            }
            // Files written before keep their small records: the server must go on guarding them.
            if smaller && database.engine == Engine::Postgresql && !system.postgresql.is_empty() {
                finding = finding.change(Change::Postgresql {
                    name: "full_page_writes".to_string(),
                    value: "on".to_string(),
                });
            }
            if smaller && database.engine == Engine::Mysql && !system.mysql.is_empty() {
                finding = finding.change(Change::Mysql {
                    name: "innodb_doublewrite".to_string(),
                    value: "ON".to_string(),
                });
            }
            Some(finding)
        })
        .collect()
}

/// Records smaller than the page: told by the same function under another name.
pub fn records_torn(system: &System) -> Vec<Finding> {
    recordsize(system)
        .into_iter()
        .filter(|finding| finding.rule == Id::DatabaseRecordsTorn)
        .collect()
}

/// Records far larger than the page.
pub fn records_large(system: &System) -> Vec<Finding> {
    recordsize(system)
        .into_iter()
        .filter(|finding| finding.rule == Id::DatabaseRecordsLarge)
        .collect()
}

/// `logbias=throughput` under a database without a log vdev, on which the sources disagree.
pub fn logbias(system: &System) -> Vec<Finding> {
    system
        .databases()
        .into_iter()
        .filter_map(|database| {
            let property = database
                .dataset
                .get("logbias")
                .filter(|p| p.value == "throughput")?;
            let logged = system
                .pool(database.dataset.pool())
                .is_some_and(|pool| pool.has(facts::zpool_status::Class::Log));
            (!logged).then(|| {
                Finding::new(Id::DatabaseLogbias, Severity::Note, &database.dataset.name)
                    .with("engine", database.engine.name())
                    .property("logbias", property)
                    .set(&database.dataset.name, "logbias", "latency")
            })
        })
        .collect()
}

/// `primarycache=metadata` under a server whose own cache is small or unknown to be large.
pub fn primarycache(system: &System) -> Vec<Finding> {
    system
        .databases()
        .into_iter()
        .filter_map(|database| {
            let property = database
                .dataset
                .get("primarycache")
                .filter(|p| p.value == "metadata")?;
            let memory = system.memory.as_ref()?.value;
            let setting = match database.engine {
                Engine::Postgresql => "shared_buffers",
                Engine::Mysql => "innodb_buffer_pool_size",
            };
            let own = match database.engine {
                Engine::Postgresql => system.postgres_bytes("shared_buffers", 8192),
                Engine::Mysql => system.innodb_bytes("innodb_buffer_pool_size"),
            };
            let configured = match database.engine {
                Engine::Postgresql => !system.postgresql.is_empty(),
                Engine::Mysql => !system.mysql.is_empty(),
            };
            // Both servers default to 128 MiB.
            let bytes = own.as_ref().map_or(128 << 20, |found| found.value);
            (configured && bytes < memory / 2).then(|| {
                let finding = Finding::new(
                    Id::DatabasePrimarycache,
                    Severity::Warning,
                    &database.dataset.name,
                )
                .with("setting", setting)
                .with("cache", size(bytes))
                .with("memory", size(memory))
                .property("primarycache", property)
                .set(&database.dataset.name, "primarycache", "all");
                match own {
                    Some(own) => finding.because(&own.at, format!("{setting} {}", size(bytes))),
                    None => finding,
                }
            })
        })
        .collect()
}

/// ARC and the database's own cache together exceed RAM.
pub fn memory(system: &System) -> Vec<Finding> {
    let (Some(memory), Some((setting, own)), Some(arc)) =
        (&system.memory, system.database_memory(), system.arc_max())
    else {
        return Vec::new();
    };
    let share = memory.value / 100;
    // Below 1 GiB the least ARC of 64 MiB leaves no room for advice.
    if own.value.saturating_add(arc) <= share * 95
        || system.pools.is_empty()
        || memory.value < 1 << 30
    {
        return Vec::new();
    }
    let mut finding = Finding::new(Id::DatabaseMemory, Severity::Warning, "zfs_arc_max")
        .with("arc", size(arc))
        .with("setting", setting)
        .with("cache", size(own.value))
        .with("memory", size(memory.value))
        .because(&memory.at, format!("memory {}", size(memory.value)))
        .because(&own.at, format!("{setting} {}", size(own.value)));
    if let Some(set) = system.module.get("zfs_arc_max") {
        finding = finding.because(&set.at, format!("zfs_arc_max={}", set.value));
    }
    // A server that asks for nearly all by itself gets half.
    let kept = if own.value <= share * 75 {
        own.value
    } else {
        memory.value / 2
    };
    let fair = memory.value.saturating_sub(kept).saturating_sub(share * 20);
    let fair = fair.clamp(64 << 20, memory.value / 2);
    // Whole gigabytes where that costs little.
    let unit = if fair >= 8 << 30 { 30 } else { 20 };
    let fair = fair >> unit << unit;
    finding = finding.module("zfs_arc_max", Some(fair));
    if kept != own.value {
        let mebibytes = kept.div_ceil(1 << 20);
        let name = setting.to_string();
        finding = finding.change(match setting {
            "shared_buffers" => Change::Postgresql {
                name,
                value: format!("{mebibytes}MB"),
            },
            _ => Change::Mysql {
                name,
                value: format!("{mebibytes}M"),
            },
        });
    }
    if system
        .parameter("zfs_arc_min")
        .is_some_and(|min| min.value > fair / 2)
    {
        finding = finding.module("zfs_arc_min", None);
    }
    vec![finding]
}
