//! Factors: what differs between variants, found by comparing them and never by their names.

use crate::schema::{Factor, Subject};
use lab::campaign::{AllocationClass, Campaign, Variant, Vdev};
use std::collections::{BTreeMap, BTreeSet};

/// A pair of variants that differ in exactly one factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    pub factor: &'a str,
    /// Level of the first.
    pub level: &'a str,
    /// Level of the second, the baseline's.
    pub against: &'a str,
    /// The numerator.
    pub variant: &'a Variant,
    /// The denominator.
    pub baseline: &'a Variant,
    /// Levels of the other factors.
    pub context: BTreeMap<String, String>,
}

/// The variant the others are held against: the one the method names, or the first.
pub fn baseline(campaign: &Campaign) -> Option<&Variant> {
    let named = campaign.variants.iter().find(|v| v.name == campaign.method.baseline);
    named.or(campaign.variants.first())
}

/// Every pair that differs in one factor only, with the baseline's level in the denominator. A variant
/// outside the factorial is a factor of its own, held against the baseline.
pub fn pairs(campaign: &Campaign) -> Vec<Pair<'_>> {
    let Some(base) = baseline(campaign) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for variant in &campaign.variants {
        if variant.name == base.name {
            continue;
        }
        // Of a baseline outside the factorial no variant of it is one factor away.
        if variant.levels.is_empty() || base.levels.is_empty() {
            pairs.push(Pair {
                factor: &variant.name,
                level: &variant.name,
                against: &base.name,
                variant,
                baseline: base,
                context: BTreeMap::new(),
            });
            continue;
        }
        for other in &campaign.variants {
            let Some(factor) = one_difference(&variant.levels, &other.levels) else {
                continue;
            };
            if base.levels.get(factor) != other.levels.get(factor) {
                continue;
            }
            let mut context = variant.levels.clone();
            context.remove(factor);
            pairs.push(Pair {
                factor,
                level: &variant.levels[factor],
                against: &other.levels[factor],
                variant,
                baseline: other,
                context,
            });
        }
    }
    pairs
}

/// The one factor in which two sets of levels differ.
fn one_difference<'a>(
    a: &'a BTreeMap<String, String>,
    b: &BTreeMap<String, String>,
) -> Option<&'a str> {
    if a.len() != b.len() || a.keys().ne(b.keys()) {
        return None;
    }
    let mut differing = a.iter().filter(|(key, level)| b[*key] != **level);
    let (factor, _) = differing.next()?;
    differing.next().is_none().then_some(factor.as_str())
}

/// Every factor with its levels and what it changes.
pub fn factors(campaign: &Campaign) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for pair in pairs(campaign) {
        let found = subjects(pair.baseline, pair.variant);
        match factors.iter_mut().find(|f| f.name == pair.factor) {
            Some(factor) => {
                if !factor.levels.iter().any(|l| l == pair.level) {
                    factor.levels.push(pair.level.to_owned());
                }
                let all: BTreeSet<Subject> = factor.subjects.drain(..).chain(found).collect();
                factor.subjects = all.into_iter().collect();
            }
            None => factors.push(Factor {
                name: pair.factor.to_owned(),
                levels: vec![pair.against.to_owned(), pair.level.to_owned()],
                subjects: found,
            }),
        }
    }
    factors
}

/// What differs between two variants.
pub fn subjects(a: &Variant, b: &Variant) -> Vec<Subject> {
    let mut found = BTreeSet::new();
    for (class, subject) in [
        (AllocationClass::Normal, Subject::Layout),
        (AllocationClass::Log, Subject::Log),
        (AllocationClass::Cache, Subject::Cache),
        (AllocationClass::Special, Subject::Special),
        (AllocationClass::Dedup, Subject::Dedup),
        (AllocationClass::Spare, Subject::Spare),
    ] {
        if vdevs(a, class) != vdevs(b, class) {
            found.insert(subject);
        }
    }
    if a.stack != b.stack {
        found.insert(Subject::Stack);
    }
    // Of a pool and a file system without one, the stack says what the data vdevs and their properties would.
    if a.is_zfs() == b.is_zfs() {
        found.extend(settings(a, b));
    } else {
        found.remove(&Subject::Layout);
    }
    let none = BTreeMap::new();
    let servers: BTreeSet<&String> = a.servers.keys().chain(b.servers.keys()).collect();
    for server in servers {
        let of = |v: &'_ Variant| v.servers.get(server).unwrap_or(&none).clone();
        found.extend(differing(&of(a), &of(b)).into_iter().map(|name| Subject::Server { name }));
    }
    if a.memory != b.memory {
        found.insert(Subject::Memory);
    }
    if a.openzfs != b.openzfs {
        found.insert(Subject::OpenZfs);
    }
    // A drive counts where both use its kind: a kind that comes with a log is the log's.
    let used =
        |v: &Variant| -> BTreeSet<String> { v.used_drives().map(|d| d.kind.clone()).collect() };
    for kind in used(a).intersection(&used(b)) {
        let numbers =
            |v: &Variant| v.drives.get(kind).map(|d| (d.profile.clone(), d.numbers.clone()));
        if numbers(a) != numbers(b) {
            found.insert(Subject::Drive { kind: kind.clone() });
        }
    }
    found.into_iter().collect()
}

/// What differs between the settings of two pools, their datasets and their module.
fn settings(a: &Variant, b: &Variant) -> BTreeSet<Subject> {
    let mut found = BTreeSet::new();
    if a.pool.ashift != b.pool.ashift {
        found.insert(Subject::Ashift);
    }
    let pool = differing(&a.pool.properties, &b.pool.properties).into_iter();
    found.extend(pool.map(|name| Subject::PoolProperty { name }));
    let module = differing(&a.module, &b.module).into_iter();
    found.extend(module.map(|name| Subject::Module { name }));
    let datasets: BTreeSet<&String> = a.datasets.keys().chain(b.datasets.keys()).collect();
    let none = BTreeMap::new();
    for dataset in datasets {
        let properties = |v: &'_ Variant| v.datasets.get(dataset).unwrap_or(&none).clone();
        for name in differing(&properties(a), &properties(b)) {
            found.insert(Subject::Property { dataset: dataset.clone(), name });
        }
    }
    found
}

fn vdevs(variant: &Variant, class: AllocationClass) -> Vec<&Vdev> {
    variant.pool.of_class(class).collect()
}

fn differing<V: PartialEq>(a: &BTreeMap<String, V>, b: &BTreeMap<String, V>) -> Vec<String> {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    keys.into_iter().filter(|key| a.get(*key) != b.get(*key)).cloned().collect()
}
