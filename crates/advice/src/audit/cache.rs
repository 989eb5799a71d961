//! The cache vdev (L2ARC).

use super::{Check, Problem, rules};
use crate::format::size;
use crate::setting::{Target, l2arc_feed};
use crate::system::{Dataset, Leaf, Pool, Property, System};
use zfs::AllocationClass;

rules! {
    "cache-headers", Warning, Check::Pool(headers),
    what: "The {cache} L2ARC of {subject} needs {headers} of RAM for headers at blocks of {block}; the machine has {memory}.",
    what_zh: "{subject} 的 L2ARC 为 {cache}，按 {block} 的块计算，头部需要 {headers} 内存，而内存共 {memory}。",
    why: "Each cached block keeps a 96-byte header in the ARC, in RAM that would otherwise cache hot data. Above a third of the ARC, ZFS stops feeding the L2ARC.",
    why_zh: "L2ARC 中的每个块都在 ARC 中占用 96 字节的头部，这些内存本可以缓存热数据。头部超过 ARC 的三分之一时，ZFS 停止填充 L2ARC。",
    sources: [HongKong("pitfalls met, L2ARC too small"), ZfsCode("arc.h, L2ARC header of 96 bytes")];

    "cache-small", Warning, Check::Pool(small),
    what: "The L2ARC of {subject} ({cache}) is smaller than the ARC ({arc}).",
    what_zh: "{subject} 的 L2ARC（{cache}）比 ARC（{arc}）还小。",
    why: "A second-level cache smaller than the first adds little: most of what it would hold is in RAM already, and if the hot set changes, its content is replaced before it is read again.",
    why_zh: "二级缓存小于一级缓存时用处不大：它要存的内容大多已在内存中；热数据变化时，内容还没再次读到就被替换。",
    sources: [HongKong("pitfalls met, L2ARC too small"), Practice("a second cache larger than the first")];

    "cache-starved", Warning, Check::Dataset(starved),
    what: "{subject} has primarycache={value}, so its data never enters the L2ARC of {pool}.",
    what_zh: "{subject} 设置了 primarycache={value}，它的数据永远进不了 {pool} 的 L2ARC。",
    why: "The L2ARC is filled from the tails of the ARC's lists. primarycache keeps this data out of the ARC, so it never reaches the L2ARC, whatever secondarycache is.",
    why_zh: "L2ARC 从 ARC 链表的尾部取数据。primarycache 不让这些数据进入 ARC，所以无论 secondarycache 怎么设，它们都到不了 L2ARC。",
    sources: [ZfsProps("secondarycache"), ZfsCode("dbuf.c, buffers of primarycache=metadata are freed")],
    lab: "hk-smb-l2arc";

    "cache-slow-to-fill", Note, Check::Pool(slow_to_fill),
    what: "The {cache} L2ARC of {subject} takes {least} to {hours} hours to fill at {feed} a feed.",
    what_zh: "{subject} 的 L2ARC 为 {cache}，每次填充 {feed}，需要 {least} 到 {hours} 小时才能填满。",
    why: "ZFS feeds it once a second, and up to five times a second while a feed writes more than half of its limit. A five-minute test sees a nearly empty cache, and a hot set that moves faster than the cache fills is never cached.",
    why_zh: "ZFS 每秒填充一次；一次填充写入超过上限的一半时，最多每秒五次。五分钟的测试看到的几乎是空缓存；热数据变化比填充快时，永远缓存不上。",
    sources: [Zfs4("l2arc_write_max"), Arithmetic("size / feed rate")],
    lab: "hk-smb-l2arc";

    "cache-rotating", Warning, Check::Leaf(Some(AllocationClass::Cache), rotating),
    what: "The L2ARC of {pool} is on a hard disk, {subject}.",
    what_zh: "{pool} 的 L2ARC 在机械盘 {subject} 上。",
    why: "A hit there costs a seek, as on the pool itself, and its headers take memory from the ARC.",
    why_zh: "命中时也要寻道，与存储池本身一样慢，头部还要占用 ARC 的内存。",
    sources: [Practice("a cache faster than what it caches")];

    "cache-forgetful", Note, Check::Leaf(Some(AllocationClass::Cache), not_persistent),
    what: "The L2ARC {subject} of {pool} ({cache}) is smaller than {least}, so it is not persistent.",
    what_zh: "{pool} 的 L2ARC {subject}（{cache}）小于 {least}，因此重启后不保留内容。",
    why: "ZFS does not write the log blocks that rebuild the cache after an import on devices this small: the cache is empty after each restart.",
    why_zh: "ZFS 不会在这么小的设备上写用于导入后重建缓存的日志块：每次重启后缓存都是空的。",
    sources: [Zfs4("l2arc_rebuild_blocks_min_l2size")],
    lab: "hk-persist";

    "cache-rebuild-off", Note,
    Check::Setting { target: Target::Module, name: "l2arc_rebuild_enabled", wrong: |value| value == "0", right: None },
    what: "{subject}=0: the L2ARC is empty after each restart.",
    what_zh: "{subject}=0：每次重启后 L2ARC 都是空的。",
    why: "Since OpenZFS 2.0 the L2ARC survives a restart unless this parameter is 0.",
    why_zh: "自 OpenZFS 2.0 起，L2ARC 在重启后保留，除非此参数为 0。",
    sources: [Zfs4("l2arc_rebuild_enabled")],
    lab: "hk-persist";

    "cache-write-only", Warning, Check::Pool(write_only),
    what: "{subject} has an L2ARC, but its workloads only write.",
    what_zh: "{subject} 有 L2ARC，但它的负载只有写入。",
    why: "The L2ARC serves reads. Writes of whole records never read from it; writes of part of a record can, and there are none here.",
    why_zh: "L2ARC 只用于读取。写整条记录时从不读 L2ARC；只写记录的一部分时才可能读，而这里没有这样的写入。",
    sources: [HongKong("result 2, L2ARC does nothing for writes")],
    lab: "hk-sync-l2arc";

    "cache-unused", Warning, Check::Pool(unused),
    what: "{subject} has an L2ARC, but every dataset has secondarycache=none.",
    what_zh: "{subject} 有 L2ARC，但每个数据集都设了 secondarycache=none。",
    why: "Nothing is ever written to it.",
    why_zh: "永远不会有数据写入它。",
    sources: [ZfsProps("secondarycache")];

    "cache-before-memory", Note, Check::Pool(before_memory),
    what: "{subject} has an L2ARC in a machine with only {memory} of RAM.",
    what_zh: "{subject} 有 L2ARC，而机器只有 {memory} 内存。",
    why: "RAM is a hundred times faster than any SSD, and the headers of the L2ARC take part of it. Add memory first, then look at the ghost hits (`poolwright audit --host`).",
    why_zh: "内存比任何 SSD 快上百倍，L2ARC 的头部还要占用一部分。先加内存，再看 ghost 命中（`poolwright audit --host`）。",
    sources: [HongKong("when to add an L2ARC"), Arithmetic("96 bytes of RAM a block")];
}

/// Bytes of a pool's cache vdevs, where all are known and are whole drives.
fn capacity(system: &System, pool: &Pool) -> Option<u64> {
    let leaves = pool.leaves_of(AllocationClass::Cache);
    let sizes: Option<Vec<u64>> = leaves.map(|leaf| system.leaf_capacity(leaf)).collect();
    Some(sizes?.into_iter().fold(0, u64::saturating_add))
}

/// A problem of a pool with a cache vdev, which it shows.
fn of_cache(pool: &Pool) -> Option<Problem> {
    let vdev = pool.vdevs_of(AllocationClass::Cache).next()?;
    Some(Problem::of(&pool.name).evidence(&vdev.at, &vdev.name))
}

/// The same, with the removal of the cache vdev as the fix.
fn remove_cache(pool: &Pool) -> Option<Problem> {
    let vdev = pool.vdevs_of(AllocationClass::Cache).next()?;
    Some(of_cache(pool)?.run(&["zpool", "remove", &pool.name, &vdev.name]))
}

fn headers(system: &System, pool: &Pool) -> Option<Problem> {
    let memory = system.memory.as_ref()?;
    let bytes = capacity(system, pool)?;
    let block = system
        .datasets_in(&pool.name)
        .filter(|dataset| !dataset.is("secondarycache", "none"))
        .filter_map(|dataset| system.intended_block(dataset))
        .min()
        .filter(|block| *block > 0)?;
    let headers = (bytes / block).saturating_mul(zfs::memory::L2ARC_HEADER);
    if headers <= memory.value / 10 {
        return None;
    }
    let problem = of_cache(pool)?
        .with("cache", size(bytes))
        .with("block", size(block))
        .with("headers", size(headers))
        .with("memory", size(memory.value))
        .evidence(&memory.at, format!("memory {}", size(memory.value)));
    Some(problem.run(&["zfs", "set", "secondarycache=metadata", &pool.name]))
}

fn small(system: &System, pool: &Pool) -> Option<Problem> {
    let arc = system.arc_max()?;
    let bytes = capacity(system, pool).filter(|bytes| *bytes < arc)?;
    Some(remove_cache(pool)?.with("cache", size(bytes)).with("arc", size(arc)))
}

fn starved(system: &System, dataset: &Dataset) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    let primary = starving(dataset)?;
    // The parent is reported, whose fix is this one's too.
    let parent = dataset.name.rsplit_once('/').and_then(|(parent, _)| system.dataset(parent));
    let reported = parent.is_some_and(|parent| starving(parent).is_some());
    if !pool.has(AllocationClass::Cache)
        || (reported && system.inherits(dataset, "primarycache", primary))
    {
        return None;
    }
    let problem = Problem::of_property(&dataset.name, "primarycache", primary, "all");
    Some(problem.with("pool", &pool.name).with("value", &primary.value))
}

/// The `primarycache` of a dataset that keeps data out of the L2ARC although `secondarycache` lets it in.
fn starving(dataset: &Dataset) -> Option<&Property> {
    // With secondarycache=metadata or none, nobody expects data in the L2ARC.
    dataset.get("secondarycache").is_none_or(|p| p.value == "all").then_some(())?;
    dataset.get("primarycache").filter(|p| p.value == "metadata" || p.value == "none")
}

fn slow_to_fill(system: &System, pool: &Pool) -> Option<Problem> {
    let release = system.openzfs.as_ref()?.value;
    // It was raised in 2.2.7.
    let early = release == (2, 2) && system.openzfs_point.is_some_and(|point| point < 7);
    let default = if release >= (2, 2) && !early { 32 << 20 } else { 8 << 20 };
    let set = system.parameter("l2arc_write_max").filter(|set| set.value >= 1 << 20);
    let feed = set.map_or(default, |set| set.value);
    let bytes = capacity(system, pool)?;
    let hours = bytes as f64 / feed as f64 / 3600.0;
    if hours < 18.0 {
        return None;
    }
    let faster = l2arc_feed(bytes);
    if faster <= feed {
        return None;
    }
    let problem = of_cache(pool)?
        .with("cache", size(bytes))
        .with("feed", size(feed))
        .with("hours", format!("{hours:.0}"))
        // After a feed that wrote more than half of its limit, the next follows in 0.2 s.
        .with("least", format!("{:.0}", hours / 5.0));
    Some(problem.set_parameter("l2arc_write_max", (faster != default).then_some(faster)))
}

fn rotating(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    (system.rotates(leaf) == Some(true))
        .then(|| Problem::of_leaf(leaf).run(&["zpool", "remove", &pool.name, &leaf.name]))
}

fn not_persistent(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    let set = system.parameter("l2arc_rebuild_blocks_min_l2size");
    let least = set.map_or(1 << 30, |set| set.value);
    let bytes = system.leaf_capacity(leaf).filter(|bytes| *bytes < least)?;
    let problem = Problem::of_leaf(leaf).with("cache", size(bytes)).with("least", size(least));
    Some(problem.run(&["zpool", "remove", &pool.name, &leaf.name]))
}

fn write_only(system: &System, pool: &Pool) -> Option<Problem> {
    let loads: Vec<_> = system.loads_in(&pool.name).collect();
    let first = loads.first()?;
    // A write of part of a record reads the rest, which a cache can serve.
    let partial = loads.iter().any(|load| {
        let record =
            system.dataset(&load.dataset).and_then(|dataset| system.intended_block(dataset));
        load.random && load.block.zip(record).is_some_and(|(write, record)| write < record)
    });
    if partial || loads.iter().any(|load| load.reads) {
        return None;
    }
    Some(remove_cache(pool)?.evidence(&first.at, &first.name))
}

fn unused(system: &System, pool: &Pool) -> Option<Problem> {
    let mut datasets = system.datasets_in(&pool.name).peekable();
    datasets.peek()?;
    datasets.all(|dataset| dataset.is("secondarycache", "none")).then(|| remove_cache(pool))?
}

fn before_memory(system: &System, pool: &Pool) -> Option<Problem> {
    let memory = system.memory.as_ref().filter(|memory| memory.value < 32 << 30)?;
    let problem = remove_cache(pool)?.with("memory", size(memory.value));
    Some(problem.evidence(&memory.at, format!("memory {}", size(memory.value))))
}
