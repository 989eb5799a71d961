//! Open-loop ladders: what load a configuration carries, and how late it gets.

use crate::cells::{Group, of_cell};
use crate::schema::{Ladder, LoadWithin, Operation, Rung};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::Trial;

/// Clients are kept up with when this share of what they offer is completed.
const KEPT_UP: f64 = 0.95;
/// Standard deviations of a Poisson process by which arrivals may stay behind their mean.
const DEVIATIONS: f64 = 3.0;
/// Limits of the 99th percentile that a reader may have in mind, µs.
const LIMITS: [f64; 11] = [
    500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0, 200_000.0,
    500_000.0, 1_000_000.0,
];

/// Whether clients that offer so many operations a second are kept up with, over so many virtual seconds of measured
/// time: arrivals are a Poisson process, so that a short window may hold fewer.
pub fn keeps_up(achieved: f64, offered: f64, seconds: f64) -> bool {
    let missing = DEVIATIONS * (offered / seconds.max(1e-9)).sqrt();
    achieved >= KEPT_UP * offered - missing
}

/// The ladders of a campaign, in its order.
pub fn ladders(campaign: &Campaign, model: &Model, trials: &[&Trial]) -> Vec<Ladder> {
    let mut ladders = Vec::new();
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let mine: Vec<(f64, &Trial)> = of_cell(trials, variant, workload)
                .filter(|t| t.rerun.is_none() && t.without.is_none())
                .filter_map(|t| Some((t.offered_rate.filter(|r| r.is_finite())?, t)))
                .collect();
            let mut rates: Vec<f64> = mine.iter().map(|(rate, _)| *rate).collect();
            rates.sort_by(f64::total_cmp);
            rates.dedup();
            let rungs: Vec<Rung> = rates
                .into_iter()
                .map(|rate| {
                    let at_rate = mine.iter().filter(|(r, _)| *r == rate);
                    // Two rates of a lab may come to the same whole number of operations of each client.
                    let mut trials: Vec<&Trial> = at_rate.map(|(_, t)| *t).collect();
                    trials.sort_by_key(|trial| trial.repeat);
                    trials.dedup_by_key(|trial| trial.repeat);
                    let group = Group::new(campaign, model, variant, workload, trials);
                    rung(rate, &group, model)
                })
                .collect();
            if !rungs.is_empty() {
                ladders.push(ladder(&variant.name, &workload.name, rungs));
            }
        }
    }
    ladders
}

fn rung(offered: f64, group: &Group<'_>, model: &Model) -> Rung {
    let cell = group.cell(model);
    let seconds = group.valid().map(|trial| trial.measured.runtime_s).sum();
    Rung {
        offered,
        trials: cell.trials,
        // The throughput of a rung without a valid trial is that of its excluded ones.
        kept_up: cell.trials.valid > 0
            && cell.throughput.is_some_and(|x| keeps_up(x.value, offered, seconds)),
        achieved: cell.throughput,
        latency: cell.latency,
        sync_latency: cell.sync_latency,
        issues: cell.issues,
    }
}

fn ladder(variant: &str, workload: &str, rungs: Vec<Rung>) -> Ladder {
    // Of a rung without a valid trial nothing is known, nor how far those beyond it would have got.
    let known: Vec<&Rung> = rungs.iter().take_while(|r| r.trials.valid > 0).collect();
    let within = [Operation::ReadWrite, Operation::Sync]
        .into_iter()
        .flat_map(|of| limits(&known, of))
        .collect();
    Ladder {
        variant: variant.to_owned(),
        workload: workload.to_owned(),
        carried: known.iter().take_while(|r| r.kept_up).last().map(|r| r.offered),
        saturated: known.iter().find(|r| !r.kept_up).map(|r| r.offered),
        unknown_from: rungs.get(known.len()).map(|r| r.offered),
        most: known.iter().filter_map(|r| Some(r.achieved?.value)).reduce(f64::max),
        within,
        rungs,
    }
}

/// The limits that tell something: from the least that the first rung stays under to the first that no
/// rung exceeds.
fn limits(rungs: &[&Rung], of: Operation) -> Vec<LoadWithin> {
    let measured: Vec<(&Rung, f64)> =
        rungs.iter().filter_map(|rung| Some((*rung, rung.p99_us(of)?))).collect();
    let mut all = Vec::new();
    for limit_us in LIMITS {
        let good = |(rung, p99): &&(&Rung, f64)| rung.kept_up && *p99 <= limit_us;
        let up_to = measured.iter().take_while(good).last();
        let exceeded_at = measured.iter().find(|m| !good(m)).map(|(r, _)| r.offered);
        let Some((best, _)) = up_to else { continue };
        all.push(LoadWithin { of, limit_us, up_to: Some(best.offered), exceeded_at });
        let saturated = |(rung, p99): &(&Rung, f64)| !rung.kept_up || *p99 <= limit_us;
        if measured.iter().all(saturated) {
            break;
        }
    }
    all
}
