//! Which of all layouts to show, and in which order.

use crate::assess::{Assessment, Options, Part, assess, part, score};
use crate::candidates::{Pool, chosen, considered, fitting, parts_of, pointless};
use crate::drive::Drives;
use crate::enumerate::{Scope, layouts};
use crate::layout::Layout;
use crate::pareto::{Figures, family, figures, front, in_turn, sort, steps};
use serde::{Deserialize, Serialize};

/// Above so many pools, layouts of one kind that another of the same drives beats in everything
/// are left out before kinds are combined. The front stays complete: every figure of a
/// pool grows with the same figure of its parts.
const PRODUCT: u64 = 8_000_000;
/// Most kinds of drive in one plan: each has 32 bits of a pool's number.
pub const KINDS: usize = 4;
/// Losses a year above which a layout comes after safer ones: mirrors of two large disks stay below
/// it, wide single parity does not.
const RISKY: f64 = 0.03;

/// The requirements on layouts, and how many to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Minimum bytes of files at the recordsize.
    pub need: u64,
    /// Minimum failed drives to survive, whichever they are.
    pub survive: u32,
    /// Maximum price; only where every drive has one.
    pub budget: Option<f64>,
    /// Only layouts whose name contains this: `raidz2`, `draid2:8d`, `mirror`.
    pub like: Option<String>,
    /// Order.
    pub sort: Sort,
    /// Maximum number of layouts shown.
    pub top: usize,
    /// Whether only the Pareto front is shown.
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

/// An order of layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// The best of each kind of vdev and parity in turn, then the second best of each, … where
    /// best is the lowest sum of places in the other orders, capacity counted three times. Then come
    /// flash alone where there are disks, layouts that lose data more often than once in 33 years,
    /// and RAID below ZFS.
    Balance,
    /// Largest capacity for files first.
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
    /// Pools considered.
    pub considered: u64,
    /// Pools that meet the requirements.
    pub fitting: u64,
    /// Of those, pools on the Pareto front of ZFS or on that of RAID; dRAIDs without spares or of few
    /// drives only if they are asked for by name.
    pub front: u64,
    /// Whether layouts of one kind were thinned before they were combined.
    pub thinned: bool,
    /// The first of them, in order.
    pub shown: Vec<Assessment>,
}

/// Ranks every pool of these drives. Each kind is used in one layout or left out; RAIDs are not
/// combined with anything.
pub fn rank(drives: &[Drives], scope: &Scope, options: &Options, wanted: &Wanted) -> Ranking {
    let like =
        |layout: &&Layout| wanted.like.as_ref().is_none_or(|like| layout.name().contains(like));
    let mut kinds: Vec<Vec<Part>> = drives
        .iter()
        .map(|kind| {
            let layouts = layouts(kind.count, scope);
            layouts.iter().filter(like).map(|layout| part(layout, &kind.drive, options)).collect()
        })
        .collect();
    let considered = considered(&kinds);
    let product = kinds.iter().fold(1u64, |n, kind| n.saturating_mul(kind.len() as u64 + 1));
    let thinned = product > PRODUCT;
    if thinned {
        for kind in &mut kinds {
            let apart = (0..kind.len()).partition(|i| kind[*i].layout.is_zfs());
            let best = fronts(apart, |i| figures(&score(&[&kind[i]])));
            *kind = best.into_iter().map(|i| kind[i]).collect();
        }
    }
    let pools = fitting(&kinds, drives, wanted);
    let front = front_of(&pools, &kinds, wanted);
    let mut order = if wanted.front_only { front.clone() } else { (0..pools.len()).collect() };
    let all: Vec<Figures> = pools.iter().map(|pool| pool.figures).collect();
    sort(&mut order, &all, wanted.sort);
    if wanted.sort == Sort::Balance {
        order = balanced(&order, &pools, &kinds, drives);
    }
    order.truncate(wanted.top);
    let shown = order.iter().map(|&i| {
        let pool: Vec<(usize, Layout)> = (0..kinds.len())
            .filter_map(|kind| Some((kind, chosen(&kinds, pools[i].choice, kind)?.layout)))
            .collect();
        Assessment { front: front.contains(&i), ..assess(&pool, drives, options) }
    });
    Ranking {
        considered,
        fitting: pools.len() as u64,
        front: front.len() as u64,
        thinned,
        shown: shown.collect(),
    }
}

/// The Pareto fronts of ZFS and of RAID. A pointless dRAID takes part only if it is asked for by name.
fn front_of(pools: &[Pool], kinds: &[Vec<Part>], wanted: &Wanted) -> Vec<usize> {
    let asked = wanted.like.as_ref().is_some_and(|like| like.contains("draid"));
    let worth: Vec<usize> = (0..pools.len())
        .filter(|i| asked || !parts_of(kinds, &pools[*i]).any(|part| pointless(&part.layout)))
        .collect();
    // A RAID is a whole pool, so that its first part tells.
    let is_zfs =
        |i: &usize| parts_of(kinds, &pools[*i]).next().is_some_and(|part| part.layout.is_zfs());
    fronts(worth.into_iter().partition(is_zfs), |i| pools[i].figures)
}

/// The Pareto fronts of ZFS and of RAID, by their places: a RAID is a block device without a file system, and beats no
/// pool.
fn fronts(
    (zfs, raids): (Vec<usize>, Vec<usize>),
    figures: impl Fn(usize) -> Figures,
) -> Vec<usize> {
    let best = |places: Vec<usize>| -> Vec<usize> {
        let competing: Vec<Figures> = places.iter().map(|i| figures(*i)).collect();
        front(&competing).into_iter().map(|i| places[i]).collect()
    };
    [best(zfs), best(raids)].concat()
}

/// The order [`Sort::Balance`]: kinds of layout in turn, then what few people want first.
fn balanced(order: &[usize], pools: &[Pool], kinds: &[Vec<Part>], drives: &[Drives]) -> Vec<usize> {
    let mut order = in_turn(order, |i| {
        let first = parts_of(kinds, &pools[i]).next();
        first.map(|part| family(&part.layout))
    });
    // Flash alone where there are disks, frequent losses, and RAID below ZFS come later.
    let disks = drives.iter().any(|kind| kind.drive.rotational);
    order.sort_by_key(|i| {
        let pool = &pools[*i];
        let rotates = (0..kinds.len()).any(|kind| {
            drives[kind].drive.rotational && chosen(kinds, pool.choice, kind).is_some()
        });
        u8::from(disks && !rotates)
            + u8::from(f64::from(-pool.figures[1]) > RISKY) * 2
            + u8::from(parts_of(kinds, pool).any(|part| !part.layout.is_zfs())) * 4
    });
    order
}

/// Puts the pools of a lab first in a ranking, each once. One that a shown layout dominates names
/// that layout.
pub fn include(ranking: &mut Ranking, own: Vec<Assessment>) {
    let same = |a: &Assessment, b: &Assessment| {
        let parts = |pool: &Assessment| -> Vec<(String, Layout)> {
            pool.parts.iter().map(|part| (part.kind.clone(), part.layout)).collect()
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
            // A RAID has no file system, and is no better pool.
            other.space.is_some() == pool.space.is_some()
                && theirs != mine
                && theirs.iter().zip(&mine).all(|(a, b)| a >= b)
        };
        pool.dominated_by = ranking.shown.iter().find(better).map(|other| other.name.clone());
        pool.front = ranking.shown.iter().any(|other| other.front && same(other, &pool));
        first.push(pool);
    }
    ranking.shown.retain(|pool| !first.iter().any(|own| same(own, pool)));
    first.append(&mut ranking.shown);
    ranking.shown = first;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::parse;

    fn ranking(text: &str, wanted: &Wanted) -> Ranking {
        let drives = parse(text, &|_| None).unwrap();
        // Ranking needs no enumeration of failures, which takes most of the time of a long list.
        let options = Options { failures: 0, ..Options::default() };
        rank(&drives, &Scope::default(), &options, wanted)
    }

    #[test]
    fn layouts_shown_meet_the_requirements_and_the_front_dominates_the_rest() {
        let wanted =
            Wanted { need: 150_000_000_000_000, survive: 2, top: 1000, ..Wanted::default() };
        let front = ranking("30x8T hdd-7200", &wanted);
        let everything = Wanted { front_only: false, top: 10_000, ..wanted.clone() };
        let all = ranking("30x8T hdd-7200", &everything);
        assert_eq!(front.shown.len() as u64, front.front);
        assert_eq!(all.shown.len() as u64, all.fitting);
        for pool in &front.shown {
            assert!(pool.score.holds >= wanted.need && pool.score.survives >= 2);
        }
        let worth = |p: &&Assessment| !p.parts.iter().any(|part| pointless(&part.layout));
        for pool in all.shown.iter().filter(|p| !p.front).filter(worth) {
            let mine = steps(&figures(&pool.score));
            let dominated = front.shown.iter().any(|other| {
                let other = steps(&figures(&other.score));
                other.iter().zip(&mine).all(|(a, b)| a >= b)
            });
            assert!(dominated, "{}", pool.name);
        }
    }

    /// A RAID holds more, since its file system is not counted, and rebuilds a full drive sooner than a resilver does.
    #[test]
    fn no_raid_keeps_a_pool_from_the_front() {
        let drives = parse("12x8T hdd-7200", &|_| None).unwrap();
        let mut options = Options { failures: 0, ..Options::default() };
        options.conditions.used = 0.8;
        let wanted = Wanted { survive: 2, top: 1000, ..Wanted::default() };
        let mut found = rank(&drives, &Scope::default(), &options, &wanted);
        let place = |name: &str| found.shown.iter().position(|pool| pool.name.contains(name));
        let raidz2 = place("raidz2-12").expect("raidz2-12");
        assert!(place("RAID 6").is_some());
        let own = vec![found.shown[raidz2].clone()];
        include(&mut found, own);
        assert_eq!(found.shown[0].dominated_by, None);
    }

    #[test]
    fn kinds_share_a_pool_only_if_they_survive_the_same_failures() {
        let found = ranking(
            "4x8T hdd-7200 + 4x16T hdd-7200",
            &Wanted { front_only: false, top: 10_000, survive: 0, ..Wanted::default() },
        );
        assert_eq!(found.fitting, found.considered);
        for pool in found.shown.iter().filter(|p| p.parts.len() == 2) {
            let [first, second] = [0, 1].map(|part: usize| family(&pool.parts[part].layout));
            assert_eq!(first, second, "{}", pool.name);
            assert!(pool.parts.iter().all(|part| part.layout.is_zfs()), "{}", pool.name);
        }
    }

    #[test]
    fn a_price_limit_and_a_name_narrow_the_choice() {
        let found = ranking(
            "12x8T hdd-7200 price=100",
            &Wanted { budget: Some(1200.0), like: Some("raidz2".to_string()), ..Wanted::default() },
        );
        assert!(!found.shown.is_empty());
        assert!(found.shown.iter().all(|p| p.name.contains("raidz2")));
        let none = ranking(
            "12x8T hdd-7200 price=101",
            &Wanted { budget: Some(1200.0), ..Wanted::default() },
        );
        assert_eq!(none.fitting, 0);
    }

    /// One kind of drive has more layouts here than 16 bits can number.
    #[test]
    fn pools_of_many_drives_are_those_that_meet_the_requirements() {
        let wanted = Wanted { survive: 3, front_only: false, top: 50, ..Wanted::default() };
        let drives = parse("200x8T hdd-7200", &|_| None).unwrap();
        let scope = Scope { spares: 30, ..Scope::default() };
        let found = rank(&drives, &scope, &Options::default(), &wanted);
        assert!(found.considered > 0xffff, "{}", found.considered);
        assert!(!found.shown.is_empty());
        for pool in &found.shown {
            assert!(pool.score.survives >= 3, "{} survives {}", pool.name, pool.score.survives);
        }
    }
}
