//! Drives: their kind, their health, and how Linux treats them.

use super::{Check, Problem, Severity, rules};
use crate::format::size;
use crate::setting::{READ_AHEAD_KIB, Target, scheduler_rule};
use crate::system::diskstats::is_drive;
use crate::system::{Drive, Leaf, Place, Pool, System, Vdev};
use facts::smartctl::Drive as Report;

rules! {
    "drive-shingled", Warning, Check::Leaf(None, shingled),
    what: "{subject} in {pool} is a shingled disk ({model}).",
    what_zh: "{pool} 中的 {subject} 是叠瓦盘（{model}）。",
    why: "Drive-managed shingled disks fall to a few MB/s under the random writes of a resilver, which then takes days or fails. Their makers advise against ZFS on them.",
    why_zh: "由盘自身管理的叠瓦盘（DM-SMR），在重建的随机写下会降到每秒几 MB，重建要几天甚至失败；厂商不建议用于 ZFS。",
    sources: [Practice("makers' lists of shingled disks, 2020")];

    "drive-failing", Error, Check::Drive(failing),
    what: "{subject} reports that it is failing: {what}.",
    what_zh: "{subject} 报告即将故障：{what}。",
    why: "Such drives often fail soon. Replace it while the pool has its redundancy.",
    why_zh: "这样的盘往往很快就坏。请在冗余完整时更换。",
    sources: [Smartctl("overall health")];

    "drive-unreadable", Warning, Check::Drive(unreadable),
    what: "{subject} has unreadable sectors: {what}.",
    what_zh: "{subject} 有读不出的扇区：{what}。",
    why: "What they held is lost on this drive. A scrub reads everything and writes it anew where there is redundancy. Read the counters again afterwards, and replace the drive if they grow.",
    why_zh: "这些扇区中的内容在这块盘上已经丢失。有冗余时，scrub 会读出全部数据并重写坏掉的部分。之后再看计数，若继续增长就换盘。",
    sources: [Smartctl("attributes 187, 197 and 198, media errors")];

    "drive-reallocated", Note, Check::Drive(reallocated),
    what: "{subject} has replaced bad sectors by spare ones: {what}.",
    what_zh: "{subject} 已有坏扇区被重映射到备用扇区：{what}。",
    why: "A few are normal. If the number is large or grows within weeks, the surface or the flash is failing: plan the replacement.",
    why_zh: "少量属于正常。数量大，或几周内继续增长，说明盘面或闪存正在损坏：请计划更换。",
    sources: [Smartctl("attribute 5, grown defect list"), Practice("replaced sectors come before a failure")];

    "drive-worn", Warning, Check::Drive(worn),
    what: "{subject} is near the end of its rated life: {what}.",
    what_zh: "{subject} 接近额定寿命：{what}。",
    why: "Log and cache drives wear fastest. Plan the replacement; drives of a mirror that were bought together wear out together.",
    why_zh: "日志盘和缓存盘磨损最快。请计划更换；同一镜像中同批购买的盘会同时到寿命。",
    sources: [
        Smartctl("NVMe percentage used, available spare"),
        Smartctl("normalized values of attributes 177, 202, 231 and 233")
    ];

    "drive-cable", Note, Check::Drive(cable),
    what: "{subject} counted {count} transfer errors on its link (CRC).",
    what_zh: "{subject} 的链路上有 {count} 次传输错误（CRC）。",
    why: "The counter is never reset. If it grows, replace the cable or the backplane before the drive.",
    why_zh: "此计数不会清零。若继续增长，先换线缆或背板，再换盘。",
    sources: [Smartctl("attribute 199")];

    "drive-usb", Warning, Check::Leaf(None, usb),
    what: "{subject} in {pool} is attached by USB.",
    what_zh: "{pool} 中的 {subject} 通过 USB 连接。",
    why: "USB bridges reset under load, hide errors and often acknowledge flushes that they do not perform. The drive then disappears and the pool is suspended.",
    why_zh: "USB 转接芯片在负载下会复位、掩盖错误，还常常只应答刷盘（flush）命令而不执行。盘会掉线，存储池被挂起。",
    sources: [ZfsDocs("Hardware, USB")];

    "drive-card-volume", Warning, Check::Leaf(None, card_volume),
    what: "{subject} in {pool} is a volume of a RAID card ({model}), not a drive.",
    what_zh: "{pool} 中的 {subject} 是 RAID 卡的卷（{model}），不是物理盘。",
    why: "ZFS cannot see single drives behind it, repair from them or flush them. The card acknowledges flushes from its own cache, and the pool can be read only behind such a card. Set the card to pass drives through (HBA, IT or JBOD mode).",
    why_zh: "ZFS 看不到卷后面的单块盘，既不能从中修复，也不能令其刷盘；卡用自己的缓存应答刷盘命令，而且存储池只有接在这种卡上才能读取。请把卡设成直通（HBA、IT 或 JBOD 模式）。",
    sources: [ZfsDocs("Hardware, hardware RAID controllers"), Nvme("pass-through mode")];

    "drive-scheduler", Note, Check::Drive(scheduler),
    what: "{subject} uses the I/O scheduler {scheduler}.",
    what_zh: "{subject} 使用 I/O 调度器 {scheduler}。",
    why: "ZFS schedules its own I/O, and an NVMe drive or SSD gains nothing from sorting. The scheduler adds latency and, above some 100,000 operations a second, lock contention. Turn it off with a udev rule that uses a stable name.",
    why_zh: "ZFS 自己调度 I/O，NVMe 和 SSD 也不需要排序。调度器增加延迟，每秒超过约十万次操作时还有锁竞争。用匹配稳定名称的 udev 规则关闭它。",
    sources: [Nvme("scheduler none by udev"), LinuxDocs("block, switching schedulers")];

    "drive-rotational", Warning, Check::Drive(rotational),
    what: "{subject} ({model}) is flash, but Linux treats it as a hard disk.",
    what_zh: "{subject}（{model}）是闪存，但 Linux 把它当作机械盘。",
    why: "ZFS then merges its I/O up to 1 MiB and spreads reads as for a hard disk. Usually a RAID card or hypervisor hides the kind of drive.",
    why_zh: "ZFS 会像对机械盘那样把 I/O 合并到最大 1 MiB，并分散读取。通常是 RAID 卡或虚拟机管理程序隐藏了盘的类型。",
    sources: [ZfsCode("vdev_queue.c, aggregation limits")];

    "drive-cache-hidden", Error, Check::Drive(cache_hidden),
    what: "{subject} has a volatile write cache, but write_cache is `write through`: Linux sends it no flushes.",
    what_zh: "{subject} 有易失性写缓存，但 write_cache 为 `write through`：Linux 不向它发送刷盘（flush）命令。",
    why: "A power cut loses what the drive has acknowledged and still holds in its cache, including ZFS metadata.",
    why_zh: "断电会丢失盘已确认、仍在缓存中的数据，包括 ZFS 的元数据。",
    sources: [LinuxDocs("block, queue/write_cache")];

    "drive-read-ahead", Note, Check::Drive(read_ahead),
    what: "{subject} is an SSD with a read-ahead of {kib} KiB.",
    what_zh: "{subject} 是 SSD，预读为 {kib} KiB。",
    why: "Linux reads ahead on sequential access, and around a page of a mapped file that is not in memory: random access to mapped files then fetches data that nothing asked for. The kernel's default is 128 KiB. (ZFS does not use this setting; other file systems and raw devices do.)",
    why_zh: "Linux 在顺序访问时预读；访问内存映射文件中不在内存的页时，也会读取它周围的数据，因此随机访问映射文件会取来多余的数据。内核默认为 128 KiB。（ZFS 不用此设置；其他文件系统和裸设备会用。）",
    sources: [LinuxDocs("block, queue/read_ahead_kb")];

    "swap-on-volume", Warning, Check::Drive(swap_on_volume),
    what: "Swap is on a volume of a pool, {subject}.",
    what_zh: "交换空间在存储池的卷 {subject} 上。",
    why: "To write swap, ZFS needs memory just when there is none: the machine may hang. Put swap on a partition.",
    why_zh: "写交换空间时 ZFS 需要内存，而那时恰恰没有：机器可能卡死。请把交换空间放在分区上。",
    sources: [ZfsDocs("FAQ, using a zvol for a swap device")];

    "drive-mixed-sectors", Warning, Check::Vdev(None, mixed_sectors),
    what: "The drives of {subject} in {pool} have different physical sectors ({one} and {two}).",
    what_zh: "{pool} 中 {subject} 的盘物理扇区不同（{one} 和 {two}）。",
    why: "Nothing in the input shows an ashift that fits the larger sectors. With a smaller one, some of the drives read, change and write a sector for each small write.",
    why_zh: "输入中没有信息表明 ashift 符合较大的扇区。若 ashift 较小，一部分盘的每次小块写都要读-改-写。",
    sources: [ZpoolProps("ashift")],
    lab: "hk-ashift";
}

fn device(drive: &Drive) -> String {
    format!("/dev/{}", drive.name)
}

/// Where the model of a drive is stated.
fn model_place(drive: &Drive) -> Place {
    let smart = || drive.smart.as_ref().map(|(origin, smart)| origin.below(smart.line));
    let model = drive.model.as_ref().map(|model| model.at.clone());
    model.or_else(smart).unwrap_or_else(|| Place::new(&drive.name, 0))
}

/// A problem of a drive in a pool because of its model, which its name in the pool may tell alone.
fn of_model(system: &System, leaf: &Leaf) -> Problem {
    let model = system.model(leaf);
    let place = system.drive(leaf).map_or_else(|| leaf.at.clone(), model_place);
    Problem::of(&leaf.name).with("model", model).evidence(&place, model)
}

/// Whether a drive is flash, where that is known.
fn flash(system: &System, drive: &Drive) -> bool {
    system.rotates(&drive.as_leaf()) == Some(false)
}

fn pooled(system: &System, drive: &Drive) -> bool {
    let mut leaves = system.pools.iter().flat_map(Pool::leaves);
    leaves.any(|leaf| system.drive(leaf).is_some_and(|member| member.name == drive.name))
}

fn shingled(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    let smart = system.drive(leaf).and_then(|drive| drive.smart.as_ref());
    let zoned = smart.and_then(|(_, smart)| smart.zoned.as_ref());
    let zoned = zoned.is_some_and(|zoned| !zoned.value.to_lowercase().contains("not"));
    (catalogue::shingled(system.model(leaf)) || zoned).then(|| {
        let problem = of_model(system, leaf);
        problem.run(&["zpool", "replace", &pool.name, &leaf.name, "CONVENTIONAL-DRIVE"])
    })
}

fn failing(_: &System, drive: &Drive) -> Option<Problem> {
    let (_, smart) = drive.smart.as_ref()?;
    let failed = smart.passed.as_ref().filter(|passed| !passed.value)?;
    let problem = counted(drive, &[(failed.line, "overall health: failed".to_string())])?;
    Some(problem.command(drive.smartctl(&["-t", "long"])))
}

/// A problem of a drive because of counts in its report, each with its line; none without any.
fn counted(drive: &Drive, counts: &[(u32, String)]) -> Option<Problem> {
    let (origin, _) = drive.smart.as_ref()?;
    let texts: Vec<&str> = counts.iter().map(|(_, text)| text.as_str()).collect();
    let problem = Problem::of(&drive.name).with("what", texts.join(", "));
    let problem = counts
        .iter()
        .fold(problem, |problem, (line, text)| problem.evidence(&origin.below(*line), text));
    (!counts.is_empty()).then_some(problem)
}

/// Those of these attributes that count anything, with their lines.
fn attributes(smart: &Report, ids: &[u64]) -> Vec<(u32, String)> {
    let known = ids.iter().filter_map(|id| smart.attribute(*id));
    let counted = known.filter(|attribute| attribute.raw.is_some_and(|raw| raw > 0));
    counted.map(|a| (a.line, format!("{} {}", a.name, a.raw.unwrap_or(0)))).collect()
}

fn unreadable(system: &System, drive: &Drive) -> Option<Problem> {
    let (_, smart) = drive.smart.as_ref()?;
    // 197: sectors that wait to be replaced; 198: sectors that cannot be read. SSDs count other things there.
    let disk = system.rotates(&drive.as_leaf()) == Some(true);
    let ids: &[u64] = if disk { &[187, 197, 198] } else { &[187] };
    let media = smart.media_errors.as_ref().filter(|errors| errors.value > 0);
    let media = media.map(|errors| (errors.line, format!("media errors {}", errors.value)));
    let counts: Vec<_> = attributes(smart, ids).into_iter().chain(media).collect();
    Some(counted(drive, &counts)?.command(drive.smartctl(&["-t", "long"])))
}

/// Replaced sectors from which they are no longer few.
const MANY_REPLACED: u64 = 50;

fn reallocated(_: &System, drive: &Drive) -> Option<Problem> {
    let (_, smart) = drive.smart.as_ref()?;
    let grown = smart.grown_defects.as_ref().filter(|grown| grown.value > 0);
    let sectors = smart.attribute(5).and_then(|attribute| attribute.raw);
    let most = grown.map(|grown| grown.value).max(sectors).unwrap_or(0);
    let grown = grown.map(|grown| (grown.line, format!("grown defects {}", grown.value)));
    let counts: Vec<_> = attributes(smart, &[5]).into_iter().chain(grown).collect();
    let severity = if most >= MANY_REPLACED { Severity::Warning } else { Severity::Note };
    Some(counted(drive, &counts)?.severity(severity).command(drive.smartctl(&["-x"])))
}

/// The attribute in which a SATA SSD counts its life down from 100. Makers use these numbers for other things too, so its
/// name must say so.
fn life(smart: &Report) -> Option<(u32, String)> {
    let wear = |name: &str| {
        let name = name.to_lowercase();
        !name.contains("delta") && ["wear", "life"].iter().any(|word| name.contains(word))
    };
    let known = [177, 202, 231, 233].into_iter().filter_map(|id| smart.attribute(id));
    known.filter(|attribute| wear(&attribute.name)).find_map(|attribute| {
        let left = attribute.value.filter(|left| *left <= 20)?;
        Some((attribute.line, format!("{} {left} of 100", attribute.name)))
    })
}

fn worn(system: &System, drive: &Drive) -> Option<Problem> {
    let (_, smart) = drive.smart.as_ref()?;
    let used = smart.endurance_used.as_ref().filter(|used| used.value >= 80);
    let used = used.map(|used| (used.line, format!("percentage used {} %", used.value)));
    let spare = || {
        let (spare, threshold) = smart.spare.as_ref().zip(smart.spare_threshold.as_ref())?;
        let low = spare.value <= threshold.value;
        low.then(|| (spare.line, format!("available spare {} %", spare.value)))
    };
    let life = || life(smart).filter(|_| flash(system, drive));
    let count = used.or_else(spare).or_else(life)?;
    Some(counted(drive, &[count])?.command(drive.smartctl(&["-x"])))
}

fn cable(_: &System, drive: &Drive) -> Option<Problem> {
    let (origin, smart) = drive.smart.as_ref()?;
    let crc = smart.attribute(199)?;
    let count = crc.raw.filter(|raw| *raw > 0)?;
    let problem = Problem::of(&drive.name)
        .with("count", count)
        .evidence(&origin.below(crc.line), format!("{} {count}", crc.name));
    Some(problem.command(drive.smartctl(&["-x"])))
}

fn usb(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    let transport =
        system.drive(leaf)?.transport.as_ref().filter(|transport| transport.value == "usb")?;
    let problem = Problem::of(&leaf.name).evidence(&transport.at, format!("{}: usb", leaf.name));
    Some(problem.run(&["zpool", "replace", &pool.name, &leaf.name, "INTERNAL-DRIVE"]))
}

fn card_volume(system: &System, _: &Pool, leaf: &Leaf) -> Option<Problem> {
    catalogue::card_volume(system.model(leaf)).then(|| {
        let problem = of_model(system, leaf);
        problem.run(&["poolwright", "tune", "generic", "--pool", "FILE"])
    })
}

fn scheduler(system: &System, drive: &Drive) -> Option<Problem> {
    let scheduler = drive.scheduler.as_ref().filter(|s| s.value != "none" && s.value != "noop")?;
    if !flash(system, drive) && !pooled(system, drive) {
        return None;
    }
    let problem = Problem::of(&drive.name)
        .with("scheduler", &scheduler.value)
        .evidence(&scheduler.at, format!("{}: {}", drive.name, scheduler.value));
    Some(problem.set(Target::Udev, &drive.name, Some(scheduler_rule(drive))))
}

fn rotational(_: &System, drive: &Drive) -> Option<Problem> {
    let model = drive.model.as_ref().filter(|model| catalogue::flash(&model.value))?;
    let rotational = drive.rotational.as_ref().filter(|rotational| rotational.value)?;
    let problem = Problem::of(&drive.name)
        .with("model", &model.value)
        .evidence(&rotational.at, format!("{}: rotational 1", drive.name))
        .evidence(&model.at, &model.value);
    Some(problem.run(&["lsblk", "-o", "NAME,MODEL,ROTA", &device(drive)]))
}

fn cache_hidden(system: &System, drive: &Drive) -> Option<Problem> {
    let flushed = drive.flushed.as_ref().filter(|flushed| !flushed.value)?;
    let cache = drive.smart.as_ref().and_then(|(_, smart)| smart.write_cache.as_ref());
    // The drive says whether its cache is on; else its model says that it has one.
    let volatile = match cache {
        Some(cache) => cache.value,
        None => system.protected(&drive.as_leaf()) == Some(false),
    };
    volatile.then(|| {
        let write_back = format!("echo write back > /sys/block/{}/queue/write_cache", drive.name);
        Problem::of(&drive.name)
            .evidence(&flushed.at, format!("{}: write_cache write through", drive.name))
            .run(&["sh", "-c", &write_back])
    })
}

fn read_ahead(system: &System, drive: &Drive) -> Option<Problem> {
    let ahead = drive.read_ahead_kib.as_ref().filter(|ahead| ahead.value > READ_AHEAD_KIB)?;
    // md and LVM raise the value to the width of their stripes.
    let layered = !is_drive(&drive.name);
    let zfs = pooled(system, drive) || drive.signature.as_deref() == Some("zfs_member");
    // blockdev counts in sectors of 512 bytes.
    let sectors = (READ_AHEAD_KIB * 2).to_string();
    (flash(system, drive) && !zfs && !layered).then(|| {
        Problem::of(&drive.name)
            .with("kib", ahead.value)
            .evidence(&ahead.at, format!("{}: read_ahead_kb {}", drive.name, ahead.value))
            .run(&["blockdev", "--setra", &sectors, &device(drive)])
    })
}

fn swap_on_volume(_: &System, drive: &Drive) -> Option<Problem> {
    drive
        .name
        .strip_prefix("zd")
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))?;
    let swap = drive.mounts.iter().find(|mount| mount.value == "[SWAP]")?;
    let problem = Problem::of(&drive.name).evidence(&swap.at, format!("{}: [SWAP]", drive.name));
    Some(problem.run(&["swapoff", &device(drive)]))
}

fn mixed_sectors(system: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    let sector = |leaf: &Leaf| system.drive(leaf)?.physical_sector.as_ref();
    let mut sectors = vdev.leaves.iter().filter_map(|leaf| Some((leaf, sector(leaf)?)));
    let (first, one) = sectors.next()?;
    let (other, two) = sectors.find(|(_, sector)| sector.value != one.value)?;
    let larger = vdev.leaves.iter().filter_map(sector).map(|sector| sector.value).max()?;
    // The vdev works in sectors of 2^ashift: none of its drives gets a part of one.
    if pool.ashift().and_then(|shift| 1u64.checked_shl(shift)).is_some_and(|unit| unit >= larger) {
        return None;
    }
    let problem = Problem::of(&vdev.name)
        .with("one", size(one.value))
        .with("two", size(two.value))
        .evidence(&one.at, format!("{}: {}", first.name, one.value))
        .evidence(&two.at, format!("{}: {}", other.name, two.value));
    Some(problem.run(&["zpool", "create", "-o", "ashift=12", "NEW-POOL", "VDEVS"]))
}
