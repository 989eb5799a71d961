//! The drives of a lab or a profile as the planner sees them.

use ::drives::{Profile, TimingModel};
use lab::campaign::{AllocationClass, Campaign, DriveKind, Variant};
use plan::assess::{Assessment, Options, assess};
use plan::drive::{Drive, Drives, from_class};
use plan::layout::{Layout, Scheme};
use std::collections::BTreeMap;

const ON_CARD: &str =
    "is a volume of a RAID card, which hides the layout: name the drives behind it";

/// The drives of the normal class of a lab's baseline.
pub fn from_lab(campaign: &Campaign) -> Result<Vec<Drives>, String> {
    let Some(baseline) = campaign.variants.first() else {
        return Err(format!("{} has no variant: name the drives with --drives", campaign.name));
    };
    match from_variant(baseline)? {
        found if found.is_empty() => Err(format!(
            "variant {} has no data drive: name the drives with --drives",
            baseline.name
        )),
        found => Ok(found),
    }
}

/// The data drives of a variant.
fn from_variant(variant: &Variant) -> Result<Vec<Drives>, String> {
    // How many of each kind, and the largest ashift that OpenZFS gives a vdev of it.
    let mut counts: BTreeMap<&str, (u32, u8)> = BTreeMap::new();
    for vdev in variant.pool.of_class(AllocationClass::Normal) {
        let ashift = variant.ashift(vdev, variant.pool.ashift);
        for drive in &vdev.drives {
            let (count, largest) = counts.entry(drive.kind.as_str()).or_default();
            *count += 1;
            *largest = ashift.max(*largest);
        }
    }
    let mut out = Vec::new();
    for (kind, (count, ashift)) in counts {
        let Some(numbers) = variant.drives.get(kind) else {
            continue;
        };
        let profile = profile_of(numbers)?;
        if profile.kind == TimingModel::Card {
            return Err(format!("`{kind}` ({}) {ON_CARD} with --drives", numbers.profile));
        }
        let mut drive = from_profile(kind, &profile).ok_or_else(|| {
            format!(
                "drive kind {kind}: its profile has no rates to plan with: name the drives with --drives and state read=, write=, read-iops= and write-iops="
            )
        })?;
        drive.ashift = u32::from(ashift);
        out.push(Drives { count, drive });
    }
    Ok(out)
}

/// Whether some of a variant's data is on volumes of a RAID card.
fn is_on_card(variant: &Variant) -> bool {
    let is_card = |kind: &str| {
        let profile = variant.drives.get(kind).and_then(|numbers| profile_of(numbers).ok());
        profile.is_some_and(|profile| profile.kind == TimingModel::Card)
    };
    let mut data = variant.pool.drives_of_class(AllocationClass::Normal);
    data.any(|drive| is_card(&drive.kind))
}

/// The pools of a lab's variants, each with the name of its variant; those on volumes of a RAID card are left out.
pub fn lab_pools(campaign: &Campaign, options: &Options) -> Result<Vec<Assessment>, String> {
    let pools = campaign.variants.iter().filter(|variant| !is_on_card(variant)).map(|variant| {
        let drives = from_variant(variant)?;
        let mut pool = assess(&layouts(variant, &drives), &drives, options);
        pool.own = vec![variant.name.clone()];
        Ok(pool)
    });
    // A pool without a data vdev of a known drive has nothing to plan.
    let mut pools = pools.collect::<Result<Vec<_>, String>>()?;
    pools.retain(|pool| !pool.parts.is_empty());
    Ok(pools)
}

/// The data vdevs of a variant, those alike together, each with the index of its kind in `drives`;
/// a vdev of several kinds counts as one of its smallest drive. Hot spares go with the first
/// layout of their kind.
fn layouts(variant: &Variant, drives: &[Drives]) -> Vec<(usize, Layout)> {
    let place = |kind: &str| drives.iter().position(|known| known.drive.kind == kind);
    let mut found: Vec<(usize, Layout)> = Vec::new();
    for vdev in variant.pool.of_class(AllocationClass::Normal) {
        let kinds = vdev.drives.iter().filter_map(|drive| place(&drive.kind));
        let Some(kind) = kinds.min_by_key(|at| drives[*at].drive.bytes) else {
            continue;
        };
        let width = vdev.drives.len() as u32;
        let scheme = Scheme::Zfs(vdev.layout);
        let alike = |(other, layout): &&mut (usize, Layout)| {
            *other == kind && layout.scheme == scheme && layout.width == width
        };
        match found.iter_mut().find(alike) {
            Some((_, layout)) => layout.groups += 1,
            None => found.push((kind, Layout { scheme, groups: 1, width, spares: 0 })),
        }
    }
    let spares = variant.pool.drives_of_class(AllocationClass::Spare);
    for kind in spares.filter_map(|drive| place(&drive.kind)) {
        if let Some((_, layout)) = found.iter_mut().find(|(other, _)| *other == kind) {
            layout.spares += 1;
        }
    }
    found
}

/// Bytes of a drive of a kind in a variant.
pub fn capacity(variant: &Variant, kind: &str) -> Option<u64> {
    let profile = profile_of(variant.drives.get(kind)?).ok()?;
    Some(profile.capacity.value as u64)
}

fn profile_of(kind: &DriveKind) -> Result<Profile, String> {
    kind.drive_profile().map_err(|e| format!("profile {} cannot be read: {e}", kind.profile))
}

/// The drive that a built-in profile describes, or why it describes none; none for an unknown name or an unusable
/// profile.
pub fn from_profile_name(name: &str) -> Option<Result<Drive, String>> {
    let profile = lab::Profiles::builtin().get(name)?.ok()?;
    if profile.kind == TimingModel::Card {
        return Some(Err(ON_CARD.to_owned()));
    }
    let stem: String = name.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    from_profile(if stem.is_empty() { "drive" } else { &stem }, &profile).map(Ok)
}

/// The drive of a profile: its rates and times, and its class's failure rate and unrecoverable errors.
fn from_profile(kind: &str, profile: &Profile) -> Option<Drive> {
    let mut drive = from_class(catalogue::class_of(profile)?, profile.capacity.value as u64);
    drive.kind = kind.to_string();
    drive.sector = profile.logical_sector.value as u64;
    let sector = (profile.physical_sector.value as u64).max(512);
    drive.ashift = sector.trailing_zeros().clamp(9, 16);
    if let Some(hdd) = &profile.hdd {
        // The rate falls linearly from the outer to the inner edge.
        let mean = (hdd.rate_outer_mb_s.value + hdd.rate_inner_mb_s.value) / 2.0 * 1e6;
        (drive.read, drive.write) = (mean, mean);
    }
    if let Some(flash) = &profile.flash {
        drive.read = flash.read_mb_s.value * 1e6;
        drive.write = flash.sustained_mb_s.value.min(flash.write_mb_s.value) * 1e6;
        // ZFS keeps at most ten reads outstanding on a leaf.
        let ten = 10.0 / (flash.read_latency_us.value * 1e-6);
        drive.read_iops = ten.min(flash.read_iops.value);
        drive.write_iops = flash.sustained_iops.value.min(flash.write_iops.value);
    }
    let usable = drive.read > 0.0 && drive.write > 0.0 && drive.bytes > 0;
    usable.then_some(drive)
}
