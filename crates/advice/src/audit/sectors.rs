//! `ashift` and the sectors of drives.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::system::{Dataset, Leaf, Pool, System};
use zfs::AllocationClass;

rules! {
    "ashift-too-small", Error, Check::Pool(too_small),
    what: "{subject} writes in sectors of 2^{ashift} bytes to drives with physical sectors of {sector}.",
    what_zh: "{subject} 以 2^{ashift} 字节的扇区写到物理扇区为 {sector} 的盘上。",
    why: "A write of part of a physical sector makes the drive read, change and write the whole sector. ashift is fixed when a vdev is created: create the pool again with ashift={right}. Vdevs of different ashift also cannot be removed. Before OpenZFS 2.3.6 mirrors and raidz of such drives nevertheless got ashift={right}: `zpool get ashift {subject} all-vdevs` shows it (from 2.2 on).",
    why_zh: "只写物理扇区的一部分时，盘要先读、改、再写整个扇区。ashift 在创建 vdev 时固定：需用 ashift={right} 重新创建存储池。ashift 不同的 vdev 还无法移除。OpenZFS 2.3.6 之前，这类盘组成的镜像和 raidz 实际仍为 ashift={right}：可用 `zpool get ashift {subject} all-vdevs` 查看（2.2 起）。",
    sources: [HongKong("pitfalls met, ashift"), ZpoolProps("ashift")],
    lab: "hk-ashift";

    "ashift-nine", Warning, Check::Pool(nine),
    what: "{subject} has ashift=9, and nothing in the input shows that its drives have 512-byte sectors.",
    what_zh: "{subject} 的 ashift=9，而输入中没有信息表明它的盘是 512 字节扇区。",
    why: "Hardly any drive sold in the last ten years has 512-byte sectors inside, and a replacement will not. ashift cannot be changed later; 12 costs a little space for small blocks and suits every drive.",
    why_zh: "近十年出售的盘内部几乎都不是 512 字节扇区，将来的替换盘也不会是。ashift 以后不能改；12 只在小块上多用一点空间，适合任何盘。",
    sources: [HongKong("pitfalls met, ashift"), ZpoolProps("ashift")],
    lab: "hk-ashift";

    "ashift-believed", Warning, Check::Pool(believed),
    what: "ashift is not set, and SSDs report 512-byte sectors ({drive}).",
    what_zh: "没有设置 ashift，而 SSD 报告 512 字节扇区（{drive}）。",
    why: "Flash pages are 4K or larger; the 512 is for old systems. Set ashift=12 when you create the pool: it cannot be changed later.",
    why_zh: "闪存页是 4K 或更大；512 只是为了兼容旧系统。创建存储池时请设置 ashift=12：以后不能改。",
    sources: [ZpoolProps("ashift"), ZfsDocs("Hardware, sector size")],
    lab: "hk-ashift";

    "compression-no-room", Note, Check::Dataset(no_room),
    what: "{subject} has blocks of {block} on sectors of {sector}, which leaves no room for compression.",
    what_zh: "{subject} 的块为 {block}，扇区为 {sector}，没有压缩的余地。",
    why: "A block takes whole sectors, so a block of one sector cannot become smaller: compression saves nothing, and there is more metadata than with larger blocks.",
    why_zh: "块占用整数个扇区，只占一个扇区的块不可能更小：压缩不省空间，元数据还比大块更多。",
    sources: [ZfsProps("compression"), Arithmetic("blocks are whole sectors")];
}

/// Drives of a pool except its spares.
fn members(pool: &Pool) -> impl Iterator<Item = &Leaf> {
    pool.vdevs
        .iter()
        .filter(|vdev| vdev.class != AllocationClass::Spare)
        .flat_map(|vdev| &vdev.leaves)
}

fn too_small(system: &System, pool: &Pool) -> Option<Problem> {
    let stated = pool.ashift_property();
    let (shift, name, property) = stated.filter(|(shift, ..)| (1..=16).contains(shift))?;
    let (leaf, sector) = members(pool)
        .filter_map(|leaf| Some((leaf, system.drive(leaf)?.physical_sector.as_ref()?)))
        .max_by_key(|(_, sector)| sector.value)?;
    let right = sector.value.checked_ilog2()?;
    (1u64 << shift < sector.value).then(|| {
        Problem::of(&pool.name)
            .with("ashift", shift)
            .with("sector", size(sector.value))
            .with("right", right)
            .property(&name, property)
            .evidence(&sector.at, format!("{}: physical sector {}", leaf.name, sector.value))
            .run(&["zpool", "create", "-o", &format!("ashift={right}"), "NEW-POOL", "VDEVS"])
    })
}

fn nine(system: &System, pool: &Pool) -> Option<Problem> {
    let (_, name, property) = pool.ashift_property().filter(|(shift, ..)| *shift == 9)?;
    let known = members(pool).filter_map(|leaf| system.drive(leaf)).any(|drive| {
        let rotates = drive.rotational.as_ref().is_some_and(|rotates| rotates.value);
        drive.physical_sector.as_ref().is_some_and(|sector| sector.value > 512 || rotates)
    });
    (!known).then(|| {
        Problem::of(&pool.name)
            .property(&name, property)
            .run(&["zpool", "create", "-o", "ashift=12", "NEW-POOL", "VDEVS"])
    })
}

fn believed(system: &System, pool: &Pool) -> Option<Problem> {
    // 0 takes what the drives report, and so does a planned pool that does not set it.
    const LEAST: &str = "zfs_vdev_min_auto_ashift";
    let at_least_4k = system.parameter(LEAST).is_some_and(|least| least.value >= 12);
    let reported = !at_least_4k && pool.ashift().map_or(system.planned, |shift| shift == 0);
    let (leaf, sector) = members(pool).filter(|_| reported).find_map(|leaf| {
        let flash = system.rotates(leaf) == Some(false) || catalogue::flash(system.model(leaf));
        let sector = system.drive(leaf)?.physical_sector.as_ref()?;
        (flash && sector.value == 512).then_some((leaf, sector))
    })?;
    let problem = Problem::of(&pool.name)
        .with("drive", &leaf.name)
        .evidence(&sector.at, format!("{}: physical sector 512", leaf.name));
    Some(problem.run(&["zpool", "create", "-o", "ashift=12", "POOL", "VDEVS"]))
}

fn no_room(system: &System, dataset: &Dataset) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    let stated = pool.ashift_property();
    let (shift, shift_name, property) = stated.filter(|(shift, ..)| (9..=14).contains(shift))?;
    let (name, _, block_property) = dataset.block()?;
    let block = system.intended_block(dataset).filter(|block| (1..=1 << shift).contains(block))?;
    let problem = Problem::of(&dataset.name)
        .with("block", size(block))
        .with("sector", size(1 << shift))
        .property(&shift_name, property)
        .property(name, block_property);
    Some(match name {
        // A volume's block size is fixed when it is created.
        "volblocksize" => {
            problem.run(&["zfs", "create", "-V", "SIZE", "-o", "volblocksize=16K", "NEW-VOLUME"])
        }
        _ => problem.set_property(&dataset.name, "recordsize", size(2 << shift)),
    })
}
