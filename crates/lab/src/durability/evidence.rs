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
pub const LYING_LOG: Evidence = Evidence::Lab("powercut-log-drive");
/// `sync=disabled`.
pub const SYNC_DISABLED: Evidence = Evidence::Lab("powercut-sync");
/// `sync=disabled` on some of a database's datasets.
pub const SYNC_MIXED: Evidence = Evidence::Lab("powercut-postgresql");
/// A data drive that lies about flushes.
pub const LYING_DATA: Evidence =
    Evidence::Source("OpenZFS, vdev_label.c: labels are written after a flush of the data");
/// `zfs_nocacheflush=1`.
pub const NO_CACHE_FLUSH: Evidence = Evidence::Lab("powercut-log-drive");
/// `zil_nocacheflush=1`.
pub const ZIL_NO_CACHE_FLUSH: Evidence = Evidence::Source("zfs(4), zil_nocacheflush");
/// RAID 5 and 6 without a journal.
pub const WRITE_HOLE: Evidence = Evidence::Lab("powercut-raid5");
/// `fsync=off`.
pub const FSYNC: Evidence = Evidence::Lab("powercut-postgresql");
/// `synchronous_commit=off`.
pub const SYNCHRONOUS_COMMIT: Evidence = Evidence::Lab("powercut-postgresql");
/// A drive under a file system without ZFS that lies about flushes.
pub const LYING_UNDER_FILESYSTEM: Evidence = Evidence::Lab("powercut-filesystem");
/// `full_page_writes=off` on a file system without ZFS.
pub const TORN_PAGES: Evidence = Evidence::Lab("powercut-filesystem");
/// Pages of 8K that the intent log of ZFS divides where other records lie between them.
pub const TORN_RECORDS_OF_8K: Evidence = Evidence::Source("OpenZFS, zil_lwb_assign() in zil.c");
/// Pages that the intent log of ZFS tears.
pub const TORN_RECORDS: Evidence = Evidence::Lab("powercut-pages --pages 16K");
/// SQLite's `synchronous`.
pub const SQLITE_SYNCHRONOUS: Evidence = Evidence::Lab("powercut-sqlite");
/// `innodb_flush_method=nosync`.
pub const FLUSH_METHOD: Evidence = Evidence::Source("MariaDB documentation, innodb_flush_method");
/// `innodb_flush_log_at_trx_commit` 0 and 2.
pub const FLUSH_AT_COMMIT: Evidence = Evidence::Lab("powercut-mariadb");
/// `sync_binlog` other than 1.
pub const SYNC_BINLOG: Evidence = Evidence::Lab("powercut-mariadb");
/// MariaDB's checkpoint, on ZFS.
pub const CHECKPOINT: Evidence = Evidence::Lab("powercut-mariadb");
/// MariaDB's checkpoint, on a file system with a page cache.
pub const CHECKPOINT_BUFFERED: Evidence =
    Evidence::Source("MariaDB, log_checkpoint() in buf0flu.cc");
/// `innodb_doublewrite=0` on drives without ZFS.
pub const DOUBLEWRITE_ON_ARRAY: Evidence =
    Evidence::Source("MariaDB documentation, innodb_doublewrite");
/// `sync=disabled` on some of a server's datasets.
pub const INNODB_SYNC_MIXED: Evidence =
    Evidence::Source("MariaDB documentation, InnoDB redo log: the log is durable before pages");
