//! Choices as files that are ready to install, and as differences from what is there.

use super::choice::{Choice, Loss, Need, Target};
use crate::words::{printable, quoted};
use serde::Serialize;
use std::collections::BTreeMap;

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

/// The first lines of a file.
fn head(path: &str) -> &'static str {
    match path {
        "zfs-set.sh" | "raid-card.sh" => {
            "#!/bin/sh\n# Read each line before you run this.\nset -eu\n"
        }
        "etc/mysql/conf.d/poolwright.cnf" => "[mysqld]\n",
        "etc/nfs.conf.d/poolwright.conf" => "[nfsd]\n",
        "etc/samba/poolwright.conf" => "# Include this from [global] of smb.conf.\n",
        "etc/postgresql/conf.d/poolwright.conf" => {
            "# Include this from postgresql.conf with include_dir.\n"
        }
        "etc/modprobe.d/zfs.conf" => {
            "# Afterwards: update-initramfs -u (or dracut -f), where ZFS is loaded from it.\n"
        }
        "etc/exports.d/poolwright.exports" => "# Afterwards: exportfs -ra\n",
        "etc/udev/rules.d/60-poolwright.rules" => {
            "# Afterwards: udevadm control --reload && udevadm trigger --subsystem-match=block\n"
        }
        _ => "",
    }
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
pub fn files(choices: &[Choice]) -> Vec<File> {
    let mut texts: BTreeMap<&'static str, String> = BTreeMap::new();
    for choice in choices {
        let (path, comment) = place(&choice.target);
        let text = texts.entry(path).or_insert_with(|| head(path).to_string());
        text.push('\n');
        for reason in comments(choice) {
            text.push_str(&format!("{comment} {}\n", printable(&reason)));
        }
        let line = line(choice);
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
fn comments(choice: &Choice) -> Vec<String> {
    let mut lines = vec![choice.reason.clone()];
    if choice.offered {
        lines.insert(0, "Offered, not set:".to_string());
    }
    if let Some(others) = choice.disagreement {
        lines.push(format!("Sources disagree: {others}."));
    }
    if let Loss::Commits { seconds } = choice.loss {
        lines.push(format!(
            "MAY LOSE acknowledged writes of up to {seconds} s at a power cut."
        ));
    }
    let sources: Vec<String> = choice.sources.iter().map(ToString::to_string).collect();
    lines.push(format!("Source: {}", sources.join("; ")));
    if let Some(lab) = choice.lab {
        lines.push(format!("Measure it: poolwright run {lab}"));
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
