//! All figures of one layout of one kind of drive, and of a pool of several.

use crate::drive::{Drive, Drives};
use crate::layout::{Layout, RaidProvider, Scheme};
use crate::rebuild::{self, Conditions, Rebuild};
use crate::reliability::{self, Assumptions, Rates, Reliability};
use crate::space::{self, PoolSpace};
use crate::speed::{self, Speed};
use crate::tolerance::{self, Tolerance};
use serde::{Deserialize, Serialize};
use zfs::Layout::{Mirror, Raidz};
use zfs::layout::WIDEST_RAIDZ;

/// Bytes at the front of a member that md keeps for itself on drives of a terabyte and more:
/// 264,192 sectors, as `mdadm -E` prints for its default (superblock 1.2, `super1.c`).
const MD_RESERVED: u64 = 264_192 * 512;
/// Bytes of a drive that a RAID card keeps: 512 MiB for the DDF area (SNIA DDF; Broadcom).
/// Microchip cards keep 32 MiB (`arcconf` prints Reserved Size).
const CARD_RESERVED: u64 = 512 << 20;

/// The options of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Bytes of a block: the recordsize or volblocksize of the data.
    pub recordsize: u64,
    /// Whether ZFS gets whole disks, and partitions them, or devices as they are.
    pub whole_disks: bool,
    /// The conditions of a rebuild.
    pub conditions: Conditions,
    /// Assumptions about failures.
    pub assumptions: Assumptions,
    /// Maximum number of simultaneous failures to consider.
    pub failures: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            recordsize: 128 << 10,
            whole_disks: true,
            conditions: Conditions::default(),
            assumptions: Assumptions::default(),
            failures: 6,
        }
    }
}

/// The numbers of one layout of one kind of drive, ready to be added to others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The layout.
    pub layout: Layout,
    /// Deflated bytes of its vdevs.
    pub dspace: u64,
    /// Deflated bytes of the embedded log.
    pub embedded_log: u64,
    /// Bytes of files at the recordsize before slop is taken off.
    pub data: f64,
    /// Bytes that the pool allocates from, with parity.
    pub raw: u64,
    /// Rebuild of one drive.
    pub rebuild: Option<Rebuild>,
    /// Losses a year.
    pub rates: Rates,
    /// Speed at the recordsize.
    pub speed: Speed,
    /// Money, where every drive has a price.
    pub price: Option<f64>,
}

/// The numbers of `layout` of `drive`s.
pub fn part(layout: &Layout, drive: &Drive, options: &Options) -> Part {
    let (dspace, embedded_log, data, raw, held) = match layout.geometry() {
        Some(geometry) => {
            let device = match options.whole_disks {
                true => space::partition(drive.bytes, drive.sector),
                false => drive.bytes,
            };
            let vdev = space::vdev(geometry, device, drive.ashift, true);
            let groups = u64::from(layout.groups);
            let efficiency = geometry.efficiency(options.recordsize, drive.ashift);
            let members = match layout.scheme {
                Scheme::Zfs(Mirror) => 1.0,
                // A dRAID's drives all hold data; the spares' share of each is empty.
                _ => f64::from(layout.width),
            };
            (
                groups * vdev.dspace,
                groups * vdev.embedded_dspace,
                groups as f64 * vdev.space as f64 * efficiency,
                groups * (vdev.space + vdev.embedded_log),
                vdev.space as f64 / members,
            )
        }
        None => {
            let reserved = match layout.scheme {
                Scheme::Raid { by: RaidProvider::Card, .. } => CARD_RESERVED,
                _ => MD_RESERVED,
            };
            let each = drive.bytes.saturating_sub(reserved) / (1 << 20) * (1 << 20);
            let bytes = (layout.data_drives() * each as f64) as u64;
            (bytes, 0, bytes as f64, bytes, each as f64)
        }
    };
    let rebuild = rebuild::estimate(layout, drive, held, &options.conditions);
    Part {
        layout: *layout,
        dspace,
        embedded_log,
        data,
        raw,
        rebuild,
        rates: reliability::rates(
            layout,
            drive.afr,
            drive.ure,
            rebuild.as_ref(),
            &options.assumptions,
        ),
        speed: speed::estimate(layout, drive, options.recordsize),
        price: drive.price.map(|price| price * f64::from(layout.drives())),
    }
}

/// The figures by which layouts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// USED + AVAIL of the root dataset, or bytes of a RAID's block device.
    pub usable: u64,
    /// Bytes of files at the recordsize.
    pub holds: u64,
    /// Failures survived whichever they are.
    pub survives: u32,
    /// Losses a year, by failed drives and by unreadable sectors.
    pub losses: f64,
    /// Longest rebuild of a drive, hours; 0 where nothing can be rebuilt.
    pub rebuild_h: f64,
    /// Random reads a second at the recordsize.
    pub read_iops: f64,
    /// Bytes a second of large sequential writes.
    pub stream_write: f64,
    /// Money, none when a drive has no price.
    pub price: Option<f64>,
}

/// Sums over the parts of a pool, or those of the one RAID, of which nothing is kept back.
fn sums(parts: &[&Part]) -> (PoolSpace, Rates, Speed) {
    let dspace = parts.iter().map(|part| part.dspace).sum();
    let embedded_log = parts.iter().map(|part| part.embedded_log).sum();
    let space = match parts.iter().all(|part| part.layout.is_zfs()) {
        true => PoolSpace::of(dspace, embedded_log),
        false => PoolSpace { dspace, slop: 0, embedded_log, usable: dspace },
    };
    let rates = parts.iter().fold(Rates::default(), |sum, part| sum.and(part.rates));
    let speed = parts.iter().fold(Speed::default(), |sum, part| sum.and(part.speed));
    (space, rates, speed)
}

/// The score of a pool made of these parts, or of the one RAID.
pub fn score(parts: &[&Part]) -> Score {
    let (PoolSpace { dspace, usable, .. }, rates, speed) = sums(parts);
    let share = if dspace == 0 { 0.0 } else { usable as f64 / dspace as f64 };
    let data = parts.iter().fold(0.0, |sum, part| sum + part.data);
    let price = |sum: f64, part: &&Part| Some(sum + part.price?);
    Score {
        usable,
        holds: (data * share) as u64,
        survives: parts.iter().map(|part| part.layout.tolerance()).min().unwrap_or(0),
        losses: rates.failure + rates.read_error,
        rebuild_h: longest(parts, |rebuild| rebuild.hours),
        read_iops: speed.read_iops,
        stream_write: speed.stream_write,
        price: parts.iter().try_fold(0.0, price),
    }
}

/// The longest of some hours of the rebuilds; 0 where nothing can be rebuilt.
fn longest(parts: &[&Part], hours: fn(&Rebuild) -> f64) -> f64 {
    parts.iter().filter_map(|part| part.rebuild.as_ref().map(hours)).fold(0.0, f64::max)
}

/// Everything about one pool, for showing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Its name.
    pub name: String,
    /// Its parts: kind of drive, layout, vdevs in `zpool create`'s grammar (none for a RAID).
    pub parts: Vec<ShownPart>,
    /// What it is compared by.
    pub score: Score,
    /// Its space as ZFS accounts it; none for a RAID.
    pub space: Option<PoolSpace>,
    /// Capacity of all its drives, bytes.
    pub raw: u64,
    /// Which failures it survives.
    pub tolerance: Tolerance,
    /// Hours from a failure to full redundancy, the wait for a drive included.
    pub exposed_h: f64,
    /// How often data is lost.
    pub reliability: Reliability,
    /// Most that the drives give.
    pub speed: Speed,
    /// Whether no other layout of the plan is as good in everything and better in something.
    pub front: bool,
    /// Variants of a lab that are built so.
    pub own: Vec<String>,
    /// A layout shown that is at least as good in every figure.
    pub dominated_by: Option<String>,
    /// Remarks about it.
    pub notes: Vec<Note>,
}

/// One part of a pool, for showing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownPart {
    /// Kind of drive.
    pub kind: String,
    /// Drives it uses.
    pub drives: u32,
    /// The layout.
    pub layout: Layout,
    /// Vdevs, one a line.
    pub vdevs: Option<String>,
    /// Share of allocated space that is data, at the recordsize.
    pub efficiency: f64,
}

/// A remark about a layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// At this recordsize padding and parity take more than they do of 128K blocks; share of what
    /// `zfs list` shows that files can fill.
    Padding(f64),
    /// Raidz wider than [`WIDEST_RAIDZ`]: long resilvers, poor random reads.
    Wide(u32),
    /// A second drive, or a sector, lost during a rebuild loses data.
    OneParity,
    /// No redundancy.
    NoRedundancy,
    /// Drives of different kinds in one pool: it is as weak as its weakest part, and slow writes of
    /// one hold up the other.
    Mixed,
    /// Vdevs of different widths, which `zpool create` takes with `-f` only (`get_replication` in
    /// `zpool_vdev.c`).
    Forced,
    /// Not ZFS: no checksums of what the drives return, the file system comes on top.
    NotZfs,
}

/// Everything about the pool of these layouts, each with the index of its kind in `drives`.
pub fn assess(layouts: &[(usize, Layout)], drives: &[Drives], options: &Options) -> Assessment {
    let known: Vec<(&Drive, &Layout)> = layouts
        .iter()
        .filter_map(|(kind, layout)| drives.get(*kind).map(|d| (&d.drive, layout)))
        .collect();
    let parts: Vec<Part> =
        known.iter().map(|(drive, layout)| part(layout, drive, options)).collect();
    let parts: Vec<&Part> = parts.iter().collect();
    let score = score(&parts);
    let (space, rates, speed) = sums(&parts);
    let all: Vec<Layout> = known.iter().map(|(_, layout)| **layout).collect();
    let zfs = all.iter().all(Layout::is_zfs);
    let shown: Vec<ShownPart> = known
        .iter()
        .map(|(drive, layout)| ShownPart {
            kind: drive.kind.clone(),
            drives: layout.drives(),
            layout: **layout,
            vdevs: layout.vdevs(&drive.kind, 0),
            efficiency: layout
                .geometry()
                .map_or(1.0, |geometry| geometry.efficiency(options.recordsize, drive.ashift)),
        })
        .collect();
    let name = match known.as_slice() {
        [(_, layout)] if drives.len() == 1 => layout.name(),
        _ => known
            .iter()
            .map(|(drive, layout)| format!("{} {}", drive.kind, layout.name()))
            .collect::<Vec<_>>()
            .join(" + "),
    };
    Assessment {
        name,
        notes: notes(&all, &score, zfs),
        parts: shown,
        score,
        space: zfs.then_some(space),
        raw: known.iter().map(|(drive, layout)| drive.bytes * u64::from(layout.drives())).sum(),
        tolerance: tolerance::compute(&all, options.failures),
        exposed_h: longest(&parts, Rebuild::exposed_h),
        reliability: rates.reliability(),
        speed,
        front: false,
        own: Vec::new(),
        dominated_by: None,
    }
}

fn notes(layouts: &[Layout], score: &Score, zfs: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    let share = score.holds as f64 / score.usable.max(1) as f64;
    if zfs && share < 0.97 {
        notes.push(Note::Padding(share));
    }
    let wide = layouts
        .iter()
        .filter(|l| matches!(l.scheme, Scheme::Zfs(Raidz { .. })) && l.width > WIDEST_RAIDZ)
        .map(|l| l.width)
        .max();
    notes.extend(wide.map(Note::Wide));
    match score.survives {
        0 => notes.push(Note::NoRedundancy),
        1 => notes.push(Note::OneParity),
        _ => {}
    }
    if layouts.len() > 1 {
        notes.push(Note::Mixed);
    }
    let unlike = |two: &[Layout]| two[0].scheme != two[1].scheme || two[0].width != two[1].width;
    if layouts.windows(2).any(unlike) {
        notes.push(Note::Forced);
    }
    if !zfs {
        notes.push(Note::NotZfs);
    }
    notes
}
