//! Makes the store of a large campaign that was never run, to time its readers: `big_store DIR [CELLS
//! [SAMPLES]]`, by default 1,000 cells and 10,000,000 samples. A sample is one counter's value in one virtual
//! second. Prints the campaign's file.

use lab::campaign::{Campaign, OpenZfs};
use measurement::{Counter, Counters, DriveCounter, Flow, Measured, Second, Trial, TrialResult};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::SystemTime;
use store::{CampaignRecord, Entry, Key, Run, Store};

/// Variants of the campaign; the rest of its cells are workloads.
const VARIANTS: u64 = 8;
/// Trials of a cell.
const TRIALS: u64 = 2;
/// Drives of a pool, and the counters of each; the rest of a second's counters are the pool's.
const DRIVES: usize = 12;
const OF_A_DRIVE: [DriveCounter; 7] = [
    DriveCounter::Busy,
    DriveCounter::Reads,
    DriveCounter::Writes,
    DriveCounter::ReadBytes,
    DriveCounter::WriteBytes,
    DriveCounter::Flushes,
    DriveCounter::Queue,
];
const OF_THE_POOL: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: big_store DIR [CELLS [SAMPLES]]")?;
    let cells: u64 = arguments.next().map_or(Ok(1_000), |n| n.parse())?;
    let samples: u64 = arguments.next().map_or(Ok(10_000_000), |n| n.parse())?;
    let workloads = cells.div_ceil(VARIANTS);
    let counters = (DRIVES * OF_A_DRIVE.len() + OF_THE_POOL) as u64;
    let seconds = samples.div_ceil(workloads * VARIANTS * TRIALS * counters);
    let campaign = campaign(workloads)?;
    let store = Store::open(Path::new(&directory))?;
    let model = serde_json::from_value(serde_json::json!({
        "size": 12.0, "size_bound_by": "memory",
        "arc_max": 1u64 << 30, "drives_hold": 0,
        "dirty_data_max": 1u64 << 28, "dirty_data_max_real": 1u64 << 32,
        "wrlog_data_max": 1u64 << 29, "guest_memory": 3u64 << 30, "caps": [], "notes": [],
    }))?;
    let lab = "# made by big_store, never run\n";
    let mut record = CampaignRecord::new(&campaign, &model, lab, BTreeMap::new());
    let mut seed = 0;
    for repeat in 0..TRIALS {
        for workload in &campaign.workloads {
            for (v, variant) in campaign.variants.iter().enumerate() {
                let inputs = format!("{} {} {repeat}", variant.name, workload.name);
                let key = Key::from_inputs(inputs.as_bytes());
                let trial = trial(&key, seed, v as f64, seconds);
                if let Some(running) = store.claim(&key)? {
                    running.finish(inputs.as_bytes(), &trial, &run())?;
                }
                record.add(Entry {
                    key: key.to_string(),
                    variant: variant.name.clone(),
                    workload: workload.name.clone(),
                    repeat: repeat as u32,
                    rerun: None,
                });
                seed += 1;
            }
        }
    }
    println!("{}", store.keep(&mut record, SystemTime::now())?.display());
    Ok(())
}

fn run() -> Run {
    Run {
        started: "2026-01-01T00:00:00Z".into(),
        wall_s: 20.0,
        host: "nowhere".into(),
        poolwright: env!("CARGO_PKG_VERSION").into(),
    }
}

/// Eight variants that differ in three factors, with this number of workloads.
fn campaign(workloads: u64) -> Result<Campaign, serde_json::Error> {
    let variants: Vec<serde_json::Value> = (0..VARIANTS)
        .map(|v| {
            let level = |bit: u64| if v >> bit & 1 == 1 { "on" } else { "off" };
            let levels = BTreeMap::from([("a", level(0)), ("b", level(1)), ("c", level(2))]);
            serde_json::json!({
                "name": format!("{}/{}/{}", level(0), level(1), level(2)),
                "levels": levels, "openzfs": OpenZfs::ALL[0].name(), "drives": {},
                "pool": { "ashift": 12, "vdevs": [], "properties": {} },
                "datasets": { "": { "recordsize": format!("{}K", 4 << v) } }, "module": {},
            })
        })
        .collect();
    let workloads: Vec<serde_json::Value> = (0..workloads)
        .map(|w| {
            let job = "[w]\nbs=16k\nrw=randwrite\nnumjobs=8\n";
            serde_json::json!({
                "name": format!("workload-{w}"), "dataset": "", "size": null,
                "program": { "fio": { "origin": "<lab>", "job": job } },
            })
        })
        .collect();
    serde_json::from_value(serde_json::json!({
        "title": "A large campaign that was never run", "source": null, "name": "big",
        "host": { "memory": 1u64 << 37, "cores": 32 },
        "variants": variants, "workloads": workloads,
        "method": {
            "baseline": "off/off/off", "precision": 0.05, "budget_s": 1200.0, "min_trials": 2,
            "max_trials": 8, "runtime_s": 60.0, "ramp_s": 0.0, "seed": 1,
        },
        "scale": { "size": null, "dirty_data_max": null },
    }))
}

fn trial(key: &Key, seed: u64, faster: f64, seconds: u64) -> Trial {
    let clients = 8.0;
    let rate = 600.0 * (1.0 + 0.2 * faster) * (1.0 + 0.004 * (seed % 5) as f64);
    let ops = rate * seconds as f64;
    let mean_ns = clients / rate * 1e9;
    let count = ops as u64;
    Trial {
        key: key.to_string(),
        variant: String::new(),
        workload: String::new(),
        repeat: 0,
        seed,
        size: 12.0,
        openzfs: "2.4.4".into(),
        offered_rate: None,
        rerun: None,
        without: None,
        outcome: TrialResult::Measured(Box::new(Measured {
            concurrency: clients,
            runtime_s: seconds as f64,
            write: Flow {
                ops: count,
                bytes: count * 16384,
                mean_ns,
                histogram: (1..=200)
                    .map(|i| (i * mean_ns as u64 / 50, count / 200))
                    .chain([(5 * mean_ns as u64, count % 200)])
                    .collect(),
                overflow: 0,
            },
            seconds: (1..=seconds).map(|at| second(at, rate, seed)).collect(),
            totals: [(Counter::DbufHits, ops)].into(),
            ..Measured::default()
        })),
    }
}

fn second(at: u64, rate: f64, seed: u64) -> Second {
    let ripple =
        |salt: u64| 1.0 + 0.03 * (((at * 7919 + seed * 31 + salt) % 13) as f64 / 6.0 - 1.0);
    let others = Counter::NAMED.iter().filter(|counter| !counter.is_level()).take(OF_THE_POOL - 1);
    let mut values: Counters =
        others.cloned().zip(2..).map(|(counter, salt)| (counter, 1000.0 * ripple(salt))).collect();
    values.insert(Counter::TxgSyncs, f64::from(u8::from(at.is_multiple_of(5))));
    values.insert(Counter::DirtyBytes, 1e8 * ripple(1));
    for drive in 0..DRIVES {
        for (i, what) in OF_A_DRIVE.into_iter().enumerate() {
            values.insert(Counter::drive(format!("hdd{drive}"), what), 0.5 * ripple(i as u64));
        }
    }
    Second { at: at as f64, reads: 0.0, writes: rate * ripple(0), values }
}
