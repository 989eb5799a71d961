//! `stack`, `md`, `filesystem`, `mount_options`: a variant that is an md array instead of a ZFS pool.

use super::context::{At, Context};
use super::section::Section;
use super::state::Named;
use crate::campaign::{DriveRef, Filesystem, MdArray, MdLevel, Stack};
use crate::units;
use std::ops::Range;
use zfs::vdev;

/// The stacks, in the words of a lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Zfs,
    Md,
}

/// An array as written: `raid10 nvme[0-3] chunk=64K`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    level: MdLevel,
    chunk: Option<u64>,
    drives: Vec<DriveRef>,
    drive_spans: Vec<Range<usize>>,
}

/// The keys of a stack as one section states them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StackKeys {
    pub kind: Option<At<Kind>>,
    /// None where it is not stated, `Some(None)` where it was not understood.
    array: Option<Option<Array>>,
    filesystem: Option<Filesystem>,
    mount_options: Option<String>,
    /// Where the first key stands that only an array has.
    md_key: Option<Range<usize>>,
}

const MD_KEYS: [&str; 3] = ["md", "filesystem", "mount_options"];

impl StackKeys {
    /// Takes the keys out of a section.
    pub fn take(cx: &Context<'_>, section: &mut Section<'_>) -> Self {
        let mut keys = Self { md_key: section.first_of(&MD_KEYS), ..Self::default() };
        if let Some(entry) = section.take("stack") {
            let word = entry.word(cx, &["zfs", "md"]);
            let kind = word.map(|word| [Kind::Zfs, Kind::Md][word]);
            keys.kind = kind.map(|kind| At::new(kind, entry.key_span()));
        }
        if let Some(entry) = section.take("md") {
            let text = entry.string(cx, WANTED);
            keys.array = Some(text.and_then(|text| array(cx, &text)));
        }
        if let Some(entry) = section.take("filesystem") {
            let word = entry.word(cx, &Filesystem::ALL.map(Filesystem::name));
            keys.filesystem = word.map(|word| Filesystem::ALL[word]);
        }
        if let Some(entry) = section.take("mount_options") {
            let text = entry.string(cx, "options as after `mount -o`, such as \"noatime\"");
            if let Some(text) = &text
                && text.value.contains(|c: char| c.is_whitespace() || c.is_control())
            {
                cx.error(
                    text.span.clone(),
                    "`mount_options` contains a space or a control character",
                    "separate the options with commas: \"noatime,logbsize=256k\"",
                );
            }
            keys.mount_options = text.map(|text| text.value);
        }
        keys
    }

    /// Keys replace keys. A section that states its stack leaves aside what those above it say of another.
    pub fn apply(&mut self, over: &Self) {
        if over.kind.is_some() {
            self.kind.clone_from(&over.kind);
            self.md_key = None;
        }
        self.md_key = over.md_key.clone().or(self.md_key.take());
        if over.array.is_some() {
            self.array.clone_from(&over.array);
        }
        self.filesystem = over.filesystem.or(self.filesystem);
        if over.mount_options.is_some() {
            self.mount_options.clone_from(&over.mount_options);
        }
    }

    pub fn is_md(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.value == Kind::Md)
    }

    /// The array, where this is no ZFS pool; and says which keys belong to the other stack. `zfs_key` is where
    /// a key stands that only a pool has.
    pub fn resolve(
        &self,
        cx: &Context<'_>,
        zfs_key: Option<&Range<usize>>,
        header: &Range<usize>,
    ) -> Option<Stack> {
        let Some(kind) = self.kind.as_ref().filter(|kind| kind.value == Kind::Md) else {
            if let Some(span) = &self.md_key {
                cx.error(
                    span.clone(),
                    "this key is for md arrays, but the stack here is `zfs`",
                    "add stack = \"md\", or remove it",
                );
            }
            return None;
        };
        if let Some(span) = zfs_key {
            cx.error(
                span.clone(),
                "this key is for ZFS pools, but the stack here is `md`",
                "remove it, or move it to the variants that are ZFS pools",
            );
        }
        if self.array.is_none() {
            let at = if header.is_empty() { &kind.span } else { header };
            cx.error(at.clone(), "stack = \"md\" needs an array", "add md = \"raid10 nvme[0-3]\"");
        }
        let array = self.array.clone().flatten();
        Some(Stack::Md(MdArray {
            level: array.as_ref().map_or(MdLevel::Raid0, |array| array.level),
            chunk: array.as_ref().and_then(|array| array.chunk),
            drives: array.map(|array| array.drives).unwrap_or_default(),
            filesystem: self.filesystem.unwrap_or(Filesystem::Xfs),
            mount_options: self.mount_options.clone().unwrap_or_default(),
        }))
    }

    /// The drives of the array, each with its place.
    pub fn named_drives(&self) -> Vec<Named<'_>> {
        let array = self.array.iter().flatten();
        array.flat_map(|array| array.drives.iter().zip(&array.drive_spans)).collect()
    }
}

const WANTED: &str = "a level and its drives, such as \"raid10 nvme[0-3]\"";

/// Least and most of a chunk, bytes: a power of two of at least a page (mdadm(8)), and no more than md's request
/// sizes make sense of.
const CHUNKS: std::ops::RangeInclusive<u64> = 4 << 10..=64 << 20;

/// Reads `raid10 nvme[0-3] chunk=64K`; says all that is wrong with it.
fn array(cx: &Context<'_>, text: &At<String>) -> Option<Array> {
    let errors = cx.errors();
    let at = cx.places(text);
    let base = text.value.as_ptr() as usize;
    let mut words = text.value.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - base;
        (word, at(start..start + word.len()))
    });
    let Some((word, level_span)) = words.next() else {
        cx.error(text.span.clone(), "`md` is empty", format!("write {WANTED}"));
        return None;
    };
    let level = MdLevel::ALL.into_iter().find(|level| level.name() == word);
    if level.is_none() {
        let names = MdLevel::ALL.map(MdLevel::name);
        cx.error(
            level_span.clone(),
            format!("`{word}` is not an array level"),
            crate::diagnostic::did_you_mean(word, &names),
        );
    }
    let mut array = Array {
        level: level.unwrap_or(MdLevel::Raid0),
        chunk: None,
        drives: Vec::new(),
        drive_spans: Vec::new(),
    };
    for (word, span) in words {
        if let Some(size) = word.strip_prefix("chunk=") {
            array.chunk = chunk(cx, size, array.level, span);
            continue;
        }
        match vdev::drives(word) {
            Ok(drives) => {
                array.drive_spans.extend(drives.iter().map(|_| span.clone()));
                array.drives.extend(drives);
            }
            Err(fix) => cx.error(span, format!("`{word}` is not a drive"), fix),
        }
    }
    let (least, count) = (array.level.least_drives(), array.drives.len());
    if cx.errors() == errors && count < least {
        cx.error(
            level_span,
            format!("{} needs at least {least} drives, but {count} are named", array.level.name()),
            format!("name at least {least} drives: {} nvme[0-{}]", array.level.name(), least - 1),
        );
    }
    (cx.errors() == errors).then_some(array)
}

fn chunk(cx: &Context<'_>, size: &str, level: MdLevel, span: Range<usize>) -> Option<u64> {
    if level == MdLevel::Raid1 {
        cx.error(span, "raid1 has no chunk size", "remove it");
        return None;
    }
    match units::size(size) {
        Ok(bytes) if bytes.is_power_of_two() && CHUNKS.contains(&bytes) => Some(bytes),
        _ => {
            cx.error(
                span,
                format!("`{size}` is not a valid chunk size"),
                "write a power of two, 4K to 64M: chunk=512K",
            );
            None
        }
    }
}
