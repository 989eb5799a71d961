//! Special and dedup vdevs.

use super::{Check, Problem, Severity, rules};
use crate::format::size;
use crate::system::{Dataset, Pool, Property, System, Vdev};
use zfs::{AllocationClass, Layout};

rules! {
    "special-unmirrored", Error, Check::Vdev(Some(AllocationClass::Special), unmirrored),
    what: "The special vdev of {pool} is a single drive, {subject}.",
    what_zh: "{pool} 的 special vdev 只有一块盘：{subject}。",
    why: "All new metadata of the pool is on it. If it fails, the pool is lost, whatever redundancy the data has.",
    why_zh: "存储池新写的元数据都在它上面。它一坏，不管数据有多少冗余，整个存储池都会丢失。",
    sources: [HongKong("pitfalls met, special vdev not mirrored"), ZpoolConcepts("Special Allocation Class")];

    "dedup-vdev-unmirrored", Error, Check::Vdev(Some(AllocationClass::Dedup), unmirrored),
    what: "The dedup vdev of {pool} is a single drive, {subject}.",
    what_zh: "{pool} 的 dedup vdev 只有一块盘：{subject}。",
    why: "The deduplication table is on it. If it fails, the pool is lost.",
    why_zh: "去重表在它上面。它一坏，存储池就会丢失。",
    sources: [ZpoolConcepts("dedup vdev")];

    "special-weaker", Warning, Check::Vdev(Some(AllocationClass::Special), weaker),
    what: "The special vdev {subject} of {pool} survives {survives} failed drive(s), the data vdevs survive {data}.",
    what_zh: "{pool} 的 special vdev {subject} 能承受 {survives} 块盘故障，数据 vdev 能承受 {data} 块。",
    why: "A pool survives only what its weakest vdev survives: with fewer copies of the metadata, the parity of the data vdevs does not help.",
    why_zh: "存储池的容错能力取决于最弱的 vdev：元数据的副本更少时，数据 vdev 的校验再多也没有用。",
    sources: [ZpoolConcepts("Special Allocation Class")];

    "special-irreversible", Note, Check::Pool(irreversible),
    what: "The special vdev {special} cannot be removed from {subject}, because the pool has raidz or dRAID ({raidz}).",
    what_zh: "无法从 {subject} 中移除 special vdev {special}，因为存储池含有 raidz 或 dRAID（{raidz}）。",
    why: "ZFS removes top-level vdevs only from pools of mirrors and single drives. Log and cache vdevs can always be removed. Before you add a special vdev, try it on a model of the pool (`poolwright shell`), or take a `zpool checkpoint` to which the pool can be rewound.",
    why_zh: "只有由镜像和单盘组成的存储池才能移除顶层 vdev；日志和缓存 vdev 随时可以移除。添加 special vdev 之前，先在存储池的模型上试（`poolwright shell`），或先做 `zpool checkpoint`，以便回退。",
    sources: [Zpool8("zpool-remove(8), top-level vdevs and raidz")];

    "special-metadata-only", Note, Check::Pool(metadata_only),
    what: "The special vdev of {subject} holds only metadata: special_small_blocks is 0.",
    what_zh: "{subject} 的 special vdev 只存元数据：special_small_blocks 为 0。",
    why: "Small files stay on the data vdevs until special_small_blocks is set, which affects only files written afterwards. Check first that the special vdev has room for them.",
    why_zh: "设置 special_small_blocks 之前，小文件一直放在数据 vdev 上；设置后也只影响新写入的文件。先确认 special vdev 有足够的空间。",
    sources: [ZfsProps("special_small_blocks"), HongKong("result 3")],
    lab: "hk-smb-l2arc";

    "special-everything", Warning, Check::Dataset(everything),
    what: "With blocks of {block}, {subject} sends all its data to the special vdev: special_small_blocks is {small}.",
    what_zh: "{subject} 的块为 {block} 时，全部数据都写到 special vdev：special_small_blocks 为 {small}。",
    why: "Every block counts as small. The special vdev fills to 75 %, and later blocks go to the data vdevs. ZFS compares the size after compression, so larger blocks that compress to {small} or less go there too. If this finding is a note, the dataset still has larger blocks, and {block} is the block size that another finding advises.",
    why_zh: "每个块都算小块。special vdev 用到 75 % 后，之后的块写到数据 vdev。ZFS 比较的是压缩后的大小，因此压缩到 {small} 及以下的更大的块也写到那里。若本条为“提示”：数据集现在的块更大，{block} 是其他条目建议的大小。",
    sources: [ZfsProps("special_small_blocks")];
}

/// Failed drives that the data vdevs survive, whichever they are.
fn data_survives(pool: &Pool) -> u32 {
    pool.vdevs_of(AllocationClass::Normal).map(Vdev::survives).min().unwrap_or(0)
}

fn unmirrored(_: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    (vdev.layout == Layout::Single)
        .then(|| Problem::of_vdev(vdev).attach(&pool.name, &vdev.name, data_survives(pool)))
}

fn weaker(_: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    let (survives, data) = (vdev.survives(), data_survives(pool));
    let last = vdev.leaves.last()?;
    (survives > 0 && survives < data).then(|| {
        Problem::of_vdev(vdev).with("survives", survives).with("data", data).attach(
            &pool.name,
            &last.name,
            data - survives,
        )
    })
}

fn irreversible(_: &System, pool: &Pool) -> Option<Problem> {
    let raidz =
        pool.vdevs_of(AllocationClass::Normal).find(|vdev| vdev.layout.parity().is_some())?;
    let vdev = pool.vdevs_of(AllocationClass::Special).next()?;
    let problem = Problem::of(&pool.name)
        .with("special", &vdev.name)
        .with("raidz", &raidz.name)
        .evidence(&vdev.at, &vdev.name)
        .evidence(&raidz.at, &raidz.name);
    // In a pool that exists it is too late for a checkpoint: model the next step.
    Some(match pool.status {
        Some(_) => problem.run(&["poolwright", "new", "--from-status", "FILE"]),
        None => problem.run(&["zpool", "checkpoint", &pool.name]),
    })
}

fn metadata_only(system: &System, pool: &Pool) -> Option<Problem> {
    if !pool.has(AllocationClass::Special) {
        return None;
    }
    // Before 2.4 volumes do not have the property.
    let none = |property: &Property| property.value == "-";
    let known: Vec<_> = system
        .datasets_in(&pool.name)
        .filter(|dataset| system.database_on(dataset).is_none())
        .filter_map(|dataset| Some((dataset, dataset.get("special_small_blocks")?)))
        .filter(|(_, property)| !none(property))
        .collect();
    let (dataset, property) = known.first()?;
    // Datasets below inherit it, databases too.
    let below = format!("{}/", dataset.name);
    let heirs = system.datasets_in(&pool.name).filter(|heir| {
        heir.name == dataset.name
            || (heir.name.starts_with(&below)
                && heir.get("special_small_blocks").is_none_or(|p| !p.local && !none(p)))
    });
    let blocks = heirs.flat_map(|heir| {
        let present = heir.block().map(|(_, block, _)| block);
        [present, system.intended_block(heir)].into_iter().flatten()
    });
    let block = blocks.min().filter(|block| *block > 512)?;
    let small = (block / 4).clamp(512, 32768);
    known.iter().all(|(_, p)| p.value == "0").then(|| {
        Problem::of(&pool.name).property("special_small_blocks", property).set_property(
            &dataset.name,
            "special_small_blocks",
            size(small),
        )
    })
}

fn everything(system: &System, dataset: &Dataset) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    let property = dataset.get("special_small_blocks")?;
    let small = dataset.bytes("special_small_blocks").filter(|small| *small > 0)?;
    // As it is, and once the rules about databases and partial writes are followed.
    let (_, present, _) = dataset.block()?;
    let intended = system.intended_block(dataset)?;
    let block = [present, intended].into_iter().find(|block| small >= *block)?;
    let least = present.min(intended);
    // Half a block would still take what compresses well; a database wants all of its blocks in one place.
    let below = match least > 1024 && system.database_on(dataset).is_none() {
        true => size(least / 2),
        false => "0".to_string(),
    };
    let severity = if block == present { Severity::Warning } else { Severity::Note };
    pool.has(AllocationClass::Special).then(|| {
        Problem::of_property(&dataset.name, "special_small_blocks", property, below)
            .severity(severity)
            .with("small", size(small))
            .with("block", size(block))
    })
}
