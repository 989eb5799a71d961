//! RAID cards, in their makers' words: what ZFS wants, and what to set where the card stays a
//! RAID.

use super::choice::{Choice, Need, Pair, Target, Workload};
use crate::cardtool::{CardTool, Setting, command};
use crate::source::Document;

/// The commands for every card that is known, or for the one that was asked for.
pub fn settings(need: &Need) -> Vec<Choice> {
    let mut cards: Vec<(CardTool, String, Vec<String>, bool)> = need
        .system
        .cards
        .iter()
        .map(|(_, tool, card)| {
            let protected = card.protected().is_some_and(|p| p.value);
            (
                *tool,
                card.id.clone(),
                card.volumes.iter().map(|v| v.id.clone()).collect(),
                protected,
            )
        })
        .collect();
    if let (true, Some(tool)) = (cards.is_empty(), need.card) {
        let (card, volume) = if tool == CardTool::Arcconf {
            ("1", "0")
        } else {
            ("0", "0")
        };
        cards.push((tool, card.to_string(), vec![volume.to_string()], false));
    }
    cards
        .iter()
        .flat_map(|(tool, card, volumes, protected)| {
            let mut choices = vec![pass_through(*tool, card)];
            choices.push(cache_ratio(need, *tool, card));
            choices.push(unprotected_cache(*tool, card, volumes.first()));
            for volume in volumes {
                choices.push(write_policy(need, *tool, card, volume, *protected));
                choices.push(read_policy(need, *tool, card, volume));
                choices.push(disk_cache(*tool, card, volume));
            }
            choices.push(strip(need, *tool, card));
            choices.into_iter().flatten()
        })
        .collect()
}

fn told(
    tool: CardTool,
    card: &str,
    volume: &str,
    setting: Setting,
    name: &str,
    reason: Pair,
) -> Option<Choice> {
    let words = command(tool, card, volume, setting)?;
    let words: Vec<String> = words
        .iter()
        .map(|word| crate::words::quoted(word))
        .collect();
    Some(
        Choice::new(Target::Card, name, words.join(" "), reason)
            .from(manual(tool), "cache and mode settings"),
    )
}

fn manual(tool: CardTool) -> Document {
    match tool {
        CardTool::Storcli | CardTool::Perccli => Document::Storcli,
        CardTool::Arcconf | CardTool::Ssacli => Document::Arcconf,
    }
}

/// Drives passed through, which is what ZFS wants.
pub fn pass_through(tool: CardTool, card: &str) -> Option<Choice> {
    let choice = told(
        tool,
        card,
        "",
        Setting::PassThrough,
        "pass-through",
        (
            "ZFS wants the drives themselves: it then sees errors and serial numbers, repairs from its own redundancy and flushes real caches. It destroys the card's volumes: only before data is on them.",
            "ZFS 要的是盘本身：这样它能看到错误和序列号，用自己的冗余修复，刷写真正的缓存。此命令会毁掉卡上的卷：只能在有数据之前执行。",
        ),
    )?;
    Some(
        choice
            .from(Document::ZfsDocs, "Hardware, hardware RAID controllers")
            .from(Document::Nvme, "pass-through mode")
            .offered(),
    )
}

/// The share of the cache that reads ahead.
pub fn cache_ratio(need: &Need, tool: CardTool, card: &str) -> Option<Choice> {
    let (share, reason) = match need.workload {
        Workload::LargeFiles | Workload::Analytics => (
            50,
            (
                "Long sequential reads gain from reading ahead; the rest still absorbs writes.",
                "长的顺序读从预读得益；其余部分仍吸收写入。",
            ),
        ),
        _ => (
            10,
            (
                "The operating system caches reads with far more memory; only the card's protected memory can acknowledge writes early.",
                "操作系统用多得多的内存缓存读取；只有卡上受保护的内存能提前确认写入。",
            ),
        ),
    };
    let choice = told(
        tool,
        card,
        "",
        Setting::ReadShare(share),
        "cache ratio",
        reason,
    )?;
    Some(
        choice
            .from(Document::MirrorSite, "cache ratio of 10 and 70 %")
            .but((
                "the mirror site took 70 % for reading, and saw no faster reads",
                "镜像站把 70 % 给了读，读取并没有更快",
            )),
    )
}

/// When a write is acknowledged.
pub fn write_policy(
    need: &Need,
    tool: CardTool,
    card: &str,
    volume: &str,
    protected: bool,
) -> Option<Choice> {
    let flash = need.flash() == Some(true);
    let (setting, reason) = if flash {
        (
            Setting::WriteThrough,
            (
                "SSDs answer as fast as the card's memory, which becomes the bottleneck and breaks down when it is full.",
                "SSD 的应答与卡的内存一样快，卡的内存反而成为瓶颈，满了就塌下来。",
            ),
        )
    } else if protected {
        (
            Setting::WriteBack,
            (
                "The card's protected memory acknowledges in 0.1 ms what disks take in 8; without battery or capacitor it falls back to write-through by itself.",
                "卡上受保护的内存 0.1 毫秒就确认机械盘要 8 毫秒的写入；没有电池或电容时它自动退回直写。",
            ),
        )
    } else {
        (
            Setting::WriteThrough,
            (
                "Nothing says that a working battery or capacitor protects the cache.",
                "没有任何信息表明有正常的电池或电容保护缓存。",
            ),
        )
    };
    let choice = told(tool, card, volume, setting, "write policy", reason)?;
    Some(choice.from(Document::Nvme, "recommended settings, write policy"))
}

/// Whether the card reads ahead.
pub fn read_policy(need: &Need, tool: CardTool, card: &str, volume: &str) -> Option<Choice> {
    // Microchip's cards have one share for all volumes instead.
    if !tool.megaraid() || matches!(need.workload, Workload::LargeFiles | Workload::Analytics) {
        return None;
    }
    let choice = told(
        tool,
        card,
        volume,
        Setting::NoReadAhead,
        "read policy",
        (
            "Random reads gain nothing from what lies behind them.",
            "随机读从其后的数据得不到好处。",
        ),
    )?;
    Some(choice.from(Document::Nvme, "recommended settings, no read ahead"))
}

/// The drives' own caches.
pub fn disk_cache(tool: CardTool, card: &str, volume: &str) -> Option<Choice> {
    let choice = told(
        tool,
        card,
        volume,
        Setting::DriveCacheOff,
        "disk cache",
        (
            "The card's battery does not protect the drives' own memory, and a card need not pass flushes on.",
            "卡的电池不保护盘自身的内存，而且卡不一定转发刷写命令。",
        ),
    )?;
    Some(choice.from(Document::Nvme, "recommended settings, disk cache").but(("the NVMe source leaves the disk cache at its default, on: right for drives with power-loss protection of their own", "NVMe 的来源让盘缓存保持默认的开启：对自带掉电保护的盘是对的")))
}

/// Writes cached without a battery.
pub fn unprotected_cache(tool: CardTool, card: &str, volume: Option<&String>) -> Option<Choice> {
    if tool.megaraid() {
        return None;
    }
    let volume = volume.map_or("", String::as_str);
    told(
        tool,
        card,
        volume,
        Setting::NoUnprotectedCache,
        "no-battery write cache",
        (
            "Without a battery, what is in the cache is lost with the power.",
            "没有电池时，缓存里的内容随断电丢失。",
        ),
    )
}

/// The strip, for a volume that is still to be made.
pub fn strip(need: &Need, tool: CardTool, card: &str) -> Option<Choice> {
    let small = !matches!(need.workload, Workload::LargeFiles | Workload::Analytics);
    let strip = if small { 64 } else { 256 };
    let words = match tool {
        CardTool::Storcli | CardTool::Perccli => format!(
            "{} /c{card} add vd r10 drives=ENCLOSURE:SLOTS pdperarray=2 strip={strip}",
            tool.program()
        ),
        CardTool::Arcconf => {
            format!(
                "arcconf CREATE {card} LOGICALDRIVE Stripesize {strip} MAX 10 CHANNEL DEVICE CHANNEL DEVICE …"
            )
        }
        CardTool::Ssacli => {
            format!("ssacli ctrl slot={card} create type=ld drives=DRIVES raid=1+0 ss={strip}")
        }
    };
    let choice = Choice::new(
        Target::Card,
        "strip",
        words,
        (
            "Fixed when a volume is made: 64K keeps most small reads on one drive and full stripes within reach; 256K suits long runs. RAID 10 costs two operations a small write, RAID 5 four, RAID 6 six.",
            "创建卷时固定：64K 使多数小读只落在一块盘上，整条带也够得着；256K 适合长段读写。一次小写，RAID 10 要两次操作，RAID 5 四次，RAID 6 六次。",
        ),
    );
    Some(
        choice
            .from(Document::Nvme, "recommended settings, stripe size 64K")
            .from(manual(tool), "creating volumes")
            .offered(),
    )
}
