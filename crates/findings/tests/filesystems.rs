//! File systems without ZFS beside pools and beside each other: their drives count as a pool's do.

mod synthetic;

use findings::analyse;
use findings::schema::*;
use lab::campaign::{AllocationClass, DriveRef, Layout, MdLevel, Stack, Variant};
use measurement::{Perturbation, Trial};
use std::collections::BTreeMap;
use synthetic::*;

/// ext4 on `n` drives of a kind: an array, or one drive.
fn ext4_on(name: &str, kind: &str, n: u32) -> Variant {
    let mut variant = variant(false, false);
    variant.name = name.into();
    variant.levels.clear();
    variant.pool.vdevs.clear();
    variant.pool.ashift = None;
    variant.datasets.clear();
    variant.stack = ext4((n > 1).then_some(MdLevel::Raid10));
    let Stack::Filesystem(on_drives) = &mut variant.stack else { unreachable!() };
    on_drives.drives = (0..n).map(|index| DriveRef { kind: kind.into(), index }).collect();
    variant
}

/// A pool of two mirrors of the same kind.
fn mirrors(kind: &str) -> Variant {
    let mut variant = variant(false, false);
    variant.name = "zfs".into();
    variant.levels.clear();
    variant.pool.vdevs = vec![vdev(AllocationClass::Normal, Layout::Mirror, kind, 4)];
    variant
}

/// Their trials, each at its rate.
fn at(variants: &[Variant], rates: &[f64]) -> Vec<Trial> {
    let truths: Vec<_> = variants.iter().zip(rates).map(|(v, r)| (v, Truth::flat(*r))).collect();
    trials(&truths, 4, 0.003)
}

#[test]
fn the_drives_of_a_file_system_are_counted_and_the_one_with_fewer_is_enough() {
    let variants = vec![ext4_on("array", "nvme", 4), ext4_on("drive", "nvme", 1), mirrors("nvme")];
    let all = at(&variants, &[4300.0, 4290.0, 640.0]);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let drives: Vec<u32> = findings.variants.iter().map(|v| v.drives).collect();
    assert_eq!(drives, [4, 1, 4]);
    let [enough] = findings.adequate.as_slice() else { panic!("{:?}", findings.adequate) };
    assert_eq!((enough.enough.as_str(), enough.drives), ("drive", (1, 4)));
}

#[test]
fn an_array_is_not_smaller_than_a_pool_of_as_many_drives() {
    let variants = vec![mirrors("nvme"), ext4_on("array", "nvme", 4)];
    let all = at(&variants, &[4300.0, 4290.0]);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    assert!(findings.adequate.is_empty(), "{:?}", findings.adequate);
}

#[test]
fn a_drive_that_lies_about_flushes_is_a_risk_under_a_file_system_too() {
    let risks = |flush: &str| {
        let mut variant = ext4_on("array", "hdd", 4);
        variant.drives.get_mut("hdd").unwrap().numbers =
            numbers("hdd-7200-16t", |numbers| numbers["flush"] = flush.into());
        analyse(&campaign(vec![variant], SYNC_JOB), &model(), &[]).variants[0].durability.clone()
    };
    assert_eq!(risks("lies"), [DurabilityRisk::LyingFlush { kinds: vec!["hdd".into()] }]);
    assert_eq!(risks("honest"), []);
}

#[test]
fn a_file_system_that_was_not_run_again_with_its_changed_drive_gives_no_point() {
    let variants = vec![mirrors("nvme"), ext4_on("array", "nvme", 4)];
    let mut all = at(&variants, &[640.0, 4300.0]);
    let again = |variant: &str, rate: f64| Trial {
        rerun: Some(Perturbation {
            drive: "nvme".into(),
            parameter: "flash.flush_us".into(),
            factor: 2.0,
        }),
        key: format!("again {variant}"),
        ..trial(variant, 0, measured(&Truth::flat(rate)))
    };
    let points = |all: &[Trial]| {
        let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), all);
        findings.verdicts[0].sensitivity.iter().map(|s| s.points.len()).sum::<usize>()
    };
    all.push(again("zfs", 320.0));
    assert_eq!(points(&all), 0, "the array is the one with the stated drive");
    all.push(again("array", 4000.0));
    assert_eq!(points(&all), 1);
}

#[test]
fn open_numbers_of_the_drives_under_a_file_system_are_counted() {
    let mut variant = ext4_on("drive", "nvme", 1);
    variant.drives.get_mut("nvme").unwrap().numbers = serde_json::json!({
        "flash": { "flush_us": { "value": 10.0, "source": "estimate" } }
    });
    let findings = analyse(&campaign(vec![variant], SYNC_JOB), &model(), &[]);
    let [open] = findings.scale.open_numbers.as_slice() else {
        panic!("{:?}", findings.scale.open_numbers);
    };
    assert_eq!((open.kind.as_str(), open.all, open.open), ("nvme", 1, 1));
}

fn subjects(variants: [Variant; 2]) -> Vec<Subject> {
    let findings = analyse(&campaign(variants.into(), SYNC_JOB), &model(), &[]);
    findings.factors[0].subjects.clone()
}

#[test]
fn file_systems_that_differ_in_a_drive_differ_in_nothing_else() {
    let mut other = ext4_on("slower", "nvme", 1);
    other.drives.get_mut("nvme").unwrap().numbers["write_cache"] = false.into();
    let found = subjects([ext4_on("drive", "nvme", 1), other]);
    assert_eq!(found, [Subject::Drive { kind: "nvme".into() }]);
}

#[test]
fn settings_of_a_server_are_among_what_differs() {
    let mut tuned = mirrors("nvme");
    tuned.name = "tuned".into();
    let set = |variant: &mut Variant| {
        let settings = BTreeMap::from([("full_page_writes".to_owned(), "off".to_owned())]);
        variant.servers.insert("postgresql".into(), settings);
    };
    set(&mut tuned);
    let server = Subject::Server { name: "full_page_writes".into() };
    assert_eq!(subjects([mirrors("nvme"), tuned.clone()]), std::slice::from_ref(&server));
    tuned.datasets.entry(String::new()).or_default().insert("atime".into(), "off".into());
    let found = subjects([mirrors("nvme"), tuned]);
    assert!(found.len() == 2 && found.contains(&server), "{found:?}");
}

#[test]
fn a_pool_and_a_file_system_differ_in_their_stack_and_not_in_a_layout() {
    let mut with_log = mirrors("nvme");
    with_log.pool.vdevs.push(vdev(AllocationClass::Log, Layout::Single, "optane", 1));
    assert_eq!(subjects([mirrors("nvme"), ext4_on("array", "nvme", 4)]), [Subject::Stack]);
    assert_eq!(
        subjects([ext4_on("array", "nvme", 4), with_log]),
        [Subject::Log, Subject::Stack],
        "a log is one more thing"
    );
    assert_eq!(
        subjects([ext4_on("array", "nvme", 4), ext4_on("drive", "nvme", 1)]),
        [Subject::Stack]
    );
}

#[test]
fn a_volume_of_a_card_has_the_redundancy_of_its_level() {
    let risks = |level: &str| {
        let mut variant = mirrors("nvme");
        variant.pool.vdevs = vec![vdev(AllocationClass::Normal, Layout::Single, "nvme", 1)];
        let profile = lab::Profiles::builtin().get("raid10-4x-r5-h755").unwrap().unwrap();
        let kind = variant.drives.get_mut("nvme").unwrap();
        kind.numbers = serde_json::to_value(profile).unwrap();
        kind.numbers["card"]["level"] = level.into();
        analyse(&campaign(vec![variant], SYNC_JOB), &model(), &[]).variants[0].durability.clone()
    };
    assert!(!risks("raid10").contains(&DurabilityRisk::NoRedundancy));
    assert!(risks("raid0").contains(&DurabilityRisk::NoRedundancy));
}
