//! `my.cnf`: MySQL and MariaDB. A setting that only one of them knows is written with `loose_`,
//! so that the other starts all the same. What must differ stands in the group `[mariadb]`, after `[mysqld]`: MariaDB
//! reads both, in this order, and MySQL only the first.

use super::choice::{Bilingual, Choice, Need, settings};
use crate::setting::Target;
use crate::source::Document;
use lab::durability::evidence;

fn set(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    let section = name.strip_prefix("loose_").unwrap_or(name);
    Choice::new(Target::Mysql, name, value, reason).source(Document::MysqlManual, section)
}

/// A setting of the group that only MariaDB reads.
fn of_mariadb(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Mariadb, name, value, reason)
}

/// Whether the server may be MariaDB 11.0 or later, as far as anything is known.
fn may_be_mariadb_11(need: &Need) -> bool {
    need.system.mysql_server.mariadb != Some(false) && need.system.is_mariadb_11() != Some(false)
}

/// Whether the server is MariaDB and may be 11.0 or later.
fn is_mariadb_maybe_11(need: &Need) -> bool {
    need.system.mysql_server.mariadb == Some(true) && may_be_mariadb_11(need)
}

/// Random writes a second that the pool can do besides serving reads; none where the default has it right, or where it
/// is not known what the pool is made of.
fn io_capacity(need: &Need) -> Option<usize> {
    let server = need.system.mysql_server;
    // The default of MySQL is 200 up to 8.3, and 10000 since, which flash can do.
    let old = server.mariadb == Some(false) && server.series.is_some_and(|series| series < (8, 4));
    match need.flash()? {
        true => old.then_some(2000),
        false => Some((need.data_drives() * 50).clamp(100, 1000)),
    }
}

settings! {
    innodb_buffer_pool_size(need)
        => set("innodb_buffer_pool_size", format!("{}M", (need.server_cache() >> 20).max(128))),
    why: "Half of RAM: InnoDB caches its pages better than the ARC, which keeps metadata and, compressed, pages evicted from the buffer pool.",
    why_zh: "内存的一半：InnoDB 缓存页的效果比 ARC 好；ARC 保存元数据，并以压缩形式保存缓冲池淘汰的页。";

    innodb_flush_log_at_trx_commit(need) if need.allow_loss_s >= 1.0
        => set("innodb_flush_log_at_trx_commit", 2).may_lose(1.0)
            .source(Document::Mysql, "innodb_flush_log_at_trx_commit=0").lab(evidence::FLUSH_AT_COMMIT),
    why: "Permitted by --allow-loss: the log is written at commit and flushed once a second. A crash of mysqld loses nothing, a power cut about a second.",
    why_zh: "由 --allow-loss 允许：提交时写日志，每秒刷盘一次。mysqld 崩溃不丢数据，断电约丢失一秒内的事务。"
    else => set("innodb_flush_log_at_trx_commit", 1),
    why: "COMMIT returns when the redo log is stable.",
    why_zh: "重做日志落盘后 COMMIT 才返回。";

    // Left to the file system, the log is stable when its transaction group is.
    sync_binlog(need) if need.may_lose_groups()
        => set("sync_binlog", 0).may_lose(need.lost_groups_s())
            .source(Document::Mysql, "sync_binlog=0").lab(evidence::SYNC_BINLOG),
    why: "Permitted by --allow-loss: the file system decides when the binary log is flushed. After a power cut, replicas may be ahead of the source and must then be built again.",
    why_zh: "由 --allow-loss 允许：二进制日志何时落盘由文件系统决定。断电后副本可能超前于源库，这时必须重建副本。"
    else => set("sync_binlog", 1),
    why: "Source and replicas are consistent after a crash.",
    why_zh: "崩溃后源库与副本一致。";

    innodb_doublewrite(_) => set("innodb_doublewrite", "ON").source(Document::Mysql, "innodb_doublewrite=0")
        .source(Document::ZfsCode, "zil_lwb_assign").lab(evidence::TORN_RECORDS),
    why: "Off is often advised on ZFS. But ZFS tears pages: fsync puts them into the intent log, which can divide one between two log blocks, and the power can fail between them. Only a page that is one record and is written with O_DIRECT, from OpenZFS 2.3 on, cannot be torn. MariaDB also loses far fewer pages with doublewrite on, since its checkpoint does not wait for all of them.",
    why_zh: "常有建议在 ZFS 上关闭它。但 ZFS 上也会发生页撕裂（torn page）：fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。只有当一页恰为一个 ZFS 记录（record）、并以 O_DIRECT 写入（OpenZFS 2.3 及以后）时，页才不会撕裂。由于 MariaDB 的检查点不等待全部页落盘，打开双写还能使它丢失的页少得多。";

    innodb_flush_neighbors(_) => set("innodb_flush_neighbors", 0).source(Document::Mysql, "innodb_flush_neighbors=0"),
    why: "ZFS writes pages to new places wherever they are in the file, so flushing neighbours only writes more. (This is MySQL's default, not MariaDB's.)",
    why_zh: "不管页在文件中的位置如何，ZFS 都写到新位置：连带刷新邻接页只会增加写入。（这是 MySQL 的默认值，不是 MariaDB 的。）";

    innodb_use_native_aio(_) => set("innodb_use_native_aio", 0).source(Document::Mysql, "innodb_use_native_aio=0"),
    why: "ZFS serves Linux AIO synchronously: the submitting thread waits for each page. InnoDB's own threads wait in parallel.",
    why_zh: "ZFS 同步地处理 Linux AIO：一个提交线程要逐页等待。InnoDB 自己的线程并行等待。";

    innodb_flush_method(need) if !is_mariadb_maybe_11(need) && need.release().is_some_and(|release| release >= (2, 3))
        => set("innodb_flush_method", "fsync").source(Document::ZfsProps, "direct")
            .source(Document::MysqlCode, "is_fsync_required() in buf0dblwr.cc").lab("mariadb-direct"),
    why: "From OpenZFS 2.3 on, O_DIRECT bypasses the ARC for aligned I/O; with fsync, the ARC still caches below the buffer pool. And with O_DIRECT, MySQL does not flush its doublewrite buffer before it writes pages.",
    why_zh: "自 OpenZFS 2.3 起，对齐的 O_DIRECT I/O 绕过 ARC；用 fsync 时，缓冲池之下仍有 ARC 缓存。另外，用 O_DIRECT 时，MySQL 写数据页之前不刷双写缓冲区。"
    else if !is_mariadb_maybe_11(need) => set("innodb_flush_method", "fsync").source(Document::ZfsProps, "direct")
        .source(Document::MysqlCode, "is_fsync_required() in buf0dblwr.cc").lab(evidence::LATE_COPIES_ON_ZFS),
    why: "Up to OpenZFS 2.2, O_DIRECT is accepted but ignored: writes go through the ARC. But with it, MySQL does not flush its doublewrite buffer before it writes pages, so that a torn page can have no copy. fsync keeps the same behaviour after an upgrade to 2.3.",
    why_zh: "OpenZFS 2.2 及以前接受但忽略 O_DIRECT：写入仍经过 ARC。但设了它，MySQL 写数据页之前就不刷双写缓冲区，被撕裂的页可能没有副本。设为 fsync，升级到 2.3 之后行为也不变。";

    innodb_log_write_ahead_size(need) => set("loose_innodb_log_write_ahead_size", need.system.redo_block())
        .source(Document::Mysql, "innodb_log_write_ahead_size"),
    why: "The page size, which is the maximum of this setting, but not more than 16K, so that appends begin at block boundaries. MariaDB from 10.8 on has no such setting or a smaller limit, hence `loose_`.",
    why_zh: "取页大小（即上限），但不超过 16K，使追加写从整块开始。MariaDB 自 10.8 起没有此设置或上限更小，所以写 `loose_`。";

    innodb_redo_log_capacity(need)
        => set("loose_innodb_redo_log_capacity", if need.memory >= 64 << 30 { 8u64 << 30 } else { 2 << 30 }),
    why: "With more redo log, checkpoints come later and pages that change often are written once. MySQL 8.0.30 and later; elsewhere set innodb_log_file_size.",
    why_zh: "重做日志更大，检查点就更晚，常改的页只写一次。适用于 MySQL 8.0.30 及以后；其他版本设 innodb_log_file_size。";

    innodb_io_capacity(need) => set("innodb_io_capacity", io_capacity(need)?),
    why: "Random writes that the pool can do besides serving reads. Raise it when the checkpoint age comes near the size of the redo log.",
    why_zh: "存储池在处理读取之外还能提供的随机写 IOPS。当检查点年龄（checkpoint age）接近重做日志大小时调高。";

    innodb_compression_default(_) => Choice::new(Target::Mysql, "loose_innodb_compression_default", "OFF")
        .source(Document::MariadbManual, "innodb_compression_default")
        .source(Document::Mysql, "innodb_compression_default=OFF"),
    why: "ZFS compresses, and pages stay aligned with records. MariaDB only, hence `loose_`.",
    why_zh: "由 ZFS 压缩，页与 ZFS 记录（record）保持对齐。只有 MariaDB 有，所以写 `loose_`。";

    /// What does not turn write-through off.
    mariadb_flush_method(need) if may_be_mariadb_11(need) => of_mariadb("innodb_flush_method", "O_DIRECT")
        .source(Document::MariadbCode, "innodb_init_params() in ha_innodb.cc").source(Document::ZfsProps, "direct")
        .lab("mariadb-direct"),
    why: "MariaDB from 11.0 on reads this deprecated setting after the two below: fsync would turn write-through off again, O_DIRECT changes nothing. On 10.6 to 10.11 it is the default method: from OpenZFS 2.3 on, whole records then bypass the ARC. To keep the ARC there, write fsync in a group [mariadb-10.11] (of your release) after this one.",
    why_zh: "MariaDB 自 11.0 起在下面两项之后再应用这个已弃用的设置：fsync 会把直写再次关闭，O_DIRECT 则什么也不改变。在 10.6 至 10.11 上它是默认方式：自 OpenZFS 2.3 起，整个 ZFS 记录（record）的读写会绕过 ARC。若要在那里保留 ARC，在此组之后的 [mariadb-10.11] 组（写你的版本）里设 fsync。";

    innodb_data_file_buffering(need) if may_be_mariadb_11(need) => of_mariadb("loose_innodb_data_file_buffering", "ON")
        .source(Document::MariadbManual, "innodb_data_file_buffering").lab("mariadb-direct"),
    why: "MariaDB from 11.0 on: files are opened without O_DIRECT, so that the ARC caches below the buffer pool. Earlier releases do not have it, hence `loose_`.",
    why_zh: "MariaDB 自 11.0 起：打开文件时不用 O_DIRECT，缓冲池之下仍有 ARC 缓存。更早的版本没有此设置，所以写 `loose_`。";

    innodb_data_file_write_through(need) if may_be_mariadb_11(need)
        => of_mariadb("loose_innodb_data_file_write_through", "ON")
            .source(Document::MariadbCode, "log_checkpoint() in buf0flu.cc").lab(evidence::CHECKPOINT),
    why: "The checkpoint of MariaDB (10.6 to 11.8) can advance past pages that wait for fsync, and a power cut then damages tables. From 11.0 on this makes each page durable when it is written. On 10.6 to 10.11, which do not have it (hence `loose_`), set sync=always on the dataset of the data instead. MySQL needs neither.",
    why_zh: "MariaDB（10.6 至 11.8）的检查点可能越过仍在等待 fsync 的页，断电会因此损坏表。自 11.0 起，此设置使页写出即落盘。10.6 至 10.11 没有此设置（所以写 `loose_`），应改为在数据所在的数据集上设 sync=always。MySQL 两者都不需要。";

    mariadb_io_capacity(need) if need.system.mysql_server.mariadb != Some(false) && need.flash()?
        => of_mariadb("innodb_io_capacity", 2000).source(Document::MariadbManual, "innodb_io_capacity"),
    why: "MariaDB's default of 200 describes a few disks. MySQL from 8.4 on has 10000, so it is not set there.",
    why_zh: "MariaDB 的默认值 200 对应几块机械盘。MySQL 自 8.4 起默认为 10000，因此那里不设。";
}
