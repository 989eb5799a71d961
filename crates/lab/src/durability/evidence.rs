//! Evidence for the durability rules: the built-in labs that show what a rule says, with options where they need some.

use serde::Serialize;
use std::fmt;

/// Evidence for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A built-in lab, with options where it needs some: `poolwright powercut LAB` shows it.
    Lab(&'static str),
    /// An external source; no lab or test here shows it.
    Source(&'static str),
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Lab(lab) => write!(f, "poolwright powercut {lab}"),
            Evidence::Source(source) => write!(f, "{source}; no power-cut lab reproduces it"),
        }
    }
}

/// A log drive that acknowledges flushes and keeps its cache.
pub const LYING_LOG: &str = "powercut-log-drive --variant lying/flushed";
/// The same of a database on several datasets, each of which has a log of its own.
pub const LYING_LOG_OF_DATASETS: &str = "powercut-postgresql --variant log-lying";
/// `sync=disabled`.
pub const SYNC_DISABLED: &str = "powercut-sync --variant disabled/5s";
/// `zfs_nocacheflush=1` over a volatile cache.
pub const NO_CACHE_FLUSH: &str = "powercut-log-drive --variant honest/unflushed";
/// A RAID 5 of md of which a drive fails with the power.
pub const WRITE_HOLE: &str = "powercut-raid5 --fail hdd0:cut";
/// `fsync=off` of PostgreSQL on ZFS.
pub const FSYNC: &str = "powercut-postgresql --workload unsynced";
/// `synchronous_commit=off` of PostgreSQL.
pub const SYNCHRONOUS_COMMIT: &str = "powercut-postgresql --workload asynchronous";
/// A drive under ext4 that acknowledges flushes and keeps its cache.
pub const LYING_UNDER_FILESYSTEM: &str = "powercut-filesystem --variant lying";
/// `full_page_writes=off` of PostgreSQL on a file system without ZFS.
pub const TORN_PAGES: &str = "powercut-filesystem --workload postgresql --variant no-full-pages";
/// `innodb_doublewrite=0` on a file system without ZFS.
pub const NO_DOUBLEWRITE: &str = "powercut-filesystem --workload mariadb --variant no-doublewrite";
/// A first page of a table's file that is torn and that MariaDB does not restore. A second of writing has some ten
/// moments of a few milliseconds in which one is being written, so that few states show it.
pub const FIRST_PAGE: &str =
    "powercut-filesystem --workload mariadb --seconds 1 --states 1000 --seed 1001";
/// Pages that MySQL writes without flushing their copies.
pub const LATE_COPIES: &str = "powercut-mysql --variant direct";
/// The same on ZFS, in records that are larger than a page.
pub const LATE_COPIES_ON_ZFS: &str = "powercut-mysql --variant zfs-128k-direct";
/// `zil_replay_disable=1`.
pub const NO_REPLAY: &str = "powercut-zil --variant no-replay";
/// `zil_nocacheflush=1` over a volatile cache.
pub const ZIL_NO_CACHE_FLUSH: &str = "powercut-zil --variant zil-unflushed";
/// Drives of data that acknowledge flushes and keep their cache.
pub const LYING_DATA: &str = "powercut-zil --variant lying";
/// ext4 with `nobarrier` over a volatile cache.
pub const NO_BARRIER: &str = "powercut-filesystem --variant nobarrier";
/// `fsync=off` of PostgreSQL on ext4.
pub const FSYNC_ON_FILESYSTEM: &str =
    "powercut-filesystem --workload postgresql --variant unsynced";
/// PostgreSQL's data is durable and its WAL is not.
pub const WAL_APART: &str = "powercut-postgresql --variant wal-disabled";
/// InnoDB's data is durable and its redo log is not.
pub const REDO_APART: &str = "powercut-mariadb --variant redo-disabled";
/// `innodb_flush_method=nosync` on ZFS.
pub const NOSYNC: &str = "powercut-mariadb --variant unsynced";
/// The same on ext4.
pub const NOSYNC_ON_FILESYSTEM: &str = "powercut-filesystem --workload mariadb --variant unsynced";
/// `innodb_flush_method=O_DIRECT_NO_FSYNC` on ZFS.
pub const DIRECT_NO_FSYNC: &str = "powercut-mariadb --workload evicted --variant direct-unsynced";
/// Pages that the intent log of ZFS tears.
pub const TORN_RECORDS: &str = "powercut-pages --pages 16K";
/// `synchronous=off` of SQLite on ext4.
pub const SQLITE_OFF: &str = "powercut-sqlite --workload off";
/// The same on ZFS.
pub const SQLITE_OFF_ON_ZFS: &str = "powercut-sqlite --workload off --variant zfs";
/// `synchronous=normal` of SQLite with a write-ahead log.
pub const SQLITE_NORMAL: &str = "powercut-sqlite --workload wal-normal";
/// `journal_mode=delete` of SQLite, whose journal is deleted without a flush of the directory.
pub const SQLITE_DELETE: &str = "powercut-sqlite --workload delete-full";
/// `innodb_flush_log_at_trx_commit` other than 1.
pub const FLUSH_AT_COMMIT: &str = "powercut-mariadb --variant flushed-each-second";
/// `sync_binlog` other than 1.
pub const SYNC_BINLOG: &str = "powercut-mariadb --variant binlog-unsynced";
/// MariaDB's checkpoint passes pages that wait for fsync, on ZFS.
pub const CHECKPOINT: &str = "powercut-mariadb --workload evicted --variant defaults";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durability::{Durability, assess};

    const LABS: [&str; 31] = [
        LYING_LOG, SYNC_DISABLED, NO_CACHE_FLUSH, WRITE_HOLE, FSYNC, SYNCHRONOUS_COMMIT,
        LYING_UNDER_FILESYSTEM, TORN_PAGES, TORN_RECORDS, SQLITE_OFF, SQLITE_OFF_ON_ZFS,
        SQLITE_NORMAL, SQLITE_DELETE, FLUSH_AT_COMMIT, SYNC_BINLOG, CHECKPOINT, NO_DOUBLEWRITE,
        FIRST_PAGE, LATE_COPIES, LATE_COPIES_ON_ZFS, NO_REPLAY, ZIL_NO_CACHE_FLUSH, LYING_DATA,
        NO_BARRIER, FSYNC_ON_FILESYSTEM, WAL_APART, REDO_APART, NOSYNC, NOSYNC_ON_FILESYSTEM,
        DIRECT_NO_FSYNC, LYING_LOG_OF_DATASETS,
    ];

    /// A lab's safe variant loses nothing and shows nothing.
    #[test]
    fn a_lab_that_is_named_has_the_variant_that_loses() {
        for command in LABS {
            let mut words = command.split(' ');
            let name = words.next().unwrap();
            let text = crate::builtin::lab(name).unwrap_or_else(|| panic!("no lab {name}"));
            let campaign = crate::durability::tests::load(text);
            let options: Vec<&str> = words.collect();
            let of = |option: &str| {
                let at = options.iter().position(|word| *word == option)?;
                options.get(at + 1).copied()
            };
            let variant = of("--variant").unwrap_or(&campaign.method.baseline);
            let variant = campaign.variants.iter().find(|known| known.name == variant);
            let variant = variant.unwrap_or_else(|| panic!("{command}: no such variant"));
            let workload = of("--workload").unwrap_or(&campaign.workloads[0].name);
            let workload = campaign.workloads.iter().find(|known| known.name == workload);
            let workload = workload.unwrap_or_else(|| panic!("{command}: no such workload"));
            // Pages are written in place of the workload.
            if of("--pages").is_none() {
                let found = assess(variant, workload).durability;
                assert_ne!(found, Durability::KeepsAcknowledged, "{command}");
            }
        }
    }
}
