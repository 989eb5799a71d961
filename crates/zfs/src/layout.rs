//! How the drives of a top-level vdev are put together, and the words for it.

use serde::{Deserialize, Serialize};

/// Drives of the widest raidz vdev that nothing is said about. zpoolconcepts(7) recommends 3 to 9; this allows for a shelf
/// of 12 drives as one vdev.
pub const WIDEST_RAIDZ: u32 = 12;

/// How the drives of a vdev are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One drive.
    Single,
    /// Every drive holds everything.
    Mirror,
    /// `raidz<parity>`.
    Raidz {
        /// 1 to 3.
        parity: u32,
    },
    /// `draid<parity>:<data>d:<children>c:<spares>s`.
    Draid {
        /// 1 to 3.
        parity: u32,
        /// Data drives of a redundancy group.
        data: u32,
        /// Distributed spares.
        spares: u32,
    },
}

impl Layout {
    /// Parity of a raidz or dRAID vdev.
    pub fn parity(self) -> Option<u32> {
        match self {
            Self::Raidz { parity } | Self::Draid { parity, .. } => Some(parity),
            Self::Single | Self::Mirror => None,
        }
    }

    /// Failed drives that a vdev of `children` drives survives, whichever they are.
    pub fn tolerance(self, children: u32) -> u32 {
        match self {
            Self::Single => 0,
            Self::Mirror => children.saturating_sub(1),
            Self::Raidz { parity } | Self::Draid { parity, .. } => parity,
        }
    }

    /// Its keyword in `zpool create` for `children` drives; none for a single drive.
    pub fn keyword(self, children: usize) -> Option<String> {
        match self {
            Self::Single => None,
            Self::Mirror => Some("mirror".to_owned()),
            Self::Raidz { parity } => Some(format!("raidz{parity}")),
            Self::Draid { parity, data, spares } => {
                let spares = if spares > 0 { format!(":{spares}s") } else { String::new() };
                Some(format!("draid{parity}:{data}d:{children}c{spares}"))
            }
        }
    }

    /// The layout of a vdev that `zpool status` calls `mirror-0`, `raidz2-1`, `draid2:8d:30c:2s-0`; none for a
    /// name of another kind.
    pub fn of_status_name(name: &str) -> Option<Self> {
        let (keyword, number) = name.rsplit_once('-').unwrap_or((name, "0"));
        number.parse::<u32>().ok()?;
        match Keyword::read(keyword)?.ok()? {
            Keyword::Mirror => Some(Self::Mirror),
            Keyword::Raidz(parity) => Some(Self::Raidz { parity }),
            Keyword::Draid(parity, options) => {
                let options = DraidOptions::read(options).ok()?;
                Some(Self::Draid {
                    parity,
                    data: options.data.unwrap_or(0) as u32,
                    spares: options.spares as u32,
                })
            }
        }
    }
}

/// A layout keyword of `zpool create`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword<'a> {
    Mirror,
    Raidz(u32),
    /// Parity, and the options with their colons.
    Draid(u32, &'a str),
}

impl Keyword<'_> {
    /// Reads a word; none for one that is no layout, `Err` with the fix for one that zpool refuses.
    pub(crate) fn read(word: &str) -> Option<Result<Keyword<'_>, String>> {
        if word == "mirror" {
            return Some(Ok(Keyword::Mirror));
        }
        if word == "stripe" || word == "disk" {
            return Some(Err("a stripe needs no keyword: write its drives".to_owned()));
        }
        if let Some(number) = word.strip_prefix("mirror-") {
            number.parse::<u32>().ok()?;
            return Some(Err(
                "`zpool status` numbers its vdevs, `zpool create` does not: write `mirror`"
                    .to_owned(),
            ));
        }
        let prefix = ["raidz", "draid"].into_iter().find(|prefix| word.starts_with(prefix))?;
        let rest = &word[prefix.len()..];
        let (parity, options) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
        let parity = match parity {
            "" | "1" => 1,
            "2" => 2,
            "3" => 3,
            _ => return Some(Err(format!("write {prefix}1, {prefix}2 or {prefix}3"))),
        };
        Some(match (prefix, options) {
            ("draid", options) => Ok(Keyword::Draid(parity, options)),
            (_, "") => Ok(Keyword::Raidz(parity)),
            _ => Err(format!(
                "raidz takes no options: write raidz{parity}, or draid{parity}{options}"
            )),
        })
    }
}

/// The options of `draid[1-3][:<d>d][:<c>c][:<s>s]` as written.
#[derive(Debug, Clone, Copy, Default)]
struct DraidOptions {
    data: Option<u64>,
    children: Option<u64>,
    spares: u64,
}

impl DraidOptions {
    fn read(options: &str) -> Result<Self, String> {
        let mut read = Self::default();
        for option in options.split(':').skip(1) {
            let wrong = || {
                format!(
                    "`:{option}` is not an option: use `:<data>d`, `:<children>c` and \
                     `:<spares>s`, as in `draid2:8d:30c:2s`"
                )
            };
            let (number, suffix) =
                option.split_at(option.len() - option.chars().last().map_or(0, char::len_utf8));
            let number = number.parse().map_err(|_| wrong())?;
            match suffix {
                "d" | "D" => read.data = Some(number),
                "s" | "S" => read.spares = number,
                "c" | "C" => read.children = Some(number),
                _ => return Err(wrong()),
            }
        }
        Ok(read)
    }
}

/// Most distributed spares that zpool accepts.
const MOST_SPARES: u64 = 100;

/// The dRAID of `children` drives with the options of its keyword, by the rules of `draid_config_by_type`
/// (zpool_vdev.c); else what to do.
pub(crate) fn draid(parity: u32, options: &str, children: usize) -> Result<Layout, String> {
    let children = children as u64;
    let DraidOptions { data, children: stated, spares } = DraidOptions::read(options)?;
    if let Some(stated) = stated.filter(|stated| *stated != children) {
        return Err(format!("write :{children}c, or name {stated} drives"));
    }
    let usable = children.saturating_sub(spares).saturating_sub(parity.into());
    if spares > MOST_SPARES || usable == 0 {
        return Err(format!(
            "{spares} distributed spares and parity {parity} leave no drive of {children} for data"
        ));
    }
    let data = data.unwrap_or_else(|| usable.min(8));
    if data == 0 || data > usable {
        let so_many = if data == 0 { "too few" } else { "too many" };
        return Err(format!(
            "{data} data drives per group are {so_many}: of {children} drives, {usable} can hold \
             data besides parity {parity} and {spares} spares"
        ));
    }
    Ok(Layout::Draid { parity, data: data as u32, spares: spares as u32 })
}
