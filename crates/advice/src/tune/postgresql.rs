//! `postgresql.conf`.

use super::choice::{Bilingual, Choice, Need, Workload, settings};
use crate::setting::Target;
use crate::source::Document;
use lab::durability::evidence;

/// Seconds of commits that synchronous_commit=off may lose: three times wal_writer_delay of 200 ms.
const COMMIT_LOSS: f64 = 0.6;

fn set(name: &'static str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Postgresql, name, value, reason).source(Document::PostgresManual, name)
}

fn megabytes(bytes: u64) -> String {
    format!("{}MB", (bytes >> 20).max(1))
}

settings! {
    shared_buffers(need) => set("shared_buffers", megabytes(need.server_cache())),
    why: "A quarter of RAM, the manual's starting point; the ARC holds the rest of the working set, compressed.",
    why_zh: "内存的四分之一，是手册建议的起点；ARC 以压缩形式保存工作集的其余部分。";

    effective_cache_size(need)
        => set("effective_cache_size", megabytes(need.server_cache().saturating_add(need.arc() / 4 * 3))),
    why: "shared_buffers plus three quarters of the ARC: an estimate for the planner that allocates nothing. Linux's page cache does not count, because ZFS does not use it.",
    why_zh: "shared_buffers 加上 ARC 的四分之三：只是给规划器的估计，不分配内存。Linux 的页缓存不算：ZFS 不用它。";

    maintenance_work_mem(need) => set("maintenance_work_mem", megabytes((need.memory / 16).min(2 << 30))),
    why: "A sixteenth of RAM, at most 2 GB, for fewer passes over indexes.",
    why_zh: "内存的十六分之一，最多 2 GB：少扫几遍索引。";

    max_wal_size(need) => set("max_wal_size", crate::system::max_wal_size(need.memory)),
    why: "Checkpoints then come by time, not by volume: after each one, the first change of a page writes the whole page to the WAL. It costs disk space and a longer recovery after a crash.",
    why_zh: "让检查点按时间而不是按数据量发生：每次检查点后，对一页的首次修改都把整页写进 WAL。代价是磁盘空间和崩溃后更长的恢复时间。";

    checkpoint_timeout(need) if need.workload != Workload::Analytics => set("checkpoint_timeout", "15min"),
    why: "The WAL holds fewer full pages than with 5 min; recovery after a crash replays up to 15 min of WAL.",
    why_zh: "WAL 里的整页比 5 分钟时更少；崩溃后的恢复最多要重放 15 分钟的 WAL。";

    wal_init_zero(_) => set("wal_init_zero", "off"),
    why: "Zeros reserve blocks for overwriting; a copy-on-write file system never overwrites, and compression drops the zeros.",
    why_zh: "填零是为了预留可覆盖的块；写时复制文件系统从不就地覆盖，压缩还会把零去掉。";

    wal_recycle(_) => set("wal_recycle", "off"),
    why: "Overwriting a renamed old file saves nothing on a copy-on-write file system, and writes into old records read those that are no longer cached.",
    why_zh: "把旧文件改名后覆盖，在写时复制文件系统上并无节省；写入旧文件时，所在的 ZFS 记录（record）若已不在缓存中，还要先读出。";

    wal_compression(_) => set("wal_compression", "on"),
    why: "Full pages are most of the WAL after a checkpoint. The intent log stores data uncompressed, so smaller WAL writes make smaller commits; ZFS compresses only later. From PostgreSQL 15 on, the value `lz4` costs less processor time than `on`.",
    why_zh: "检查点之后 WAL 大半是整页。意图日志按原样不压缩地保存，所以 WAL 写得小，提交就小；ZFS 的压缩在那之后才发生。自 PostgreSQL 15 起，取值 `lz4` 比 `on` 更省处理器时间。";

    fsync(need) if need.system.postgres_switch("fsync").is_some_and(|found| !found.value)
        => set("fsync", "on").lab(evidence::FSYNC),
    why: "The input has fsync=off: a crash of the machine may then corrupt the whole instance. On ZFS synchronous_commit=off is as fast and keeps the database consistent.",
    why_zh: "输入中 fsync=off：机器崩溃可能损坏整个数据库实例。在 ZFS 上 synchronous_commit=off 同样快，而且数据库保持一致。";

    full_page_writes(_) => set("full_page_writes", "on")
        .source(Document::ZfsCode, "zil_lwb_assign").lab(evidence::TORN_RECORDS),
    why: "Off is often advised on ZFS. But ZFS tears pages, whatever the recordsize: the fsync of a checkpoint puts pages into the intent log, which can divide one between two log blocks, and the power can fail between them. Simulated power cuts tore pages of 16K this way; pages of 8K are rarely divided.",
    why_zh: "常有建议在 ZFS 上关闭它。但无论 recordsize 多大，ZFS 上都会发生页撕裂（torn page）：检查点的 fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。模拟断电中 16K 的页确实这样被撕裂；8K 的页很少跨两个日志块。";

    synchronous_commit(need) if need.allow_loss_s >= COMMIT_LOSS
        => set("synchronous_commit", "off").may_lose(COMMIT_LOSS).lab(evidence::SYNCHRONOUS_COMMIT),
    why: "Permitted by --allow-loss: COMMIT returns before its WAL is flushed. The database stays consistent. It can be set for single transactions instead.",
    why_zh: "由 --allow-loss 允许：COMMIT 在其 WAL 刷盘之前返回。数据库保持一致。也可以只对个别事务设置。"
    else => set("synchronous_commit", "on"),
    why: "COMMIT returns when the transaction is stable.",
    why_zh: "事务落盘后 COMMIT 才返回。";

    random_page_cost(need) if need.flash() == Some(true) => set("random_page_cost", "1.1"),
    why: "On flash a random page costs hardly more than a sequential one; the default of 4 makes the planner avoid indexes.",
    why_zh: "在闪存上，随机读一页的代价比顺序读高不了多少；默认值 4 会使规划器避开索引。";

    // 0 would turn the asynchronous reads of PostgreSQL 18 off, and its default of 16 serves them.
    effective_io_concurrency(need)
        if need.release()? < (2, 2) && need.system.postgres_major().is_none_or(|major| major < 18)
        => set("effective_io_concurrency", 0).offered().source(Document::ZfsCode, "zpl_file.c, fadvise since 2.2"),
    why: "Up to OpenZFS 2.1, posix_fadvise has no effect on Linux: each hint is a wasted system call. Only up to PostgreSQL 17: in 18, 0 turns its own asynchronous reads off.",
    why_zh: "OpenZFS 2.1 及以前，posix_fadvise 在 Linux 上不起作用：每个提示都是白费的系统调用。只适用于 PostgreSQL 17 及以前：在 18 中设为 0 会关闭它自己的异步读取。"
    else if need.release()? >= (2, 2) && need.flash()?
        => set("effective_io_concurrency", 200).source(Document::HongKong, "databases"),
    why: "Flash serves many reads at once, and since 2.2 OpenZFS starts them when it gets posix_fadvise.",
    why_zh: "闪存能同时处理许多读取，自 2.2 起 OpenZFS 收到 posix_fadvise 就会发起这些读取。"
    else if need.release()? >= (2, 2) => set("effective_io_concurrency", need.data_drives() * 2),
    why: "Two reads for each disk of the pool keep all of them busy.",
    why_zh: "存储池每块盘两个并发读取，就能让所有盘保持忙碌。";
}
