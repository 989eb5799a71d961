//! Made-up campaigns with known truths.
#![allow(dead_code)] // each test file takes what it needs

use findings::Findings;
use findings::output::Verdict;
use findings::record::{Fidelity, Flow, Measured, Outcome, Second, Trial};
use lab::campaign::*;
use lab::model::Model;
use std::collections::BTreeMap;

fn strings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect()
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

pub fn vdev(class: Class, layout: Layout, kind: &str, n: u32) -> Vdev {
    let drives = (0..n)
        .map(|index| DriveRef {
            kind: kind.into(),
            index,
        })
        .collect();
    Vdev {
        class,
        layout,
        drives,
    }
}

/// A variant of the factors log and cache.
pub fn variant(log: bool, cache: bool) -> Variant {
    let mut vdevs = vec![vdev(Class::Normal, Layout::Raidz { parity: 2 }, "hdd", 6)];
    if log {
        vdevs.push(vdev(Class::Log, Layout::Mirror, "optane", 2));
    }
    if cache {
        vdevs.push(vdev(Class::Cache, Layout::Single, "nvme", 1));
    }
    let level = |on, name: &'static str| if on { name } else { "none" };
    let (l, c) = (level(log, "mirror"), level(cache, "nvme"));
    Variant {
        name: format!("{l}/{c}"),
        levels: strings(&[("log", l), ("cache", c)]),
        openzfs: OpenZfs::V2_1,
        drives: [
            ("hdd".to_owned(), kind("hdd-7200", 6, true, false)),
            ("optane".to_owned(), kind("p1600x", 2, false, true)),
            ("nvme".to_owned(), kind("pm9a3", 1, true, true)),
        ]
        .into(),
        pool: Pool {
            ashift: Some(12),
            vdevs,
            properties: BTreeMap::new(),
        },
        datasets: [(
            String::new(),
            strings(&[("sync", "always"), ("recordsize", "16K")]),
        )]
        .into(),
        module: BTreeMap::new(),
        module_words: Default::default(),
        memory: None,
    }
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
        program: Program::Fio {
            origin: "<lab>".into(),
            job: job.into(),
        },
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
        scale: Scale {
            size: None,
            time: None,
            dirty_data_max: None,
        },
    }
}

pub fn model() -> Model {
    Model {
        size: 12.0,
        size_bound_by: "memory".into(),
        time: Some(5.0),
        time_guessed: false,
        arc_max: 1 << 30,
        physmem: 2 << 30,
        dirty_data_max: 256 << 20,
        dirty_data_max_real: 4 << 30,
        drives_hold: 0,
        wrlog_data_max: 512 << 20,
        caps: Vec::new(),
        module: BTreeMap::new(),
        feed_interval: 1.0,
        notes: Vec::new(),
    }
}

/// What a made-up trial did.
#[derive(Clone)]
pub struct Truth {
    /// (seconds, operations a second) one after the other.
    pub levels: Vec<(usize, f64)>,
    /// µs of an operation's fsync in the commit; the rest of its time is elsewhere.
    pub commit_share: f64,
    /// Share of the operation's time in the throttle.
    pub throttle_share: f64,
    /// Share of log blocks that go to a log vdev.
    pub slog_share: f64,
    /// Busy share of the disks.
    pub busy: f64,
}

impl Truth {
    pub fn flat(rate: f64) -> Truth {
        Truth {
            levels: vec![(60, rate)],
            commit_share: 0.9,
            throttle_share: 0.0,
            slog_share: 0.0,
            busy: 0.5,
        }
    }
}

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
            let mut values = BTreeMap::from([
                ("txg.syncs".to_owned(), f64::from(u8::from(i % 5 == 4))),
                ("dirty.bytes".to_owned(), 1e8),
            ]);
            for drive in 0..6 {
                values.insert(format!("drive.hdd{drive}.busy"), truth.busy);
            }
            seconds.push(Second {
                at,
                reads: 0.0,
                writes: rate * ripple,
                values,
            });
        }
    }
    let log_bytes = ops * 20_480.0;
    let mut totals = BTreeMap::from([
        ("zil.commits".to_owned(), ops),
        ("zil.slog_bytes".to_owned(), log_bytes * truth.slog_share),
        (
            "zil.pool_bytes".to_owned(),
            log_bytes * (1.0 - truth.slog_share),
        ),
        (
            "throttle.dirty_delay".to_owned(),
            ops * truth.throttle_share,
        ),
        ("dbuf.hits".to_owned(), ops),
        ("arc.demand_data_hits".to_owned(), ops * 0.1),
        ("arc.demand_data_misses".to_owned(), 0.0),
        ("arc.demand_metadata_hits".to_owned(), ops * 0.1),
        ("arc.demand_metadata_misses".to_owned(), 0.0),
        ("l2.hits".to_owned(), 0.0),
    ]);
    for drive in 0..6 {
        totals.insert(format!("drive.hdd{drive}.write_bytes"), ops * 16384.0 / 2.0);
    }
    let stages = BTreeMap::from([
        ("write.count".to_owned(), ops),
        (
            "write.work".to_owned(),
            ops * response_ns * (truth.throttle_share + 0.02),
        ),
        (
            "write.throttle".to_owned(),
            ops * response_ns * truth.throttle_share,
        ),
        ("fsync.count".to_owned(), ops),
        (
            "fsync.work".to_owned(),
            ops * response_ns * (truth.commit_share + 0.01),
        ),
        (
            "fsync.commit".to_owned(),
            ops * response_ns * truth.commit_share,
        ),
        (
            "fsync.log_write".to_owned(),
            ops * response_ns * truth.commit_share * 0.9,
        ),
        ("fsync.commits".to_owned(), ops),
    ]);
    Measured {
        concurrency: n,
        runtime_s,
        read: Flow::default(),
        write: flow(response_ns / 4.0),
        sync: Flow {
            bytes: 0,
            ..flow(response_ns * 3.0 / 4.0)
        },
        seconds,
        stages,
        fidelity: Fidelity {
            late_ns_per_op: 1000.0,
            cpu_share: 0.2,
            poolfs_cpu_ns_per_op: 60_000.0,
            neighbours_share: 0.0,
            stolen_share: 0.0,
            drives: BTreeMap::from([("hdd".to_owned(), (1.0, 1.01))]),
        },
        totals,
        facts: BTreeMap::new(),
        features: vec!["parallel-direct-writes".into(), "async-dio".into()],
        notes: Vec::new(),
        warm_up: None,
    }
}

pub fn trial(id: u64, variant: &str, repeat: u32, measured: Measured) -> Trial {
    Trial {
        id,
        variant: variant.into(),
        workload: "sync-small".into(),
        repeat,
        seed: id,
        started: "2026-11-21T00:00:00Z".into(),
        wall_s: 120.0,
        window_wall_s: 100.0,
        size: 12.0,
        time: 5.0,
        openzfs: "2.1.11".into(),
        offered_rate: None,
        rerun: None,
        outcome: Outcome::Measured(Box::new(measured)),
    }
}

/// A spread between trials without a generator: ±`spread` in turn, never twice the same.
pub fn spread(i: usize, spread: f64) -> f64 {
    1.0 + spread * [0.9, -1.0, 0.3, -0.5, 0.7, -0.2][i % 6]
}

/// `repeats` trials of each variant, interleaved.
pub fn trials(truths: &[(&Variant, Truth)], repeats: usize, noise: f64) -> Vec<Trial> {
    let mut all = Vec::new();
    for repeat in 0..repeats {
        for (v, (variant, truth)) in truths.iter().enumerate() {
            let mut truth = truth.clone();
            for level in &mut truth.levels {
                level.1 *= spread(repeat + v, noise);
            }
            all.push(trial(
                all.len() as u64,
                &variant.name,
                repeat as u32,
                measured(&truth),
            ));
        }
    }
    all
}

/// The verdict on a factor.
pub fn verdict<'a>(findings: &'a Findings, factor: &str) -> &'a Verdict {
    findings
        .verdicts
        .iter()
        .find(|v| v.factor == factor)
        .unwrap()
}
