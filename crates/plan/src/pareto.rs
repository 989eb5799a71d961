//! The Pareto front of pools, and their orders.

use crate::assess::Score;
use crate::layout::{Layout, Scheme};
use crate::rank::Sort;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use zfs::Layout::{Draid, Mirror, Raidz, Single};

/// Relative differences below which two figures count as equal: nobody chooses a layout for half a
/// percent of capacity or a tenth of a resilver, and a chance of loss is not known better than by a
/// quarter. In the order of [`Figures`].
const EQUAL: [f64; 7] = [0.01, 0.25, 0.1, 0.1, 0.1, 0.01, 0.01];

/// A pool's figures, of which more is better: capacity, −losses, −rebuild, random reads, streaming
/// writes, −price, failures survived.
pub(crate) type Figures = [f32; 7];

pub(crate) fn figures(score: &Score) -> Figures {
    [
        score.holds as f32,
        -(score.losses.max(1e-30) as f32),
        -(score.rebuild_h as f32),
        score.read_iops as f32,
        score.stream_write as f32,
        -(score.price.unwrap_or(0.0) as f32),
        score.survives as f32,
    ]
}

/// Figures in steps of [`EQUAL`] on a logarithmic scale, to be compared as whole numbers.
pub(crate) type Steps = [i32; 7];

pub(crate) fn steps(figures: &Figures) -> Steps {
    std::array::from_fn(|i| {
        let size = f64::from(figures[i].abs());
        if size == 0.0 {
            return 0;
        }
        // 1e-30, the smallest loss there is, lies at step 1.
        let step = ((size / 1e-30).ln() / EQUAL[i].ln_1p()) as i32 + 1;
        if figures[i] < 0.0 { -step } else { step }
    })
}

/// Indices of the pools on the Pareto front: no other is at least as good in every figure. Of equal
/// pools the first.
pub(crate) fn front(pools: &[Figures]) -> Vec<usize> {
    let mut first: HashMap<Steps, usize> = HashMap::new();
    for (i, pool) in pools.iter().enumerate() {
        first.entry(steps(pool)).or_insert(i);
    }
    let mut order: Vec<(Steps, usize)> = first.into_iter().collect();
    // In descending order, so that whatever beats a pool comes before it.
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut front: Vec<(Steps, usize)> = Vec::new();
    for pool in order {
        let dominated =
            front.iter().position(|other| other.0.iter().zip(&pool.0).all(|(a, b)| a >= b));
        match dominated {
            // What dominates one pool is likely to dominate the next: look at it first.
            Some(at) => front.swap(0, at),
            None => front.push(pool),
        }
    }
    front.into_iter().map(|(_, i)| i).collect()
}

pub(crate) fn compare(a: &Figures, b: &Figures) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

pub(crate) fn sort(order: &mut [usize], pools: &[Figures], by: Sort) {
    let place = match by {
        Sort::Balance => {
            balance(order, pools);
            return;
        }
        Sort::Usable => 0,
        Sort::Loss => 1,
        Sort::Rebuild => 2,
        Sort::Iops => 3,
        Sort::Stream => 4,
        Sort::Price => 5,
    };
    order.sort_by(|&a, &b| {
        let (a, b) = (&pools[a], &pools[b]);
        b[place].total_cmp(&a[place]).then_with(|| compare(b, a))
    });
}

/// The first of each family, then the second of each, and so on.
pub(crate) fn in_turn<F: Ord>(order: &[usize], family: impl Fn(usize) -> F) -> Vec<usize> {
    let mut seen: BTreeMap<F, usize> = BTreeMap::new();
    let mut rounds: Vec<(usize, usize)> = order
        .iter()
        .map(|&i| {
            let round = seen.entry(family(i)).or_default();
            *round += 1;
            (*round, i)
        })
        .collect();
    // Stable: within a round the order stays.
    rounds.sort_by_key(|(round, _)| *round);
    rounds.into_iter().map(|(_, i)| i).collect()
}

/// The kind of vdev (or RAID) and the failures that it survives.
pub(crate) fn family(layout: &Layout) -> (u8, u32) {
    let kind = match layout.scheme {
        Scheme::Zfs(Single) => 0,
        Scheme::Zfs(Mirror) => 1,
        Scheme::Zfs(Raidz { .. }) => 2,
        Scheme::Zfs(Draid { .. }) => 3,
        Scheme::Raid { .. } => 4,
    };
    (kind, layout.tolerance())
}

/// Sorts by the sum of the places in each of the orders, capacity counted three times. Equal figures
/// share a place; a price that is the same everywhere, or not known, changes nothing.
pub(crate) fn balance(order: &mut [usize], pools: &[Figures]) {
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (figure, weight) in [3, 1, 1, 1, 1, 1].into_iter().enumerate() {
        let mut by: Vec<(usize, f32)> = order.iter().map(|&i| (i, pools[i][figure])).collect();
        by.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut place, mut before) = (0, None);
        for (i, (pool, value)) in by.iter().enumerate() {
            if before != Some(value) {
                place = i;
                before = Some(value);
            }
            *places.entry(*pool).or_default() += weight * place;
        }
    }
    order.sort_by(|a, b| {
        let figures = |i: &usize| &pools[*i];
        places[a].cmp(&places[b]).then_with(|| compare(figures(b), figures(a)))
    });
}
