//! The pools that drives allow: each kind of drive in one layout or left out.

use crate::assess::{Part, score};
use crate::drive::Drives;
use crate::layout::{Layout, Scheme};
use crate::pareto::{Figures, family, figures};
use crate::rank::Wanted;
use std::collections::BTreeMap;
use zfs::Layout::Draid;

/// Drives from which a dRAID rebuilds much faster than raidz resilvers; zpoolconcepts(7) has no
/// number, deployments begin at about two dozen.
const DRAID: u32 = 12;

/// Whether a layout is a dRAID without distributed spares or of few drives: its figures may equal
/// those of raidz, which stores small blocks better and can be widened.
pub(crate) fn pointless(layout: &Layout) -> bool {
    matches!(layout.scheme, Scheme::Zfs(Draid { spares, .. }) if spares == 0 || layout.width < DRAID)
}

/// Bits for the place of a kind's layout: four kinds, which may have millions of layouts each.
const BITS: usize = 32;

/// A pool that meets the requirements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pool {
    /// For each kind of drive [`BITS`]: 0, or one more than the place of its layout.
    pub(crate) choice: u128,
    /// Figures of which more is better.
    pub(crate) figures: Figures,
}

/// How many pools there are: every RAID alone, and for each kind of vdev and parity every way to
/// use or leave out each kind of drive.
pub(crate) fn considered(kinds: &[Vec<Part>]) -> u64 {
    let mut families: BTreeMap<(u8, u32), Vec<u64>> = BTreeMap::new();
    let mut raids = 0;
    for (kind, parts) in kinds.iter().enumerate() {
        for part in parts {
            if part.layout.is_zfs() {
                let counts = families.entry(family(&part.layout));
                counts.or_insert_with(|| vec![0; kinds.len()])[kind] += 1;
            } else {
                raids += 1;
            }
        }
    }
    let pools = |counts: &Vec<u64>| counts.iter().map(|n| n + 1).product::<u64>() - 1;
    raids + families.values().map(pools).sum::<u64>()
}

pub(crate) fn parts_of<'a>(kinds: &'a [Vec<Part>], pool: &Pool) -> impl Iterator<Item = &'a Part> {
    let choice = pool.choice;
    (0..kinds.len()).filter_map(move |kind| chosen(kinds, choice, kind))
}

/// The part that a pool makes of a kind.
pub(crate) fn chosen(kinds: &[Vec<Part>], choice: u128, kind: usize) -> Option<&Part> {
    let digit = (choice >> (BITS * kind)) & ((1 << BITS) - 1);
    kinds.get(kind)?.get(usize::try_from(digit).ok()?.checked_sub(1)?)
}

/// Every pool that meets the requirements. Hard disks and flash share no data vdevs: flash beside
/// disks is for log, cache and metadata, and as data vdevs would be as slow as the disks.
pub(crate) fn fitting(kinds: &[Vec<Part>], drives: &[Drives], wanted: &Wanted) -> Vec<Pool> {
    let mut pools = Vec::new();
    let mut take = |choice: u128, parts: &[&Part]| {
        let score = score(parts);
        let affordable = match (wanted.budget, score.price) {
            (Some(budget), Some(price)) => price <= budget,
            (Some(_), None) => false,
            (None, _) => true,
        };
        if score.holds > 0
            && score.holds >= wanted.need
            && score.survives >= wanted.survive
            && affordable
        {
            pools.push(Pool { choice, figures: figures(&score) });
        }
    };
    let place = |kind: usize, at: usize| (at as u128 + 1) << (BITS * kind);
    for (kind, parts) in kinds.iter().enumerate() {
        for (i, part) in parts.iter().enumerate().filter(|(_, p)| !p.layout.is_zfs()) {
            take(place(kind, i), &[part]);
        }
    }
    let zfs: Vec<Vec<usize>> =
        kinds.iter().map(|k| (0..k.len()).filter(|i| k[*i].layout.is_zfs()).collect()).collect();
    // A counter with one digit a kind; digit 0 leaves the kind out.
    let mut digits = vec![0usize; kinds.len()];
    let mut parts: Vec<&Part> = Vec::with_capacity(kinds.len());
    while let Some(turn) = (0..digits.len()).find(|&i| digits[i] < zfs[i].len()) {
        digits[turn] += 1;
        digits[..turn].fill(0);
        parts.clear();
        let mut choice = 0;
        for (kind, &digit) in digits.iter().enumerate().filter(|(_, d)| **d > 0) {
            let at = zfs[kind][digit - 1];
            choice |= place(kind, at);
            parts.push(&kinds[kind][at]);
        }
        let used = digits.iter().zip(drives).filter(|(digit, _)| **digit > 0);
        let mut rotates = used.map(|(_, kind)| kind.drive.rotational);
        let first = rotates.next();
        let mixes = rotates.any(|other| Some(other) != first);
        // A sensible pool has one kind of vdev that survives the same failures. Widths of raidz and dRAID may differ,
        // though `zpool create` then wants `-f`, since drives of one kind rarely come in the number of the other's
        // groups.
        if !mixes && parts.windows(2).all(|two| family(&two[0].layout) == family(&two[1].layout)) {
            take(choice, &parts);
        }
    }
    pools
}
