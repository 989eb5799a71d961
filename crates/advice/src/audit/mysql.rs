//! `my.cnf`: MySQL and MariaDB with InnoDB.

use super::{Change, Finding, Id, Severity};
use crate::system::{Database, Engine, Found, System, models};
use crate::words::size;

fn set(finding: Finding, name: &str, value: &str) -> Finding {
    finding.change(Change::Mysql {
        name: name.to_string(),
        value: value.to_string(),
    })
}

fn on_zfs(system: &System) -> Vec<Database<'_>> {
    system
        .databases()
        .into_iter()
        .filter(|db| db.engine == Engine::Mysql)
        .collect()
}

fn stated(id: Id, severity: Severity, name: &'static str, found: &Found<String>) -> Finding {
    Finding::new(id, severity, name)
        .with("value", &found.value)
        .because(&found.at, format!("{name} = {}", found.value))
}

/// Commits that do not wait for the redo log.
pub fn flush_log(system: &System) -> Vec<Finding> {
    let name = "innodb_flush_log_at_trx_commit";
    system
        .innodb(name)
        .filter(|found| matches!(found.value.as_str(), "0" | "2"))
        .map(|found| {
            set(
                stated(Id::MyFlushLog, Severity::Error, name, &found),
                name,
                "1",
            )
        })
        .into_iter()
        .collect()
}

/// A binary log that is not flushed at every commit.
pub fn sync_binlog(system: &System) -> Vec<Finding> {
    let name = "sync_binlog";
    system
        .innodb(name)
        .filter(|found| found.value != "1")
        .map(|found| {
            set(
                stated(Id::MySyncBinlog, Severity::Warning, name, &found),
                name,
                "1",
            )
        })
        .into_iter()
        .collect()
}

/// Whether the doublewrite buffer writes pages, as set; `DETECT_ONLY` does not.
fn doublewrite_off(system: &System) -> Option<Found<String>> {
    system.innodb("innodb_doublewrite").filter(|found| {
        let value = found.value.to_ascii_uppercase();
        matches!(value.as_str(), "0" | "OFF" | "FALSE" | "DETECT_ONLY")
    })
}

/// Whether every known dataset of InnoDB keeps a page within one record.
fn pages_whole(system: &System) -> bool {
    let databases = on_zfs(system);
    !databases.is_empty()
        && databases.iter().all(|db| {
            db.dataset
                .bytes("recordsize")
                .is_some_and(|record| record >= db.page)
        })
}

/// No doublewrite where a page may be torn.
pub fn doublewrite(system: &System) -> Vec<Finding> {
    doublewrite_off(system)
        .filter(|_| !pages_whole(system))
        .map(|found| {
            let finding = stated(
                Id::MyDoublewrite,
                Severity::Error,
                "innodb_doublewrite",
                &found,
            )
            .with("page", size(system.innodb_page()));
            set(finding, "innodb_doublewrite", "ON")
        })
        .into_iter()
        .collect()
}

/// No doublewrite where records keep pages whole: safe, with conditions to know.
pub fn doublewrite_kept(system: &System) -> Vec<Finding> {
    doublewrite_off(system)
        .filter(|_| pages_whole(system))
        .map(|found| {
            let finding = stated(
                Id::MyDoublewriteKept,
                Severity::Note,
                "innodb_doublewrite",
                &found,
            )
            .with("page", size(system.innodb_page()));
            set(finding, "innodb_doublewrite", "ON")
        })
        .into_iter()
        .collect()
}

/// Native AIO on ZFS, where submitting waits for the I/O.
pub fn native_aio(system: &System) -> Vec<Finding> {
    if on_zfs(system).is_empty() {
        return Vec::new();
    }
    let name = "innodb_use_native_aio";
    system
        .innodb_switch(name)
        .filter(|found| found.value)
        .map(|found| {
            let found = Found::new("ON".to_string(), found.at);
            set(
                stated(Id::MyNativeAio, Severity::Note, name, &found),
                name,
                "OFF",
            )
        })
        .into_iter()
        .collect()
}

/// Neighbours flushed together although no head has to move.
pub fn flush_neighbors(system: &System) -> Vec<Finding> {
    let name = "innodb_flush_neighbors";
    let flash = on_zfs(system)
        .iter()
        .filter_map(|db| system.pool(db.dataset.pool()))
        .any(|pool| {
            pool.vdevs
                .iter()
                .flat_map(|vdev| &vdev.leaves)
                .any(|leaf| system.rotates(leaf) == Some(false) || models::flash(&leaf.name))
        });
    system
        .innodb(name)
        .filter(|found| flash && found.value != "0" && !found.value.eq_ignore_ascii_case("off"))
        .map(|found| {
            set(
                stated(Id::MyFlushNeighbors, Severity::Note, name, &found),
                name,
                "0",
            )
        })
        .into_iter()
        .collect()
}

/// A write-ahead size above the page, which the server cuts.
pub fn write_ahead(system: &System) -> Vec<Finding> {
    let name = "innodb_log_write_ahead_size";
    let page = system.innodb_page();
    let Some(bytes) = system.innodb_bytes(name).filter(|found| found.value > page) else {
        return Vec::new();
    };
    let found = Found::new(size(bytes.value), bytes.at);
    let finding = stated(Id::MyWriteAhead, Severity::Note, name, &found).with("page", size(page));
    vec![set(finding, name, &page.to_string())]
}

/// Page compression by the server on top of ZFS's.
pub fn compression(system: &System) -> Vec<Finding> {
    let name = "innodb_compression_default";
    let compressed = on_zfs(system).iter().any(|db| {
        db.dataset
            .get("compression")
            .is_some_and(|p| p.value != "off")
    });
    system
        .innodb_switch(name)
        .filter(|found| found.value && compressed)
        .map(|found| {
            let found = Found::new("ON".to_string(), found.at);
            set(
                stated(Id::MyCompression, Severity::Note, name, &found),
                name,
                "OFF",
            )
        })
        .into_iter()
        .collect()
}

/// Settings that only MariaDB knows beside settings that only MySQL knows.
pub fn two_servers(system: &System) -> Vec<Finding> {
    const MARIADB: [&str; 3] = [
        "innodb_compression_default",
        "innodb_use_atomic_writes",
        "aria_pagecache_buffer_size",
    ];
    const MYSQL: [&str; 4] = [
        "innodb_redo_log_capacity",
        "innodb_dedicated_server",
        "innodb_doublewrite_files",
        "innodb_doublewrite_pages",
    ];
    let first = |names: &[&'static str]| {
        names
            .iter()
            .find_map(|name| Some((*name, system.innodb(name)?)))
    };
    let (Some((maria, one)), Some((mysql, two))) = (first(&MARIADB), first(&MYSQL)) else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::MyTwoServers, Severity::Error, maria)
            .with("other", mysql)
            .because(&one.at, format!("{maria} = {}", one.value))
            .because(&two.at, format!("{mysql} = {}", two.value))
            .run(&["mysqld", "--validate-config"]),
    ]
}
