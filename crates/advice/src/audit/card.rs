//! RAID cards, as their own programs describe them.

use super::{Finding, Id, Severity};
use crate::cardtool::{CardTool, Setting, command};
use crate::system::{Place, System};
use crate::words::size;
use facts::card::{Card, Volume, WritePolicy};

/// A card, the file and the program that described it.
#[derive(Clone, Copy)]
struct Seen<'a> {
    file: &'a str,
    tool: CardTool,
    card: &'a Card,
}

fn cards(system: &System) -> impl Iterator<Item = Seen<'_>> {
    system.cards.iter().map(|(file, tool, card)| Seen {
        file,
        tool: *tool,
        card,
    })
}

fn volumes(system: &System) -> impl Iterator<Item = (Seen<'_>, &Volume)> {
    cards(system).flat_map(|seen| seen.card.volumes.iter().map(move |volume| (seen, volume)))
}

fn at(file: &str, line: u32) -> Place {
    Place {
        file: file.to_string(),
        line,
    }
}

/// Adds a card's command for a setting, where it has one.
fn told(finding: Finding, seen: Seen, volume: &str, setting: Setting) -> Finding {
    match command(seen.tool, &seen.card.id, volume, setting) {
        Some(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            finding.run(&words)
        }
        None => finding,
    }
}

/// Whether a card's drives behind its volumes are SSDs, as far as the text says.
fn flash(card: &Card) -> Option<bool> {
    let media: Vec<bool> = card
        .drives
        .iter()
        .filter_map(|drive| {
            let media = drive.media.as_ref()?.value.to_ascii_uppercase();
            Some(media.contains("SSD") || media.contains("SOLID"))
        })
        .collect();
    (!media.is_empty()).then(|| media.iter().all(|ssd| *ssd))
}

/// The command that shows all of a card.
fn show(tool: CardTool, card: &str) -> [String; 4] {
    match tool {
        CardTool::Storcli | CardTool::Perccli => [
            tool.program().into(),
            format!("/c{card}"),
            "show".into(),
            "all".into(),
        ],
        CardTool::Arcconf => [
            "arcconf".into(),
            "GETCONFIG".into(),
            card.into(),
            "AL".into(),
        ],
        CardTool::Ssacli => [
            "ssacli".into(),
            "ctrl".into(),
            format!("slot={card}"),
            "show".into(),
        ],
    }
}

fn named(card: &Card) -> String {
    card.model
        .as_ref()
        .map_or_else(|| format!("/c{}", card.id), |model| model.value.clone())
}

/// Writes acknowledged from memory that no battery protects.
pub fn unprotected(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let write = volume.write.as_ref()?;
            let protected = card.protected();
            // Write-back falls back to write-through without a battery; always-write-back does not.
            let wrong = match write.value {
                WritePolicy::AlwaysBack => protected.as_ref().is_none_or(|p| !p.value),
                WritePolicy::Back | WritePolicy::Through => false,
            };
            wrong.then(|| {
                let finding = Finding::new(
                    Id::CardUnprotected,
                    Severity::Error,
                    format!("{} volume {}", named(card), volume.id),
                )
                .because(&at(file, write.line), "always write back");
                let finding = match protected {
                    Some(p) => {
                        finding.because(&at(file, p.line), "no working battery or capacitor")
                    }
                    None => finding,
                };
                told(finding, seen, &volume.id, Setting::NoUnprotectedCache)
            })
        })
        .chain(cards(system).filter_map(|seen| {
            let Seen { file, card, .. } = seen;
            let on = card.unprotected_cache.as_ref().filter(|on| on.value)?;
            let finding = Finding::new(Id::CardUnprotected, Severity::Error, named(card))
                .because(&at(file, on.line), "no-battery write cache: enabled");
            Some(told(finding, seen, "", Setting::NoUnprotectedCache))
        }))
        .collect()
}

/// A battery or capacitor that does not work.
pub fn battery(system: &System) -> Vec<Finding> {
    cards(system)
        .filter(|seen| !seen.card.volumes.is_empty())
        .filter_map(|seen| {
            let Seen { file, card, .. } = seen;
            let protected = card.protected().filter(|p| !p.value)?;
            let state = card.battery.as_ref().map_or("absent", |b| b.value.as_str());
            let finding = Finding::new(Id::CardBattery, Severity::Warning, named(card))
                .with("state", state)
                .because(&at(file, protected.line), state.to_string())
                .run(&show(seen.tool, &card.id).each_ref().map(String::as_str));
            Some(finding)
        })
        .collect()
}

fn on(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    words.contains("enable") || words == "on" || words.starts_with("write back")
}

/// Drives' own volatile caches turned on behind a card.
pub fn drive_cache(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let cache = volume.drive_cache.as_ref().filter(|c| on(&c.value))?;
            let finding = Finding::new(
                Id::CardDriveCache,
                Severity::Warning,
                format!("{} volume {}", named(card), volume.id),
            )
            .because(
                &at(file, cache.line),
                format!("disk cache: {}", cache.value),
            );
            Some(told(finding, seen, &volume.id, Setting::DriveCacheOff))
        })
        .chain(cards(system).filter_map(|seen| {
            let Seen { file, card, .. } = seen;
            let cache = card.drive_cache.as_ref().filter(|c| on(&c.value))?;
            let finding = Finding::new(Id::CardDriveCache, Severity::Warning, named(card)).because(
                &at(file, cache.line),
                format!("drive write cache: {}", cache.value),
            );
            Some(told(finding, seen, "", Setting::DriveCacheOff))
        }))
        .collect()
}

/// Read-ahead on a volume of SSDs.
pub fn read_ahead(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let ahead = volume.read_ahead.as_ref().filter(|on| on.value)?;
            (flash(card) == Some(true)).then(|| {
                let finding = Finding::new(
                    Id::CardReadAhead,
                    Severity::Note,
                    format!("{} volume {}", named(card), volume.id),
                )
                .because(&at(file, ahead.line), "read ahead");
                told(finding, seen, &volume.id, Setting::NoReadAhead)
            })
        })
        .collect()
}

/// Write-back on a volume of SSDs.
pub fn write_back(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let write = volume
                .write
                .as_ref()
                .filter(|w| w.value == WritePolicy::Back)?;
            (flash(card) == Some(true)).then(|| {
                let finding = Finding::new(
                    Id::CardWriteBack,
                    Severity::Note,
                    format!("{} volume {}", named(card), volume.id),
                )
                .because(&at(file, write.line), "write back");
                told(finding, seen, &volume.id, Setting::WriteThrough)
            })
        })
        .collect()
}

/// A strip other than 64 KiB on a volume of SSDs.
pub fn strip(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let strip = volume
                .strip
                .as_ref()
                .filter(|strip| strip.value > 64 << 10)?;
            (flash(card) == Some(true)).then(|| {
                Finding::new(
                    Id::CardStrip,
                    Severity::Note,
                    format!("{} volume {}", named(card), volume.id),
                )
                .with("strip", size(strip.value))
                .because(&at(file, strip.line), size(strip.value))
                .run(&[
                    "storcli",
                    &format!("/c{}", card.id),
                    "add",
                    "vd",
                    "r10",
                    "drives=DRIVES",
                    "strip=64",
                ])
            })
        })
        .collect()
}

/// Parity RAID on a card, where small writes cost four to six operations.
pub fn parity(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let level = volume.level.as_ref()?;
            let digits: String = level.value.chars().filter(char::is_ascii_digit).collect();
            let (cost, name) = match digits.as_str() {
                "5" | "50" => (4, "RAID 5"),
                "6" | "60" => (6, "RAID 6"),
                _ => return None,
            };
            let finding = Finding::new(
                Id::CardParity,
                Severity::Note,
                format!("{} volume {}", named(card), volume.id),
            )
            .with("level", name)
            .with("cost", cost)
            .because(&at(file, level.line), level.value.clone())
            .run(&["poolwright", "plan", "--drives", "DRIVES"]);
            Some(finding)
        })
        .collect()
}

/// A volume that is not whole.
pub fn degraded(system: &System) -> Vec<Finding> {
    volumes(system)
        .filter_map(|(seen, volume)| {
            let Seen { file, card, .. } = seen;
            let state = volume.state.as_ref()?;
            let word = state.value.to_ascii_lowercase();
            let fine = ["optl", "optimal", "ok", "online"]
                .iter()
                .any(|good| word == *good);
            (!fine).then(|| {
                Finding::new(
                    Id::CardDegraded,
                    Severity::Error,
                    format!("{} volume {}", named(card), volume.id),
                )
                .with("state", &state.value)
                .because(&at(file, state.line), state.value.clone())
                .run(&show(seen.tool, &card.id).each_ref().map(String::as_str))
            })
        })
        .collect()
}

/// ZFS on a card in RAID mode: volumes of one drive each.
pub fn single_drives(system: &System) -> Vec<Finding> {
    cards(system)
        .filter_map(|seen| {
            let Seen { file, card, .. } = seen;
            let zero = |volume: &&Volume| {
                volume
                    .level
                    .as_ref()
                    .is_some_and(|l| l.value.ends_with('0') && !l.value.contains(['1', '5', '6']))
            };
            let singles: Vec<&Volume> = card.volumes.iter().filter(zero).collect();
            let first = singles.first()?;
            (singles.len() > 1
                && singles.len() == card.volumes.len()
                && singles.len() >= card.drives.len().max(1))
            .then(|| {
                let finding = Finding::new(Id::CardSingleDrives, Severity::Warning, named(card))
                    .with("count", singles.len())
                    .because(
                        &at(file, first.line),
                        format!("{} volumes of RAID 0", singles.len()),
                    );
                told(finding, seen, "", Setting::PassThrough)
            })
        })
        .collect()
}

/// A cache given almost wholly to reading ahead, or almost wholly kept from writes.
pub fn read_share(system: &System) -> Vec<Finding> {
    cards(system)
        .filter(|seen| !seen.card.volumes.is_empty())
        .filter_map(|seen| {
            let Seen { file, card, .. } = seen;
            let share = card.read_share.as_ref().filter(|share| share.value > 50)?;
            let finding = Finding::new(Id::CardReadShare, Severity::Note, named(card))
                .with("share", share.value)
                .because(&at(file, share.line), format!("read {} %", share.value));
            Some(told(finding, seen, "", Setting::ReadShare(10)))
        })
        .collect()
}
