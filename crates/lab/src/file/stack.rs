//! `stack`, `md`, `drive`, `filesystem`, `mount_options`: a variant that is a file system on an md array or on one drive
//! instead of a ZFS pool.

use super::context::{At, Context};
use super::mount_options;
use super::section::Section;
use super::variant::Named;
use crate::campaign::{DriveRef, Filesystem, FilesystemOnDrives, MdLevel, Stack};
use crate::units;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use zfs::property::Refused;
use zfs::vdev;

/// The stacks, in the words of a lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Zfs,
    Md,
    /// A file system on one drive.
    Drive(Filesystem),
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Zfs => "zfs",
            Kind::Md => "md",
            Kind::Drive(filesystem) => filesystem.name(),
        }
    }

    /// Whether a key is for this stack.
    fn has(self, key: &str) -> bool {
        match self {
            Kind::Zfs => false,
            Kind::Md => key != "drive",
            Kind::Drive(_) => ["drive", "mount_options"].contains(&key),
        }
    }
}

/// The values of `stack`.
const KINDS: [Kind; 4] =
    [Kind::Zfs, Kind::Md, Kind::Drive(Filesystem::Xfs), Kind::Drive(Filesystem::Ext4)];

pub(crate) fn stack_names() -> [&'static str; 4] {
    KINDS.map(Kind::name)
}

/// What is under a file system, as written: an array (`raid10 nvme[0-3] chunk=64K`, `raid5 hdd[0-3] consistency=ppl`)
/// or one drive, which has no level.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Device {
    level: Option<MdLevel>,
    chunk: Option<u64>,
    ppl: bool,
    drives: Vec<DriveRef>,
    drive_spans: Vec<Range<usize>>,
}

/// The keys of a stack as one section states them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StackKeys {
    pub kind: Option<At<Kind>>,
    /// `md`: none where it is not stated, without drives where it was not understood.
    array: Option<Device>,
    /// The same of `drive`.
    drive: Option<Device>,
    filesystem: Option<Filesystem>,
    mount_options: Option<String>,
    /// Where the keys stand that a pool does not have, of those that are stated.
    keys: BTreeMap<&'static str, Range<usize>>,
}

const KEYS: [&str; 4] = ["md", "drive", "filesystem", "mount_options"];

/// Takes the keys of a stack out of `[pool]`, where they are wrong, and reports them; whether there were any.
pub(super) fn refuse_in_pool(pool: &mut Section<'_>) -> bool {
    let mut found = false;
    for key in ["stack"].into_iter().chain(KEYS) {
        if let Some(entry) = pool.take(key) {
            found = true;
            entry.error_at_key(
                format!("`{key}` is in [pool], but a file system on drives has no pool"),
                "write it before the first section of the lab, or in [variants.NAME]",
            );
        }
    }
    found
}

impl StackKeys {
    pub fn take(section: &mut Section<'_>) -> Self {
        let stated = KEYS.into_iter().filter_map(|key| Some((key, section.first_of(&[key])?)));
        let mut keys = Self { keys: stated.collect(), ..Self::default() };
        if let Some(entry) = section.take("stack") {
            let kind = entry.choice(&KINDS, Kind::name);
            keys.kind = kind.map(|kind| At::new(kind, entry.key_span()));
        }
        if let Some(entry) = section.take("md") {
            let text = entry.string(WANTED);
            keys.array = Some(text.and_then(|text| array(entry.cx, &text)).unwrap_or_default());
        }
        if let Some(entry) = section.take("drive") {
            let text = entry.string("one drive, such as \"nvme0\"");
            keys.drive = Some(text.and_then(|text| one_drive(entry.cx, &text)).unwrap_or_default());
        }
        keys.filesystem = section.choice("filesystem", &Filesystem::ALL, Filesystem::name);
        if let Some(entry) = section.take("mount_options") {
            let text = entry.string("options as after `mount -o`, such as \"noatime\"");
            if let Some(text) = &text
                && text.value.contains(|c: char| c.is_whitespace() || c.is_control())
            {
                entry.error(
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
            if over.kind() != self.kind() {
                self.keys.clear();
                self.mount_options = None;
            }
            self.kind.clone_from(&over.kind);
        }
        self.keys.extend(over.keys.clone());
        self.array = over.array.clone().or(self.array.take());
        self.drive = over.drive.clone().or(self.drive.take());
        self.filesystem = over.filesystem.or(self.filesystem);
        self.mount_options = over.mount_options.clone().or(self.mount_options.take());
    }

    fn kind(&self) -> Kind {
        self.kind.as_ref().map_or(Kind::Zfs, |kind| kind.value)
    }

    pub fn is_filesystem(&self) -> bool {
        self.kind() != Kind::Zfs
    }

    /// The file system, where this is no ZFS pool; and says which keys belong to another stack. `zfs_key` is where
    /// a key stands that only a pool has.
    pub fn resolve(
        &self,
        cx: &Context<'_>,
        zfs_key: Option<&Range<usize>>,
        header: &Range<usize>,
    ) -> Option<Stack> {
        self.refuse_foreign(cx);
        let kind = self.kind.as_ref().filter(|kind| kind.value != Kind::Zfs)?;
        if let Some(span) = zfs_key {
            cx.error(
                span.clone(),
                format!("this key is for ZFS pools, but the stack here is `{}`", kind.value.name()),
                "remove it, or move it to the variants that are ZFS pools",
            );
        }
        let at = if header.is_empty() { &kind.span } else { header };
        let (needed, fix, filesystem) = match kind.value {
            Kind::Drive(filesystem) => ("a drive", "add drive = \"nvme0\"", filesystem),
            Kind::Zfs | Kind::Md => {
                let filesystem = self.filesystem.unwrap_or(Filesystem::Xfs);
                ("an array", "add md = \"raid10 nvme[0-3]\"", filesystem)
            }
        };
        if self.device().is_none() {
            let message = format!("stack = \"{}\" needs {needed}", kind.value.name());
            cx.error(at.clone(), message, fix);
        }
        let Device { level, chunk, ppl, drives, .. } = self.device().cloned().unwrap_or_default();
        let mount_options = self.mount_options.clone().unwrap_or_default();
        let on_drives = FilesystemOnDrives { level, chunk, ppl, drives, filesystem, mount_options };
        if let Some(span) = self.keys.get("mount_options") {
            for Refused { message, fix } in
                mount_options::mistakes(filesystem, &on_drives.mount_options)
            {
                cx.error(span.clone(), message, fix);
            }
        }
        Some(Stack::Filesystem(on_drives))
    }

    /// Refuses the first key that is not for this stack.
    fn refuse_foreign(&self, cx: &Context<'_>) {
        let kind = self.kind();
        let foreign = self.keys.iter().filter(|(key, _)| !kind.has(key));
        let Some((key, span)) = foreign.min_by_key(|(_, span)| span.start) else { return };
        let (what, fix) = match (*key, kind) {
            ("drive", _) => (
                "a file system on one drive",
                "write stack = \"xfs\" or stack = \"ext4\", or remove it",
            ),
            ("mount_options", _) => (
                "file systems without ZFS",
                "add stack = \"md\", stack = \"xfs\" or stack = \"ext4\", or remove it",
            ),
            ("filesystem", Kind::Drive(_)) => {
                ("md arrays", "remove it: here `stack` is the file system")
            }
            _ => ("md arrays", "write stack = \"md\", or remove it"),
        };
        let message = format!("this key is for {what}, but the stack here is `{}`", kind.name());
        cx.error(span.clone(), message, fix);
    }

    /// What is under the file system, where it is stated.
    fn device(&self) -> Option<&Device> {
        match self.kind() {
            Kind::Zfs => None,
            Kind::Md => self.array.as_ref(),
            Kind::Drive(_) => self.drive.as_ref(),
        }
    }

    /// The drives of the file system, each with its place.
    pub fn named_drives(&self) -> Vec<Named<'_>> {
        let device = self.device().into_iter();
        device.flat_map(|device| device.drives.iter().zip(&device.drive_spans)).collect()
    }
}

fn one_drive(cx: &Context<'_>, text: &At<String>) -> Option<Device> {
    let span = text.span.clone();
    match vdev::drives(&text.value) {
        Ok(drives) if drives.len() == 1 => {
            Some(Device { drives, drive_spans: vec![span], ..Device::default() })
        }
        Ok(drives) => cx.refuse(
            span,
            format!("`drive` is one drive, but {} are named", drives.len()),
            "name one; an array of several is stack = \"md\" with md = \"raid10 nvme[0-3]\"",
        ),
        Err(fix) => cx.refuse(span, format!("`{}` is not a drive", text.value.escape_debug()), fix),
    }
}

const WANTED: &str = "a level and its drives, such as \"raid10 nvme[0-3]\"";

/// Least and most of a chunk, bytes: a power of two of at least a page (mdadm(8)), and no more than md's request
/// sizes make sense of.
const CHUNKS: std::ops::RangeInclusive<u64> = 4 << 10..=64 << 20;

/// The most drives of an array with a partial parity log: bits of `disk_flush_bitmap` (raid5-ppl.c).
const MOST_WITH_PPL: usize = 64;

/// Reads `raid10 nvme[0-3] chunk=64K`; says all that is wrong with it.
fn array(cx: &Context<'_>, text: &At<String>) -> Option<Device> {
    let errors = cx.errors();
    let at = cx.places(text);
    let mut words = vdev::placed_words(&text.value).map(|(word, span)| (word, at(span)));
    let Some((word, level_span)) = words.next() else {
        return cx.refuse(text.span.clone(), "`md` is empty", format!("write {WANTED}"));
    };
    let level = MdLevel::named(word);
    if level.is_none() {
        let names = MdLevel::ALL.map(MdLevel::name);
        cx.error(
            level_span.clone(),
            format!("`{word}` is not an array level"),
            crate::diagnostic::did_you_mean(word, &names),
        );
    }
    let level = level.unwrap_or(MdLevel::Raid0);
    let mut array = Device { level: Some(level), ..Device::default() };
    let mut stated = BTreeSet::new();
    for (word, span) in words {
        if let Some((name @ ("chunk" | "consistency"), _)) = word.split_once('=')
            && !stated.insert(name)
        {
            cx.error(span, format!("`{name}=` is stated twice"), "remove one of the two");
            continue;
        }
        if let Some(size) = word.strip_prefix("chunk=") {
            array.chunk = chunk(cx, size, level, span);
            continue;
        }
        if let Some(policy) = word.strip_prefix("consistency=") {
            array.ppl = has_ppl(cx, policy, level, span);
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
    let (least, count) = (level.least_drives(), array.drives.len());
    if cx.errors() == errors && count < least {
        cx.error(
            level_span,
            format!("{} needs at least {least} drives, but {count} are named", level.name()),
            format!("name at least {least} drives: {} nvme[0-{}]", level.name(), least - 1),
        );
    }
    if cx.errors() == errors && array.ppl && count > MOST_WITH_PPL {
        cx.error(
            text.span.clone(),
            format!(
                "a partial parity log is for at most {MOST_WITH_PPL} drives, but {count} are named"
            ),
            "remove consistency=ppl, or name fewer drives",
        );
    }
    (cx.errors() == errors).then_some(array)
}

/// Whether a consistency policy is the partial parity log; says where the array cannot have it.
fn has_ppl(cx: &Context<'_>, policy: &str, level: MdLevel, span: Range<usize>) -> bool {
    match (policy, level) {
        ("ppl", MdLevel::Raid5) => return true,
        ("bitmap", _) if level.is_redundant() => {}
        ("ppl", _) => {
            let message = format!("{} cannot have a partial parity log", level.name());
            cx.error(span, message, "remove it: only raid5 can");
        }
        _ => {
            let message = format!("`{policy}` is not a consistency policy of this array");
            let fix = "write consistency=ppl (raid5) or consistency=bitmap (every level but raid0, and the default), or remove it";
            cx.error(span, message, fix);
        }
    }
    false
}

fn chunk(cx: &Context<'_>, size: &str, level: MdLevel, span: Range<usize>) -> Option<u64> {
    if level == MdLevel::Raid1 {
        return cx.refuse(span, "raid1 has no chunk size", "remove it");
    }
    match units::size(size) {
        Ok(bytes) if bytes.is_power_of_two() && CHUNKS.contains(&bytes) => Some(bytes),
        _ => cx.refuse(
            span,
            format!("`{size}` is not a valid chunk size"),
            "write a power of two, 4K to 64M: chunk=512K",
        ),
    }
}
