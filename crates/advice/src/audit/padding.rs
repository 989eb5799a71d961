//! Space that small blocks waste on raidz and dRAID.

use super::{Check, Problem, Rule, rule};
use crate::format::size;
use crate::source::Document::{ZfsCode, ZpoolConcepts};
use crate::system::{Dataset, System, Vdev};
use zfs::Geometry;
use zfs::{AllocationClass, Layout};

/// The rules of this topic.
pub const RULES: &[Rule] = &[RAIDZ, DRAID];

const RAIDZ: Rule = rule! {
    "layout-raidz-padding", Warning, Check::Dataset(raidz),
    what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size; large blocks take {fair} times.",
    what_zh: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
    why: "raidz adds parity to every row and pads each block to a multiple of parity + 1 sectors, so small blocks cost as much space as on mirrors, or more.",
    why_zh: "raidz 为每一行加校验，并把每个块补齐到（校验数 + 1）个扇区的倍数，因此小块占用的空间与镜像相当甚至更多。",
    sources: &[ZfsCode.section("vdev_raidz_asize")],
    lab: "hk-recordsize",
};

fn raidz(system: &System, dataset: &Dataset) -> Option<Problem> {
    padded(system, dataset, |kind| matches!(kind, Layout::Raidz { .. }))
}

const DRAID: Rule = rule! {
    "layout-draid-padding", Warning, Check::Dataset(draid),
    what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size; large blocks take {fair} times.",
    what_zh: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
    why: "dRAID allocates whole stripes: a block smaller than the data part of a stripe is filled up with zeros.",
    why_zh: "dRAID 按整条带分配：比条带数据部分小的块用零补满。",
    sources: &[ZpoolConcepts.section("dRAID, fixed stripe width")],
};

fn draid(system: &System, dataset: &Dataset) -> Option<Problem> {
    padded(system, dataset, |kind| matches!(kind, Layout::Draid { .. }))
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

fn padded(system: &System, dataset: &Dataset, kind: fn(&Layout) -> bool) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    let vdev = pool.vdevs_of(AllocationClass::Normal).find(|vdev| kind(&vdev.layout))?;
    let geometry = geometry(vdev)?;
    let ashift =
        pool.get("ashift").and_then(|p| p.value.parse().ok()).filter(|s| (9..=16).contains(s));
    let ashift = ashift.unwrap_or(12u32);
    let (name, _, property) = dataset.block()?;
    let block = system.intended_block(dataset).filter(|block| (1..=1 << 24).contains(block))?;
    let factor = |block: u64| geometry.asize(block, ashift) as f64 / block as f64;
    let fair = factor(1 << 20);
    if factor(block) <= fair * 1.3 || system.database_on(dataset).is_some() {
        return None;
    }
    let problem = Problem::of(&dataset.name)
        .with("vdev", &vdev.name)
        .with("block", size(block))
        .with("takes", size(geometry.asize(block, ashift)))
        .with("factor", format!("{:.1}", factor(block)))
        .with("fair", format!("{fair:.2}"))
        .property(name, property)
        .evidence(&vdev.at, &vdev.name);
    let mut loads = system.loads.iter().filter(|load| load.dataset == dataset.name);
    Some(if loads.any(|load| load.writes && load.random) {
        // Larger records would make each of these writes rewrite more.
        problem.run(&["zpool", "create", "NEW-POOL", "mirror", "DRIVE-1", "DRIVE-2"])
    } else if name == "volblocksize" {
        problem.run(&["zfs", "create", "-V", "SIZE", "-o", "volblocksize=64K", "NEW-VOLUME"])
    } else {
        let better = (17..20).map(|shift| 1 << shift).find(|block| factor(*block) <= fair * 1.3);
        problem.set_property(&dataset.name, "recordsize", size(better.unwrap_or(1 << 20)))
    })
}
