//! Parameters of the zfs and spl modules by their own names: the releases that have them, types, defaults.

pub mod words;

use crate::property::Refused;
use crate::{OpenZfs, spelling, units};
use std::sync::LazyLock;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its C type: `int`, `uint`, `long`, `ulong`, `s64`, `u64`, or `text`; `-` before 2.3.
    pub ctype: &'static str,
    /// Release lines that have it, ascending, with the default where it is a plain number.
    pub releases: Vec<((u32, u32), Option<u64>)>,
    /// What the module takes while it loads, where that is less than the C type holds: the least and the most, or words.
    taken: Vec<&'static str>,
}

/// The last point release of each line, whose sources the table was made from.
const POINT_RELEASES: [((u32, u32), u32); 4] =
    [((2, 1), 16), ((2, 2), 11), ((2, 3), 9), ((2, 4), 4)];
/// Parameters whose defaults changed between 2.1.0 and 2.1.16.
const CHANGED_IN_2_1: [&str; 5] = [
    "metaslab_aliquot", "zfetch_max_distance", "zfs_per_txg_dirty_frees_percent",
    "zfs_rebuild_vdev_limit", "zfs_scan_vdev_limit",
];

impl Parameter {
    /// Whether existence and default of a release line also hold for an older point release of it: they do where the
    /// line before has the same, and in 2.1 for all but a few. Where the point release is not known, it counts as the
    /// last.
    pub fn is_certain_in(&self, release: (u32, u32), point: Option<u32>) -> bool {
        let last = POINT_RELEASES.iter().position(|(line, _)| *line == release);
        let Some(line) =
            last.filter(|last| point.is_some_and(|point| point < POINT_RELEASES[*last].1))
        else {
            return true;
        };
        match line.checked_sub(1) {
            Some(before) => self.in_release(POINT_RELEASES[before].0) == self.in_release(release),
            None => !CHANGED_IN_2_1.contains(&self.name),
        }
    }

    /// Whether a release line has it; 2.1 stands for older ones, and the newest known for newer ones.
    pub fn exists_in(&self, release: (u32, u32)) -> bool {
        self.in_release(release).is_some()
    }

    /// Its default in a release line.
    pub fn default_in(&self, release: (u32, u32)) -> Option<u64> {
        self.in_release(release).flatten()
    }

    /// Its default in a release line that has it.
    fn in_release(&self, release: (u32, u32)) -> Option<Option<u64>> {
        let release = release.clamp((2, 1), (2, 4));
        self.releases.iter().find(|(line, _)| *line == release).map(|(_, default)| *default)
    }

    /// The least and most that the module takes: what it refuses beyond its C type while it loads, else what the C type
    /// holds; none for text.
    pub fn range(&self) -> Option<(i64, i64)> {
        self.bounds().or_else(|| self.type_range())
    }

    /// The least and the most that it takes, where the table has them.
    fn bounds(&self) -> Option<(i64, i64)> {
        match &self.taken[..] {
            [least, most] => Some((least.parse().ok()?, most.parse().ok()?)),
            _ => None,
        }
    }

    fn type_range(&self) -> Option<(i64, i64)> {
        match self.ctype {
            "int" => Some((i32::MIN.into(), i32::MAX.into())),
            "uint" => Some((0, u32::MAX.into())),
            "ulong" | "u64" => Some((0, i64::MAX)),
            "long" | "s64" => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }

    /// What it takes, in words.
    pub fn wanted(&self) -> Option<String> {
        let (min, max) = self.range()?;
        Some(match self.bounds() {
            Some(_) => format!("OpenZFS takes {min} to {max}"),
            None => format!("its C type is `{}`: {min} to {max}", self.ctype),
        })
    }
}

static ALL: LazyLock<Vec<Parameter>> =
    LazyLock::new(|| include_str!("parameters.tsv").lines().filter_map(row).collect());

fn row(row: &'static str) -> Option<Parameter> {
    let mut columns = row.split('\t').filter(|_| !row.starts_with('#'));
    let (name, ctype, releases) = (columns.next()?, columns.next()?, columns.next()?);
    let taken = columns.next().map(|taken| taken.split(' ').collect()).unwrap_or_default();
    let release = |word: &str| {
        let (release, default) = word.split_once('=').unwrap_or((word, ""));
        let (major, minor) = release.split_once('.')?;
        Some(((major.parse().ok()?, minor.parse().ok()?), default.parse().ok()))
    };
    let releases = releases.split(' ').filter_map(release).collect();
    Some(Parameter { name, ctype, releases, taken })
}

/// Every parameter of a release.
pub fn all(openzfs: OpenZfs) -> impl Iterator<Item = &'static Parameter> {
    ALL.iter().filter(move |parameter| parameter.exists_in(openzfs.number()))
}

/// A parameter of any release by name.
pub fn find(name: &str) -> Option<&'static Parameter> {
    let index = ALL.binary_search_by_key(&name, |parameter| parameter.name);
    ALL.get(index.ok()?)
}

/// The parameter of any release whose name is nearest to an unknown name.
pub fn nearest(name: &str) -> Option<&'static str> {
    spelling::nearest(name, ALL.iter().map(|parameter| parameter.name))
}

/// Looks a parameter up.
///
/// # Errors
/// A name that this release does not have, with the nearest that it has.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<&'static Parameter, Refused> {
    let found = find(name);
    if let Some(parameter) = found.filter(|parameter| parameter.exists_in(openzfs.number())) {
        return Ok(parameter);
    }
    let has = |other: &OpenZfs| found.is_some_and(|known| known.exists_in(other.number()));
    Err(Refused {
        message: match OpenZfs::ALL.into_iter().find(has) {
            Some(other) => format!(
                "OpenZFS {openzfs} has no module parameter `{name}`; OpenZFS {other} has it"
            ),
            None => format!("OpenZFS {openzfs} has no module parameter `{name}`"),
        },
        fix: match spelling::nearest(name, all(openzfs).map(|parameter| parameter.name)) {
            Some(near) if name.ends_with("_mb") => format!("did you mean `{near}`, in bytes?"),
            Some(near) => format!("did you mean `{near}`?"),
            None => "see zfs(4)".to_owned(),
        },
    })
}

/// A parameter's value as the kernel reads it: decimal, `0x` hexadecimal or octal with a leading
/// zero; no suffixes.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return u64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

/// The intended value, also with a suffix that the kernel refuses (`100G`).
pub fn intended(text: &str) -> Option<u64> {
    number(text).or_else(|| units::size(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_list_is_a_parameter_of_a_known_type() {
        for (openzfs, count) in [(OpenZfs::V2_3, 384), (OpenZfs::V2_4, 390)] {
            assert_eq!(all(openzfs).count(), count);
            assert!(all(openzfs).all(|p| matches!(
                p.ctype,
                "int" | "uint" | "long" | "ulong" | "s64" | "u64" | "text"
            )));
        }
    }

    #[test]
    fn a_parameter_of_the_other_release_is_refused_with_its_release() {
        for (name, openzfs, other) in [
            ("zil_special_is_slog", OpenZfs::V2_3, "OpenZFS 2.4 has it"),
            ("zfs_vdev_queue_depth_pct", OpenZfs::V2_4, "OpenZFS 2.3 has it"),
        ] {
            let refused = lookup(name, openzfs);
            assert!(refused.is_err_and(|e| e.message.contains(other)), "{name}");
        }
        // 2.1 had it, and no later release has.
        assert!(lookup("zfs_arc_meta_limit", OpenZfs::V2_3).is_err());
    }

    #[test]
    fn a_parameter_that_does_not_exist_leads_to_the_one_that_does() {
        let refused = lookup("l2arc_write_max_mb", OpenZfs::V2_4).map_err(|e| e.fix);
        assert_eq!(refused, Err("did you mean `l2arc_write_max`, in bytes?".to_owned()));
    }

    #[test]
    fn the_table_knows_added_and_removed_parameters() {
        assert!(ALL.len() > 400 && ALL.is_sorted_by_key(|parameter| parameter.name));
        let write_max = find("l2arc_write_max").unwrap();
        assert_eq!(write_max.default_in((2, 1)), Some(8 << 20));
        assert_eq!(write_max.default_in((2, 3)), Some(32 << 20));
        let limit = find("zfs_arc_meta_limit_percent").unwrap();
        assert!(limit.exists_in((2, 1)) && !limit.exists_in((2, 2)), "2.2 has a new ARC");
        assert!(find("l2arc_write_max_mb").is_none(), "hk-tunables");
    }

    #[test]
    fn a_wrong_name_leads_to_the_right_one() {
        assert_eq!(nearest("l2arc_write_max_mb"), Some("l2arc_write_max"));
        assert_eq!(nearest("zfs_txg_timeuot"), Some("zfs_txg_timeout"));
        assert_eq!(nearest("vm_swappiness"), None);
    }

    #[test]
    fn numbers_are_the_kernels() {
        assert_eq!(number("4294967296"), Some(1 << 32));
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("010"), Some(8));
        assert_eq!(number("100G"), None);
    }
}
