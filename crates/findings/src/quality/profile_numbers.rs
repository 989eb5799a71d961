//! What a drive profile says of its own numbers: how sure they are, and how far they may be off.

use crate::schema::OpenNumbers;
use lab::campaign::{Campaign, DriveKind, Variant};
use serde_json::Value;
use std::collections::BTreeMap;

/// Words with which profiles say where a number does not come from a measurement.
const GUESSED: [&str; 3] = ["estimate", "fitted", "from memory"];

/// The drives that a campaign uses, by kind and profile.
pub fn used_kinds(campaign: &Campaign) -> BTreeMap<(&str, &str), &DriveKind> {
    let mut kinds = BTreeMap::new();
    for variant in &campaign.variants {
        for drive in variant.used_drives() {
            if let Some(kind) = variant.drives.get(&drive.kind) {
                kinds.insert((drive.kind.as_str(), kind.profile.as_str()), kind);
            }
        }
    }
    kinds
}

/// The profiles of the drives that a campaign uses, by kind: how many of their numbers are open.
pub fn open(campaign: &Campaign) -> Vec<OpenNumbers> {
    used_kinds(campaign)
        .into_iter()
        .map(|((kind, profile), drive)| {
            let mut found = Vec::new();
            gather(&drive.numbers, &mut found);
            OpenNumbers {
                kind: kind.to_owned(),
                profile: profile.to_owned(),
                all: found.len() as u32,
                open: found.iter().filter(|n| is_open(n)).count() as u32,
            }
        })
        .filter(|open| open.all > 0)
        .collect()
}

/// Every `{ value, source, … }` of a profile.
fn gather<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    if let Some(table) = value.as_object() {
        if table.get("value").is_some_and(Value::is_number) {
            found.push(value);
        } else {
            table.values().for_each(|inner| gather(inner, found));
        }
    }
}

fn is_open(number: &Value) -> bool {
    let source = number.get("source").and_then(Value::as_str).unwrap_or("");
    bounds(number).is_some_and(|(low, value, high)| low < value || value < high)
        || GUESSED.iter().any(|word| source.contains(word))
}

/// Low end, value, high end; an end that is not given is the value.
fn bounds(number: &Value) -> Option<(f64, f64, f64)> {
    let get = |key: &str| number.get(key).and_then(Value::as_f64);
    let value = get("value")?;
    Some((get("low").unwrap_or(value), value, get("high").unwrap_or(value)))
}

/// The range that a kind's profile states for a number (`flash.flush_us`), as multiples of its value; none
/// where it states none.
pub fn stated_range(variant: &Variant, kind: &str, parameter: &str) -> Option<(f64, f64)> {
    let pointer = format!("/{}", parameter.replace('.', "/"));
    let number = variant.drives.get(kind)?.numbers.pointer(&pointer)?;
    let (low, value, high) = bounds(number)?;
    (value > 0.0 && low < high).then(|| (low / value, high / value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_open_when_it_has_a_range_or_is_said_to_be_a_guess() {
        let open = |number: Value| is_open(&number);
        assert!(open(json!({ "value": 10, "low": 5, "high": 30, "source": "data sheet" })));
        assert!(open(json!({ "value": 10, "source": "estimate: as the P4800X" })));
        assert!(!open(json!({ "value": 10, "source": "data sheet" })));
        assert!(!open(json!({ "value": 10, "low": 10, "high": 10 })));
    }

    #[test]
    fn numbers_are_found_at_any_depth() {
        let profile = json!({ "kind": "flash", "capacity": { "value": 1 },
            "flash": { "flush_us": { "value": 2 }, "deeper": { "x": { "value": 3 } } } });
        let mut found = Vec::new();
        gather(&profile, &mut found);
        assert_eq!(found.len(), 3);
    }
}
