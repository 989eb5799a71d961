//! `arcconf getconfig N [AL|AD|LD|PD]` (Adaptec and Microchip, as in the H3C P460).

use crate::card::{Card, CardDrive, Object, Volume, WritePolicy, read_share};
use crate::units::binary;
use crate::{At, Parsed, Problem, excerpt, nothing_found, numbered};

/// The cards in an arcconf text.
pub fn parse(text: &str) -> Parsed<Vec<Card>> {
    let mut cards: Vec<Card> = Vec::new();
    let mut problems = Vec::new();
    let mut object = Object::Other;
    let mut section = String::new();
    let mut ended = false;
    for (line, raw) in numbered(text) {
        let content = raw.trim();
        if content.is_empty() || content.chars().all(|c| c == '-') {
            continue;
        }
        if let Some((name, value)) = pair(content) {
            if name == "Controllers found" {
                continue;
            }
            let at = At::new(value.to_string(), line);
            let card = last_card(&mut cards);
            match object {
                Object::Controller => controller(card, &section, name, at),
                Object::Volume => volume(card, name, at),
                Object::Drive => drive(card, name, at),
                Object::Other => {}
            }
            continue;
        }
        let lower = content.to_ascii_lowercase();
        if lower.starts_with("command completed") {
            ended = true;
        } else if lower == "controller information" {
            section.clear();
            cards.push(new_card(cards.len() + 1));
            object = Object::Controller;
        } else if let Some(next) = heading(content, &lower, line, &mut cards) {
            object = next;
        } else if !content.starts_with("Device is a ") {
            // `SSD : Yes` repeats whether a device is a Solid State drive.
            section = content.to_string();
        }
    }
    let found = cards
        .iter()
        .any(|card| card.model.is_some() || !card.volumes.is_empty() || !card.drives.is_empty());
    if !found {
        problems.push(nothing_found(text, "arcconf"));
    } else if !ended {
        problems.push(Problem::new(
            crate::last_line(text),
            format!(
                "arcconf ends with \"Command completed successfully.\"; this text ends with {:?}",
                excerpt(text.lines().last().unwrap_or(""))
            ),
        ));
    }
    Parsed { facts: cards, problems }
}

/// The object that a heading begins, which is added to its card.
fn heading(content: &str, lower: &str, line: u32, cards: &mut Vec<Card>) -> Option<Object> {
    if lower == "array information"
        || lower.starts_with("logical device information")
        || lower.starts_with("physical device information")
    {
        return Some(Object::Other);
    }
    let volume = ["Logical Device number", "Logical device number"];
    if let Some(number) = volume.iter().find_map(|name| content.strip_prefix(name)) {
        let volume = Volume { line, id: number.trim().to_string(), ..Volume::default() };
        last_card(cards).volumes.push(volume);
        return Some(Object::Volume);
    }
    let slot = content.strip_prefix("Device #")?.to_string();
    last_card(cards).drives.push(CardDrive { slot, media: None });
    Some(Object::Drive)
}

fn new_card(number: usize) -> Card {
    Card { id: number.to_string(), ..Card::default() }
}

/// The card that is described. `getconfig 1 LD` prints no controller section.
fn last_card(cards: &mut Vec<Card>) -> &mut Card {
    if cards.is_empty() {
        cards.push(new_card(1));
    }
    let last = cards.len() - 1;
    &mut cards[last]
}

/// `Name   : value`; a name that carries a colon of its own (`Channel #0:`) has no value.
fn pair(content: &str) -> Option<(&str, &str)> {
    // Values follow `: `; a time of day or an address has no blank before its colon.
    let (name, value) = content
        .split_once(" : ")
        .or_else(|| content.split_once(": "))
        .or_else(|| content.strip_suffix(" :").map(|name| (name, "")))?;
    let name = name.trim();
    (!name.is_empty()).then(|| (name, value.trim()))
}

fn controller(card: &mut Card, section: &str, name: &str, value: At<String>) {
    match name {
        "Controller Model" => card.model = Some(value),
        "Cache Ratio" | "Read Cache Ratio" => card.read_share = value.read(read_share),
        "Overall Backup Unit Status"
        | "Backup Unit Status"
        | "Battery Status"
        | "Controller Battery Status"
        | "Cache Backup Unit Status" => card.battery = Some(value),
        "Status" if section.to_ascii_lowercase().contains("batter") => card.battery = Some(value),
        "Global Physical Device Write Cache Policy"
        | "Physical Drive Write Cache Policy"
        | "Configured Drives" => card.drive_cache = Some(value),
        _ => {}
    }
}

fn volume(card: &mut Card, name: &str, value: At<String>) {
    let Some(volume) = card.volumes.last_mut() else { return };
    match name {
        "RAID level" => volume.level = Some(value),
        "Status of Logical Device" | "Status of logical device" => volume.state = Some(value),
        "Stripe-unit size" | "Strip Size" => volume.strip = value.read(binary),
        "Read-cache setting" | "Read-cache mode" => volume.read_ahead = value.read(on),
        "Write-cache setting" | "Write-cache mode" => volume.write = value.read(write_policy),
        _ => {}
    }
}

fn on(value: &str) -> Option<bool> {
    let value = value.to_ascii_lowercase();
    let words = [("enabled", true), ("on", true), ("disabled", false), ("off", false)];
    words.into_iter().find(|(word, _)| value.starts_with(word)).map(|(_, on)| on)
}

/// `Disabled (write-through)`, `Enabled (write-back)`,
/// `Enabled (write-back) when protected by battery/ZMM`.
fn write_policy(value: &str) -> Option<WritePolicy> {
    let value = value.to_ascii_lowercase();
    if value.contains("write-through") || value.starts_with("disabled") || value.starts_with("off")
    {
        Some(WritePolicy::Through)
    } else if value.contains("when protected") {
        Some(WritePolicy::Back)
    } else if value.contains("write-back") || value.starts_with("on") {
        Some(WritePolicy::AlwaysBack)
    } else {
        None
    }
}

fn drive(card: &mut Card, name: &str, value: At<String>) {
    let Some(drive) = card.drives.last_mut() else { return };
    match name {
        "Reported Location" => drive.slot = value.value,
        "SSD" => {
            let media = if value.value == "Yes" { "SSD" } else { "HDD" };
            drive.media = Some(At::new(media.to_string(), value.line));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_write_cache_wording_tells_whether_protection_is_asked_for() {
        assert_eq!(
            write_policy("Enabled (write-back) when protected by battery/ZMM"),
            Some(WritePolicy::Back)
        );
        assert_eq!(write_policy("Enabled (write-back)"), Some(WritePolicy::AlwaysBack));
        assert_eq!(write_policy("Disabled (write-through)"), Some(WritePolicy::Through));
    }
}
