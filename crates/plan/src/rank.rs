//! Which of all layouts to show: what fits, what nothing else beats, in order.

use crate::assess::{Assessment, Options, Part, Score, assess, part, score};
use crate::drive::Drives;
use crate::enumerate::{Scope, layouts};
use crate::layout::Layout;
use serde::{Deserialize, Serialize};

/// Above so many pools, layouts of one kind that another of the same drives beats in everything
/// are left out before kinds are combined. That loses nothing of the front: every figure of a
/// pool grows with the same figure of its parts.
const PRODUCT: u64 = 20_000_000;

/// What is asked of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Least bytes of files it must hold at the recordsize.
    pub need: u64,
    /// Least failures it must survive, whichever they are.
    pub survive: u32,
    /// Most money it may cost; only where every drive has a price.
    pub budget: Option<f64>,
    /// Order.
    pub sort: Sort,
    /// Most layouts shown.
    pub top: usize,
    /// Whether only the front is shown.
    pub front_only: bool,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted {
            need: 0,
            survive: 0,
            budget: None,
            sort: Sort::Balance,
            top: 12,
            front_only: true,
        }
    }
}

/// Orders of layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Mean place in the other five orders (six with prices), all alike.
    Balance,
    /// Most room for files first.
    Usable,
    /// Rarest loss first.
    Loss,
    /// Shortest rebuild first.
    Rebuild,
    /// Most random reads first.
    Iops,
    /// Fastest sequential writes first.
    Stream,
    /// Cheapest first.
    Price,
}

/// The answer to a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Pools looked at.
    pub considered: u64,
    /// Pools that do what is wanted.
    pub fitting: u64,
    /// Of those, pools that nothing else beats in everything.
    pub front: u64,
    /// Whether layouts of one kind were thinned before they were combined.
    pub thinned: bool,
    /// The first of them, in order.
    pub shown: Vec<Assessment>,
}

/// A pool: for each kind of drive the place of its layout, or none.
type Choice = Vec<Option<u32>>;

/// Ranks every pool of these drives. Each kind is used in one way or left out; RAIDs are not
/// combined with anything.
pub fn rank(drives: &[Drives], scope: &Scope, options: &Options, wanted: &Wanted) -> Ranking {
    let mut kinds: Vec<Vec<Part>> = drives
        .iter()
        .map(|d| {
            layouts(d.count, scope)
                .iter()
                .map(|layout| part(layout, &d.drive, options))
                .collect()
        })
        .collect();
    let pools = |kinds: &[Vec<Part>]| {
        kinds.iter().fold(1u64, |n, k| {
            let zfs = k.iter().filter(|p| p.layout.is_zfs()).count() as u64;
            n.saturating_mul(zfs + 1)
        })
    };
    let considered = pools(&kinds) - 1
        + kinds
            .iter()
            .flatten()
            .filter(|p| !p.layout.is_zfs())
            .count() as u64;
    let thinned = pools(&kinds) > PRODUCT;
    if thinned {
        for kind in &mut kinds {
            let scores: Vec<Score> = kind.iter().map(|p| score(&[p])).collect();
            let keep = front(&scores);
            *kind = keep.iter().filter_map(|i| kind.get(*i).copied()).collect();
        }
    }
    let (choices, scores) = fitting(&kinds, wanted);
    let front = front(&scores);
    let count = front.len() as u64;
    let mut order: Vec<usize> = match wanted.front_only {
        true => front.clone(),
        false => (0..scores.len()).collect(),
    };
    sort(&mut order, &scores, wanted.sort);
    order.truncate(wanted.top);
    let on_front: std::collections::BTreeSet<usize> = front.into_iter().collect();
    let shown = order
        .iter()
        .map(|&i| {
            let pool: Vec<(usize, Layout)> = choices[i]
                .iter()
                .enumerate()
                .filter_map(|(kind, at)| Some((kind, kinds[kind].get((*at)? as usize)?.layout)))
                .collect();
            let mut assessment = assess(&pool, drives, options);
            assessment.front = on_front.contains(&i);
            assessment
        })
        .collect();
    Ranking {
        considered,
        fitting: scores.len() as u64,
        front: count,
        thinned,
        shown,
    }
}

/// Every pool that does what is wanted.
fn fitting(kinds: &[Vec<Part>], wanted: &Wanted) -> (Vec<Choice>, Vec<Score>) {
    let (mut choices, mut scores) = (Vec::new(), Vec::new());
    let mut take = |choice: &[Option<u32>], parts: &[&Part]| {
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
            choices.push(choice.to_vec());
            scores.push(score);
        }
    };
    for (kind, parts) in kinds.iter().enumerate() {
        for (i, part) in parts.iter().enumerate().filter(|(_, p)| !p.layout.is_zfs()) {
            let mut choice = vec![None; kinds.len()];
            choice[kind] = Some(i as u32);
            take(&choice, &[part]);
        }
    }
    let zfs: Vec<Vec<u32>> = kinds
        .iter()
        .map(|k| {
            (0..k.len() as u32)
                .filter(|i| k[*i as usize].layout.is_zfs())
                .collect()
        })
        .collect();
    // A counter with one digit a kind; digit 0 leaves the kind out.
    let mut digits = vec![0usize; kinds.len()];
    let mut choice: Choice = vec![None; kinds.len()];
    let mut parts: Vec<&Part> = Vec::with_capacity(kinds.len());
    while let Some(turn) = (0..digits.len()).find(|&i| digits[i] < zfs[i].len()) {
        digits[turn] += 1;
        choice[turn] = Some(zfs[turn][digits[turn] - 1]);
        for below in 0..turn {
            digits[below] = 0;
            choice[below] = None;
        }
        parts.clear();
        parts.extend(
            choice
                .iter()
                .enumerate()
                .filter_map(|(kind, at)| at.map(|at| &kinds[kind][at as usize])),
        );
        take(&choice, &parts);
    }
    (choices, scores)
}

/// Figures of which more is better.
fn figures(score: &Score) -> [f64; 7] {
    [
        score.holds as f64,
        -score.losses,
        -score.rebuild_h,
        score.read_iops,
        score.stream_write,
        -score.price.unwrap_or(0.0),
        f64::from(score.survives),
    ]
}

/// Places of the scores that no other equals in everything and beats in something. Of equals all
/// stay.
fn front(scores: &[Score]) -> Vec<usize> {
    let all: Vec<[f64; 7]> = scores.iter().map(figures).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    // By descending room, so that whatever beats a layout comes before it or has the same room.
    order.sort_by(|&a, &b| compare(&all[b], &all[a]));
    let mut front: Vec<usize> = Vec::new();
    for i in order {
        let beaten = front.iter().position(|&f| beats(&all[f], &all[i]));
        match beaten {
            // What beat one layout is likely to beat the next: look at it first.
            Some(at) => front.swap(0, at),
            None => front.push(i),
        }
    }
    front
}

fn compare(a: &[f64; 7], b: &[f64; 7]) -> std::cmp::Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|o| o.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn beats(a: &[f64; 7], b: &[f64; 7]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b) && a.iter().zip(b).any(|(a, b)| a > b)
}

fn sort(order: &mut [usize], scores: &[Score], by: Sort) {
    let place = match by {
        Sort::Balance => {
            balance(order, scores);
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
        let (a, b) = (figures(&scores[a]), figures(&scores[b]));
        b[place].total_cmp(&a[place]).then_with(|| compare(&b, &a))
    });
}

/// By the sum of the places in each of the orders. Equal figures share a place.
fn balance(order: &mut [usize], scores: &[Score]) {
    let priced = scores.iter().all(|s| s.price.is_some());
    let all: std::collections::HashMap<usize, [f64; 7]> =
        order.iter().map(|&i| (i, figures(&scores[i]))).collect();
    let mut places: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
    let count = if priced { 6 } else { 5 };
    for figure in 0..count {
        let mut by: Vec<(usize, f64)> = all.iter().map(|(i, f)| (*i, f[figure])).collect();
        by.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut place, mut before) = (0, None);
        for (i, (pool, value)) in by.iter().enumerate() {
            if before != Some(value) {
                place = i;
                before = Some(value);
            }
            *places.entry(*pool).or_default() += place;
        }
    }
    order.sort_by(|a, b| {
        places[a]
            .cmp(&places[b])
            .then_with(|| compare(&all[b], &all[a]))
    });
}
