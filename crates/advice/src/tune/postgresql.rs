//! `postgresql.conf`.

use super::choice::{Bilingual, Choice, Need, Workload};
use crate::setting::Target;
use crate::source::Document;

/// Every setting of PostgreSQL here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[
    shared_buffers,
    effective_cache_size,
    maintenance_work_mem,
    max_wal_size,
    checkpoint_timeout,
    wal_init_zero,
    wal_recycle,
    wal_compression,
    full_page_writes,
    synchronous_commit,
    random_page_cost,
    effective_io_concurrency,
];

fn set(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Postgresql, name, value, reason).source(Document::PostgresManual, name)
}

fn megabytes(bytes: u64) -> String {
    format!("{}MB", (bytes >> 20).max(1))
}

/// PostgreSQL's own cache.
pub fn shared_buffers(need: &Need) -> Option<Choice> {
    Some(set(
        "shared_buffers",
        megabytes(need.server_cache()),
        (
            "A quarter of RAM, the manual's starting point; the ARC behind it holds the rest of the working set, compressed.",
            "内存的四分之一，是手册的起点；其后的 ARC 以压缩形式保存工作集的其余部分。",
        ),
    ))
}

/// What the planner may believe is cached.
pub fn effective_cache_size(need: &Need) -> Option<Choice> {
    let bytes = need.server_cache().saturating_add(need.arc() / 4 * 3);
    Some(set(
        "effective_cache_size",
        megabytes(bytes),
        (
            "shared_buffers and three quarters of the ARC: an estimate for the planner, which allocates nothing. Linux's page cache does not count: ZFS does not use it.",
            "shared_buffers 加上 ARC 的四分之三：只是给规划器的估计，不分配内存。Linux 的页缓存不算：ZFS 不用它。",
        ),
    ))
}

/// Memory of VACUUM and CREATE INDEX.
pub fn maintenance_work_mem(need: &Need) -> Option<Choice> {
    Some(set(
        "maintenance_work_mem",
        megabytes((need.memory / 16).min(2 << 30)),
        (
            "A sixteenth of RAM, at most 2 GB: fewer passes over indexes.",
            "内存的十六分之一，最多 2 GB：少扫几遍索引。",
        ),
    ))
}

/// WAL between checkpoints.
pub fn max_wal_size(need: &Need) -> Option<Choice> {
    let bytes: u64 = if need.memory >= 64 << 30 {
        16 << 30
    } else {
        4 << 30
    };
    Some(set(
        "max_wal_size",
        megabytes(bytes),
        (
            "Checkpoints by time and not by volume: after each one, the first change of a page writes the page whole. Costs disk space and a longer recovery after a crash.",
            "让检查点按时间而不是按数据量发生：每次检查点后，对一页的首次修改都写整页。代价是磁盘空间和崩溃后更长的恢复。",
        ),
    ))
}

/// Time between checkpoints.
pub fn checkpoint_timeout(need: &Need) -> Option<Choice> {
    (need.workload != Workload::Analytics).then(|| set("checkpoint_timeout", "15min", ("Fewer full pages in the WAL than at 5 min; recovery after a crash replays up to so much longer.", "比 5 分钟时 WAL 里的整页更少；崩溃后的恢复最多要多重放这么久。")))
}

/// Zeros in new WAL files.
pub fn wal_init_zero(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_init_zero",
        "off",
        (
            "Filling with zeros reserves blocks to overwrite; copy-on-write never overwrites, and compression drops the zeros.",
            "填零是为了预留可覆盖的块；写时复制从不覆盖，压缩还会把零丢掉。",
        ),
    ))
}

/// Reuse of old WAL files.
pub fn wal_recycle(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_recycle",
        "off",
        (
            "Renaming an old file to overwrite it saves nothing on copy-on-write, and writing into old records reads those that left the cache.",
            "把旧文件改名再覆盖，在写时复制上什么也省不下，而写进旧记录还要先读已离开缓存的部分。",
        ),
    ))
}

/// Full pages in the WAL, compressed.
pub fn wal_compression(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_compression",
        "on",
        (
            "Full pages make most of the WAL after a checkpoint. The intent log stores what it is given uncompressed, so smaller WAL writes are smaller commits; ZFS's compression comes only afterwards. From PostgreSQL 15 on, lz4 in place of on costs less processor time.",
            "检查点之后 WAL 大半是整页。意图日志按原样不压缩地保存，所以 WAL 写得小，提交就小；ZFS 的压缩在那之后才发生。自 PostgreSQL 15 起，用 lz4 代替 on 更省处理器时间。",
        ),
    ))
}

/// Pages whole in the WAL after a checkpoint.
pub fn full_page_writes(_: &Need) -> Option<Choice> {
    let reason = (
        "Only where every file of the cluster was written with recordsize 8K or more, a multiple of the page: ZFS then writes a page whole or not at all. Not on a standby with another file system, not with pg_rewind.",
        "仅当集群的每个文件都以 8K 或更大、且为页的整数倍的 recordsize 写成时：ZFS 对一页要么整个写入，要么没有写。在别的文件系统上的备库、以及使用 pg_rewind 时不要用。",
    );
    Some(
        set("full_page_writes", "off", reason)
            .source(Document::ZfsCode, "zfs_write, one transaction a block")
            .offered(),
    )
}

/// Whether COMMIT waits for the WAL.
pub fn synchronous_commit(need: &Need) -> Option<Choice> {
    // Three times wal_writer_delay of 200 ms.
    const LOSS: f64 = 0.6;
    if need.allow_loss_s >= LOSS {
        return Some(set("synchronous_commit", "off", ("Asked for by --allow-loss: COMMIT returns before its WAL is flushed. The database stays consistent. Can be set for single transactions instead.", "由 --allow-loss 要求：COMMIT 在其 WAL 刷写之前返回。数据库保持一致。也可以只对个别事务设置。")).may_lose(LOSS));
    }
    Some(set(
        "synchronous_commit",
        "on",
        (
            "COMMIT returns when the transaction is stable.",
            "事务落盘后 COMMIT 才返回。",
        ),
    ))
}

/// What a random page costs.
pub fn random_page_cost(need: &Need) -> Option<Choice> {
    (need.flash() == Some(true)).then(|| set("random_page_cost", "1.1", ("On flash a random page costs hardly more than a sequential one; 4 makes the planner avoid indexes.", "在闪存上，随机页比顺序页贵不了多少；4 会使规划器避开索引。")))
}

/// Reads started ahead.
pub fn effective_io_concurrency(need: &Need) -> Option<Choice> {
    let choice = match (need.release(), need.flash()) {
        (Some(release), _) if release < (2, 2) => set("effective_io_concurrency", 0, ("Up to OpenZFS 2.1 posix_fadvise does nothing on Linux: each hint would be a system call for nothing.", "OpenZFS 2.1 及以前，posix_fadvise 在 Linux 上不起作用：每个提示都是白费的系统调用。")).source(Document::ZfsCode, "zpl_file.c, fadvise since 2.2"),
        (Some(_), Some(true)) => set("effective_io_concurrency", 200, ("Flash serves many reads at once, and since 2.2 OpenZFS starts them on posix_fadvise.", "闪存能同时应答许多读取，自 2.2 起 OpenZFS 会因 posix_fadvise 启动它们。")).source(Document::HongKong, "databases"),
        (Some(_), Some(false)) => {
            let disks = need.leaves(facts::zpool_status::Class::Normal).len().clamp(1, 64);
            set("effective_io_concurrency", disks * 2, ("Two reads for each disk of the pool keep all of them busy.", "存储池每块盘两个读取，就能使它们全部忙碌。"))
        }
        _ => return None,
    };
    Some(choice)
}
