//! What a configuration risks that the words "synchronous write" do not say.

use crate::cells::Group;
use crate::schema::DurabilityRisk;
use lab::campaign::{AllocationClass, Layout, MdLevel, Stack, Variant, Vdev};
use lab::durability::{Durability, unflushed, volatile, volatile_of};
use std::collections::BTreeSet;

/// Classes of vdevs whose cache holds what was acknowledged.
const HOLDS_DATA_OR_LOG: [AllocationClass; 4] = [
    AllocationClass::Normal,
    AllocationClass::Log,
    AllocationClass::Special,
    AllocationClass::Dedup,
];

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
    // Drives under a file system are no vdevs.
    let emptied = match &variant.stack {
        Stack::Zfs => volatile(variant, &HOLDS_DATA_OR_LOG),
        Stack::Filesystem(on_drives) => volatile_of(variant, on_drives.drives.iter()),
    };
    let is_set = |name| variant.is_zfs() && variant.module.get(name).is_some_and(|v| *v != 0);
    if is_set("zfs_nocacheflush") {
        risks.extend(named(&emptied).map(|kinds| DurabilityRisk::NoCacheFlush { kinds }));
    } else if is_set("zil_nocacheflush") {
        let log = volatile(variant, &[variant.log_class()]);
        risks.extend(named(&log).map(|kinds| DurabilityRisk::NoLogFlush { kinds }));
    }
    let lying = named(&unflushed(variant, emptied));
    risks.extend(lying.map(|kinds| DurabilityRisk::LyingFlush { kinds }));
    let bare = |vdev: &&Vdev| {
        vdev.layout == Layout::Single
            && !vdev.drives.iter().any(|drive| variant.is_redundant_volume(drive))
    };
    let pool = &variant.pool;
    let data_is_bare = pool.of_class(AllocationClass::Normal).any(|v| bare(&v));
    let log_is_bare = pool.of_class(AllocationClass::Log).any(|v| bare(&v));
    risks.extend(log_is_bare.then_some(DurabilityRisk::LogNotMirrored));
    let mut special =
        pool.of_class(AllocationClass::Special).chain(pool.of_class(AllocationClass::Dedup));
    let special_is_bare = !data_is_bare && special.any(|v| bare(&v));
    risks.extend(special_is_bare.then_some(DurabilityRisk::SpecialNotRedundant));
    risks.extend(data_is_bare.then_some(DurabilityRisk::NoRedundancy));
    let filesystem_is_bare = match &variant.stack {
        Stack::Zfs => false,
        Stack::Filesystem(on_drives) => matches!(on_drives.level, None | Some(MdLevel::Raid0)),
    };
    risks.extend(filesystem_is_bare.then_some(DurabilityRisk::FilesystemNotRedundant));
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

/// Kinds of drives by their names; none where there is no such kind.
fn named(kinds: &BTreeSet<&str>) -> Option<Vec<String>> {
    (!kinds.is_empty()).then(|| kinds.iter().map(|kind| (*kind).to_owned()).collect())
}
