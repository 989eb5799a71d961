//! Which of all layouts to show: what fits, what nothing else beats, in order.

use crate::assess::{Assessment, Options, Part, Score, assess, part, score};
use crate::drive::Drives;
use crate::enumerate::{Scope, layouts};
use crate::layout::Layout;
use serde::{Deserialize, Serialize};

/// Above so many pools, layouts of one kind that another of the same drives beats in everything
/// are left out before kinds are combined. That loses nothing of the front: every figure of a
/// pool grows with the same figure of its parts.
const PRODUCT: u64 = 8_000_000;
/// Most kinds of drive in one plan: each has 16 bits of a pool's number.
pub const KINDS: usize = 4;
/// Figures of two pools that are this close, as shares, count as equal when the pools are held
/// against each other: nobody chooses a layout for half a percent of room or a tenth of a resilver,
/// and a chance of loss is not known better than by a quarter. Room, losses, rebuild, random
/// reads, streaming writes, price, failures survived.
const EQUAL: [f64; 7] = [0.01, 0.25, 0.1, 0.1, 0.1, 0.01, 0.01];

/// Losses a year above which a layout comes after safer ones: mirrors of two large disks stay below
/// it, wide single parity does not.
const RISKY: f64 = 0.03;
/// Drives from which a dRAID rebuilds much faster than raidz resilvers; zpoolconcepts(7) has no
/// number, deployments begin at about two dozen.
const DRAID: u32 = 12;

/// Whether a layout is a dRAID without what dRAID is for, distributed spares among many drives: its
/// figures may be raidz's, but raidz stores small blocks better and can be widened.
fn pointless(layout: &Layout) -> bool {
    use crate::layout::Scheme::Draid;
    matches!(layout.scheme, Draid { spares, .. } if spares == 0 || layout.width < DRAID)
}

/// What is asked of a layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Least bytes of files it must hold at the recordsize.
    pub need: u64,
    /// Least failures it must survive, whichever they are.
    pub survive: u32,
    /// Most money it may cost; only where every drive has a price.
    pub budget: Option<f64>,
    /// Only layouts whose name contains this: `raidz2`, `draid2:8d`, `mirror`.
    pub like: Option<String>,
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
            survive: 1,
            budget: None,
            like: None,
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
    /// The best of each kind of vdev and parity in turn, then the second best of each, … where
    /// best is the lowest sum of places in the other orders, room counted three times. Flash alone
    /// where there are disks comes after that, what is lost more often than once in 33 years after
    /// these, RAID below ZFS last.
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
    /// Of those, pools that nothing else beats in everything; dRAIDs without spares or of few drives
    /// left out unless they were asked for by name.
    pub front: u64,
    /// Whether layouts of one kind were thinned before they were combined.
    pub thinned: bool,
    /// The first of them, in order.
    pub shown: Vec<Assessment>,
}

/// A pool that does what is wanted.
#[derive(Debug, Clone, Copy)]
struct Pool {
    /// For each kind of drive 16 bits: 0, or one more than the place of its layout.
    choice: u64,
    /// Figures of which more is better.
    figures: Figures,
}

/// Room, −losses, −rebuild, random reads, streaming writes, −price, failures survived.
type Figures = [f32; 7];

/// Ranks every pool of these drives. Each kind is used in one way or left out; RAIDs are not
/// combined with anything.
pub fn rank(drives: &[Drives], scope: &Scope, options: &Options, wanted: &Wanted) -> Ranking {
    let mut kinds: Vec<Vec<Part>> = drives
        .iter()
        .map(|d| {
            layouts(d.count, scope)
                .iter()
                .filter(|layout| match &wanted.like {
                    Some(like) => layout.name().contains(like),
                    None => true,
                })
                .map(|layout| part(layout, &d.drive, options))
                .collect()
        })
        .collect();
    let considered = considered(&kinds);
    let product = |kinds: &[Vec<Part>]| {
        kinds
            .iter()
            .fold(1u64, |n, k| n.saturating_mul(k.len() as u64 + 1))
    };
    let thinned = product(&kinds) > PRODUCT;
    if thinned {
        for kind in &mut kinds {
            let alone: Vec<Pool> = kind
                .iter()
                .map(|p| Pool {
                    choice: 0,
                    figures: figures(&score(&[p])),
                })
                .collect();
            let keep = front(&alone);
            *kind = keep.iter().filter_map(|i| kind.get(*i).copied()).collect();
        }
    }
    let pools = fitting(&kinds, drives, wanted);
    // What is not worth building beats nothing, unless it was asked for by name.
    let asked = wanted
        .like
        .as_ref()
        .is_some_and(|like| like.contains("draid"));
    let worth: Vec<usize> = (0..pools.len())
        .filter(|i| asked || !parts_of(&kinds, &pools[*i]).any(|part| pointless(&part.layout)))
        .collect();
    let competing: Vec<Pool> = worth.iter().map(|i| pools[*i]).collect();
    let front: Vec<usize> = front(&competing).into_iter().map(|i| worth[i]).collect();
    let count = front.len() as u64;
    let mut order: Vec<usize> = match wanted.front_only {
        true => front.clone(),
        false => (0..pools.len()).collect(),
    };
    sort(&mut order, &pools, wanted.sort);
    if wanted.sort == Sort::Balance {
        order = in_turn(&order, |i| {
            let first = (0..kinds.len()).find_map(|kind| chosen(&kinds, pools[i].choice, kind));
            first.map(|part| family(&part.layout))
        });
        // What nobody would build first comes later: flash alone where there are disks, what is
        // lost often, and RAID below ZFS.
        let disks = drives.iter().any(|kind| kind.drive.rotational);
        let last = |i: &usize| {
            let pool = &pools[*i];
            let rotates = (0..kinds.len()).any(|kind| {
                drives[kind].drive.rotational && chosen(&kinds, pool.choice, kind).is_some()
            });
            u8::from(disks && !rotates)
                + u8::from(f64::from(-pool.figures[1]) > RISKY) * 2
                + u8::from(parts_of(&kinds, pool).any(|part| !part.layout.is_zfs())) * 4
        };
        order.sort_by_key(last);
    }
    order.truncate(wanted.top);
    let on_front: std::collections::BTreeSet<usize> = front.into_iter().collect();
    let shown = order
        .iter()
        .map(|&i| {
            let pool: Vec<(usize, Layout)> = (0..kinds.len())
                .filter_map(|kind| Some((kind, chosen(&kinds, pools[i].choice, kind)?.layout)))
                .collect();
            let mut assessment = assess(&pool, drives, options);
            assessment.front = on_front.contains(&i);
            assessment
        })
        .collect();
    Ranking {
        considered,
        fitting: pools.len() as u64,
        front: count,
        thinned,
        shown,
    }
}

/// How many pools there are: every RAID alone, and for each kind of vdev and parity every way to
/// use or leave out each kind of drive.
fn considered(kinds: &[Vec<Part>]) -> u64 {
    let mut classes: std::collections::BTreeMap<(u8, u32), Vec<u64>> = Default::default();
    let mut raids = 0;
    for (kind, parts) in kinds.iter().enumerate() {
        for part in parts {
            use crate::layout::Scheme;
            let class = match part.layout.scheme {
                Scheme::Stripe => (0, 0),
                Scheme::Mirror => (1, part.layout.width),
                Scheme::Raidz { parity } => (2, parity),
                Scheme::Draid { parity, .. } => (3, parity),
                Scheme::Raid { .. } => {
                    raids += 1;
                    continue;
                }
            };
            classes.entry(class).or_insert_with(|| vec![0; kinds.len()])[kind] += 1;
        }
    }
    raids
        + classes
            .values()
            .map(|counts| counts.iter().map(|n| n + 1).product::<u64>() - 1)
            .sum::<u64>()
}

/// The parts of a pool.
fn parts_of<'a>(kinds: &'a [Vec<Part>], pool: &Pool) -> impl Iterator<Item = &'a Part> {
    let choice = pool.choice;
    (0..kinds.len()).filter_map(move |kind| chosen(kinds, choice, kind))
}

/// The part that a pool makes of a kind.
fn chosen(kinds: &[Vec<Part>], choice: u64, kind: usize) -> Option<&Part> {
    let digit = (choice >> (16 * kind)) & 0xffff;
    kinds
        .get(kind)?
        .get(usize::try_from(digit).ok()?.checked_sub(1)?)
}

/// The first kind that a pool uses.
fn first_kind(digits: &[usize]) -> usize {
    digits.iter().position(|digit| *digit > 0).unwrap_or(0)
}

/// Every pool that does what is wanted. Disks and flash share none: flash beside disks is for log,
/// cache and metadata, and would be as slow as they are.
fn fitting(kinds: &[Vec<Part>], drives: &[Drives], wanted: &Wanted) -> Vec<Pool> {
    let mut pools = Vec::new();
    let mut take = |choice: u64, parts: &[&Part]| {
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
            pools.push(Pool {
                choice,
                figures: figures(&score),
            });
        }
    };
    let place = |kind: usize, at: usize| (at as u64 + 1) << (16 * kind);
    for (kind, parts) in kinds.iter().enumerate() {
        for (i, part) in parts.iter().enumerate().filter(|(_, p)| !p.layout.is_zfs()) {
            take(place(kind, i), &[part]);
        }
    }
    let zfs: Vec<Vec<usize>> = kinds
        .iter()
        .map(|k| (0..k.len()).filter(|i| k[*i].layout.is_zfs()).collect())
        .collect();
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
        let mixes = digits
            .iter()
            .zip(drives)
            .filter(|(digit, _)| **digit > 0)
            .any(|(_, d)| d.drive.rotational != drives[first_kind(&digits)].drive.rotational);
        if !mixes
            && parts
                .windows(2)
                .all(|two| alike(&two[0].layout, &two[1].layout))
        {
            take(choice, &parts);
        }
    }
    pools
}

/// Whether the two make a sensible pool: the same kind of vdev that survives the same failures.
/// Widths of raidz and dRAID may differ, though `zpool create` then wants `-f`, since drives of one
/// kind rarely come in the number of the other's groups.
fn alike(a: &Layout, b: &Layout) -> bool {
    use crate::layout::Scheme::{Draid, Mirror, Raidz, Stripe};
    match (a.scheme, b.scheme) {
        (Stripe, Stripe) => true,
        (Mirror, Mirror) => a.width == b.width,
        (Raidz { parity: a }, Raidz { parity: b }) => a == b,
        (Draid { parity: a, .. }, Draid { parity: b, .. }) => a == b,
        _ => false,
    }
}

fn figures(score: &Score) -> Figures {
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
type Steps = [i32; 7];

fn steps(figures: &Figures) -> Steps {
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

/// Puts pools that somebody has into a ranking, first and marked with `own`, each once; where a
/// layout shown is at least as good in every figure, and not the same in all, it is named.
pub fn include(ranking: &mut Ranking, own: Vec<Assessment>) {
    let same = |a: &Assessment, b: &Assessment| {
        let parts = |pool: &Assessment| -> Vec<(String, Layout)> {
            pool.parts
                .iter()
                .map(|part| (part.kind.clone(), part.layout))
                .collect()
        };
        parts(a) == parts(b)
    };
    let mut first: Vec<Assessment> = Vec::new();
    for mut pool in own {
        if let Some(known) = first.iter_mut().find(|known| same(known, &pool)) {
            known.own.append(&mut pool.own);
            continue;
        }
        let mine = steps(&figures(&pool.score));
        let better = |other: &&Assessment| {
            let theirs = steps(&figures(&other.score));
            theirs != mine && theirs.iter().zip(&mine).all(|(a, b)| a >= b)
        };
        pool.beaten_by = ranking
            .shown
            .iter()
            .find(better)
            .map(|other| other.name.clone());
        pool.front = ranking
            .shown
            .iter()
            .any(|other| other.front && same(other, &pool));
        first.push(pool);
    }
    ranking
        .shown
        .retain(|pool| !first.iter().any(|own| same(own, pool)));
    first.append(&mut ranking.shown);
    ranking.shown = first;
}

/// Places of the pools that no other equals in everything and beats in something; of equals the
/// first.
fn front(pools: &[Pool]) -> Vec<usize> {
    let mut first: std::collections::HashMap<Steps, usize> = std::collections::HashMap::new();
    for (i, pool) in pools.iter().enumerate() {
        first.entry(steps(&pool.figures)).or_insert(i);
    }
    let mut order: Vec<(Steps, usize)> = first.into_iter().collect();
    // In descending order, so that whatever beats a pool comes before it.
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut front: Vec<(Steps, usize)> = Vec::new();
    for pool in order {
        let beaten = front
            .iter()
            .position(|other| other.0.iter().zip(&pool.0).all(|(a, b)| a >= b));
        match beaten {
            // What beat one pool is likely to beat the next: look at it first.
            Some(at) => front.swap(0, at),
            None => front.push(pool),
        }
    }
    front.into_iter().map(|(_, i)| i).collect()
}

fn compare(a: &Figures, b: &Figures) -> std::cmp::Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|o| o.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn sort(order: &mut [usize], pools: &[Pool], by: Sort) {
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
        let (a, b) = (&pools[a].figures, &pools[b].figures);
        b[place].total_cmp(&a[place]).then_with(|| compare(b, a))
    });
}

/// The first of each family, then the second of each, and so on.
fn in_turn<F: Ord>(order: &[usize], family: impl Fn(usize) -> F) -> Vec<usize> {
    let mut seen: std::collections::BTreeMap<F, usize> = std::collections::BTreeMap::new();
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

/// Layouts that people think of as the same kind of thing: the vdev (or RAID) and its parity.
fn family(layout: &Layout) -> (u8, u32) {
    use crate::layout::Scheme;
    let kind = match layout.scheme {
        Scheme::Stripe => 0,
        Scheme::Mirror => 1,
        Scheme::Raidz { .. } => 2,
        Scheme::Draid { .. } => 3,
        Scheme::Raid { .. } => 4,
    };
    (kind, layout.tolerance())
}

/// By the sum of the places in each of the orders, room three times. Equal figures share a place;
/// a price that is the same everywhere, or not known, moves nobody.
fn balance(order: &mut [usize], pools: &[Pool]) {
    let mut places: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
    for figure in 0..6 {
        let mut by: Vec<(usize, f32)> = order
            .iter()
            .map(|&i| (i, pools[i].figures[figure]))
            .collect();
        by.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut place, mut before) = (0, None);
        for (i, (pool, value)) in by.iter().enumerate() {
            if before != Some(value) {
                place = i;
                before = Some(value);
            }
            *places.entry(*pool).or_default() += if figure == 0 { 3 * place } else { place };
        }
    }
    order.sort_by(|a, b| {
        let figures = |i: &usize| &pools[*i].figures;
        places[a]
            .cmp(&places[b])
            .then_with(|| compare(figures(b), figures(a)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::parse;

    fn ranking(text: &str, wanted: &Wanted) -> Ranking {
        let drives = parse(text, &|_| None).unwrap();
        // Ranking needs no enumeration of failures, which takes most of the time of a long list.
        let options = Options {
            failures: 0,
            ..Options::default()
        };
        rank(&drives, &Scope::default(), &options, wanted)
    }

    #[test]
    fn what_is_shown_does_what_is_wanted_and_beats_what_is_not_on_the_front() {
        let wanted = Wanted {
            need: 150_000_000_000_000,
            survive: 2,
            top: 1000,
            ..Wanted::default()
        };
        let front = ranking("30x8T hdd-7200", &wanted);
        let everything = Wanted {
            front_only: false,
            top: 10_000,
            ..wanted.clone()
        };
        let all = ranking("30x8T hdd-7200", &everything);
        assert_eq!(front.shown.len() as u64, front.front);
        assert_eq!(all.shown.len() as u64, all.fitting);
        for pool in &front.shown {
            assert!(pool.score.holds >= wanted.need && pool.score.survives >= 2);
        }
        let worth = |p: &&Assessment| !p.parts.iter().any(|part| pointless(&part.layout));
        for pool in all.shown.iter().filter(|p| !p.front).filter(worth) {
            let mine = steps(&figures(&pool.score));
            let beaten = front.shown.iter().any(|other| {
                let other = steps(&figures(&other.score));
                other.iter().zip(&mine).all(|(a, b)| a >= b)
            });
            assert!(beaten, "{}", pool.name);
        }
    }

    #[test]
    fn kinds_share_a_pool_only_where_they_survive_the_same() {
        let found = ranking(
            "4x8T hdd-7200 + 4x16T hdd-7200",
            &Wanted {
                front_only: false,
                top: 10_000,
                survive: 0,
                ..Wanted::default()
            },
        );
        assert_eq!(found.fitting, found.considered);
        for pool in found.shown.iter().filter(|p| p.parts.len() == 2) {
            assert!(
                alike(&pool.parts[0].layout, &pool.parts[1].layout),
                "{}",
                pool.name
            );
        }
    }

    #[test]
    fn a_price_limit_and_a_name_narrow_the_choice() {
        let found = ranking(
            "12x8T hdd-7200 price=100",
            &Wanted {
                budget: Some(1200.0),
                like: Some("raidz2".to_string()),
                ..Wanted::default()
            },
        );
        assert!(!found.shown.is_empty());
        assert!(found.shown.iter().all(|p| p.name.contains("raidz2")));
        let none = ranking(
            "12x8T hdd-7200 price=101",
            &Wanted {
                budget: Some(1200.0),
                ..Wanted::default()
            },
        );
        assert_eq!(none.fitting, 0);
    }
}
