//! Properties of datasets, whatever they hold.

use super::padding::new_volume;
use super::{Check, Problem, Severity, rules};
use crate::format::size;
use crate::system::{Dataset, System};

rules! {
    "sync-disabled", Warning, Check::Property("sync", sync_disabled),
    what: "{subject} has sync=disabled.",
    what_zh: "{subject} 设置了 sync=disabled。",
    why: "ZFS reports data as stable while it is still in memory: a crash or power cut loses the acknowledged writes of the last seconds. The pool itself stays consistent. Use it only for data that can be created again.",
    why_zh: "数据还在内存里，ZFS 就报告已经落盘：崩溃或断电会丢失最后几秒已确认的写入。存储池本身保持一致。只适合可以重新生成的数据。",
    sources: [ZfsProps("sync"), Mysql("sync=disabled"), Fsync("zfs get all")],
    lab: "hk-async";

    "primarycache-none", Warning,
    Check::Property("primarycache", |_, dataset, value| (value == "none").then(|| set(dataset, "primarycache", "all"))),
    what: "{subject} has primarycache=none.",
    what_zh: "{subject} 设置了 primarycache=none。",
    why: "Not even metadata is cached: each read goes to the drives, several times because of indirect blocks, and each write of part of a record reads the record first.",
    why_zh: "连元数据也不缓存：每次读都要访问盘，因为间接块还要访问多次；每次只写记录的一部分时都要先读整条记录。",
    sources: [ZfsProps("primarycache")];

    "atime", Note,
    Check::Property("atime", |_, dataset, value| {
        (value == "on" && dataset.is("relatime", "off")).then(|| set(dataset, "atime", "off"))
    }),
    what: "{subject} writes an access time for every read (atime=on, relatime=off).",
    what_zh: "{subject} 每次读都写访问时间（atime=on，relatime=off）。",
    why: "Each read makes a dnode dirty, and with it a path of metadata blocks.",
    why_zh: "每次读都会使一个 dnode 变脏，并连带它上层一整条路径的元数据块。",
    sources: [ZfsProps("atime"), Mysql("zfs set atime=off")];

    "compression-off", Note,
    Check::Property("compression", |_, dataset, value| (value == "off").then(|| set(dataset, "compression", "lz4"))),
    what: "{subject} is not compressed.",
    what_zh: "{subject} 没有压缩。",
    why: "lz4 stops early on incompressible data and costs next to nothing. Without any compression, the last record of a file is also stored at full size.",
    why_zh: "lz4 遇到不可压缩的数据会尽早停止，几乎没有开销；完全不压缩时，文件的最后一条记录也按整条存储。",
    sources: [ZfsProps("compression"), Mysql("compression=lz4")];

    "compression-heavy", Note,
    Check::Property("compression", |_, dataset, value| {
        (value == "gzip" || value.starts_with("gzip-")).then(|| set(dataset, "compression", "zstd"))
    }),
    what: "{subject} compresses with {value}.",
    what_zh: "{subject} 用 {value} 压缩。",
    why: "gzip compresses tens of megabytes a second on a core. zstd reaches the same ratio several times faster, and lz4 most of it at memory speed.",
    why_zh: "gzip 每核每秒只压缩几十兆字节。zstd 以快几倍的速度达到同样的压缩率；lz4 的速度接近内存，也能达到其大部分压缩效果。",
    sources: [ZfsProps("compression")];

    "xattr", Note, Check::Property("xattr", xattr),
    what: "{subject} keeps extended attributes in hidden directories (xattr={value}).",
    what_zh: "{subject} 把扩展属性放在隐藏目录里（xattr={value}）。",
    why: "Each access costs further look-ups and I/O. With xattr=sa they are stored in the dnode, which matters for SELinux, ACLs and Samba. Only new attributes change.",
    why_zh: "每次访问都要额外的查找和 I/O。xattr=sa 把它们存在 dnode 里，对 SELinux、ACL 和 Samba 很重要。只影响新写入的属性。",
    sources: [ZfsProps("xattr"), Mysql("xattr=sa")];

    "checksum-off", Error,
    Check::Property("checksum", |_, dataset, value| {
        matches!(value, "off" | "noparity").then(|| set(dataset, "checksum", "on"))
    }),
    what: "{subject} has no checksums of its data (checksum={value}).",
    what_zh: "{subject} 的数据没有校验和（checksum={value}）。",
    why: "Damage is then neither found nor repaired, which is the reason to use ZFS. The CPU cost of fletcher4 is hardly measurable.",
    why_zh: "这样既发现不了也修复不了损坏，而这正是使用 ZFS 的理由。fletcher4 的 CPU 开销几乎测不出来。",
    sources: [ZfsProps("checksum")];

    "copies", Note,
    Check::Property("copies", |_, dataset, value| matches!(value, "2" | "3").then(|| set(dataset, "copies", "1"))),
    what: "{subject} stores {value} copies of each block.",
    what_zh: "{subject} 对每个块保存 {value} 份。",
    why: "The copies may be on one drive. They do not let the pool survive the loss of a vdev, and they multiply writes. Redundancy belongs in the vdevs.",
    why_zh: "几份可能在同一块盘上，失去一个 vdev 时存储池仍会丢失，写入却成倍增加。冗余应放在 vdev 层。",
    sources: [ZfsProps("copies")];

    "dedup", Warning, Check::Property("dedup", dedup),
    what: "{subject} is deduplicated: about {memory} of table for each TiB of unique data in blocks of {block}.",
    what_zh: "{subject} 启用了去重：块为 {block} 时，每 TiB 唯一数据的去重表约占 {memory}。",
    why: "Every write looks its block up in the table. When the table no longer fits in the ARC, each look-up is a random read. Data written while dedup is on stays in the table after it is turned off.",
    why_zh: "每次写都要查表；表放不进 ARC 后，每次查找都是一次随机读。启用期间写入的数据，关闭之后仍留在表里。",
    sources: [ZfsProps("dedup"), ZfsDocs("Performance, deduplication")];

    "encryption-ccm", Note, Check::Property("encryption", encryption_ccm),
    what: "{subject} is encrypted with {value}.",
    what_zh: "{subject} 用 {value} 加密。",
    why: "GCM is as strong and several times faster, because processors have instructions for it. The cipher of a dataset cannot be changed: send the data into a new dataset.",
    why_zh: "GCM 同样安全，而且处理器有专用指令，快几倍。已有数据集不能更改加密算法：把数据发送到新的数据集。",
    sources: [ZfsProps("encryption")];

    "encryption-dedup", Note, Check::Property("encryption", encryption_dedup),
    what: "{subject} is encrypted and deduplicated.",
    what_zh: "{subject} 既加密又去重。",
    why: "Each family of clones encrypts with its own key, so blocks match only within it; the table costs the same. Matches also show an attacker which blocks are equal.",
    why_zh: "每个克隆家族用自己的密钥加密，所以只能在家族内去重，而去重表的开销不变。去重还会让攻击者知道哪些块相同。",
    sources: [ZfsProps("encryption")];

    "redundant-metadata", Note, Check::Property("redundant_metadata", redundant_metadata),
    what: "{subject} has redundant_metadata={value}.",
    what_zh: "{subject} 设置了 redundant_metadata={value}。",
    why: "It saves writes of indirect blocks. One damaged block that redundancy cannot repair then costs about 1,000 records with `most` and a whole file with `some`, instead of one record; with `none` more.",
    why_zh: "它能减少间接块的写入。但一个冗余无法修复的坏块，在 `most` 下会损失约 1,000 个 ZFS 记录（record），在 `some` 下会损失整个文件，而不是只损失一个记录；`none` 损失更多。",
    sources: [ZfsProps("redundant_metadata"), Mysql("redundant_metadata=most")];

    "partial-writes", Warning, Check::Dataset(partial_writes),
    what: "{load} writes {write} at random into records of {record} on {subject}.",
    what_zh: "{load} 以 {write} 随机写入 {subject} 上 {record} 的记录。",
    why: "Each write of part of a record reads the record, if it is not cached, and rewrites all of it: {factor} times the data. This work limits what a log vdev can gain.",
    why_zh: "只写记录的一部分时，若未缓存就要先读，然后重写整条记录：写入量是 {factor} 倍。这部分开销会限制日志 vdev 能带来的收益。",
    sources: [HongKong("result 2, 8K into records of 1M"), ZfsProps("recordsize")],
    lab: "hk-sync-slog";

    "small-volumes", Note, Check::Property("volblocksize", small_volumes),
    what: "The volume {subject} has blocks of {block}.",
    what_zh: "卷 {subject} 的块为 {block}。",
    why: "8K was the default up to 2.1; it is 16K since 2.2. Small blocks compress badly and need more metadata. The size is fixed when the volume is created.",
    why_zh: "2.1 及以前的默认值是 8K，自 2.2 起为 16K。小块压缩效果差、元数据多。块大小在创建卷时固定。",
    sources: [ZfsProps("volblocksize")];
}

/// A problem of a dataset whose fix is the right value of a property.
fn set(dataset: &Dataset, name: &str, right: &str) -> Problem {
    Problem::of(&dataset.name).set_property(&dataset.name, name, right)
}

fn sync_disabled(system: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    // A rule of databases covers theirs.
    let wrong = value == "disabled" && system.database_on(dataset).is_none();
    wrong.then(|| set(dataset, "sync", "standard"))
}

fn xattr(system: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    // `on` means `dir` up to 2.2 and `sa` from 2.3 on (zfs_prop.c).
    let release = system.openzfs.as_ref()?.value;
    let directories = value == "dir" || (value == "on" && release < (2, 3));
    directories.then(|| set(dataset, "xattr", "sa"))
}

fn dedup(_: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    // 320 bytes of memory an entry, one entry a block.
    let stated = dataset.bytes("volblocksize").or_else(|| dataset.bytes("recordsize"));
    let block = stated.filter(|block| *block > 0).unwrap_or(1 << 17);
    let per_tib = ((1u64 << 40) / block).saturating_mul(320);
    (value != "off" && value != "-").then(|| {
        set(dataset, "dedup", "off").with("block", size(block)).with("memory", size(per_tib))
    })
}

fn encryption_ccm(_: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    let gcm = ["-o", "encryption=aes-256-gcm", "-o", "keyformat=passphrase", "NEW-DATASET"];
    let create = [&["zfs", "create"][..], &gcm[..]].concat();
    value.ends_with("-ccm").then(|| Problem::of(&dataset.name).run(&create))
}

fn encryption_dedup(_: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    let dedup = dataset.get("dedup").filter(|dedup| dedup.value != "off")?;
    let encrypted = value != "off" && value != "-";
    encrypted.then(|| set(dataset, "dedup", "off").property("dedup", dedup))
}

fn redundant_metadata(_: &System, dataset: &Dataset, value: &str) -> Option<Problem> {
    let problem = set(dataset, "redundant_metadata", "all");
    match value {
        "most" => Some(problem),
        "some" | "none" => Some(problem.severity(Severity::Warning)),
        _ => None,
    }
}

fn partial_writes(system: &System, dataset: &Dataset) -> Option<Problem> {
    let mut loads = system.loads.iter().filter(|load| load.dataset == dataset.name);
    let (load, (write, record)) =
        loads.find_map(|load| Some((load, system.partial_write(load)?)))?;
    let (_, _, property) = dataset.block()?;
    let wanted = system.intended_block(dataset).filter(|wanted| *wanted < record)?;
    if system.database_on(dataset).is_some() {
        return None;
    }
    let problem = Problem::of(&dataset.name)
        .with("load", &load.name)
        .with("write", size(write))
        .with("record", size(record))
        .with("factor", record / write.max(1))
        .evidence(&load.at, &load.name)
        .property("recordsize", property);
    Some(problem.set_property(&dataset.name, "recordsize", size(wanted)))
}

fn small_volumes(system: &System, dataset: &Dataset, _: &str) -> Option<Problem> {
    let block = dataset.bytes("volblocksize").filter(|block| *block < 16384)?;
    let problem = Problem::of(&dataset.name).with("block", size(block));
    Some(problem.command(new_volume(system, dataset).to_vec()))
}
