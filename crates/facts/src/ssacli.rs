//! `ssacli ctrl all show config detail` (HPE Smart Array; hpssacli and hpacucli before it).

use crate::card::{Card, CardDrive, Volume, WritePolicy};
use crate::units::binary;
use crate::{At, Parsed, nothing_found, numbered};

#[derive(Clone, Copy, PartialEq)]
enum Object {
    None,
    Controller,
    Array,
    Volume,
    Drive,
    /// A cage, expander or processor: nothing of it is kept.
    Other,
}

/// The cards in an ssacli text.
pub fn parse(text: &str) -> Parsed<Vec<Card>> {
    let mut cards: Vec<Card> = Vec::new();
    let mut problems = Vec::new();
    let mut object = Object::None;
    for (line, raw) in numbered(text) {
        let content = raw.trim();
        if content.is_empty() {
            continue;
        }
        if let Some((model, slot)) = heading(content) {
            cards.push(Card {
                id: slot.to_string(),
                model: Some(At::new(model.to_string(), line)),
                ..Card::default()
            });
            object = Object::Controller;
            continue;
        }
        let Some(card) = cards.last_mut() else {
            continue;
        };
        if let Some(slot) = drive_heading(content) {
            // Inside a mirror group the same line lists a member; it has its summary behind it.
            if content.contains('(') {
                summary(card, line, slot, content);
            } else {
                card.drives.push(CardDrive { slot: slot.to_string(), media: None });
                object = Object::Drive;
            }
            continue;
        }
        if let Some(rest) = content.strip_prefix("logicaldrive ") {
            volume_summary(card, line, rest);
            continue;
        }
        if content.starts_with("SEP (")
            || content.starts_with("Expander ")
            || content.contains("Drive Cage at Port")
            || content.starts_with("Enclosure ")
            || content.starts_with("Port Name:")
        {
            object = Object::Other;
            continue;
        }
        let Some((name, value)) = content.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim(), At::new(value.trim().to_string(), line));
        match name {
            "Array" => object = Object::Array,
            "Logical Drive" => {
                card.volumes.push(Volume { line, id: value.value.clone(), ..Volume::default() });
                object = Object::Volume;
            }
            _ => match object {
                Object::Controller => controller(card, name, value),
                Object::Volume => volume(card, name, value),
                Object::Drive if name == "Interface Type" => {
                    if let Some(drive) = card.drives.last_mut() {
                        drive.media = Some(value.map(|interface| media(&interface)));
                    }
                }
                Object::None | Object::Array | Object::Drive | Object::Other => {}
            },
        }
    }
    if cards.is_empty() {
        problems.push(nothing_found(text, "ssacli"));
    }
    Parsed { facts: cards, problems }
}

/// `HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)  (sn: …)`.
fn heading(content: &str) -> Option<(&str, &str)> {
    let (model, rest) = content.split_once(" in Slot ")?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let slot = &rest[..end];
    (!slot.is_empty() && !model.contains(':')).then_some((model, slot))
}

fn drive_heading(content: &str) -> Option<&str> {
    let rest = content.strip_prefix("physicaldrive ")?;
    rest.split_whitespace().next()
}

/// `physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS HDD, 600 GB, OK)` of `show config`.
fn summary(card: &mut Card, line: u32, slot: &str, content: &str) {
    if card.drives.iter().any(|drive| drive.slot == slot) {
        return;
    }
    let media = parts(content).get(1).map(|interface| At::new(media(interface), line));
    card.drives.push(CardDrive { slot: slot.to_string(), media });
}

/// `1 (279.37 GB, RAID 1, OK)` of `show config`.
fn volume_summary(card: &mut Card, line: u32, rest: &str) {
    let Some(id) = rest.split_whitespace().next() else {
        return;
    };
    if card.volumes.iter().any(|volume| volume.id == id) {
        return;
    }
    let parts = parts(rest);
    let word = |index: usize| parts.get(index).map(|p| At::new(p.to_string(), line));
    card.volumes.push(Volume {
        line,
        id: id.to_string(),
        level: word(1),
        state: word(2),
        ..Volume::default()
    });
}

/// What stands in the parentheses, between commas.
fn parts(content: &str) -> Vec<&str> {
    let inner = content
        .split_once('(')
        .map_or("", |(_, rest)| rest.rsplit_once(')').map_or(rest, |(inner, _)| inner));
    inner.split(',').map(str::trim).filter(|p| !p.is_empty()).collect()
}

fn media(interface: &str) -> String {
    let ssd = ["SSD", "Solid State", "NVMe"].iter().any(|word| interface.contains(word));
    if ssd { "SSD" } else { "HDD" }.to_string()
}

fn switch(value: &At<String>) -> Option<At<bool>> {
    match value.value.as_str() {
        "Enabled" | "True" => Some(At::new(true, value.line)),
        "Disabled" | "False" => Some(At::new(false, value.line)),
        _ => None,
    }
}

fn controller(card: &mut Card, name: &str, value: At<String>) {
    match name {
        "Cache Ratio" | "Accelerator Ratio" => {
            let share: String = value.value.chars().take_while(char::is_ascii_digit).collect();
            card.read_share = share
                .parse()
                .ok()
                .filter(|share| *share <= 100)
                .map(|share| At::new(share, value.line));
        }
        "Battery/Capacitor Status" => card.battery = Some(value),
        "Battery/Capacitor Count" => {
            card.batteries = value.value.parse().ok().map(|n| At::new(n, value.line));
        }
        "No-Battery Write Cache" => card.unprotected_cache = switch(&value),
        "Drive Write Cache"
        | "Physical Drive Write Cache"
        | "Configured Drive Write Cache Policy" => {
            card.drive_cache = Some(value);
        }
        _ => {}
    }
}

fn volume(card: &mut Card, name: &str, value: At<String>) {
    // `No-Battery Write Cache` decides whether caching waits for protection.
    let unprotected = card.unprotected_cache.is_some_and(|on| on.value);
    let Some(volume) = card.volumes.last_mut() else {
        return;
    };
    match name {
        "Fault Tolerance" => volume.level = Some(value),
        "Status" => volume.state = Some(value),
        "Strip Size" => volume.strip = binary(&value.value).map(|b| At::new(b, value.line)),
        "Caching" | "Array Accelerator" => {
            volume.write = switch(&value).map(|on| {
                on.map(|on| match (on, unprotected) {
                    (false, _) => WritePolicy::Through,
                    (true, false) => WritePolicy::Back,
                    (true, true) => WritePolicy::AlwaysBack,
                })
            });
        }
        _ => {}
    }
}
