//! Trials of a made-up engine.
#![allow(dead_code, reason = "each test file uses a part of it")]

use bench::trial_spec::TrialSpec;
use lab::campaign::Campaign;
use lab::model::Model;
use lab::{NoFiles, Profiles};
use measurement::{Counter, Flow, Measured, Second, Trial, TrialKind, TrialResult};

/// A model of full size.
pub fn model() -> Model {
    let model = serde_json::json!({
        "size": 1.0, "size_bound_by": "nothing", "arc_max": 16u64 << 30, "drives_hold": 0,
        "dirty_data_max": 1u64 << 30, "dirty_data_max_real": 1u64 << 30,
        "wrlog_data_max": 2u64 << 30, "guest_memory": 18u64 << 30, "caps": [], "notes": [],
    });
    serde_json::from_value(model).unwrap()
}

/// The campaign of a lab.
pub fn campaign(text: &str) -> Campaign {
    let (campaign, _) = lab::load("lab.toml", text, &NoFiles, &Profiles::builtin()).unwrap();
    campaign
}

/// What is measured of one client that writes 16 KiB `rate` times in each of its seconds.
pub fn measured(rate: f64, seconds: usize) -> Measured {
    let ops = (rate * seconds as f64) as u64;
    let mean_ns = 1e9 / rate;
    let write = Flow {
        ops,
        bytes: ops * 16384,
        mean_ns,
        histogram: vec![(mean_ns as u64, ops - ops / 50), (3 * mean_ns as u64, ops / 50)],
        overflow: 0,
    };
    // A ripple of ±2 % without a trend.
    let second = |i: usize| Second {
        at: i as f64 + 1.0,
        reads: 0.0,
        writes: rate * (1.0 + 0.02 * (((i * 7919) % 13) as f64 / 6.0 - 1.0)),
        values: [(Counter::TxgSyncs, f64::from(u8::from(i % 5 == 4)))].into(),
    };
    Measured {
        concurrency: 1.0,
        runtime_s: seconds as f64,
        write,
        seconds: (0..seconds).map(second).collect(),
        ..Measured::default()
    }
}

/// A trial that measured so.
pub fn made_up(campaign: &Campaign, spec: &TrialSpec, rate: f64, seconds: usize) -> Trial {
    let entry = spec.entry(campaign, &"0".repeat(64));
    let nameless = Trial {
        key: entry.key.clone(),
        variant: String::new(),
        workload: String::new(),
        repeat: 0,
        seed: spec.seed(campaign),
        size: match spec.kind {
            TrialKind::Size(size) => size,
            _ => 1.0,
        },
        openzfs: "2.4.4".into(),
        offered_rate: match spec.kind {
            TrialKind::Rate(rate) => Some(rate),
            _ => None,
        },
        rerun: None,
        without: match spec.kind {
            TrialKind::Without(cost) => Some(cost),
            _ => None,
        },
        outcome: TrialResult::Measured(Box::new(measured(rate, seconds))),
    };
    entry.name(nameless)
}

/// The same, failed.
pub fn failed(campaign: &Campaign, spec: &TrialSpec) -> Trial {
    Trial {
        outcome: TrialResult::Failed { reason: "fio: no".into() },
        ..made_up(campaign, spec, 1.0, 1)
    }
}
