//! `ssacli ctrl all show config detail` (HPE Smart Array; hpssacli and hpacucli before it).

use crate::card::{Card, CardDrive, Object, Volume, WritePolicy, read_share};
use crate::units::binary;
use crate::{At, Parsed, find_or_push, nothing_found, numbered};

/// The cards in an ssacli text.
pub fn parse(text: &str) -> Parsed<Vec<Card>> {
    let mut cards: Vec<Card> = Vec::new();
    let mut problems = Vec::new();
    let mut object = Object::Other;
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
        let Some(card) = cards.last_mut() else { continue };
        let drive = content.strip_prefix("physicaldrive ");
        if let Some(slot) = drive.and_then(|rest| rest.split_whitespace().next()) {
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
        let Some((name, value)) = content.split_once(':') else { continue };
        let (name, value) = (name.trim(), At::new(value.trim().to_string(), line));
        match name {
            "Array" => object = Object::Other,
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
                Object::Drive | Object::Other => {}
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

/// `physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS HDD, 600 GB, OK)` of `show config`.
fn summary(card: &mut Card, line: u32, slot: &str, content: &str) {
    let media = parts(content).get(1).map(|interface| At::new(media(interface), line));
    let new = || CardDrive { slot: slot.to_string(), media };
    find_or_push(&mut card.drives, |drive| drive.slot == slot, new);
}

/// `1 (279.37 GB, RAID 1, OK)` of `show config`.
fn volume_summary(card: &mut Card, line: u32, rest: &str) {
    let Some(id) = rest.split_whitespace().next() else { return };
    let parts = parts(rest);
    let word = |index: usize| parts.get(index).map(|p| At::new(p.to_string(), line));
    let (level, state) = (word(1), word(2));
    let new = || Volume { line, id: id.to_string(), level, state, ..Volume::default() };
    find_or_push(&mut card.volumes, |volume| volume.id == id, new);
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

fn switch(value: &str) -> Option<bool> {
    match value {
        "Enabled" | "True" => Some(true),
        "Disabled" | "False" => Some(false),
        _ => None,
    }
}

fn controller(card: &mut Card, name: &str, value: At<String>) {
    match name {
        "Cache Ratio" | "Accelerator Ratio" => card.read_share = value.read(read_share),
        "Battery/Capacitor Status" => card.battery = Some(value),
        "Battery/Capacitor Count" => card.batteries = value.read(|count| count.parse().ok()),
        "No-Battery Write Cache" => card.unprotected_cache = value.read(switch),
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
    let Some(volume) = card.volumes.last_mut() else { return };
    match name {
        "Fault Tolerance" => volume.level = Some(value),
        "Status" => volume.state = Some(value),
        "Strip Size" => volume.strip = value.read(binary),
        "Caching" | "Array Accelerator" => {
            volume.write = value.read(switch).map(|on| {
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
