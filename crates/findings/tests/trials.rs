//! What becomes of trials: which count, which are excluded or fail, and why.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use lab::campaign::{Pgbench, Program, Stack};
use measurement::{Counter, Counters, DriveCounter, Fact, Measured, TrialResult};
use synthetic::*;

fn two(repeats: usize, change: impl Fn(usize, &mut Measured)) -> Findings {
    two_of(SYNC_JOB, repeats, change)
}

/// A pool without and with a log under a job.
fn two_of(job: &str, repeats: usize, change: impl Fn(usize, &mut Measured)) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
    let mut trials = trials(&truths, repeats, 0.01);
    for (i, trial) in trials.iter_mut().enumerate() {
        if let TrialResult::Measured(m) = &mut trial.outcome {
            change(i, m);
        }
    }
    analyse(&campaign(variants, job), &model(), &trials)
}

/// Transactions were refused for want of memory: outside the model's truth.
fn refuse(m: &mut measurement::Measured, count: f64) {
    m.totals.insert(Counter::ThrottleDirtyThrottle, count);
}

#[test]
fn a_trial_outside_the_models_truth_is_shown_and_kept_out() {
    let findings = two(3, |i, m| {
        if i == 1 || i == 3 {
            refuse(m, 5.0 * i as f64);
        }
    });
    let cell = &findings.cells[1];
    assert_eq!((cell.trials.valid, cell.trials.excluded), (1, 2));
    let excluded = findings.trials.iter().filter(|t| t.validity == Validity::Excluded);
    assert_eq!(excluded.count(), 2);
    let log = verdict(&findings, "log");
    assert!(log.cautions.contains(&Caution::Excluded { excluded: 2, of: 6 }));
    // One pair is left.
    assert!(log.cautions.contains(&Caution::SingleTrial));
    let issue = QualityIssue::MemoryThrottle { count: 15.0 };
    assert_eq!(cell.issues, [CellIssue { issue, trials: 2 }], "the worst of them");
}

#[test]
fn a_verdict_without_a_trial_that_counts_is_undecided_and_says_so() {
    let findings = two(2, |i, m| {
        if i % 2 == 1 {
            refuse(m, 1.0);
        }
    });
    assert!(findings.effects.is_empty());
    let log = verdict(&findings, "log");
    assert_eq!((log.class, &log.effects[..]), (VerdictClass::Undecided, &[][..]));
    assert_eq!(log.cautions, [Caution::Excluded { excluded: 2, of: 4 }]);
}

#[test]
fn a_result_that_rests_on_the_processors_table_is_named_and_counts() {
    let findings = two(2, |i, m| {
        if i % 2 == 1 {
            for second in &mut m.seconds {
                second.values.insert(Counter::ProcessorBusy, 0.96);
            }
        }
    });
    let cell = &findings.cells[1];
    assert_eq!(cell.trials.valid, 2);
    assert!(
        matches!(cell.issues[0].issue, QualityIssue::ProcessorBound { busy } if (busy - 0.96).abs() < 1e-9)
    );
    assert!(findings.cells[0].issues.is_empty());
    let limit = &cell.resources.as_ref().unwrap().limit;
    assert!(matches!(limit, Limit::Processor { .. }), "{limit:?}");
}

#[test]
fn a_window_too_short_to_judge_and_latencies_beyond_the_histogram_are_named() {
    let findings = two(2, |i, m| match i {
        0 => m.seconds.truncate(4),
        1 => {
            m.write.overflow = 3;
            m.write.histogram[0].1 -= 3;
        }
        _ => {}
    });
    let issues = |variant: &str| {
        let mine = |t: &&TrialRow| t.variant == variant && t.repeat == 0;
        findings.trials.iter().find(mine).unwrap().issues.clone()
    };
    let short = QualityIssue::WindowTooShort { seconds: 4.0, least: 5.0 };
    assert_eq!(issues("none/none"), [short]);
    assert_eq!(issues("mirror/none"), [QualityIssue::Overflow { count: 3 }]);
    assert!(findings.cells.iter().all(|c| c.trials.valid == 2));
}

/// As if three quarters of what drives were to write had been lost.
fn quarter_written_bytes(measured: &mut Measured) {
    for (counter, value) in measured.totals.iter_mut() {
        if matches!(counter, Counter::Drive { what: DriveCounter::WriteBytes, .. }) {
            *value /= 4.0;
        }
    }
}

#[test]
fn each_broken_law_fails_its_trial_with_the_numbers() {
    type Break = fn(&mut Measured);
    let breaks: [(Law, Break); 8] = [
        (Law::Little, |m| m.sync.mean_ns *= 1.5),
        (Law::Bandwidth, |m| m.write.bytes /= 2),
        (Law::BytesOnDrives, quarter_written_bytes),
        (Law::Busy, |m| {
            for second in &mut m.seconds {
                second.values.insert(Counter::drive("hdd2", DriveCounter::Busy), 1.2);
            }
        }),
        (Law::SomeIo, |m| {
            m.write.ops = 0;
            m.sync.ops = 0;
        }),
        (Law::Percentiles, |m| m.write.histogram[0].1 /= 2),
        (Law::Samples, |m| {
            let n = m.seconds.len();
            m.seconds[n / 2..].iter_mut().for_each(|s| s.values = Counters::new());
        }),
        // Half of the logs are not there; the seconds sum to the client's count all the same.
        (Law::Series, |m| {
            let logged = m.write.ops as f64 / 2.0;
            m.facts.insert(Fact::LoggedOps, logged);
        }),
    ];
    for (law, plant) in breaks {
        let findings = two(2, |i, m| {
            if i == 0 {
                plant(m);
            }
        });
        let row = &findings.trials[0];
        assert_eq!(row.validity, Validity::Failed, "{law:?}");
        let broken =
            findings.cells[0].checks.iter().filter(|c| !c.pass).map(|c| (c.trial.clone(), c.law));
        let mut broken: Vec<_> = broken.collect();
        broken.dedup();
        assert_eq!(broken, [(key("none/none", 0), law)]);
        assert!(findings.cells[0].trials.failed == 1 && findings.cells[0].trials.valid == 1);
    }
}

#[test]
fn littles_law_counts_the_time_in_fsync() {
    let findings = two(2, |_, _| {});
    let check = findings.cells[0].checks.iter().find(|c| c.law == Law::Little).unwrap();
    assert!(check.pass && (check.measured - 8.0).abs() < 0.01);
    // What clients wait for has the fsync in it; with the write alone X·R would be 2.
    let cell = &findings.cells[0];
    let in_flight = |mean_us: f64| cell.throughput.unwrap().value * mean_us / 1e6;
    assert!((in_flight(cell.latency.unwrap().mean_us) - 8.0).abs() < 0.1);
    assert!((in_flight(cell.write_latency.unwrap().mean_us) - 2.0).abs() < 0.1);
}

#[test]
fn clients_that_hold_each_other_back_may_have_fewer_in_flight_and_keep_their_metric() {
    let passes = |options: &str, clients: f64| {
        let job = format!("{SYNC_JOB}{options}");
        let findings = two_of(&job, 2, |_, m| m.concurrency = clients);
        let cell = &findings.cells[0];
        assert_eq!(cell.metric, Metric::Throughput);
        cell.checks.iter().all(|c| c.law != Law::Little || c.pass)
    };
    assert!(passes("", 8.0) && !passes("", 16.0));
    for options in [
        "flow=8\n", "lockfile=exclusive\n", "number_ios=100\n", "iodepth_low=2\n",
        "iodepth_batch_submit=4\n", "iodepth_batch_complete=4\n", "iodepth_batch_complete_max=4\n",
    ] {
        assert!(passes(options, 16.0), "{options}");
        assert!(!passes(options, 4.0), "{options} allows no more in flight");
    }
}

#[test]
fn of_direct_reads_no_share_from_memory_is_known() {
    let known = |options: &str, property: Option<&str>| {
        let mut variants = vec![variant(false, false)];
        let mut trials = trials(&[(&variants[0], Truth::flat(640.0))], 2, 0.01);
        for trial in &mut trials {
            measured_of(trial).totals.insert(Counter::DbufHits, 100.0);
        }
        if let Some(value) = property {
            let root = variants[0].datasets.entry(String::new()).or_default();
            root.insert("direct".to_owned(), value.to_owned());
        }
        let job = format!("[w]\nrw=randread\nbs=16k\n{options}");
        let findings = analyse(&campaign(variants, &job), &model(), &trials);
        findings.cells[0].hits.reads.is_some()
    };
    assert!(known("", None));
    assert!(!known("direct=1\n", None));
    assert!(known("direct=1\n", Some("disabled")), "through the ARC all the same");
    assert!(!known("", Some("always")));
}

#[test]
fn buffered_writers_may_have_fewer_in_flight_where_the_page_cache_has_their_files() {
    let passes = |stack: Stack, options: &str| {
        let mut variants = vec![variant(false, false), variant(true, false)];
        let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
        let mut trials = trials(&truths, 2, 0.01);
        trials.iter_mut().for_each(|trial| measured_of(trial).concurrency = 16.0);
        variants.iter_mut().for_each(|variant| variant.stack = stack.clone());
        let job = format!("[w]\nrw=randwrite\nbs=16k\n{options}");
        let findings = analyse(&campaign(variants, &job), &model(), &trials);
        let mut checks = findings.cells[0].checks.iter();
        checks.all(|c| c.law != Law::Little || c.pass)
    };
    assert!(passes(ext4(None), ""));
    assert!(!passes(Stack::Zfs, ""), "ZFS has a cache of its own");
    assert!(!passes(ext4(None), "direct=1\n") && !passes(ext4(None), "fsync=1\n"));
}

/// Under a rate pgbench counts from when a transaction was to begin: what waits for a client is in flight, too.
#[test]
fn transactions_that_wait_for_a_client_are_more_than_there_are_clients() {
    let passes = |rate: Option<f64>| {
        let variants = vec![variant(false, false)];
        let mut trials = trials(&[(&variants[0], Truth::flat(640.0))], 2, 0.01);
        trials.iter_mut().for_each(|trial| measured_of(trial).concurrency = 1.0);
        let mut campaign = campaign(variants, SYNC_JOB);
        let pgbench = Pgbench { scale: 1, clients: 1, rate, ..Pgbench::default() };
        campaign.workloads[0].program = Program::Pgbench(Box::new(pgbench));
        let findings = analyse(&campaign, &model(), &trials);
        let mut checks = findings.cells[0].checks.iter();
        checks.all(|c| c.law != Law::Little || c.pass)
    };
    assert!(passes(Some(640.0)));
    assert!(!passes(None), "a closed loop");
}

#[test]
fn what_was_in_flight_when_the_ramp_ended_is_in_the_histogram_and_in_the_bytes() {
    let passes = |law: Law, more: u64, bytes: u64| {
        let findings = two_of(SYNC_JOB, 2, |_, m| {
            m.concurrency = m.concurrency.max(64.0);
            let size = m.write.bytes / m.write.ops;
            m.write.histogram[0].1 += more;
            m.write.bytes += bytes * size;
        });
        findings.cells[0].checks.iter().all(|c| c.law != law || c.pass)
    };
    assert!(passes(Law::Percentiles, 64, 64) && passes(Law::Bandwidth, 64, 64));
    assert!(!passes(Law::Percentiles, 100_000, 0));
    assert!(!passes(Law::Bandwidth, 0, 9_000));
}

#[test]
fn flushes_that_fio_counts_too_long_may_exceed_the_queue_and_writes_may_not() {
    let passes = |engine: &str, change: fn(&mut Measured)| {
        let job = format!("{SYNC_JOB}ioengine={engine}\n");
        let findings = two_of(&job, 2, |_, m| change(m));
        let mut checks = findings.cells[0].checks.iter();
        checks.all(|c| c.law != Law::Little || c.pass)
    };
    let long_flushes = |m: &mut measurement::Measured| m.sync.mean_ns *= 4.0;
    assert!(passes("libaio", long_flushes));
    assert!(!passes("psync", long_flushes) && !passes("io_uring", long_flushes));
    assert!(!passes("libaio", |m| m.write.mean_ns *= 8.0));
    assert!(!passes("libaio", |m| m.sync.mean_ns /= 4.0), "too few in flight");
}

#[test]
fn data_that_compresses_need_not_be_on_drives_unless_compression_is_off() {
    let holds = |compression: Option<&str>| {
        let mut variants = vec![variant(false, false), variant(true, false)];
        for variant in &mut variants {
            let root = variant.datasets.entry(String::new()).or_default();
            root.extend(compression.map(|value| ("compression".to_owned(), value.to_owned())));
        }
        let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
        let mut all = trials(&truths, 2, 0.01);
        for trial in &mut all {
            quarter_written_bytes(measured_of(trial));
        }
        let job = format!("{SYNC_JOB}buffer_compress_percentage=80\n");
        let findings = analyse(&campaign(variants, &job), &model(), &all);
        let mut checks = findings.cells[0].checks.iter();
        checks.all(|c| c.law != Law::BytesOnDrives || c.pass)
    };
    assert!(holds(None) && holds(Some("lz4")) && !holds(Some("off")));
}

#[test]
fn operations_that_fio_rounds_off_its_rates_are_no_lost_log() {
    let series = |logged: Option<f64>| {
        let variants = vec![variant(false, false), variant(true, false)];
        // Two operations a second of each of eight clients.
        let truths = [(&variants[0], Truth::flat(16.0)), (&variants[1], Truth::flat(640.0))];
        let mut all = trials(&truths, 2, 0.0);
        for trial in &mut all {
            if let TrialResult::Measured(m) = &mut trial.outcome {
                let of_all = m.write.ops as f64;
                m.facts.insert(Fact::FilesJobs, 8.0);
                m.facts.extend(logged.map(|share| (Fact::LoggedOps, share * of_all)));
            }
        }
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
        let mut checks = findings.cells[0].checks.iter();
        checks.find(|c| c.law == Law::Series).map(|c| c.pass)
    };
    assert_eq!(series(Some(0.5)), Some(true));
    assert_eq!(series(Some(0.0)), Some(false));
    // A client without logs.
    assert_eq!(series(None), None);
}

#[test]
fn a_cell_that_varies_without_a_trend_has_a_verdict_that_includes_its_variation() {
    let verdict_at = |slower: f64| {
        let variants = vec![variant(false, false), variant(true, false)];
        // Rounds of twelve seconds: 0.5, 1.25, 1.5, 1.25 and 0.5 times the mean.
        let levels = [0.5, 1.25, 1.5, 1.25, 0.5].map(|share| (12, 4000.0 * share)).to_vec();
        let truths = [
            (&variants[0], Truth::flat(slower)),
            (&variants[1], Truth { levels, ..Truth::flat(0.0) }),
        ];
        let trials = trials(&truths, 3, 0.01);
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
        assert!(matches!(findings.cells[1].phases, Phases::NotSettled { .. }));
        let log = verdict(&findings, "log");
        let effect = findings.effects[log.effects[0]].clone();
        (log.class, log.cautions.clone(), effect)
    };
    // Six times as fast in the mean: even its slowest fifth is faster.
    let (class, cautions, effect) = verdict_at(640.0);
    assert_eq!(class, VerdictClass::WorthIt);
    let varies = |c: &Caution| matches!(c, Caution::Unsteady { seconds, drifts: false, .. } if *seconds == 60.0);
    assert!(cautions.iter().any(varies), "{cautions:?}");
    assert!(effect.ratio.low < 0.65 * effect.ratio.value, "{:?}", effect.ratio);
    assert!(effect.ratio.high > 1.4 * effect.ratio.value, "{:?}", effect.ratio);
    assert_eq!(effect.needed, None);
    // 1.3 times: its slowest fifth is slower than the other side.
    let (class, _, effect) = verdict_at(3000.0);
    assert_eq!(class, VerdictClass::Undecided);
    assert!(effect.ratio.low < 1.0 && effect.ratio.high > 1.0, "{:?}", effect.ratio);
    assert_eq!(effect.needed.unwrap().lack, Lack::LongerRun);
}

#[test]
fn an_interval_of_latency_is_not_said_to_include_the_variation_of_a_rate() {
    let variants = vec![variant(false, false), variant(true, false)];
    let levels = [0.5, 1.25, 1.5, 1.25, 0.5].map(|share| (12, 4000.0 * share)).to_vec();
    let truths =
        [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth { levels, ..Truth::flat(0.0) })];
    let trials = trials(&truths, 3, 0.01);
    let paced = format!("{SYNC_JOB}rate_iops=5000\n");
    let findings = analyse(&campaign(variants, &paced), &model(), &trials);
    let log = verdict(&findings, "log");
    assert_eq!(log.metric, Metric::MeanLatency);
    assert_eq!(log.class, VerdictClass::Undecided);
    assert!(log.cautions.contains(&Caution::NotSettled { seconds: 60.0 }), "{:?}", log.cautions);
}

#[test]
fn a_trend_that_could_not_change_the_verdict_does_not_prevent_it() {
    let class = |from: f64, to: f64| {
        let variants = vec![variant(false, false), variant(true, false)];
        let levels = (0..60).map(|i| (1, from + (to - from) * f64::from(i) / 60.0)).collect();
        let truths = [
            (&variants[0], Truth::flat(640.0)),
            (&variants[1], Truth { levels, ..Truth::flat(0.0) }),
        ];
        let trials = trials(&truths, 3, 0.01);
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
        assert!(matches!(findings.cells[1].phases, Phases::NotSettled { .. }));
        verdict(&findings, "log").class
    };
    // With its second half continued for as long again it would be at 2,750, and at 250.
    assert_eq!(class(5000.0, 3500.0), VerdictClass::WorthIt);
    assert_eq!(class(2200.0, 900.0), VerdictClass::Undecided);
    // Rising, it is only further away.
    assert_eq!(class(2000.0, 4000.0), VerdictClass::WorthIt);
}

#[test]
fn a_cell_that_never_settles_has_no_sustained_verdict() {
    let variants = vec![variant(false, false), variant(true, false)];
    let decline: Vec<(usize, f64)> = (0..60).map(|i| (1, 4000.0 * 0.97f64.powi(i))).collect();
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth { levels: decline, ..Truth::flat(0.0) }),
    ];
    let trials = trials(&truths, 3, 0.01);
    let mut campaign = campaign(variants, SYNC_JOB);
    let findings = analyse(&campaign, &model(), &trials);
    assert!(matches!(findings.cells[1].phases, Phases::NotSettled { .. }));
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Undecided);
    assert!(log.cautions.iter().any(|c| matches!(c, Caution::NotSettled { .. })));
    assert_eq!(findings.effects[log.effects[0]].needed.unwrap().lack, Lack::LongerRun);
    assert_eq!(log.break_even, None);
    // After a restart what never settles is what was asked for.
    campaign.method.restart = true;
    let findings = analyse(&campaign, &model(), &trials);
    let Phases::AfterRestart { whole } = findings.cells[1].phases else {
        panic!("{:?}", findings.cells[1].phases);
    };
    assert_eq!(whole.real_seconds, Some(60.0 * model().size));
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::WorthIt);
    assert!(
        log.cautions
            .contains(&Caution::AfterRestart { seconds: 60.0, real_seconds: 60.0 * model().size })
    );
    assert_eq!(log.break_even, None, "what a cold cache allows is not what the side sustains");
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
    let flagged: Vec<&str> =
        findings.trials.iter().filter(|t| t.outlier).map(|t| t.key.as_str()).collect();
    assert_eq!(flagged, [key("none/none", 2)]);
    assert_eq!(findings.cells[0].trials.valid, 5);
}

#[test]
fn a_failed_trial_keeps_its_reason() {
    let variants = vec![variant(false, false), variant(true, false)];
    let mut all =
        trials(&[(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))], 2, 0.01);
    all[1].outcome = TrialResult::Failed { reason: "kernel panic: ASSERT at zil.c:1".into() };
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let row = findings.trials.iter().find(|t| t.key == key("mirror/none", 0));
    assert_eq!(row.unwrap().failure.as_deref(), Some("kernel panic: ASSERT at zil.c:1"));
    assert_eq!(findings.cells[1].trials.failed, 1);
    let not_run = |i: &CellIssue| i.issue == QualityIssue::DidNotRun && i.trials == 1;
    assert!(findings.cells[1].issues.iter().any(not_run));
    assert!(findings.not_run.is_empty(), "it was tried");
}

#[test]
fn one_trial_that_did_not_settle_is_named_and_the_verdict_stands() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
    let mut all = trials(&truths, 3, 0.01);
    if let TrialResult::Measured(m) = &mut all[0].outcome {
        // Slower and slower, at the same mean.
        let n = m.seconds.len() as f64;
        for (i, second) in m.seconds.iter_mut().enumerate() {
            second.writes *= 1.3 - 0.6 * i as f64 / (n - 1.0);
        }
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::WorthIt);
    assert!(
        log.cautions.contains(&Caution::Unsettled { trials: 1, of: 6 }),
        "{:?} {:?}",
        log.cautions,
        findings.trials[0].issues
    );
    // The number beside the verdict is of the same trials.
    let shown = findings.cells.iter().map(|c| c.phases.lasting().unwrap().throughput.basis);
    assert!(shown.into_iter().all(|basis| basis == Basis::Trials));
}
