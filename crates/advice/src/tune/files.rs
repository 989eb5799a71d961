//! Choices as files that are ready to install, and as differences from what is there.

use super::choice::{Choice, Loss, Need, Target};
use crate::lang::{Label, Language, label};
use crate::words::{printable, quoted};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A file to install.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// Where it belongs, below the root of the file system.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// A setting that is there with another value, or is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The dataset, pool or file.
    pub of: String,
    /// The setting.
    pub name: String,
    /// What is there; none where nothing is.
    pub is: Option<String>,
    /// Where it was read.
    pub at: Option<String>,
    /// What it should be.
    pub should: String,
}

/// Path and comment sign of a target's file.
fn place(target: &Target) -> (&'static str, &'static str) {
    match target {
        Target::Dataset(_) | Target::Pool(_) => ("zfs-set.sh", "#"),
        Target::Module => ("etc/modprobe.d/zfs.conf", "#"),
        Target::Postgresql => ("etc/postgresql/conf.d/poolwright.conf", "#"),
        Target::Mysql => ("etc/mysql/conf.d/poolwright.cnf", "#"),
        Target::Nfs => ("etc/nfs.conf.d/poolwright.conf", "#"),
        Target::Exports => ("etc/exports.d/poolwright.exports", "#"),
        Target::Samba => ("etc/samba/poolwright.conf", "#"),
        Target::Udev => ("etc/udev/rules.d/60-poolwright.rules", "#"),
        Target::Card => ("raid-card.sh", "#"),
    }
}

/// The first lines of a file: what it must begin with, and what to do with it.
fn head(path: &str, language: Language) -> String {
    let (before, said, after) = match path {
        "zfs-set.sh" | "raid-card.sh" => {
            ("#!/bin/sh\n", Some(Label::ReadBeforeRunning), "set -eu\n")
        }
        "etc/mysql/conf.d/poolwright.cnf" => ("", None, "[mysqld]\n"),
        "etc/nfs.conf.d/poolwright.conf" => ("", Some(Label::RestartNfs), "[nfsd]\n"),
        "etc/samba/poolwright.conf" => ("", Some(Label::IncludeInSamba), ""),
        "etc/postgresql/conf.d/poolwright.conf" => ("", Some(Label::IncludeInPostgresql), ""),
        "etc/modprobe.d/zfs.conf" => ("", Some(Label::RebuildInitramfs), ""),
        "etc/exports.d/poolwright.exports" => ("", Some(Label::Reexport), ""),
        "etc/udev/rules.d/60-poolwright.rules" => ("", Some(Label::ReloadUdev), ""),
        _ => ("", None, ""),
    };
    let said = said.map_or_else(String::new, |what| format!("# {}\n", label(language, what)));
    format!("{before}{said}{after}")
}

/// A choice as a line of its file.
fn line(choice: &Choice) -> String {
    let (name, value) = (&choice.name, &choice.value);
    match &choice.target {
        Target::Dataset(dataset) => {
            format!(
                "zfs set {} {}",
                quoted(&format!("{name}={value}")),
                quoted(dataset)
            )
        }
        // ashift is stated when vdevs are made, and as the pool's default for later ones.
        Target::Pool(pool) => format!(
            "zpool set {} {}",
            quoted(&format!("{name}={value}")),
            quoted(pool)
        ),
        Target::Module => format!("options zfs {name}={value}"),
        Target::Exports => format!("{} {value}", printable(name)),
        Target::Postgresql if value.contains([' ', '\'']) => format!("{name} = '{value}'"),
        Target::Postgresql | Target::Mysql | Target::Nfs | Target::Samba => {
            format!("{name} = {value}")
        }
        Target::Udev | Target::Card => printable(value),
    }
}

/// The files of a set of choices; what is only offered stands in them as a comment.
pub fn files(choices: &[Choice], language: Language) -> Vec<File> {
    let mut texts: BTreeMap<&'static str, String> = BTreeMap::new();
    // Datasets that the script makes where they are missing.
    let mut made: BTreeSet<String> = BTreeSet::new();
    for choice in choices {
        let (path, comment) = place(&choice.target);
        let text = texts.entry(path).or_insert_with(|| head(path, language));
        text.push('\n');
        for reason in comments(choice, language) {
            text.push_str(&format!("{comment} {}\n", printable(&reason)));
        }
        let line = line(choice);
        if let Target::Dataset(dataset) = &choice.target
            && made.insert(dataset.clone())
        {
            let dataset = quoted(dataset);
            text.push_str(&format!(
                "zfs list -H -o name {dataset} >/dev/null 2>&1 || zfs create {dataset}\n"
            ));
        }
        text.push_str(&if choice.offered {
            format!("{comment} {line}\n")
        } else {
            format!("{line}\n")
        });
    }
    texts
        .into_iter()
        .map(|(path, text)| File {
            path: path.to_string(),
            text,
        })
        .collect()
}

/// What stands above a choice.
fn comments(choice: &Choice, language: Language) -> Vec<String> {
    let say = |what| label(language, what);
    let mut lines = vec![choice.reason.in_language(language).to_string()];
    if choice.offered {
        lines.insert(0, say(Label::Offered).to_string());
    }
    if let Some(others) = &choice.disagreement {
        lines.push(say(Label::Disagree).replace("{others}", others.in_language(language)));
    }
    if let Loss::Commits { seconds } = choice.loss {
        lines.push(say(Label::MayLose).replace("{seconds}", &seconds.to_string()));
    }
    let sources: Vec<String> = choice.sources.iter().map(ToString::to_string).collect();
    lines.push(say(Label::Sources).replace("{sources}", &sources.join("; ")));
    if let Some(lab) = choice.lab {
        lines.push(say(Label::Measure).replace("{lab}", lab));
    }
    lines
}

/// What the choices would change of what is known; settings that are as they should be are left
/// out, as are those that are only offered.
pub fn differences(need: &Need, choices: &[Choice]) -> Vec<Difference> {
    choices
        .iter()
        .filter(|choice| !choice.offered)
        .filter_map(|choice| {
            let (of, is) = current(need, choice)?;
            if is
                .as_ref()
                .is_some_and(|(value, _)| same(value, &choice.value))
            {
                return None;
            }
            Some(Difference {
                of,
                name: choice.name.clone(),
                is: is.as_ref().map(|(value, _)| value.clone()),
                at: is.map(|(_, at)| at),
                should: choice.value.clone(),
            })
        })
        .collect()
}

/// A value and where it was read.
type Known = (String, String);

/// Where a setting lives, and its value there with its place; none where nothing is known of it.
fn current(need: &Need, choice: &Choice) -> Option<(String, Option<Known>)> {
    let system = &need.system;
    let bare = choice.name.trim_start_matches("loose_");
    let property = |p: &crate::system::Property| (p.value.clone(), p.at.to_string());
    let found = |f: crate::system::Found<String>| (f.value, f.at.to_string());
    match &choice.target {
        Target::Dataset(name) => {
            let dataset = system.datasets.iter().find(|d| d.name == *name);
            Some((
                name.clone(),
                dataset.and_then(|d| d.get(&choice.name)).map(property),
            ))
        }
        Target::Pool(name) => Some((
            name.clone(),
            system
                .pool(name)
                .and_then(|p| p.get(&choice.name))
                .map(property),
        )),
        Target::Module => {
            let set = system.module.get(&choice.name).cloned();
            Some(("etc/modprobe.d/zfs.conf".to_string(), set.map(found)))
        }
        Target::Postgresql => Some((
            "postgresql.conf".to_string(),
            system.postgres(bare).map(found),
        )),
        Target::Mysql => Some(("my.cnf".to_string(), system.innodb(bare).map(found))),
        Target::Samba => Some((
            "smb.conf".to_string(),
            system.samba.get(&choice.name).cloned().map(found),
        )),
        Target::Udev => {
            let drive = system
                .drives
                .iter()
                .find(|drive| drive.name == choice.name)?;
            let scheduler = drive.scheduler.as_ref()?;
            if scheduler.value == "none" {
                return None;
            }
            Some((
                choice.name.clone(),
                Some((scheduler.value.clone(), scheduler.at.to_string())),
            ))
        }
        Target::Nfs | Target::Exports | Target::Card => None,
    }
}

/// Whether two values are the same setting: as text, as a size, or as a switch.
fn same(is: &str, should: &str) -> bool {
    let word = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => "on".to_string(),
        "off" | "no" | "false" | "0" => "off".to_string(),
        other => other.to_string(),
    };
    let bytes = |text: &str| facts::units::binary(text.trim().trim_end_matches(['B', 'b']));
    word(is) == word(should) || (bytes(is).is_some() && bytes(is) == bytes(should))
}
