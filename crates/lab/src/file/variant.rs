//! A variant: the base's settings with changes applied ([`Settings::apply`]), then checked as a whole
//! ([`Settings::into_variant`]). Which changes make which variant is in `variants.rs`.

use super::context::Context;
use super::property_dependencies;
use super::section::section_of;
use super::settings::{Setting, Settings, Written};
use super::vdevs::{self, LabVdev};
use crate::campaign::{AllocationClass, DriveRef, OpenZfs, Pool, Stack, Variant, Vdev, inherited};
use crate::diagnostic::{Diagnostic, did_you_mean_or};
use crate::model::reserved::{claim, exceeded};
use crate::model::space;
use crate::units::{self, about};
use std::collections::BTreeMap;
use std::ops::Range;
use zfs::property::{MachineEffect, Property, Refused, dataset, pool};
use zfs::{module, vdev};

/// A drive, and where it is named.
pub(super) type Named<'a> = (&'a DriveRef, &'a Range<usize>);

/// Drives, where they are named again, and where first.
type Twice<'a> = (Vec<DriveRef>, &'a Range<usize>, &'a Range<usize>);

impl Settings {
    /// Applies a change: `vdevs` replaces, then `remove` takes out, then `add` puts in; keys replace keys.
    pub fn apply(&mut self, cx: &Context<'_>, change: &Settings) {
        // Vdevs that are replaced take with them what was not understood of them.
        self.broken = change.broken || (self.broken && change.vdevs.is_none());
        self.openzfs = change.openzfs.or(self.openzfs);
        // A variant that states its stack leaves aside what those above it say of another.
        if change.stack.kind.is_some() {
            self.zfs_key = None;
        }
        self.stack.apply(&change.stack);
        self.zfs_key = change.zfs_key.clone().or(self.zfs_key.take());
        self.memory = change.memory.or(self.memory);
        for (server, stated) in &change.servers {
            self.servers.entry(server.clone()).or_default().extend(stated.clone());
        }
        self.drives.extend(change.drives.clone());
        for broken in &change.broken_drives {
            // Its count is no longer that of the kind which it replaces.
            self.drives.remove(broken);
            self.broken_drives.push(broken.clone());
        }
        self.ashift = change.ashift.clone().or(self.ashift.take());
        self.pool_properties.extend(change.pool_properties.clone());
        let vdevs = self.vdevs.get_or_insert_default();
        if let Some(stated) = &change.vdevs {
            vdevs.clone_from(stated);
        }
        for removal in &change.remove {
            vdevs::remove(cx, vdevs, removal, self.broken);
        }
        vdevs.extend(change.add.iter().cloned());
        for (dataset, stated) in &change.datasets {
            self.datasets.entry(dataset.clone()).or_default().extend(stated.clone());
        }
        self.module.extend(change.module.clone());
    }

    /// The variant that these settings make; reports everything that is wrong with it.
    pub fn into_variant(
        mut self,
        cx: &Context<'_>,
        name: &str,
        levels: BTreeMap<String, String>,
        header: &Range<usize>,
    ) -> Variant {
        let openzfs = self.openzfs.unwrap_or_default();
        // Without a pool, whose place a file system can take. Workloads know that one as the root dataset.
        let variant = Variant {
            name: name.to_owned(),
            levels,
            openzfs,
            stack: Stack::Zfs,
            drives: self
                .drives
                .iter()
                .map(|(kind, drives)| (kind.clone(), drives.value.clone()))
                .collect(),
            pool: Pool::default(),
            datasets: BTreeMap::from([(String::new(), BTreeMap::new())]),
            module: BTreeMap::new(),
            module_words: BTreeMap::new(),
            memory: self.memory,
            servers: self.servers.clone(),
        };
        if let Some(stack) = self.stack.resolve(cx, self.zfs_key.as_ref(), header) {
            self.check_drives(cx, &self.stack.named_drives());
            return Variant { stack, ..variant };
        }
        self.datasets.entry(String::new()).or_default();
        if !self.has(AllocationClass::Normal) && !self.broken {
            cx.missing(
                header.clone(),
                format!("variant `{name}` has no data vdev"),
                "state the pool's vdevs: `vdevs = \"mirror hdd[0-1]\"` in [pool] or in the variant",
            );
        }
        self.check_drives(cx, &self.named_drives());
        self.check_ashift(cx);
        let (module, module_words) = self.check_module(cx, openzfs);
        let max_recordsize = module
            .get("zfs_max_recordsize")
            .and_then(|bytes| u64::try_from(*bytes).ok())
            .unwrap_or(dataset::MAX_RECORDSIZE);
        let pool_properties = self.pool_properties.values();
        let properties = pool_properties
            .filter_map(|setting| {
                let found = pool::lookup(&setting.name.value, openzfs);
                accepted(cx, "pool", setting, found, Property::check)
            })
            .collect();
        let of_dataset = |setting: &Setting| {
            let found = dataset::lookup(&setting.name.value, openzfs);
            accepted(cx, "dataset", setting, found, |property, value| {
                dataset::check(property, value, max_recordsize)
            })
        };
        let datasets: BTreeMap<String, BTreeMap<String, String>> = self
            .datasets
            .iter()
            .map(|(name, settings)| {
                (name.clone(), settings.values().filter_map(of_dataset).collect())
            })
            .collect();
        self.check_special(cx, &datasets);
        property_dependencies::check(cx, &self.datasets, &datasets);
        property_dependencies::check_features(cx, &self);
        let mut vdevs: Vec<Vdev> = self.vdevs().iter().map(|vdev| vdev.vdev.clone()).collect();
        vdev::sort(&mut vdevs);
        let pool = Pool { ashift: self.ashift.and_then(|ashift| ashift.value), vdevs, properties };
        let variant = Variant { pool, datasets, module, module_words, ..variant };
        check_reservations(cx, &self.datasets, &variant);
        variant
    }

    pub fn vdevs(&self) -> &[LabVdev] {
        self.vdevs.as_deref().unwrap_or_default()
    }

    fn has(&self, class: AllocationClass) -> bool {
        self.vdevs().iter().any(|vdev| vdev.vdev.class == class)
    }

    fn named_drives(&self) -> Vec<Named<'_>> {
        let vdevs = self.vdevs().iter();
        vdevs.flat_map(|vdev| vdev.vdev.drives.iter().zip(&vdev.drive_spans)).collect()
    }

    /// Every drive exists and is used once.
    fn check_drives(&self, cx: &Context<'_>, named: &[Named<'_>]) {
        let mut used: BTreeMap<&DriveRef, &Range<usize>> = BTreeMap::new();
        // Of two words, all drives that both name.
        let mut twice: BTreeMap<(usize, usize), Twice<'_>> = BTreeMap::new();
        for &(drive, span) in named {
            let DriveRef { kind, index } = drive;
            match self.drives.get(kind) {
                None if self.broken_drives.contains(kind) => {}
                None => {
                    const RAID: &str =
                        "zpool knows mirror, raidz1 (as RAID 5), raidz2 (as RAID 6) and raidz3";
                    let add = format!("add `{kind} = \"<count>x <profile>\"` to [drives]");
                    let other = if kind == "raid" { RAID } else { &add };
                    let fix = did_you_mean_or(kind, self.drives.keys().map(String::as_str), other);
                    cx.missing(span.clone(), format!("no drives are called `{kind}`"), fix);
                }
                Some(known) if *index >= known.value.count => {
                    let there = match known.value.count {
                        1 => format!("there is one, `{kind}0`"),
                        count => format!("there are {count}, `{kind}[0-{}]`", count - 1),
                    };
                    cx.error(
                        span.clone(),
                        format!("there are too few drives `{kind}`"),
                        format!("{there}: name one of them, or raise the count in [drives]"),
                    );
                }
                Some(_) => match used.get(drive) {
                    None => {
                        used.insert(drive, span);
                    }
                    Some(first) => twice
                        .entry((span.start, first.start))
                        .or_insert_with(|| (Vec::new(), span, first))
                        .0
                        .push(drive.clone()),
                },
            }
        }
        for (drives, again, first) in twice.into_values() {
            let are = if drives.len() == 1 { "is" } else { "are" };
            let names = vdev::ranges(&drives).join(" ");
            cx.say(
                Diagnostic::error(format!("`{names}` {are} used twice"))
                    .at(cx.file, again.clone())
                    .label("here again")
                    .related(first.clone(), "first used here")
                    .fix("give each vdev its own drives"),
            );
        }
    }

    /// The parameters that hold a number, and those that take a word.
    fn check_module(
        &self,
        cx: &Context<'_>,
        openzfs: OpenZfs,
    ) -> (BTreeMap<String, i64>, BTreeMap<String, String>) {
        let mut module = BTreeMap::new();
        let mut words = BTreeMap::new();
        for (name, (span, value)) in &self.module {
            let found = module::lookup(name, openzfs);
            let Some(parameter) = cx.accepted(span.clone(), found) else { continue };
            let Some((min, max)) = parameter.range() else {
                if !module::words::acts(name) {
                    cx.note(span.clone(), format!("`{name}` does not affect the results"));
                }
                let word = match &value.value {
                    Written::Number(number) => number.to_string(),
                    Written::Word(word) => word.clone(),
                };
                cx.accepted(value.span.clone(), module::words::check(name, &word));
                words.insert(name.clone(), word);
                continue;
            };
            let number = match &value.value {
                Written::Number(number) if (min..=max).contains(number) => Some(*number),
                Written::Number(number) => cx.refuse(
                    value.span.clone(),
                    format!("`{name}` cannot be {number}"),
                    parameter.wanted().unwrap_or_default(),
                ),
                Written::Word(word) => cx.refuse(
                    value.span.clone(),
                    format!("`{name}` cannot be \"{word}\""),
                    format!(
                        "write a whole number from {min} to {max}; bytes may be written as \"64M\""
                    ),
                ),
            };
            module.extend(number.map(|number| (name.clone(), number)));
        }
        self.check_auto_ashift(cx, &module);
        (module, words)
    }

    /// zfs.ko does not load with a `zfs_vdev_min_auto_ashift` above the most, which is set before it.
    fn check_auto_ashift(&self, cx: &Context<'_>, module: &BTreeMap<String, i64>) {
        const LEAST: &str = "zfs_vdev_min_auto_ashift";
        let most =
            module.get("zfs_vdev_max_auto_ashift").copied().unwrap_or(vdev::MAX_AUTO_ASHIFT.into());
        if let Some((least, (_, value))) = module.get(LEAST).zip(self.module.get(LEAST))
            && *least > most
        {
            cx.error(
                value.span.clone(),
                format!("`{LEAST}` is {least}, above `zfs_vdev_max_auto_ashift`, which is {most}"),
                format!("write at most {most}, or raise `zfs_vdev_max_auto_ashift`"),
            );
        }
    }

    /// Reports where OpenZFS changes the ashift.
    fn check_ashift(&self, cx: &Context<'_>) {
        let Some((at, stated)) = self.ashift.as_ref().and_then(|at| Some((at, at.value?))) else {
            return;
        };
        let allocates = |vdev: &&LabVdev| {
            !matches!(vdev.vdev.class, AllocationClass::Cache | AllocationClass::Spare)
        };
        let given = |vdev: &LabVdev| {
            vdev.vdev.ashift(Some(stated), |kind| self.drives.get(kind)?.value.reported_sectors())
        };
        let largest = self.vdevs().iter().filter(allocates).map(given).max();
        if let Some(given) = largest.filter(|given| *given > stated) {
            cx.warning(
                at.span.clone(),
                format!(
                    "OpenZFS changes ashift {stated} to {given}, because the drives have logical \
                     sectors of {}",
                    1u32 << given
                ),
                format!("write {given}"),
            );
        }
    }

    fn check_special(
        &self,
        cx: &Context<'_>,
        datasets: &BTreeMap<String, BTreeMap<String, String>>,
    ) {
        for dataset in datasets.keys() {
            let bytes = |name: &str| units::size(inherited(datasets, dataset, name)?).ok();
            let Some(small) = bytes("special_small_blocks").filter(|small| *small > 0) else {
                continue;
            };
            // Pointed at is what makes it so: the dataset's own line, of either property.
            let own = |name: &str| self.datasets.get(dataset).and_then(|d| d.get(name));
            let Some(setting) = own("special_small_blocks").or_else(|| own("recordsize")) else {
                continue;
            };
            if !self.has(AllocationClass::Special) {
                if setting.name.value != "special_small_blocks" {
                    continue;
                }
                cx.warning(
                    setting.value.span.clone(),
                    "`special_small_blocks` does nothing in a variant without a special vdev",
                    "add one, such as `special mirror nvme[0-1]`, or remove the property",
                );
            } else if bytes("recordsize").unwrap_or(128 << 10) <= small {
                cx.warning(
                    setting.value.span.clone(),
                    format!(
                        "`special_small_blocks` is not below `recordsize`: all data of {} goes to the special vdev",
                        match dataset.as_str() {
                            "" => "the root dataset".to_owned(),
                            name => format!("dataset `{name}`"),
                        }
                    ),
                    "use a smaller value, unless you want this",
                );
            }
        }
    }
}

/// Checks what the datasets of a variant reserve against their quotas and the pool: `zfs create` refuses what has no
/// such room.
fn check_reservations(
    cx: &Context<'_>,
    settings: &BTreeMap<String, BTreeMap<String, Setting>>,
    variant: &Variant,
) {
    // Vdevs that were not understood may be what holds it.
    if cx.errors() > 0 {
        return;
    }
    let empty = |_: &str| 0;
    if let Some(quota) = exceeded(variant, &empty)
        && let Some(setting) = settings.get(quota.dataset).and_then(|own| own.get(quota.name))
    {
        cx.error(
            setting.value.span.clone(),
            format!(
                "`{}` is smaller than what is reserved within it, {}",
                quota.name,
                about(quota.needed)
            ),
            "use a larger quota, or reserve less",
        );
        return;
    }
    let (reserved, space) = (claim(variant, "", &empty), space(variant));
    let reservations = settings
        .values()
        .flat_map(BTreeMap::values)
        .filter(|setting| matches!(setting.name.value.as_str(), "reservation" | "refreservation"));
    let largest = reservations.max_by_key(|setting| units::size(&setting.value.value).unwrap_or(0));
    if let Some(setting) = largest.filter(|_| reserved > space) {
        cx.error(
            setting.value.span.clone(),
            format!(
                "the datasets reserve {}, but the pool holds about {}",
                about(reserved),
                about(space)
            ),
            "reserve less, or model larger drives",
        );
    }
}

/// The property with its value, unless OpenZFS has no such property or `check` refuses the value; says what it does not
/// do in the machine.
fn accepted(
    cx: &Context<'_>,
    section: &str,
    setting: &Setting,
    found: Result<&'static Property, Refused>,
    check: impl Fn(&Property, &str) -> Result<String, Refused>,
) -> Option<(String, String)> {
    let Setting { name, value } = setting;
    // `readonly` is a property of both; what is said of it tells when.
    let found = found.map_err(|refused| match section_of(&name.value) {
        Some(other) if other != section && name.value != "readonly" => Refused {
            fix: format!("it belongs in {other}, beside {section}: {other}.{} = …", name.value),
            ..refused
        },
        _ => refused,
    });
    let property = cx.accepted(name.span.clone(), found)?;
    match property.effect {
        MachineEffect::Modelled | MachineEffect::Scaled => {}
        MachineEffect::None => {
            cx.note(name.span.clone(), format!("`{}` does not affect the results", name.value));
        }
        MachineEffect::NotModelled(why) => {
            cx.note(
                name.span.clone(),
                format!("`{}` has no effect in the machine: {why}", name.value),
            );
        }
    }
    let checked = cx.accepted(value.span.clone(), check(property, &value.value))?;
    Some((name.value.clone(), checked))
}
