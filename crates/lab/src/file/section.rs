//! A TOML table, read key by key in the order of the file.

use super::context::{At, Context};
use crate::diagnostic::did_you_mean;
use crate::units;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use zfs::module;
use zfs::property::{Property, dataset, pool};

/// The section of a lab that a name of OpenZFS's belongs to.
pub(super) fn section_of(name: &str) -> Option<&'static str> {
    let has = |table: &[Property]| table.iter().any(|property| property.name == name);
    if has(&dataset::TABLE) {
        Some("dataset")
    } else if name == "ashift" || has(&pool::TABLE) {
        Some("pool")
    } else {
        module::find(name).map(|_| "module")
    }
}

/// One `key = value`.
#[derive(Clone, Copy)]
pub(super) struct Entry<'t> {
    pub cx: &'t Context<'t>,
    pub key: &'t str,
    key_span: (usize, usize),
    value: &'t Spanned<DeValue<'t>>,
}

/// A table whose keys are taken one by one; what is left at the end is unknown.
pub(super) struct Section<'t> {
    pub cx: &'t Context<'t>,
    /// Its path, as a person would write it: `pool`, `variants.big`.
    pub path: String,
    pub span: Range<usize>,
    entries: Vec<Entry<'t>>,
    known: Vec<&'static str>,
}

impl<'t> Section<'t> {
    pub fn new(
        cx: &'t Context<'t>,
        path: impl Into<String>,
        span: Range<usize>,
        table: &'t DeTable<'t>,
    ) -> Self {
        let mut entries: Vec<Entry<'t>> = table
            .iter()
            .map(|(key, value)| Entry {
                cx,
                key: key.get_ref(),
                key_span: (key.span().start, key.span().end),
                value,
            })
            .collect();
        // The parser's map is sorted by name; a lab's variants come in the order of the file.
        entries.sort_by_key(|entry| entry.key_span);
        Self { cx, path: path.into(), span, entries, known: Vec::new() }
    }

    pub fn take(&mut self, key: &'static str) -> Option<Entry<'t>> {
        self.known.push(key);
        self.take_retired(key)
    }

    /// Takes out a key that labs once had, if it is there; it is not suggested for others.
    pub fn take_retired(&mut self, key: &str) -> Option<Entry<'t>> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    pub fn table(&mut self, key: &'static str) -> Option<Section<'t>> {
        self.take(key)?.table(key)
    }

    /// Takes a table of any keys out, if it is there: its entries, in the order of the file.
    pub fn take_entries(&mut self, key: &'static str) -> Vec<Entry<'t>> {
        self.take(key).map_or_else(Vec::new, |entry| entry.entries(key))
    }

    pub fn number(&mut self, key: &'static str, min: f64, max: f64, wanted: &str) -> Option<f64> {
        self.take(key)?.number(min, max, wanted)
    }

    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        self.take(key)?.choice(all, name)
    }

    /// Takes out all that is left, in the order of the file.
    pub fn rest(&mut self) -> Vec<Entry<'t>> {
        std::mem::take(&mut self.entries)
    }

    /// What was not taken yet, if all of its keys are so; else nothing.
    pub fn rest_if(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<Entry<'t>> {
        if self.entries.iter().all(|entry| wanted(entry.key)) { self.rest() } else { Vec::new() }
    }

    /// Whether it has a key that was not taken yet.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Where the first of these keys stands, of those that were not taken yet.
    pub fn first_of(&self, keys: &[&str]) -> Option<Range<usize>> {
        let mut entries = self.entries.iter();
        let first = entries.find(|entry| keys.contains(&entry.key))?;
        Some(first.key_span())
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn error(&self, message: impl Into<String>, fix: impl Into<String>) {
        self.cx.error(self.span.clone(), message, fix);
    }

    /// Refuses what nobody took.
    pub fn finish(self) {
        for entry in &self.entries {
            let whose = match self.path.as_str() {
                "" => "a lab".to_owned(),
                path => format!("[{path}]"),
            };
            let fix = match section_of(entry.key) {
                Some(section) if self.known.contains(&section) => {
                    format!("`{0}` belongs in {section}: {section} = {{ {0} = … }}", entry.key)
                }
                _ => did_you_mean(entry.key, &self.known),
            };
            entry.error_at_key(format!("{whose} has no key `{}`", entry.key), fix);
        }
    }
}

impl<'t> Entry<'t> {
    pub fn key_span(&self) -> Range<usize> {
        self.key_span.0..self.key_span.1
    }

    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    pub fn value(&self) -> &'t DeValue<'t> {
        self.value.get_ref()
    }

    pub fn error(&self, message: impl Into<String>, fix: impl Into<String>) {
        self.cx.error(self.span(), message, fix);
    }

    pub fn error_at_key(&self, message: impl Into<String>, fix: impl Into<String>) {
        self.cx.error(self.key_span(), message, fix);
    }

    /// An error in place of its value.
    pub fn refuse<T>(&self, message: impl Into<String>, fix: impl Into<String>) -> Option<T> {
        self.cx.refuse(self.span(), message, fix)
    }

    /// Checks the key as the name of `what`: it has to stand in a table, a path of results and a command line.
    pub fn check_name(&self, what: &str) {
        let good = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        if self.key.is_empty()
            || self.key.len() > 60
            || !self.key.chars().all(good)
            || self.key.starts_with(['.', '-'])
        {
            self.error_at_key(
                format!("`{}` is not a valid name for {what}", self.key.escape_debug()),
                "use letters, digits, `-`, `_`, `+` and `.`, such as `big-records`",
            );
        }
    }

    fn wrong<T>(&self, wanted: &str) -> Option<T> {
        let article = match self.value() {
            DeValue::Integer(_) | DeValue::Array(_) => "an",
            _ => "a",
        };
        self.refuse(
            format!("`{}` must not be {article} {}", self.key, self.value().type_str()),
            format!("write {wanted}"),
        )
    }

    pub fn table(&self, path: &str) -> Option<Section<'t>> {
        match self.value() {
            // It is pointed at by its key, since its own span may be all of its lines.
            DeValue::Table(table) => Some(Section::new(self.cx, path, self.key_span(), table)),
            _ => self.wrong(&format!("a table: [{path}]")),
        }
    }

    /// The entries of a table of any keys, in the order of the file.
    pub fn entries(&self, path: &str) -> Vec<Entry<'t>> {
        self.table(path).map_or_else(Vec::new, |mut table| table.rest())
    }

    pub fn string(&self, wanted: &str) -> Option<At<String>> {
        match self.value() {
            DeValue::String(text) => Some(At::new(text.to_string(), self.span())),
            _ => self.wrong(wanted),
        }
    }

    /// Strings in a list, or one alone.
    pub fn strings(&self, wanted: &str) -> Vec<At<String>> {
        self.each(|entry| entry.string(wanted))
    }

    /// The values of a list, or one alone, each read as that of this key.
    fn each<T>(&self, read: impl Fn(&Entry<'t>) -> Option<T>) -> Vec<T> {
        match self.value() {
            DeValue::Array(array) => {
                array.iter().filter_map(|value| read(&Entry { value, ..*self })).collect()
            }
            _ => read(self).into_iter().collect(),
        }
    }

    /// A size: `"128G"`, or a number of bytes.
    pub fn size(&self) -> Option<u64> {
        match self.value() {
            DeValue::String(text) => match units::size(text) {
                Ok(size) => Some(size),
                Err(e) => self.refuse(e.to_string(), "write a size such as \"128G\""),
            },
            _ => self.integer(0, i64::MAX, "a size such as \"128G\""),
        }
    }

    /// A duration in seconds: `"20m"`, or a number of seconds.
    pub fn seconds(&self) -> Option<f64> {
        match self.value() {
            DeValue::String(text) => match units::duration(text) {
                Ok(seconds) => Some(seconds),
                Err(e) => self.refuse(e.to_string(), "write a duration such as \"20m\""),
            },
            _ => self.number(0.0, 3.2e7, "a duration such as \"20m\""),
        }
    }

    pub fn integer<T: TryFrom<i64>>(&self, min: i64, max: i64, wanted: &str) -> Option<T> {
        let DeValue::Integer(integer) = self.value() else {
            return self.wrong(wanted);
        };
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if (min..=max).contains(&number) => T::try_from(number).ok(),
            Err(_) => {
                self.refuse(format!("`{}` is too large", self.key), format!("the maximum is {max}"))
            }
            _ => self.refuse(
                format!("`{}` cannot be {integer}", self.key),
                if max == i64::MAX {
                    format!("the minimum is {min}")
                } else {
                    format!("write a number from {min} to {max}")
                },
            ),
        }
    }

    pub fn number(&self, min: f64, max: f64, wanted: &str) -> Option<f64> {
        let number = match self.value() {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => return self.wrong(wanted),
        };
        match number {
            Some(number) if (min..=max).contains(&number) => Some(number),
            _ => self.refuse(
                format!("`{}` is out of range", self.key),
                format!("write a number from {min} to {max}"),
            ),
        }
    }

    pub fn boolean(&self) -> Option<bool> {
        match self.value() {
            DeValue::Boolean(is) => Some(*is),
            _ => self.wrong("true or false"),
        }
    }

    /// Numbers in a list, or one alone.
    pub fn numbers(&self, min: f64, max: f64, wanted: &str) -> Vec<f64> {
        self.each(|entry| entry.number(min, max, wanted))
    }

    pub fn choice<T: Copy>(&self, all: &[T], name: impl Fn(T) -> &'static str) -> Option<T> {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        let text = self.string(&format!("\"{}\"", names.join("\" or \"")))?;
        match names.iter().position(|name| *name == text.value) {
            Some(which) => Some(all[which]),
            None => self.refuse(
                format!("`{}` cannot be `{}`", self.key, text.value.escape_debug()),
                did_you_mean(&text.value, &names),
            ),
        }
    }

    /// A property's value: a string, or a whole number as its text.
    pub fn property(&self) -> Option<At<String>> {
        match self.value() {
            DeValue::String(text) => Some(At::new(text.to_string(), self.span())),
            // In any radix that TOML has.
            DeValue::Integer(number) => {
                let text = i64::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| number.to_string(), |n| n.to_string());
                Some(At::new(text, self.span()))
            }
            DeValue::Boolean(on) => {
                let word = if *on { "on" } else { "off" };
                self.refuse(
                    format!("`{}` must not be a boolean", self.key),
                    format!("write it as ZFS does: \"{word}\""),
                )
            }
            DeValue::Array(_) => self.wrong(
                "one value as in `zfs set`, in quotes; to compare several, list them in [factors], such as dataset.recordsize = [\"16K\", \"128K\"]",
            ),
            DeValue::Table(_) if ["pool", "dataset", "module"].contains(&self.key) => {
                self.refuse(
                    format!("`{}` is a section, and no property", self.key),
                    format!("write [{}] beside the section that it is in, not within", self.key),
                )
            }
            _ => self.wrong("a value as in `zfs set`, in quotes"),
        }
    }
}
