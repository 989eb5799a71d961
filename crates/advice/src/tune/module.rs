//! Parameters of the zfs module.

use super::choice::{Choice, Need};
use crate::format::size;
use crate::setting::{Target, l2arc_feed};
use crate::source::Document;
use zfs::AllocationClass;

pub fn zfs_arc_max(need: &Need) -> Option<Choice> {
    if need.memory < 1 << 30 {
        return None;
    }
    let reason = if need.database() {
        let cache = size(need.server_cache());
        (
            format!(
                "It leaves {cache} to the server's own cache and a fifth of RAM to connections and the kernel. The ARC gives memory back, but more slowly than a server takes it."
            ),
            format!(
                "给数据库自身的缓存留 {cache}，给连接和内核留内存的五分之一。ARC 会归还内存，但比数据库申请得慢。"
            ),
        )
    } else if need.hosts_guests() {
        (
            "The guests need the RAM and cache their data in it: a tenth of the RAM, at most 16 GiB, is left to the ARC. Raise the limit if memory is free while all guests run.".to_string(),
            "虚拟机自己需要内存，也有自己的缓存：只把十分之一的内存（最多 16 GiB）留给 ARC。所有虚拟机都运行后仍有空闲内存时，可以调大。".to_string(),
        )
    } else {
        let memory = size(need.memory);
        (
            format!(
                "A file server uses memory best as cache; a fifth of the {memory} of RAM stays for programs and the kernel. The default is half of RAM up to 2.2 and nearly all of it from 2.3 on."
            ),
            format!(
                "文件服务器的内存最好用作缓存；{memory} 内存的五分之一留给程序和内核。默认值在 2.2 及以前是内存的一半，自 2.3 起是几乎全部。"
            ),
        )
    };
    let (document, section) = match need.hosts_guests() {
        true => (Document::Practice, "Proxmox VE, limit of the ARC in new installations"),
        false => (Document::HongKong, "tuning fragments, zfs_arc_max"),
    };
    let choice = Choice::new(Target::Module, "zfs_arc_max", need.arc(), reason);
    Some(choice.source(Document::Zfs4, "zfs_arc_max").source(document, section))
}

/// `zfs_nocacheflush` or `zil_nocacheflush` set back to 0, where the input turns flushes off and a drive may need them.
pub fn flushes(need: &Need, name: &'static str) -> Option<Choice> {
    let off = need.system.parameter(name).is_some_and(|set| set.value != 0);
    if !off || need.system.all_protected() {
        return None;
    }
    let reason = (
        "The input turns flushes off, and not all drives are known to have power-loss protection: a power cut loses acknowledged writes, and without any flush perhaps the pool.",
        "输入中关闭了刷盘（flush），但无法确认所有盘都带掉电保护：断电会丢失已确认的写入；完全不刷盘时甚至可能丢失存储池。",
    );
    let choice = Choice::new(Target::Module, name, 0, reason)
        .source(Document::Zfs4, "zfs_nocacheflush, zil_nocacheflush");
    Some(choice.lab("powercut-log-drive"))
}

/// Bytes a feed of the L2ARC.
pub fn l2arc_write_max(need: &Need) -> Option<Choice> {
    let leaves = need.leaves(AllocationClass::Cache);
    let sizes = leaves.iter().filter_map(|leaf| need.system.leaf_capacity(leaf));
    let bytes = sizes.fold(0, u64::saturating_add);
    let feed = l2arc_feed(bytes);
    if bytes == 0 || need.system.has_default("l2arc_write_max", |default| default == Some(feed)) {
        return None;
    }
    let whole = size(bytes);
    let reason = (
        format!(
            "Bytes per feed, with one to five feeds a second: at this value {whole} of L2ARC fills in hours instead of days. The value is capped because feeding wears the drive."
        ),
        format!(
            "每次填充的字节数，每秒填充一到五次：填满 {whole} 只需几小时而不是几天。写入会磨损盘，因此设了上限。"
        ),
    );
    let choice = Choice::new(Target::Module, "l2arc_write_max", feed, reason)
        .source(Document::Zfs4, "l2arc_write_max")
        .source(Document::HongKong, "tuning fragments, where the name is wrong");
    Some(choice.lab("hk-smb-l2arc"))
}
