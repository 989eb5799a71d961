//! Space that small blocks waste on raidz and dRAID.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::system::{Dataset, Pool, System, Vdev};
use zfs::{AllocationClass, Geometry, Layout};

rules! {
    "layout-raidz-padding", Warning,
    Check::Dataset(|system, dataset| padded(system, dataset, |kind| matches!(kind, Layout::Raidz { .. }))),
    what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size; large blocks take {fair} times.",
    what_zh: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
    why: "raidz adds parity to every row and pads each block to a multiple of parity + 1 sectors, so small blocks cost as much space as on mirrors, or more.",
    why_zh: "raidz 为每一行加校验，并把每个块补齐到（校验数 + 1）个扇区的倍数，因此小块占用的空间与镜像相当甚至更多。",
    sources: [ZfsCode("vdev_raidz_asize")],
    lab: "hk-recordsize";

    "layout-draid-padding", Warning,
    Check::Dataset(|system, dataset| padded(system, dataset, |kind| matches!(kind, Layout::Draid { .. }))),
    what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size; large blocks take {fair} times.",
    what_zh: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
    why: "dRAID allocates whole stripes: a block smaller than the data part of a stripe is filled up with zeros.",
    why_zh: "dRAID 按整条带分配：比条带数据部分小的块用零补满。",
    sources: [ZpoolConcepts("dRAID, fixed stripe width")];
}

/// How a raidz or dRAID vdev stores a block; none for other vdevs, or an impossible width.
fn geometry(vdev: &Vdev) -> Option<Geometry> {
    let children = u32::try_from(vdev.leaves.len()).ok()?;
    let possible = match vdev.layout {
        Layout::Draid { data, .. } => data > 0,
        layout => children > layout.parity()?,
    };
    possible.then_some(Geometry { layout: vdev.layout, children })
}

fn ashift(pool: &Pool) -> u32 {
    pool.ashift().filter(|shift| (9..=16).contains(shift)).unwrap_or(12)
}

/// What a block takes, in its own size.
fn factor(geometry: Geometry, ashift: u32, block: u64) -> f64 {
    geometry.asize(block, ashift) as f64 / block as f64
}

/// What a large block takes.
fn fair(geometry: Geometry, ashift: u32) -> f64 {
    factor(geometry, ashift, 1 << 20)
}

/// How much more than a large block a block may take.
const MOST: f64 = 1.3;

fn fits(geometry: Geometry, ashift: u32, block: u64) -> bool {
    factor(geometry, ashift, block) <= fair(geometry, ashift) * MOST
}

/// The command for a volume in the place of one whose blocks are too small: the smallest from 16K on that waste little
/// on the pool's vdevs, so that rules about volumes agree. A volume has blocks of at most 128K by default.
pub(super) fn new_volume(system: &System, dataset: &Dataset) -> [String; 7] {
    let pool = system.pool(dataset.pool());
    let vdevs = pool.map_or(Vec::new(), |pool| pool.vdevs_of(AllocationClass::Normal).collect());
    let fair = |block: u64| {
        let vdevs = vdevs.iter().filter(|vdev| vdev.layout.parity().is_some());
        let mut kinds = vdevs.filter_map(|vdev| geometry(vdev));
        kinds.all(|geometry| fits(geometry, pool.map_or(12, ashift), block))
    };
    let block = (14..17).map(|shift| 1 << shift).find(|block| fair(*block)).unwrap_or(1 << 17);
    let volblocksize = format!("volblocksize={}", size(block));
    ["zfs", "create", "-V", "SIZE", "-o", &volblocksize, "NEW-VOLUME"].map(String::from)
}

fn padded(system: &System, dataset: &Dataset, kind: fn(&Layout) -> bool) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    let vdev = pool.vdevs_of(AllocationClass::Normal).find(|vdev| kind(&vdev.layout))?;
    let geometry = geometry(vdev)?;
    let ashift = ashift(pool);
    let (name, _, property) = dataset.block()?;
    let block = system.intended_block(dataset).filter(|block| (1..=1 << 24).contains(block))?;
    let factor = factor(geometry, ashift, block);
    let fair = fair(geometry, ashift);
    if factor <= fair * MOST || system.database_on(dataset).is_some() {
        return None;
    }
    let problem = Problem::of(&dataset.name)
        .with("vdev", &vdev.name)
        .with("block", size(block))
        .with("takes", size(geometry.asize(block, ashift)))
        .with("factor", format!("{factor:.1}"))
        .with("fair", format!("{fair:.2}"))
        .property(name, property)
        .evidence(&vdev.at, &vdev.name);
    let mut loads = system.loads.iter().filter(|load| load.dataset == dataset.name);
    Some(if loads.any(|load| load.writes && load.random) {
        // Larger records would make each of these writes rewrite more.
        problem.run(&["zpool", "create", "NEW-POOL", "mirror", "DRIVE-1", "DRIVE-2"])
    } else if name == "volblocksize" {
        problem.command(new_volume(system, dataset).to_vec())
    } else {
        let better = (17..20).map(|shift| 1 << shift).find(|block| fits(geometry, ashift, *block));
        problem.set_property(&dataset.name, "recordsize", size(better.unwrap_or(1 << 20)))
    })
}
