//! `storcli … J` and `perccli … J` (Broadcom and Dell), `show`, `show all`, of any object.

use crate::card::{Card, CardDrive, Volume, WritePolicy};
use crate::json::{Value, documents};
use crate::units::binary;
use crate::{At, Parsed, Problem, excerpt, fill, find_or_push, nothing_found};

/// The cards in one or more storcli documents; documents about the same controller are joined.
pub fn parse(text: &str) -> Parsed<Vec<Card>> {
    let (found, mut problems, _) = documents(text);
    let mut cards: Vec<Card> = Vec::new();
    let mut known = false;
    for controller in found.iter().flat_map(|document| document.items_at(&["Controllers"])) {
        known = true;
        let id = controller.text_at(&["Command Status", "Controller"]);
        let id = id.map_or_else(|| "0".to_string(), |id| id.value);
        failed(controller, &mut problems);
        let Some(data) = controller.get("Response Data") else {
            let what = format!("controller {} has no \"Response Data\"", excerpt(&id));
            problems.push(Problem::new(controller.line, what));
            continue;
        };
        let new = || Card { id: id.clone(), ..Card::default() };
        add(find_or_push(&mut cards, |card| card.id == id, new), data);
    }
    if !known {
        problems.push(nothing_found(text, "storcli or perccli JSON"));
    }
    Parsed { facts: cards, problems }
}

fn failed(controller: &Value, problems: &mut Vec<Problem>) {
    let status = controller.text_at(&["Command Status", "Status"]);
    if let Some(word) = status.filter(|word| word.value != "Success") {
        let why = controller.text_at(&["Command Status", "Description"]);
        let why = why.as_ref().map_or("no reason given", At::text);
        let what = format!("the command did not succeed: {}", excerpt(why));
        problems.push(Problem::new(word.line, what));
    }
}

fn add(card: &mut Card, data: &Value) {
    fill(&mut card.model, data.text_at(&["Basics", "Model"]));
    fill(&mut card.model, data.text_at(&["Product Name"]));
    for list in ["Cachevault_Info", "BBU_Info", "Energy Pack Info"] {
        for unit in data.items_at(&[list]) {
            fill(&mut card.battery, unit.text_at(&["State"]));
            // `/c0/cv show all J` lists properties as rows.
            let state = unit.text_at(&["Property"]).filter(|p| p.value == "State");
            fill(&mut card.battery, state.and_then(|_| unit.text_at(&["Value"])));
        }
    }
    let absent = data.text_at(&["HwCfg", "BBU"]).filter(|unit| unit.value == "Absent");
    fill(&mut card.battery, absent.map(|unit| unit.map(|_| "Not present".to_string())));
    for (name, value) in data.members() {
        for row in value.items() {
            if name == "VD LIST" || name == "Virtual Drives" || is_volume(name) {
                volume(card, row);
            } else if is_drives(name) {
                drive(card, row);
            }
        }
        if let Some(id) = name.strip_prefix("VD").and_then(|rest| rest.strip_suffix(" Properties"))
        {
            properties(card, id, value);
        }
    }
}

/// `/c0/v3`.
fn is_volume(name: &str) -> bool {
    name.strip_prefix("/c")
        .and_then(|rest| rest.split_once("/v"))
        .is_some_and(|(c, v)| [c, v].iter().all(|n| n.bytes().all(|b| b.is_ascii_digit())))
}

/// Lists of drives, and the objects of single ones.
fn is_drives(name: &str) -> bool {
    matches!(name, "PD LIST" | "Drive Information")
        || name.starts_with("PDs for VD")
        || name.starts_with("Drive /c")
}

fn by_id<'a>(card: &'a mut Card, id: &str, line: u32) -> &'a mut Volume {
    let new = || Volume { line, id: id.to_string(), ..Volume::default() };
    find_or_push(&mut card.volumes, |volume| volume.id == id, new)
}

fn volume(card: &mut Card, row: &Value) {
    let Some(number) = row.text_at(&["DG/VD"]).or_else(|| row.text_at(&["VD"])) else { return };
    let volume = by_id(card, number.value.rsplit('/').next().unwrap_or(""), row.line);
    fill(&mut volume.level, row.text_at(&["TYPE"]));
    fill(&mut volume.state, row.text_at(&["State"]));
    if let Some(cache) = row.text_at(&["Cache"]) {
        let (ahead, write) = policy(&cache.value);
        fill(&mut volume.write, write.map(|w| At::new(w, cache.line)));
        fill(&mut volume.read_ahead, ahead.map(|a| At::new(a, cache.line)));
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
    let policies = [
        ("WT", WritePolicy::Through),
        ("WB", WritePolicy::Back),
        ("AWB", WritePolicy::AlwaysBack),
        ("FWB", WritePolicy::AlwaysBack),
    ];
    let write = policies.into_iter().find(|(flag, _)| rest.starts_with(flag));
    (ahead, write.map(|(_, write)| write))
}

fn properties(card: &mut Card, id: &str, value: &Value) {
    let volume = by_id(card, id, value.line);
    // Units are binary although written `KB`.
    fill(&mut volume.strip, value.text_at(&["Strip Size"]).and_then(|size| size.read(binary)));
    fill(&mut volume.drive_cache, value.text_at(&["Disk Cache Policy"]));
    let initial = value.text_at(&["Write Cache(initial setting)"]);
    fill(&mut volume.write, initial.and_then(|word| word.read(write_policy)));
}

fn write_policy(word: &str) -> Option<WritePolicy> {
    match word {
        "WriteThrough" => Some(WritePolicy::Through),
        "WriteBack" => Some(WritePolicy::Back),
        "AlwaysWriteBack" | "Always Write Back" | "Force Write Back" => {
            Some(WritePolicy::AlwaysBack)
        }
        _ => None,
    }
}

fn drive(card: &mut Card, row: &Value) {
    if let Some(At { value: slot, .. }) = row.text_at(&["EID:Slt"]) {
        let new = || CardDrive { slot: slot.clone(), media: row.text_at(&["Med"]) };
        find_or_push(&mut card.drives, |drive| drive.slot == slot, new);
    }
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
