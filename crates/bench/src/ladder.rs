//! The open-loop ladder: a workload offered at rising rates until the pool no longer keeps up.

use crate::schedule::{Extra, Slot};
use findings::record::{Measured, Outcome, Trial};
use lab::campaign::{Campaign, Rates};

/// Share of the offered rate below which a rung is saturated, and the ladder ends.
pub const REACHED: f64 = 0.95;
/// Rungs that a ladder may have.
pub const RUNGS: u64 = 64;
/// Share of the closed loop's rate at which an automatic ladder begins.
const BEGIN: f64 = 0.1;
/// Six preferred numbers a decade (E6 of IEC 60063), so that ladders of all variants meet.
const PREFERRED: [f64; 6] = [1.0, 1.5, 2.2, 3.3, 4.7, 6.8];

/// The largest preferred number that is not above `rate`, and those after it; whole and at least 1.
pub fn preferred(rate: f64) -> impl Iterator<Item = f64> {
    let decades = (0..10).map(|n| 10f64.powi(n));
    let all = decades.flat_map(|decade| PREFERRED.map(|p| (p * decade).round()));
    let mut all: Vec<f64> = all.collect();
    all.dedup();
    let begin = all.iter().rposition(|p| *p <= rate).unwrap_or(0);
    all.into_iter().skip(begin)
}

/// Operations a second of a trial, reads and writes.
pub fn achieved(measured: &Measured) -> f64 {
    (measured.read.ops + measured.write.ops) as f64 / measured.runtime_s.max(1e-9)
}

/// Whether a rung was more than the pool could take.
pub fn saturated(measured: &Measured, offered: f64) -> bool {
    achieved(measured) < REACHED * offered
}

/// The rates of a cell's ladder. None until its closed loop has been measured, from which an
/// automatic one begins. Only repeats that come before any ladder count, so that it does not change
/// once it is being climbed.
fn rungs(campaign: &Campaign, trials: &[Trial], variant: usize, workload: usize) -> Vec<f64> {
    match &campaign.workloads[workload].rates {
        None => Vec::new(),
        Some(Rates::Stated(rates)) => rates.clone(),
        Some(Rates::Auto) => {
            let closed: Vec<f64> = trials
                .iter()
                .filter(|t| {
                    t.is_main()
                        && t.variant == campaign.variants[variant].name
                        && t.workload == campaign.workloads[workload].name
                        && t.repeat < campaign.method.min_trials.max(1)
                })
                .filter_map(|t| match &t.outcome {
                    Outcome::Measured(measured) => Some(achieved(measured)),
                    Outcome::Failed { .. } => None,
                })
                .collect();
            if closed.is_empty() {
                return Vec::new();
            }
            let mean = closed.iter().sum::<f64>() / closed.len() as f64;
            preferred(mean * BEGIN).collect()
        }
    }
}

/// How many ids the ladders of a campaign may take.
pub fn ids(campaign: &Campaign) -> u64 {
    let cells = campaign.variants.len() * campaign.workloads.len();
    u64::from(campaign.method.min_trials.max(1)) * cells as u64 * RUNGS
}

/// The next rung: of all ladders that are not at their end the lowest, so that variants are
/// interleaved; every other repeat in the reverse order of variants. `first` is the id of the first
/// rung, `tried` are ids that this run has tried. Each ladder is climbed as often as a cell has
/// trials at least.
pub fn next(
    campaign: &Campaign,
    trials: &[Trial],
    first: u64,
    tried: &[u64],
    seeds: impl Fn(u32, usize) -> u64,
) -> Option<Slot> {
    let (variants, workloads) = (campaign.variants.len(), campaign.workloads.len());
    for repeat in 0..campaign.method.min_trials.max(1) {
        for workload in 0..workloads {
            let ladder = |variant: usize| {
                let cell = (u64::from(repeat) * workloads as u64 + workload as u64)
                    * variants as u64
                    + variant as u64;
                let ids = first + cell * RUNGS;
                let rates = rungs(campaign, trials, variant, workload);
                let (rung, rate) = rung(&rates, ids, trials, tried)?;
                Some(Slot {
                    id: ids + rung,
                    variant,
                    workload,
                    repeat,
                    seed: seeds(repeat, workload),
                    extra: Some(Extra::Rate(rate)),
                })
            };
            let mut order: Vec<usize> = (0..variants).collect();
            if repeat % 2 == 1 {
                order.reverse();
            }
            let lowest = order
                .into_iter()
                .filter_map(ladder)
                .min_by_key(|slot| (slot.id - first) % RUNGS);
            if lowest.is_some() {
                return lowest;
            }
        }
    }
    None
}

/// The rung of one ladder that is to be run next; none when it has ended: its rates are used up, the
/// last was saturated, or it failed.
fn rung(rates: &[f64], ids: u64, trials: &[Trial], tried: &[u64]) -> Option<(u64, f64)> {
    // Rates of an automatic ladder follow the closed loop, which may have gained trials since: what was
    // measured is climbed on from, none is left out or run twice.
    let mut highest = 0.0;
    for rung in 0..RUNGS.min(rates.len() as u64) {
        let rate = rates.iter().find(|rate| **rate > highest * 1.05)?;
        let done = trials.iter().find(|trial| trial.id == ids + rung);
        match done.map(|trial| (&trial.outcome, trial.offered_rate.unwrap_or(*rate))) {
            Some((Outcome::Measured(measured), offered)) => {
                if saturated(measured, offered) {
                    return None;
                }
                // What was offered is rounded to whole operations of each clone, down as well as up.
                highest = offered.max(*rate);
            }
            _ if tried.contains(&(ids + rung)) => return None,
            // Not yet run, or failed in an earlier run.
            _ => return Some((rung, *rate)),
        }
    }
    None
}
