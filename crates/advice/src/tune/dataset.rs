//! Properties of the dataset.

use super::choice::{Bilingual, Choice, Need, Sentence, Server, Workload, settings};
use crate::format::size;
use crate::setting::Target;
use crate::source::Document;
use crate::system::record_for;
use lab::durability::evidence;
use zfs::AllocationClass;

fn on(need: &Need, name: &str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Dataset(need.dataset()), name, value, reason)
}

/// A property of the dataset for the server's log.
fn on_log(dataset: String, name: &'static str, value: &str, reason: Bilingual) -> Choice {
    Choice::new(Target::Dataset(dataset), name, value, reason).source(Document::ZfsProps, name)
}

fn records(need: &Need, size: &str, reason: Bilingual) -> Choice {
    let reason = Sentence::from(reason)
        .and(("Only files written afterwards use it.", "只对之后写入的文件生效。"));
    Choice::new(Target::Dataset(need.dataset()), "recordsize", size, reason)
        .source(Document::HongKong, "databases and file servers, recordsize")
        .source(Document::ZfsProps, "recordsize")
        .lab("hk-recordsize")
}

fn records_of_innodb(need: &Need, reason: Bilingual) -> Choice {
    records(need, &size(record_for(need.system.innodb_page())), reason).disagreement((
        "some use larger records for compression; in records smaller than a page, a page takes several",
        "有人为提高压缩率而用更大的 ZFS 记录（record）；记录小于页时，一页要占几个记录",
    ))
}

fn compressed(need: &Need, algorithm: &str, reason: Bilingual) -> Choice {
    let choice = on(need, "compression", algorithm, reason)
        .source(Document::ZfsProps, "compression")
        .source(Document::Mysql, "compression=lz4");
    match need.server {
        Server::Postgresql => choice.lab("postgresql-compression"),
        _ => choice,
    }
}

/// `logbias=latency`, on which sources disagree.
fn latency(need: &Need, reason: Bilingual) -> Choice {
    on(need, "logbias", "latency", reason)
        .disagreement((
            "the MySQL-on-ZFS article sets throughput, the Hong Kong article latency; the lab measures both",
            "MySQL on ZFS 一文设 throughput，香港一文设 latency；所附实验对两者都做测量",
        ))
        .source(Document::HongKong, "databases, logbias=latency")
        .source(Document::Mysql, "logbias=throughput")
        .source(Document::ZfsProps, "logbias")
        .lab("hk-logbias")
}

fn has_special(need: &Need) -> bool {
    !need.leaves(AllocationClass::Special).is_empty()
}

fn small_blocks(need: &Need, limit: &str, reason: Bilingual) -> Choice {
    on(need, "special_small_blocks", limit, reason)
        .source(Document::ZfsProps, "special_small_blocks")
        .source(Document::HongKong, "file servers, special vdev")
        .lab("hk-smb-l2arc")
}

/// Whether somebody has `sync=always` on a dataset. It keeps more than `standard`, and MariaDB up to 10.11 needs it:
/// tune does not undo it.
fn is_always(need: &Need, dataset: &str) -> bool {
    need.system.dataset(dataset).is_some_and(|known| known.is("sync", "always"))
}

/// Whether the server is MariaDB of a release without write-through.
fn needs_sync_always(need: &Need) -> bool {
    let system = &need.system;
    let named = system.mysql_server.mariadb.is_none()
        && need.dataset().to_ascii_lowercase().contains("mariadb");
    need.server == Server::Mysql
        && (system.is_mariadb() || named)
        && system.is_mariadb_11() == Some(false)
}

settings! {
    recordsize(need) if need.database() && need.workload == Workload::Analytics => records(need, "128K")
        .disagreement(("16K is better for transactions; a server with both needs two datasets or tablespaces", "事务负载用 16K 更好；同一服务器上两种负载都有时，分成两个数据集或表空间")),
    why: "Scans read whole records; larger records compress better and need fewer operations. A random page write rewrites 128K.",
    why_zh: "扫描按整个 ZFS 记录（record）读取；记录大则压缩率更高，I/O 次数更少。随机写一页要重写 128K。"
    else if need.server == Server::Postgresql => records(need, "16K")
        .disagreement(("8K equals the page and hardly compresses; 32K halves the metadata and compresses better, but rewrites 32K for a page", "8K 与页相等，几乎不能压缩；32K 元数据减半、压缩更好，但写一页要重写 32K")),
    why: "A record holds two 8K pages: a page write rewrites 16K instead of 128K, each page lies within one record, and there is room to compress.",
    why_zh: "一个 ZFS 记录（record）容纳两个 8K 页：写一页只重写 16K 而不是 128K，每页都落在一个记录之内，而且有压缩余地。"
    else if need.server == Server::Mysql && need.system.innodb_page() < 16384 => records_of_innodb(need),
    why: "A record holds several pages of InnoDB: a page write rewrites 16K instead of 128K, each page lies within one record, and there is room to compress.",
    why_zh: "一个 ZFS 记录（record）容纳几个 InnoDB 页：写一页只重写 16K 而不是 128K，每页都落在一个记录之内，而且有压缩余地。"
    else if need.server == Server::Mysql => records_of_innodb(need),
    why: "It equals InnoDB's page: a page is one record, written as a whole, and reading a page reads nothing else.",
    why_zh: "与 InnoDB 的页大小相等：一页就是一个 ZFS 记录（record），整体写入，读一页也不会多读。"
    else if matches!(need.workload, Workload::LargeFiles | Workload::Analytics) => records(need, "1M"),
    why: "Files are read and written sequentially: fewer operations and less metadata. Small files take only the space that they need.",
    why_zh: "文件是顺序读写的：I/O 次数和元数据都更少。小文件只占所需的空间。"
    else if matches!(need.workload, Workload::Vm | Workload::Oltp) => records(need, "16K")
        .disagreement(("64K suits guests with sequential I/O better and needs less metadata", "64K 对顺序读写的虚拟机更好，元数据更少")),
    why: "Guests write 4K to 64K at random: a write of part of a record reads and rewrites the whole record.",
    why_zh: "虚拟机随机写 4K 到 64K：只写 ZFS 记录（record）的一部分时，要先读出再重写整个记录。"
    else => records(need, "128K")
        .disagreement(("the Hong Kong article sets 16K for small files, which affects only files over 16K that are partly rewritten", "香港一文为小文件设 16K，这只影响大于 16K 且被部分改写的文件")),
    why: "A file smaller than a record is one block of its own size, so small files need no small records; larger files have few blocks.",
    why_zh: "小于 recordsize 的文件只占一个与文件等大的块，所以小文件不需要小的 recordsize；大文件的块数则更少。";

    compression(need) if need.workload == Workload::Analytics => compressed(need, "zstd"),
    why: "Scanned data is read more often than written: zstd compresses better and decompresses fast.",
    why_zh: "扫描的数据读多于写：zstd 压缩率更高，解压也快。"
    else => compressed(need, "lz4"),
    why: "It costs next to nothing, stops early on incompressible data, and writes fewer bytes.",
    why_zh: "几乎没有代价，对不可压缩的数据尽早放弃，写入的字节更少。";

    atime(need) => on(need, "atime", "off")
        .source(Document::HongKong, "databases, atime=off").source(Document::ZfsProps, "atime"),
    why: "Reads then cause no writes. Set relatime=on instead if mail or backup software needs access times.",
    why_zh: "设为 off 后，读取不再引起写入。若邮件或备份软件要看访问时间，改设 relatime=on。";

    // It is the default since 2.3.
    xattr(need) if need.release().is_none_or(|release| release < (2, 3)) => on(need, "xattr", "sa")
        .source(Document::ZfsProps, "xattr").source(Document::Mysql, "xattr=sa"),
    why: "It stores extended attributes (SELinux, ACLs, Samba's DOS attributes) in the dnode instead of hidden directories.",
    why_zh: "把扩展属性（SELinux、ACL、Samba 的 DOS 属性）放进 dnode，而不是隐藏目录。";

    acltype(need) if matches!(need.server, Server::Smb | Server::Nfs)
        => on(need, "acltype", "posix").source(Document::ZfsProps, "acltype"),
    why: "POSIX ACLs are off by default on Linux; file servers map their ACLs to them.",
    why_zh: "Linux 上 POSIX ACL 默认关闭；文件服务器把自己的 ACL 映射到它上面。";

    dnodesize(need) if need.server == Server::Smb
        => on(need, "dnodesize", "auto").source(Document::ZfsProps, "dnodesize"),
    why: "It makes room for attributes in the dnode: without it Samba's spill into a separate block. It needs the large_dnode feature; do not set it on a pool that a boot loader reads.",
    why_zh: "在 dnode 里为属性留出空间：否则 Samba 的属性要另占一个块。需要 large_dnode 特性；引导程序要读的存储池不要用。";

    logbias(need) if need.database() && !need.leaves(AllocationClass::Log).is_empty() => latency(need),
    why: "Commits go to the log vdev. With throughput they would bypass it.",
    why_zh: "提交写到日志 vdev。设为 throughput 会绕过它。"
    else if need.database() => latency(need),
    why: "This is the default. A small commit is written once to the log and once with its transaction group; with throughput each small commit writes its whole record.",
    why_zh: "默认值。小提交在日志里写一次，随事务组再写一次；设为 throughput 时，每个小提交都写整个 ZFS 记录（record）。";

    primarycache(need) if need.database() => on(need, "primarycache", "all")
        .disagreement((
            "the MySQL-on-ZFS article sets metadata, which saves RAM only if the server's own cache holds the working set, and makes appends read their records again",
            "MySQL on ZFS 一文设 metadata，但只有数据库自身的缓存装得下工作集时才省内存，而且追加写要重读 ZFS 记录（record）"
        ))
        .source(Document::Mysql, "primarycache=metadata").source(Document::ZfsProps, "primarycache"),
    why: "The ARC serves what the server's own cache does not hold, keeps records that are partly rewritten, and is the only way into an L2ARC.",
    why_zh: "ARC 提供数据库自身缓存中没有的内容，保留被部分改写的 ZFS 记录（record），而且数据只有经过它才能进入 L2ARC。";

    sync(need) if need.may_lose_groups()
        => on(need, "sync", "disabled").may_lose(need.lost_groups_s())
            .source(Document::ZfsProps, "sync").source(Document::Mysql, "sync=disabled").lab(evidence::SYNC_DISABLED),
    why: "Permitted by --allow-loss: every flush returns at once. A power cut loses up to twice zfs_txg_timeout; the pool itself stays consistent.",
    why_zh: "由 --allow-loss 允许：每次刷盘都立即返回。断电最多丢失两倍 zfs_txg_timeout 时间内的写入；存储池本身保持一致。"
    else if !is_always(need, &need.dataset()) && needs_sync_always(need)
        => on(need, "sync", "always")
            .source(Document::MariadbCode, "log_checkpoint() in buf0flu.cc").source(Document::ZfsProps, "sync")
            .lab(evidence::CHECKPOINT),
    why: "MariaDB up to 10.11 cannot write its pages through, and its checkpoint can advance past pages that wait for fsync: a power cut then damages tables. With always, a page is durable when it is written.",
    why_zh: "MariaDB 10.11 及以前不支持数据页的直写（write-through），而它的检查点可能越过仍在等待 fsync 的页，断电会因此损坏表。设为 always 时，页写出即落盘。"
    else if !is_always(need, &need.dataset())
        => on(need, "sync", "standard").source(Document::ZfsProps, "sync").lab("hk-async"),
    why: "Programs get the durability that they request, and pay only for that.",
    why_zh: "程序要求多少持久性就得到多少，也只为此付出代价。";

    special_small_blocks(need) if has_special(need) && need.database() => small_blocks(need, "0"),
    why: "The records of a database are small blocks: ZFS compares their size after compression, so a threshold even below the recordsize would send much of the data to the special vdev.",
    why_zh: "数据库数据集的 ZFS 记录（record）本来就是小块：ZFS 比较的是压缩后的大小，因此阈值即使低于 recordsize，也会把许多数据写到 special vdev。"
    else if has_special(need) && matches!(need.workload, Workload::SmallFiles | Workload::Mixed)
        => small_blocks(need, "32K"),
    why: "Small files then go to the special vdev, not only their metadata. Size it for them: above 75 % full it takes no more.",
    why_zh: "这样小文件本身也放在 special vdev 上，而不只是元数据。容量要足够：用到 75 % 后它不再接收小文件。"
    else if has_special(need) => small_blocks(need, "0"),
    why: "Metadata gains most; large files gain nothing from a higher threshold.",
    why_zh: "元数据受益最大；提高阈值对大文件没有好处。";

    /// The log lies beside the data: `zfs snapshot -r` takes both, and it inherits nothing from the dataset of the data.
    log_recordsize(need) if need.server == Server::Mysql
        => on_log(need.log_dataset()?, "recordsize", &size(need.system.redo_block()))
            .source(Document::MysqlManual, "innodb_log_write_ahead_size"),
    why: "It equals innodb_log_write_ahead_size, so that an append to the redo log writes whole records: in a larger record, a write into a reused log file first reads the old record. `zfs snapshot -r` still takes data and log together. Put the log there with innodb_log_group_home_dir.",
    why_zh: "与 innodb_log_write_ahead_size 相等，追加重做日志就写整个 ZFS 记录（record）：记录更大时，写入重用的日志文件要先读出旧记录。`zfs snapshot -r` 仍可同时为数据和日志做快照。用 innodb_log_group_home_dir 把日志放到那里。"
    else => on_log(need.log_dataset()?, "recordsize", "128K"),
    why: "Logs are appended and read sequentially. On their own dataset they do not share the small records of the tables, and `zfs snapshot -r` still takes both together. Put the log there with initdb --waldir, or stop the server, move it and leave a symbolic link.",
    why_zh: "日志是追加写、顺序读的。放在单独的数据集上，就不必与表共用小的 recordsize，`zfs snapshot -r` 仍可同时为两者做快照。用 initdb --waldir 把日志放到那里，或停止服务、移动日志并留下符号链接。";

    log_compression(need) => on_log(need.log_dataset()?, "compression", "lz4"),
    why: "This dataset inherits nothing from that of the data. With compression, zeros at the end of log files take no space.",
    why_zh: "此数据集不继承数据所在数据集的属性。压缩后，日志文件末尾的零不占空间。";

    log_atime(need) => on_log(need.log_dataset()?, "atime", "off"),
    why: "The same value, for the same reason, as on the dataset of the data.",
    why_zh: "取值和理由都与数据所在的数据集相同。";

    /// With one of them durable and the other not, a power cut leaves data and log of different moments. A log is flushed
    /// when it must be, so `standard` is enough.
    log_sync(need) if need.may_lose_groups() || !is_always(need, &need.log_dataset()?)
        => on_log(need.log_dataset()?, "sync", if need.may_lose_groups() { "disabled" } else { "standard" }),
    why: "Same value as for the data: if only one were durable, a power cut would leave the data and the log at different points in time.",
    why_zh: "与数据相同：若一方落盘而另一方没有，断电后数据与日志就不属于同一时刻。";
}
