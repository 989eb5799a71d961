//! What a configuration risks that the words "synchronous write" do not say.

use crate::cells::Group;
use crate::schema::DurabilityRisk;
use lab::campaign::{AllocationClass, DriveKind, DriveRef, Layout, MdLevel, Stack, Variant, Vdev};
use lab::durability::Durability;
use std::collections::BTreeSet;

/// The risks of a variant, the worst first.
pub fn risks(variant: &Variant) -> Vec<DurabilityRisk> {
    let mut risks = Vec::new();
    let disabled: Vec<String> = variant
        .datasets
        .iter()
        .filter(|(_, properties)| properties.get("sync").is_some_and(|v| v == "disabled"))
        .map(|(dataset, _)| dataset.clone())
        .collect();
    if !disabled.is_empty() {
        risks.push(DurabilityRisk::SyncDisabled { datasets: disabled });
    }
    let emptied = kinds(variant, volatile);
    if variant.module.get("zfs_nocacheflush").is_some_and(|v| *v != 0) && !emptied.is_empty() {
        risks.push(DurabilityRisk::NoCacheFlush { kinds: emptied });
    }
    let lying = kinds(variant, |numbers| {
        volatile(numbers) && numbers.get("flush").and_then(|v| v.as_str()) == Some("lies")
    });
    if !lying.is_empty() {
        risks.push(DurabilityRisk::LyingFlush { kinds: lying });
    }
    let vdevs =
        |class: AllocationClass| variant.pool.vdevs.iter().filter(move |v| v.class == class);
    let bare = |vdev: &&Vdev| vdev.layout == Layout::Single;
    let data_is_bare = vdevs(AllocationClass::Normal).any(|v| bare(&v));
    if vdevs(AllocationClass::Log).any(|v| bare(&v)) {
        risks.push(DurabilityRisk::LogNotMirrored);
    }
    let special = || vdevs(AllocationClass::Special).chain(vdevs(AllocationClass::Dedup));
    if !data_is_bare && special().any(|v| bare(&v)) {
        risks.push(DurabilityRisk::SpecialNotRedundant);
    }
    if data_is_bare {
        risks.push(DurabilityRisk::NoRedundancy);
    }
    if let Stack::Filesystem(on_drives) = &variant.stack
        && matches!(on_drives.level, None | Some(MdLevel::Raid0))
    {
        risks.push(DurabilityRisk::FilesystemNotRedundant);
    }
    risks
}

/// What a power cut alone can cost in a cell.
pub fn after_power_cut(group: &Group<'_>) -> Durability {
    lab::durability::assess(group.variant, group.workload).durability
}

/// Whether a power cut alone can cost the two cells of a pair different things.
pub fn differs(top: &Group<'_>, bottom: &Group<'_>) -> bool {
    !after_power_cut(top).same_class(after_power_cut(bottom))
}

/// Kinds of the drives that hold data or log and pass a test.
fn kinds(variant: &Variant, test: impl Fn(&serde_json::Value) -> bool) -> Vec<String> {
    let holds_none = |class| matches!(class, AllocationClass::Cache | AllocationClass::Spare);
    let vdevs = variant.pool.vdevs.iter().filter(|vdev| holds_none(vdev.class));
    let without: Vec<&DriveRef> = vdevs.flat_map(|vdev| &vdev.drives).collect();
    let used: BTreeSet<&String> = variant
        .used_drives()
        .filter(|drive| !without.contains(drive))
        .map(|drive| &drive.kind)
        .collect();
    used.into_iter()
        .filter(|kind| {
            variant.drives.get(*kind).is_some_and(|DriveKind { numbers, .. }| test(numbers))
        })
        .cloned()
        .collect()
}

/// A write cache that a power cut empties; of a card that writes through, its members'.
fn volatile(numbers: &serde_json::Value) -> bool {
    let is = |key: &str| numbers.get(key).and_then(serde_json::Value::as_bool) == Some(true);
    match numbers.pointer("/card/member") {
        Some(member) if !is("write_cache") => volatile(member),
        _ => is("write_cache") && !is("power_loss_protection"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_card_that_writes_through_is_as_volatile_as_its_members() {
        let card = |write_cache: bool| {
            json!({
                "write_cache": write_cache,
                "power_loss_protection": true,
                "card": { "member": { "write_cache": true, "power_loss_protection": false } },
            })
        };
        assert!(volatile(&card(false)));
        assert!(!volatile(&card(true)));
    }
}
