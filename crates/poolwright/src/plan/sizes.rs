//! Sizes of log, cache and special vdevs: for the machine, the lab, or what was counted.

use super::{Plan, baseline};
use lab::campaign::Campaign;
use plan::drive::Drives;
use plan::histogram::Histogram;
use plan::rank::Ranking;
use plan::sizing;
use serde::Serialize;
use text::layouts::{Label, Sentences};
use text::number::{bytes_per_second, percent, tebibytes, whole};

/// The largest sensible L2ARC for a machine, and what a lab's own costs.
#[derive(Clone, Copy, Serialize)]
pub struct Cache {
    /// The ARC, bytes.
    pub arc: u64,
    /// An L2ARC whose headers take a tenth of it.
    pub at_recordsize: sizing::L2arc,
    pub own: Option<LabL2arc>,
}

#[derive(Clone, Copy, Serialize)]
pub struct LabL2arc {
    pub bytes: u64,
    /// Its memory and fill time.
    pub cost: sizing::L2arc,
}

/// A special vdev for so many small blocks.
#[derive(Clone, Copy, Serialize)]
pub struct SpecialAt {
    pub special_small_blocks: u64,
    pub size: sizing::Special,
}

/// Lines about log, cache and special vdevs.
pub fn lines(plan: &Plan<'_>, says: Sentences) -> String {
    let mut lines = Vec::new();
    if let Some(log) = &plan.log {
        let most = log.wrlog_data_max.min(log.by_rate);
        let [needed, most, dirty] = [log.needed, most, log.dirty_data_max].map(tebibytes);
        let rate = bytes_per_second(log.arrives);
        lines.push(says.log(&needed, &most, &dirty, log.txg_timeout_s, &rate));
    }
    if let Some(cache) = &plan.cache {
        let arc = tebibytes(cache.arc);
        lines.push(says.cache(&tebibytes(cache.at_recordsize.sensible), &arc));
        lines.extend(cache.own.map(|LabL2arc { bytes, cost }| {
            let [bytes, headers] = [bytes, cost.headers].map(tebibytes);
            says.lab_cache(&bytes, &headers, &percent(cost.of_arc))
        }));
    }
    let of = match plan.histogram {
        None => Label::MirrorSite.text(says.0).to_string(),
        Some(counted) => {
            let total = counted.total();
            let count = whole(total.count.round() as u64);
            let bytes = tebibytes(total.bytes as u64);
            match counted {
                Histogram::Files(_) => says.files(&count, &bytes),
                Histogram::Blocks(_) => says.blocks(&count, &bytes),
            }
        }
    };
    if plan.special.first().is_some_and(|first| first.special_small_blocks > 0) {
        lines.push(Label::NoMetadata.text(says.0).to_string());
    }
    for special in &plan.special {
        let small =
            (special.special_small_blocks > 0).then(|| tebibytes(special.special_small_blocks));
        let needed = tebibytes(special.size.needed);
        lines.push(says.special(&needed, small.as_deref(), &of));
    }
    lines.extend(beside_disks(plan.drives, says));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Uses of flash beside disks: mirrors for log or metadata, a single drive for the cache.
fn beside_disks(drives: &[Drives], says: Sentences) -> Vec<String> {
    let disks = drives.iter().any(|kind| kind.drive.rotational);
    let flash = drives.iter().filter(|kind| disks && !kind.drive.rotational);
    flash
        .map(|kind| {
            let name = &kind.drive.kind;
            let vdevs = match kind.count {
                1 => vec![format!("`cache {name}0`")],
                _ => vec![
                    format!("`special mirror {name}[0-1]`"),
                    format!("`log mirror {name}[0-1]`"),
                    format!("`cache {name}0`"),
                ],
            };
            says.flash_beside_disks(name, &vdevs, &tebibytes(kind.drive.bytes))
        })
        .collect()
}

/// An L2ARC beside the ARC: as the lab has it, else the defaults of OpenZFS 2.4.
pub fn cache(memory: u64, recordsize: u64, lab: Option<&Campaign>) -> Cache {
    let arc = lab.and_then(baseline::arc).unwrap_or(zfs::memory::default_arc_max(memory, (2, 4)));
    let sensible = sizing::l2arc(0, recordsize, arc, 1.0).sensible;
    /// `l2arc_write_max` of 32 MiB, five feeds a second when there is much to write.
    const FEED: f64 = 160.0 * 1_048_576.0;
    let feed = lab.and_then(baseline::feed).unwrap_or(FEED);
    Cache {
        arc,
        at_recordsize: sizing::l2arc(sensible, recordsize, arc, feed),
        own: lab
            .and_then(baseline::cache_bytes)
            .map(|bytes| LabL2arc { bytes, cost: sizing::l2arc(bytes, recordsize, arc, feed) }),
    }
}

/// Special vdevs for the files or blocks counted, else for a mirror site's files that fill the
/// roomiest layout shown.
pub fn special(ranking: &Ranking, recordsize: u64, counted: Option<&Histogram>) -> Vec<SpecialAt> {
    let estimate = || {
        let bytes = ranking.shown.iter().map(|p| p.score.holds).max()?;
        Some(sizing::mirror_site(bytes))
    };
    let at = |small: u64| -> Option<sizing::Special> {
        match counted {
            Some(Histogram::Blocks(blocks)) => sizing::special_for_blocks(blocks, small),
            Some(Histogram::Files(files)) => Some(sizing::special(files, recordsize, small)),
            None => Some(sizing::special(&estimate()?, recordsize, small)),
        }
    };
    [0, 8 << 10, 16 << 10, 32 << 10, 64 << 10]
        .into_iter()
        // A threshold of the recordsize or more would send everything there.
        .filter(|small| *small < recordsize)
        .filter(|small| counted.is_some() || [0, 32 << 10].contains(small))
        .filter_map(|small| Some(SpecialAt { special_small_blocks: small, size: at(small)? }))
        .fold(Vec::new(), |mut sizes: Vec<SpecialAt>, next| {
            // Thresholds between which nothing lies need no line each.
            if let Some(last) = sizes.last_mut().filter(|last| last.special_small_blocks > 0)
                && last.size == next.size
            {
                *last = next;
            } else {
                sizes.push(next);
            }
            sizes
        })
}
