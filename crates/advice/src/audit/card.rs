//! RAID cards, as their own programs describe them.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::raid_card::CardCommand;
use crate::system::{CardReport, System};
use facts::At;
use facts::card::{Card, Volume, WritePolicy};

rules! {
    "card-unprotected", Error, Check::Card(unprotected),
    what: "{subject} acknowledges writes from memory that no battery or capacitor protects.",
    what_zh: "{subject} 把写入放进卡上内存即确认，而该内存没有电池或电容保护。",
    why: "A power cut loses what the card holds, including acknowledged and flushed data, and damages the file system on it.",
    why_zh: "断电会丢失卡上的内容，包括已确认、已刷盘的数据，并损坏其上的文件系统。",
    sources: [Storcli("write cache policy"), Nvme("write policy and the battery")];

    "card-battery", Warning, Check::Card(battery),
    what: "The battery or capacitor of {subject} does not work: {state}.",
    what_zh: "{subject} 的电池或电容不正常：{state}。",
    why: "Write-back falls back to write-through: writes slow down to the speed of the drives, often unnoticed. With \"always write back\" they are unprotected.",
    why_zh: "回写（write-back）会退回直写（write-through）：写入降到盘自身的速度，常常没人注意。若设为“总是回写”，则没有保护。",
    sources: [Storcli("CacheVault and BBU"), Nvme("write policy and the battery")];

    "card-drive-cache", Warning, Check::Card(drive_cache),
    what: "The write caches of the drives behind {subject} are on.",
    what_zh: "{subject} 后面各盘自身的写缓存是打开的。",
    why: "The card's battery does not protect them, and a card need not pass flushes on. A power cut loses what is in them unless the drives have their own protection.",
    why_zh: "卡的电池不保护它们，而且卡不一定转发刷盘（flush）命令。断电会丢失其中的数据，除非盘自带掉电保护。",
    sources: [Storcli("pdcache"), MirrorSite("write cache state")];

    "card-read-ahead", Note, Check::Volume(read_ahead),
    what: "{subject} reads ahead from SSDs.",
    what_zh: "{subject} 对 SSD 预读。",
    why: "Read-ahead saves seeks; on flash it fills the card's memory with data that nothing asked for. In the NVMe article, random 8K reads rose from 210,000 to 910,000 a second after several settings were changed, not all of which it lists; it recommends no read-ahead.",
    why_zh: "预读是为了省寻道；在闪存上只会用多余的数据占满卡的内存。NVMe 一文中，改了一组没有全部列出的设置之后，8K 随机读从每秒 210,000 次升到 910,000 次；它建议关闭预读。",
    sources: [Nvme("recommended settings, no read ahead")];

    "card-write-back", Note, Check::Volume(write_back),
    what: "{subject} caches writes to SSDs (write-back).",
    what_zh: "{subject} 缓存对 SSD 的写入（回写）。",
    why: "The card's memory is a bottleneck for NVMe, it slows down sharply when it is full, and many cards have their fast path only in write-through. Measure both: with a battery, write-back does help small RAID 5 writes.",
    why_zh: "对 NVMe 来说卡的内存是瓶颈，写满后性能骤降，而且许多卡只有直写时才走快速路径。两种都测：有电池时，回写对 RAID 5 的小块写确实有用。",
    sources: [Nvme("recommended settings, write through")];

    "card-strip", Note, Check::Volume(strip),
    what: "{subject} has a strip size of {strip} on SSDs.",
    what_zh: "{subject} 在 SSD 上的条带单元为 {strip}。",
    why: "The NVMe article and card makers advise 64K: a larger strip still keeps a small read on one drive but makes more RAID 5 writes partial. It is fixed when the volume is created.",
    why_zh: "NVMe 一文和厂商建议 64K：更大的条带单元同样使一次小块读只落在一块盘上，却使 RAID 5 更多写入成为部分条带写。创建卷时固定。",
    sources: [Nvme("recommended settings, stripe size 64K")];

    "card-parity", Note, Check::Volume(parity),
    what: "{subject} is {level}: a small write costs {cost} operations on the drives.",
    what_zh: "{subject} 是 {level}：一次小块写在盘上要 {cost} 次操作。",
    why: "RAID 10 costs two. For databases the same drives give two to three times the write operations.",
    why_zh: "RAID 10 只要两次。对数据库，同样的盘能提供两到三倍的写 IOPS。",
    sources: [Nvme("RAID levels, write penalty"), Arithmetic("2, 4 and 6 operations")];

    "card-degraded", Error, Check::Volume(degraded),
    what: "{subject} is {state}.",
    what_zh: "{subject} 处于 {state} 状态。",
    why: "Part or all of its redundancy is used up.",
    why_zh: "它的冗余已部分或全部丧失。",
    sources: [Storcli("virtual drive states")];

    "card-single-drives", Warning, Check::Card(single_drives),
    what: "{subject} presents each of {count} drives as a RAID 0 of its own.",
    what_zh: "{subject} 把 {count} 块盘各做成一个 RAID 0。",
    why: "It looks like pass-through but is not: the card's cache and metadata stay in the path, errors and serial numbers are hidden, and a replaced drive needs a new volume. Use JBOD or HBA mode.",
    why_zh: "看起来像直通，其实不是：卡的缓存和元数据仍在路径上，错误和序列号被隐藏，换盘要重新建卷。请用 JBOD 或 HBA 模式。",
    sources: [ZfsDocs("Hardware, hardware RAID controllers"), MirrorSite("RAID card modes")];

    "card-read-share", Note, Check::Card(read_share),
    what: "{subject} uses {share} % of its cache for read-ahead.",
    what_zh: "{subject} 把 {share} % 的缓存用于预读。",
    why: "The operating system has more memory for caching reads. Only the card's memory, which a battery protects, can acknowledge writes early. The mirror-site article tried 10 % and 70 % and found reads no faster.",
    why_zh: "操作系统有更多内存可缓存读取；只有卡上受电池保护的内存能提前确认写入。镜像站一文试过 10 % 和 70 %，读取并没有更快。",
    sources: [MirrorSite("cache ratio"), Arcconf("cache ratio")];
}

/// A problem of a logical drive.
fn of_volume(report: &CardReport, volume: &Volume) -> Problem {
    Problem::of(format!("{} volume {}", report.name(), volume.id))
}

/// Adds the card's command for a setting to the fix, where the card has one.
fn run(problem: Problem, report: &CardReport, volume: &str, command: CardCommand) -> Problem {
    match command.words(report.tool, &report.card.id, volume) {
        Some(words) => problem.command(words),
        None => problem,
    }
}

/// Whether all drives behind a card are SSDs, as far as its program says.
fn flash(card: &Card) -> bool {
    let ssd = |media: &At<String>| {
        let media = media.value.to_ascii_uppercase();
        media.contains("SSD") || media.contains("SOLID")
    };
    let mut media = card.drives.iter().filter_map(|drive| drive.media.as_ref()).peekable();
    media.peek().is_some() && media.all(ssd)
}

fn unprotected(_: &System, report: &CardReport) -> Option<Problem> {
    let card = &report.card;
    let battery = card.protected();
    // Write-back falls back to write-through without a battery; always-write-back does not.
    let works = battery.is_some_and(|battery| battery.value);
    let always = |write: &&At<WritePolicy>| write.value == WritePolicy::AlwaysBack && !works;
    let volumes = card.volumes.iter().filter_map(|volume| {
        let line = volume.write.as_ref().filter(always)?.line;
        Some((line, "always write back", volume.id.as_str()))
    });
    let cache = card.unprotected_cache.filter(|on| on.value);
    let cache = cache.map(|on| (on.line, "no-battery write cache: enabled", ""));
    let mut wrong = volumes.chain(cache).peekable();
    wrong.peek()?;
    let problem = wrong.fold(Problem::of(report.name()), |problem, (line, text, volume)| {
        let problem = problem.evidence(&report.place(line), text);
        run(problem, report, volume, CardCommand::NoUnprotectedCache)
    });
    Some(match battery.filter(|battery| !battery.value) {
        Some(battery) => {
            problem.evidence(&report.place(battery.line), "no working battery or capacitor")
        }
        None => problem,
    })
}

fn battery(_: &System, report: &CardReport) -> Option<Problem> {
    let card = &report.card;
    let protected = card.protected().filter(|p| !p.value && !card.volumes.is_empty())?;
    let state = card.battery.as_ref().map_or("absent", |battery| battery.value.as_str());
    let problem = Problem::of(report.name())
        .with("state", state)
        .evidence(&report.place(protected.line), state);
    Some(run(problem, report, "", CardCommand::Show))
}

fn drive_cache(_: &System, report: &CardReport) -> Option<Problem> {
    let on = |policy: &&At<String>| {
        let policy = policy.value.to_ascii_lowercase();
        policy.contains("enable") || policy == "on" || policy.starts_with("write back")
    };
    let volumes =
        report.card.volumes.iter().map(|volume| (volume.drive_cache.as_ref(), volume.id.as_str()));
    let all = volumes.chain([(report.card.drive_cache.as_ref(), "")]);
    let mut caches =
        all.filter_map(|(policy, volume)| Some((policy.filter(on)?, volume))).peekable();
    caches.peek()?;
    Some(caches.fold(Problem::of(report.name()), |problem, (policy, volume)| {
        let problem =
            problem.evidence(&report.place(policy.line), format!("drive cache: {}", policy.value));
        run(problem, report, volume, CardCommand::DriveCacheOff)
    }))
}

fn read_ahead(_: &System, report: &CardReport, volume: &Volume) -> Option<Problem> {
    let ahead = volume.read_ahead.as_ref().filter(|ahead| ahead.value && flash(&report.card))?;
    let problem = of_volume(report, volume).evidence(&report.place(ahead.line), "read ahead");
    Some(run(problem, report, &volume.id, CardCommand::NoReadAhead))
}

fn write_back(_: &System, report: &CardReport, volume: &Volume) -> Option<Problem> {
    let back = |write: &&At<WritePolicy>| write.value == WritePolicy::Back && flash(&report.card);
    let write = volume.write.as_ref().filter(back)?;
    let problem = of_volume(report, volume).evidence(&report.place(write.line), "write back");
    Some(run(problem, report, &volume.id, CardCommand::WriteThrough))
}

fn strip(_: &System, report: &CardReport, volume: &Volume) -> Option<Problem> {
    let strip =
        volume.strip.as_ref().filter(|strip| strip.value > 64 << 10 && flash(&report.card))?;
    let problem = of_volume(report, volume)
        .with("strip", size(strip.value))
        .evidence(&report.place(strip.line), size(strip.value));
    Some(run(problem, report, "", CardCommand::Create { strip_kib: 64 }))
}

fn parity(_: &System, report: &CardReport, volume: &Volume) -> Option<Problem> {
    let level = volume.level.as_ref()?;
    let digits: String = level.value.chars().filter(char::is_ascii_digit).collect();
    let (cost, name) = match digits.as_str() {
        "5" | "50" => (4, "RAID 5"),
        "6" | "60" => (6, "RAID 6"),
        _ => return None,
    };
    let problem = of_volume(report, volume)
        .with("level", name)
        .with("cost", cost)
        .evidence(&report.place(level.line), &level.value);
    Some(problem.run(&["poolwright", "plan", "--drives", "DRIVES"]))
}

fn degraded(_: &System, report: &CardReport, volume: &Volume) -> Option<Problem> {
    let state = volume.state.as_ref()?;
    let word = state.value.to_ascii_lowercase();
    if ["optl", "optimal", "ok", "online"].contains(&word.as_str()) {
        return None;
    }
    let problem = of_volume(report, volume)
        .with("state", &state.value)
        .evidence(&report.place(state.line), &state.value);
    Some(run(problem, report, "", CardCommand::Show))
}

fn single_drives(_: &System, report: &CardReport) -> Option<Problem> {
    let card = &report.card;
    let zero =
        |level: &At<String>| level.value.ends_with('0') && !level.value.contains(['1', '5', '6']);
    let all = card.volumes.iter().all(|volume| volume.level.as_ref().is_some_and(zero));
    let (first, count) = (card.volumes.first()?, card.volumes.len());
    if !all || count < 2 || count < card.drives.len() {
        return None;
    }
    let problem = Problem::of(report.name())
        .with("count", count)
        .evidence(&report.place(first.line), format!("{count} volumes of RAID 0"));
    Some(run(problem, report, "", CardCommand::PassThrough))
}

fn read_share(_: &System, report: &CardReport) -> Option<Problem> {
    let volumes = !report.card.volumes.is_empty();
    let share = report.card.read_share.as_ref().filter(|share| share.value > 50 && volumes)?;
    let problem = Problem::of(report.name())
        .with("share", share.value)
        .evidence(&report.place(share.line), format!("read {} %", share.value));
    Some(run(problem, report, "", CardCommand::ReadShare(10)))
}
