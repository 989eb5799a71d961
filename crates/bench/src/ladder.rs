//! The open-loop ladder: a workload at increasing rates until the pool is saturated.

use crate::known_trials::KnownTrials;
use crate::plan::first_repeats;
use crate::trial_spec::TrialSpec;
use lab::campaign::{Campaign, Rates};
use measurement::{Measured, TrialKind, TrialResult};

/// Rungs that a ladder may have.
const RUNGS: usize = 64;
/// Share of the closed loop's rate at which an automatic ladder starts.
const BEGIN: f64 = 0.1;
/// Rates that differ by less are one rung.
const APART: f64 = 1.05;
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

/// Operations a virtual second of a trial, reads and writes.
pub fn achieved(measured: &Measured) -> f64 {
    (measured.read.ops + measured.write.ops) as f64 / measured.runtime_s.max(1e-9)
}

/// Whether a rung saturated the pool, so that its ladder ends.
pub fn saturated(measured: &Measured, offered: f64) -> bool {
    !findings::keeps_up(achieved(measured), offered, measured.runtime_s)
}

/// The rates of a cell's ladder. None until its closed loop has been measured, from which an automatic
/// one begins. Only the repeats that come before any ladder count, so that later ones do not change it.
fn rates(campaign: &Campaign, known: &KnownTrials, variant: usize, workload: usize) -> Vec<f64> {
    match &campaign.workloads[workload].rates {
        None => Vec::new(),
        Some(Rates::Stated(rates)) => rates.clone(),
        Some(Rates::Auto) => {
            let closed: Vec<f64> = known
                .cell(variant, workload)
                .filter(|(repeat, _)| *repeat < campaign.method.min_trials.max(1))
                .map(|(_, measured)| achieved(measured))
                .collect();
            stats::mean(&closed).map_or_else(Vec::new, |mean| preferred(mean * BEGIN).collect())
        }
    }
}

/// The next rung of every ladder that has one. Each ladder is run as often as the method's minimum of trials.
pub fn next(campaign: &Campaign, known: &KnownTrials) -> Vec<TrialSpec> {
    let next = |repeat: TrialSpec| {
        let rates = rates(campaign, known, repeat.variant, repeat.workload);
        let at = |rate| TrialSpec { kind: TrialKind::Rate(rate), ..repeat.clone() };
        rung(&rates, known, at).map(at)
    };
    first_repeats(campaign).into_iter().filter_map(next).collect()
}

/// The rate of one ladder that is to be offered next; none when it has ended: its rates are used up, the
/// last was saturated, or it failed.
fn rung(rates: &[f64], known: &KnownTrials, at: impl Fn(f64) -> TrialSpec) -> Option<f64> {
    let mut highest = 0.0;
    for _ in 0..RUNGS {
        let rate = *rates.iter().find(|rate| **rate > highest * APART)?;
        let Some(trial) = known.trial(&at(rate)) else {
            return Some(rate);
        };
        // What was offered is rounded to whole operations of each clone, down as well as up.
        let offered = trial.offered_rate.unwrap_or(rate);
        match &trial.outcome {
            TrialResult::Measured(measured) if !saturated(measured, offered) => {
                highest = offered.max(rate);
            }
            TrialResult::Measured(_) | TrialResult::Failed { .. } => return None,
        }
    }
    None
}
