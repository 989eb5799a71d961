//! Settings of a MariaDB or MySQL server by their own names, as they stand in my.cnf.
//!
//! MariaDB's list is what `mariadbd --verbose --help` of 10.11.19 and 11.8.9 name, with type, least, most and words from
//! `information_schema.SYSTEM_VARIABLES` of both. MySQL's is what `mysqld --verbose --help` of 9.7.4 and 8.0.12 name, with
//! type, least and most from `performance_schema.variables_metadata` of 9.7.4. Options that are no variable have the
//! type `option`.

mod scaled;

pub use scaled::{Scaled, data_bytes, scaled};

use crate::campaign::Sysbench;
use crate::diagnostic::{did_you_mean, nearest};
use crate::server_settings::{check_own, switch, unknown};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use zfs::property::Refused;

/// Bytes of a page where the lab does not say.
pub const PAGE: u64 = 16 << 10;

/// A server that sysbench works on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Server {
    /// MariaDB.
    #[default]
    Mariadb,
    /// MySQL.
    Mysql,
}

impl Server {
    /// Both.
    pub const ALL: [Server; 2] = [Server::Mariadb, Server::Mysql];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Server::Mariadb => "MariaDB",
            Server::Mysql => "MySQL",
        }
    }

    /// The section of a lab with its settings.
    pub fn section(self) -> &'static str {
        match self {
            Server::Mariadb => "mariadb",
            Server::Mysql => "mysql",
        }
    }

    /// The latest version of its list, as major and minor.
    fn listed(self) -> (u32, u32) {
        match self {
            Server::Mariadb => (11, 8),
            Server::Mysql => (9, 7),
        }
    }

    fn listed_name(self) -> String {
        let (major, minor) = self.listed();
        format!("{} {major}.{minor}", self.name())
    }

    /// Every setting.
    pub fn settings(self) -> impl Iterator<Item = Setting> {
        let list = match self {
            Server::Mariadb => include_str!("mariadb.txt"),
            Server::Mysql => include_str!("mysql.txt"),
        };
        list.lines().filter_map(move |line| {
            let mut words = line.split(' ');
            let mut next = || words.next();
            Some(Setting {
                server: self,
                name: next()?,
                kind: next()?,
                least: next()?,
                most: next()?,
                words: next()?,
            })
        })
    }

    /// Whether it writes a binary log where the lab does not say.
    pub fn logs_binary(self) -> bool {
        self == Server::Mysql
    }

    /// Commits for each sync of the binary log where the lab does not say; 0 for none.
    pub fn sync_binlog(self) -> u64 {
        match self {
            Server::Mariadb => 0,
            Server::Mysql => 1,
        }
    }
}

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    server: Server,
    /// Its name, with underscores.
    pub name: &'static str,
    /// `bool`, `enum`, `set`, `flags`, `integer`, `real`, `string` or `option`.
    pub kind: &'static str,
    least: &'static str,
    most: &'static str,
    words: &'static str,
}

/// Looks a setting up for a server of a version (major × 100 + minor); none is the one that is installed. Dashes stand
/// for underscores, as the server reads them. A name that only a later version than the list's may have has no entry.
///
/// # Errors
/// A name that no such server has, or one that the trial sets itself.
pub fn lookup(
    server: Server,
    name: &str,
    version: Option<u32>,
) -> Result<Option<Setting>, Refused> {
    let name = name.replace('-', "_").to_ascii_lowercase();
    check_own(&name, include_str!("own.tsv"))?;
    if let Some(setting) = server.settings().find(|s| s.name.eq_ignore_ascii_case(&name)) {
        return Ok(Some(setting));
    }
    let known: Vec<&str> = server.settings().map(|setting| setting.name).collect();
    let (major, minor) = server.listed();
    let later = version.is_some_and(|version| version > 100 * major + minor);
    if later && nearest(&name, known.iter().copied()).is_none() {
        return Ok(None);
    }
    let program = match server {
        Server::Mariadb => "mariadbd",
        Server::Mysql => "mysqld",
    };
    let list = format!(
        "see `{program} --verbose --help` for the names, or state the server's `version` under sysbench"
    );
    Err(unknown(&server.listed_name(), &name, &known, &list))
}

/// Letters that the server reads after a number.
const UNITS: [(char, u32); 6] = [('k', 10), ('m', 20), ('g', 30), ('t', 40), ('p', 50), ('e', 60)];

/// A whole number as the server reads it: `64M` is 67,108,864.
fn whole(value: &str) -> Option<i128> {
    let value = value.trim();
    let last = value.chars().last()?.to_ascii_lowercase();
    match UNITS.iter().find(|(unit, _)| *unit == last) {
        Some((_, shift)) => Some(value[..value.len() - 1].parse::<i128>().ok()? << shift),
        None => value.parse().ok(),
    }
}

impl Setting {
    /// The value as it stands in my.cnf.
    ///
    /// # Errors
    /// What the server would refuse.
    pub fn check(&self, value: &str) -> Result<String, Refused> {
        let value = value.trim();
        let refused = |fix: &str| Refused::new(format!("`{}` cannot be {value:?}", self.name), fix);
        if value.chars().any(char::is_control) {
            return Err(refused("write it in one line"));
        }
        match self.kind {
            // The server takes a name; where the log is says `directories.binlog`.
            "bool" if self.name == "log_bin" && switch(value).is_none() => {
                Err(refused("write on or off: `directories.binlog` says where it is"))
            }
            "bool" if switch(value).is_none() => Err(refused("write on or off")),
            "enum" => {
                let words: Vec<&str> = self.words.split(',').collect();
                let number = value.parse::<usize>().is_ok_and(|number| number < words.len());
                let word = words.iter().any(|word| word.eq_ignore_ascii_case(value));
                match self.words == "-"
                    || number
                    || word
                    || (switch(value).is_some() && words.contains(&"ON"))
                {
                    true => Ok(value.to_owned()),
                    false => Err(refused(&did_you_mean(value, &words))),
                }
            }
            "integer" if whole(value).is_none() => {
                Err(refused("write a whole number, or a size such as 64M or 8G"))
            }
            "real" if value.parse::<f64>().is_err() => Err(refused("write a number")),
            _ => Ok(value.to_owned()),
        }
    }

    /// What the server will run instead of a number that is out of its range, in words; none where it takes it.
    pub fn adjusted(&self, value: &str) -> Option<String> {
        let number = whole(value).filter(|_| self.kind == "integer")?;
        let (least, most) = self.range()?;
        (number < least || number > most).then(|| {
            format!(
                "{}: {} must be from {least} to {most}; the server uses {} instead of {value}",
                self.server.listed_name(),
                self.name,
                number.clamp(least, most)
            )
        })
    }

    /// Its least and its most; none where it has none.
    fn range(&self) -> Option<(i128, i128)> {
        Some((self.least.parse().ok()?, self.most.parse().ok()?))
    }

    /// Whether what a server runs is what was asked for.
    pub fn same(&self, asked: &str, runs: &str) -> bool {
        let (asked, runs) = (asked.trim(), runs.trim());
        let equal = match self.kind {
            "bool" => switch(asked) == switch(runs),
            "integer" => whole(asked) == whole(runs),
            "real" => asked.parse::<f64>().ok() == runs.parse::<f64>().ok(),
            "enum" => {
                let by_number = asked.parse::<usize>().ok();
                let word = by_number.and_then(|number| self.words.split(',').nth(number));
                word.is_some_and(|word| word.eq_ignore_ascii_case(runs))
                    || switch(asked).is_some() && switch(asked) == switch(runs)
            }
            // Sets are written in the order of the server.
            _ => self.kind != "string",
        };
        equal || asked.eq_ignore_ascii_case(runs)
    }

    /// The number that a value comes to; none where it is none.
    pub fn number(&self, value: &str) -> Option<u64> {
        u64::try_from(whole(value)?).ok()
    }
}

impl Sysbench {
    /// A whole number of its server's settings, as the server runs it: within its least and its most.
    pub fn number(&self, name: &str, default: u64) -> u64 {
        let runs = |value: &String| {
            let stated = whole(value)?;
            let range = self.server.settings().find(|setting| setting.name == name);
            let (least, most) = range.and_then(|setting| setting.range()).unwrap_or((0, i128::MAX));
            u64::try_from(stated.clamp(least, most)).ok()
        };
        self.settings.get(name).and_then(runs).unwrap_or(default)
    }

    /// The word of an enumeration of its server's settings, in small letters.
    pub fn word(&self, name: &str) -> Option<String> {
        word(self.server, &self.settings, name)
    }

    /// Whether a switch of its server's settings is on.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        self.settings.get(name).and_then(|value| switch(value)).unwrap_or(default)
    }

    /// Whether its server writes a binary log.
    pub fn logs_binary(&self) -> bool {
        self.is_on("log_bin", self.server.logs_binary())
    }
}

/// Whether MariaDB's data files are opened with O_SYNC, so that pages are durable when they are written. `method`:
/// `innodb_flush_method`; `set`: whether `innodb_data_file_write_through` is on; `since_11`: whether the release is 11.0
/// or later, none where nothing tells. Earlier ones have no such setting. From 11.0 on the deprecated method ends or begins
/// it, whatever it is set to, and `O_DIRECT` changes nothing (`innodb_init_params()` in ha_innodb.cc).
pub fn writes_pages_through(method: Option<&str>, set: bool, since_11: Option<bool>) -> bool {
    match method.unwrap_or_default().to_ascii_lowercase().as_str() {
        _ if since_11 == Some(false) => false,
        "fsync" | "0" | "littlesync" | "2" | "nosync" | "3" => false,
        // Up to 10.11 it is for the log alone.
        "o_dsync" | "1" => set || since_11 == Some(true),
        _ => set,
    }
}

/// The word of an enumeration among a server's settings, by name, in small letters; of a number the word that it stands
/// for.
pub fn word(server: Server, settings: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let value = settings.get(name)?.trim();
    let setting = server.settings().find(|setting| setting.name == name);
    let by_number = value.parse::<usize>().ok().zip(setting);
    let word = by_number.and_then(|(number, setting)| setting.words.split(',').nth(number));
    Some(word.unwrap_or(value).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str) -> Result<String, String> {
        let setting = lookup(Server::Mariadb, name, None).map_err(|refused| refused.fix)?;
        let setting = setting.ok_or_else(|| "not listed".to_owned())?;
        setting.check(value).map_err(|refused| refused.fix)
    }

    #[test]
    fn values_are_held_to_their_type() {
        for (name, value) in [
            ("innodb_buffer_pool_size", "64G"),
            ("innodb-flush-log-at-trx-commit", "2"),
            ("innodb_doublewrite", "0"),
            ("innodb_flush_method", "O_DSYNC"),
            ("innodb_flush_method", "0"),
            ("innodb_max_dirty_pages_pct", "90.5"),
            ("log_bin", "on"),
        ] {
            assert!(check(name, value).is_ok(), "{name} = {value}");
        }
        for (name, value, fix) in [
            ("innodb_buffer_pool_size", "64 gigabytes", "64M or 8G"),
            ("innodb_file_per_table", "maybe", "on or off"),
            ("innodb_flush_method", "O_DIRCT", "did you mean `O_DIRECT`"),
            ("innodb_bufer_pool_size", "1G", "did you mean `innodb_buffer_pool_size`"),
            ("log_bin", "mysql-bin", "directories.binlog"),
            ("port", "3306", "Unix socket"),
        ] {
            let why = check(name, value).unwrap_err();
            assert!(why.contains(fix), "{name} = {value}: {why}");
        }
    }

    #[test]
    fn mysql_has_settings_of_its_own() {
        let check = |name: &str, value: &str| {
            let setting = lookup(Server::Mysql, name, None).ok().flatten()?;
            setting.check(value).ok()
        };
        assert!(check("innodb_redo_log_capacity", "2G").is_some());
        assert!(check("innodb_doublewrite", "DETECT_ONLY").is_some());
        assert!(check("innodb_log_file_size", "1G").is_some(), "of 8.0");
        assert!(check("innodb_compression_algorithm", "lz4").is_none(), "MariaDB's");
        assert!(lookup(Server::Mariadb, "innodb_redo_log_capacity", None).is_err());
    }

    #[test]
    fn what_a_server_adjusts_is_known_before() {
        let setting =
            lookup(Server::Mariadb, "innodb_log_write_ahead_size", None).ok().flatten().unwrap();
        let note = setting.adjusted("16384").unwrap();
        assert!(note.contains("512 to 4096") && note.contains("uses 4096"), "{note}");
        assert_eq!(setting.adjusted("4K"), None);
    }

    #[test]
    fn what_a_server_runs_is_compared_by_its_meaning() {
        let same = |name: &str, asked: &str, runs: &str| {
            lookup(Server::Mariadb, name, None).ok().flatten().unwrap().same(asked, runs)
        };
        assert!(same("innodb_buffer_pool_size", "64M", "67108864"));
        assert!(same("innodb_doublewrite", "0", "OFF"));
        assert!(same("innodb_flush_method", "4", "O_DIRECT"));
        assert!(same("innodb_flush_method", "o_direct", "O_DIRECT"));
        assert!(!same("innodb_log_write_ahead_size", "16384", "4096"));
        assert!(!same("innodb_flush_method", "fsync", "O_DIRECT"));
    }

    #[test]
    fn a_later_version_may_have_more() {
        for (server, later) in [(Server::Mariadb, 1204), (Server::Mysql, 1001)] {
            assert_eq!(lookup(server, "xy_zzyzx_size", Some(later)), Ok(None));
            assert!(lookup(server, "xy_zzyzx_size", None).is_err());
        }
    }
}
