//! Rules over SQLite's settings, and over the dataset that it is on.

use super::evidence::{self, Evidence::Lab};
use super::{Durability, Reason, storage};
use crate::campaign::{JournalMode, Sqlite, Synchronous, Variant};

/// What follows from a database's settings on a variant.
pub fn reasons(variant: &Variant, dataset: &str, sqlite: &Sqlite) -> Vec<Reason> {
    match variant.property(dataset, "sync") {
        // The pool's own rule says it all: the file returns to the last transaction group.
        Some("disabled") => storage::sync_disabled(variant, dataset).into_iter().collect(),
        Some("always") => Vec::new(),
        _ => of_settings(variant, sqlite).into_iter().collect(),
    }
}

fn of_settings(variant: &Variant, sqlite: &Sqlite) -> Option<Reason> {
    let (setting, on_filesystem, why, evidence) = match (sqlite.synchronous, sqlite.journal_mode) {
        (Synchronous::Full, JournalMode::Wal) => return None,
        (Synchronous::Off, _) => (
            "synchronous=off".to_owned(),
            Durability::MayCorrupt,
            "pages can be on the drives before the journal or the log that describes them",
            if variant.is_zfs() {
                Lab(evidence::SQLITE_OFF_ON_ZFS)
            } else {
                Lab(evidence::SQLITE_OFF)
            },
        ),
        (Synchronous::Normal, JournalMode::Wal) => (
            "synchronous=normal with journal_mode=wal".to_owned(),
            Durability::LosesLast { seconds: None },
            "commits are durable only after the next checkpoint of the write-ahead log",
            Lab(evidence::SQLITE_NORMAL),
        ),
        (synchronous, JournalMode::Delete) => (
            format!("synchronous={} with journal_mode=delete", synchronous.name()),
            Durability::LosesLast { seconds: None },
            "a commit deletes its journal without syncing the directory: if the journal reappears after a power cut, SQLite rolls the commit back",
            Lab(evidence::SQLITE_DELETE),
        ),
    };
    Some(match variant.is_zfs() {
        true => storage::lost_groups(variant, setting, evidence),
        false => Reason { setting, durability: on_filesystem, why: why.to_owned(), evidence },
    })
}
