//! Which program a text comes from, and one call that reads any of them.

use crate::card::Card;
use crate::{
    Parsed, arcconf, json, lsblk, modprobe, mycnf, nvme_list, postgresql, properties, queue,
    smartctl, ssacli, storcli, zpool_status,
};
use std::borrow::Cow;

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident: $facts:ty, $parse:path;)*) => {
        /// The kinds of text read here.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Format {
            $($(#[$doc])* $name,)*
        }

        /// What was read, by format.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Facts {
            $($(#[$doc])* $name($facts),)*
        }

        /// Reads a text as `format`.
        pub fn read(format: Format, text: &str) -> Parsed<Facts> {
            match format {
                $(Format::$name => $parse(text).map(Facts::$name),)*
            }
        }
    };
}

formats! {
    /// `zpool status`.
    ZpoolStatus: Vec<zpool_status::Pool>, zpool_status::parse;
    /// `zpool get` or `zfs get`.
    Properties: Vec<properties::Property>, properties::parse;
    /// `lsblk -J`.
    Lsblk: Vec<lsblk::Device>, lsblk::parse;
    /// `smartctl -j`.
    Smartctl: Vec<smartctl::Drive>, smartctl::parse;
    /// `nvme list -o json`.
    NvmeList: Vec<nvme_list::Namespace>, nvme_list::parse;
    /// `storcli … J`, `perccli … J`.
    Storcli: Vec<Card>, storcli::parse;
    /// `arcconf getconfig`.
    Arcconf: Vec<Card>, arcconf::parse;
    /// `ssacli … show config detail`.
    Ssacli: Vec<Card>, ssacli::parse;
    /// `postgresql.conf`.
    Postgresql: postgresql::Settings, postgresql::parse;
    /// `my.cnf`.
    MyCnf: mycnf::Options, mycnf::parse;
    /// `/etc/modprobe.d/*.conf`.
    Modprobe: Vec<modprobe::ModuleOption>, modprobe::parse;
    /// `/sys/block/*/queue/*`.
    Queue: Vec<queue::Queue>, queue::parse;
}

/// All formats that a text holds, each with the text to read as it: one text may hold JSON of several programs, and
/// output of another kind beside it. Without JSON, which no configuration file is, the name (a path, or empty) tells
/// first: a configuration file may hold words of any program in its values and comments.
pub fn formats<'a>(name: &str, text: &'a str) -> Vec<(Format, Cow<'a, str>)> {
    let (documents, _, outside) = json::documents(text);
    let mut found: Vec<(Format, Cow<str>)> = Vec::new();
    for format in documents.iter().filter_map(of_document) {
        if found.iter().all(|(known, _)| *known != format) {
            found.push((format, text.into()));
        }
    }
    if found.is_empty() {
        let format = from_name(name).or_else(|| from_text(text)).or_else(|| from_settings(text));
        return format.into_iter().map(|format| (format, text.into())).collect();
    }
    found.extend(from_text(&outside).map(|format| (format, outside.into())));
    found
}

fn of_document(document: &json::Value) -> Option<Format> {
    [
        ("blockdevices", Format::Lsblk),
        ("smartctl", Format::Smartctl),
        ("Devices", Format::NvmeList),
        ("Controllers", Format::Storcli),
    ]
    .into_iter()
    .find(|(key, _)| document.get(key).is_some())
    .map(|(_, format)| format)
}

/// Whether a line is of a format.
type Test = fn(&str) -> bool;

/// Formats by a line that only they have, the surest first.
const LINES: [(Test, Format); 8] = [
    (|line| line.split_whitespace().take(2).eq(["NAME", "PROPERTY"]), Format::Properties),
    (|line| line.starts_with("NAME") && line.contains("READ WRITE CKSUM"), Format::ZpoolStatus),
    (names_attribute, Format::Queue),
    (names_controller, Format::Arcconf),
    (names_card, Format::Ssacli),
    (sets_parameter, Format::Modprobe),
    (names_server, Format::MyCnf),
    (has_source, Format::Properties),
];

fn from_text(text: &str) -> Option<Format> {
    let has = |test: &dyn Fn(&str) -> bool| text.lines().any(|line| test(line.trim()));
    let pool = has(&|line| line.starts_with("pool:"));
    if pool && has(&|line| line.starts_with("state:") || line.starts_with("config:")) {
        return Some(Format::ZpoolStatus);
    }
    LINES.iter().find(|(test, _)| has(test)).map(|(_, format)| *format)
}

/// A heading of arcconf.
fn names_controller(line: &str) -> bool {
    line.starts_with("Controllers found:") || line == "Logical device information"
}

/// The group of a server in `my.cnf`.
fn names_server(line: &str) -> bool {
    matches!(line, "[mysqld]" | "[server]" | "[mariadb]" | "[mariadbd]")
}

/// A row of `zfs get -H`: four fields between tabs.
fn has_source(line: &str) -> bool {
    let fields: Vec<&str> = line.split('\t').collect();
    fields.len() == 4 && properties::is_source(fields[3])
}

/// `/sys/block/sda/queue/scheduler`, as `grep . /sys/block/*/queue/*` prints it, or `tail`.
fn names_attribute(line: &str) -> bool {
    let path = line.strip_prefix("==> ").unwrap_or(line);
    path.starts_with("/sys/") && path.contains("/queue/")
}

/// `Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)`, and not a sentence of a comment.
fn names_card(line: &str) -> bool {
    let slot = line.split_once(" in Slot ").map(|(_, slot)| slot);
    let number = slot.is_some_and(|slot| slot.starts_with(|c: char| c.is_ascii_digit()));
    number && !line.contains('=') && line.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `options MODULE NAME=VALUE`. A setting named options has a `=` or a quote in the place of the module.
fn sets_parameter(line: &str) -> bool {
    let name = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["options", module, parameter, ..] = words.as_slice() else { return false };
    name(module) && parameter.split_once('=').is_some_and(|(parameter, _)| name(parameter))
}

fn from_name(name: &str) -> Option<Format> {
    let file = name.rsplit('/').next().unwrap_or(name);
    if file.starts_with("postgresql") && file.ends_with(".conf") {
        Some(Format::Postgresql)
    } else if file.ends_with(".cnf") {
        Some(Format::MyCnf)
    } else if name.contains("modprobe.d") {
        Some(Format::Modprobe)
    } else {
        None
    }
}

/// A pasted postgresql.conf has no heading; these of its settings no other format has.
fn from_settings(text: &str) -> Option<Format> {
    const KNOWN: [&str; 8] = [
        "shared_buffers", "wal_buffers", "full_page_writes", "max_wal_size",
        "effective_cache_size", "synchronous_commit", "wal_level", "checkpoint_timeout",
    ];
    text.lines()
        .any(|line| {
            let word = line
                .trim_start_matches([' ', '#'])
                .split(|c: char| c == '=' || c.is_whitespace())
                .next();
            word.is_some_and(|word| KNOWN.contains(&word))
        })
        .then_some(Format::Postgresql)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognise(name: &str, text: &str) -> Option<Format> {
        formats(name, text).first().map(|(format, _)| *format)
    }

    #[test]
    fn a_text_of_several_programs_has_the_format_of_each() {
        let status = "  pool: tank\n state: ONLINE\nconfig:\n";
        let json = "{\"blockdevices\": [\n]}\n{\"smartctl\": {}}\n{\"blockdevices\": []}\n";
        let text = format!("{json}{status}");
        let found = formats("-", &text);
        let kinds: Vec<Format> = found.iter().map(|(format, _)| *format).collect();
        assert_eq!(kinds, [Format::Lsblk, Format::Smartctl, Format::ZpoolStatus]);
        assert_eq!(found[2].1.lines().nth(4), Some("  pool: tank"), "on the line where it stood");
        assert_eq!(formats("-", status), [(Format::ZpoolStatus, status.into())]);
    }

    #[test]
    fn the_name_of_a_configuration_file_comes_before_words_in_it() {
        let queue = "[mysqld]\ntmpdir = /data/queue/tmp\n";
        assert_eq!(recognise("my.cnf", queue), Some(Format::MyCnf));
        assert_eq!(recognise("-", queue), Some(Format::MyCnf));
        let archive =
            "fsync = off\narchive_command = 'cp %p /backup/queue/%f'\nwal_level = replica\n";
        assert_eq!(recognise("/etc/postgresql/postgresql.conf", archive), Some(Format::Postgresql));
        assert_eq!(recognise("-", archive), Some(Format::Postgresql));
        let slot = "# primary in Slot 3\nwal_level = replica\n";
        assert_eq!(recognise("-", slot), Some(Format::Postgresql));
        let options = "options = '-c work_mem=4MB'\nwal_level = replica\n";
        assert_eq!(recognise("-", options), Some(Format::Postgresql));
        assert_eq!(recognise("-", "options zfs zfs_arc_max=1\n"), Some(Format::Modprobe));
        assert_eq!(recognise("-", "/sys/block/sda/queue/rotational:0\n"), Some(Format::Queue));
    }
}
