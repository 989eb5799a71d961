//! Findings of made-up campaigns with known truths.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use lab::campaign::{AllocationClass, Campaign, Layout, MdLevel, PgTestFsync, Program, Variant};
use measurement::{Counter, Second, TrialResult};
use synthetic::*;

fn burst(burst: f64, sustained: f64) -> Truth {
    Truth {
        levels: vec![(23, burst), (60, sustained)],
        throttled: 0.8,
        slog_share: 1.0,
        busy: 0.97,
        processor: 0.4,
    }
}

/// The four variants of the file-server lab: a log gives 17× in a burst and 6.7× sustained, a cache
/// gives nothing.
fn file_server(repeats: usize) -> (Campaign, Findings) {
    let variants: Vec<Variant> = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(l, c)| variant(l, c))
        .into();
    let truth = |v: &Variant| {
        if v.levels["log"] == "none" { Truth::flat(640.0) } else { burst(11_200.0, 4300.0) }
    };
    let truths: Vec<_> = variants.iter().map(|v| (v, truth(v))).collect();
    let trials = trials(&truths, repeats, 0.01);
    let campaign = campaign(variants, SYNC_JOB);
    let findings = analyse(&campaign, &model(), &trials);
    (campaign, findings)
}

#[test]
fn a_log_is_worth_it_in_both_phases_and_a_cache_is_not() {
    let (_, findings) = file_server(4);
    assert!(
        findings.cells.iter().all(|c| c.validity == Validity::Valid),
        "{:#?}",
        findings.cells[0].issues
    );
    let log = verdict(&findings, "log");
    assert_eq!((log.class, log.phase), (VerdictClass::WorthIt, PhaseKind::Sustained));
    let deciding = &findings.effects[log.effects[0]];
    assert!((deciding.ratio.value - 4300.0 / 640.0).abs() < 0.1, "{:?}", deciding.ratio);
    assert!(
        deciding.ratio.low < deciding.ratio.value && deciding.ratio.value < deciding.ratio.high
    );
    assert_eq!(deciding.variant, None, "the main effect over both levels of the cache");
    let two = log.cautions.iter().find_map(|c| match c {
        Caution::TwoPhases { burst, sustained } => Some((*burst, *sustained)),
        _ => None,
    });
    let (burst, sustained) = two.unwrap();
    assert!((burst - 17.5).abs() < 0.5 && (sustained - 6.7).abs() < 0.1);

    let cache = verdict(&findings, "cache");
    assert_eq!(cache.class, VerdictClass::NoEffect);
    assert!(matches!(cache.reasons[0].reason, Reason::CacheUnused { .. }), "{:?}", cache.reasons);
    assert!(cache.reasons.iter().any(|r| matches!(r.reason, Reason::NothingRead { .. })));
    assert_eq!(findings.verdicts[0].factor, "log", "the strongest first");
    assert!(findings.interactions.iter().all(|i| !i.shown), "{:?}", findings.interactions);
    assert!(!findings.interactions.is_empty());
}

#[test]
fn reasons_come_from_the_drives_record_and_name_the_command_that_shows_them() {
    let (_, findings) = file_server(3);
    let log = verdict(&findings, "log");
    let is = |time: &DriveTime, kind: &str, us: f64| {
        let with_data = kind == "hdd";
        time.kind == kind && time.with_data == with_data && (time.us - us).abs() < 1e-6
    };
    let [writes, flushes, ..] = log.reasons.as_slice() else {
        panic!("{:?}", log.reasons);
    };
    assert!(
        matches!(&writes.reason, Reason::LogWrites(Both { before, after })
            if is(before, "hdd", 8000.0) && is(after, "optane", 12.0)),
        "{writes:?}"
    );
    assert!(
        matches!(&flushes.reason, Reason::LogFlushes(Both { before, after })
            if is(before, "hdd", 9000.0) && is(after, "optane", 2.0)),
        "{flushes:?}"
    );
    assert_eq!(writes.command, "zpool iostat -vl POOL 1");
    assert_eq!(flushes.command, "iostat -x 1");
    let has = |test: fn(&Reason) -> bool| log.reasons.iter().any(|r| test(&r.reason));
    assert!(has(|r| matches!(r, Reason::DirtyFilled { seconds, per_write, .. }
        if *seconds == 23.0 && (per_write - 0.8).abs() < 1e-6)));
    assert!(has(
        |r| matches!(r, Reason::LimitMoved(Both { after: Limit::Drives { kind, .. }, .. }) if kind == "hdd")
    ));
    let used = findings.cells[0].resources.as_ref().unwrap();
    assert!((used.commits_per_op - 1.0).abs() < 1e-3);
    assert_eq!(used.limit, Limit::Latency { kind: "hdd".into(), busy: 0.5 });
    assert!((used.processor.unwrap() - 0.2).abs() < 1e-9);
}

#[test]
fn cells_hold_what_the_published_format_asks_for() {
    let (_, findings) = file_server(2);
    let json = serde_json::to_value(&findings).unwrap();
    let cell = &json["cells"][1];
    for path in [
        "/variant", "/workload", "/concurrency", "/throughput/value", "/throughput/low",
        "/throughput/high", "/latency/mean_us", "/latency/p50_us", "/latency/p95_us",
        "/latency/p99_us", "/sync_latency/p99_us", "/hits", "/checks/0/pass", "/scale/size",
    ] {
        assert!(cell.pointer(path).is_some_and(|v| !v.is_null()), "{path}: {cell}");
    }
    let back: Findings = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
    assert_eq!(json["effects"][0]["class"], "worth-it");
    let cell = &findings.cells[1];
    let Phases::Burst { burst, .. } = cell.phases else { panic!("{:?}", cell.phases) };
    assert_eq!(burst.real_seconds, Some(23.0 * 16.0), "the real dirty limit is 16 times as large");
    assert_eq!(cell.series.len(), 2);
    assert_eq!(cell.series[0].change_at, Some(23.0));
    assert!(findings.lints.is_empty(), "{:?}", findings.lints);
}

#[test]
fn no_trials_at_all_still_make_findings() {
    let (campaign, _) = file_server(1);
    let findings = analyse(&campaign, &model(), &[]);
    assert_eq!(findings.cells.len(), 4);
    assert!(
        findings.cells.iter().all(|c| c.validity == Validity::Failed && c.throughput.is_none())
    );
    assert!(findings.effects.is_empty() && findings.verdicts.is_empty());
    assert_eq!(findings.not_run.len(), 4);
    serde_json::to_string(&findings).unwrap();
}

#[test]
fn a_variant_that_may_lose_writes_is_not_ranked_in_silence() {
    let mut lossy = variant(true, false);
    lossy.datasets.get_mut("").unwrap().insert("sync".into(), "disabled".into());
    lossy.levels.clear();
    lossy.name = "async".into();
    let variants = vec![variant(false, false), lossy];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(9000.0))];
    let trials = trials(&truths, 3, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let lossy = Some(PowerCutClass::LosesLast { seconds: Some(10.0) });
    assert_eq!(findings.variants[1].after_power_cut, lossy);
    assert_eq!(findings.variants[0].after_power_cut, Some(PowerCutClass::KeepsAcknowledged));
    let verdict = &findings.verdicts[0];
    assert_eq!(verdict.cautions[0], Caution::Durability { variants: vec!["async".into()] });
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
    assert!(risks.is_empty(), "raidz2, honest flush, mirrored log: {risks:?}");
}

#[test]
fn memory_is_a_subject_and_no_reason_for_what_went_the_other_way() {
    let mut small = variant(false, false);
    small.levels.clear();
    let mut large = small.clone();
    large.name = "large".into();
    large.memory = Some(64 << 30);
    let of = |before: f64, after: f64| {
        let truths = [(&small, Truth::flat(before)), (&large, Truth::flat(after))];
        let mut trials = trials(&truths, 4, 0.01);
        for trial in trials.iter_mut().filter(|trial| trial.variant == "large") {
            let TrialResult::Measured(measured) = &mut trial.outcome else {
                continue;
            };
            // Half of the smaller machine's lookups go to the drives, none of the larger's.
            measured.totals.insert(Counter::DbufHits, 1e9);
        }
        for trial in trials.iter_mut().filter(|trial| trial.variant != "large") {
            let TrialResult::Measured(measured) = &mut trial.outcome else {
                continue;
            };
            measured.totals.insert(Counter::DbufHits, 1e6);
            let misses = Counter::ArcDataMisses;
            measured.totals.insert(misses, 1e6);
        }
        let campaign = campaign(vec![small.clone(), large.clone()], SYNC_JOB);
        let findings = analyse(&campaign, &model(), &trials);
        assert_eq!(findings.factors[0].subjects, [Subject::Memory]);
        let verdict = findings.verdicts[0].clone();
        let named = |r: &Explanation| matches!(r.reason, Reason::MemoryServes { .. });
        (verdict.class, verdict.reasons.iter().any(named))
    };
    assert_eq!(of(500.0, 1000.0), (VerdictClass::WorthIt, true));
    assert_eq!(of(1000.0, 500.0), (VerdictClass::Harmful, false));
}

#[test]
fn of_pools_without_a_log_none_takes_nothing() {
    let unused = |log: bool| {
        let base = variant(false, false);
        let mut other = variant(log, true);
        other.name = "other".into();
        let truths = [(&base, Truth::flat(500.0)), (&other, Truth::flat(500.0))];
        let trials = trials(&truths, 4, 0.01);
        let mut campaign = campaign(vec![base.clone(), other.clone()], SYNC_JOB);
        campaign.variants[1].levels.clear();
        campaign.variants[0].levels.clear();
        let findings = analyse(&campaign, &model(), &trials);
        let verdict = &findings.verdicts[0];
        verdict.reasons.contains(&Reason::LogUnused.into())
    };
    assert!(unused(true), "it took no log blocks");
    assert!(!unused(false));
}

#[test]
fn an_unmirrored_log_and_a_bare_special_are_risks() {
    let mut v = variant(false, false);
    v.pool.vdevs.push(vdev(AllocationClass::Log, Layout::Single, "optane", 1));
    v.pool.vdevs.push(vdev(AllocationClass::Special, Layout::Single, "nvme", 1));
    let findings = analyse(&campaign(vec![v], SYNC_JOB), &model(), &[]);
    assert_eq!(
        findings.variants[0].durability,
        [DurabilityRisk::LogNotMirrored, DurabilityRisk::SpecialNotRedundant]
    );
}

#[test]
fn caches_that_nothing_flushes_are_risks() {
    let risks = |log: bool, profile: &str, parameters: &[&str]| {
        let mut v = variant(log, false);
        v.drives.get_mut("hdd").unwrap().numbers = numbers(profile, |_| {});
        v.drives.get_mut("optane").unwrap().numbers = numbers("p1600x-118g", |_| {});
        v.module = parameters.iter().map(|name| ((*name).to_owned(), 1)).collect();
        analyse(&campaign(vec![v], SYNC_JOB), &model(), &[]).variants[0].durability.clone()
    };
    let kinds = || vec!["hdd".to_owned()];
    let (all, log) = ("zfs_nocacheflush", "zil_nocacheflush");
    let no_flush = [DurabilityRisk::NoCacheFlush { kinds: kinds() }];
    assert_eq!(risks(false, "hdd-7200-16t", &[all]), no_flush);
    assert_eq!(risks(false, "hdd-7200-16t", &[all, log]), no_flush, "which says the other too");
    let no_log_flush = [DurabilityRisk::NoLogFlush { kinds: kinds() }];
    assert_eq!(risks(false, "hdd-7200-16t", &[log]), no_log_flush);
    assert_eq!(risks(true, "hdd-7200-16t", &[log]), [], "the log's own drives keep their cache");
}

#[test]
fn rates_of_a_whole_run_are_compared_without_a_course() {
    let variants = [variant(false, false), variant(true, false)];
    let [without, with] = &variants;
    let mut trials = trials(&[(without, Truth::flat(120.0)), (with, Truth::flat(9000.0))], 3, 0.01);
    for measured in trials.iter_mut().map(measured_of) {
        // As pg_test_fsync's client has it: one rate, no latencies but their mean.
        let values = std::mem::take(&mut measured.totals);
        let writes = measured.write.ops as f64;
        measured.seconds =
            vec![Second { at: measured.runtime_s, reads: 0.0, writes, values: values.clone() }];
        measured.totals = values;
        measured.write.histogram.clear();
        measured.concurrency = 1.0;
        measured.write.mean_ns = 1e9 * measured.runtime_s / writes;
        measured.sync.ops = 0;
        measured.write.bytes = 0;
    }
    let mut campaign = campaign(variants.to_vec(), SYNC_JOB);
    campaign.workloads[0].program = Program::PgTestFsync(PgTestFsync::default());
    let findings = analyse(&campaign, &model(), &trials);
    let verdict = verdict(&findings, "log");
    assert_eq!(verdict.class, VerdictClass::WorthIt, "{:#?}", findings.cells);
    let unknown = |cell: &Cell| cell.throughput.is_some() && cell.bandwidth.is_none();
    assert!(findings.cells.iter().all(unknown), "its client tells no bytes");
}

#[test]
fn a_file_system_on_one_drive_or_a_stripe_is_lost_with_a_drive() {
    let risks = |level: Option<MdLevel>| {
        let mut v = variant(false, false);
        v.pool.vdevs.clear();
        v.stack = ext4(level);
        analyse(&campaign(vec![v], SYNC_JOB), &model(), &[]).variants[0].durability.clone()
    };
    for lost in [None, Some(MdLevel::Raid0)] {
        assert_eq!(risks(lost), [DurabilityRisk::FilesystemNotRedundant]);
    }
    assert_eq!(risks(Some(MdLevel::Raid1)), []);
}

/// The findings of log × cache with these rates: neither, the log, the cache, both.
fn crossed(rates: [f64; 4], repeats: usize, noise: f64) -> Findings {
    let variants: Vec<Variant> = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(l, c)| variant(l, c))
        .into();
    let truths: Vec<_> = variants.iter().zip(rates).map(|(v, r)| (v, Truth::flat(r))).collect();
    let trials = trials(&truths, repeats, noise);
    analyse(&campaign(variants, SYNC_JOB), &model(), &trials)
}

#[test]
fn a_cache_that_helps_only_without_a_log_is_an_interaction() {
    let findings = crossed([640.0, 4300.0, 1280.0, 4300.0], 4, 0.01);
    let interaction = &findings.interactions[0];
    assert!(interaction.shown, "{interaction:?}");
    assert_eq!(interaction.first.0, "cache");
    assert!((interaction.without - 2.0).abs() < 0.1 && (interaction.with - 1.0).abs() < 0.05);
    let cache = verdict(&findings, "cache");
    assert_eq!(cache.class, VerdictClass::WorthIt, "beside the baseline");
    assert_eq!(cache.conditions.len(), 2);
    assert!(
        cache
            .conditions
            .iter()
            .any(|c| c.context["log"] == "mirror" && c.class == VerdictClass::NoEffect)
    );
}

/// 15 times in one place and nothing in the other is 3.9 times nowhere; nor is a loss that only shows beside
/// the cache undecided because it does not beside the baseline.
#[test]
fn effects_that_are_far_apart_are_reported_where_they_are_and_not_as_their_mean() {
    let findings = crossed([580.0, 560.0, 8700.0, 560.0], 3, 0.3);
    let ratio = |v: &Verdict| findings.effects[v.effects[0]].ratio.value;
    let cache = verdict(&findings, "cache");
    assert_eq!(cache.class, VerdictClass::WorthIt);
    assert!((13.0..17.0).contains(&ratio(cache)), "{}", ratio(cache));
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Harmful);
    assert!(ratio(log) < 0.07, "{}", ratio(log));
    assert_eq!((cache.conditions.len(), log.conditions.len()), (2, 2));
}

/// As `logbias=throughput`: a little better without a log vdev, and a third of the rate with one.
#[test]
fn a_level_that_is_better_in_one_place_and_worse_in_another_depends() {
    let findings = crossed([1000.0, 1100.0, 3000.0, 1000.0], 4, 0.01);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Depends, "{:?}", log.conditions);
    let classes: Vec<_> =
        log.conditions.iter().map(|c| (c.context["cache"].as_str(), c.class)).collect();
    assert_eq!(classes, [("none", VerdictClass::WorthIt), ("nvme", VerdictClass::Harmful)]);
    assert_eq!(log.break_even, None, "of one place alone");
}

/// As `logbias=throughput` again: the same without a log vdev, and a third of the rate with one.
#[test]
fn a_loss_in_one_place_is_not_headed_no_effect_because_there_is_none_beside_the_baseline() {
    let findings = crossed([1000.0, 1000.0, 3000.0, 1000.0], 4, 0.01);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Harmful, "{:?}", log.conditions);
    let classes: Vec<_> =
        log.conditions.iter().map(|c| (c.context["cache"].as_str(), c.class)).collect();
    assert!(classes.contains(&("none", VerdictClass::NoEffect)), "{classes:?}");
    assert!(classes.contains(&("nvme", VerdictClass::Harmful)), "{classes:?}");
}

#[test]
fn of_effects_that_are_far_apart_the_largest_decided_one_counts_where_the_baselines_is_undecided() {
    let cached = |log: bool| {
        let mut v = variant(log, true);
        let name = if log { "mirror" } else { "none" };
        v.name = format!("{name}/two");
        v.levels.insert("cache".into(), "two".into());
        let again = v.pool.vdevs.last().cloned().unwrap();
        v.pool.vdevs.push(again);
        v
    };
    let plain = |l, c| variant(l, c);
    let variants = vec![
        plain(false, false),
        plain(true, false),
        plain(false, true),
        plain(true, true),
        cached(false),
        cached(true),
    ];
    let rates = [580.0, 580.0, 580.0, 580.0, 8700.0, 560.0];
    let mut truths: Vec<_> = variants.iter().zip(rates).map(|(v, r)| (v, Truth::flat(r))).collect();
    // Beside the baseline it is not known: that cell falls all the time.
    truths[1].1.levels = (0..20).map(|i| (3, 800.0 - 20.0 * f64::from(i))).collect();
    let trials = trials(&truths, 3, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Harmful, "{:?}", log.conditions);
    assert!(findings.effects[log.effects[0]].ratio.value < 0.07);
}

#[test]
fn a_cell_that_never_settled_does_not_make_effects_far_apart() {
    let variants: Vec<Variant> = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(l, c)| variant(l, c))
        .into();
    let mut truths: Vec<_> = variants.iter().map(|v| (v, Truth::flat(580.0))).collect();
    // Falls all the time, so that nobody knows where it ends.
    truths[2].1.levels = (0..20).map(|i| (3, 9000.0 - 400.0 * f64::from(i))).collect();
    let trials = trials(&truths, 4, 0.01);
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &trials);
    assert_eq!(verdict(&findings, "cache").class, VerdictClass::Undecided);
    assert_ne!(verdict(&findings, "log").class, VerdictClass::Harmful);
}

#[test]
fn ablation_ranks_settings_by_what_they_contribute() {
    let names = ["recordsize", "logbias", "atime"];
    let gains = [3.0, 1.5, 1.0];
    let make = |name: &str, on: [bool; 3]| {
        let mut v = variant(false, false);
        v.name = name.into();
        let level = |on| if on { "on" } else { "off" };
        v.levels =
            names.iter().zip(on).map(|(n, on)| ((*n).to_owned(), level(on).to_owned())).collect();
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
        500.0 * on.iter().zip(gains).filter(|(on, _)| **on).map(|(_, g)| g).product::<f64>()
    };
    let truths: Vec<_> =
        variants.iter().zip(designs).map(|(v, (_, on))| (v, Truth::flat(rate(on)))).collect();
    let trials = trials(&truths, 3, 0.005);
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &trials);
    let order: Vec<&str> = findings.ranking.iter().map(|c| c.factor.as_str()).collect();
    assert_eq!(order, ["recordsize", "logbias", "atime"]);
    let share: f64 = findings.ranking.iter().filter_map(|c| c.share).sum();
    assert!((share - 1.0).abs() < 1e-9);
    let first = findings.ranking[0].share.unwrap();
    assert!((first - 3f64.ln() / 4.5f64.ln()).abs() < 0.05, "{first}");
    assert!((findings.ranking[0].last.unwrap().value - 3.0).abs() < 0.1);

    // At a given rate all are as fast: they are ranked by how long an operation takes.
    let truths: Vec<_> = variants.iter().map(|v| (v, Truth::flat(500.0))).collect();
    let mut trials = synthetic::trials(&truths, 3, 0.005);
    for trial in &mut trials {
        let (_, on) = designs.iter().find(|(name, _)| *name == trial.variant).unwrap();
        let m = measured_of(trial);
        for flow in [&mut m.write, &mut m.sync] {
            flow.mean_ns *= 500.0 / rate(*on);
        }
    }
    let job = format!("{SYNC_JOB}rate_iops=80\n");
    let findings = analyse(&campaign(variants, &job), &model(), &trials);
    let order: Vec<&str> = findings.ranking.iter().map(|c| c.factor.as_str()).collect();
    assert_eq!(order, ["recordsize", "logbias", "atime"]);
    let first = &findings.ranking[0];
    assert_eq!(first.metric, Metric::MeanLatency);
    assert!((first.last.unwrap().value - 1.0 / 3.0).abs() < 0.02, "{first:?}");
}

#[test]
fn a_paced_workload_is_judged_by_latency() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(640.0))];
    let mut trials = trials(&truths, 3, 0.01);
    for trial in &mut trials {
        if let (TrialResult::Measured(m), "mirror/none") =
            (&mut trial.outcome, trial.variant.as_str())
        {
            for flow in [&mut m.write, &mut m.sync] {
                flow.mean_ns /= 10.0;
            }
        }
    }
    let job = format!("{SYNC_JOB}rate_iops=80\n");
    let findings = analyse(&campaign(variants, &job), &model(), &trials);
    let log = verdict(&findings, "log");
    assert_eq!((log.metric, log.class), (Metric::MeanLatency, VerdictClass::WorthIt));
    let ratio = findings.effects[log.effects[0]].ratio.value;
    assert!((ratio - 0.1).abs() < 0.01, "{ratio}");
}

#[test]
fn the_schema_names_every_part() {
    let schema = serde_json::to_value(schemars::schema_for!(Findings)).unwrap();
    for part in ["cells", "effects", "verdicts", "scale", "lints", "trials"] {
        assert!(schema["properties"][part].is_object(), "{part}");
    }
}
