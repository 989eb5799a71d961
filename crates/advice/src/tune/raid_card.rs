//! RAID cards: pass-through for ZFS, and settings for a card that stays a RAID.

use super::choice::{Bilingual, Choice, Need, Workload};
use crate::format::quoted;
use crate::raid_card::{CardCommand, CardTool};
use crate::setting::Target;
use crate::source::Document;

/// A card to set.
struct Card {
    tool: CardTool,
    id: String,
    volumes: Vec<String>,
    /// Whether a battery or capacitor is seen to work.
    protected: bool,
}

/// The commands for every card in the input, or for the one that was named.
pub fn settings(need: &Need) -> Vec<Choice> {
    let seen = need.system.cards.iter().map(|report| Card {
        tool: report.tool,
        id: report.card.id.clone(),
        volumes: report.card.volumes.iter().map(|volume| volume.id.clone()).collect(),
        protected: report.card.protected().is_some_and(|protected| protected.value),
    });
    let named = need.card.filter(|_| need.system.cards.is_empty()).map(|tool| Card {
        tool,
        id: if tool == CardTool::Arcconf { "1" } else { "0" }.to_string(),
        volumes: vec!["0".to_string()],
        protected: false,
    });
    seen.chain(named).flat_map(|card| of_card(need, &card)).collect()
}

fn of_card(need: &Need, card: &Card) -> Vec<Choice> {
    let volumes = card.volumes.iter().flat_map(|volume| {
        [
            write_policy(need, card, volume),
            read_policy(need, card, volume),
            disk_cache(card, volume),
        ]
    });
    [pass_through(card), cache_ratio(need, card), unprotected_cache(card)]
        .into_iter()
        .chain(volumes)
        .chain([strip(need, card)])
        .flatten()
        .collect()
}

impl Card {
    /// A command as a setting; none where the maker has none.
    fn choice(
        &self,
        volume: &str,
        command: CardCommand,
        name: &str,
        reason: Bilingual,
    ) -> Option<Choice> {
        let words = command.words(self.tool, &self.id, volume)?;
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let manual = match self.tool {
            CardTool::Storcli | CardTool::Perccli => Document::Storcli,
            CardTool::Arcconf => Document::Arcconf,
            CardTool::Ssacli => Document::Ssacli,
        };
        let section = match command {
            CardCommand::Create { .. } => "creating volumes",
            _ => "cache and mode settings",
        };
        Some(Choice::new(Target::Card, name, words.join(" "), reason).source(manual, section))
    }
}

/// Whether the workload reads and writes long runs.
fn long_runs(need: &Need) -> bool {
    matches!(need.workload, Workload::LargeFiles | Workload::Analytics)
}

fn pass_through(card: &Card) -> Option<Choice> {
    let reason = (
        "With the drives themselves ZFS sees errors and serial numbers, repairs from its own redundancy and flushes the real caches. The command destroys the card's volumes: run it only before they hold data.",
        "直接使用物理盘，ZFS 才能看到错误和序列号，用自己的冗余修复，并把真正的缓存刷盘。此命令会销毁卡上的卷：只能在写入数据之前执行。",
    );
    let choice = card.choice("", CardCommand::PassThrough, "pass-through", reason)?;
    let choice = choice.source(Document::ZfsDocs, "Hardware, hardware RAID controllers");
    Some(choice.source(Document::Nvme, "pass-through mode").offered())
}

fn cache_ratio(need: &Need, card: &Card) -> Option<Choice> {
    let (share, english, chinese) = if long_runs(need) {
        (
            50,
            "Long sequential reads gain from read-ahead; the rest of the cache still absorbs writes.",
            "长的顺序读受益于预读，其余的缓存仍可吸收写入。",
        )
    } else {
        (
            10,
            "The operating system caches reads in far more memory; only the card's protected memory can acknowledge writes early.",
            "操作系统有大得多的内存用来缓存读取；只有卡上受保护的内存能提前确认写入。",
        )
    };
    let command = CardCommand::ReadShare(share);
    let choice = card.choice("", command, "cache ratio", (english, chinese))?;
    Some(choice.source(Document::MirrorSite, "cache ratio of 10 and 70 %").disagreement((
        "the mirror-site article used 70 % for reading and found reads no faster",
        "镜像站一文把 70 % 用于读取，读取并没有更快",
    )))
}

/// When a write is acknowledged.
fn write_policy(need: &Need, card: &Card, volume: &str) -> Option<Choice> {
    let (command, english, chinese) = if need.flash() == Some(true) {
        (
            CardCommand::WriteThrough,
            "SSDs answer as fast as the card's memory, which becomes the bottleneck and slows down sharply when it is full.",
            "SSD 的应答与卡的内存一样快，卡的内存反而成为瓶颈，写满后性能骤降。",
        )
    } else if card.protected {
        (
            CardCommand::WriteBack,
            "The card's protected memory acknowledges in 0.1 ms a write that takes a disk 8 ms. Without a working battery or capacitor it falls back to write-through by itself.",
            "机械盘要 8 毫秒的写入，卡上受保护的内存 0.1 毫秒就能确认；电池或电容失效时它自动退回直写。",
        )
    } else {
        (
            CardCommand::WriteThrough,
            "Nothing in the input shows that a working battery or capacitor protects the cache.",
            "输入中没有信息表明有正常的电池或电容保护缓存。",
        )
    };
    let choice = card.choice(volume, command, "write policy", (english, chinese))?;
    Some(choice.source(Document::Nvme, "recommended settings, write policy"))
}

fn read_policy(need: &Need, card: &Card, volume: &str) -> Option<Choice> {
    // Microchip's cards have one share for all volumes instead.
    if !card.tool.megaraid() || long_runs(need) {
        return None;
    }
    let reason = ("Random reads gain nothing from read-ahead.", "预读对随机读没有好处。");
    let choice = card.choice(volume, CardCommand::NoReadAhead, "read policy", reason)?;
    Some(choice.source(Document::Nvme, "recommended settings, no read ahead"))
}

fn disk_cache(card: &Card, volume: &str) -> Option<Choice> {
    let reason = (
        "The card's battery does not protect the drives' own caches, and a card need not pass flushes on.",
        "卡的电池不保护盘自身的缓存，而且卡不一定转发刷盘（flush）命令。",
    );
    let choice = card.choice(volume, CardCommand::DriveCacheOff, "disk cache", reason)?;
    Some(choice.source(Document::Nvme, "recommended settings, disk cache").disagreement((
        "the NVMe article leaves the disk cache on, its default, which is right for drives with their own power-loss protection",
        "NVMe 一文让盘缓存保持默认（开启），这适合自带掉电保护的盘",
    )))
}

/// Writes cached without a battery.
fn unprotected_cache(card: &Card) -> Option<Choice> {
    // On MegaRAID it is part of the write policy.
    if card.tool.megaraid() {
        return None;
    }
    let reason = (
        "Without a battery, a power cut loses what is in the cache.",
        "没有电池时，断电会丢失缓存中的数据。",
    );
    card.choice("", CardCommand::NoUnprotectedCache, "no-battery write cache", reason)
}

fn strip(need: &Need, card: &Card) -> Option<Choice> {
    let strip_kib = if long_runs(need) { 256 } else { 64 };
    let reason = (
        "Fixed when a volume is created: 64K keeps most small reads on one drive and allows full-stripe writes; 256K suits long runs. A small write costs two operations with RAID 10, four with RAID 5, six with RAID 6.",
        "创建卷时固定：64K 使多数小块读只落在一块盘上，也便于整条带写（full-stripe write）；256K 适合长段读写。一次小块写，RAID 10 要两次操作，RAID 5 四次，RAID 6 六次。",
    );
    let choice = card.choice("", CardCommand::Create { strip_kib }, "strip", reason)?;
    Some(choice.source(Document::Nvme, "recommended settings, stripe size 64K").offered())
}
