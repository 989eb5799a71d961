//! `my.cnf`: MySQL and MariaDB. A setting that only one of them knows is written with `loose_`,
//! so that the other starts all the same.

use super::choice::{Choice, Need, Target};
use crate::source::Document;

/// Every setting of InnoDB here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[
    innodb_buffer_pool_size,
    innodb_flush_log_at_trx_commit,
    sync_binlog,
    innodb_doublewrite,
    innodb_flush_neighbors,
    innodb_use_native_aio,
    innodb_flush_method,
    innodb_log_write_ahead_size,
    innodb_redo_log_capacity,
    innodb_io_capacity,
    innodb_compression_default,
];

fn set(name: &'static str, value: impl ToString, reason: &str) -> Choice {
    Choice::new(Target::Mysql, name, value, reason).from(Document::MysqlManual, name)
}

/// InnoDB's own cache.
pub fn innodb_buffer_pool_size(need: &Need) -> Option<Choice> {
    Some(set(
        "innodb_buffer_pool_size",
        format!("{}M", (need.server_cache() >> 20).max(128)),
        "Half of RAM: InnoDB caches pages better than the ARC does, which keeps metadata and what falls out of the pool, compressed.",
    ))
}

/// Whether COMMIT waits for the redo log.
pub fn innodb_flush_log_at_trx_commit(need: &Need) -> Option<Choice> {
    let name = "innodb_flush_log_at_trx_commit";
    if need.allow_loss_s >= 1.0 {
        return Some(set(name, 2, "Asked for by --allow-loss: written at commit, flushed once a second. A crash of mysqld loses nothing, a power cut about a second.").loses(1.0).from(Document::Mysql, "innodb_flush_log_at_trx_commit=0"));
    }
    Some(set(name, 1, "COMMIT returns when the redo log is stable."))
}

/// Whether COMMIT waits for the binary log.
pub fn sync_binlog(need: &Need) -> Option<Choice> {
    // Left to the file system, the log is stable when up to three transaction groups are.
    if need.allow_loss_s >= 15.0 {
        return Some(set("sync_binlog", 0, "Asked for by --allow-loss: the binary log is flushed when the file system gets to it. Replicas may be ahead of the source after a power cut and must then be made anew.").loses(15.0).from(Document::Mysql, "sync_binlog=0"));
    }
    Some(set(
        "sync_binlog",
        1,
        "Source and replicas agree after a crash.",
    ))
}

/// Pages written twice.
pub fn innodb_doublewrite(_: &Need) -> Option<Choice> {
    Some(
        set("innodb_doublewrite", "OFF", "Only where every tablespace was written with recordsize 16K or more, a multiple of innodb_page_size: ZFS then writes a page whole or not at all, and half of the page writes are saved.")
            .from(Document::Mysql, "innodb_doublewrite=0")
            .from(Document::ZfsCode, "zfs_write, one transaction a block")
            .offered(),
    )
}

/// Neighbouring pages flushed together.
pub fn innodb_flush_neighbors(_: &Need) -> Option<Choice> {
    Some(set("innodb_flush_neighbors", 0, "ZFS writes elsewhere and in order whatever the pages' places in the file: flushing neighbours only writes more. (MySQL's default, not MariaDB's.)").from(Document::Mysql, "innodb_flush_neighbors=0"))
}

/// Linux AIO.
pub fn innodb_use_native_aio(_: &Need) -> Option<Choice> {
    Some(set("innodb_use_native_aio", 0, "ZFS serves Linux AIO synchronously: one submitting thread would wait for each page. InnoDB's own threads overlap.").from(Document::Mysql, "innodb_use_native_aio=0"))
}

/// How files are opened and flushed.
pub fn innodb_flush_method(need: &Need) -> Option<Choice> {
    let reason = match need.release() {
        Some(release) if release >= (2, 3) => {
            "From OpenZFS 2.3 on O_DIRECT bypasses the ARC for aligned I/O; with fsync pages keep the ARC behind the buffer pool."
        }
        _ => {
            "Up to OpenZFS 2.2 O_DIRECT is accepted and ignored; fsync says what happens, and goes on doing so after an upgrade to 2.3."
        }
    };
    Some(set("innodb_flush_method", "fsync", reason).from(Document::ZfsProps, "direct"))
}

/// The unit in which the redo log is extended.
pub fn innodb_log_write_ahead_size(_: &Need) -> Option<Choice> {
    Some(
        set("loose_innodb_log_write_ahead_size", 16384, "The most that the server takes with 16K pages: appends begin on whole blocks. MariaDB from 10.8 on has no such setting or a smaller limit, hence `loose_`.")
            .from(Document::Mysql, "innodb_log_write_ahead_size"),
    )
}

/// Bytes of redo log.
pub fn innodb_redo_log_capacity(need: &Need) -> Option<Choice> {
    let bytes: u64 = if need.memory >= 64 << 30 {
        8 << 30
    } else {
        2 << 30
    };
    Some(set(
        "loose_innodb_redo_log_capacity",
        bytes,
        "Room for checkpoints to be lazy: pages that change often are written once. MySQL 8.0.30 and later; elsewhere set innodb_log_file_size.",
    ))
}

/// Operations a second that background flushing may use.
pub fn innodb_io_capacity(need: &Need) -> Option<Choice> {
    let disks = need
        .leaves(facts::zpool_status::Class::Normal)
        .len()
        .clamp(1, 64) as u64;
    let capacity = match need.flash()? {
        true => 2000,
        false => (disks * 50).clamp(100, 1000),
    };
    Some(set(
        "innodb_io_capacity",
        capacity,
        "What the pool can write at random besides serving reads; raise it when the age of the oldest change nears the redo log's size.",
    ))
}

/// Compression by the server.
pub fn innodb_compression_default(_: &Need) -> Option<Choice> {
    Some(
        Choice::new(
            Target::Mysql,
            "loose_innodb_compression_default",
            "OFF",
            "ZFS compresses, and keeps pages aligned with records. MariaDB only, hence `loose_`.",
        )
        .from(Document::MariadbManual, "innodb_compression_default")
        .from(Document::Mysql, "innodb_compression_default=OFF"),
    )
}
