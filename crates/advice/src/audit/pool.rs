//! The health, space and features of a pool.

use super::{Check, Problem, Severity, rules};
use crate::setting::Target;
use crate::system::{Leaf, Place, Pool, System, drive_of, is_kernel_name};
use facts::zpool_status::{Pool as Status, Scan, ScanKind, ScanState, Vdev, VdevKind};
use zfs::AllocationClass;

rules! {
    "pool-full", Warning, Check::Pool(full),
    what: "{subject} is {used} % full.",
    what_zh: "{subject} 已用 {used} %。",
    why: "Free space is in small pieces, allocation takes longer and writes slow down; when only the reserved slop space is left, writes fail. Databases and volumes are affected first.",
    why_zh: "空闲空间零碎，分配变慢，写入也变慢；只剩保留的 slop 空间时写入失败。数据库和卷最先受影响。",
    sources: [ZfsDocs("Performance, free space"), Practice("20 % free")];

    "pool-fragmented", Warning, Check::Pool(fragmented),
    what: "The free space of {subject} is {share} % fragmented.",
    what_zh: "{subject} 的空闲空间碎片率为 {share} %。",
    why: "This describes the free space, not the files: large blocks no longer find room in one piece, so a write becomes many small ones. Only freeing much space, or copying into a new pool, helps.",
    why_zh: "它描述的是空闲空间，不是文件：大块找不到连续空间，一次写变成许多次小块写。只有释放大量空间，或复制到新的存储池才有用。",
    sources: [ZpoolProps("fragmentation")];

    "pool-suspended", Error, Check::Pool(suspended),
    what: "{subject} is suspended: too many of its drives failed.",
    what_zh: "{subject} 已挂起：故障盘过多。",
    why: "Writes wait, and so do reads that the ARC does not hold. Connect the drives again before anything else; after `zpool clear` ZFS continues where it stopped. Until then it refuses to replace a drive and to scrub.",
    why_zh: "写入都在等待，ARC 中没有的读取也在等待。请先重新接好故障盘；执行 `zpool clear` 后，ZFS 从停下的地方继续。在此之前 ZFS 拒绝更换盘和 scrub。",
    sources: [Zpool8("zpool-clear(8)"), ZpoolProps("failmode")];

    "pool-degraded", Error, Check::Pool(degraded),
    what: "{subject} is {state}.",
    what_zh: "{subject} 处于 {state} 状态。",
    why: "Part or all of its redundancy is used up. Replace what has failed before anything else.",
    why_zh: "冗余已部分或全部丧失。请先更换故障盘，再做其他操作。",
    sources: [ZpoolConcepts("Device Failure and Recovery")];

    "pool-auxiliary", Warning, Check::Pool(failed_auxiliary),
    what: "A cache or spare of {subject} does not work: {drives}.",
    what_zh: "{subject} 的缓存盘或热备盘不工作：{drives}。",
    why: "The pool stays ONLINE without it. Reads that the cache served go to the data drives, and a spare that is gone cannot stand in for the next drive that fails.",
    why_zh: "没有它存储池仍是 ONLINE。但原由缓存提供的读取会落到数据盘上，而失效的热备盘无法顶替下一块故障盘。",
    sources: [Zpool8("zpool-remove(8)"), ZpoolConcepts("Hot Spares, Cache Devices")];

    "pool-errors", Warning, Check::Pool(errors),
    what: "Drives of {subject} have errors.",
    what_zh: "{subject} 的盘有错误。",
    why: "ZFS repairs checksum errors where there is redundancy. They come from the drive, its cable, the controller or RAM. Read the drive's own report, scrub the pool, clear the counts with `zpool clear`, and see whether they grow again.",
    why_zh: "有冗余时 ZFS 会修复校验和错误；错误来自盘、线缆、控制器或内存。查看盘自身的报告，做 scrub，用 `zpool clear` 清除错误计数，再看它是否又增长。",
    sources: [Zpool8("zpool-status(8)")];

    "pool-damaged", Error, Check::Pool(damaged),
    what: "{subject} has damaged data that it cannot repair.",
    what_zh: "{subject} 有损坏且无法修复的数据。",
    why: "`zpool status -v` lists the files: restore them from a backup.",
    why_zh: "`zpool status -v` 会列出这些文件：请从备份恢复。",
    sources: [Zpool8("zpool-status(8)")];

    "pool-scrub", Warning, Check::Pool(scrub),
    what: "The last scrub of {subject} was {age} days ago.",
    what_zh: "{subject} 上次 scrub 是在 {age} 天前。",
    why: "Sectors that decay are found only when they are read. A resilver that meets one when no redundancy is left loses data.",
    why_zh: "逐渐损坏的扇区只有读到时才会发现。没有冗余时，重建遇到这种扇区就会丢数据。",
    sources: [Zpool8("zpool-scrub(8)")];

    "pool-never-scrubbed", Warning, Check::Pool(never_scrubbed),
    what: "{subject} was never scrubbed.",
    what_zh: "{subject} 从未做过 scrub。",
    why: "Sectors that decay are found only when they are read. A resilver that meets one when no redundancy is left loses data.",
    why_zh: "逐渐损坏的扇区只有读到时才会发现。没有冗余时，重建遇到这种扇区就会丢数据。",
    sources: [Zpool8("zpool-scrub(8)")];

    "pool-autotrim-early", Note, Check::Pool(autotrim_early),
    what: "{subject} has autotrim=on, and OpenZFS is older than 2.2.",
    what_zh: "{subject} 设置了 autotrim=on，而 OpenZFS 早于 2.2。",
    why: "Before 2.2 each round of automatic TRIM closes a transaction group: under random writes hundreds a second instead of one in seconds, 1.6 to 1.9 times the bytes written to the drives, and an eighth less throughput (measured with OpenZFS 2.1.11). A weekly `zpool trim` does the same at no such cost; from 2.2 on, autotrim is harmless.",
    why_zh: "在 2.2 之前，每一轮自动 TRIM 都会结束一个事务组：随机写时每秒数百个，而不是数秒一个，写到盘上的字节数是 1.6 到 1.9 倍，吞吐量少八分之一（用 OpenZFS 2.1.11 实测）。每周一次 `zpool trim` 效果相同，却没有这个代价；自 2.2 起 autotrim 没有问题。",
    sources: [ZfsCode("vdev_autotrim_thread before 2.2")];

    "pool-autotrim", Note, Check::Pool(autotrim),
    what: "{subject} has SSDs ({drive}) and autotrim=off.",
    what_zh: "{subject} 有 SSD（{drive}），而 autotrim=off。",
    why: "The drives never learn which space is free, so they write more slowly and wear faster, as if they were full. A weekly `zpool trim` does the same with less effect on latency.",
    why_zh: "盘不知道哪些空间已释放，写入变慢、磨损加快，就像装满了一样。每周一次 `zpool trim` 效果相同，对延迟影响更小。",
    sources: [HongKong("databases, autotrim=on"), ZpoolProps("autotrim")];

    "pool-features", Note, Check::Pool(features),
    what: "{subject} has features that are not enabled.",
    what_zh: "{subject} 有未启用的特性。",
    why: "It works without them. `zpool upgrade` without a pool only lists them. With the pool's name it enables all, and a feature cannot be disabled again: older software and some boot loaders, GRUB among them, then no longer import the pool.",
    why_zh: "不启用也能正常工作。不带存储池名的 `zpool upgrade` 只列出它们；带上名字就会启用全部特性，而特性启用后不能再禁用：之后旧软件和某些引导程序（如 GRUB）将无法导入此存储池。",
    sources: [ZpoolFeatures("Feature states")];

    "pool-unsupported", Warning, Check::Pool(unsupported),
    what: "{subject} has a feature that this release does not support: {feature}.",
    what_zh: "{subject} 有本版本不支持的特性：{feature}。",
    why: "Newer software used the pool. It may import read-only, or not at all the next time.",
    why_zh: "此存储池曾被更高版本的软件使用。下次可能只能只读导入，或根本不能导入。",
    sources: [ZpoolFeatures("Feature states")];

    "pool-checkpoint", Note, Check::Pool(checkpoint),
    what: "{subject} has a checkpoint.",
    what_zh: "{subject} 保留着一个检查点。",
    why: "Space freed since then is not reusable, and vdevs cannot be removed, attached or split, until the checkpoint is discarded.",
    why_zh: "此后释放的空间不能重用，vdev 也不能移除、附加或拆分，直到丢弃该检查点。",
    sources: [ZpoolConcepts("Pool checkpoint")];

    "pool-resilvering", Warning, Check::Pool(resilvering),
    what: "{subject} is resilvering.",
    what_zh: "{subject} 正在重建（resilver）。",
    why: "Measurements now include the resilver, and redundancy is reduced until it ends.",
    why_zh: "此时的测量包含重建的负载；重建结束之前冗余降低。",
    sources: [Zpool8("zpool-status(8)")];
}

/// A property that is a percentage, at or above a limit: the value, and a problem that shows it.
fn percentage(pool: &Pool, name: &str, least: u64) -> Option<(u64, Problem)> {
    let property = pool.get(name)?;
    let value =
        property.value.trim_end_matches('%').parse().ok().filter(|value| *value >= least)?;
    Some((value, Problem::of(&pool.name).property(name, property)))
}

fn full(_: &System, pool: &Pool) -> Option<Problem> {
    let (used, problem) = percentage(pool, "capacity", 80)?;
    let problem = problem.with("used", used).run(&["zfs", "list", "-o", "space", "-r", &pool.name]);
    Some(if used >= 95 { problem.severity(Severity::Error) } else { problem })
}

fn fragmented(_: &System, pool: &Pool) -> Option<Problem> {
    let (share, problem) = percentage(pool, "fragmentation", 50)?;
    Some(problem.with("share", share).run(&["zpool", "list", "-v", &pool.name]))
}

/// The device file of a drive that a pool names: a path, an identity, the kernel name of a known drive, or a kernel name;
/// else a placeholder.
fn device(system: &System, name: &str) -> String {
    let identity = ["ata-", "scsi-", "nvme-", "wwn-", "usb-", "virtio-"];
    let leaf = Leaf { name: name.to_owned(), at: Place::new(name, 0) };
    if name.starts_with('/') {
        name.to_owned()
    } else if identity.iter().any(|prefix| name.starts_with(prefix)) {
        format!("/dev/disk/by-id/{name}")
    } else if let Some(drive) = system.drive(&leaf) {
        format!("/dev/{}", drive.name)
    } else if is_kernel_name(drive_of(name)) || name.contains('/') {
        format!("/dev/{name}")
    } else {
        "DRIVE".to_owned()
    }
}

fn suspended(_: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref().filter(|(_, status)| status.is_suspended())?;
    let problem = Problem::of(&pool.name).run(&["zpool", "clear", &pool.name]);
    let state = status.state.as_ref()?;
    let evidence = format!("state: {}", state.value);
    Some(problem.evidence(&pool.status_line(state.line), evidence))
}

fn degraded(_: &System, pool: &Pool) -> Option<Problem> {
    let Some((_, status)) = pool.status.as_ref() else { return unhealthy(pool) };
    let state = status.state.as_ref().filter(|state| state.value != "ONLINE")?;
    if status.is_suspended() {
        return None;
    }
    let mut problem = Problem::of(&pool.name)
        .with("state", &state.value)
        .evidence(&pool.status_line(state.line), format!("state: {}", state.value));
    let rebuilding = running(status).is_some();
    let mut fixed = false;
    // A pool that cannot be opened takes no commands for its drives.
    let places = if state.value == "UNAVAIL" { Vec::new() } else { places(&status.vdevs, None) };
    for (drive, parent) in places {
        let Some(fix) = repair(&pool.name, drive, parent, rebuilding) else { continue };
        fixed = true;
        let text = format!("{} {}", drive.name, drive.state);
        problem = problem.evidence(&pool.status_line(drive.line), text).run(&fix);
    }
    Some(if fixed { problem } else { problem.run(&["zpool", "status", "-v", &pool.name]) })
}

/// Classes that hold no data of their own: the pool's state does not show their failures.
fn auxiliary(class: AllocationClass) -> bool {
    matches!(class, AllocationClass::Cache | AllocationClass::Spare)
}

/// Drives with the vdev that they are in.
fn places<'a>(vdevs: &'a [Vdev], parent: Option<&'a Vdev>) -> Vec<(&'a Vdev, Option<&'a Vdev>)> {
    let own = |vdev: &'a Vdev| match vdev.children.is_empty() {
        true => vec![(vdev, parent)],
        false => places(&vdev.children, Some(vdev)),
    };
    vdevs.iter().flat_map(own).collect()
}

fn failed(drive: &Vdev) -> bool {
    matches!(drive.state.as_str(), "UNAVAIL" | "FAULTED" | "REMOVED")
}

/// What to do about a drive that does not work. Where another stands in for it already, one more replacement would
/// only begin again.
fn repair<'a>(
    pool: &'a str,
    drive: &'a Vdev,
    parent: Option<&'a Vdev>,
    rebuilding: bool,
) -> Option<Vec<&'a str>> {
    if auxiliary(drive.class) {
        return None;
    }
    let name = drive.name.as_str();
    let offline = drive.state == "OFFLINE";
    if !offline && !failed(drive) {
        return None;
    }
    let replace = vec!["zpool", "replace", pool, name, "NEW-DRIVE"];
    let pair = parent.filter(|vdev| matches!(vdev.kind, VdevKind::Replacing | VdevKind::Spare));
    let works = |other: &&Vdev| other.name != drive.name && other.state == "ONLINE";
    let standing_in = pair.and_then(|vdev| Some((vdev, vdev.children.iter().find(works)?)));
    let Some((pair, other)) =
        standing_in.filter(|(pair, _)| !offline || pair.kind == VdevKind::Replacing)
    else {
        return Some(if offline { vec!["zpool", "online", pool, name] } else { replace });
    };
    // The first is what the others replace.
    let original = pair.children.first().is_some_and(|first| first.name == drive.name);
    let waits = rebuilding || pair.kind == VdevKind::Replacing;
    Some(if original && waits {
        vec!["zpool", "wait", "-t", "resilver", pool]
    } else if original && other.kind == VdevKind::DistributedSpare {
        // The space of a distributed spare is free again when a drive has replaced the original.
        replace
    } else {
        // A new drive or spare that failed; or the original, whose place a spare keeps for good.
        vec!["zpool", "detach", pool, name]
    })
}

/// A pool of which only the properties are known.
fn unhealthy(pool: &Pool) -> Option<Problem> {
    let health = pool.properties.get("health").filter(|health| health.value != "ONLINE")?;
    Some(
        Problem::of(&pool.name)
            .with("state", &health.value)
            .property("health", health)
            .run(&["zpool", "status", "-v", &pool.name]),
    )
}

fn failed_auxiliary(_: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref()?;
    let drives = status.vdevs.iter().flat_map(Vdev::leaves);
    let gone: Vec<&Vdev> = drives.filter(|drive| auxiliary(drive.class) && failed(drive)).collect();
    gone.first()?;
    let names: Vec<&str> = gone.iter().map(|drive| drive.name.as_str()).collect();
    let problem = Problem::of(&pool.name).with("drives", names.join(", "));
    Some(gone.iter().fold(problem, |problem, drive| {
        let class = if drive.class == AllocationClass::Cache { "cache" } else { "spare" };
        problem
            .evidence(&pool.status_line(drive.line), format!("{} {}", drive.name, drive.state))
            .run(&["zpool", "remove", &pool.name, &drive.name])
            .run(&["zpool", "add", &pool.name, class, "NEW-DRIVE"])
    }))
}

fn errors(system: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref()?;
    let counts =
        |drive: &Vdev| [drive.read, drive.write, drive.cksum].map(|count| count.unwrap_or(0));
    let drives = status.vdevs.iter().flat_map(Vdev::leaves);
    let mut faulty = drives.filter(|drive| counts(drive) != [0; 3]).peekable();
    faulty.peek()?;
    let problem = faulty.fold(Problem::of(&pool.name), |problem, drive| {
        let [read, write, cksum] = counts(drive);
        let text = format!("{}: read {read}, write {write}, checksum {cksum}", drive.name);
        problem.evidence(&pool.status_line(drive.line), text).run(&[
            "smartctl",
            "-x",
            &device(system, &drive.name),
        ])
    });
    Some(match status.is_suspended() {
        true => problem,
        false => start_scrub(problem, pool),
    })
}

/// Adds the command that starts a scrub; while ZFS refuses it because another scan runs, the one that waits for that.
fn start_scrub(problem: Problem, pool: &Pool) -> Problem {
    let scans = pool.status.iter().flat_map(|(_, status)| &status.scans);
    let mut running = scans.filter(|scan| scan.state == ScanState::Running);
    let Some(scan) = running.next() else {
        return problem.run(&["zpool", "scrub", &pool.name]);
    };
    let scan = if scan.kind == Some(ScanKind::Resilver) { "resilver" } else { "scrub" };
    problem.run(&["zpool", "wait", "-t", scan, &pool.name])
}

fn damaged(_: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref()?;
    let errors = status.errors.as_ref().filter(|_| status.undamaged() == Some(false))?;
    let problem = Problem::of(&pool.name)
        .evidence(&pool.status_line(errors.line), format!("errors: {}", errors.value));
    Some(problem.run(&["zpool", "status", "-v", &pool.name]))
}

/// Days after which a scrub is too old.
const SCRUB_DAYS: i64 = 35;

fn scrub(system: &System, pool: &Pool) -> Option<Problem> {
    let finished = last_scrub(pool).filter(|scan| scan.state == ScanState::Finished)?;
    let age = system.today? - finished.date?.days();
    (age > SCRUB_DAYS).then(|| {
        let problem = Problem::of(&pool.name)
            .with("age", age)
            .evidence(&pool.status_line(finished.line), &finished.text);
        start_scrub(problem, pool)
    })
}

fn last_scrub(pool: &Pool) -> Option<&Scan> {
    let (_, status) = pool.status.as_ref()?;
    let others = [Some(ScanKind::Resilver), Some(ScanKind::ErrorScrub)];
    status.scans.iter().find(|scan| !others.contains(&scan.kind))
}

fn never_scrubbed(_: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref()?;
    let problem = start_scrub(Problem::of(&pool.name), pool);
    match last_scrub(pool) {
        Some(scan) if scan.state == ScanState::Never => {
            Some(problem.evidence(&pool.status_line(scan.line), &scan.text))
        }
        // A whole text without any scan line: no scrub or resilver ever ran.
        None if status.scans.is_empty() && status.errors.is_some() => {
            Some(problem.evidence(&pool.place(), &pool.name))
        }
        _ => None,
    }
}

fn autotrim_early(system: &System, pool: &Pool) -> Option<Problem> {
    // openzfs/zfs pull request 12194, in 2.2, ended it.
    if !before_2_2(system) {
        return None;
    }
    set_autotrim(pool, "on", "off")
}

fn set_autotrim(pool: &Pool, wrong: &str, right: &str) -> Option<Problem> {
    let property = pool.get("autotrim").filter(|property| property.value == wrong)?;
    let problem = Problem::of(&pool.name).property("autotrim", property);
    Some(problem.set(Target::Pool(pool.name.clone()), "autotrim", Some(right)))
}

fn before_2_2(system: &System) -> bool {
    system.openzfs.as_ref().is_some_and(|version| version.value < (2, 2))
}

fn autotrim(system: &System, pool: &Pool) -> Option<Problem> {
    // A cache is trimmed by l2arc_trim_ahead, and a spare holds nothing.
    let data = |vdev: &&crate::system::Vdev| !auxiliary(vdev.class);
    let mut leaves = pool.vdevs.iter().filter(data).flat_map(|vdev| &vdev.leaves);
    let leaf = leaves.find(|leaf| system.rotates(leaf) == Some(false) && !before_2_2(system))?;
    let problem = set_autotrim(pool, "off", "on")?.with("drive", &leaf.name);
    Some(problem.evidence(&leaf.at, &leaf.name))
}

fn features(_: &System, pool: &Pool) -> Option<Problem> {
    // A set of features that somebody chose, for a boot loader or older software: `zpool upgrade` keeps to it.
    if pool.get("compatibility").is_some_and(|set| set.value != "off") {
        return None;
    }
    // Without a pool it only lists what could be enabled.
    let problem = Problem::of(&pool.name).run(&["zpool", "upgrade"]);
    let mut properties = pool.properties.iter();
    let disabled =
        properties.find(|(name, p)| name.starts_with("feature@") && p.value == "disabled");
    if let Some((name, property)) = disabled {
        return Some(problem.property(name, property));
    }
    let status = pool.status.as_ref()?.1.status.as_ref()?;
    let named = status.value.contains("features are not enabled");
    named.then(|| problem.evidence(&pool.status_line(status.line), &status.value))
}

fn unsupported(_: &System, pool: &Pool) -> Option<Problem> {
    let mut properties = pool.properties.iter();
    let (name, property) = properties.find(|(name, _)| name.starts_with("unsupported@"))?;
    let problem = Problem::of(&pool.name)
        .with("feature", name.trim_start_matches("unsupported@"))
        .property(name, property);
    Some(problem.run(&["zpool", "get", "all", &pool.name]))
}

fn checkpoint(_: &System, pool: &Pool) -> Option<Problem> {
    let mut others = pool.status.iter().flat_map(|(_, status)| &status.others);
    let stated = others.find(|(key, _)| key == "checkpoint");
    let problem = match (stated, pool.get("checkpoint")) {
        (Some((_, text)), _) => Problem::of(&pool.name)
            .evidence(&pool.status_line(text.line), format!("checkpoint: {}", text.value)),
        (None, Some(property)) if property.value != "-" => {
            Problem::of(&pool.name).property("checkpoint", property)
        }
        _ => return None,
    };
    Some(problem.run(&["zpool", "checkpoint", "--discard", &pool.name]))
}

/// The resilver that is running.
fn running(status: &Status) -> Option<&Scan> {
    let resilver =
        |scan: &&Scan| scan.kind == Some(ScanKind::Resilver) && scan.state == ScanState::Running;
    status.scans.iter().find(resilver)
}

fn resilvering(_: &System, pool: &Pool) -> Option<Problem> {
    let (_, status) = pool.status.as_ref()?;
    let scan = running(status)?;
    let problem = Problem::of(&pool.name).evidence(&pool.status_line(scan.line), &scan.text);
    Some(problem.run(&["zpool", "wait", "-t", "resilver", &pool.name]))
}
