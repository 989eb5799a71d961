//! Made-up campaigns with known truths.
#![allow(dead_code)] // each test file takes what it needs

use findings::Findings;
use findings::schema::Verdict;
use lab::campaign::*;
use lab::model::Model;
use measurement::{
    Counter, Counters, DriveCounter, Facts, Flow, Measured, Second, Trial, TrialResult,
};
use std::collections::BTreeMap;

fn strings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

pub fn kind(profile: &str, count: u32, write_cache: bool, protected: bool) -> DriveKind {
    DriveKind {
        count,
        profile: profile.into(),
        numbers: serde_json::json!({
            "write_cache": write_cache, "power_loss_protection": protected, "flush": "honest"
        }),
        price: None,
    }
}

/// Numbers of a built-in profile, one of them changed.
pub fn numbers(profile: &str, change: impl Fn(&mut serde_json::Value)) -> serde_json::Value {
    let profile = lab::Profiles::builtin().get(profile).unwrap().unwrap();
    let mut numbers = serde_json::to_value(profile).unwrap();
    change(&mut numbers);
    numbers
}

pub fn vdev(class: AllocationClass, layout: Layout, kind: &str, n: u32) -> Vdev {
    let drives = (0..n).map(|index| DriveRef { kind: kind.into(), index }).collect();
    Vdev { class, layout, drives }
}

/// A variant of the factors log and cache.
pub fn variant(log: bool, cache: bool) -> Variant {
    let mut vdevs = vec![vdev(AllocationClass::Normal, Layout::Raidz { parity: 2 }, "hdd", 6)];
    if log {
        vdevs.push(vdev(AllocationClass::Log, Layout::Mirror, "optane", 2));
    }
    if cache {
        vdevs.push(vdev(AllocationClass::Cache, Layout::Single, "nvme", 1));
    }
    let level = |on, name: &'static str| if on { name } else { "none" };
    let (l, c) = (level(log, "mirror"), level(cache, "nvme"));
    Variant {
        name: format!("{l}/{c}"),
        levels: strings(&[("log", l), ("cache", c)]),
        openzfs: OpenZfs::V2_3,
        stack: Stack::Zfs,
        drives: [
            ("hdd".to_owned(), kind("hdd-7200", 6, true, false)),
            ("optane".to_owned(), kind("p1600x", 2, false, true)),
            ("nvme".to_owned(), kind("pm9a3", 1, true, true)),
        ]
        .into(),
        pool: Pool { ashift: Some(12), vdevs, properties: BTreeMap::new() },
        datasets: [(String::new(), strings(&[("sync", "always"), ("recordsize", "16K")]))].into(),
        module: BTreeMap::new(),
        module_words: Default::default(),
        memory: None,
        servers: Default::default(),
    }
}

/// ext4 on an array of that level, or on one drive.
pub fn ext4(level: Option<MdLevel>) -> Stack {
    Stack::Filesystem(FilesystemOnDrives {
        level,
        chunk: None,
        ppl: false,
        drives: vec![DriveRef { kind: "nvme".into(), index: 0 }],
        filesystem: Filesystem::Ext4,
        mount_options: String::new(),
    })
}

/// All four variants of the factors log and cache: none, log, cache, both.
pub fn log_and_cache() -> Vec<Variant> {
    let levels = [(false, false), (true, false), (false, true), (true, true)];
    levels.map(|(log, cache)| variant(log, cache)).into()
}

pub fn workload(job: &str) -> Workload {
    Workload {
        name: "sync-small".into(),
        dataset: String::new(),
        program: Program::Fio { origin: "<lab>".into(), job: job.into() },
        size: None,
        rates: None,
    }
}

pub const SYNC_JOB: &str = "[global]\nbs=16k\nfsync=1\n[w]\nrw=randwrite\nnumjobs=8\n";

pub fn campaign(variants: Vec<Variant>, job: &str) -> Campaign {
    Campaign {
        title: "Is a SLOG worth it?".into(),
        source: Some("hk-2025".into()),
        name: "slog".into(),
        host: Host {
            memory: 128 << 30,
            cores: 32,
            memory_price: None,
            processor: Processor::Charged,
        },
        method: Method {
            baseline: variants[0].name.clone(),
            precision: 0.05,
            budget_s: 1200.0,
            min_trials: 2,
            max_trials: 8,
            runtime_s: Some(60.0),
            ramp_s: 0.0,
            ramp_most_s: None,
            seed: 1,
            sensitivity: Vec::new(),
            warm_up_s: 0.0,
            size_check: Vec::new(),
            restart: false,
        },
        variants,
        workloads: vec![workload(job)],
        scale: Scale { size: None, dirty_data_max: None },
    }
}

pub fn model() -> Model {
    Model {
        size: 12.0,
        size_bound_by: "memory".into(),
        arc_max: 1 << 30,
        guest_memory: 3 << 30,
        dirty_data_max: 256 << 20,
        dirty_data_max_real: 4 << 30,
        drives_hold: 0,
        wrlog_data_max: 512 << 20,
        caps: Vec::new(),
        module: BTreeMap::new(),
        notes: Vec::new(),
    }
}

/// What a made-up trial did.
#[derive(Clone)]
pub struct Truth {
    /// (seconds, operations a second) one after the other.
    pub levels: Vec<(usize, f64)>,
    /// Transactions that wait in the throttle for each write.
    pub throttled: f64,
    /// Share of log blocks that go to a log vdev.
    pub slog_share: f64,
    /// Busy share of the disks.
    pub busy: f64,
    /// Share of the modelled cores in use.
    pub processor: f64,
}

impl Truth {
    pub fn flat(rate: f64) -> Truth {
        Truth {
            levels: vec![(60, rate)],
            throttled: 0.0,
            slog_share: 0.0,
            busy: 0.5,
            processor: 0.2,
        }
    }
}

/// Mean service times of the drives, µs: (kind, how many, write, flush).
pub const SERVICE: [(&str, u32, f64, f64); 2] =
    [("hdd", 6, 8_000.0, 9_000.0), ("optane", 2, 12.0, 2.0)];

/// Eight clients that each write 16 KiB and fsync, 1 : 3 of the time in write and fsync.
pub fn measured(truth: &Truth) -> Measured {
    let n = 8.0;
    let runtime_s: f64 = truth.levels.iter().map(|l| l.0 as f64).sum();
    let ops: f64 = truth.levels.iter().map(|(s, rate)| *s as f64 * rate).sum();
    let response_ns = n * runtime_s / ops * 1e9;
    let count = ops as u64;
    let tail = if truth.busy > 0.9 { 6.0 } else { 3.0 };
    let flow = |mean_ns: f64| Flow {
        ops: count,
        bytes: count * 16384,
        mean_ns,
        histogram: vec![
            (mean_ns as u64, count - count / 50),
            ((tail * mean_ns) as u64, count / 50),
        ],
        overflow: 0,
    };
    let mut at = 0.0;
    let mut seconds = Vec::new();
    for (length, rate) in &truth.levels {
        for i in 0..*length {
            at += 1.0;
            // A ripple of ±2 % without a trend.
            let ripple = 1.0 + 0.02 * (((i * 7919) % 13) as f64 / 6.0 - 1.0);
            let mut values = Counters::from([
                (Counter::TxgSyncs, f64::from(u8::from(i % 5 == 4))),
                (Counter::DirtyBytes, 1e8),
                (Counter::ThrottleDirtyDelay, rate * ripple * truth.throttled),
                (Counter::ProcessorBusy, truth.processor),
            ]);
            for drive in 0..6 {
                let busy = Counter::drive(format!("hdd{drive}"), DriveCounter::Busy);
                values.insert(busy, truth.busy);
            }
            seconds.push(Second { at, reads: 0.0, writes: rate * ripple, values });
        }
    }
    let log_bytes = ops * 20_480.0;
    let mut totals = Counters::from([
        (Counter::ZilCommits, ops),
        (Counter::ZilSlogBytes, log_bytes * truth.slog_share),
        (Counter::ZilPoolBytes, log_bytes * (1.0 - truth.slog_share)),
        (Counter::ThrottleDirtyDelay, ops * truth.throttled),
        (Counter::ProcessorBusy, truth.processor),
        (Counter::DbufHits, ops),
        (Counter::ArcDataHits, ops * 0.1),
        (Counter::ArcDataMisses, 0.0),
        (Counter::ArcMetadataHits, ops * 0.1),
        (Counter::ArcMetadataMisses, 0.0),
        (Counter::L2Hits, 0.0),
    ]);
    for (kind, n, write_us, flush_us) in SERVICE {
        for drive in 0..n {
            let mut add =
                |what, value| totals.insert(Counter::drive(format!("{kind}{drive}"), what), value);
            add(DriveCounter::Writes, ops / 4.0);
            add(DriveCounter::WriteNs, ops / 4.0 * write_us * 1e3);
            add(DriveCounter::Flushes, ops / 8.0);
            add(DriveCounter::FlushNs, ops / 8.0 * flush_us * 1e3);
            if kind == "hdd" {
                add(DriveCounter::WriteBytes, ops * 16384.0 / 2.0);
            }
        }
    }
    Measured {
        concurrency: n,
        runtime_s,
        read: Flow::default(),
        write: flow(response_ns / 4.0),
        sync: Flow { bytes: 0, ..flow(response_ns * 3.0 / 4.0) },
        seconds,
        totals,
        facts: Facts::new(),
        notes: Vec::new(),
        warm_up: None,
        sync_tests: Default::default(),
    }
}

/// Repeat `repeat` of a variant: its seed is that of every variant's.
pub fn trial(variant: &str, repeat: u32, measured: Measured) -> Trial {
    Trial {
        key: key(variant, repeat),
        variant: variant.into(),
        workload: "sync-small".into(),
        repeat,
        seed: 1000 + u64::from(repeat),
        size: 12.0,
        openzfs: "2.4.4".into(),
        offered_rate: None,
        rerun: None,
        without: None,
        outcome: TrialResult::Measured(Box::new(measured)),
    }
}

/// A key that holds the name, in place of a hash.
pub fn key(variant: &str, repeat: u32) -> String {
    format!("{variant} {repeat}")
}

/// The measurements of a trial.
pub fn measured_of(trial: &mut Trial) -> &mut Measured {
    match &mut trial.outcome {
        TrialResult::Measured(measured) => measured,
        TrialResult::Failed { reason } => panic!("{reason}"),
    }
}

/// A spread between trials without a generator: ±`spread` in turn, never twice the same.
pub fn spread(i: usize, spread: f64) -> f64 {
    1.0 + spread * [0.9, -1.0, 0.3, -0.5, 0.7, -0.2][i % 6]
}

/// `repeats` trials of each variant. Nine tenths of their spread come from the seed, which all variants
/// share, the rest is each one's own.
pub fn trials(truths: &[(&Variant, Truth)], repeats: usize, noise: f64) -> Vec<Trial> {
    let mut all = Vec::new();
    for repeat in 0..repeats {
        for (v, (variant, truth)) in truths.iter().enumerate() {
            let mut truth = truth.clone();
            for level in &mut truth.levels {
                level.1 *= spread(repeat, 0.9 * noise) * spread(2 * repeat + v, 0.1 * noise);
            }
            all.push(trial(&variant.name, repeat as u32, measured(&truth)));
        }
    }
    all
}

/// The verdict on a factor.
pub fn verdict<'a>(findings: &'a Findings, factor: &str) -> &'a Verdict {
    findings.verdicts.iter().find(|v| v.factor == factor).unwrap()
}
