//! `postgresql.conf`.

use super::{Change, Finding, Id, Severity};
use crate::system::{Database, Engine, System};
use crate::words::size;

fn set(finding: Finding, name: &str, value: &str) -> Finding {
    finding.change(Change::Postgresql {
        name: name.to_string(),
        value: value.to_string(),
    })
}

/// PostgreSQL's databases on ZFS, where any is known.
fn on_zfs(system: &System) -> Vec<Database<'_>> {
    system
        .databases()
        .into_iter()
        .filter(|db| db.engine == Engine::Postgresql)
        .collect()
}

/// A switch that is set to `wrong`.
fn switch(
    system: &System,
    id: Id,
    severity: Severity,
    name: &'static str,
    wrong: bool,
) -> Option<Finding> {
    let found = system
        .postgres_switch(name)
        .filter(|found| found.value == wrong)?;
    let (is, fix) = if wrong { ("on", "off") } else { ("off", "on") };
    Some(set(
        Finding::new(id, severity, name).because(&found.at, format!("{name} = {is}")),
        name,
        fix,
    ))
}

/// `fsync = off`.
pub fn fsync(system: &System) -> Vec<Finding> {
    switch(system, Id::PgFsync, Severity::Error, "fsync", false)
        .into_iter()
        .collect()
}

/// `full_page_writes = off` where a page may span records.
pub fn full_page_writes(system: &System) -> Vec<Finding> {
    let torn = on_zfs(system).iter().any(|db| {
        // 8K pages within one record each: the record holds them and none straddles two.
        db.dataset
            .bytes("recordsize")
            .is_none_or(|record| record < db.page)
    });
    let unknown = on_zfs(system).is_empty();
    (torn || unknown)
        .then(|| {
            switch(
                system,
                Id::PgFullPageWrites,
                Severity::Error,
                "full_page_writes",
                false,
            )
        })
        .flatten()
        .into_iter()
        .collect()
}

/// `full_page_writes = off` where records keep pages whole: safe here, with conditions to know.
pub fn full_page_writes_kept(system: &System) -> Vec<Finding> {
    let databases = on_zfs(system);
    let whole = !databases.is_empty()
        && databases.iter().all(|db| {
            db.dataset
                .bytes("recordsize")
                .is_some_and(|record| record >= db.page)
        });
    let Some(found) = system
        .postgres_switch("full_page_writes")
        .filter(|f| !f.value && whole)
    else {
        return Vec::new();
    };
    let mut finding = Finding::new(Id::PgFullPageWritesKept, Severity::Note, "full_page_writes")
        .because(&found.at, "full_page_writes = off");
    if let Some(property) = databases
        .first()
        .and_then(|db| db.dataset.get("recordsize"))
    {
        finding = finding.property("recordsize", property);
    }
    vec![set(finding, "full_page_writes", "on")]
}

/// `synchronous_commit = off`.
pub fn synchronous_commit(system: &System) -> Vec<Finding> {
    system
        .postgres("synchronous_commit")
        .filter(|found| matches!(found.value.as_str(), "off" | "false" | "no" | "0"))
        .map(|found| {
            let finding = Finding::new(
                Id::PgSynchronousCommit,
                Severity::Warning,
                "synchronous_commit",
            )
            .because(&found.at, format!("synchronous_commit = {}", found.value));
            set(finding, "synchronous_commit", "on")
        })
        .into_iter()
        .collect()
}

fn zero_or_recycle(system: &System, id: Id, name: &'static str) -> Vec<Finding> {
    // Both default to on; a file that leaves them out has them on.
    let on = system.postgres_switch(name).is_none_or(|found| found.value);
    let databases = on_zfs(system);
    let Some(database) = databases
        .first()
        .filter(|_| on && !system.postgresql.is_empty())
    else {
        return Vec::new();
    };
    let finding = Finding::new(id, Severity::Note, name)
        .because(&database.dataset.place(), database.dataset.name.clone());
    let finding = match system.postgres(name) {
        Some(found) => finding.because(&found.at, format!("{name} = {}", found.value)),
        None => finding,
    };
    vec![set(finding, name, "off")]
}

/// `wal_init_zero = on` on ZFS.
pub fn wal_init_zero(system: &System) -> Vec<Finding> {
    zero_or_recycle(system, Id::PgWalInitZero, "wal_init_zero")
}

/// `wal_recycle = on` on ZFS.
pub fn wal_recycle(system: &System) -> Vec<Finding> {
    zero_or_recycle(system, Id::PgWalRecycle, "wal_recycle")
}

/// `effective_io_concurrency` on a ZFS that ignores the hint.
pub fn effective_io_concurrency(system: &System) -> Vec<Finding> {
    // posix_fadvise came to Linux with OpenZFS 2.2 (zpl_fadvise).
    let Some(version) = system.openzfs.as_ref().filter(|v| v.value < (2, 2)) else {
        return Vec::new();
    };
    let Some(found) = system.postgres("effective_io_concurrency") else {
        return Vec::new();
    };
    let asked: u64 = found.value.parse().unwrap_or(0);
    if asked <= 1 || on_zfs(system).is_empty() {
        return Vec::new();
    }
    let finding = Finding::new(
        Id::PgIoConcurrency,
        Severity::Note,
        "effective_io_concurrency",
    )
    .with("asked", asked)
    .because(&found.at, format!("effective_io_concurrency = {asked}"))
    .because(
        &version.at,
        format!("OpenZFS {}.{}", version.value.0, version.value.1),
    );
    vec![set(finding, "effective_io_concurrency", "0")]
}

/// `random_page_cost` of a disk on a pool of SSDs.
pub fn random_page_cost(system: &System) -> Vec<Finding> {
    let cost = system.postgres("random_page_cost");
    let value: f64 = match &cost {
        Some(found) => found.value.parse().unwrap_or(0.0),
        None if !system.postgresql.is_empty() => 4.0,
        None => return Vec::new(),
    };
    let databases = on_zfs(system);
    let Some(pool) = databases
        .first()
        .and_then(|db| system.pool(db.dataset.pool()))
    else {
        return Vec::new();
    };
    let mut leaves = pool
        .of(facts::zpool_status::Class::Normal)
        .flat_map(|v| &v.leaves)
        .peekable();
    let flash = leaves.peek().is_some() && leaves.all(|leaf| system.rotates(leaf) == Some(false));
    if value < 4.0 || !flash {
        return Vec::new();
    }
    let mut finding = Finding::new(Id::PgRandomPageCost, Severity::Note, "random_page_cost")
        .with("cost", value)
        .because(&pool.place(), pool.name.clone());
    if let Some(found) = cost {
        finding = finding.because(&found.at, format!("random_page_cost = {}", found.value));
    }
    vec![set(finding, "random_page_cost", "1.1")]
}

/// `max_wal_size` left at 1 GB where checkpoints come early and each rewrites full pages.
pub fn max_wal_size(system: &System) -> Vec<Finding> {
    let Some(memory) = system.memory.as_ref().filter(|m| m.value >= 32 << 30) else {
        return Vec::new();
    };
    if system.postgresql.is_empty() {
        return Vec::new();
    }
    let found = system.postgres_bytes("max_wal_size", 1 << 20);
    let bytes = found.as_ref().map_or(1 << 30, |found| found.value);
    if bytes > 1 << 30 {
        return Vec::new();
    }
    let mut finding = Finding::new(Id::PgMaxWalSize, Severity::Note, "max_wal_size")
        .with("size", size(bytes))
        .because(&memory.at, format!("memory {}", size(memory.value)));
    if let Some(found) = found {
        finding = finding.because(&found.at, format!("max_wal_size = {}", size(found.value)));
    }
    vec![set(finding, "max_wal_size", "16GB")]
}
