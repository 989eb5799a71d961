//! Rules over MariaDB's and MySQL's settings, and over the datasets that it is on.

use super::evidence::{
    self,
    Evidence::{self, Lab, Source},
};
use super::{Durability, Reason, storage};
use crate::build_commands::full_name;
use crate::campaign::{FilesystemOnDrives, Stack, Sysbench, Variant};
use crate::mysql;
use std::collections::BTreeSet;

/// Seconds between flushes of the redo log where the lab does not say (`innodb_flush_log_at_timeout`).
const FLUSH_TIMEOUT_S: u64 = 1;

/// What follows from a server's settings on a variant.
pub fn reasons(variant: &Variant, sysbench: &Sysbench) -> Vec<Reason> {
    let found = match &variant.stack {
        Stack::Zfs => [
            unsynced_datasets(variant, sysbench),
            unsynced_data(variant, sysbench),
            torn_records(variant, sysbench),
            copies_after_records(variant, sysbench),
        ],
        Stack::Filesystem(on_drives) => {
            // What is not torn needs no copy.
            let torn = storage::tears_on_filesystem(variant, on_drives, page(sysbench));
            [
                unsynced_filesystem(sysbench),
                torn_pages(sysbench).filter(|_| torn),
                first_page(sysbench).filter(|_| torn),
                copies_after_pages(variant, on_drives, sysbench).filter(|_| torn),
            ]
        }
    };
    let others = [
        early_checkpoint(variant, sysbench),
        late_redo(variant, sysbench),
        late_binlog(variant, sysbench),
    ];
    found.into_iter().chain(others).flatten().collect()
}

/// InnoDB's page, bytes.
fn page(sysbench: &Sysbench) -> u64 {
    sysbench.number("innodb_page_size", mysql::PAGE)
}

/// Whether `innodb_flush_method` has a value, in small letters.
fn has_method(sysbench: &Sysbench, word: &str) -> bool {
    sysbench.word("innodb_flush_method").is_some_and(|method| method == word)
}

/// Whether the server asks for no flush at all (`innodb_flush_method=nosync`).
fn never_syncs(sysbench: &Sysbench) -> bool {
    has_method(sysbench, "nosync")
}

/// Whether writes of pages go through a cache of the host: `fsync`, the default of MySQL before 8.4 and of MariaDB before
/// 10.6, and `littlesync`; `O_DSYNC` of MySQL, which is for its log files; or `innodb_data_file_buffering` of MariaDB 11.0
/// and later. `O_DIRECT` is the default of later versions.
pub fn buffers_pages(sysbench: &Sysbench) -> bool {
    let is_mysql = sysbench.server == mysql::Server::Mysql;
    let first_direct = if is_mysql { 804 } else { 1006 };
    let method = sysbench.word("innodb_flush_method").map_or_else(
        || sysbench.version.is_some_and(|version| version < first_direct),
        |method| match method.as_str() {
            "fsync" | "littlesync" => true,
            "o_dsync" => is_mysql,
            _ => false,
        },
    );
    method || sysbench.is_on("innodb_data_file_buffering", false)
}

/// Whether MariaDB's pages are durable when they are written.
fn writes_pages_through(sysbench: &Sysbench) -> bool {
    let set = sysbench.is_on("innodb_data_file_write_through", false);
    let since_11 = sysbench.version.map(|version| version >= 1100);
    mysql::writes_pages_through(sysbench.word("innodb_flush_method").as_deref(), set, since_11)
}

/// MariaDB syncs its data files first and then reads which page is the oldest that is not written yet
/// (`log_checkpoint()` in buf0flu.cc, from 10.6 to 11.8). Pages that were written while their file was being synced are
/// not durable, but the checkpoint passes them. A cut loses them where written pages wait in memory for fsync.
fn early_checkpoint(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    let is_mariadb = sysbench.server == mysql::Server::Mariadb;
    if !is_mariadb || writes_pages_through(sysbench) || never_syncs(sysbench) {
        return None;
    }
    let dataset = sysbench.directories.data.as_str();
    let (pages, evidence) = match variant.stack {
        // Disabled is a rule of its own.
        Stack::Zfs => match variant.property(dataset, "sync") {
            Some("always" | "disabled") => return None,
            _ => (format!("sync=standard on {}", full_name(dataset)), Lab(evidence::CHECKPOINT)),
        },
        Stack::Filesystem(_) if buffers_pages(sysbench) => {
            ("buffered data files".to_owned(), Source("MariaDB, log_checkpoint() in buf0flu.cc"))
        }
        Stack::Filesystem(_) => return None,
    };
    Some(Reason {
        setting: format!("MariaDB with {pages}"),
        durability: Durability::MayCorrupt,
        why: "its checkpoint can advance past pages that were written while their file was being synced; a power cut then loses these pages"
            .to_owned(),
        evidence,
    })
}

/// Datasets of data and redo log.
pub fn own_datasets(sysbench: &Sysbench) -> BTreeSet<&str> {
    let own = sysbench.directories.all().filter(|(key, _)| *key != "binlog");
    own.map(|(_, dataset)| dataset).collect()
}

fn unsynced_datasets(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    let never_syncs = never_syncs(sysbench).then_some("innodb_flush_method=nosync");
    let apart = "after a power cut the data and the redo log are from different points in time";
    let evidence = (Lab(evidence::NOSYNC), Lab(evidence::REDO_APART));
    storage::unsynced(variant, &own_datasets(sysbench), never_syncs, apart, evidence)
}

/// Data files that the server does not sync after direct writes. On ZFS a direct write is on the drives, but refers to
/// nothing before fsync or its transaction group.
fn unsynced_data(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    let unsynced = has_method(sysbench, "o_direct_no_fsync");
    let dataset = sysbench.directories.data.as_str();
    // Disabled is a rule of its own.
    let durable = matches!(variant.property(dataset, "sync"), Some("always" | "disabled"));
    (unsynced && !durable).then(|| Reason {
        setting: format!("innodb_flush_method=O_DIRECT_NO_FSYNC on {}", full_name(dataset)),
        durability: Durability::MayCorrupt,
        why: "checkpoints advance past pages that become durable only with their transaction group"
            .to_owned(),
        evidence: Lab(evidence::DIRECT_NO_FSYNC),
    })
}

fn unsynced_filesystem(sysbench: &Sysbench) -> Option<Reason> {
    never_syncs(sysbench).then(|| Reason {
        setting: "innodb_flush_method=nosync".to_owned(),
        durability: Durability::MayCorrupt,
        why: "pages can be on the drives before the redo log that describes them".to_owned(),
        evidence: Lab(evidence::NOSYNC_ON_FILESYSTEM),
    })
}

/// Whether what is written to the redo log is durable without a flush.
fn writes_redo_through(variant: &Variant, sysbench: &Sysbench) -> bool {
    let directories = &sysbench.directories;
    let dataset = directories.redo.as_ref().unwrap_or(&directories.data);
    let by_method = sysbench.server == mysql::Server::Mysql && has_method(sysbench, "o_dsync");
    by_method
        || sysbench.is_on("innodb_log_file_write_through", false)
        || variant.property(dataset, "sync") == Some("always")
}

/// Commits that are acknowledged before they are in the redo log (0) or before it is durable (2).
fn late_redo(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    const NAME: &str = "innodb_flush_log_at_trx_commit";
    let commit = sysbench.number(NAME, 1);
    let how = match commit {
        0 => "written and flushed",
        2 if !writes_redo_through(variant, sysbench) => "flushed",
        _ => return None,
    };
    let timeout = sysbench.number("innodb_flush_log_at_timeout", FLUSH_TIMEOUT_S);
    Some(Reason {
        setting: format!("{NAME}={commit}"),
        durability: Durability::LosesLast { seconds: Some(timeout.max(1) as f64) },
        why: format!(
            "commits are acknowledged before they are durable: the redo log is {how} every innodb_flush_log_at_timeout ({timeout} s), and a flush takes its own time on top"
        ),
        evidence: Lab(evidence::FLUSH_AT_COMMIT),
    })
}

/// A binary log that is not durable with each group of commits, so that it can lack what the tables have.
fn late_binlog(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    if !sysbench.logs_binary() {
        return None;
    }
    let every = sysbench.number("sync_binlog", sysbench.server.sync_binlog());
    let dataset = sysbench.directories.binlog.as_ref().unwrap_or(&sysbench.directories.data);
    let sync = |dataset: &str| variant.property(dataset, "sync");
    let all_disabled = own_datasets(sysbench).into_iter().all(|own| sync(own) == Some("disabled"));
    let setting = match (sync(dataset), every) {
        (Some("always"), _) => return None,
        // All return to one transaction group, which is a reason of its own.
        (Some("disabled"), _) if all_disabled => return None,
        (Some("disabled"), _) => format!("sync=disabled on {}", full_name(dataset)),
        (_, 1) => return None,
        (_, 0) if !sysbench.settings.contains_key("sync_binlog") => {
            "sync_binlog=0, the server's default".to_owned()
        }
        (_, every) => format!("sync_binlog={every}"),
    };
    Some(Reason {
        setting,
        durability: Durability::LosesLast { seconds: None },
        why: "the binary log is not durable with each commit: recovery rolls back commits that it lacks, and replicas can have them"
            .to_owned(),
        evidence: Lab(evidence::SYNC_BINLOG),
    })
}

/// The value of `innodb_doublewrite` where pages are not written twice, the copy first and durably. MySQL's DETECT_ONLY
/// writes no page twice: it only finds torn ones. MariaDB's `fast` syncs no copy.
fn no_doublewrite(sysbench: &Sysbench) -> Option<&str> {
    const NAME: &str = "innodb_doublewrite";
    let without = ["detect_only", "fast"].contains(&sysbench.word(NAME)?.as_str());
    let value = sysbench.settings.get(NAME)?;
    (without || !sysbench.is_on(NAME, true)).then_some(value)
}

/// Pages that cannot be repaired if the intent log of the data's dataset tears them.
fn torn_records(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    let value = no_doublewrite(sysbench)?;
    let dataset = sysbench.directories.data.as_str();
    let why = storage::torn_page(variant, dataset, page(sysbench), !buffers_pages(sysbench))?;
    let (record, name) = (variant.recordsize(dataset), full_name(dataset));
    Some(Reason {
        setting: format!("innodb_doublewrite={value}, recordsize={record} on {name}"),
        durability: Durability::MayCorrupt,
        why,
        evidence: Lab(evidence::TORN_RECORDS),
    })
}

fn torn_pages(sysbench: &Sysbench) -> Option<Reason> {
    let value = no_doublewrite(sysbench)?;
    Some(Reason {
        setting: format!("innodb_doublewrite={value}"),
        durability: Durability::MayCorrupt,
        why: "the drives and the file system write in units smaller than a page, so a power cut can tear one"
            .to_owned(),
        evidence: Lab(evidence::NO_DOUBLEWRITE),
    })
}

/// Whether MySQL writes pages before their copies in the doublewrite buffer are durable: from 8.0.20 on it does not flush
/// the copies where it writes with O_DIRECT (`is_fsync_required()` in buf0dblwr.cc).
fn writes_copies_late(sysbench: &Sysbench) -> bool {
    sysbench.server == mysql::Server::Mysql
        && sysbench.version.is_none_or(|version| version >= 800)
        && !buffers_pages(sysbench)
        && !never_syncs(sysbench)
        && no_doublewrite(sysbench).is_none()
}

/// That a page and its copy are lost together. `over`: what keeps neither before a flush.
fn late_copies(sysbench: &Sysbench, over: &str, evidence: Evidence) -> Reason {
    let method = sysbench.settings.get("innodb_flush_method");
    let method = method.map_or("O_DIRECT, the server's default", String::as_str);
    Reason {
        setting: format!("innodb_flush_method={method}, over {over}"),
        durability: Durability::MayCorrupt,
        why: "with O_DIRECT, MySQL writes a page without flushing its copy in the doublewrite buffer first: a power cut can tear the page and lose the copy. innodb_flush_method=fsync flushes it"
            .to_owned(),
        evidence,
    }
}

fn copies_after_pages(
    variant: &Variant,
    on_drives: &FilesystemOnDrives,
    sysbench: &Sysbench,
) -> Option<Reason> {
    let kinds = storage::volatile_of(variant, on_drives.drives.iter());
    (writes_copies_late(sysbench) && !kinds.is_empty()).then(|| {
        let caches = format!("volatile caches ({})", storage::list(&kinds));
        late_copies(sysbench, &caches, Lab(evidence::LATE_COPIES))
    })
}

/// On ZFS a write with O_DIRECT is on the drives, but refers to nothing before fsync or its transaction group.
fn copies_after_records(variant: &Variant, sysbench: &Sysbench) -> Option<Reason> {
    let dataset = sysbench.directories.data.as_str();
    // Disabled returns to a transaction group.
    let whole = matches!(variant.property(dataset, "sync"), Some("always" | "disabled"));
    let torn = storage::torn_page(variant, dataset, page(sysbench), true).is_some();
    (writes_copies_late(sysbench) && torn && !whole).then(|| {
        let (record, name) = (variant.recordsize(dataset), full_name(dataset));
        let records = format!("records of {record} on {name}");
        late_copies(sysbench, &records, Lab(evidence::LATE_COPIES_ON_ZFS))
    })
}

/// Recovery of MariaDB restores torn pages from the doublewrite buffer, but opens a table's file before it restores that
/// file's first page: if this one is torn, the file is not opened ("The first page of file ... is corrupted"), though the
/// buffer has a whole copy of it.
fn first_page(sysbench: &Sysbench) -> Option<Reason> {
    let is_mariadb = sysbench.server == mysql::Server::Mariadb;
    // Without copies each torn page is lost, which is a reason of its own.
    (is_mariadb && no_doublewrite(sysbench).is_none()).then(|| Reason {
        setting: format!("MariaDB with pages of {}", page(sysbench)),
        durability: Durability::MayCorrupt,
        why: "the drives and the file system write in units smaller than a page, so a power cut can tear the first page of a table's file, which recovery does not restore from the doublewrite buffer: the table cannot be used"
            .to_owned(),
        evidence: Lab(evidence::FIRST_PAGE),
    })
}
