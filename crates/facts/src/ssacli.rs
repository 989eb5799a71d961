//! `ssacli ctrl all show config detail` (HPE Smart Array; hpssacli and hpacucli before it).

use crate::card::{Card, CardDrive, Field, Volume, WritePolicy};
use crate::units::{binary, decimal};
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
                line,
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
                card.drives.push(CardDrive {
                    line,
                    slot: slot.to_string(),
                    ..CardDrive::default()
                });
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
                Object::Drive => drive(card, name, value),
                Object::None | Object::Array | Object::Other => {}
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
    let parts = parts(content);
    let word = |index: usize| parts.get(index).map(|p| At::new(p.to_string(), line));
    card.drives.push(CardDrive {
        line,
        slot: slot.to_string(),
        interface: word(1),
        media: word(1).map(|w| media(&w)),
        size: parts.get(2).and_then(|p| decimal(p)).map(|b| At::new(b, line)),
        state: word(3),
        ..CardDrive::default()
    });
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
        size: parts.first().and_then(|p| binary(p)).map(|b| At::new(b, line)),
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

fn media(interface: &At<String>) -> At<String> {
    let text = &interface.value;
    let ssd = text.contains("SSD") || text.contains("Solid State") || text.contains("NVMe");
    At::new(if ssd { "SSD" } else { "HDD" }.to_string(), interface.line)
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
        "Controller Status" => card.status = Some(value),
        "Controller Mode" => card.mode = Some(value),
        "Total Cache Size" => {
            // Gen9 and later print gigabytes, some of them without the unit.
            let text = &value.value;
            let bare = text.parse::<f64>().is_ok();
            let bytes = if bare { binary(&format!("{text} GB")) } else { binary(text) };
            card.cache = bytes.map(|bytes| At::new(bytes, value.line));
        }
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
        _ => card.fields.push(Field { section: String::new(), name: name.to_string(), value }),
    }
}

fn volume(card: &mut Card, name: &str, value: At<String>) {
    // `No-Battery Write Cache` decides whether caching waits for protection.
    let unprotected = card.unprotected_cache.is_some_and(|on| on.value);
    let Some(volume) = card.volumes.last_mut() else {
        return;
    };
    match name {
        "Size" => volume.size = binary(&value.value).map(|b| At::new(b, value.line)),
        "Fault Tolerance" => volume.level = Some(value),
        "Status" => volume.state = Some(value),
        "Strip Size" => volume.strip = binary(&value.value).map(|b| At::new(b, value.line)),
        "Disk Name" => volume.os_name = Some(value),
        "Logical Drive Label" => volume.name = Some(value),
        "LD Acceleration Method" => volume.acceleration = Some(value),
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

fn drive(card: &mut Card, name: &str, value: At<String>) {
    let Some(drive) = card.drives.last_mut() else {
        return;
    };
    match name {
        "Status" => drive.state = Some(value),
        "Interface Type" => {
            drive.media = Some(media(&value));
            drive.interface = Some(value);
        }
        "Size" => drive.size = decimal(&value.value).map(|b| At::new(b, value.line)),
        "Model" => drive.model = Some(value),
        "Serial Number" => drive.serial = Some(value),
        "Disk Name" => drive.os_name = Some(value),
        "Write Cache Status" => drive.write_cache = Some(value),
        _ => {}
    }
}
