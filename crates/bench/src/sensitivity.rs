//! Sensitivity re-runs: the cells of a verdict, with one uncertain number of a drive scaled.

use crate::known_trials::KnownTrials;
use crate::plan::cells_of;
use crate::trial_spec::TrialSpec;
use findings::Findings;
use findings::schema::{Effect, PhaseKind, VerdictClass};
use lab::campaign::{AllocationClass, Campaign, DriveRef, Variant};
use lab::model::Model;
use measurement::{Perturbation, TrialKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of a profile that are often uncertain and matter for a vdev's class.
fn parameters(class: AllocationClass) -> &'static [&'static str] {
    match class {
        AllocationClass::Log => {
            &["flash.flush_us", "flash.write_latency_us", "hdd.flush_overhead_ms"]
        }
        AllocationClass::Cache => &["flash.read_latency_us"],
        AllocationClass::Special | AllocationClass::Dedup => {
            &["flash.read_latency_us", "flash.write_latency_us"]
        }
        AllocationClass::Normal => &["flash.flush_us", "hdd.write_ack_ms"],
        AllocationClass::Spare => &[],
    }
}

/// The variant with a number of one kind of drive multiplied; IOPS are raised if they would limit a now
/// shorter latency. None if that kind has no such number.
pub fn perturbed(variant: &Variant, change: &Perturbation) -> Option<Variant> {
    let mut variant = variant.clone();
    let kind = variant.drives.get_mut(&change.drive)?;
    let number = number_at(&mut kind.numbers, &change.parameter)?;
    let stated = stated_number(number)?;
    // As in a lab's long form, a new value replaces the range that was stated with the old one.
    let value = stated * change.factor;
    *number = serde_json::json!(value);
    // At queue depth 1 a drive already does 1 / latency: its IOPS cannot be less.
    if let Some(operation) = change.parameter.strip_suffix("_latency_us") {
        let rate = number_at(&mut kind.numbers, &format!("{operation}_iops"))?;
        let least = 1e6 / value;
        if stated_number(rate)? < least {
            *rate = serde_json::json!(least);
        }
    }
    Some(variant)
}

/// A number of a profile, by its name: `flash.flush_us`.
fn number_at<'a>(numbers: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    let mut parts = name.split('.');
    parts.try_fold(numbers, |inner, part| inner.get_mut(part))
}

/// A number of a profile, in its short or its long form.
fn stated_number(number: &Value) -> Option<f64> {
    let long = || number.get("value").and_then(Value::as_f64);
    number.as_f64().or_else(long)
}

/// Every re-run that the lab asks for, given what is known: for each pair that a decided verdict rests
/// on, each factor and each uncertain number of the drives in which its two variants differ (of those of
/// the log, where they differ in none), both cells as far as they have such drives. A cell without
/// them would give the same result again.
fn wanted(campaign: &Campaign, findings: &Findings) -> Vec<TrialSpec> {
    // By workload, variant, drive, number and factor.
    let mut wanted = BTreeMap::new();
    for effect in findings.effects.iter().filter(|effect| decides(effect, findings)) {
        let Some((pair, workload)) = cells_of(campaign, effect) else {
            continue;
        };
        for (drive, parameter) in uncertain(pair.map(|v| &campaign.variants[v])) {
            for variant in pair {
                for factor in &campaign.method.sensitivity {
                    let (drive, factor) = (drive.clone(), *factor);
                    let order = (workload, variant, drive.clone(), parameter, factor.to_bits());
                    let change = Perturbation { drive, parameter: parameter.to_owned(), factor };
                    let of = &campaign.variants[variant];
                    let has_drive = of.drive_counts().contains_key(&change.drive);
                    if has_drive && perturbed(of, &change).is_some() {
                        let repeat = TrialSpec::repeat(variant, workload, 0);
                        wanted
                            .insert(order, TrialSpec { kind: TrialKind::Rerun(change), ..repeat });
                    }
                }
            }
        }
    }
    wanted.into_values().collect()
}

/// Whether the sustained throughput is decided by an effect, or by the mean over its factor's pairs.
fn decides(effect: &Effect, findings: &Findings) -> bool {
    let decided = |e: &Effect| matches!(e.class, VerdictClass::WorthIt | VerdictClass::Harmful);
    let same_level = |e: &Effect| {
        (&e.factor, &e.level, &e.workload, e.metric)
            == (&effect.factor, &effect.level, &effect.workload, effect.metric)
    };
    let mut means = findings.effects.iter().filter(|e| e.variant.is_none());
    effect.phase != PhaseKind::Burst
        && (decided(effect)
            || means.any(|e| e.phase != PhaseKind::Burst && decided(e) && same_level(e)))
}

/// Kinds of drives and their uncertain numbers on which the difference of two variants may rest.
fn uncertain(pair: [&Variant; 2]) -> Vec<(String, &'static str)> {
    let drive_kinds = |variant: &Variant| -> BTreeSet<(Option<AllocationClass>, String)> {
        let class = |drive: &DriveRef| {
            let mut vdevs = variant.pool.vdevs.iter();
            vdevs.find(|vdev| vdev.drives.contains(drive)).map(|vdev| vdev.class)
        };
        variant.used_drives().map(|drive| (class(drive), drive.kind.clone())).collect()
    };
    let (a, b) = (drive_kinds(pair[0]), drive_kinds(pair[1]));
    let mut kinds: Vec<_> = a.symmetric_difference(&b).cloned().collect();
    if kinds.is_empty() {
        kinds = a.into_iter().filter(|(class, _)| *class == Some(AllocationClass::Log)).collect();
    }
    // The drives of a file system without ZFS hold what data vdevs hold.
    let of_class = |class: Option<AllocationClass>| class.unwrap_or(AllocationClass::Normal);
    kinds
        .into_iter()
        .flat_map(|(class, kind)| {
            parameters(of_class(class)).iter().map(move |p| (kind.clone(), *p))
        })
        .collect()
}

/// The missing re-runs.
pub fn next(campaign: &Campaign, model: &Model, known: &KnownTrials) -> Vec<TrialSpec> {
    if campaign.method.sensitivity.is_empty() {
        return Vec::new();
    }
    let findings = findings::analyse(campaign, model, known.trials());
    let all = wanted(campaign, &findings).into_iter();
    all.filter(|spec| known.trial(spec).is_none()).collect()
}
