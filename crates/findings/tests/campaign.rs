//! Findings of made-up campaigns with known truths.

mod synthetic;

use findings::output::*;
use findings::{Findings, analyse};
use lab::campaign::{Campaign, Class as VdevClass, Layout, Variant};
use synthetic::*;

fn burst(burst: f64, sustained: f64) -> Truth {
    Truth {
        levels: vec![(23, burst), (60, sustained)],
        commit_share: 0.3,
        throttle_share: 0.5,
        slog_share: 1.0,
        busy: 0.97,
    }
}

/// The four variants of the file-server lab: a log gives 17× in a burst and 6.7× sustained, a cache
/// gives nothing.
fn file_server(repeats: usize) -> (Campaign, Findings) {
    let variants: Vec<Variant> = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(l, c)| variant(l, c))
        .into();
    let truth = |v: &Variant| {
        if v.levels["log"] == "none" {
            Truth::flat(640.0)
        } else {
            burst(11_200.0, 4300.0)
        }
    };
    let truths: Vec<_> = variants.iter().map(|v| (v, truth(v))).collect();
    let trials = trials(&truths, repeats, 0.01);
    let campaign = campaign(variants, SYNC_JOB);
    let findings = analyse(&campaign, &model(), &trials);
    (campaign, findings)
}

fn verdict<'a>(findings: &'a Findings, factor: &str) -> &'a Verdict {
    findings
        .verdicts
        .iter()
        .find(|v| v.factor == factor)
        .unwrap()
}

#[test]
fn a_log_is_worth_it_in_both_phases_and_a_cache_is_not() {
    let (_, findings) = file_server(4);
    assert!(
        findings.cells.iter().all(|c| c.standing == Standing::Sound),
        "{:#?}",
        findings.cells[0].marks
    );
    let log = verdict(&findings, "log");
    assert_eq!(
        (log.class, log.phase),
        (Class::WorthIt, PhaseKind::Sustained)
    );
    let deciding = &findings.effects[log.effects[0]];
    assert!(
        (deciding.ratio.value - 4300.0 / 640.0).abs() < 0.1,
        "{:?}",
        deciding.ratio
    );
    assert!(
        deciding.ratio.low < deciding.ratio.value && deciding.ratio.value < deciding.ratio.high
    );
    assert_eq!(
        deciding.variant, None,
        "the main effect over both levels of the cache"
    );
    let two = log.cautions.iter().find_map(|c| match c {
        Caution::TwoPhases { burst, sustained } => Some((*burst, *sustained)),
        _ => None,
    });
    let (burst, sustained) = two.unwrap();
    assert!((burst - 17.5).abs() < 0.5 && (sustained - 6.7).abs() < 0.1);

    let cache = verdict(&findings, "cache");
    assert_eq!(cache.class, Class::NoEffect);
    assert!(
        matches!(cache.reasons[0], Reason::CacheUnused { .. }),
        "{:?}",
        cache.reasons
    );
    assert!(
        cache
            .reasons
            .iter()
            .any(|r| matches!(r, Reason::NothingRead { .. }))
    );
    assert_eq!(findings.verdicts[0].factor, "log", "the strongest first");
    assert!(
        findings.interactions.iter().all(|i| !i.shown),
        "{:?}",
        findings.interactions
    );
    assert!(!findings.interactions.is_empty());
}

#[test]
fn reasons_come_from_stage_times() {
    let (_, findings) = file_server(3);
    let log = verdict(&findings, "log");
    let Some(Reason::Commit {
        before_us,
        after_us,
    }) = log.reasons.first()
    else {
        panic!("{:?}", log.reasons);
    };
    // 8 ÷ 640/s = 12.5 ms, nine tenths of it the commit.
    assert!((before_us - 11_250.0).abs() < 200.0, "{before_us}");
    assert!(after_us < before_us);
    assert!(
        matches!(&log.reasons[1], Reason::Stage { operation, stage, .. }
        if operation == "fsync" && stage == "log_write")
    );
    assert!(
        log.reasons
            .iter()
            .any(|r| matches!(r, Reason::DirtyFilled { seconds, .. } if *seconds == 23.0))
    );
    assert!(log.reasons.iter().any(|r| matches!(r, Reason::LimitMoved { after: Limit::Drives { kind, .. }, .. } if kind == "hdd")));
    // The gain is 6.7 of 12.5 ms: a commit may take that much more, less what 5 % takes.
    let Sensitivity::Stages {
        parameter,
        kind,
        at_us,
        to_us,
        ..
    } = &log.sensitivity[0]
    else {
        panic!("{:?}", log.sensitivity);
    };
    assert_eq!(
        (*parameter, kind.as_str()),
        (Parameter::LogCommit, "optane")
    );
    assert!(to_us.unwrap() > 5.0 * at_us && to_us.unwrap() < 12_500.0);
}

#[test]
fn cells_hold_what_the_published_format_asks_for() {
    let (_, findings) = file_server(2);
    let json = serde_json::to_value(&findings).unwrap();
    let cell = &json["cells"][1];
    for path in [
        "/variant",
        "/workload",
        "/concurrency",
        "/throughput/value",
        "/throughput/low",
        "/throughput/high",
        "/latency/mean_us",
        "/latency/p50_us",
        "/latency/p95_us",
        "/latency/p99_us",
        "/sync_latency/p99_us",
        "/hits",
        "/checks/0/pass",
        "/scale/size",
    ] {
        assert!(
            cell.pointer(path).is_some_and(|v| !v.is_null()),
            "{path}: {cell}"
        );
    }
    let back: Findings = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
    assert_eq!(json["effects"][0]["class"], "worth-it");
    let cell = &findings.cells[1];
    let Phases::Burst { burst, .. } = cell.phases else {
        panic!("{:?}", cell.phases)
    };
    assert_eq!(
        burst.real_seconds,
        Some(23.0 * 16.0),
        "the real dirty limit is 16 times as large"
    );
    assert_eq!(cell.series.len(), 2);
    assert_eq!(cell.series[0].change_at, Some(23.0));
    let stages: f64 = cell
        .attribution
        .as_ref()
        .unwrap()
        .stages
        .iter()
        .map(|s| s.share)
        .sum();
    let outside = cell.attribution.as_ref().unwrap().outside_share;
    assert!((stages + outside - 1.0).abs() < 1e-9);
    assert!(findings.lints.is_empty(), "{:?}", findings.lints);
}

#[test]
fn a_single_trial_decides_nothing_but_shows_its_blocks() {
    let (_, findings) = file_server(1);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::Undecided);
    assert!(log.cautions.contains(&Caution::SingleTrial));
    let effect = &findings.effects[log.effects[0]];
    assert_eq!(effect.ratio.basis, Basis::Blocks);
    assert_eq!(effect.needed.unwrap().lack, Lack::SecondTrial);
    assert_eq!(findings.cells[0].throughput.unwrap().basis, Basis::Blocks);
}

#[test]
fn no_trials_at_all_still_make_findings() {
    let (campaign, _) = file_server(1);
    let findings = analyse(&campaign, &model(), &[]);
    assert_eq!(findings.cells.len(), 4);
    assert!(
        findings
            .cells
            .iter()
            .all(|c| c.standing == Standing::Failed && c.throughput.is_none())
    );
    assert!(findings.effects.is_empty() && findings.verdicts.is_empty());
    serde_json::to_string(&findings).unwrap();
}

fn two(repeats: usize, change: impl Fn(usize, &mut findings::record::Measured)) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth::flat(4300.0)),
    ];
    let mut trials = trials(&truths, repeats, 0.01);
    for (i, trial) in trials.iter_mut().enumerate() {
        if let findings::record::Outcome::Measured(m) = &mut trial.outcome {
            change(i, m);
        }
    }
    analyse(&campaign(variants, SYNC_JOB), &model(), &trials)
}

#[test]
fn a_late_or_busy_trial_is_shown_and_kept_out() {
    let findings = two(3, |i, m| {
        if i == 1 {
            m.fidelity.late_ns_per_op = 0.03 * 8.0 / 4300.0 * 1e9;
        }
        if i == 3 {
            m.fidelity.cpu_share = 0.7;
        }
    });
    let cell = &findings.cells[1];
    assert_eq!((cell.trials.sound, cell.trials.marked), (1, 2));
    assert_eq!(findings.trials[1].standing, Standing::Marked);
    // Both are real time: a larger k makes them a smaller share of the model's.
    let enough = |trial: usize| match &findings.trials[trial].marks[..] {
        [Mark::Late { enough, .. } | Mark::Processor { enough, .. }] => *enough,
        marks => panic!("{marks:?}"),
    };
    assert_eq!(model().time, Some(5.0));
    assert_eq!(enough(1), Some(8.0), "three in a hundred, limit two");
    assert_eq!(enough(3), Some(7.0), "seven tenths, limit five");
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::Undecided, "one sound trial is left");
    assert!(
        log.cautions
            .contains(&Caution::SetAside { marked: 2, of: 6 })
    );
}

#[test]
fn processors_lost_to_the_host_are_named_and_set_nothing_aside() {
    let findings = two(3, |i, m| m.fidelity.stolen_share = [0.06, 0.01][i % 2]);
    let stolen = |trial: &findings::output::TrialRow| {
        let mark = |m: &Mark| matches!(m, Mark::Stolen { share } if *share == 0.06);
        trial.marks.iter().any(mark)
    };
    assert!(findings.trials.iter().any(stolen));
    assert!(!findings.trials.iter().all(stolen));
    for trial in &findings.trials {
        assert_eq!(trial.standing, Standing::Sound);
    }
}

#[test]
fn each_broken_law_fails_its_trial_with_the_numbers() {
    type Break = fn(&mut findings::record::Measured);
    let breaks: [(Law, Break); 8] = [
        (Law::Little, |m| m.sync.mean_ns *= 1.5),
        (Law::Bandwidth, |m| m.write.bytes /= 2),
        (Law::BytesOnDrives, |m| {
            for (name, value) in &mut m.totals {
                if name.ends_with("write_bytes") {
                    *value /= 4.0;
                }
            }
        }),
        (Law::Busy, |m| {
            for second in &mut m.seconds {
                second.values.insert("drive.hdd2.busy".into(), 1.2);
            }
        }),
        (Law::Stages, |m| {
            m.stages.insert("fsync.commit".into(), 1e18);
        }),
        (Law::SomeIo, |m| {
            m.write.ops = 0;
            m.sync.ops = 0;
        }),
        (Law::Percentiles, |m| m.write.histogram[0].1 /= 2),
        (Law::Samples, |m| {
            let n = m.seconds.len();
            m.seconds[n / 2..].iter_mut().for_each(|s| s.values.clear());
        }),
    ];
    for (law, plant) in breaks {
        let findings = two(2, |i, m| {
            if i == 0 {
                plant(m);
            }
        });
        let row = &findings.trials[0];
        assert_eq!(row.standing, Standing::Failed, "{law:?}");
        let broken = findings.cells[0]
            .checks
            .iter()
            .filter(|c| !c.pass)
            .map(|c| (c.trial, c.law));
        let mut broken: Vec<_> = broken.collect();
        broken.dedup();
        assert_eq!(broken, [(0, law)]);
        assert!(findings.cells[0].trials.failed == 1 && findings.cells[0].trials.sound == 1);
    }
}

#[test]
fn littles_law_counts_the_time_in_fsync() {
    let findings = two(2, |_, _| {});
    let check = findings.cells[0]
        .checks
        .iter()
        .find(|c| c.law == Law::Little)
        .unwrap();
    assert!(check.pass && (check.measured - 8.0).abs() < 0.01);
    // Without the fsync's share, X·R would be 2.
    let cell = &findings.cells[0];
    let write_only = cell.throughput.unwrap().value * cell.latency.unwrap().mean_us / 1e6;
    assert!((write_only - 2.0).abs() < 0.1);
}

#[test]
fn a_cell_that_never_settles_has_no_sustained_verdict() {
    let variants = vec![variant(false, false), variant(true, false)];
    let decline: Vec<(usize, f64)> = (0..60).map(|i| (1, 4000.0 * 0.97f64.powi(i))).collect();
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (
            &variants[1],
            Truth {
                levels: decline,
                ..Truth::flat(0.0)
            },
        ),
    ];
    let trials = trials(&truths, 3, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    assert!(matches!(
        findings.cells[1].phases,
        Phases::NotSettled { .. }
    ));
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::Undecided);
    assert!(
        log.cautions
            .iter()
            .any(|c| matches!(c, Caution::NotSettled { .. }))
    );
    assert_eq!(
        findings.effects[log.effects[0]].needed.unwrap().lack,
        Lack::LongerRun
    );
}

#[test]
fn an_outlier_is_flagged_and_not_dropped() {
    let findings = two(5, |i, m| {
        if i == 4 {
            // All of the trial runs at half speed; the laws hold.
            let slow = Truth::flat(320.0);
            *m = measured(&slow);
        }
    });
    let flagged: Vec<u64> = findings
        .trials
        .iter()
        .filter(|t| t.outlier)
        .map(|t| t.id)
        .collect();
    assert_eq!(flagged, [4]);
    assert_eq!(findings.cells[0].trials.sound, 5);
}

#[test]
fn a_variant_that_may_lose_writes_is_not_ranked_in_silence() {
    let mut lossy = variant(true, false);
    lossy
        .datasets
        .get_mut("")
        .unwrap()
        .insert("sync".into(), "disabled".into());
    lossy.levels.clear();
    lossy.name = "async".into();
    let variants = vec![variant(false, false), lossy];
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth::flat(9000.0)),
    ];
    let trials = trials(&truths, 3, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    assert!(findings.variants[1].durability[0].loses_acknowledged());
    let verdict = &findings.verdicts[0];
    assert_eq!(
        verdict.cautions[0],
        Caution::Durability {
            variants: vec!["async".into()]
        }
    );
    assert!(findings.effects[0].durability_differs);
}

#[test]
fn factors_are_named_by_what_they_change() {
    let (campaign, findings) = file_server(2);
    let of = |name: &str| findings.factors.iter().find(|f| f.name == name).unwrap();
    assert_eq!(of("log").subjects, [Subject::Log]);
    assert_eq!(of("cache").subjects, [Subject::Cache]);
    assert_eq!(of("log").levels, ["none", "mirror"]);
    assert_eq!(findings.variants[0].name, campaign.method.baseline);
    let risks = &findings.variants[0].durability;
    assert!(
        risks.is_empty(),
        "raidz2, honest flush, mirrored log: {risks:?}"
    );
}

#[test]
fn an_unmirrored_log_and_a_bare_special_are_told() {
    let mut v = variant(false, false);
    v.pool
        .vdevs
        .push(vdev(VdevClass::Log, Layout::Single, "optane", 1));
    v.pool
        .vdevs
        .push(vdev(VdevClass::Special, Layout::Single, "nvme", 1));
    let findings = analyse(&campaign(vec![v], SYNC_JOB), &model(), &[]);
    assert_eq!(
        findings.variants[0].durability,
        [
            DurabilityRisk::LogNotMirrored,
            DurabilityRisk::SpecialNotRedundant
        ]
    );
}

#[test]
fn a_cache_that_helps_only_without_a_log_is_an_interaction() {
    let variants: Vec<Variant> = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(l, c)| variant(l, c))
        .into();
    let rates = [640.0, 4300.0, 1280.0, 4300.0];
    let truths: Vec<_> = variants
        .iter()
        .zip(rates)
        .map(|(v, r)| (v, Truth::flat(r)))
        .collect();
    let trials = trials(&truths, 4, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let interaction = &findings.interactions[0];
    assert!(interaction.shown, "{interaction:?}");
    assert_eq!(interaction.first.0, "cache");
    assert!((interaction.without - 2.0).abs() < 0.1 && (interaction.with - 1.0).abs() < 0.05);
    let cache = verdict(&findings, "cache");
    assert_eq!(cache.class, Class::WorthIt, "beside the baseline");
    assert_eq!(cache.conditions.len(), 2);
    assert!(
        cache
            .conditions
            .iter()
            .any(|c| c.context["log"] == "mirror" && c.class == Class::NoEffect)
    );
}

#[test]
fn ablation_ranks_settings_by_what_they_contribute() {
    let names = ["recordsize", "logbias", "atime"];
    let gains = [3.0, 1.5, 1.0];
    let make = |name: &str, on: [bool; 3]| {
        let mut v = variant(false, false);
        v.name = name.into();
        let level = |on| if on { "on" } else { "off" };
        v.levels = names
            .iter()
            .zip(on)
            .map(|(n, on)| ((*n).to_owned(), level(on).to_owned()))
            .collect();
        let root = v.datasets.get_mut("").unwrap();
        for (n, _) in names.iter().zip(on).filter(|(_, on)| *on) {
            root.insert((*n).into(), "changed".into());
        }
        v
    };
    let designs = [
        ("base", [false; 3]),
        ("only-recordsize", [true, false, false]),
        ("only-logbias", [false, true, false]),
        ("only-atime", [false, false, true]),
        ("all-but-recordsize", [false, true, true]),
        ("all-but-logbias", [true, false, true]),
        ("all", [true; 3]),
    ];
    let variants: Vec<Variant> = designs.iter().map(|(n, on)| make(n, *on)).collect();
    let rate = |on: [bool; 3]| {
        500.0
            * on.iter()
                .zip(gains)
                .filter(|(on, _)| **on)
                .map(|(_, g)| g)
                .product::<f64>()
    };
    let truths: Vec<_> = variants
        .iter()
        .zip(designs)
        .map(|(v, (_, on))| (v, Truth::flat(rate(on))))
        .collect();
    let trials = trials(&truths, 3, 0.005);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let order: Vec<&str> = findings.ranking.iter().map(|c| c.factor.as_str()).collect();
    assert_eq!(order, ["recordsize", "logbias", "atime"]);
    let share: f64 = findings.ranking.iter().filter_map(|c| c.share).sum();
    assert!((share - 1.0).abs() < 1e-9);
    let first = findings.ranking[0].share.unwrap();
    assert!((first - 3f64.ln() / 4.5f64.ln()).abs() < 0.05, "{first}");
    assert!((findings.ranking[0].last.unwrap().value - 3.0).abs() < 0.1);
}

#[test]
fn a_paced_workload_is_judged_by_latency() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth::flat(640.0)),
    ];
    let mut trials = trials(&truths, 3, 0.01);
    for trial in &mut trials {
        if let (findings::record::Outcome::Measured(m), "mirror/none") =
            (&mut trial.outcome, trial.variant.as_str())
        {
            for flow in [&mut m.write, &mut m.sync] {
                flow.mean_ns /= 10.0;
            }
            m.stages.clear();
        }
    }
    let job = format!("{SYNC_JOB}rate_iops=80\n");
    let findings = analyse(&campaign(variants, &job), &model(), &trials);
    let log = verdict(&findings, "log");
    assert_eq!(
        (log.metric, log.class),
        (Metric::MeanLatency, Class::WorthIt)
    );
    let ratio = findings.effects[log.effects[0]].ratio.value;
    assert!((ratio - 0.1).abs() < 0.01, "{ratio}");
}

#[test]
fn a_failed_trial_keeps_its_reason() {
    let variants = vec![variant(false, false), variant(true, false)];
    let mut all = trials(
        &[
            (&variants[0], Truth::flat(640.0)),
            (&variants[1], Truth::flat(4300.0)),
        ],
        2,
        0.01,
    );
    all[1].outcome = findings::record::Outcome::Failed {
        reason: "poolfs: ASSERT at zil.c:1".into(),
    };
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    assert_eq!(
        findings.trials[1].failure.as_deref(),
        Some("poolfs: ASSERT at zil.c:1")
    );
    assert_eq!(findings.cells[1].trials.failed, 1);
    assert!(findings.cells[1].marks.contains(&Mark::DidNotRun));
}

#[test]
fn the_schema_names_every_part() {
    let schema = serde_json::to_value(schemars::schema_for!(Findings)).unwrap();
    for part in ["cells", "effects", "verdicts", "scale", "lints", "trials"] {
        assert!(schema["properties"][part].is_object(), "{part}");
    }
}
