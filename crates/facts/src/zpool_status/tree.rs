//! The config table: a tree of vdevs by indentation.

use crate::units::binary;
use crate::{Problem, excerpt, is_digits};
use zfs::{AllocationClass, Layout};

/// A vdev of the config table.
#[derive(Debug, Clone, PartialEq)]
pub struct Vdev {
    /// Its name: `raidz2-0`, `sda`, a path.
    pub name: String,
    /// The line it stands on.
    pub line: u32,
    /// The class it belongs to.
    pub class: AllocationClass,
    /// What it is, by its name.
    pub kind: VdevKind,
    /// `ONLINE`, `DEGRADED`, `AVAIL`, …; empty where the table has none.
    pub state: String,
    /// Read errors.
    pub read: Option<u64>,
    /// Write errors.
    pub write: Option<u64>,
    /// Checksum errors.
    pub cksum: Option<u64>,
    /// Its parts.
    pub children: Vec<Vdev>,
}

impl Vdev {
    /// The drives below it, or itself where it is one.
    pub fn leaves(&self) -> Vec<&Vdev> {
        if self.children.is_empty() {
            vec![self]
        } else {
            self.children.iter().flat_map(Vdev::leaves).collect()
        }
    }

    /// Whether it consists of others that the text does not have.
    pub fn lacks_drives(&self) -> bool {
        self.kind.has_parts() && self.children.is_empty()
    }

    /// Whether it is a drive and the one that replaces it or stands in.
    fn is_pair(&self) -> bool {
        matches!(self.kind, VdevKind::Replacing | VdevKind::Spare)
    }

    /// Whether one of a pair is missing.
    fn lacks_one(&self) -> bool {
        self.children.len() < 2
    }
}

/// What a vdev is, as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VdevKind {
    /// A disk, partition or file (`sda`), or drives put together (`mirror-N`, `raidzP-N`, `draidP:Dd:Cc:Ss-N`).
    Layout(Layout),
    /// `draidP-N-M`: a distributed spare.
    DistributedSpare,
    /// `replacing-N`: old and new device during a replacement.
    Replacing,
    /// `spare-N`: a device and the hot spare that stands in.
    Spare,
    /// `indirect-N`: what is left of a removed vdev.
    Indirect,
    /// A vdev with parts whose name does not tell its layout: `zpool status -g` prints numbers, a later release may have
    /// other layouts.
    Unknown,
}

impl VdevKind {
    /// The kind that a name in the table stands for.
    pub fn from_name(name: &str) -> VdevKind {
        if let Some(layout) = Layout::of_status_name(name) {
            return VdevKind::Layout(layout);
        }
        let numbers = |text: &str| text.split('-').all(is_digits);
        match name.split_once('-') {
            Some(("replacing", number)) if is_digits(number) => VdevKind::Replacing,
            Some(("spare", number)) if is_digits(number) => VdevKind::Spare,
            Some(("indirect", number)) if is_digits(number) => VdevKind::Indirect,
            Some(("draid1" | "draid2" | "draid3", group)) if numbers(group) => {
                VdevKind::DistributedSpare
            }
            _ => VdevKind::Layout(Layout::Single),
        }
    }

    /// The layout of a top-level vdev: a drive that is being replaced or stood in for is one drive. None for
    /// what is left of a removed vdev, and where it is not known.
    pub fn layout(self) -> Option<Layout> {
        match self {
            VdevKind::Layout(layout) => Some(layout),
            VdevKind::Replacing | VdevKind::Spare | VdevKind::DistributedSpare => {
                Some(Layout::Single)
            }
            VdevKind::Indirect | VdevKind::Unknown => None,
        }
    }

    /// Whether such a vdev consists of others.
    pub fn has_parts(self) -> bool {
        match self {
            VdevKind::Layout(layout) => layout != Layout::Single,
            VdevKind::Replacing | VdevKind::Spare | VdevKind::Unknown => true,
            VdevKind::DistributedSpare | VdevKind::Indirect => false,
        }
    }
}

/// Levels of the tree that are kept apart; OpenZFS has at most four. Deeper rows count as on the last.
const LEVELS: usize = 8;

/// The top-level vdevs.
pub(super) fn read(rows: &[(u32, String)], pool: &str, problems: &mut Vec<Problem>) -> Vec<Vdev> {
    let mut class = AllocationClass::Normal;
    let mut root = false;
    // Open vdevs from the outermost inwards, each with its indentation.
    let mut open: Vec<(usize, Vdev)> = Vec::new();
    let mut top: Vec<Vdev> = Vec::new();

    for (line, raw) in rows {
        let mut words = raw.split_whitespace();
        let Some(name) = words.next() else { continue };
        let rest: Vec<&str> = words.collect();
        if name == "NAME" && rest.first() == Some(&"STATE") {
            continue;
        }
        if let (Some(next), true) = (AllocationClass::of_heading(name), rest.is_empty()) {
            settle(&mut open, &mut top, 0);
            class = next;
            continue;
        }
        let vdev = row(*line, name, &rest, class, problems);
        // The row of the pool itself.
        if !root && class == AllocationClass::Normal && (name == pool || pool.is_empty()) {
            root = true;
            continue;
        }
        let indent = indentation(raw);
        settle(&mut open, &mut top, indent);
        let deepest = open.get(LEVELS - 1).map_or(indent, |(at, _)| *at);
        settle(&mut open, &mut top, deepest);
        open.push((indent.min(deepest), vdev));
    }
    settle(&mut open, &mut top, 0);
    adopt(top, problems)
}

/// Width of the blanks before the name; a tab goes to the next multiple of eight.
fn indentation(raw: &str) -> usize {
    let mut width = 0;
    for c in raw.chars() {
        match c {
            '\t' => width = width / 8 * 8 + 8,
            ' ' => width += 1,
            _ => break,
        }
    }
    width
}

/// Closes the open vdevs that a row at `indent` is not inside of.
fn settle(open: &mut Vec<(usize, Vdev)>, top: &mut Vec<Vdev>, indent: usize) {
    while let Some((at, vdev)) = open.pop() {
        if at < indent {
            open.push((at, vdev));
            return;
        }
        match open.last_mut() {
            Some((_, parent)) => parent.children.push(vdev),
            None => top.push(vdev),
        }
    }
}

fn row(
    line: u32,
    name: &str,
    rest: &[&str],
    class: AllocationClass,
    problems: &mut Vec<Problem>,
) -> Vdev {
    let state = rest.first().copied().unwrap_or("");
    // `0`, `12`, `1.2K`: zfs_nicenum is decimal-looking but counts in 1024s.
    let counts = rest.get(1..4).unwrap_or_default().iter().map(|word| binary(word));
    let counts: Vec<u64> = counts.collect::<Option<_>>().unwrap_or_default();
    if counts.is_empty() && !matches!(state, "AVAIL" | "INUSE" | "UNAVAIL" | "FAULTED") {
        let what = format!("no state and error counts for {:?}", excerpt(name));
        problems.push(Problem::new(line, what));
    }
    Vdev {
        name: name.to_string(),
        line,
        class,
        kind: VdevKind::from_name(name),
        state: state.to_string(),
        read: counts.first().copied(),
        write: counts.get(1).copied(),
        cksum: counts.get(2).copied(),
        children: Vec::new(),
    }
}

/// Where indentation was lost in pasting, a mirror stands beside its drives. Drives that follow such a vdev
/// are read as its members, and a problem is reported; the two after a replacement or a spare are read as its own.
fn adopt(top: Vec<Vdev>, problems: &mut Vec<Problem>) -> Vec<Vdev> {
    let mut out: Vec<Vdev> = Vec::new();
    for vdev in top {
        match out.last_mut() {
            Some(group)
                if group.class == vdev.class
                    && group.kind.has_parts()
                    && (!vdev.kind.has_parts() || vdev.is_pair())
                    && (!group.is_pair() || group.lacks_one())
                    && (group.children.is_empty()
                        || problems.iter().any(|p| p.line == group.line)) =>
            {
                if group.children.is_empty() {
                    let name = excerpt(&group.name);
                    let what = format!(
                        "the indentation below {name:?} is lost: the drives after it are read as its members"
                    );
                    problems.push(Problem::new(group.line, what));
                }
                let last = group.children.last_mut();
                match last.filter(|last| last.is_pair() && last.lacks_one() && !vdev.is_pair()) {
                    Some(pair) => pair.children.push(vdev),
                    None => group.children.push(vdev),
                }
            }
            _ => out.push(vdev),
        }
    }
    for vdev in &mut out {
        if vdev.kind == VdevKind::Layout(Layout::Single) && !vdev.children.is_empty() {
            vdev.kind = VdevKind::Unknown;
            let name = excerpt(&vdev.name);
            let what = format!(
                "the layout of vdev {name:?} is not known, so it is not read: give the output of zpool status without -g"
            );
            problems.push(Problem::new(vdev.line, what));
        }
        if vdev.lacks_drives() {
            let what = format!("{:?} has no drives in this text", excerpt(&vdev.name));
            problems.push(Problem::new(vdev.line, what));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_deeper_than_any_pool_count_as_on_the_last_level() {
        let rows: Vec<(u32, String)> = (0..100_000)
            .map(|level| {
                (level as u32, format!("{}vdev{level} ONLINE 0 0 0", " ".repeat(level % 300)))
            })
            .collect();
        let top = read(&rows, "tank", &mut Vec::new());
        fn depth(vdev: &Vdev) -> usize {
            1 + vdev.children.iter().map(depth).max().unwrap_or(0)
        }
        assert_eq!(top.iter().map(depth).max(), Some(LEVELS));
        fn all(vdev: &Vdev) -> usize {
            1 + vdev.children.iter().map(all).sum::<usize>()
        }
        assert_eq!(top.iter().map(all).sum::<usize>(), rows.len(), "none is lost");
    }

    #[test]
    fn a_vdev_with_parts_whose_name_tells_no_layout_is_no_single_drive() {
        let rows = ["tank", "  4428476239842394823", "    142", "    143"];
        let rows = rows.map(|row| (1, format!("{row} ONLINE 0 0 0")));
        let mut problems = Vec::new();
        let top = read(&rows, "tank", &mut problems);
        assert_eq!((top[0].kind, top[0].kind.layout()), (VdevKind::Unknown, None));
        assert!(problems[0].what.contains("without -g"), "{problems:?}");
    }

    #[test]
    fn without_indentation_a_replacement_is_a_part_of_the_mirror_before_it() {
        let rows = ["tank", "mirror-0", "replacing-0", "sdd", "sde", "sdf", "replacing-1", "sdg"];
        let rows = rows.map(|row| (1, format!("{row} ONLINE 0 0 0")));
        let top = read(&rows, "tank", &mut Vec::new());
        assert_eq!(top.len(), 1);
        let parts: Vec<(&str, usize)> =
            top[0].children.iter().map(|part| (part.name.as_str(), part.leaves().len())).collect();
        assert_eq!(parts, [("replacing-0", 2), ("sdf", 1), ("replacing-1", 1)]);
    }

    #[test]
    fn a_name_tells_the_kind() {
        assert_eq!(VdevKind::from_name("raidz3-0"), VdevKind::Layout(Layout::Raidz { parity: 3 }));
        assert_eq!(VdevKind::from_name("raidz1"), VdevKind::Layout(Layout::Raidz { parity: 1 }));
        assert_eq!(
            VdevKind::from_name("draid2:12d:30c:2s-0"),
            VdevKind::Layout(Layout::Draid { parity: 2, data: 12, spares: 2 })
        );
        assert_eq!(VdevKind::from_name("draid2-0-1"), VdevKind::DistributedSpare);
        assert_eq!(VdevKind::from_name("sda-3"), VdevKind::Layout(Layout::Single));
        assert_eq!(VdevKind::from_name("draidé"), VdevKind::Layout(Layout::Single));
    }
}
