//! Rules over PostgreSQL's settings, and over the datasets that it is on.

use super::evidence::{
    self,
    Evidence::{Lab, Source},
};
use super::{Durability, Reason, storage};
use crate::build_commands::full_name;
use crate::campaign::{Pgbench, Stack, Variant};
use crate::postgresql;
use crate::server_settings::switch;
use std::collections::BTreeSet;

/// `wal_writer_delay` where the lab does not say, seconds.
const WAL_WRITER_DELAY_S: f64 = 0.2;

/// What follows from a database's settings on a variant.
pub fn reasons(variant: &Variant, pgbench: &Pgbench) -> Vec<Reason> {
    let found = match variant.stack {
        Stack::Zfs => [unsynced_datasets(variant, pgbench), torn_records(variant, pgbench)],
        Stack::Filesystem(_) => [unsynced_filesystem(pgbench), torn_pages(pgbench)],
    };
    found.into_iter().flatten().chain(synchronous_commit(pgbench)).collect()
}

/// Whether a boolean is off; all of them are on by default.
fn is_off(pgbench: &Pgbench, setting: &str) -> bool {
    pgbench.settings.get(setting).and_then(|value| switch(value)) == Some(false)
}

fn unsynced_datasets(variant: &Variant, pgbench: &Pgbench) -> Option<Reason> {
    let datasets: BTreeSet<&str> = pgbench.directories.all().map(|(_, dataset)| dataset).collect();
    let never_syncs = is_off(pgbench, "fsync").then_some("fsync=off");
    let apart =
        "after a power cut the data and the write-ahead log are from different points in time";
    storage::unsynced(
        variant,
        &datasets,
        never_syncs,
        apart,
        (Lab(evidence::FSYNC), Lab(evidence::WAL_APART)),
    )
}

fn unsynced_filesystem(pgbench: &Pgbench) -> Option<Reason> {
    is_off(pgbench, "fsync").then(|| Reason {
        setting: "fsync=off".to_owned(),
        durability: Durability::MayCorrupt,
        why: "pages can be on the drives before the log records that describe them".to_owned(),
        evidence: Lab(evidence::FSYNC_ON_FILESYSTEM),
    })
}

fn synchronous_commit(pgbench: &Pgbench) -> Option<Reason> {
    is_off(pgbench, "synchronous_commit").then(|| {
        let stated = pgbench.settings.get("wal_writer_delay");
        let setting = postgresql::lookup("wal_writer_delay", None).ok().flatten();
        let delay = stated.zip(setting).and_then(|(value, setting)| setting.seconds(value));
        let delay = delay.unwrap_or(WAL_WRITER_DELAY_S);
        // To a millisecond, which is the unit of the setting.
        let seconds = (3000.0 * delay).round() / 1000.0;
        Reason {
            setting: "synchronous_commit=off".to_owned(),
            durability: Durability::LosesLast { seconds: Some(seconds) },
            why: "commits are acknowledged up to three times wal_writer_delay before their WAL is flushed"
                .to_owned(),
            evidence: Lab(evidence::SYNCHRONOUS_COMMIT),
        }
    })
}

/// Pages that cannot be repaired from the log if the intent log of the data's dataset tears them. PostgreSQL opens no
/// file with O_DIRECT.
fn torn_records(variant: &Variant, pgbench: &Pgbench) -> Option<Reason> {
    if !is_off(pgbench, "full_page_writes") {
        return None;
    }
    let mut data = pgbench.directories.all().filter(|(key, _)| *key != "wal");
    let (dataset, why) = data.find_map(|(_, dataset)| {
        Some((dataset, storage::torn_page(variant, dataset, postgresql::PAGE, false)?))
    })?;
    Some(Reason {
        setting: format!("full_page_writes=off on {}", full_name(dataset)),
        durability: Durability::MayCorrupt,
        why,
        evidence: Source("OpenZFS, zil_lwb_assign() in zil.c"),
    })
}

fn torn_pages(pgbench: &Pgbench) -> Option<Reason> {
    is_off(pgbench, "full_page_writes").then(|| Reason {
        setting: "full_page_writes=off".to_owned(),
        durability: Durability::MayCorrupt,
        why: "the drives and the file system write in units smaller than a page of 8 KiB, so a power cut can tear one"
            .to_owned(),
        evidence: Lab(evidence::TORN_PAGES),
    })
}
