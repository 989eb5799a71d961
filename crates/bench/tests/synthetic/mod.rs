//! Trials of a made-up engine.

use bench::schedule::{Extra, Slot};
use findings::record::{Fidelity, Flow, Measured, Outcome, Second, Trial};
use lab::campaign::Campaign;
use lab::model::Model;
use std::collections::BTreeMap;

/// A model of full size in real time.
pub fn model() -> Model {
    Model {
        size: 1.0,
        size_bound_by: "nothing".into(),
        time: Some(1.0),
        time_guessed: false,
        arc_max: 16 << 30,
        physmem: 32 << 30,
        dirty_data_max: 1 << 30,
        dirty_data_max_real: 1 << 30,
        drives_hold: 0,
        wrlog_data_max: 2 << 30,
        module: BTreeMap::new(),
        feed_interval: 1.0,
        caps: Vec::new(),
        notes: Vec::new(),
    }
}

/// A trial in which one client wrote 16 KiB `rate` times in each of its seconds.
pub fn made_up(campaign: &Campaign, slot: &Slot, rate: f64, seconds: usize) -> Trial {
    let ops = (rate * seconds as f64) as u64;
    let mean_ns = 1e9 / rate;
    let write = Flow {
        ops,
        bytes: ops * 16384,
        mean_ns,
        histogram: vec![
            (mean_ns as u64, ops - ops / 50),
            (3 * mean_ns as u64, ops / 50),
        ],
        overflow: 0,
    };
    // A ripple of ±2 % without a trend.
    let second = |i: usize| Second {
        at: i as f64 + 1.0,
        reads: 0.0,
        writes: rate * (1.0 + 0.02 * (((i * 7919) % 13) as f64 / 6.0 - 1.0)),
        values: BTreeMap::from([("txg.syncs".to_owned(), f64::from(u8::from(i % 5 == 4)))]),
    };
    Trial {
        id: slot.id,
        variant: campaign.variants[slot.variant].name.clone(),
        workload: campaign.workloads[slot.workload].name.clone(),
        repeat: slot.repeat,
        seed: slot.seed,
        started: "2026-01-01T00:00:00Z".into(),
        wall_s: seconds as f64 + 20.0,
        window_wall_s: seconds as f64,
        size: match slot.extra {
            Some(Extra::Size(size)) => size,
            _ => 1.0,
        },
        time: 1.0,
        openzfs: "2.1.11".into(),
        offered_rate: match slot.extra {
            Some(Extra::Rate(rate)) => Some(rate),
            _ => None,
        },
        rerun: match &slot.extra {
            Some(Extra::Rerun(change)) => Some(change.clone()),
            _ => None,
        },
        outcome: Outcome::Measured(Box::new(Measured {
            concurrency: 1.0,
            runtime_s: seconds as f64,
            read: Flow::default(),
            write,
            sync: Flow::default(),
            seconds: (0..seconds).map(second).collect(),
            stages: BTreeMap::new(),
            fidelity: Fidelity::default(),
            totals: BTreeMap::new(),
            facts: BTreeMap::new(),
            features: Vec::new(),
            notes: Vec::new(),
            warm_up: None,
        })),
    }
}
