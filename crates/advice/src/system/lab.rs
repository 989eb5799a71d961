//! A lab's variants as systems that are only planned.

use super::{
    DatabaseServer, Dataset, Drive, Found, Leaf, Place, Pool, PostgresFile, Properties, Property,
    System, Vdev, job,
};
use facts::{At, mycnf, postgresql};
use lab::build_commands::full_name;
use lab::campaign::{self, Campaign, Pgbench, Program, Sysbench, Variant};
use lab::mysql::Server;
use std::collections::BTreeMap;
use zfs::AllocationClass;

pub use lab::build_commands::POOL;

/// Each variant of a campaign that is a ZFS pool as a system, by its name; `text` is the lab as written, for
/// evidence with lines.
pub fn variants(campaign: &Campaign, file: &str, text: &str) -> Vec<(String, System)> {
    let lines = Lines { file, text };
    campaign
        .variants
        .iter()
        .filter(|variant| variant.is_zfs())
        .map(|variant| (variant.name.clone(), system(campaign, variant, &lines)))
        .collect()
}

/// Finds where something stands in the lab's text.
struct Lines<'a> {
    file: &'a str,
    text: &'a str,
}

impl Lines<'_> {
    /// The first line that assigns `key` or, failing that, contains it, as a word first; else the
    /// file.
    fn first_with(&self, key: &str) -> Place {
        let assigns = |row: &str| {
            row.split_once('=').is_some_and(|(left, _)| {
                let left = left.trim().trim_matches('"');
                left == key
                    || left.rsplit('.').next().is_some_and(|last| last.trim_matches('"') == key)
            })
        };
        let holds = |row: &str| {
            row.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == key)
        };
        // Comments hold no settings.
        let position = |fits: &dyn Fn(&str) -> bool| {
            self.text.lines().position(|row| !row.trim_start().starts_with('#') && fits(row))
        };
        let line = position(&assigns)
            .or_else(|| position(&holds))
            .or_else(|| position(&|row| row.contains(key)));
        self.place(line)
    }

    /// The first line that gives a drive to a vdev of the class that `word` stands for, by its own
    /// name (`hdd3`) or in a range (`hdd[0-5]`); else the first line about `word`.
    fn first_of_vdev(
        &self,
        word: &str,
        class: AllocationClass,
        drive: &campaign::DriveRef,
    ) -> Place {
        let (kind, index) = (drive.kind.as_str(), drive.index);
        let names = |token: &str| {
            let rest = token.strip_prefix(kind);
            let inside = rest.map(|rest| rest.trim_start_matches('[').trim_end_matches(']'));
            inside.is_some_and(|range| {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let number = |text: &str| text.parse::<u32>().ok();
                matches!((number(first), number(last)), (Some(a), Some(b)) if (a..=b).contains(&index))
            })
        };
        let fits = |row: &str| {
            let row = row.split('#').next().unwrap_or("");
            let mut tokens = row.split(|c: char| !c.is_ascii_alphanumeric() && !"_-[]".contains(c));
            let classed = class == AllocationClass::Normal
                || row.split_whitespace().any(|w| w.trim_matches('"') == word);
            classed && tokens.any(names)
        };
        match self.text.lines().position(fits) {
            Some(line) => self.place(Some(line)),
            None => self.first_with(word),
        }
    }

    fn place(&self, line: Option<usize>) -> Place {
        Place::new(self.file, line.map_or(0, |index| index as u32 + 1))
    }
}

fn system(campaign: &Campaign, variant: &Variant, lines: &Lines) -> System {
    let datasets = datasets(variant, lines);
    let mut system = System {
        memory: Some(Found::new(campaign.host.memory, lines.first_with("memory"))),
        openzfs: Some(Found::new(variant.openzfs.number(), lines.first_with("openzfs"))),
        pools: vec![pool(variant, lines)],
        module: variant
            .module
            .iter()
            .map(|(name, value)| {
                (name.clone(), Found::new(value.to_string(), lines.first_with(name)))
            })
            .collect(),
        drives: variant.drives.iter().flat_map(|(kind, d)| drives(kind, d, lines)).collect(),
        loads: campaign
            .workloads
            .iter()
            .flat_map(|workload| {
                // What a database asks for is not read from its scripts.
                let text = match &workload.program {
                    Program::Fio { job, .. } => job.as_str(),
                    Program::Pgbench(_)
                    | Program::Sysbench(_)
                    | Program::PgTestFsync(_)
                    | Program::Sqlite(_) => "",
                };
                job::loads(
                    text,
                    &workload.name,
                    &full_name(&workload.dataset),
                    &lines.first_with(&workload.name),
                )
            })
            .collect(),
        remarks: super::short_texts::rows(&Place::new(lines.file, 0), lines.text)
            .map(|(at, row)| Found::new(row.to_string(), at))
            .collect(),
        datasets,
        planned: true,
        ..System::default()
    };
    for workload in &campaign.workloads {
        match workload.on(variant).program {
            Program::Pgbench(pgbench) => add_postgresql(&mut system, &pgbench, lines),
            Program::Sysbench(sysbench) => add_mysql(&mut system, &sysbench, lines),
            Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => {}
        }
    }
    system
}

/// PostgreSQL's settings, and the datasets of its tables.
fn add_postgresql(system: &mut System, pgbench: &Pgbench, lines: &Lines) {
    let row = |(name, value): (&String, &String)| postgresql::Setting {
        name: name.clone(),
        value: At::new(value.clone(), lines.first_with(name).line),
    };
    let rows = pgbench.settings.iter().map(row).collect();
    let settings = postgresql::Settings { rows };
    let (name, at) = (lines.file.to_owned(), Place::new(lines.file, 0));
    let origin = at.clone();
    system.postgresql.push(PostgresFile { name, origin, at, cluster: 0, settings });
    let tables = pgbench.directories.all().filter(|(key, _)| *key != "wal");
    system
        .stated_databases
        .extend(tables.map(|(_, dataset)| (full_name(dataset), DatabaseServer::Postgresql)));
}

/// The settings of MariaDB or MySQL, and the dataset of its data.
fn add_mysql(system: &mut System, sysbench: &Sysbench, lines: &Lines) {
    let row = |(name, value): (&String, &String)| {
        let line = lines.first_with(name).line;
        mycnf::OptionRow {
            group: "mysqld".to_owned(),
            name: name.clone(),
            loose: false,
            value: Some(At::new(value.clone(), line)),
            line,
        }
    };
    let rows = sysbench.settings.iter().map(row).collect();
    let options = mycnf::Options { rows };
    system.mysql.push((Place::new(lines.file, 0), options));
    system.mysql_server = mycnf::Server {
        mariadb: Some(sysbench.server == Server::Mariadb),
        series: sysbench.version.map(|version| (version / 100, version % 100)),
    };
    system.stated_databases.push((full_name(&sysbench.directories.data), DatabaseServer::Mysql));
}

/// Datasets with what the root gives them and, for what nobody set, the defaults of the release.
fn datasets(variant: &Variant, lines: &Lines) -> Vec<Dataset> {
    let none = BTreeMap::new();
    let root = variant.datasets.get("").unwrap_or(&none);
    let names = variant.datasets.keys().map(String::as_str).filter(|name| !name.is_empty());
    std::iter::once("")
        .chain(names)
        .map(|name| {
            let own = variant.datasets.get(name).unwrap_or(&none);
            let mut properties = Properties::new();
            for (layer, local) in [(root, name.is_empty()), (own, true)] {
                for (key, value) in layer {
                    let property =
                        Property { value: value.clone(), local, at: lines.first_with(key) };
                    properties.insert(key.clone(), property);
                }
            }
            for (key, value) in zfs::property::dataset::DEFAULTS {
                properties.entry(key.to_string()).or_insert_with(|| Property {
                    value: value.to_string(),
                    local: false,
                    at: Place::new(lines.file, 0),
                });
            }
            Dataset { name: full_name(name), properties }
        })
        .collect()
}

fn pool(variant: &Variant, lines: &Lines) -> Pool {
    let mut properties: Properties = variant
        .pool
        .properties
        .iter()
        .map(|(name, value)| {
            let property =
                Property { value: value.clone(), local: true, at: lines.first_with(name) };
            (name.clone(), property)
        })
        .collect();
    let ashift = match variant.pool.ashift {
        Some(ashift) => Some((ashift, true, lines.first_with("ashift"))),
        None => believed(variant, lines).map(|(ashift, at)| (ashift, false, at)),
    };
    if let Some((ashift, local, at)) = ashift {
        let property = Property { value: ashift.to_string(), local, at };
        properties.insert("ashift".to_string(), property);
    }
    let vdevs = variant
        .pool
        .vdevs
        .iter()
        .enumerate()
        .map(|(index, vdev)| top(index, vdev, lines))
        .collect();
    Pool { name: POOL.to_string(), properties, vdevs, ..Pool::default() }
}

/// The least ashift that OpenZFS comes to by itself, where a drive in the pool reports smaller sectors than
/// it has: nothing else tells of the drive's own.
fn believed(variant: &Variant, lines: &Lines) -> Option<(u8, Place)> {
    let hides = |vdev: &&campaign::Vdev| {
        let kinds = vdev.drives.iter().filter_map(|drive| variant.drives.get(&drive.kind));
        let sectors = |kind: &campaign::DriveKind| {
            Some(kind.reported_sectors()?.physical < kind.number("physical_sector")? as u64)
        };
        kinds.filter_map(sectors).any(|less| less)
    };
    let shift = |vdev: &campaign::Vdev| variant.ashift(vdev, None);
    // A spare brings no sectors of its own, and a cache drive's are nobody else's.
    let own = |vdev: &&campaign::Vdev| {
        !matches!(vdev.class, AllocationClass::Spare | AllocationClass::Cache)
    };
    let vdevs = variant.pool.vdevs.iter().filter(own).filter(hides);
    Some((vdevs.map(shift).min()?, lines.first_with("reported_sector")))
}

fn top(index: usize, vdev: &campaign::Vdev, lines: &Lines) -> Vdev {
    let drive = vdev.drives.first().map(ToString::to_string).unwrap_or_default();
    let keyword = vdev.layout.keyword(vdev.drives.len());
    let name = keyword.map_or(drive, |keyword| format!("{keyword}-{index}"));
    let word = match vdev.class {
        AllocationClass::Normal => "vdevs",
        class => class.keyword(),
    };
    let at = match vdev.drives.first() {
        Some(drive) => lines.first_of_vdev(word, vdev.class, drive),
        None => lines.first_with(word),
    };
    let leaves =
        vdev.drives.iter().map(|drive| Leaf { name: drive.to_string(), at: at.clone() }).collect();
    Vdev { name, class: vdev.class, layout: vdev.layout, leaves, at }
}

fn drives(kind: &str, numbers: &campaign::DriveKind, lines: &Lines) -> Vec<Drive> {
    let at = lines.first_with(kind);
    let switch = |name: &str| {
        let value = numbers.numbers.get(name)?.as_bool()?;
        Some(Found::new(value, at.clone()))
    };
    let whole = |name: &str| {
        let value = numbers.number(name).filter(|v| v.is_finite() && *v >= 0.0)?;
        Some(Found::new(value as u64, at.clone()))
    };
    // A lab may ask for any count; what rules say of a kind's first thousand holds for the rest.
    (0..numbers.count.min(1000))
        .map(|index| Drive {
            name: format!("{kind}{index}"),
            model: Some(Found::new(numbers.profile.clone(), at.clone())),
            size: whole("capacity"),
            rotational: switch("rotational"),
            logical_sector: whole("logical_sector"),
            physical_sector: whole("physical_sector"),
            protected: switch("power_loss_protection"),
            ..Drive::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_points_at_the_vdevs_own_line_and_at_no_comment() {
        let text = "# a special vdev of hdd0\n[pool]\nvdevs = \"\"\"\n raidz2 hdd[0-5]\n raidz2 hdd[6-11]\n special mirror meta[0-1]\n\"\"\"\nlog = { none = \"\", one = \"log optane0\" }\n";
        let lines = Lines { file: "l", text };
        let line = |word: &str, class, kind: &str, index| {
            let drive = campaign::DriveRef { kind: kind.into(), index };
            lines.first_of_vdev(word, class, &drive).line
        };
        assert_eq!(line("vdevs", AllocationClass::Normal, "hdd", 0), 4);
        assert_eq!(line("vdevs", AllocationClass::Normal, "hdd", 6), 5);
        assert_eq!(line("special", AllocationClass::Special, "meta", 1), 6);
        assert_eq!(line("log", AllocationClass::Log, "optane", 0), 8);
        assert_eq!(lines.first_with("special").line, 6);
    }

    /// The same sectors are reported whether OpenZFS chooses the ashift or the lab states it.
    #[test]
    fn a_drive_that_hides_its_sectors_is_reported_with_or_without_a_stated_ashift() {
        let found = |claim: &str, ashift: &str| {
            let text = format!(
                "title = \"t\"\nopenzfs = \"2.4\"\n[host]\nmemory = \"16G\"\ncores = 4\n[drives]\nhdd = {{ profile = \"hdd-7200-16t\", count = 2{claim} }}\n[pool]\n{ashift}vdevs = \"mirror hdd[0-1]\"\n[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\nruntime=1\\ntime_based=1\\n\"\n"
            );
            let profiles = lab::Profiles::builtin();
            let (campaign, _) = lab::load("l.toml", &text, &lab::NoFiles, &profiles).unwrap();
            let findings = crate::audit::audit_variants(&variants(&campaign, "l.toml", &text));
            let found =
                findings.into_iter().find(|finding| finding.rule.name.starts_with("ashift"));
            found.map(|finding| (finding.rule.name, finding.evidence[0].at.line))
        };
        let claim = ", reported_sector = \"512\"";
        assert_eq!(found("", ""), None);
        assert_eq!(found(claim, ""), Some(("ashift-too-small", 7)));
        assert_eq!(found(claim, "ashift = 9\n"), Some(("ashift-too-small", 9)));
        assert_eq!(found(claim, "ashift = 12\n"), None);
    }

    #[test]
    fn a_spare_that_hides_its_sectors_makes_no_pool_smaller() {
        let found = |class: &str| {
            let text = format!(
                "title = \"t\"\nopenzfs = \"2.4\"\n[host]\nmemory = \"16G\"\ncores = 4\n[drives]\nhdd = \"2x hdd-7200-16t\"\nbad = {{ profile = \"hdd-7200-16t\", count = 1, reported_sector = \"512\" }}\n[pool]\nvdevs = \"mirror hdd[0-1] {class}bad0\"\n[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\nruntime=1\\ntime_based=1\\n\"\n"
            );
            let profiles = lab::Profiles::builtin();
            let (campaign, _) = lab::load("l.toml", &text, &lab::NoFiles, &profiles).unwrap();
            let findings = crate::audit::audit_variants(&variants(&campaign, "l.toml", &text));
            findings.iter().any(|finding| finding.rule.name == "ashift-too-small")
        };
        assert!(!found("spare "));
        assert!(found("log "), "a vdev of its own is written in such sectors");
    }
}
