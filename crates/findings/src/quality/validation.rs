//! Which checks of docs/validation cover a campaign: derived from its configuration and its results.

use crate::quality::profile_numbers::used_kinds;
use crate::quality::scale::processor;
use crate::schema::{Beyond, Cell, DriveState, OtherSize, QualityIssue, SizeState, Validation};
use lab::Profiles;
use lab::campaign::{
    AllocationClass, Campaign, DriveKind, Layout, OpenZfs, Program, Stack, Variant,
};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The rows of the table in docs/validation/README.md.
const CHECKS: &str = include_str!("../../../../docs/validation/checks.toml");

/// The tables of published/, by their keys.
pub const PUBLISHED: [&str; 5] = ["fsync-2014", "hk-2025", "mysql-zfs", "nvme-raid", "zju-mirror"];
/// Releases that the reference pools were measured with.
const REFERENCE_RELEASES: [OpenZfs; 2] = [OpenZfs::V2_3, OpenZfs::V2_4];
/// Layouts of the reference pools' data vdevs.
const REFERENCE_LAYOUTS: [Layout; 2] = [Layout::Raidz { parity: 2 }, Layout::Mirror];

/// One row of the table: a figure of the machine beside one from outside it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The part it is about.
    pub part: Part,
    /// What was measured, for people.
    pub what: String,
    /// The drive profile, where `part` is a drive.
    pub profile: Option<String>,
    /// Size scale S, where `part` is the size.
    pub size: Option<f64>,
    /// Who states the figure.
    pub reference: String,
    /// The figure, or the two ends of a range, in `unit`.
    pub published: Figure,
    /// The machine's, in `unit`.
    pub machine: f64,
    /// Unit of both.
    pub unit: String,
    /// Whether no number of the model was chosen by this figure.
    pub held_out: bool,
    /// What follows, for people.
    pub verdict: String,
    /// How the machine's figure was measured.
    pub command: String,
    /// When: `2026-11-24`.
    pub date: String,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A drive's timing model.
    Drive,
    /// Linux, OpenZFS and fio together.
    Pool,
    /// Charges for compute.
    Processor,
    /// The size scale: `published` is the rate at the smallest S.
    Size,
}

/// A published figure.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// One number.
    One(f64),
    /// Lower and upper end.
    Range(f64, f64),
}

impl Row {
    /// Machine ÷ published; of a range the nearer end, and 1 within it.
    pub fn ratio(&self) -> f64 {
        match self.published {
            Figure::One(value) => self.machine / value,
            Figure::Range(low, high) => self.machine / self.machine.clamp(low, high),
        }
    }
}

/// Every row of docs/validation/checks.toml, in its order.
pub fn rows() -> &'static [Row] {
    #[derive(Deserialize)]
    struct File {
        check: Vec<Row>,
    }
    // A test reads the file, so that it is never unreadable here.
    static ALL: LazyLock<Vec<Row>> =
        LazyLock::new(|| toml::from_str::<File>(CHECKS).map_or_else(|_| Vec::new(), |f| f.check));
    &ALL
}

/// What of docs/validation covers a campaign, the parts nearest to the drives first.
pub fn covered(
    campaign: &Campaign,
    size: f64,
    cells: &[Cell],
    other_sizes: &[OtherSize],
) -> Vec<Validation> {
    let mut all = drives(campaign);
    all.push(Validation::Pool { beyond: beyond(campaign) });
    let run: Vec<&Cell> = cells.iter().filter(|cell| cell.trials.all() > 0).collect();
    let bound = |cell: &&&Cell| {
        let mut issues = cell.issues.iter();
        issues.any(|i| matches!(i.issue, QualityIssue::ProcessorBound { .. }))
    };
    all.push(Validation::Processor {
        processor: processor(campaign),
        bound: run.iter().filter(bound).count() as u32,
        cells: run.len() as u32,
    });
    all.push(Validation::Size { size, state: size_state(size, other_sizes) });
    // A lab may name several, separated by commas.
    let sources = campaign.source.iter().flat_map(|source| source.split(','));
    let keys = sources.map(str::trim).filter(|key| PUBLISHED.contains(key));
    all.extend(keys.map(|key| Validation::Published { key: key.to_owned() }));
    all.push(Validation::Network);
    all
}

/// Every kind of drive that takes part, by kind and profile.
fn drives(campaign: &Campaign) -> Vec<Validation> {
    let profiles = Profiles::builtin();
    let state = |kind: &DriveKind| {
        let Some(Ok(profile)) = profiles.get(&kind.profile) else {
            return DriveState::Own;
        };
        let stated = serde_json::to_value(&profile).ok();
        match stated.is_some_and(|stated| stated == kind.numbers) {
            true => compared(&kind.profile),
            false => DriveState::Changed,
        }
    };
    used_kinds(campaign)
        .into_iter()
        .map(|((name, profile), kind)| Validation::Drive {
            kind: name.to_owned(),
            profile: profile.to_owned(),
            state: state(kind),
        })
        .collect()
}

/// The rows of a profile, counted.
fn compared(profile: &str) -> DriveState {
    let mine = |c: &&Row| c.part == Part::Drive && c.profile.as_deref() == Some(profile);
    let (held_out, fitted): (Vec<&Row>, Vec<&Row>) =
        rows().iter().filter(mine).partition(|c| c.held_out);
    if held_out.is_empty() && fitted.is_empty() {
        return DriveState::NotCompared;
    }
    let off = held_out.iter().map(|c| (c.ratio() - 1.0).abs());
    DriveState::Compared {
        worst: off.reduce(f64::max),
        held_out: held_out.len() as u32,
        fitted: fitted.len() as u32,
    }
}

/// What the campaign has that the reference pools have not, each once.
fn beyond(campaign: &Campaign) -> Vec<Beyond> {
    let mut found = BTreeSet::new();
    for variant in &campaign.variants {
        match &variant.stack {
            Stack::Zfs => pool_beyond(variant, &mut found),
            Stack::Filesystem(on_drives) => {
                found.insert(Beyond::Stack { stack: on_drives.name().to_owned() });
            }
        }
    }
    for workload in &campaign.workloads {
        if !matches!(workload.program, Program::Fio { .. }) {
            found.insert(Beyond::Client { workload: workload.name.clone() });
        }
    }
    found.into_iter().collect()
}

/// What a pool has that the reference pools have not.
fn pool_beyond(variant: &Variant, found: &mut BTreeSet<Beyond>) {
    if !REFERENCE_RELEASES.contains(&variant.openzfs) {
        found.insert(Beyond::Release { release: variant.openzfs.name().to_owned() });
    }
    for vdev in &variant.pool.vdevs {
        match vdev.class {
            AllocationClass::Normal if !REFERENCE_LAYOUTS.contains(&vdev.layout) => {
                found.insert(Beyond::Layout { layout: layout(vdev.layout) });
            }
            AllocationClass::Log if vdev.drives.iter().any(|d| on_disks(variant, &d.kind)) => {
                found.insert(Beyond::LogOnDisks);
            }
            AllocationClass::Dedup => {
                found.insert(Beyond::Dedup);
            }
            AllocationClass::Normal
            | AllocationClass::Log
            | AllocationClass::Cache
            | AllocationClass::Special
            | AllocationClass::Spare => {}
        }
    }
}

fn on_disks(variant: &Variant, kind: &str) -> bool {
    let kind = variant.drives.get(kind);
    kind.is_some_and(|k| matches!(k.numbers["kind"].as_str(), Some("hdd" | "card")))
}

/// As `zpool create` names it.
fn layout(layout: Layout) -> String {
    match layout {
        Layout::Single => "stripe".to_owned(),
        Layout::Mirror => "mirror".to_owned(),
        Layout::Raidz { parity } => format!("raidz{parity}"),
        Layout::Draid { parity, .. } => format!("draid{parity}"),
    }
}

fn size_state(size: f64, other_sizes: &[OtherSize]) -> SizeState {
    if size <= 1.0 {
        return SizeState::Whole;
    }
    if !other_sizes.is_empty() {
        return SizeState::Measured {
            cells: other_sizes.len() as u32,
            moved: other_sizes.iter().filter(|o| o.moves).count() as u32,
        };
    }
    let of_size = rows().iter().filter(|c| c.part == Part::Size);
    let sizes: Vec<f64> = of_size.filter_map(|c| c.size).collect();
    let from = sizes.iter().copied().reduce(f64::min);
    let to = sizes.iter().copied().reduce(f64::max);
    match (from, to) {
        (Some(from), Some(to)) if (from..=to).contains(&size) => SizeState::Elsewhere { from, to },
        _ => SizeState::Unchecked { from, to },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        toml::from_str::<toml::Table>(CHECKS).unwrap();
        let all = rows();
        assert!(!all.is_empty());
        let profiles = Profiles::builtin();
        for check in all {
            let what = &check.what;
            let known = check.profile.as_deref().map(|p| profiles.get(p).is_some());
            assert_eq!(known, (check.part == Part::Drive).then_some(true), "{what}");
            assert_eq!(check.size.is_some(), check.part == Part::Size, "{what}");
            assert!(check.ratio().is_finite() && check.ratio() > 0.0, "{what}");
            for text in [what, &check.reference, &check.unit, &check.verdict, &check.command] {
                assert!(!text.is_empty() && !text.contains(['|', '\n']), "{what}");
            }
            assert_eq!(check.date.len(), "2026-11-24".len(), "{what}");
        }
    }

    #[test]
    fn a_ratio_is_to_the_nearer_end_of_a_range() {
        let mut check = rows()[0].clone();
        let mut ratio = |machine: f64| {
            (check.published, check.machine) = (Figure::Range(100.0, 200.0), machine);
            check.ratio()
        };
        assert_eq!((ratio(50.0), ratio(150.0), ratio(300.0)), (0.5, 1.0, 1.5));
    }
}
