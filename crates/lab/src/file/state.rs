//! A variant in the making: the base with changes applied, then checked as a whole.

use super::cx::{At, Cx};
use super::settings::{Header, Setting, Settings};
use super::vdevs::{self, LabVdev};
use crate::campaign::{Class, DriveKind, DriveRef, OpenZfs, Pool, Variant, Vdev};
use crate::diagnostic::{Diagnostic, nearest};
use crate::module::{self, Reach};
use crate::property::{Effect, Property, Refused, dataset, pool};
use crate::{units, vdev};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug, Clone, Default)]
pub(super) struct State {
    openzfs: Option<OpenZfs>,
    drives: BTreeMap<String, DriveKind>,
    ashift: Option<u8>,
    pool_properties: BTreeMap<String, Setting>,
    vdevs: Vec<LabVdev>,
    datasets: BTreeMap<String, BTreeMap<String, Setting>>,
    module: BTreeMap<String, (At<String>, At<i64>)>,
    broken: bool,
    broken_drives: Vec<String>,
    memory: Option<u64>,
}

impl State {
    /// `vdevs` replaces, then `remove` takes out, then `add` puts in; keys replace keys.
    pub fn apply(&mut self, cx: &Cx<'_>, settings: &Settings) {
        // Vdevs that are replaced take with them what was not understood of them.
        self.broken = settings.broken || (self.broken && settings.vdevs.is_none());
        if let Some(openzfs) = &settings.openzfs {
            self.openzfs = Some(openzfs.value);
        }
        if let Some(memory) = settings.memory {
            self.memory = Some(memory);
        }
        for (name, kind) in &settings.drives {
            self.drives.insert(name.value.clone(), kind.clone());
        }
        self.broken_drives
            .extend(settings.broken_drives.iter().cloned());
        if let Some(ashift) = &settings.ashift {
            self.ashift = ashift.value;
        }
        for setting in &settings.pool_properties {
            self.pool_properties
                .insert(setting.name.value.clone(), setting.clone());
        }
        if let Some(vdevs) = &settings.vdevs {
            self.vdevs.clone_from(vdevs);
        }
        for removal in &settings.remove {
            vdevs::remove(cx, &mut self.vdevs, removal, self.broken);
        }
        self.vdevs.extend(settings.add.iter().cloned());
        for dataset in &settings.named_datasets {
            self.datasets.entry(dataset.clone()).or_default();
        }
        for (dataset, setting) in &settings.datasets {
            let properties = self.datasets.entry(dataset.clone()).or_default();
            properties.insert(setting.name.value.clone(), setting.clone());
        }
        for (name, value) in &settings.module {
            self.module
                .insert(name.value.clone(), (name.clone(), value.clone()));
        }
    }

    /// The variant, with everything that is wrong with it said.
    pub fn finish(
        mut self,
        cx: &Cx<'_>,
        name: &str,
        levels: BTreeMap<String, String>,
        header: &Header,
    ) -> Variant {
        let openzfs = self.openzfs.unwrap_or(OpenZfs::V2_1);
        self.datasets.entry(String::new()).or_default();
        let has_data = self
            .vdevs
            .iter()
            .any(|vdev| vdev.vdev.class == Class::Normal);
        if !has_data && !self.broken {
            cx.error(
                header.clone(),
                format!("variant `{name}` has no data vdev"),
                "state the pool's vdevs: `vdevs = \"mirror hdd[0-1]\"` in [pool] or in the variant",
            );
        }
        self.check_drives(cx);
        let module = self.check_module(cx, openzfs);
        let max_recordsize = module
            .get("zfs_max_recordsize")
            .and_then(|bytes| u64::try_from(*bytes).ok())
            .unwrap_or_else(|| dataset::default_max_recordsize(openzfs));
        let properties = self
            .pool_properties
            .values()
            .filter_map(|setting| {
                let property = accepted(cx, setting, pool::lookup(&setting.name.value, openzfs))?;
                let value = value(cx, setting, property.check(&setting.value.value))?;
                Some((setting.name.value.clone(), value))
            })
            .collect();
        let datasets: BTreeMap<String, BTreeMap<String, String>> = self
            .datasets
            .iter()
            .map(|(dataset, settings)| {
                let properties = settings
                    .values()
                    .filter_map(|setting| {
                        let property =
                            accepted(cx, setting, dataset::lookup(&setting.name.value, openzfs))?;
                        let checked =
                            dataset::check(property, &setting.value.value, openzfs, max_recordsize);
                        Some((setting.name.value.clone(), value(cx, setting, checked)?))
                    })
                    .collect();
                (dataset.clone(), properties)
            })
            .collect();
        self.check_special(cx, &datasets);
        let mut vdevs: Vec<Vdev> = self.vdevs.into_iter().map(|vdev| vdev.vdev).collect();
        vdev::sort(&mut vdevs);
        Variant {
            name: name.to_owned(),
            levels,
            openzfs,
            drives: self.drives,
            pool: Pool {
                ashift: self.ashift,
                vdevs,
                properties,
            },
            datasets,
            module,
            memory: self.memory,
        }
    }

    /// Every drive exists and is used once.
    fn check_drives(&self, cx: &Cx<'_>) {
        let mut used: BTreeMap<&DriveRef, &Range<usize>> = BTreeMap::new();
        for vdev in &self.vdevs {
            for (drive, span) in vdev.vdev.drives.iter().zip(&vdev.drive_spans) {
                let DriveRef { kind, index } = drive;
                match self.drives.get(kind) {
                    None if self.broken_drives.contains(kind) => {}
                    None => {
                        let near = nearest(kind, self.drives.keys().map(String::as_str));
                        cx.error(
                            span.clone(),
                            format!("no drives are called `{kind}`"),
                            match near {
                                Some(near) => format!("did you mean `{near}`?"),
                                None => {
                                    format!("add `{kind} = \"<count>x <profile>\"` to [drives]")
                                }
                            },
                        );
                    }
                    Some(known) if *index >= known.count => {
                        let there = match known.count {
                            1 => format!("there is one, `{kind}0`"),
                            count => format!("there are {count}, `{kind}[0-{}]`", count - 1),
                        };
                        cx.error(
                            span.clone(),
                            format!("there are too few drives `{kind}` for this"),
                            format!("{there}: name one of them, or raise the count in [drives]"),
                        );
                    }
                    Some(_) => match used.get(drive) {
                        None => {
                            used.insert(drive, span);
                        }
                        Some(first) => cx.say(
                            Diagnostic::error(format!("`{kind}{index}` is used twice in one pool"))
                                .at(cx.file, span.clone())
                                .label("here again")
                                .related((*first).clone(), "first used here")
                                .fix("give each vdev drives of its own"),
                        ),
                    },
                }
            }
        }
    }

    fn check_module(&self, cx: &Cx<'_>, openzfs: OpenZfs) -> BTreeMap<String, i64> {
        let mut module = BTreeMap::new();
        for (name, value) in self.module.values() {
            let parameter = match module::lookup(&name.value, openzfs) {
                Ok(parameter) => parameter,
                Err(Refused { message, fix }) => {
                    cx.error(name.span.clone(), message, fix);
                    continue;
                }
            };
            let Some((min, max)) = parameter.range() else {
                cx.note(
                    name.span.clone(),
                    format!(
                        "`{}` takes a word and changes nothing in the scale model",
                        name.value
                    ),
                );
                continue;
            };
            if !(min..=max).contains(&value.value) {
                cx.error(
                    value.span.clone(),
                    format!("`{}` cannot be {}", name.value, value.value),
                    format!("it is a C `{}`: {min} to {max}", parameter.ctype),
                );
                continue;
            }
            if parameter.reach == Reach::Absent {
                cx.warning(
                    name.span.clone(),
                    format!(
                        "the scale model cannot set `{}` and keeps OpenZFS's default",
                        name.value
                    ),
                    "it is printed among the commands for the real machine; measure it there",
                );
            }
            module.insert(name.value.clone(), value.value);
        }
        module
    }

    fn check_special(&self, cx: &Cx<'_>, datasets: &BTreeMap<String, BTreeMap<String, String>>) {
        let has_special = self
            .vdevs
            .iter()
            .any(|vdev| vdev.vdev.class == Class::Special);
        for (dataset, properties) in datasets {
            let bytes = |name: &str| properties.get(name).and_then(|text| units::size(text).ok());
            let Some(small) = bytes("special_small_blocks").filter(|small| *small > 0) else {
                continue;
            };
            let Some(setting) = self
                .datasets
                .get(dataset)
                .and_then(|d| d.get("special_small_blocks"))
            else {
                continue;
            };
            if !has_special {
                cx.warning(
                    setting.value.span.clone(),
                    "`special_small_blocks` does nothing in a variant without a special vdev",
                    "add one, such as `special mirror nvme[0-1]`, or remove the property",
                );
            } else if bytes("recordsize").unwrap_or(128 << 10) <= small {
                cx.warning(
                    setting.value.span.clone(),
                    "`special_small_blocks` is not below `recordsize`: all data goes to the special vdev",
                    "take a smaller value, unless that is what you want",
                );
            }
        }
    }
}

/// The property, unless OpenZFS does not have it; says what it does not do in the model.
fn accepted(
    cx: &Cx<'_>,
    setting: &Setting,
    found: Result<&'static Property, Refused>,
) -> Option<&'static Property> {
    let name = &setting.name;
    match found {
        Ok(property) => {
            match property.effect {
                Effect::Modelled => {}
                Effect::None => cx.note(
                    name.span.clone(),
                    format!("`{}` changes no figure", name.value),
                ),
                Effect::NotModelled(why) => {
                    cx.note(
                        name.span.clone(),
                        format!("`{}` changes nothing in the scale model: {why}", name.value),
                    );
                }
            }
            Some(property)
        }
        Err(Refused { message, fix }) => {
            cx.error(name.span.clone(), message, fix);
            None
        }
    }
}

fn value(cx: &Cx<'_>, setting: &Setting, checked: Result<String, Refused>) -> Option<String> {
    match checked {
        Ok(value) => Some(value),
        Err(Refused { message, fix }) => {
            cx.error(setting.value.span.clone(), message, fix);
            None
        }
    }
}
