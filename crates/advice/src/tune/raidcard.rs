//! RAID cards, in their makers' words: what ZFS wants, and what to set where the card stays a
//! RAID.

use super::choice::{Choice, Need, Target, Workload};
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
    reason: &str,
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
        CardTool::Storcli => Document::Storcli,
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
        "ZFS wants the drives themselves: it then sees errors and serial numbers, repairs from its own redundancy and flushes real caches. It destroys the card's volumes: only before data is on them.",
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
            "Long sequential reads gain from reading ahead; the rest still absorbs writes.",
        ),
        _ => (
            10,
            "The operating system caches reads with far more memory; only the card's protected memory can acknowledge writes early.",
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
            .but("the mirror site took 70 % for reading, and saw no faster reads"),
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
            "SSDs answer as fast as the card's memory, which becomes the bottleneck and breaks down when it is full.",
        )
    } else if protected {
        (
            Setting::WriteBack,
            "The card's protected memory acknowledges in 0.1 ms what disks take in 8; without battery or capacitor it falls back to write-through by itself.",
        )
    } else {
        (
            Setting::WriteThrough,
            "Nothing says that a working battery or capacitor protects the cache.",
        )
    };
    let choice = told(tool, card, volume, setting, "write policy", reason)?;
    Some(choice.from(Document::Nvme, "recommended settings, write policy"))
}

/// Whether the card reads ahead.
pub fn read_policy(need: &Need, tool: CardTool, card: &str, volume: &str) -> Option<Choice> {
    // Microchip's cards have one share for all volumes instead.
    if tool != CardTool::Storcli
        || matches!(need.workload, Workload::LargeFiles | Workload::Analytics)
    {
        return None;
    }
    let choice = told(
        tool,
        card,
        volume,
        Setting::NoReadAhead,
        "read policy",
        "Random reads gain nothing from what lies behind them.",
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
        "The card's battery does not protect the drives' own memory, and a card need not pass flushes on.",
    )?;
    Some(choice.from(Document::Nvme, "recommended settings, disk cache").but("the NVMe source leaves the disk cache at its default, on: right for drives with power-loss protection of their own"))
}

/// Writes cached without a battery.
pub fn unprotected_cache(tool: CardTool, card: &str, volume: Option<&String>) -> Option<Choice> {
    if tool == CardTool::Storcli {
        return None;
    }
    let volume = volume.map_or("", String::as_str);
    told(
        tool,
        card,
        volume,
        Setting::NoUnprotectedCache,
        "no-battery write cache",
        "Without a battery, what is in the cache is lost with the power.",
    )
}

/// The strip, for a volume that is still to be made.
pub fn strip(need: &Need, tool: CardTool, card: &str) -> Option<Choice> {
    let small = !matches!(need.workload, Workload::LargeFiles | Workload::Analytics);
    let strip = if small { 64 } else { 256 };
    let words = match tool {
        CardTool::Storcli => format!("storcli /c{card} add vd r10 drives=DRIVES strip={strip}"),
        CardTool::Arcconf => {
            format!("arcconf CREATE {card} LOGICALDRIVE Stripesize {strip} MAX 10 DRIVES")
        }
        CardTool::Ssacli => {
            format!("ssacli ctrl slot={card} create type=ld drives=DRIVES raid=1+0 ss={strip}")
        }
    };
    let choice = Choice::new(
        Target::Card,
        "strip",
        words,
        "Fixed when a volume is made: 64K keeps most small reads on one drive and full stripes within reach; 256K suits long runs. RAID 10 costs two operations a small write, RAID 5 four, RAID 6 six.",
    );
    Some(
        choice
            .from(Document::Nvme, "recommended settings, stripe size 64K")
            .from(manual(tool), "creating volumes")
            .offered(),
    )
}
