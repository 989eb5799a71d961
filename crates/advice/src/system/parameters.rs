//! Parameters of the zfs and spl modules: which release line has which, with which default.

use std::sync::LazyLock;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Release lines that have it, ascending, with the default where it is a plain number.
    pub releases: Vec<((u32, u32), Option<u64>)>,
}

impl Parameter {
    /// Whether a release line has it; lines newer than the newest known are taken as that.
    pub fn exists_in(&self, release: (u32, u32)) -> bool {
        self.find(release).is_some()
    }

    /// Its default in a release line.
    pub fn default_in(&self, release: (u32, u32)) -> Option<u64> {
        self.find(release).and_then(|(_, default)| *default)
    }

    fn find(&self, release: (u32, u32)) -> Option<&((u32, u32), Option<u64>)> {
        let release = release.clamp((2, 1), (2, 4));
        self.releases.iter().find(|(line, _)| *line == release)
    }
}

const TABLE: &str = include_str!("../../data/parameters.tsv");

fn line(row: &'static str) -> Option<Parameter> {
    let (name, rest) = row.split_once('\t')?;
    let releases = rest
        .split(' ')
        .filter_map(|word| {
            let (release, default) = match word.split_once('=') {
                Some((release, default)) => (release, default.parse().ok()),
                None => (word, None),
            };
            let (major, minor) = release.split_once('.')?;
            Some(((major.parse().ok()?, minor.parse().ok()?), default))
        })
        .collect();
    Some(Parameter { name, releases })
}

/// Every parameter known, sorted by name.
pub fn all() -> &'static [Parameter] {
    static ALL: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
        TABLE.lines().filter(|row| !row.starts_with('#')).filter_map(line).collect()
    });
    &ALL
}

/// A parameter by name.
pub fn find(name: &str) -> Option<&'static Parameter> {
    let index = all().binary_search_by_key(&name, |parameter| parameter.name);
    all().get(index.ok()?)
}

/// The known parameter nearest to a name that is none: at most a third of its letters differ, or
/// it is a known name with something behind it.
pub fn nearest(name: &str) -> Option<&'static Parameter> {
    if name.len() > 64 {
        return None;
    }
    all()
        .iter()
        .map(|parameter| (distance(name, parameter.name), parameter))
        .filter(|(distance, parameter)| {
            *distance <= name.len() / 3 || name.starts_with(&format!("{}_", parameter.name))
        })
        .min_by_key(|(distance, parameter)| {
            // A name that is the beginning of the wrong one is the likelier meaning.
            (!name.starts_with(parameter.name), *distance)
        })
        .map(|(_, parameter)| parameter)
}

/// Levenshtein's distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
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

/// What a value was meant to say, also one with a suffix that the kernel refuses (`100G`).
pub fn intended(text: &str) -> Option<u64> {
    number(text).or_else(|| facts::units::binary(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_knows_what_came_and_went() {
        assert!(all().len() > 400 && all().is_sorted_by_key(|parameter| parameter.name));
        let write_max = find("l2arc_write_max").unwrap();
        assert_eq!(write_max.default_in((2, 1)), Some(8 << 20));
        assert_eq!(write_max.default_in((2, 3)), Some(32 << 20));
        let limit = find("zfs_arc_meta_limit_percent").unwrap();
        assert!(limit.exists_in((2, 1)) && !limit.exists_in((2, 2)), "2.2 has a new ARC");
        assert!(find("l2arc_write_max_mb").is_none(), "hk-tunables");
    }

    #[test]
    fn a_wrong_name_leads_to_the_right_one() {
        assert_eq!(nearest("l2arc_write_max_mb").unwrap().name, "l2arc_write_max");
        assert_eq!(nearest("zfs_txg_timeuot").unwrap().name, "zfs_txg_timeout");
        assert!(nearest("vm_swappiness").is_none());
    }

    #[test]
    fn numbers_are_the_kernels() {
        assert_eq!(number("4294967296"), Some(1 << 32));
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("010"), Some(8));
        assert_eq!(number("100G"), None);
    }
}
