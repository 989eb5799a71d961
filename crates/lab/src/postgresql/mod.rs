//! Settings of a PostgreSQL server by their own names, as they stand in postgresql.conf.
//!
//! The list is `pg_settings` of PostgreSQL 15.18 without what only a build decides: name, type, unit, least,
//! most, words.

mod scaled;

pub use scaled::{ACCOUNTS, Scaled, data_bytes, scaled};

use crate::diagnostic::{did_you_mean, nearest};
use crate::server_settings::{check_own, switch, unknown};
use zfs::property::Refused;

/// Bytes of a page.
pub const PAGE: u64 = 8192;

/// The version of the list.
pub const LISTED: u32 = 15;

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// `bool`, `enum`, `integer`, `real` or `string`.
    pub kind: &'static str,
    /// What a bare number counts: `8kB`, `ms`; `-` for nothing.
    pub unit: &'static str,
    least: &'static str,
    most: &'static str,
    words: &'static str,
}

/// Every setting.
pub fn all() -> impl Iterator<Item = Setting> {
    include_str!("settings.txt").lines().filter_map(|line| {
        let mut words = line.split(' ');
        let mut next = || words.next();
        Some(Setting {
            name: next()?,
            kind: next()?,
            unit: next()?,
            least: next()?,
            most: next()?,
            words: next()?,
        })
    })
}

/// Looks a setting up for a server of a major version; none is the newest that is installed. A name that only a
/// later version than [`LISTED`] may have, and one of an extension (`pg_stat_statements.max`), has no entry.
///
/// # Errors
/// A name that no such server has, or one that the trial sets itself.
pub fn lookup(name: &str, version: Option<u32>) -> Result<Option<Setting>, Refused> {
    check_own(name, include_str!("own.tsv"))?;
    // Case does not matter to the server.
    if let Some(setting) = all().find(|setting| setting.name.eq_ignore_ascii_case(name)) {
        return Ok(Some(setting));
    }
    let extension = name.contains('.');
    let later = version.is_some_and(|version| version > LISTED);
    if extension || later && nearest(name, all().map(|s| s.name)).is_none() {
        return Ok(None);
    }
    let known: Vec<&str> = all().map(|setting| setting.name).collect();
    let list = "see pg_settings for the names, or state the server's `version` under pgbench";
    Err(unknown(&format!("PostgreSQL {LISTED}"), name, &known, list))
}

/// Units of memory in bytes, and of time in milliseconds, as PostgreSQL writes them.
const MEMORY: [(&str, f64); 6] = [
    ("B", 1.0),
    ("kB", 1024.0),
    ("8kB", 8192.0),
    ("MB", 1_048_576.0),
    ("GB", 1_073_741_824.0),
    ("TB", 1_099_511_627_776.0),
];
const TIME: [(&str, f64); 6] = [
    ("us", 0.001),
    ("ms", 1.0),
    ("s", 1000.0),
    ("min", 60_000.0),
    ("h", 3_600_000.0),
    ("d", 86_400_000.0),
];

impl Setting {
    /// The value as the server reads it, in words that it takes.
    ///
    /// # Errors
    /// What it would refuse.
    pub fn check(&self, value: &str) -> Result<String, Refused> {
        let value = value.trim();
        let refused =
            |fix: String| Refused::new(format!("`{}` cannot be {value:?}", self.name), fix);
        if value.chars().any(char::is_control) {
            return Err(refused("write it in one line".to_owned()));
        }
        match self.kind {
            "bool" if switch(value).is_none() => Err(refused("write on or off".to_owned())),
            // Most words of a boolean past stand for `on` and `off`.
            "enum" => {
                let words: Vec<&str> = self.words.split(',').collect();
                let known = |word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
                let switch =
                    ["true", "false", "yes", "no", "1", "0"].contains(&value) && known("on");
                match known(value) || switch {
                    true => Ok(value.to_owned()),
                    false => Err(refused(did_you_mean(value, &words))),
                }
            }
            "integer" | "real" => self.number(value).map(|_| value.to_owned()).map_err(refused),
            _ => Ok(value.to_owned()),
        }
    }

    /// A number in the setting's own unit; what is wrong with it otherwise.
    fn number(&self, value: &str) -> Result<f64, String> {
        let digits = value.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(value.len());
        let (number, unit) = value.split_at(digits);
        let (units, example) = match self.unit {
            "-" => (&TIME, "a number"),
            unit if MEMORY.iter().any(|(name, _)| *name == unit) => {
                (&MEMORY, "a size such as 64MB or 8GB")
            }
            _ => (&TIME, "a time such as 200ms, 30s or 5min"),
        };
        let factor = |unit: &str| units.iter().find(|(name, _)| *name == unit).map(|(_, n)| *n);
        let number: f64 = number.trim().parse().map_err(|_| format!("write {example}"))?;
        let own = match (unit.trim(), self.unit) {
            ("", _) => number,
            (_, "-") => return Err("write a number without a unit".to_owned()),
            (unit, own) => match (factor(unit), factor(own)) {
                (Some(unit), Some(own)) => number * unit / own,
                _ => return Err(format!("write {example}")),
            },
        };
        let bound = |text: &str| text.parse::<f64>().ok();
        let (least, most) = (bound(self.least), bound(self.most));
        // As the server does, to the nearest whole one.
        let own = if self.kind == "integer" { own.round() } else { own };
        if least.is_none_or(|least| own >= least) && most.is_none_or(|most| own <= most) {
            return Ok(own);
        }
        let unit = match self.unit {
            "-" => String::new(),
            unit => format!(", in units of {unit}"),
        };
        Err(format!("write a value from {} to {}{unit}", self.least, self.most))
    }

    /// The bytes that a size comes to; none where it is none, or negative (`-1`: the server chooses).
    pub fn bytes(&self, value: &str) -> Option<u64> {
        let (_, unit) = MEMORY.iter().find(|(name, _)| *name == self.unit)?;
        let number = self.number(value.trim()).ok()?;
        (number >= 0.0).then_some((number * unit) as u64)
    }

    /// The seconds that a time comes to; none where it is none.
    pub fn seconds(&self, value: &str) -> Option<f64> {
        let (_, unit) = TIME.iter().find(|(name, _)| *name == self.unit)?;
        Some(self.number(value.trim()).ok()? * unit / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str) -> Result<String, String> {
        let setting = lookup(name, None).map_err(|refused| refused.fix)?;
        let setting = setting.ok_or_else(|| "not listed".to_owned())?;
        setting.check(value).map_err(|refused| refused.fix)
    }

    #[test]
    fn values_are_held_to_type_unit_and_range() {
        assert!(check("shared_buffers", "64GB").is_ok());
        assert!(check("shared_buffers", "16384").is_ok());
        assert!(check("full_page_writes", "off").is_ok());
        assert!(check("synchronous_commit", "remote_apply").is_ok());
        assert!(check("random_page_cost", "1.1").is_ok());
        assert!(check("wal_buffers", "-1").is_ok());
        for (name, value, fix) in [
            ("shared_buffers", "64G", "64MB or 8GB"),
            ("shared_buffers", "1kB", "16 to 1073741823, in units of 8kB"),
            ("checkpoint_timeout", "5sec", "30s or 5min"),
            ("checkpoint_timeout", "10s", "30 to 86400"),
            ("max_connections", "10kB", "without a unit"),
            ("fsync", "maybe", "on or off"),
            ("synchronous_commit", "offf", "did you mean `off`"),
            ("shared_bufers", "1GB", "did you mean `shared_buffers`"),
            ("port", "5432", "Unix socket"),
        ] {
            let why = check(name, value).unwrap_err();
            assert!(why.contains(fix), "{name} = {value}: {why}");
        }
    }

    #[test]
    fn bare_numbers_count_in_the_setting_s_unit() {
        let setting = |name: &str| lookup(name, None).ok().flatten().unwrap();
        assert_eq!(setting("shared_buffers").bytes("16384"), Some(128 << 20));
        assert_eq!(setting("max_wal_size").bytes("1GB"), Some(1 << 30));
        assert_eq!(setting("wal_buffers").bytes("-1"), None);
        assert_eq!(setting("checkpoint_timeout").seconds("5min"), Some(300.0));
        assert_eq!(setting("checkpoint_timeout").seconds("300"), Some(300.0));
    }

    #[test]
    fn a_later_version_may_have_more() {
        assert_eq!(lookup("io_combine_limit_xy", Some(17)), Ok(None));
        assert_eq!(lookup("pg_stat_statements.max", None), Ok(None));
        assert!(lookup("io_combine_limit_xy", None).is_err());
    }
}
