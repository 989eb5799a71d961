//! The layout of the data vdevs.

use super::{Check, Problem, Severity, rules};
use crate::format::size;
use crate::system::{
    Database, Leaf, Pool, System, Vdev, drive_of, is_freebsd_name, is_kernel_name,
};
use std::collections::BTreeSet;
use zfs::layout::WIDEST_RAIDZ;
use zfs::{AllocationClass, Layout};

rules! {
    "layout-stripe", Error, Check::Pool(stripe),
    what: "{subject} has no redundancy: {drives} data vdev(s) of one drive each.",
    what_zh: "{subject} 没有冗余：{drives} 个数据 vdev，每个只有一块盘。",
    why: "The first drive that fails takes the whole pool with it. Checksums find damage but cannot repair it.",
    why_zh: "任何一块盘坏掉，整个存储池就丢失；校验和能发现损坏，但无法修复。",
    sources: [ZpoolConcepts("Virtual Devices"), Fsync("zpool create of twelve single disks")];

    "layout-mixed", Warning, Check::Pool(mixed),
    what: "The data vdevs of {subject} survive different numbers of failures: {weakest} survives {survives}, {strongest} more.",
    what_zh: "{subject} 的数据 vdev 容错能力不同：{weakest} 能承受 {survives} 块盘故障，{strongest} 更多。",
    why: "Data is striped over all vdevs, so the pool fails with its weakest one. `zpool add -f` does this by mistake; in a pool with raidz it cannot be undone.",
    why_zh: "数据条带化分布在所有 vdev 上，最弱的 vdev 失效，存储池就失效。误用 `zpool add -f` 会造成这种情况；含 raidz 的存储池无法撤销。",
    sources: [ZpoolConcepts("Virtual Devices")];

    "layout-uneven", Note, Check::Pool(uneven),
    what: "The raidz vdevs of {subject} have different widths: {widths}.",
    what_zh: "{subject} 的 raidz vdev 宽度不同：{widths}。",
    why: "Each stores a block with a different share of parity, and the narrow one fills at a different rate: usable space and speed are hard to predict. `zpool attach` widens a raidz from OpenZFS 2.3 on.",
    why_zh: "各 vdev 存一个块所用的校验比例不同，窄的那个填满的速度也不同，可用空间和速度都难以预计。自 OpenZFS 2.3 起可用 `zpool attach` 扩展 raidz。",
    sources: [ZpoolConcepts("Virtual Devices")];

    "layout-unequal-drives", Warning, Check::Vdev(None, unequal_drives),
    what: "The drives of {subject} in {pool} differ in size: each counts as {least}, and {lost} is unused.",
    what_zh: "{pool} 中 {subject} 的盘容量不同：每块按 {least} 计，{lost} 用不上。",
    why: "A mirror or raidz uses only as much of each drive as its smallest drive has.",
    why_zh: "镜像和 raidz 在每块盘上只用最小那块盘的容量。",
    sources: [ZpoolConcepts("Virtual Devices, raidz")];

    "layout-wide", Warning, Check::Vdev(Some(AllocationClass::Normal), wide),
    what: "{subject} in {pool} is {width} drives wide.",
    what_zh: "{pool} 中的 {subject} 宽度为 {width} 块盘。",
    why: "A resilver reads all of them, random reads of full records occupy all of them, and the time in which further failures count grows with the width. Several vdevs, or dRAID, rebuild faster.",
    why_zh: "重建要读所有的盘，随机读整条记录会占用所有的盘，宽度越大，再次故障的危险窗口也越长。分成几个 vdev，或用 dRAID，重建更快。",
    sources: [ZpoolConcepts("raidz, recommended number of devices"), MirrorSite("ZFS layouts, raidz3 of 30")];

    "layout-single-parity", Warning, Check::Vdev(Some(AllocationClass::Normal), single_parity),
    what: "{subject} in {pool} has single parity over disks of {size}.",
    what_zh: "{pool} 中的 {subject} 在 {size} 的盘上只有单校验。",
    why: "A resilver takes {hours} hours or more at full speed. Until it ends, a second failure loses the pool, and an unreadable sector loses data.",
    why_zh: "全速重建也要 {hours} 小时以上。重建完成之前，再坏一块盘就丢失存储池，遇到读不出的扇区就丢失数据。",
    sources: [Arithmetic("capacity / disk rate"), Practice("a second failure during a long resilver")];

    "layout-database", Warning, Check::Database(database),
    what: "{subject} holds {engine} on {vdev}.",
    what_zh: "{subject} 把 {engine} 放在 {vdev} 上。",
    why: "A random read of a page occupies several drives of a raidz but one of a mirror; small records also waste much of raidz's space. The same drives give more operations as mirrors.",
    why_zh: "随机读一页会占用 raidz 的几块盘，镜像只占用一块；小的 ZFS 记录（record）还会浪费 raidz 的许多空间。同样的盘做成镜像，IOPS 更高。",
    sources: [HongKong("databases, mirrors before raidz")];

    "draid-spares", Note, Check::Vdev(Some(AllocationClass::Normal), draid_spares),
    what: "{subject} in {pool} has no distributed spare.",
    what_zh: "{pool} 中的 {subject} 没有分布式热备。",
    why: "dRAID exists to rebuild onto spare space that is spread over all drives; without a distributed spare, raidz stores small blocks better.",
    why_zh: "dRAID 的意义在于重建到分布在所有盘上的热备空间；没有分布式热备时，raidz 存小块更省空间。",
    sources: [ZpoolConcepts("dRAID, distributed spares")];

    "layout-miscounted", Warning, Check::System(miscounted),
    what: "A comment or title says {stated} (data + parity), but {subject} is {has}.",
    what_zh: "注释或标题写的是 {stated}（数据 + 校验），但 {subject} 是 {has}。",
    why: "Counting all drives as data drives overstates the capacity: {stated} needs {drives} drives in each vdev.",
    why_zh: "把总盘数当成数据盘数，容量就报高了：{stated} 要求每个 vdev 有 {drives} 块盘。",
    sources: [HongKong("node B, 12 disks as two raidz2 of 6D+2P"), Arithmetic("drives - parity")];

    "layout-unstable-names", Note, Check::Pool(unstable_names),
    what: "{subject} lists its drives under kernel names ({drive}).",
    what_zh: "{subject} 用内核设备名列出它的盘（{drive}）。",
    why: "Kernel names change with cabling and boot order. ZFS still finds its drives, but a person who replaces \"sda\" may pull the wrong one. First check that {directory} lists every drive of the pool: if one is missing there, the import fails and the pool stays exported.",
    why_zh: "内核设备名随接线和启动次序变化。ZFS 仍能找到自己的盘，但更换“sda”的人可能拔错盘。请先确认 {directory} 中列有存储池的每一块盘：缺一块，导入就会失败，存储池停留在导出状态。",
    sources: [ZfsDocs("selecting /dev names when creating a pool")];

    "layout-same-drive", Error, Check::Vdev(None, same_drive),
    what: "{subject} in {pool} has two members on one drive: {one} and {two}.",
    what_zh: "{pool} 中的 {subject} 有两个成员在同一块盘上：{one} 和 {two}。",
    why: "If that drive fails, both copies or two columns are lost at once.",
    why_zh: "那块盘一坏，两个副本或两列会同时丢失。",
    sources: [ZpoolConcepts("Virtual Devices")];
}

fn stripe(system: &System, pool: &Pool) -> Option<Problem> {
    let first = pool.vdevs_of(AllocationClass::Normal).next()?;
    // A pool that has redundant vdevs too is the next rule's.
    let bare = pool.vdevs_of(AllocationClass::Normal).all(|vdev| vdev.survives() == 0);
    // A volume of a RAID card may have redundancy below ZFS.
    let volume = first.leaves.iter().any(|leaf| catalogue::card_volume(system.model(leaf)));
    if !bare || volume {
        return None;
    }
    let problem = Problem::of(&pool.name)
        .with("drives", pool.vdevs_of(AllocationClass::Normal).count())
        .evidence(&first.at, &first.name);
    // Every drive: a mirror beside bare drives is no safer.
    let drives = pool.vdevs_of(AllocationClass::Normal).flat_map(|vdev| vdev.leaves.first());
    Some(drives.fold(problem, |problem, leaf| match system.boots_from(pool) {
        true => attach_bootable(problem, pool, leaf),
        false => problem.attach(&pool.name, &leaf.name, 1),
    }))
}

/// Makes a mirror of a partition that the machine boots from: the same partitions on another drive, its EFI system
/// partition, and then the one for the pool.
fn attach_bootable(problem: Problem, pool: &Pool, leaf: &Leaf) -> Problem {
    let drive = drive_of(&leaf.name);
    let known = is_freebsd_name(drive);
    let problem = if known || leaf.name.starts_with("gpt") {
        let drive = if known { drive } else { "THIS-DRIVE" };
        problem.run(&["sh", "-c", &format!("gpart backup {drive} | gpart restore ANOTHER-DRIVE")])
    } else {
        problem
            .run(&["sgdisk", "-R", "ANOTHER-DRIVE", "THIS-DRIVE"])
            .run(&["sgdisk", "-G", "ANOTHER-DRIVE"])
    };
    problem
        .run(&["dd", "if=EFI-PARTITION", "of=EFI-PARTITION-OF-ANOTHER-DRIVE"])
        .run(&["zpool", "attach", &pool.name, &leaf.name, "PARTITION-OF-ANOTHER-DRIVE"])
}

fn mixed(_: &System, pool: &Pool) -> Option<Problem> {
    let weakest = pool.vdevs_of(AllocationClass::Normal).min_by_key(|vdev| vdev.survives())?;
    let strongest = pool.vdevs_of(AllocationClass::Normal).max_by_key(|vdev| vdev.survives())?;
    let missing = strongest.survives() - weakest.survives();
    if missing == 0 {
        return None;
    }
    let problem = Problem::of(&pool.name)
        .with("weakest", &weakest.name)
        .with("survives", weakest.survives())
        .with("strongest", &strongest.name)
        .evidence(&weakest.at, &weakest.name)
        .evidence(&strongest.at, &strongest.name);
    let problem = match weakest.survives() {
        0 => problem.severity(Severity::Error),
        _ => problem,
    };
    Some(match weakest.leaves.first() {
        Some(leaf) if weakest.layout.parity().is_none() => {
            problem.attach(&pool.name, &leaf.name, missing)
        }
        _ => problem.run(&["zfs", "send", "-R", &format!("{}@ALL", pool.name)]),
    })
}

fn uneven(_: &System, pool: &Pool) -> Option<Problem> {
    let raidz = || {
        pool.vdevs_of(AllocationClass::Normal).filter(|v| matches!(v.layout, Layout::Raidz { .. }))
    };
    let widths: BTreeSet<usize> = raidz().map(|vdev| vdev.leaves.len()).collect();
    let narrow = raidz().min_by_key(|vdev| vdev.leaves.len())?;
    (widths.len() > 1).then(|| {
        let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
        Problem::of(&pool.name)
            .with("widths", widths.join(", "))
            .evidence(&narrow.at, &narrow.name)
            .run(&["zpool", "attach", &pool.name, &narrow.name, "ONE-MORE-DRIVE"])
    })
}

fn unequal_drives(system: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    if matches!(vdev.class, AllocationClass::Spare | AllocationClass::Cache) {
        return None;
    }
    let known = || vdev.leaves.iter().filter_map(|leaf| Some((system.leaf_capacity(leaf)?, leaf)));
    let (least, small) = known().min_by_key(|(bytes, _)| *bytes)?;
    let most = known().map(|(bytes, _)| bytes).max()?;
    let lost: u64 = known().map(|(bytes, _)| bytes - least).sum();
    // Drives of one nominal size differ by a percent between makers.
    (most - least > least / 50).then(|| {
        Problem::of(&vdev.name)
            .with("least", size(least))
            .with("lost", size(lost))
            .evidence(&small.at, format!("{}: {}", small.name, size(least)))
            .run(&["zpool", "replace", &pool.name, &small.name, "LARGER-DRIVE"])
    })
}

fn wide(_: &System, _: &Pool, vdev: &Vdev) -> Option<Problem> {
    let width = vdev.leaves.len();
    (matches!(vdev.layout, Layout::Raidz { .. }) && width as u32 > WIDEST_RAIDZ).then(|| {
        let drives = format!("{width}xDRIVE");
        let problem = Problem::of_vdev(vdev).with("width", width);
        problem.run(&["poolwright", "plan", "--drives", &drives])
    })
}

fn single_parity(system: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    let disks = vdev.leaves.iter().filter(|leaf| system.rotates(leaf) == Some(true));
    let mut sizes = disks.filter_map(|leaf| system.leaf_capacity(leaf));
    let bytes = sizes.find(|bytes| *bytes >= 3_900_000_000_000)?;
    // At the 180 MiB/s that a 7200 rpm disk averages over its whole surface.
    let hours = bytes as f64 / (180.0 * 1048576.0) / 3600.0;
    (vdev.layout.parity() == Some(1)).then(|| {
        Problem::of_vdev(vdev)
            .with("size", size(bytes))
            .with("hours", format!("{hours:.0}"))
            .run(&["zpool", "add", &pool.name, "spare", "DRIVE"])
    })
}

fn database(system: &System, database: &Database) -> Option<Problem> {
    let pool = system.pool(database.dataset.pool())?;
    let vdev =
        pool.vdevs_of(AllocationClass::Normal).find(|vdev| vdev.layout.parity().is_some())?;
    let problem = Problem::of(&database.dataset.name)
        .with("vdev", &vdev.name)
        .evidence(&vdev.at, &vdev.name)
        .evidence(&database.dataset.place(), &database.dataset.name);
    let mirrors = ["mirror", "DRIVE-1", "DRIVE-2", "mirror", "DRIVE-3", "DRIVE-4"];
    Some(problem.run(&[&["zpool", "create", "NEW-POOL"][..], &mirrors[..]].concat()))
}

fn draid_spares(_: &System, _: &Pool, vdev: &Vdev) -> Option<Problem> {
    let Layout::Draid { parity, data, spares: 0 } = vdev.layout else { return None };
    let children = vdev.leaves.len();
    let spared = format!("draid{parity}:{data}d:{children}c:1s");
    Some(Problem::of_vdev(vdev).run(&["zpool", "create", "NEW-POOL", &spared, "DRIVES"]))
}

fn miscounted(system: &System) -> Option<Problem> {
    let data_vdevs = || system.pools.iter().flat_map(|pool| pool.vdevs_of(AllocationClass::Normal));
    let raidz = |vdev: &&Vdev| matches!(vdev.layout, Layout::Raidz { .. });
    let vdev = data_vdevs().find(raidz)?;
    let (width, parity) = (vdev.leaves.len() as u64, u64::from(vdev.layout.parity()?));
    // Vdevs of several widths make any count ambiguous.
    if data_vdevs().any(|other| other.leaves.len() as u64 != width) {
        return None;
    }
    let wrong = |data: u64, stated: u64| stated == parity && data + parity != width;
    let (remark, data) = system.remarks.iter().find_map(|remark| {
        let (data, stated) = data_and_parity(&remark.value)?;
        wrong(data, stated).then_some((remark, data))
    })?;
    let text: String = remark.value.trim().chars().take(80).collect();
    let drives = data + parity;
    let problem = Problem::of(&vdev.name)
        .with("stated", format!("{data}+{parity}"))
        .with("has", format!("{}+{parity}", width.saturating_sub(parity)))
        .with("drives", drives)
        .evidence(&remark.at, text)
        .evidence(&vdev.at, &vdev.name);
    Some(problem.run(&["poolwright", "plan", "--drives", &format!("{drives}xDRIVE")]))
}

/// Data and parity drives that a text states: `6D+2P`, `6d + 2p`, or `6+2` in a text about raidz.
fn data_and_parity(text: &str) -> Option<(u64, u64)> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices('+').find_map(|(plus, _)| {
        let left = lower[..plus].trim_end();
        let right = lower[plus + 1..].trim_start();
        let (left, marked) = match left.strip_suffix('d') {
            Some(number) if number.ends_with(|c: char| c.is_ascii_digit()) => (number, true),
            _ => (left, false),
        };
        let data = &left[left.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
        let after = right.trim_start_matches(|c: char| c.is_ascii_digit());
        let parity = &right[..right.len() - after.len()];
        let bounded = !after.starts_with(|c: char| c.is_ascii_alphanumeric() && c != 'p');
        let stated =
            if marked { after.starts_with('p') } else { lower.contains("raidz") && bounded };
        let (data, parity) = (data.parse().ok()?, parity.parse().ok()?);
        (stated && (1..=3).contains(&parity) && (1..=255).contains(&data)).then_some((data, parity))
    })
}

fn unstable_names(system: &System, pool: &Pool) -> Option<Problem> {
    // Another problem comes first: an import without a drive may need other options, and a resilver would begin again.
    let healthy = pool.status.as_ref().is_none_or(|(_, status)| status.is_at_rest());
    if system.planned || !healthy || system.boots_from(pool) {
        return None;
    }
    let leaf = pool.leaves().find(|leaf| is_kernel_name(drive_of(&leaf.name)))?;
    // FreeBSD has no such directories, and they hold no files.
    let elsewhere = |leaf: &Leaf| {
        let file = leaf.name.starts_with('/') && !leaf.name.starts_with("/dev/");
        file || is_freebsd_name(drive_of(&leaf.name))
    };
    if pool.leaves().any(elsewhere) {
        return None;
    }
    // udev makes a link by identity to a virtual disk only where its host gave it a serial number.
    let nameless = |leaf: &Leaf| {
        let name = drive_of(&leaf.name);
        let serial = system.drive(leaf).and_then(|drive| drive.serial.as_ref());
        let none = serial.is_none_or(|serial| serial.value.is_empty());
        is_kernel_name(name) && name.starts_with(['v', 'x']) && none
    };
    let directory =
        if pool.leaves().any(nameless) { "/dev/disk/by-path" } else { "/dev/disk/by-id" };
    let problem = Problem::of(&pool.name)
        .with("drive", &leaf.name)
        .with("directory", directory)
        .evidence(&leaf.at, &leaf.name)
        .run(&["ls", "-l", directory])
        .run(&["zpool", "export", &pool.name]);
    Some(problem.run(&["zpool", "import", "-d", directory, &pool.name]))
}

fn same_drive(_: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    let (leaf, other) = vdev.leaves.iter().enumerate().find_map(|(index, leaf)| {
        Some((leaf, vdev.leaves[..index].iter().find(|other| other.shares_drive(leaf))?))
    })?;
    let problem = Problem::of(&vdev.name)
        .with("one", &other.name)
        .with("two", &leaf.name)
        .evidence(&other.at, &other.name)
        .evidence(&leaf.at, &leaf.name);
    Some(problem.run(&["zpool", "replace", &pool.name, &leaf.name, "ANOTHER-DRIVE"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_parity_are_read_from_text_for_people() {
        assert_eq!(data_and_parity("2 个 raidz2 vdev(6D+2P)"), Some((6, 2)));
        assert_eq!(data_and_parity("# two raidz2 (6+2)"), Some((6, 2)));
        assert_eq!(data_and_parity("3 + 4 = 7"), None);
        assert_eq!(data_and_parity("raidz2 + special"), None);
        assert_eq!(data_and_parity("18446744073709551616D+2P"), None);
    }
}
