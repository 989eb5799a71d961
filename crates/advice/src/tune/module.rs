//! Parameters of the zfs module.

use super::choice::{Bilingual, Choice, Need, Sentence, settings};
use crate::format::size;
use crate::setting::{Target, l2arc_feed};
use crate::source::Document;
use lab::durability::evidence;
use zfs::AllocationClass;

fn arc_max(need: &Need, reason: impl Into<Sentence>) -> Choice {
    let choice = Choice::new(Target::Module, "zfs_arc_max", need.arc(), reason);
    choice.source(Document::Zfs4, "zfs_arc_max")
}

/// Whether the input turns flushes off by a parameter, and a drive may need them.
fn lacks_flushes(need: &Need, name: &str) -> bool {
    let off = need.system.parameter(name).is_some_and(|set| set.value != 0);
    off && !need.system.all_protected()
}

/// Such a parameter set back to 0.
fn flushing(name: &str, reason: Bilingual) -> Choice {
    Choice::new(Target::Module, name, 0, reason)
        .source(Document::Zfs4, "zfs_nocacheflush, zil_nocacheflush")
        .lab(evidence::NO_CACHE_FLUSH)
}

const LACKS_FLUSHES: Bilingual = (
    "The input turns flushes off, and not all drives are known to have power-loss protection: a power cut loses acknowledged writes, and without any flush perhaps the pool.",
    "输入中关闭了刷盘（flush），但无法确认所有盘都带掉电保护：断电会丢失已确认的写入；完全不刷盘时甚至可能丢失存储池。",
);

/// Bytes of the pool's L2ARC, as far as they are known.
fn l2arc_bytes(need: &Need) -> u64 {
    let leaves = need.leaves(AllocationClass::Cache);
    let sizes = leaves.iter().filter_map(|leaf| need.system.leaf_capacity(leaf));
    sizes.fold(0, u64::saturating_add)
}

/// Bytes per feed of the L2ARC; none where that is the default.
fn feed(need: &Need) -> Option<u64> {
    let bytes = l2arc_bytes(need);
    let feed = l2arc_feed(bytes);
    let default = need.system.has_default("l2arc_write_max", |default| default == Some(feed));
    (bytes > 0 && !default).then_some(feed)
}

settings! {
    zfs_arc_max(need) if need.memory >= 1 << 30 && need.database() => arc_max(need)
        .source(Document::HongKong, "tuning fragments, zfs_arc_max"),
    why: (format!("It leaves {} to the server's own cache and a fifth of RAM to connections and the kernel. The ARC gives memory back, but more slowly than a server takes it.", size(need.server_cache()))),
    why_zh: (format!("给数据库自身的缓存留 {}，给连接和内核留内存的五分之一。ARC 会归还内存，但比数据库申请得慢。", size(need.server_cache())))
    else if need.memory >= 1 << 30 && need.hosts_guests() => arc_max(need)
        .source(Document::Practice, "Proxmox VE, limit of the ARC in new installations"),
    why: "The guests need the RAM and cache their data in it: a tenth of the RAM, at most 16 GiB, is left to the ARC. Raise the limit if memory is free while all guests run.",
    why_zh: "虚拟机自己需要内存，也有自己的缓存：只把十分之一的内存（最多 16 GiB）留给 ARC。所有虚拟机都运行后仍有空闲内存时，可以调大。"
    else if need.memory >= 1 << 30 => arc_max(need).source(Document::HongKong, "tuning fragments, zfs_arc_max"),
    why: (format!("A file server uses memory best as cache; a fifth of the {} of RAM stays for programs and the kernel. The default is half of RAM up to 2.2 and nearly all of it from 2.3 on.", size(need.memory))),
    why_zh: (format!("文件服务器的内存最好用作缓存；{} 内存的五分之一留给程序和内核。默认值在 2.2 及以前是内存的一半，自 2.3 起是几乎全部。", size(need.memory)));

    zfs_nocacheflush(need) if lacks_flushes(need, "zfs_nocacheflush") => flushing("zfs_nocacheflush"),
    why: (LACKS_FLUSHES.0),
    why_zh: (LACKS_FLUSHES.1);

    zil_nocacheflush(need) if lacks_flushes(need, "zil_nocacheflush") => flushing("zil_nocacheflush"),
    why: (LACKS_FLUSHES.0),
    why_zh: (LACKS_FLUSHES.1);

    l2arc_write_max(need) => Choice::new(Target::Module, "l2arc_write_max", feed(need)?)
        .source(Document::Zfs4, "l2arc_write_max").source(Document::HongKong, "tuning fragments, where the name is wrong")
        .lab("hk-smb-l2arc"),
    why: (format!("Bytes per feed, with one to five feeds a second: at this value {} of L2ARC fills in hours instead of days. The value is capped because feeding wears the drive.", size(l2arc_bytes(need)))),
    why_zh: (format!("每次填充的字节数，每秒填充一到五次：填满 {} 只需几小时而不是几天。写入会磨损盘，因此设了上限。", size(l2arc_bytes(need))));
}
