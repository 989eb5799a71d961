//! Where an operation's time went, and what limited the cell.

use crate::checks::in_flight;
use crate::counters;
use crate::hits::summed;
use crate::job::Job;
use crate::output::{Attribution, Limit, Stage};
use crate::record::{Measured, Second};
use std::collections::BTreeMap;

/// From this busy share on, drives are the limit.
const BUSY: f64 = 0.90;
/// From this share of an operation's time on, the throttle is.
const THROTTLE: f64 = 0.30;
/// From this use of the machine on, the processor is.
const PROCESSOR: f64 = 0.50;
/// From this share of an operation's time outside the pool on, the clients are.
const OUTSIDE: f64 = 0.50;
/// Clients that wait by themselves are the limit below this share of their places in flight.
const PACED: f64 = 0.80;

/// Parts of an operation's work in the volume.
const PARTS: [&str; 3] = ["range_lock", "throttle", "record_read"];

/// Stages that wait for drives.
const DRIVES: [&str; 4] = ["log_write", "log_flush", "record_read", "throttle"];

/// The attribution of a cell from its trials' stage times, given how busy each drive was in the seconds
/// of what lasts. None without stage times or operations.
pub fn of(trials: &[&Measured], job: &Job, busy: BTreeMap<String, f64>) -> Option<Attribution> {
    let ops: f64 = trials
        .iter()
        .map(|m| (m.read.ops + m.write.ops) as f64)
        .sum();
    let runtime: f64 = trials.iter().map(|m| m.runtime_s).sum();
    let sums = summed(trials.iter().map(|m| &m.stages));
    if ops <= 0.0 || runtime <= 0.0 || sums.is_empty() {
        return None;
    }
    let client_us = client_us(trials)?;
    let mut stages = stages(&sums, ops);
    let in_pool: f64 = stages.iter().map(|stage| stage.us_per_op).sum();
    // Parts of one operation that run side by side sum to more than the client waited.
    let whole = client_us.max(in_pool);
    for stage in &mut stages {
        stage.share = stage.us_per_op / whole;
    }
    stages.sort_by(|a, b| b.us_per_op.total_cmp(&a.us_per_op));
    let outside_us = whole - in_pool;
    let limit = limit(trials, job, &stages, outside_us / whole, &busy);
    Some(Attribution {
        stages,
        outside_us,
        outside_share: outside_us / whole,
        limit,
        drives: busy,
    })
}

/// The client's time per read or write, syncs included, µs.
pub fn client_us(trials: &[&Measured]) -> Option<f64> {
    let (mut time, mut ops) = (0.0, 0.0);
    for m in trials {
        for flow in [&m.read, &m.write, &m.sync] {
            time += flow.ops as f64 * flow.mean_ns / 1e3;
        }
        ops += (m.read.ops + m.write.ops) as f64;
    }
    (ops > 0.0 && time > 0.0).then(|| time / ops)
}

/// Share of the clients' time in a trial that drives take: log writes and their flushes, reads of records, and
/// waits for the pool to write. All of it without stage times.
pub fn drives_share(trial: &Measured) -> f64 {
    let ops = (trial.read.ops + trial.write.ops) as f64;
    let Some(client_us) = client_us(&[trial]).filter(|_| !trial.stages.is_empty()) else {
        return 1.0;
    };
    let drives = |stage: &&Stage| DRIVES.contains(&stage.stage.as_str());
    let stages = stages(&trial.stages, ops);
    let us: f64 = stages.iter().filter(drives).map(|s| s.us_per_op).sum();
    (us / client_us).clamp(0.0, 1.0)
}

fn stages(sums: &BTreeMap<String, f64>, ops: f64) -> Vec<Stage> {
    let operations: Vec<&str> = sums
        .keys()
        .filter_map(|key| key.strip_suffix(".count"))
        .collect();
    let mut all = Vec::new();
    for operation in operations {
        let get = |what: &str| {
            sums.get(&format!("{operation}.{what}"))
                .copied()
                .unwrap_or(0.0)
        };
        let commit = get("commit");
        let (write, flush) = (get("log_write"), get("log_flush"));
        // Log writes of several commits run side by side; they fill a commit at most.
        let fit = if write + flush > commit {
            commit / (write + flush)
        } else {
            1.0
        };
        let parts: f64 = PARTS.iter().map(|part| get(part)).sum::<f64>() + commit;
        let mut put = |stage: &str, ns: f64| {
            if ns > 0.0 {
                all.push(Stage {
                    operation: operation.to_owned(),
                    stage: stage.to_owned(),
                    us_per_op: ns / ops / 1e3,
                    share: 0.0,
                });
            }
        };
        for part in PARTS {
            put(part, get(part));
        }
        put("log_write", write * fit);
        put("log_flush", flush * fit);
        put("commit", commit - (write + flush) * fit);
        put("work", get("work") - parts);
        put("reply", get("reply"));
    }
    all
}

/// Mean busy share of each drive over some seconds.
pub fn mean_busy<'a>(seconds: impl IntoIterator<Item = &'a Second>) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for second in seconds {
        for (name, value) in &second.values {
            if let Some((drive, "busy")) = counters::drive(name) {
                let sum = sums.entry(drive.to_owned()).or_default();
                sum.0 += value;
                sum.1 += 1.0;
            }
        }
    }
    sums.into_iter()
        .map(|(drive, (sum, n))| (drive, sum / n))
        .collect()
}

fn limit(
    trials: &[&Measured],
    job: &Job,
    stages: &[Stage],
    outside: f64,
    busy: &BTreeMap<String, f64>,
) -> Limit {
    let busiest = busy.iter().max_by(|a, b| a.1.total_cmp(b.1));
    if let Some((drive, busy)) = busiest.filter(|(_, busy)| **busy >= BUSY) {
        return Limit::Drives {
            kind: counters::kind(drive).to_owned(),
            busy: *busy,
        };
    }
    let throttle = share(stages, "throttle");
    if throttle >= THROTTLE {
        return Limit::Throttle { share: throttle };
    }
    let cpu = trials
        .iter()
        .map(|m| m.fidelity.cpu_share)
        .fold(0.0, f64::max);
    if cpu >= PROCESSOR {
        return Limit::Processor { share: cpu };
    }
    let idle = job.paced && trials.iter().all(|m| in_flight(m) < PACED * m.concurrency);
    if idle || outside >= OUTSIDE {
        return Limit::Clients { share: outside };
    }
    match stages.first() {
        Some(stage) => Limit::Latency {
            stage: stage.stage.clone(),
            share: stage.share,
        },
        None => Limit::Unknown,
    }
}

/// Share of an operation's time in a stage, over all kinds of operations.
pub fn share(stages: &[Stage], stage: &str) -> f64 {
    stages
        .iter()
        .filter(|s| s.stage == stage)
        .map(|s| s.share)
        .sum()
}
