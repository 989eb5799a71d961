//! `storcli … J` and `perccli … J` (Broadcom and Dell), `show`, `show all`, of any object.

use crate::card::{Card, CardDrive, Volume, WritePolicy};
use crate::json::{Value, documents};
use crate::units::binary;
use crate::{At, Parsed, Problem, excerpt, nothing_found};

/// The cards in one or more storcli documents; documents about the same controller are joined.
pub fn parse(text: &str) -> Parsed<Vec<Card>> {
    let (found, mut problems) = documents(text);
    let mut cards: Vec<Card> = Vec::new();
    let mut known = false;
    for controller in
        found.iter().filter_map(|document| document.get("Controllers")).flat_map(Value::items)
    {
        known = true;
        let status = controller.get("Command Status");
        let id = status
            .and_then(|s| s.get("Controller"))
            .and_then(Value::text)
            .map_or_else(|| "0".to_string(), |id| id.value);
        failed(status, &mut problems);
        let Some(data) = controller.get("Response Data") else {
            problems.push(Problem::new(
                controller.line,
                format!("controller {} has no \"Response Data\"", excerpt(&id)),
            ));
            continue;
        };
        let at = match cards.iter().position(|card| card.id == id) {
            Some(at) => at,
            None => {
                cards.push(Card { id, ..Card::default() });
                cards.len() - 1
            }
        };
        if let Some(card) = cards.get_mut(at) {
            fill(card, data);
        }
    }
    if !known {
        problems.push(nothing_found(text, "storcli or perccli JSON"));
    }
    Parsed { facts: cards, problems }
}

fn failed(status: Option<&Value>, problems: &mut Vec<Problem>) {
    let Some(word) = status.and_then(|s| s.get("Status")).and_then(Value::text) else {
        return;
    };
    if word.value != "Success" {
        let why = status.and_then(|s| s.get("Description")).and_then(Value::text);
        problems.push(Problem::new(
            word.line,
            format!(
                "the command did not succeed: {}",
                excerpt(why.as_ref().map_or("no reason given", |w| &w.value))
            ),
        ));
    }
}

fn text(value: &Value, path: &[&str]) -> Option<At<String>> {
    value.at(path).and_then(Value::text)
}

fn fill(card: &mut Card, data: &Value) {
    set(&mut card.model, text(data, &["Basics", "Model"]));
    set(&mut card.model, text(data, &["Product Name"]));
    for list in ["Cachevault_Info", "BBU_Info", "Energy Pack Info"] {
        for unit in data.get(list).map_or(&[][..], Value::items) {
            set(&mut card.battery, text(unit, &["State"]));
            // `/c0/cv show all J` lists properties as rows.
            let state = text(unit, &["Property"]).filter(|p| p.value == "State");
            set(&mut card.battery, state.and_then(|_| text(unit, &["Value"])));
        }
    }
    if data.at(&["HwCfg", "BBU"]).and_then(Value::text).is_some_and(|t| t.value == "Absent") {
        let line = data.at(&["HwCfg", "BBU"]).map_or(0, |v| v.line);
        set(&mut card.battery, Some(At::new("Not present".to_string(), line)));
    }
    for (name, value) in data.members() {
        match value.items() {
            rows if name == "VD LIST" || name == "Virtual Drives" || is_volume(name) => {
                for row in rows {
                    volume(card, row);
                }
            }
            rows if name == "PD LIST"
                || name.starts_with("PDs for VD")
                || name == "Drive Information"
                || (name.starts_with("Drive /c") && !rows.is_empty()) =>
            {
                for row in rows {
                    drive(card, row);
                }
            }
            _ => {}
        }
        if let Some(id) = name.strip_prefix("VD").and_then(|rest| rest.strip_suffix(" Properties"))
        {
            properties(card, id, value);
        }
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}

/// `/c0/v3`.
fn is_volume(name: &str) -> bool {
    name.strip_prefix("/c")
        .and_then(|rest| rest.split_once("/v"))
        .is_some_and(|(c, v)| [c, v].iter().all(|n| n.bytes().all(|b| b.is_ascii_digit())))
}

fn by_id<'a>(card: &'a mut Card, id: &str, line: u32) -> Option<&'a mut Volume> {
    if !card.volumes.iter().any(|volume| volume.id == id) {
        card.volumes.push(Volume { line, id: id.to_string(), ..Volume::default() });
    }
    card.volumes.iter_mut().find(|volume| volume.id == id)
}

fn volume(card: &mut Card, row: &Value) {
    let Some(number) = text(row, &["DG/VD"]).or_else(|| text(row, &["VD"])) else {
        return;
    };
    let id = number.value.rsplit('/').next().unwrap_or("").to_string();
    let Some(volume) = by_id(card, &id, row.line) else {
        return;
    };
    set(&mut volume.level, text(row, &["TYPE"]));
    set(&mut volume.state, text(row, &["State"]));
    if let Some(cache) = text(row, &["Cache"]) {
        let (ahead, write) = policy(&cache.value);
        set(&mut volume.write, write.map(|w| At::new(w, cache.line)));
        set(&mut volume.read_ahead, ahead.map(|a| At::new(a, cache.line)));
    }
}

/// `NRWTD`: (N)R = (no) read-ahead, then WT, WB, AWB or FWB, then D (direct) or C (cached).
fn policy(cache: &str) -> (Option<bool>, Option<WritePolicy>) {
    let (ahead, rest) = if let Some(rest) = cache.strip_prefix("NR") {
        (Some(false), rest)
    } else if let Some(rest) = cache.strip_prefix('R') {
        (Some(true), rest)
    } else {
        (None, cache)
    };
    let write = if rest.starts_with("WT") {
        Some(WritePolicy::Through)
    } else if rest.starts_with("WB") {
        Some(WritePolicy::Back)
    } else if rest.starts_with("AWB") || rest.starts_with("FWB") {
        Some(WritePolicy::AlwaysBack)
    } else {
        None
    };
    (ahead, write)
}

fn properties(card: &mut Card, id: &str, value: &Value) {
    let Some(volume) = by_id(card, id, value.line) else {
        return;
    };
    // Units are binary although written `KB`.
    let strip = text(value, &["Strip Size"]);
    let strip = strip.and_then(|t| binary(&t.value).map(|bytes| At::new(bytes, t.line)));
    set(&mut volume.strip, strip);
    set(&mut volume.drive_cache, text(value, &["Disk Cache Policy"]));
    let initial = text(value, &["Write Cache(initial setting)"]);
    set(
        &mut volume.write,
        initial.and_then(|word| {
            let policy = match word.value.as_str() {
                "WriteThrough" => WritePolicy::Through,
                "WriteBack" => WritePolicy::Back,
                "AlwaysWriteBack" | "Always Write Back" | "Force Write Back" => {
                    WritePolicy::AlwaysBack
                }
                _ => return None,
            };
            Some(At::new(policy, word.line))
        }),
    );
}

fn drive(card: &mut Card, row: &Value) {
    let Some(slot) = text(row, &["EID:Slt"]) else {
        return;
    };
    if card.drives.iter().any(|drive| drive.slot == slot.value) {
        return;
    }
    card.drives.push(CardDrive { slot: slot.value, media: text(row, &["Med"]) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_column_is_read_flag_by_flag() {
        assert_eq!(policy("NRWTD"), (Some(false), Some(WritePolicy::Through)));
        assert_eq!(policy("RWBD"), (Some(true), Some(WritePolicy::Back)));
        assert_eq!(policy("RAWBC"), (Some(true), Some(WritePolicy::AlwaysBack)));
        assert_eq!(policy("-"), (None, None));
    }

    #[test]
    fn only_volume_paths_are_volumes() {
        assert!(is_volume("/c0/v12"));
        assert!(!is_volume("/c0/e252/s1"));
        assert!(!is_volume("/c0/vall"));
    }
}
