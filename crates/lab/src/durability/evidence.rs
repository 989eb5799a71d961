//! Evidence for the durability rules.

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
            Evidence::Source(source) => write!(f, "{source}; not shown here"),
        }
    }
}

/// The log drive of a pool that lies about flushes.
pub const LYING_LOG: Evidence = Evidence::Lab("powercut-log-drive --variant lying/flushed");
/// `sync=disabled`.
pub const SYNC_DISABLED: Evidence = Evidence::Lab("powercut-sync --variant disabled/5s");
/// `sync=disabled` on some of a database's datasets.
pub const SYNC_MIXED: Evidence =
    Evidence::Source("PostgreSQL documentation, reliability: the log is durable before pages");
/// A data drive that lies about flushes.
pub const LYING_DATA: Evidence =
    Evidence::Source("OpenZFS, vdev_label.c: labels are written after a flush of the data");
/// `zfs_nocacheflush=1`.
pub const NO_CACHE_FLUSH: Evidence = Evidence::Lab("powercut-log-drive --variant honest/unflushed");
/// `zil_nocacheflush=1`.
pub const ZIL_NO_CACHE_FLUSH: Evidence = Evidence::Source("zfs(4), zil_nocacheflush");
/// RAID 5 and 6 without a journal.
pub const WRITE_HOLE: Evidence = Evidence::Lab("powercut-raid5 --fail hdd0:cut");
/// `fsync=off`.
pub const FSYNC: Evidence = Evidence::Lab("powercut-postgresql --workload unsynced");
/// `fsync=off` on a file system without ZFS.
pub const FSYNC_ON_FILESYSTEM: Evidence = Evidence::Source("PostgreSQL documentation, fsync");
/// `synchronous_commit=off`.
pub const SYNCHRONOUS_COMMIT: Evidence =
    Evidence::Lab("powercut-postgresql --workload asynchronous");
/// A drive under a file system without ZFS that lies about flushes.
pub const LYING_UNDER_FILESYSTEM: Evidence = Evidence::Lab("powercut-filesystem --variant lying");
/// A file system that sends no flush.
pub const NO_BARRIER: Evidence =
    Evidence::Source("Linux, Documentation/admin-guide/ext4.rst: barrier, nobarrier");
/// `full_page_writes=off` on a file system without ZFS.
pub const TORN_PAGES: Evidence =
    Evidence::Lab("powercut-filesystem --workload postgresql --variant no-full-pages");
/// Pages of 8K that the intent log of ZFS divides where other records lie between them.
pub const TORN_RECORDS_OF_8K: Evidence = Evidence::Source("OpenZFS, zil_lwb_assign() in zil.c");
/// Pages that the intent log of ZFS tears.
pub const TORN_RECORDS: Evidence = Evidence::Lab("powercut-pages --pages 16K");
/// SQLite's `synchronous=off` on a file system without ZFS.
pub const SQLITE_OFF: Evidence = Evidence::Lab("powercut-sqlite --workload off");
/// The same on ZFS.
pub const SQLITE_OFF_ON_ZFS: Evidence =
    Evidence::Lab("powercut-sqlite --workload off --variant zfs");
/// SQLite's `synchronous=normal` with a write-ahead log.
pub const SQLITE_NORMAL: Evidence = Evidence::Lab("powercut-sqlite --workload wal-normal");
/// SQLite's rollback journal.
pub const SQLITE_DELETE: Evidence = Evidence::Lab("powercut-sqlite --workload delete-full");
/// `innodb_flush_method=nosync`.
pub const FLUSH_METHOD: Evidence = Evidence::Source("MariaDB documentation, innodb_flush_method");
/// `innodb_flush_log_at_trx_commit` 0 and 2.
pub const FLUSH_AT_COMMIT: Evidence =
    Evidence::Lab("powercut-mariadb --variant flushed-each-second");
/// `sync_binlog` other than 1.
pub const SYNC_BINLOG: Evidence = Evidence::Lab("powercut-mariadb --variant binlog-unsynced");
/// MariaDB's checkpoint, on ZFS.
pub const CHECKPOINT: Evidence =
    Evidence::Lab("powercut-mariadb --workload evicted --variant defaults");
/// MariaDB's checkpoint, on a file system with a page cache.
pub const CHECKPOINT_BUFFERED: Evidence =
    Evidence::Source("MariaDB, log_checkpoint() in buf0flu.cc");
/// `innodb_doublewrite=0` on drives without ZFS.
pub const DOUBLEWRITE_ON_FILESYSTEM: Evidence =
    Evidence::Source("MariaDB documentation, innodb_doublewrite");
/// `sync=disabled` on some of a server's datasets.
pub const INNODB_SYNC_MIXED: Evidence =
    Evidence::Source("MariaDB documentation, InnoDB redo log: the log is durable before pages");
/// `innodb_flush_method=O_DIRECT_NO_FSYNC` on ZFS.
pub const NO_FSYNC: Evidence =
    Evidence::Source("MySQL documentation, innodb_flush_method: O_DIRECT_NO_FSYNC skips fsync");
/// Intent logs of several datasets that end early.
pub const LOGS_APART: Evidence = Evidence::Source("OpenZFS, zil.c: each dataset has a log");
/// `zil_replay_disable=1`.
pub const NO_REPLAY: Evidence = Evidence::Source("zfs(4), zil_replay_disable");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durability::{Durability, assess};

    const LABS: [Evidence; 16] = [
        LYING_LOG, SYNC_DISABLED, NO_CACHE_FLUSH, WRITE_HOLE, FSYNC, SYNCHRONOUS_COMMIT,
        LYING_UNDER_FILESYSTEM, TORN_PAGES, TORN_RECORDS, SQLITE_OFF, SQLITE_OFF_ON_ZFS,
        SQLITE_NORMAL, SQLITE_DELETE, FLUSH_AT_COMMIT, SYNC_BINLOG, CHECKPOINT,
    ];

    /// A lab's safe variant loses nothing and shows nothing.
    #[test]
    fn a_lab_that_is_named_has_the_variant_that_loses() {
        for evidence in LABS {
            let Evidence::Lab(command) = evidence else { panic!("{evidence} is no lab") };
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
