//! `my.cnf`: MySQL and MariaDB. A setting that only one of them knows is written with `loose_`,
//! so that the other starts all the same.

use super::choice::{Bilingual, Choice, Need};
use crate::setting::Target;
use crate::source::Document;

/// Every setting of InnoDB here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[
    innodb_buffer_pool_size,
    innodb_flush_log_at_trx_commit,
    sync_binlog,
    innodb_data_file_write_through,
    innodb_doublewrite,
    innodb_flush_neighbors,
    innodb_use_native_aio,
    innodb_flush_method,
    innodb_log_write_ahead_size,
    innodb_redo_log_capacity,
    innodb_io_capacity,
    innodb_compression_default,
];

fn set(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    let section = name.strip_prefix("loose_").unwrap_or(name);
    Choice::new(Target::Mysql, name, value, reason).source(Document::MysqlManual, section)
}

/// InnoDB's own cache.
pub fn innodb_buffer_pool_size(need: &Need) -> Option<Choice> {
    Some(set(
        "innodb_buffer_pool_size",
        format!("{}M", (need.server_cache() >> 20).max(128)),
        (
            "Half of RAM: InnoDB caches its pages better than the ARC, which keeps metadata and, compressed, pages evicted from the buffer pool.",
            "内存的一半：InnoDB 缓存页的效果比 ARC 好；ARC 保存元数据，并以压缩形式保存缓冲池淘汰的页。",
        ),
    ))
}

/// Whether COMMIT waits for the redo log.
pub fn innodb_flush_log_at_trx_commit(need: &Need) -> Option<Choice> {
    let name = "innodb_flush_log_at_trx_commit";
    if need.allow_loss_s >= 1.0 {
        return Some(set(name, 2, ("Permitted by --allow-loss: the log is written at commit and flushed once a second. A crash of mysqld loses nothing, a power cut about a second.", "由 --allow-loss 允许：提交时写日志，每秒刷盘一次。mysqld 崩溃不丢数据，断电约丢一秒。")).may_lose(1.0).source(Document::Mysql, "innodb_flush_log_at_trx_commit=0").lab("powercut-mariadb"));
    }
    Some(set(
        name,
        1,
        ("COMMIT returns when the redo log is stable.", "重做日志落盘后 COMMIT 才返回。"),
    ))
}

/// Whether COMMIT waits for the binary log.
pub fn sync_binlog(need: &Need) -> Option<Choice> {
    // Left to the file system, the log is stable when its transaction group is.
    let loss = need.lost_groups_s();
    if need.allow_loss_s >= loss {
        return Some(set("sync_binlog", 0, ("Permitted by --allow-loss: the file system decides when the binary log is flushed. After a power cut, replicas may be ahead of the source and must then be built again.", "由 --allow-loss 允许：二进制日志何时落盘由文件系统决定。断电后副本可能比源库更新，这时必须重建副本。")).may_lose(loss).source(Document::Mysql, "sync_binlog=0").lab("powercut-mariadb"));
    }
    Some(set(
        "sync_binlog",
        1,
        ("Source and replicas are consistent after a crash.", "崩溃后源库与副本一致。"),
    ))
}

/// Whether pages are durable when they are written.
pub fn innodb_data_file_write_through(_: &Need) -> Option<Choice> {
    Some(
        Choice::new(Target::Mysql, "loose_innodb_data_file_write_through", "ON", ("The checkpoint of MariaDB (10.6 to 11.8) can pass pages that wait for fsync, and a power cut then damages tables. From 11.0 on this makes each page durable when it is written. On 10.6 to 10.11, which do not have it, set sync=always on the dataset of the data instead. MySQL needs neither, hence `loose_`.", "MariaDB（10.6 至 11.8）的检查点可能越过仍在等待 fsync 的页，断电会因此损坏表。自 11.0 起，此设置使页写出即落盘。10.6 至 10.11 没有此设置，应改为在数据所在的数据集上设 sync=always。MySQL 两者都不需要，所以写 `loose_`。"))
            .source(Document::MariadbCode, "log_checkpoint() in buf0flu.cc")
            .lab("powercut-mariadb"),
    )
}

/// Pages written twice.
pub fn innodb_doublewrite(_: &Need) -> Option<Choice> {
    Some(
        set("innodb_doublewrite", "ON", ("Off is often advised on ZFS. But ZFS tears pages: fsync puts them into the intent log, which can divide one between two log blocks, and the power can fail between them. Only a page that is one record and is written with O_DIRECT, from OpenZFS 2.3 on, is whole. MariaDB also loses far fewer pages with it, since its checkpoint does not wait for all of them.", "常有建议在 ZFS 上关闭它。但 ZFS 会撕裂页：fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。只有当一页恰是一条记录、并以 O_DIRECT 写入（OpenZFS 2.3 及以后）时，页才完整。MariaDB 的检查点不等待全部页落盘，打开双写时丢失的页也少得多。"))
            .source(Document::Mysql, "innodb_doublewrite=0")
            .source(Document::ZfsCode, "zil_lwb_assign")
            .lab("powercut-pages"),
    )
}

/// Neighbouring pages flushed together.
pub fn innodb_flush_neighbors(_: &Need) -> Option<Choice> {
    Some(set("innodb_flush_neighbors", 0, ("ZFS writes pages to new places wherever they are in the file, so flushing neighbours only writes more. (This is MySQL's default, not MariaDB's.)", "不管页在文件中的位置如何，ZFS 都写到新位置：连带刷新邻接页只会增加写入。（这是 MySQL 的默认值，不是 MariaDB 的。）")).source(Document::Mysql, "innodb_flush_neighbors=0"))
}

/// Linux AIO.
pub fn innodb_use_native_aio(_: &Need) -> Option<Choice> {
    Some(set("innodb_use_native_aio", 0, ("ZFS serves Linux AIO synchronously: the submitting thread waits for each page. InnoDB's own threads wait in parallel.", "ZFS 同步地处理 Linux AIO：一个提交线程要逐页等待。InnoDB 自己的线程并行等待。")).source(Document::Mysql, "innodb_use_native_aio=0"))
}

/// How files are opened and flushed.
pub fn innodb_flush_method(need: &Need) -> Option<Choice> {
    let reason = match need.release() {
        Some(release) if release >= (2, 3) => (
            "From OpenZFS 2.3 on, O_DIRECT bypasses the ARC for aligned I/O; with fsync, the ARC still caches below the buffer pool.",
            "自 OpenZFS 2.3 起，对齐的 O_DIRECT I/O 绕过 ARC；用 fsync 时，缓冲池之下仍有 ARC 缓存。",
        ),
        _ => (
            "Up to OpenZFS 2.2, O_DIRECT is accepted and ignored; fsync is what happens, and still does after an upgrade to 2.3.",
            "OpenZFS 2.2 及以前接受但忽略 O_DIRECT；fsync 就是实际的行为，升级到 2.3 之后也不变。",
        ),
    };
    let choice = set("innodb_flush_method", "fsync", reason).source(Document::ZfsProps, "direct");
    Some(match need.release() {
        Some(release) if release >= (2, 3) => choice.lab("mariadb-direct"),
        _ => choice,
    })
}

/// The unit in which the redo log is extended.
pub fn innodb_log_write_ahead_size(_: &Need) -> Option<Choice> {
    Some(
        set("loose_innodb_log_write_ahead_size", 16384, ("The maximum with 16K pages, so that appends begin on whole blocks. MariaDB from 10.8 on has no such setting or a smaller limit, hence `loose_`.", "页为 16K 时的最大值，使追加写从整块开始。MariaDB 自 10.8 起没有此设置或上限更小，所以写 `loose_`。"))
            .source(Document::Mysql, "innodb_log_write_ahead_size"),
    )
}

/// Bytes of redo log.
pub fn innodb_redo_log_capacity(need: &Need) -> Option<Choice> {
    let bytes: u64 = if need.memory >= 64 << 30 { 8 << 30 } else { 2 << 30 };
    Some(set(
        "loose_innodb_redo_log_capacity",
        bytes,
        (
            "With more redo log, checkpoints come later and pages that change often are written once. MySQL 8.0.30 and later; elsewhere set innodb_log_file_size.",
            "重做日志更大，检查点就更晚，常改的页只写一次。适用于 MySQL 8.0.30 及以后；其他版本设 innodb_log_file_size。",
        ),
    ))
}

/// Operations a second that background flushing may use.
pub fn innodb_io_capacity(need: &Need) -> Option<Choice> {
    let disks = need.leaves(zfs::AllocationClass::Normal).len().clamp(1, 64) as u64;
    let capacity = match need.flash()? {
        true => 2000,
        false => (disks * 50).clamp(100, 1000),
    };
    Some(set(
        "innodb_io_capacity",
        capacity,
        (
            "Random writes that the pool can do besides serving reads. Raise it when the checkpoint age comes near the size of the redo log.",
            "存储池在处理读取之外还能完成的随机写。当检查点年龄（checkpoint age）接近重做日志大小时调高。",
        ),
    ))
}

/// Compression by the server.
pub fn innodb_compression_default(_: &Need) -> Option<Choice> {
    Some(
        Choice::new(
            Target::Mysql,
            "loose_innodb_compression_default",
            "OFF",
            ("ZFS compresses, and pages stay aligned with records. MariaDB only, hence `loose_`.", "由 ZFS 压缩，页与记录保持对齐。只有 MariaDB 有，所以写 `loose_`。"),
        )
        .source(Document::MariadbManual, "innodb_compression_default")
        .source(Document::Mysql, "innodb_compression_default=OFF"),
    )
}
