//! `my.cnf`: MySQL and MariaDB. A setting that only one of them knows is written with `loose_`,
//! so that the other starts all the same. What must differ stands in the group `[mariadb]`, after `[mysqld]`: MariaDB
//! reads both, in this order, and MySQL only the first.

use super::choice::{Bilingual, Choice, Need};
use crate::setting::Target;
use crate::source::Document;

/// Every setting of InnoDB here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[
    innodb_buffer_pool_size, innodb_flush_log_at_trx_commit, sync_binlog, innodb_doublewrite,
    innodb_flush_neighbors, innodb_use_native_aio, innodb_flush_method,
    innodb_log_write_ahead_size, innodb_redo_log_capacity, innodb_io_capacity,
    innodb_compression_default, mariadb_flush_method, innodb_data_file_buffering,
    innodb_data_file_write_through, mariadb_io_capacity,
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
        return Some(set(name, 2, ("Permitted by --allow-loss: the log is written at commit and flushed once a second. A crash of mysqld loses nothing, a power cut about a second.", "由 --allow-loss 允许：提交时写日志，每秒刷盘一次。mysqld 崩溃不丢数据，断电约丢失一秒内的事务。")).may_lose(1.0).source(Document::Mysql, "innodb_flush_log_at_trx_commit=0").lab("powercut-mariadb"));
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
        return Some(set("sync_binlog", 0, ("Permitted by --allow-loss: the file system decides when the binary log is flushed. After a power cut, replicas may be ahead of the source and must then be built again.", "由 --allow-loss 允许：二进制日志何时落盘由文件系统决定。断电后副本可能超前于源库，这时必须重建副本。")).may_lose(loss).source(Document::Mysql, "sync_binlog=0").lab("powercut-mariadb"));
    }
    Some(set(
        "sync_binlog",
        1,
        ("Source and replicas are consistent after a crash.", "崩溃后源库与副本一致。"),
    ))
}

/// Pages written twice.
pub fn innodb_doublewrite(_: &Need) -> Option<Choice> {
    Some(
        set("innodb_doublewrite", "ON", ("Off is often advised on ZFS. But ZFS tears pages: fsync puts them into the intent log, which can divide one between two log blocks, and the power can fail between them. Only a page that is one record and is written with O_DIRECT, from OpenZFS 2.3 on, cannot be torn. MariaDB also loses far fewer pages with doublewrite on, since its checkpoint does not wait for all of them.", "常有建议在 ZFS 上关闭它。但 ZFS 上也会发生页撕裂（torn page）：fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。只有当一页恰为一个 ZFS 记录（record）、并以 O_DIRECT 写入（OpenZFS 2.3 及以后）时，页才完整。由于 MariaDB 的检查点不等待全部页落盘，打开双写还能使它丢失的页少得多。"))
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
    if need.system.mysql_server.mariadb == Some(true) && may_be_mariadb_11(need) {
        return None;
    }
    let direct = need.release().is_some_and(|release| release >= (2, 3));
    let reason = if direct {
        (
            "From OpenZFS 2.3 on, O_DIRECT bypasses the ARC for aligned I/O; with fsync, the ARC still caches below the buffer pool.",
            "自 OpenZFS 2.3 起，对齐的 O_DIRECT I/O 绕过 ARC；用 fsync 时，缓冲池之下仍有 ARC 缓存。",
        )
    } else {
        (
            "Up to OpenZFS 2.2, O_DIRECT is accepted but ignored, so fsync describes what happens. It keeps the same behaviour after an upgrade to 2.3.",
            "OpenZFS 2.2 及以前接受但忽略 O_DIRECT；fsync 就是实际的行为，升级到 2.3 之后也不变。",
        )
    };
    let choice = set("innodb_flush_method", "fsync", reason).source(Document::ZfsProps, "direct");
    Some(if direct { choice.lab("mariadb-direct") } else { choice })
}

/// The unit in which the redo log is extended.
pub fn innodb_log_write_ahead_size(need: &Need) -> Option<Choice> {
    Some(
        set("loose_innodb_log_write_ahead_size", need.system.redo_block(), ("The page, which is the maximum, but at most 16K, so that appends begin on whole blocks. MariaDB from 10.8 on has no such setting or a smaller limit, hence `loose_`.", "取页大小（即上限），但不超过 16K，使追加写从整块开始。MariaDB 自 10.8 起没有此设置或上限更小，所以写 `loose_`。"))
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
    let server = need.system.mysql_server;
    // The default of MySQL is 200 up to 8.3, and 10000 since, which flash can do.
    let old = server.mariadb == Some(false) && server.series.is_some_and(|series| series < (8, 4));
    let capacity = match need.flash()? {
        true if old => 2000,
        true => return None,
        false => (disks * 50).clamp(100, 1000),
    };
    Some(set(
        "innodb_io_capacity",
        capacity,
        (
            "Random writes that the pool can do besides serving reads. Raise it when the checkpoint age comes near the size of the redo log.",
            "存储池在处理读取之外还能提供的随机写 IOPS。当检查点年龄（checkpoint age）接近重做日志大小时调高。",
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

/// A setting of the group that only MariaDB reads.
fn of_mariadb(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Mariadb, name, value, reason)
}

/// Whether the server may be MariaDB 11.0 or later, as far as anything is known.
fn may_be_mariadb_11(need: &Need) -> bool {
    need.system.mysql_server.mariadb != Some(false) && need.system.is_mariadb_11() != Some(false)
}

/// How MariaDB opens its files: what does not turn write-through off.
pub fn mariadb_flush_method(need: &Need) -> Option<Choice> {
    may_be_mariadb_11(need).then(|| {
        of_mariadb("innodb_flush_method", "O_DIRECT", ("MariaDB from 11.0 on reads this deprecated setting after the two below: fsync would turn write-through off again, O_DIRECT changes nothing. On 10.6 to 10.11 it is the default method: from OpenZFS 2.3 on, whole records then bypass the ARC. To keep the ARC there, write fsync in a group [mariadb-10.11] (of your release) after this one.", "MariaDB 自 11.0 起在下面两项之后再应用这个已弃用的设置：fsync 会把直写再次关闭，O_DIRECT 则什么也不改变。在 10.6 至 10.11 上它是默认方式：自 OpenZFS 2.3 起，整条记录会绕过 ARC。若要在那里保留 ARC，在此组之后的 [mariadb-10.11] 组（写你的版本）里设 fsync。"))
            .source(Document::MariadbCode, "innodb_init_params() in ha_innodb.cc")
            .source(Document::ZfsProps, "direct")
            .lab("mariadb-direct")
    })
}

/// Whether MariaDB's pages pass through the ARC.
pub fn innodb_data_file_buffering(need: &Need) -> Option<Choice> {
    may_be_mariadb_11(need).then(|| {
        of_mariadb("loose_innodb_data_file_buffering", "ON", ("MariaDB from 11.0 on: files are opened without O_DIRECT, so that the ARC caches below the buffer pool. Earlier releases do not have it, hence `loose_`.", "MariaDB 自 11.0 起：打开文件时不用 O_DIRECT，缓冲池之下仍有 ARC 缓存。更早的版本没有此设置，所以写 `loose_`。"))
            .source(Document::MariadbManual, "innodb_data_file_buffering")
            .lab("mariadb-direct")
    })
}

/// Whether pages are durable when they are written.
pub fn innodb_data_file_write_through(need: &Need) -> Option<Choice> {
    may_be_mariadb_11(need).then(|| {
        of_mariadb("loose_innodb_data_file_write_through", "ON", ("The checkpoint of MariaDB (10.6 to 11.8) can pass pages that wait for fsync, and a power cut then damages tables. From 11.0 on this makes each page durable when it is written. On 10.6 to 10.11, which do not have it (hence `loose_`), set sync=always on the dataset of the data instead. MySQL needs neither.", "MariaDB（10.6 至 11.8）的检查点可能越过仍在等待 fsync 的页，断电会因此损坏表。自 11.0 起，此设置使页写出即落盘。10.6 至 10.11 没有此设置（所以写 `loose_`），应改为在数据所在的数据集上设 sync=always。MySQL 两者都不需要。"))
            .source(Document::MariadbCode, "log_checkpoint() in buf0flu.cc")
            .lab("powercut-mariadb")
    })
}

/// Operations a second that MariaDB's background flushing may use on flash.
pub fn mariadb_io_capacity(need: &Need) -> Option<Choice> {
    let may_be = need.system.mysql_server.mariadb != Some(false);
    (may_be && need.flash()?).then(|| {
        of_mariadb("innodb_io_capacity", 2000, ("MariaDB's default of 200 describes a few disks. MySQL from 8.4 on has 10000, so it is not set there.", "MariaDB 的默认值 200 对应几块机械盘。MySQL 自 8.4 起默认为 10000，因此那里不设。"))
            .source(Document::MariadbManual, "innodb_io_capacity")
    })
}
