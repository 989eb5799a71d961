//! The order of trials: cells interleaved in shuffled ABBA blocks, so that a machine that drifts
//! does so under every variant alike.

use findings::record::Perturbation;
use lab::campaign::{Campaign, MOST_TRIALS};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One trial to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Its id: its place in the order.
    pub id: u64,
    /// Index of its variant.
    pub variant: usize,
    /// Index of its workload.
    pub workload: usize,
    /// Which repeat of the cell, from 0.
    pub repeat: u32,
    /// Seed of its data, drives and offsets. Variants of one repeat share it, so that they are
    /// offered the same load.
    pub seed: u64,
    /// What sets it apart from a repeat of its closed-loop cell; none for such a repeat.
    pub extra: Option<Extra>,
}

/// A trial that is no repeat of its closed-loop cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    /// A rung of an open-loop ladder: operations a second of all jobs together.
    Rate(f64),
    /// A re-run with one number of a drive changed.
    Rerun(Perturbation),
    /// The cell at another S.
    Size(f64),
}

/// The whole order of a campaign, up to the most trials of each cell. Repeats come in pairs: the
/// second of a pair runs the cells in the reverse order of the first.
pub fn order(campaign: &Campaign) -> Vec<Slot> {
    let method = &campaign.method;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(method.seed);
    let mut cells: Vec<(usize, usize)> = (0..campaign.variants.len())
        .flat_map(|v| (0..campaign.workloads.len()).map(move |w| (v, w)))
        .collect();
    let mut slots = Vec::new();
    for repeat in 0..method.max_trials.max(1) {
        if repeat % 2 == 0 {
            shuffle(&mut cells, &mut random);
        } else {
            cells.reverse();
        }
        let seed = random.next_u64();
        for (variant, workload) in &cells {
            slots.push(Slot {
                id: slots.len() as u64,
                variant: *variant,
                workload: *workload,
                repeat,
                seed: seed.wrapping_add(*workload as u64),
                extra: None,
            });
        }
    }
    slots
}

/// The first id that no repeat of a closed-loop cell has, however many more of them the lab is changed
/// to ask for.
pub fn extras(campaign: &Campaign) -> u64 {
    let cells = campaign.variants.len() * campaign.workloads.len();
    cells as u64 * u64::from(MOST_TRIALS)
}

/// Fisher and Yates'.
fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}

/// Whether a trial may begin, given the wall seconds that are left and those that it is expected to
/// take.
///
/// Every cell is run once whatever the budget says, since a comparison with a cell missing answers
/// nothing.
pub fn affordable(slot: &Slot, left_s: f64, expected_s: f64) -> bool {
    (slot.repeat == 0 && slot.extra.is_none()) || expected_s <= left_s
}

/// Wall seconds that a campaign of `trials` trials takes at dilation k, when each measures
/// `window_s` virtual seconds (ramp included) and needs `setup_s` wall seconds around them.
pub fn estimate_s(trials: usize, window_s: f64, time: f64, setup_s: f64) -> f64 {
    trials as f64 * (window_s * time + setup_s)
}
