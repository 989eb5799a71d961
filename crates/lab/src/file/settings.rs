//! The keys that the base and every variant share: `openzfs`, `stack` and its keys, `drives`, `pool`,
//! `dataset`, `datasets`, `module`, `postgresql`, `mariadb`, `mysql`; and what a variant has beside them: `vdevs`,
//! `add`, `remove`, `host.memory`.

use super::context::{At, Context};
use super::drives;
use super::method;
use super::section::{Entry, Section};
use super::server;
use super::stack::{self, StackKeys};
use super::vdevs::{self, LabVdev, Removal};
use crate::campaign::{DriveKind, OpenZfs};
use crate::units;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::de::DeValue;
use zfs::property;

/// A property of a dataset: where its name and where its value are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub name: At<String>,
    pub value: At<String>,
}

/// A module parameter as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written {
    Number(i64),
    Word(String),
}

const SENTENCE: &str = "vdevs as after `zpool create`, such as \"log mirror optane[0-1]\"";

/// The keys of the base, or those of a change. [`Settings::apply`] adds a change to the base, whose own `add` and
/// `remove` are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Settings {
    pub openzfs: Option<OpenZfs>,
    pub stack: StackKeys,
    /// Where the first key stands that only a ZFS pool has.
    pub zfs_key: Option<Range<usize>>,
    /// Each with the place of its name.
    pub drives: BTreeMap<String, At<DriveKind>>,
    /// Kinds of drives whose definition could not be read.
    pub broken_drives: Vec<String>,
    /// Where `[pool]` begins; nowhere where there is none.
    pub pool_section: Range<usize>,
    pub ashift: Option<At<Option<u8>>>,
    pub pool_properties: BTreeMap<String, Setting>,
    pub vdevs: Option<Vec<LabVdev>>,
    pub add: Vec<LabVdev>,
    pub remove: Vec<Removal>,
    /// Some vdevs could not be read, so missing drives are not reported.
    pub broken: bool,
    /// Properties of each dataset that is named.
    pub datasets: BTreeMap<String, BTreeMap<String, Setting>>,
    /// Module parameters: where the name is written, and the value.
    pub module: BTreeMap<String, (Range<usize>, At<Written>)>,
    /// Settings of database servers, by the server's section.
    pub servers: BTreeMap<String, BTreeMap<String, String>>,
    /// RAM of a variant, bytes.
    pub memory: Option<u64>,
}

/// The keys of the base and of a variant that only a ZFS pool has.
const ZFS_KEYS: [&str; 7] = ["pool", "dataset", "datasets", "module", "vdevs", "add", "remove"];

/// The sections that [`Settings::base`] takes, for paths in `[factors]`.
pub(super) const BASE_SECTIONS: [&str; 8] =
    ["dataset", "datasets", "module", "pool", "drives", "postgresql", "mariadb", "mysql"];

impl Settings {
    /// Takes the base's keys out of a lab.
    pub fn base(section: &mut Section<'_>) -> Self {
        let mut settings = Self::default();
        if let Some(entry) = section.take("openzfs") {
            settings.openzfs = openzfs(&entry);
        }
        settings.stack = StackKeys::take(section);
        settings.zfs_key = section.first_of(&ZFS_KEYS);
        for entry in section.take_entries("drives") {
            let name = entry.key.to_owned();
            match drives::kind(&entry) {
                Some(kind) => {
                    settings.drives.insert(name, At::new(kind, entry.key_span()));
                }
                None => settings.broken_drives.push(name),
            }
        }
        if let Some(table) = section.table("pool") {
            settings.pool(table);
        }
        if let Some(mut table) = section.table("dataset") {
            settings.dataset("", &mut table);
        }
        for entry in section.take_entries("datasets") {
            dataset_name(entry.cx, entry.key, entry.key_span());
            if let Some(mut table) = entry.table(&format!("datasets.{}", entry.key)) {
                settings.dataset(entry.key, &mut table);
            }
        }
        for entry in section.take_entries("module") {
            let written = parameter(&entry).map(|value| (entry.key_span(), value));
            settings.module.extend(written.map(|written| (entry.key.to_owned(), written)));
        }
        settings.servers = server::of_base(section);
        settings
    }

    /// Takes the keys of a variant out of `section`: the base keys, `vdevs`, `add` and `remove`.
    pub fn change(section: &mut Section<'_>) -> Self {
        let mut settings = Self::base(section);
        if let Some(mut host) = section.table("host") {
            settings.memory = host.take("memory").and_then(|entry| method::memory(&entry));
            host.finish();
        }
        if let Some(text) = section.take("vdevs").and_then(|entry| entry.string(SENTENCE)) {
            if settings.vdevs.is_some() {
                section.cx.error(
                    text.span.clone(),
                    "the pool's vdevs are given twice: here and in `pool`",
                    "remove one of them",
                );
            }
            settings.vdevs = Some(settings.read(section.cx, &text));
        }
        if let Some(entry) = section.take("add") {
            for text in entry.strings(SENTENCE) {
                let more = settings.read(section.cx, &text);
                settings.add.extend(more);
            }
        }
        if let Some(entry) = section.take("remove") {
            let texts = entry.strings("what to remove, such as \"log\" or \"cache nvme0\"");
            settings.remove =
                texts.iter().flat_map(|text| vdevs::read_removal(entry.cx, text)).collect();
        }
        settings
    }

    /// Whether these keys alone state what a variant is built of.
    pub fn builds(&self) -> bool {
        self.vdevs.is_some() || self.stack.is_filesystem()
    }

    /// Reads vdevs, and keeps in mind whether some were not understood.
    pub fn read(&mut self, cx: &Context<'_>, text: &At<String>) -> Vec<LabVdev> {
        let (vdevs, whole) = vdevs::read(cx, text);
        self.broken |= !whole;
        vdevs
    }

    fn pool(&mut self, mut table: Section<'_>) {
        self.pool_section = table.span.clone();
        self.broken |= stack::refuse_in_pool(&mut table);
        if let Some(entry) = table.take("ashift") {
            let (min, max) = property::pool::ASHIFT.into_inner();
            let wanted = format!("a number, {min} to {max}, or 0 to let OpenZFS choose");
            if let Some(number) = entry.integer::<i64>(i64::MIN, i64::MAX, &wanted) {
                let ashift =
                    u8::try_from(number).ok().filter(|ashift| (min..=max).contains(ashift));
                if ashift.is_none() && number != 0 {
                    entry.error(format!("`ashift` cannot be {number}"), format!("write {wanted}"));
                }
                self.ashift = Some(At::new(ashift, entry.span()));
            }
        }
        if let Some(text) = table.take("vdevs").and_then(|entry| entry.string(SENTENCE)) {
            self.vdevs = Some(self.read(table.cx, &text));
        }
        for entry in table.rest() {
            if let Some(value) = entry.property() {
                let name = At::new(entry.key.to_owned(), entry.key_span());
                self.pool_properties.insert(entry.key.to_owned(), Setting { name, value });
            }
        }
    }

    fn dataset(&mut self, dataset: &str, table: &mut Section<'_>) {
        let own = self.datasets.entry(dataset.to_owned()).or_default();
        let mut stated = BTreeSet::new();
        for entry in table.rest() {
            let full = property::dataset::full_name(entry.key);
            if !stated.insert(full) {
                entry.error_at_key(
                    format!("`{full}` is stated twice, once by its short name"),
                    "remove one of the two",
                );
            }
            if let Some(value) = entry.property() {
                let name = At::new(full.to_owned(), entry.key_span());
                own.insert(full.to_owned(), Setting { name, value });
            }
        }
    }
}

fn openzfs(entry: &Entry<'_>) -> Option<OpenZfs> {
    let text = entry.string("the release line in quotes: \"2.4\"")?;
    let known = OpenZfs::named(&text.value);
    if known.is_none() {
        let names = OpenZfs::ALL.map(OpenZfs::name);
        let near = names.iter().find(|name| text.value.starts_with(&format!("{name}.")));
        let runs = format!("the machine runs OpenZFS {}", names.join(" and "));
        let (message, fix) = match near {
            _ if text.value == "2.1" || text.value.starts_with("2.1.") => (
                format!("{runs}; OpenZFS 2.1 is not ported to it"),
                format!("change the line: openzfs = \"{}\"", OpenZfs::default()),
            ),
            Some(near) => (
                format!("OpenZFS `{}` is not a release line", text.value),
                format!("name the release line: \"{near}\""),
            ),
            None => (
                format!("{runs}, not `{}`", text.value.escape_debug()),
                format!("write one of \"{}\"", names.join("\", \"")),
            ),
        };
        entry.error(message, fix);
    }
    known
}

/// Checks a dataset's name by the rules of `zfs create` (zfs_namecheck.c).
pub(super) fn dataset_name(cx: &Context<'_>, name: &str, span: Range<usize>) -> Option<()> {
    let component = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
    };
    if !name.split('/').all(component) || name.len() > 200 {
        return cx.refuse(
            span,
            format!("`{name}` is not a valid dataset name"),
            "use letters, digits, `-`, `_`, `.` and `:`, and `/` between parent and child",
        );
    }
    Some(())
}

fn parameter(entry: &Entry<'_>) -> Option<At<Written>> {
    let value = match entry.value() {
        DeValue::String(text) => match units::size(text).map(i64::try_from) {
            Ok(Ok(bytes)) => Written::Number(bytes),
            // No number, or none that a parameter holds: which it may be, its type says.
            _ => Written::Word(text.to_string()),
        },
        _ => Written::Number(entry.integer(i64::MIN, i64::MAX, "a whole number")?),
    };
    Some(At::new(value, entry.span()))
}
