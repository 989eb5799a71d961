//! The config table: a tree of vdevs by indentation.

use crate::{Problem, ProblemKind, excerpt};
use serde::{Deserialize, Serialize};

/// A vdev of the config table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vdev {
    /// Its name: `raidz2-0`, `sda`, a path.
    pub name: String,
    /// The line it stands on.
    pub line: u32,
    /// The class it belongs to.
    pub class: Class,
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
    /// What stands behind the counts: `(resilvering)`, `too many errors`, `(untrimmed)`.
    pub note: String,
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
}

/// Allocation class of a top-level vdev.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Data.
    Normal,
    /// `logs`: the SLOG.
    Log,
    /// `cache`: the L2ARC.
    Cache,
    /// `special`.
    Special,
    /// `dedup`.
    Dedup,
    /// `spares`.
    Spare,
}

/// What a vdev is, as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VdevKind {
    /// A disk, partition or file.
    Disk,
    /// `mirror-N`.
    Mirror,
    /// `raidzP-N`.
    Raidz {
        /// 1 to 3.
        parity: u8,
    },
    /// `draidP:Dd:Cc:Ss-N`.
    Draid {
        /// 1 to 3.
        parity: u8,
        /// Data drives of a redundancy group.
        data: u32,
        /// Drives.
        children: u32,
        /// Distributed spares.
        spares: u32,
    },
    /// `draidP-N-M`: a distributed spare.
    DistributedSpare,
    /// `replacing-N`: old and new device during a replacement.
    Replacing,
    /// `spare-N`: a device and the hot spare that stands in.
    Spare,
    /// `indirect-N`: what is left of a removed vdev.
    Indirect,
}

impl VdevKind {
    /// The kind that a name in the table stands for.
    pub fn of(name: &str) -> VdevKind {
        let stem = match name.rsplit_once('-') {
            Some((stem, number)) if digits(number) => stem,
            _ => name,
        };
        match stem {
            "mirror" => VdevKind::Mirror,
            "raidz" | "raidz1" => VdevKind::Raidz { parity: 1 },
            "raidz2" => VdevKind::Raidz { parity: 2 },
            "raidz3" => VdevKind::Raidz { parity: 3 },
            "replacing" => VdevKind::Replacing,
            "spare" => VdevKind::Spare,
            "indirect" => VdevKind::Indirect,
            _ => draid(stem).unwrap_or(VdevKind::Disk),
        }
    }

    /// Whether such a vdev consists of others.
    pub fn has_parts(self) -> bool {
        !matches!(self, VdevKind::Disk | VdevKind::DistributedSpare | VdevKind::Indirect)
    }
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `draid2:8d:30c:2s`, or `draid2-0` as the stem of a distributed spare `draid2-0-1`.
fn draid(stem: &str) -> Option<VdevKind> {
    let rest = stem.strip_prefix("draid")?;
    if let Some((parity, group)) = rest.split_once('-') {
        return (digits(parity) && digits(group)).then_some(VdevKind::DistributedSpare);
    }
    let mut parts = rest.split(':');
    let parity = match parts.next()? {
        "" => 1,
        number => number.parse().ok().filter(|p| (1..=3).contains(p))?,
    };
    let (mut data, mut children, mut spares) = (0, 0, 0);
    for part in parts {
        let (number, unit) = part.split_at_checked(part.len().checked_sub(1)?)?;
        let number = number.parse().ok()?;
        match unit {
            "d" => data = number,
            "c" => children = number,
            "s" => spares = number,
            _ => return None,
        }
    }
    Some(VdevKind::Draid { parity, data, children, spares })
}

/// The pool's own row and its top-level vdevs.
pub(super) fn read(
    rows: &[(u32, String)],
    pool: &str,
    problems: &mut Vec<Problem>,
) -> (Option<Vdev>, Vec<Vdev>) {
    let mut slow = false;
    let mut class = Class::Normal;
    let mut root: Option<Vdev> = None;
    // Open vdevs from the outermost inwards, each with its indentation.
    let mut open: Vec<(usize, Vdev)> = Vec::new();
    let mut top: Vec<Vdev> = Vec::new();

    for (line, raw) in rows {
        let mut words = raw.split_whitespace();
        let Some(name) = words.next() else { continue };
        let rest: Vec<&str> = words.collect();
        if name == "NAME" && rest.first() == Some(&"STATE") {
            slow = rest.contains(&"SLOW");
            continue;
        }
        if let (Some(next), true) = (class_heading(name), rest.is_empty()) {
            settle(&mut open, &mut top, 0);
            class = next;
            continue;
        }
        let vdev = row(*line, name, &rest, class, slow, problems);
        if root.is_none() && class == Class::Normal && (name == pool || pool.is_empty()) {
            root = Some(vdev);
            continue;
        }
        let indent = indentation(raw);
        settle(&mut open, &mut top, indent);
        open.push((indent, vdev));
    }
    settle(&mut open, &mut top, 0);
    (root, adopt(top, problems))
}

fn class_heading(name: &str) -> Option<Class> {
    match name {
        "logs" | "log" => Some(Class::Log),
        "cache" => Some(Class::Cache),
        "special" => Some(Class::Special),
        "dedup" => Some(Class::Dedup),
        "spares" => Some(Class::Spare),
        _ => None,
    }
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
    class: Class,
    slow: bool,
    problems: &mut Vec<Problem>,
) -> Vdev {
    let state = rest.first().copied().unwrap_or("");
    let counts: Vec<Option<u64>> = rest.iter().skip(1).take(3).map(|w| count(w)).collect();
    let counted = counts.len() == 3 && counts.iter().all(Option::is_some);
    let note_from = match counted {
        // SLOW is a count, or `-` for a vdev that has no leaf of its own.
        true if slow => 5,
        true => 4,
        false => 1,
    };
    if !counted && !matches!(state, "AVAIL" | "INUSE" | "UNAVAIL" | "FAULTED") {
        problems.push(Problem::new(
            line,
            ProblemKind::Malformed,
            format!("no state and error counts for {:?}", excerpt(name)),
        ));
    }
    let at = |index: usize| counts.get(index).copied().flatten().filter(|_| counted);
    Vdev {
        name: name.to_string(),
        line,
        class,
        kind: VdevKind::of(name),
        state: state.to_string(),
        read: at(0),
        write: at(1),
        cksum: at(2),
        note: rest.get(note_from..).unwrap_or(&[]).join(" "),
        children: Vec::new(),
    }
}

/// An error count: `0`, `12`, `1.2K`; zfs_nicenum is decimal-looking but counts in 1024s.
fn count(word: &str) -> Option<u64> {
    crate::units::binary(word)
}

/// Where indentation was lost in pasting, a mirror stands beside its drives. Drives that follow
/// such a vdev are taken for its own, and the reader is told.
fn adopt(top: Vec<Vdev>, problems: &mut Vec<Problem>) -> Vec<Vdev> {
    let mut out: Vec<Vdev> = Vec::new();
    for vdev in top {
        match out.last_mut() {
            Some(group)
                if group.class == vdev.class
                    && group.kind.has_parts()
                    && !vdev.kind.has_parts()
                    && (group.children.is_empty()
                        || problems.iter().any(|p| p.line == group.line)) =>
            {
                if group.children.is_empty() {
                    problems.push(Problem::new(
                        group.line,
                        ProblemKind::Malformed,
                        format!(
                            "the indentation below {:?} is lost: the drives after it are taken for its own",
                            excerpt(&group.name)
                        ),
                    ));
                }
                group.children.push(vdev);
            }
            _ => out.push(vdev),
        }
    }
    for vdev in &out {
        if vdev.kind.has_parts() && vdev.children.is_empty() {
            problems.push(Problem::new(
                vdev.line,
                ProblemKind::Truncated,
                format!("{:?} has no drives in this text", excerpt(&vdev.name)),
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_kind() {
        assert_eq!(VdevKind::of("raidz3-0"), VdevKind::Raidz { parity: 3 });
        assert_eq!(VdevKind::of("raidz1"), VdevKind::Raidz { parity: 1 });
        assert_eq!(
            VdevKind::of("draid2:12d:30c:2s-0"),
            VdevKind::Draid { parity: 2, data: 12, children: 30, spares: 2 }
        );
        assert_eq!(VdevKind::of("draid2-0-1"), VdevKind::DistributedSpare);
        assert_eq!(VdevKind::of("sda-3"), VdevKind::Disk);
        assert_eq!(VdevKind::of("draidé"), VdevKind::Disk);
    }
}
