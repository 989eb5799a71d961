//! Settings as files that are ready to install, and as differences from what is there.

use super::choice::{Choice, Loss, Need};
use crate::format::{lab_command, printable, quoted};
use crate::setting::Target;
use facts::units::{binary, switch};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use text::Language;
use text::advice::Label;

/// A file to install.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// Its path below the root of the file system.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// A setting that has another value, or that is not set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The dataset, pool, file or drive.
    pub owner: String,
    /// The setting.
    pub name: String,
    /// Its value now; none where it is not set.
    pub now: Option<String>,
    /// Where that was read.
    pub at: Option<String>,
    /// Its value after the change.
    pub then: String,
}

/// The file of a target: its path, its first lines, and the section that its settings stand in.
fn file_of(target: &Target, language: Language) -> (&'static str, String, &'static str) {
    let (path, label, section) = match target {
        Target::Dataset(_) | Target::Pool(_) => ("zfs-set.sh", Some(Label::ReadBeforeRunning), ""),
        Target::Card => ("raid-card.sh", Some(Label::ReadBeforeRunning), ""),
        Target::Module => ("etc/modprobe.d/zfs.conf", Some(Label::RebuildInitramfs), ""),
        Target::Postgresql => {
            ("etc/postgresql/conf.d/poolwright.conf", Some(Label::IncludeInPostgresql), "")
        }
        Target::Mysql => ("etc/mysql/conf.d/poolwright.cnf", None, "[mysqld]\n"),
        Target::Mariadb => ("etc/mysql/conf.d/poolwright.cnf", None, "[mariadb]\n"),
        Target::Nfs => ("etc/nfs.conf.d/poolwright.conf", Some(Label::RestartNfs), "[nfsd]\n"),
        Target::Exports => ("etc/exports.d/poolwright.exports", Some(Label::Reexport), ""),
        // No setting of a single share is chosen.
        Target::Samba | Target::Share(_) => {
            ("etc/samba/poolwright.conf", Some(Label::IncludeInSamba), "")
        }
        Target::Udev => ("etc/udev/rules.d/60-poolwright.rules", Some(Label::ReloadUdev), ""),
    };
    let note = label.map_or_else(String::new, |label| format!("# {}\n", label.text(language)));
    let head = match path.ends_with(".sh") {
        true => format!("#!/bin/sh\n{note}set -eu\n"),
        false => note,
    };
    (path, head, section)
}

/// The files of a set of settings. Those that are only offered are comments.
pub fn files(choices: &[Choice], language: Language) -> Vec<File> {
    // Each text, and the section that it has come to.
    let mut texts: BTreeMap<&'static str, (String, &'static str)> = BTreeMap::new();
    // Datasets that the script creates where they are missing.
    let mut created: BTreeSet<&str> = BTreeSet::new();
    for choice in choices {
        let (path, head, section) = file_of(&choice.setting.target, language);
        let (text, last) = texts.entry(path).or_insert((head, ""));
        if *last != section {
            if !last.is_empty() {
                text.push('\n');
            }
            text.push_str(section);
            *last = section;
        }
        text.push('\n');
        for comment in comments(choice, language) {
            text.push_str(&format!("# {}\n", printable(&comment)));
        }
        if let Target::Dataset(dataset) = &choice.setting.target
            && created.insert(dataset)
        {
            let dataset = quoted(dataset);
            text.push_str(&format!(
                "zfs list -H -o name {dataset} >/dev/null 2>&1 || zfs create {dataset}\n"
            ));
        }
        let comment = if choice.offered { "# " } else { "" };
        text.push_str(&format!("{comment}{}\n", choice.setting.line()));
    }
    texts.into_iter().map(|(path, (text, _))| File { path: path.to_string(), text }).collect()
}

/// The comments above a setting: its reason, what it may lose, its sources, its lab.
fn comments(choice: &Choice, language: Language) -> Vec<String> {
    let filled = |label: Label, name: &str, value: &str| label.text(language).replace(name, value);
    let mut lines = Vec::new();
    if choice.offered {
        lines.push(Label::Offered.text(language).to_string());
    }
    lines.push(choice.reason.in_language(language).to_string());
    if let Some(others) = &choice.disagreement {
        lines.push(filled(Label::Disagree, "{others}", others.in_language(language)));
    }
    if let Loss::Commits { seconds } = choice.loss {
        lines.push(filled(Label::MayLose, "{seconds}", &seconds.to_string()));
    }
    let sources: Vec<String> = choice.sources.iter().map(ToString::to_string).collect();
    lines.push(filled(Label::Sources, "{sources}", &sources.join("; ")));
    if let Some(lab) = choice.lab {
        lines.push(filled(Label::Measure, "{lab}", &lab_command(lab)));
    }
    lines
}

/// What the settings would change of what is known. Settings that have their value already, and
/// those that are only offered, are left out.
pub fn differences(need: &Need, choices: &[Choice]) -> Vec<Difference> {
    choices
        .iter()
        .filter(|choice| !choice.offered)
        .filter_map(|choice| difference(need, choice))
        .collect()
}

fn difference(need: &Need, choice: &Choice) -> Option<Difference> {
    let setting = &choice.setting;
    let name = setting.name.trim_start_matches("loose_");
    let now = match setting.target {
        // What a group for MariaDB alone sets is compared with the choice for that group.
        Target::Mysql => need.system.innodb_as(false, name),
        _ => None,
    };
    let now = now.or_else(|| need.system.setting(&setting.target, name));
    let owner = match &setting.target {
        // What these hold is not read.
        Target::Nfs | Target::Exports | Target::Card => return None,
        // The value is a rule, which turns the scheduler off.
        Target::Udev if now.as_ref().is_none_or(|scheduler| scheduler.value == "none") => {
            return None;
        }
        Target::Udev => &setting.name,
        target => target.owner(),
    };
    if now.as_ref().is_some_and(|now| same(&now.value, choice.value())) {
        return None;
    }
    Some(Difference {
        owner: owner.to_string(),
        name: setting.name.clone(),
        now: now.as_ref().map(|now| now.value.clone()),
        at: now.map(|now| now.at.to_string()),
        then: choice.value().to_string(),
    })
}

/// Whether two values are the same setting: as text, as a size, or as a switch.
fn same(now: &str, then: &str) -> bool {
    let (now, then) = (now.trim(), then.trim());
    let bytes = |text: &str| binary(text.trim_end_matches(['B', 'b']));
    now.eq_ignore_ascii_case(then)
        || (switch(now).is_some() && switch(now) == switch(then))
        || (bytes(now).is_some() && bytes(now) == bytes(then))
}
