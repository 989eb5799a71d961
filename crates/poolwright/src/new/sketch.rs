//! A lab template: blank, or filled in from an existing pool.

use advice::format::printable;
use advice::system::is_boot_pool;
use facts::zpool_status::{self, Pool, VdevKind};
use facts::{Parsed, Problem};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use zfs::{AllocationClass, DriveRef, Layout, Vdev, vdev};

const TEMPLATE: &str = include_str!("template.toml");

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
    let sentence = vdevs.iter().fold(String::new(), |mut all, one| {
        let _ = writeln!(all, "  {}", vdev::summary(std::slice::from_ref(one)));
        all
    });
    let compare = if vdevs.iter().any(|vdev| vdev.class == AllocationClass::Log) {
        "[variants.no-log]             # compared with the pool as it is, which is called \
         `base`\nremove = \"log\""
            .to_owned()
    } else {
        kinds.count.insert("optane", (2, Vec::new()));
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

/// Drives of the pool by the kind that the lab gives them: how many, and their names.
#[derive(Default)]
struct Kinds {
    count: BTreeMap<&'static str, (u32, Vec<String>)>,
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
        let flash = name.contains("nvme") || name.to_lowercase().contains("ssd");
        let kind = match class {
            AllocationClass::Normal if flash => "ssd",
            AllocationClass::Normal => "hdd",
            AllocationClass::Log => "optane",
            AllocationClass::Cache => "nvme",
            AllocationClass::Special | AllocationClass::Dedup => "meta",
            AllocationClass::Spare => "reserve",
        };
        let (count, names) = self.count.entry(kind).or_default();
        names.push(name);
        *count += 1;
        DriveRef { kind: kind.to_owned(), index: *count - 1 }
    }

    fn lines(&self, pool: &Pool) -> String {
        let mut lines = format!(
            "# From pool {}. The profiles are guesses: replace them with those closest to your drives.\n",
            plain(&pool.name.value)
        );
        for (kind, (count, names)) in &self.count {
            let profile = match *kind {
                "ssd" | "nvme" => "pm9a3-1.92t",
                "meta" => "pm983-960g",
                "optane" => "p1600x-118g",
                _ => "hdd-7200-8t",
            };
            let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
            if !names.is_empty() {
                let _ = writeln!(lines, "# {kind}: {}", names.join(" "));
            }
            let _ = writeln!(lines, "{kind} = \"{count}x {profile}\"");
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
