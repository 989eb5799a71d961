//! Which program a text comes from, and one call that reads any of them.

use crate::card::Card;
use crate::{
    Parsed, Problem, arcconf, json, lsblk, modprobe, mycnf, nvme_list, postgresql, properties,
    queue, smartctl, ssacli, storcli, zpool_status,
};

/// The kinds of text read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `zpool status`.
    ZpoolStatus,
    /// `zpool get` or `zfs get`.
    Properties,
    /// `lsblk -J`.
    Lsblk,
    /// `smartctl -j`.
    Smartctl,
    /// `nvme list -o json`.
    NvmeList,
    /// `storcli … J`, `perccli … J`.
    Storcli,
    /// `arcconf getconfig`.
    Arcconf,
    /// `ssacli … show config detail`.
    Ssacli,
    /// `postgresql.conf`.
    Postgresql,
    /// `my.cnf`.
    MyCnf,
    /// `/etc/modprobe.d/*.conf`.
    Modprobe,
    /// `/sys/block/*/queue/*`.
    Queue,
}

/// What was read, by format.
#[derive(Debug, Clone, PartialEq)]
pub enum Facts {
    /// `zpool status`.
    Pools(Vec<zpool_status::Pool>),
    /// `zpool get` or `zfs get`.
    Properties(properties::Properties),
    /// `lsblk -J`.
    BlockDevices(Vec<lsblk::Device>),
    /// `smartctl -j`.
    Drives(Vec<smartctl::Drive>),
    /// `nvme list -o json`.
    Namespaces(Vec<nvme_list::Namespace>),
    /// `storcli`, `perccli`, `arcconf`, `ssacli`.
    Cards(Vec<Card>),
    /// `postgresql.conf`.
    Postgresql(postgresql::Settings),
    /// `my.cnf`.
    MyCnf(mycnf::Options),
    /// `/etc/modprobe.d/*.conf`.
    Module(modprobe::ModuleOptions),
    /// `/sys/block/*/queue/*`.
    Queues(Vec<queue::Queue>),
}

/// The format of a text, from its name (a path, or empty) and, first of all, its content.
pub fn recognise(name: &str, text: &str) -> Option<Format> {
    from_json(text)
        .or_else(|| from_text(text))
        .or_else(|| from_name(name))
        .or_else(|| from_settings(text))
}

/// Reads a text as `format`.
pub fn read(format: Format, text: &str) -> Parsed<Facts> {
    fn wrap<T>(parsed: Parsed<T>, into: impl FnOnce(T) -> Facts) -> Parsed<Facts> {
        let Parsed { facts, problems } = parsed;
        let problems: Vec<Problem> = problems;
        Parsed { facts: into(facts), problems }
    }
    match format {
        Format::ZpoolStatus => wrap(zpool_status::parse(text), Facts::Pools),
        Format::Properties => wrap(properties::parse(text), Facts::Properties),
        Format::Lsblk => wrap(lsblk::parse(text), Facts::BlockDevices),
        Format::Smartctl => wrap(smartctl::parse(text), Facts::Drives),
        Format::NvmeList => wrap(nvme_list::parse(text), Facts::Namespaces),
        Format::Storcli => wrap(storcli::parse(text), Facts::Cards),
        Format::Arcconf => wrap(arcconf::parse(text), Facts::Cards),
        Format::Ssacli => wrap(ssacli::parse(text), Facts::Cards),
        Format::Postgresql => wrap(postgresql::parse(text), Facts::Postgresql),
        Format::MyCnf => wrap(mycnf::parse(text), Facts::MyCnf),
        Format::Modprobe => wrap(modprobe::parse(text), Facts::Module),
        Format::Queue => wrap(queue::parse(text), Facts::Queues),
    }
}

fn from_json(text: &str) -> Option<Format> {
    let (found, _) = json::documents(text);
    found.iter().find_map(|document| {
        [
            ("blockdevices", Format::Lsblk),
            ("smartctl", Format::Smartctl),
            ("Devices", Format::NvmeList),
            ("Controllers", Format::Storcli),
        ]
        .into_iter()
        .find(|(key, _)| document.get(key).is_some())
        .map(|(_, format)| format)
    })
}

fn from_text(text: &str) -> Option<Format> {
    let has = |test: &dyn Fn(&str) -> bool| text.lines().any(|line| test(line.trim()));
    if has(&|line| line.starts_with("pool:"))
        && has(&|line| line.starts_with("state:") || line.starts_with("config:"))
    {
        return Some(Format::ZpoolStatus);
    }
    if has(&|line| {
        let mut words = line.split_whitespace();
        words.next() == Some("NAME") && words.next() == Some("PROPERTY")
    }) {
        return Some(Format::Properties);
    }
    if has(&|line| line.starts_with("NAME") && line.contains("READ WRITE CKSUM")) {
        return Some(Format::ZpoolStatus);
    }
    if has(&|line| line.contains("/queue/")) {
        return Some(Format::Queue);
    }
    if has(&|line| line.starts_with("Controllers found:") || line == "Logical device information") {
        return Some(Format::Arcconf);
    }
    if has(&|line| line.contains(" in Slot ") && !line.contains('=')) {
        return Some(Format::Ssacli);
    }
    if has(&|line| line.starts_with("options ") && line.contains('=')) {
        return Some(Format::Modprobe);
    }
    if has(&|line| matches!(line, "[mysqld]" | "[server]" | "[mariadb]" | "[mariadbd]")) {
        return Some(Format::MyCnf);
    }
    // `zfs get -H`: four fields between tabs.
    has(&|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        fields.len() == 4 && properties::is_source(fields[3])
    })
    .then_some(Format::Properties)
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
        "shared_buffers",
        "wal_buffers",
        "full_page_writes",
        "max_wal_size",
        "effective_cache_size",
        "synchronous_commit",
        "wal_level",
        "checkpoint_timeout",
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
