//! A lab template: blank, or filled in from an existing pool.

use advice::format::printable;
use advice::system::is_boot_pool;
use facts::zpool_status::{self, Pool, VdevKind};
use facts::{Parsed, Problem};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use zfs::{AllocationClass, DriveRef, Layout, Vdev, vdev};

const TEMPLATE: &str = include_str!("template.toml");
/// The profile of a log drive where nothing else is known.
const OPTANE: &str = "p1600x-118g";

fn fill(drives: &str, vdevs: &str, compare: &str) -> String {
    TEMPLATE
        .replace("@drives@", drives.trim_end())
        .replace("@vdevs@", vdevs.trim_end())
        .replace("@compare@", compare.trim_end())
}

const WITH_LOG: &str = "[factors]                     # every combination of levels is a variant\nlog = { none = \"\", mirror = \"log mirror optane[0-1]\" }";

/// A lab of four disks, with and without a log.
pub(super) fn blank() -> String {
    fill(
        "hdd    = \"4x hdd-7200-8t\"\noptane = \"2x p1600x-118g\"",
        "  mirror hdd[0-1]\n  mirror hdd[2-3]",
        WITH_LOG,
    )
}

/// A lab of the first pool in the output of `zpool status` that no machine boots from, else of the first; and notes on
/// what of the text is not in it.
///
/// # Errors
/// When it has no pool, or no readable data vdevs.
pub(super) fn from_status(text: &str) -> Result<(String, Vec<String>), String> {
    let Parsed { facts: pools, problems } = zpool_status::parse(text);
    let data = pools.iter().find(|pool| !is_boot_pool(&pool.name.value));
    let Some(pool) = data.or(pools.first()) else {
        return Err("there is no pool in this text; paste the output of `zpool status`".to_owned());
    };
    let mut kinds = Kinds::default();
    let mut vdevs: Vec<Vdev> = pool.vdevs.iter().filter_map(|vdev| kinds.vdev(vdev)).collect();
    vdev::sort(&mut vdevs);
    if !vdevs.iter().any(|vdev| vdev.class == AllocationClass::Normal) {
        return Err(format!(
            "no data vdevs of pool {} in this text; paste the whole output of `zpool status`",
            plain(&pool.name.value)
        ));
    }
    // A line for each data vdev and for each other class, whose keyword stands once.
    let same_line = |a: &Vdev, b: &Vdev| a.class == b.class && a.class != AllocationClass::Normal;
    let sentence = vdevs.chunk_by(same_line).fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "  {}", vdev::summary(line));
        all
    });
    let compare = if vdevs.iter().any(|vdev| vdev.class == AllocationClass::Log) {
        "[variants.no-log]             # compared with the pool as it is, which is called \
         `base`\nremove = \"log\""
            .to_owned()
    } else {
        let two = Kind { profile: OPTANE, count: 2, names: Vec::new() };
        kinds.0.insert("optane".to_owned(), two);
        WITH_LOG.to_owned()
    };
    let note = |problem: Problem| format!("line {}: {}", problem.line, problem.what);
    let mut notes: Vec<String> = problems.into_iter().map(note).collect();
    let others = pools.iter().map(|pool| &pool.name.value).filter(|name| **name != pool.name.value);
    let others: Vec<String> = others.cloned().collect();
    if !others.is_empty() {
        let others = printable(&others.join(", "));
        notes.push(format!(
            "the text also has {others}, which are left out: for one of them, paste its part alone"
        ));
    }
    Ok((fill(&kinds.lines(pool), &sentence, &compare), notes))
}

/// Drives of the pool by the kind that the lab gives them.
#[derive(Default)]
struct Kinds(BTreeMap<String, Kind>);

struct Kind {
    /// A built-in one.
    profile: &'static str,
    count: u32,
    /// Those that the status names.
    names: Vec<String>,
}

/// The profile of a drive: that of its model where the name tells it, else a guess by class and medium.
fn profile_of(class: AllocationClass, name: &str) -> &'static str {
    if let Some(model) = catalogue::families_of(name).find_map(|family| family.profile.as_deref()) {
        return model;
    }
    let flash = name.contains("nvme") || name.to_lowercase().contains("ssd");
    match class {
        _ if catalogue::optane(name) => OPTANE,
        _ if catalogue::protected(name) == Some(false) => "nvme-consumer-1t",
        AllocationClass::Log => OPTANE,
        AllocationClass::Special | AllocationClass::Dedup => "pm983-960g",
        AllocationClass::Cache => "pm9a3-1.92t",
        AllocationClass::Normal | AllocationClass::Spare if flash => "pm9a3-1.92t",
        AllocationClass::Normal | AllocationClass::Spare => "hdd-7200-8t",
    }
}

impl Kinds {
    fn vdev(&mut self, vdev: &zpool_status::Vdev) -> Option<Vdev> {
        let class = vdev.class;
        if vdev.kind == VdevKind::DistributedSpare {
            return None; // The dRAID's own keyword states it.
        }
        let layout = vdev.kind.layout().filter(|_| !vdev.lacks_drives())?;
        // A drive that is being replaced, or has a hot spare in use, is one drive.
        let members = if layout == Layout::Single { 1 } else { vdev.children.len() };
        let names = (0..members).map(|i| vdev.children.get(i).unwrap_or(vdev).name.clone());
        let drives = names.map(|name| self.drive(class, name)).collect();
        Some(Vdev { class, layout, drives })
    }

    fn drive(&mut self, class: AllocationClass, name: String) -> DriveRef {
        let profile = profile_of(class, &name);
        let kind = match class {
            AllocationClass::Normal if profile.starts_with("hdd") => "hdd",
            AllocationClass::Normal => "ssd",
            AllocationClass::Log if profile == OPTANE => "optane",
            AllocationClass::Log => "slog",
            AllocationClass::Cache => "nvme",
            AllocationClass::Special | AllocationClass::Dedup => "meta",
            AllocationClass::Spare => "reserve",
        };
        // Drives of other models in the same place are `hddb`, `hddc`.
        let others = ('b'..='z').map(|letter| format!("{kind}{letter}"));
        let has_room = |kind: &String| self.0.get(kind).is_none_or(|kind| kind.profile == profile);
        let mut names = std::iter::once(kind.to_owned()).chain(others);
        let kind = names.find(has_room).unwrap_or_else(|| kind.to_owned());
        let entry = self.0.entry(kind.clone());
        let known = entry.or_insert(Kind { profile, count: 0, names: Vec::new() });
        known.names.push(name);
        known.count += 1;
        DriveRef { kind, index: known.count - 1 }
    }

    fn lines(&self, pool: &Pool) -> String {
        let mut lines = format!(
            "# From pool {}. The profiles are guesses: replace them with those closest to your drives.\n",
            plain(&pool.name.value)
        );
        for (name, kind) in &self.0 {
            let names: Vec<String> = kind.names.iter().map(|name| plain(name)).collect();
            if !names.is_empty() {
                let _ = writeln!(lines, "# {name}: {}", names.join(" "));
            }
            let _ = writeln!(lines, "{name} = \"{}x {}\"", kind.count, kind.profile);
        }
        lines
    }
}

/// Makes foreign text safe for a comment.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c == '@' { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::{NoFiles, Profiles};

    fn variants(text: &str) -> Vec<String> {
        match lab::load("new.toml", text, &NoFiles, &Profiles::builtin()) {
            Ok((campaign, _)) => {
                campaign.variants.iter().map(|v| vdev::summary(&v.pool.vdevs)).collect()
            }
            Err(diagnostics) => panic!("{diagnostics:#?}\n{text}"),
        }
    }

    #[test]
    fn the_lab_to_start_from_has_no_mistake() {
        assert_eq!(
            variants(&blank()),
            [
                "mirror hdd[0-1] mirror hdd[2-3]",
                "mirror hdd[0-1] mirror hdd[2-3] log mirror optane[0-1]"
            ]
        );
    }

    #[test]
    fn a_drive_has_the_profile_of_its_model_and_a_consumer_drive_no_protected_one() {
        let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n\t  ata-SAMSUNG_MZ7LH3T8HMLT-00005_S45  ONLINE       0     0     0\n\t  ata-ST8000NM000A-2KE101_WRD0  ONLINE       0     0     0\n\tlogs\n\t  nvme-Samsung_SSD_980_PRO_500GB_S5G  ONLINE       0     0     0\n\t  nvme-INTEL_SSDPEK1A118GA_P  ONLINE       0     0     0\n\terrors: No known data errors\n";
        let Ok((text, _)) = from_status(status) else { panic!("refused") };
        for line in [
            "ssd = \"1x pm883-3.84t\"", "hdd = \"1x hdd-7200-8t\"",
            "slog = \"1x nvme-consumer-1t\"", "optane = \"1x p1600x-118g\"",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert_eq!(variants(&text)[0], "ssd0 hdd0 log slog0 optane0");
    }

    #[test]
    fn a_pasted_status_becomes_the_pool_and_one_question() {
        let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n\t  raidz2-0  ONLINE       0     0     0\n\t    sda     ONLINE       0     0     0\n\t    sdb     ONLINE       0     0     0\n\t    sdc     ONLINE       0     0     0\n\t    sdd     ONLINE       0     0     0\n\tlogs\n\t  mirror-1  ONLINE       0     0     0\n\t    nvme0n1 ONLINE       0     0     0\n\t    nvme1n1 ONLINE       0     0     0\n\tcache\n\t  nvme2n1   ONLINE       0     0     0\n\nerrors: No known data errors\n";
        let Ok(text) = from_status(status) else { panic!("refused") };
        assert_eq!(
            variants(&text.0),
            ["raidz2 hdd[0-3] log mirror optane[0-1] cache nvme0", "raidz2 hdd[0-3] cache nvme0"]
        );
        assert!(text.0.contains("# hdd: sda sdb sdc sdd"));
        assert!(text.1.is_empty(), "{:?}", text.1);
        assert!(from_status("hello").is_err());
        let cut = &status[..status.find("\tlogs").unwrap()];
        let (_, notes) = from_status(cut).unwrap();
        assert!(notes[0].starts_with("line 11: ") && notes[0].contains("paste all"), "{notes:?}");
    }
}
