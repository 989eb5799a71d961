//! Fault tolerance: how many failures a layout survives whichever they are, and which share of larger sets.

use crate::draid_map;
use crate::layout::{Layout, Scheme};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use zfs::Layout::Draid;

/// Sets of drives that are enumerated one by one; above it the closed form counts them.
const ENUMERATED: f64 = 1e6;

/// Which failures a layout survives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Any so many failures at once are survived.
    pub guaranteed: u32,
    /// Any so many, one after another with a rebuild onto a spare in between.
    pub in_sequence: u32,
    /// Drives that can fail (hot spares hold nothing and are left out).
    pub drives: u32,
    /// For 1, 2, … drives failed at once: the share of sets that is survived, and how it was
    /// counted. Ends with the first share of nothing.
    pub shares: Vec<Share>,
}

/// Of all sets of `failed` drives, the share that is survived.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Drives failed at once.
    pub failed: u32,
    /// Share of the sets that loses nothing.
    pub survived: f64,
    /// How it was counted.
    pub by: Counted,
}

/// How a share was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Every set was enumerated.
    Enumeration,
    /// Sets were counted by group, exactly.
    ClosedForm,
}

/// The tolerance of a pool of these layouts; at most `most` failures at once.
pub fn compute(layouts: &[Layout], most: u32) -> Tolerance {
    let guaranteed = layouts.iter().map(Layout::tolerance).min().unwrap_or(0);
    let drives: u32 = layouts.iter().map(Layout::members).sum();
    let in_sequence = layouts
        .iter()
        .map(|layout| match layout.tolerance() {
            0 => 0,
            tolerance => tolerance + layout.all_spares(),
        })
        .min()
        .unwrap_or(0);
    let counts = survivors(layouts, most.min(drives));
    let mut shares = Vec::new();
    for failed in 1..=most.min(drives) {
        let sets = choose(drives, failed);
        let survived = (counts[failed as usize] / sets).clamp(0.0, 1.0);
        let enumerated = if sets <= ENUMERATED { enumerate(layouts, failed) } else { None };
        let share = match enumerated {
            Some(survived) => Share { failed, survived, by: Counted::Enumeration },
            None => Share { failed, survived, by: Counted::ClosedForm },
        };
        shares.push(share);
        if share.survived == 0.0 {
            break;
        }
    }
    Tolerance { guaranteed, in_sequence, drives, shares }
}

/// Sets of 0, 1, …, `most` failed drives that are survived: the product of each group's
/// Σ C(width, i)·xⁱ up to its tolerance. A dRAID vdev counts as one group: its permutations put
/// every few drives into some redundancy group together (which the enumeration checks).
fn survivors(layouts: &[Layout], most: u32) -> Vec<f64> {
    let most = most as usize;
    let mut all = vec![0.0; most + 1];
    all[0] = 1.0;
    for layout in layouts {
        let group: Vec<f64> =
            (0..=layout.tolerance().min(layout.width)).map(|i| choose(layout.width, i)).collect();
        for _ in 0..layout.groups {
            let mut next = vec![0.0; most + 1];
            for (i, have) in all.iter().enumerate() {
                for (j, add) in group.iter().enumerate() {
                    if i + j <= most {
                        next[i + j] += have * add;
                    }
                }
            }
            all = next;
        }
    }
    all
}

/// Binomial coefficient, exact below 2^53.
pub fn choose(n: u32, k: u32) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k.min(n - k)).fold(1.0, |c, i| (c * f64::from(n - i) / f64::from(i + 1)).round())
}

/// The share of sets of `failed` drives that is survived, by enumeration; none where a dRAID
/// has more than 255 children or no map.
fn enumerate(layouts: &[Layout], failed: u32) -> Option<f64> {
    let model = FailureModel::new(layouts, failed)?;
    let drives: Vec<u32> = (0..model.drives).collect();
    let (mut survived, mut total) = (0u64, 0u64);
    each_set(&drives, failed, |set| {
        total += 1;
        survived += u64::from(model.survive(set));
    });
    Some(survived as f64 / total as f64)
}

/// What decides the fate of a set of failed drives.
struct FailureModel {
    drives: u32,
    /// Group of each drive.
    group: Vec<u32>,
    /// Failures each group survives.
    tolerance: Vec<u32>,
    /// For a group that is a dRAID: the sets of one failure too many that share no redundancy
    /// group anywhere, as positions within the vdev. Empty for almost every dRAID.
    surviving: Vec<Option<SurvivingSets>>,
}

struct SurvivingSets {
    first: u32,
    sets: BTreeSet<Vec<u32>>,
}

impl FailureModel {
    fn new(layouts: &[Layout], failed: u32) -> Option<FailureModel> {
        let mut model = FailureModel {
            drives: 0,
            group: Vec::new(),
            tolerance: Vec::new(),
            surviving: Vec::new(),
        };
        for layout in layouts {
            let surviving = match layout.scheme {
                Scheme::Zfs(Draid { parity, data, spares }) if failed > parity => {
                    Some(surviving(layout.width, data + parity, spares, parity)?)
                }
                _ => None,
            };
            for _ in 0..layout.groups {
                let group = model.tolerance.len() as u32;
                model.tolerance.push(layout.tolerance());
                model.surviving.push(
                    surviving.clone().map(|sets| SurvivingSets { first: model.drives, sets }),
                );
                model.group.extend((0..layout.width).map(|_| group));
                model.drives += layout.width;
            }
        }
        Some(model)
    }

    fn survive(&self, set: &[u32]) -> bool {
        let mut from = 0;
        while from < set.len() {
            let group = self.group[set[from] as usize] as usize;
            let mut to = from + 1;
            while to < set.len() && self.group[set[to] as usize] as usize == group {
                to += 1;
            }
            let tolerance = self.tolerance[group] as usize;
            if to - from > tolerance {
                let Some(surviving) = &self.surviving[group] else {
                    return false;
                };
                let inside: Vec<u32> = set[from..to].iter().map(|d| d - surviving.first).collect();
                let beyond = tolerance as u32 + 1;
                if surviving.sets.is_empty() || !all_lucky(&inside, beyond, &surviving.sets) {
                    return false;
                }
            }
            from = to;
        }
        true
    }
}

/// Whether no subset of `size` drives shares a redundancy group.
fn all_lucky(set: &[u32], size: u32, sets: &BTreeSet<Vec<u32>>) -> bool {
    let mut all = true;
    each_set(set, size, |subset| all &= sets.contains(subset));
    all
}

/// Sets of `parity + 1` children that share no redundancy group in any permutation; none where
/// looking at all of them takes too long.
fn surviving(children: u32, width: u32, spares: u32, parity: u32) -> Option<BTreeSet<Vec<u32>>> {
    /// Sets met before the search is given up; almost every dRAID is done after far fewer.
    const PATIENCE: u64 = 30_000_000;
    let size = parity + 1;
    let total = choose(children, size);
    if total > ENUMERATED {
        return None;
    }
    let mut met = vec![false; total as usize];
    let mut left = met.len();
    let mut looked = 0u64;
    let exists = draid_map::groups(children, width, spares, |members| {
        each_set(members, size, |set| {
            let at = place(set);
            if !met[at] {
                met[at] = true;
                left -= 1;
            }
            looked += 1;
        });
        match left == 0 || looked > PATIENCE {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        }
    });
    if !exists || looked > PATIENCE {
        return None;
    }
    let mut unmet = BTreeSet::new();
    if left > 0 {
        let all: Vec<u32> = (0..children).collect();
        each_set(&all, size, |set| {
            if !met[place(set)] {
                unmet.insert(set.to_vec());
            }
        });
    }
    Some(unmet)
}

/// The place of an ascending set among all sets of its size (combinatorial number system).
fn place(set: &[u32]) -> usize {
    set.iter().zip(1u32..).map(|(drive, i)| choose(*drive, i) as usize).sum()
}

/// Every set of `size` of the `members`, in ascending order of members.
fn each_set(members: &[u32], size: u32, mut visit: impl FnMut(&[u32])) {
    let k = size as usize;
    if k > members.len() {
        return;
    }
    let mut at: Vec<usize> = (0..k).collect();
    let mut set: Vec<u32> = at.iter().map(|i| members[*i]).collect();
    loop {
        visit(&set);
        let Some(i) = (0..k).rev().find(|&i| at[i] < members.len() - k + i) else {
            return;
        };
        at[i] += 1;
        for j in i + 1..k {
            at[j] = at[j - 1] + 1;
        }
        for j in i..k {
            set[j] = members[at[j]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zfs::Layout::{Mirror, Raidz};

    fn draid(parity: u32, data: u32, children: u32, spares: u32) -> Layout {
        Layout {
            scheme: Scheme::Zfs(Draid { parity, data, spares }),
            groups: 1,
            width: children,
            spares: 0,
        }
    }

    fn groups_of(scheme: Scheme, groups: u32, width: u32) -> Layout {
        Layout { scheme, groups, width, spares: 0 }
    }

    #[test]
    fn sets_of_drives_are_numbered_without_gaps() {
        let mut places = Vec::new();
        each_set(&[0, 1, 2, 3, 4, 5], 3, |set| places.push(place(set)));
        places.sort_unstable();
        assert_eq!(places, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn enumeration_and_closed_form_agree() {
        for layouts in [
            vec![groups_of(Scheme::Zfs(Raidz { parity: 2 }), 3, 10)],
            vec![groups_of(Scheme::Zfs(Mirror), 12, 2)],
            vec![groups_of(Scheme::Zfs(Mirror), 5, 3)],
            vec![
                groups_of(Scheme::Zfs(Raidz { parity: 1 }), 2, 5),
                groups_of(Scheme::Zfs(Raidz { parity: 1 }), 2, 8),
            ],
        ] {
            let drives: u32 = layouts.iter().map(Layout::members).sum();
            let counts = survivors(&layouts, 5);
            for failed in 1..=5 {
                let closed = counts[failed as usize] / choose(drives, failed);
                let counted = enumerate(&layouts, failed).unwrap();
                assert!((closed - counted).abs() < 1e-12, "{layouts:?} {failed}");
            }
        }
    }

    #[test]
    fn any_failures_beyond_parity_meet_in_some_group_of_a_draid() {
        for layout in [draid(2, 12, 30, 2), draid(2, 7, 30, 3), draid(2, 5, 30, 2)] {
            let tolerance = compute(&[layout], 6);
            let beyond = tolerance.shares.last().unwrap();
            assert_eq!((beyond.failed, beyond.survived), (3, 0.0), "{}", layout.name());
            assert_eq!(beyond.by, Counted::Enumeration);
        }
    }

    #[test]
    fn a_mirror_pool_survives_two_failures_unless_they_are_a_pair() {
        let tolerance = compute(&[groups_of(Scheme::Zfs(Mirror), 12, 2)], 2);
        assert!((tolerance.shares[1].survived - (1.0 - 12.0 / 276.0)).abs() < 1e-12);
    }

    #[test]
    fn spares_add_failures_one_after_another() {
        assert_eq!(compute(&[draid(2, 12, 30, 2)], 3).in_sequence, 4);
        let mut raidz = groups_of(Scheme::Zfs(Raidz { parity: 2 }), 1, 10);
        raidz.spares = 1;
        assert_eq!(compute(&[raidz], 3).in_sequence, 3);
    }
}
