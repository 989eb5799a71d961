//! Rules over PostgreSQL's settings, and over the datasets that it is on.

use super::{Durability, Reason, evidence, storage};
use crate::campaign::{Pgbench, Stack, Variant};
use crate::postgresql;
use std::collections::BTreeSet;

/// Bytes of a page of PostgreSQL.
const PAGE: u64 = 8192;
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
    let value = pgbench.settings.get(setting).map(|value| value.to_ascii_lowercase());
    value.is_some_and(|value| ["off", "false", "no", "0"].contains(&value.as_str()))
}

/// Datasets on which nothing is durable before its transaction group. Where all of the database is on such, it
/// returns to one moment; otherwise parts of it return to different ones.
fn unsynced_datasets(variant: &Variant, pgbench: &Pgbench) -> Option<Reason> {
    let fsync_off = is_off(pgbench, "fsync");
    let unsynced = |dataset: &str| match variant.property(dataset, "sync") {
        Some("disabled") => true,
        Some("always") => false,
        _ => fsync_off,
    };
    let all: BTreeSet<&str> = pgbench.directories.all().map(|(_, dataset)| dataset).collect();
    let (late, durable): (Vec<&str>, Vec<&str>) = all.into_iter().partition(|d| unsynced(d));
    let first = *late.first()?;
    let names = late.iter().map(|dataset| storage::named(dataset)).collect::<Vec<_>>().join(", ");
    let by_property = variant.property(first, "sync") == Some("disabled");
    let setting = match by_property {
        true => format!("sync=disabled on {names}"),
        false => format!("fsync=off on {names}"),
    };
    Some(match durable.is_empty() {
        true => Reason {
            setting,
            durability: storage::lost_groups(variant),
            why: storage::lost_groups_why(variant),
            evidence: if by_property { evidence::SYNC_DISABLED } else { evidence::FSYNC },
        },
        false => {
            let durable: Vec<String> = durable.into_iter().map(storage::named).collect();
            Reason {
                setting: format!("{setting}, but not on {}", durable.join(", ")),
                durability: Durability::MayCorrupt,
                why: "data and write-ahead log return to different moments".to_owned(),
                evidence: evidence::SYNC_MIXED,
            }
        }
    })
}

fn unsynced_filesystem(pgbench: &Pgbench) -> Option<Reason> {
    is_off(pgbench, "fsync").then(|| Reason {
        setting: "fsync=off".to_owned(),
        durability: Durability::MayCorrupt,
        why: "pages can be on the drives before the log records that describe them".to_owned(),
        evidence: evidence::FSYNC,
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
            why: "commits are acknowledged before they are in the log: three times wal_writer_delay at most"
                .to_owned(),
            evidence: evidence::SYNCHRONOUS_COMMIT,
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
        Some((dataset, storage::torn_page(variant, dataset, PAGE, false)?))
    })?;
    Some(Reason {
        setting: format!("full_page_writes=off on {}", storage::named(dataset)),
        durability: Durability::MayCorrupt,
        why,
        evidence: evidence::TORN_RECORDS_OF_8K,
    })
}

fn torn_pages(pgbench: &Pgbench) -> Option<Reason> {
    is_off(pgbench, "full_page_writes").then(|| Reason {
        setting: "full_page_writes=off".to_owned(),
        durability: Durability::MayCorrupt,
        why: "drives and file system write less than a page of 8 KiB at once, and the cut can tear it"
            .to_owned(),
        evidence: evidence::TORN_PAGES,
    })
}
