//! Evidence for the durability rules.

use Evidence::Lab;
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

// The labs that show what a rule says.
pub const LYING_LOG: Evidence = Lab("powercut-log-drive --variant lying/flushed");
/// The same of a database on several datasets, each of which has a log of its own.
pub const LYING_LOG_OF_DATASETS: Evidence = Lab("powercut-postgresql --variant log-lying");
pub const SYNC_DISABLED: Evidence = Lab("powercut-sync --variant disabled/5s");
pub const NO_CACHE_FLUSH: Evidence = Lab("powercut-log-drive --variant honest/unflushed");
pub const WRITE_HOLE: Evidence = Lab("powercut-raid5 --fail hdd0:cut");
pub const FSYNC: Evidence = Lab("powercut-postgresql --workload unsynced");
pub const SYNCHRONOUS_COMMIT: Evidence = Lab("powercut-postgresql --workload asynchronous");
pub const LYING_UNDER_FILESYSTEM: Evidence = Lab("powercut-filesystem --variant lying");
/// `full_page_writes=off` of PostgreSQL on a file system without ZFS.
pub const TORN_PAGES: Evidence =
    Lab("powercut-filesystem --workload postgresql --variant no-full-pages");
/// `innodb_doublewrite=0` on a file system without ZFS.
pub const NO_DOUBLEWRITE: Evidence =
    Lab("powercut-filesystem --workload mariadb --variant no-doublewrite");
/// A first page of a table's file that is torn and that MariaDB does not restore. A second of writing has some ten
/// moments of a few milliseconds in which one is being written, so that few states show it.
pub const FIRST_PAGE: Evidence =
    Lab("powercut-filesystem --workload mariadb --seconds 1 --states 1000 --seed 1001");
/// Pages that MySQL writes without flushing their copies.
pub const LATE_COPIES: Evidence = Lab("powercut-mysql --variant direct");
pub const LATE_COPIES_ON_ZFS: Evidence = Lab("powercut-mysql --variant zfs-128k-direct");
pub const NO_REPLAY: Evidence = Lab("powercut-zil --variant no-replay");
pub const ZIL_NO_CACHE_FLUSH: Evidence = Lab("powercut-zil --variant zil-unflushed");
pub const LYING_DATA: Evidence = Lab("powercut-zil --variant lying");
pub const NO_BARRIER: Evidence = Lab("powercut-filesystem --variant nobarrier");
pub const FSYNC_ON_FILESYSTEM: Evidence =
    Lab("powercut-filesystem --workload postgresql --variant unsynced");
pub const WAL_APART: Evidence = Lab("powercut-postgresql --variant wal-disabled");
pub const REDO_APART: Evidence = Lab("powercut-mariadb --variant redo-disabled");
pub const NOSYNC: Evidence = Lab("powercut-mariadb --variant unsynced");
pub const NOSYNC_ON_FILESYSTEM: Evidence =
    Lab("powercut-filesystem --workload mariadb --variant unsynced");
pub const DIRECT_NO_FSYNC: Evidence =
    Lab("powercut-mariadb --workload evicted --variant direct-unsynced");
/// Pages that the intent log of ZFS tears.
pub const TORN_RECORDS: Evidence = Lab("powercut-pages --pages 16K");
pub const SQLITE_OFF: Evidence = Lab("powercut-sqlite --workload off");
pub const SQLITE_OFF_ON_ZFS: Evidence = Lab("powercut-sqlite --workload off --variant zfs");
pub const SQLITE_NORMAL: Evidence = Lab("powercut-sqlite --workload wal-normal");
pub const SQLITE_DELETE: Evidence = Lab("powercut-sqlite --workload delete-full");
pub const FLUSH_AT_COMMIT: Evidence = Lab("powercut-mariadb --variant flushed-each-second");
pub const SYNC_BINLOG: Evidence = Lab("powercut-mariadb --variant binlog-unsynced");
pub const CHECKPOINT: Evidence = Lab("powercut-mariadb --workload evicted --variant defaults");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durability::{Durability, assess};

    const LABS: [Evidence; 31] = [
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
        for evidence in LABS {
            let Lab(command) = evidence else { panic!("{evidence} is no lab") };
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
