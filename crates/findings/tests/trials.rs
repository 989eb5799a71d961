//! What becomes of trials: which count, which are set aside or fail, and what is said of them.

mod synthetic;

use findings::output::*;
use findings::record::{LOGGED, Outcome, Trial};
use findings::{Findings, analyse};
use synthetic::*;

fn two(repeats: usize, change: impl Fn(usize, &mut findings::record::Measured)) -> Findings {
    two_of(SYNC_JOB, repeats, change)
}

/// A pool without and with a log under a job.
fn two_of(
    job: &str,
    repeats: usize,
    change: impl Fn(usize, &mut findings::record::Measured),
) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth::flat(4300.0)),
    ];
    let mut trials = trials(&truths, repeats, 0.01);
    for (i, trial) in trials.iter_mut().enumerate() {
        if let Outcome::Measured(m) = &mut trial.outcome {
            change(i, m);
        }
    }
    analyse(&campaign(variants, job), &model(), &trials)
}

#[test]
fn a_late_or_busy_trial_is_shown_and_kept_out() {
    let findings = two(3, |i, m| {
        if i == 1 {
            m.fidelity.late_ns_per_op = 0.035 * 8.0 / 4300.0 * 1e9;
        }
        if i == 3 {
            m.fidelity.cpu_share = 0.7;
        }
    });
    let cell = &findings.cells[1];
    assert_eq!((cell.trials.sound, cell.trials.marked), (1, 2));
    assert_eq!(findings.trials[1].standing, Standing::Marked);
    // Both are real time: a larger k makes them a smaller share of the model's, though clients that wait for
    // drives in 81 % of their time go faster then: 5 × (1.75 − 0.19) ÷ 0.81 = 9.6, 5 × (1.4 − 0.19) ÷ 0.81 = 7.5.
    let enough = |trial: usize| match &findings.trials[trial].marks[..] {
        [Mark::Late { enough, .. } | Mark::Processor { enough, .. }] => *enough,
        marks => panic!("{marks:?}"),
    };
    assert_eq!(model().time, Some(5.0));
    assert_eq!(enough(1), Some(10.0), "3.5 in a hundred, limit two");
    assert_eq!(enough(3), Some(8.0), "seven tenths, limit five");
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::Undecided, "one sound trial is left");
    assert!(
        log.cautions
            .contains(&Caution::SetAside { marked: 2, of: 6 })
    );
}

#[test]
fn a_verdict_without_a_trial_that_counts_is_undecided_and_says_so() {
    let findings = two(2, |i, m| {
        if i % 2 == 1 {
            m.fidelity.cpu_share = 0.7;
        }
    });
    assert!(findings.effects.is_empty());
    let log = verdict(&findings, "log");
    assert_eq!((log.class, &log.effects[..]), (Class::Undecided, &[][..]));
    assert_eq!(log.cautions, [Caution::SetAside { marked: 2, of: 4 }]);
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
    let breaks: [(Law, Break); 9] = [
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
        // Half of the logs are not there; the seconds sum to the client's count all the same.
        (Law::Series, |m| {
            let logged = m.write.ops as f64 / 2.0;
            m.facts.insert(LOGGED.into(), logged);
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
        "flow=8\n",
        "lockfile=exclusive\n",
        "number_ios=100\n",
        "iodepth_low=2\n",
        "iodepth_batch_submit=4\n",
        "iodepth_batch_complete=4\n",
        "iodepth_batch_complete_max=4\n",
    ] {
        assert!(passes(options, 16.0), "{options}");
        assert!(!passes(options, 4.0), "{options} allows no more in flight");
    }
}

#[test]
fn data_that_compresses_need_not_be_on_drives_and_from_2_2_on_it_does_unless_told_not_to() {
    use lab::campaign::OpenZfs;
    let holds = |openzfs: OpenZfs, compression: Option<&str>| {
        let mut variants = vec![variant(false, false), variant(true, false)];
        for variant in &mut variants {
            variant.openzfs = openzfs;
            let root = variant.datasets.entry(String::new()).or_default();
            root.extend(compression.map(|value| ("compression".to_owned(), value.to_owned())));
        }
        let truths = [
            (&variants[0], Truth::flat(640.0)),
            (&variants[1], Truth::flat(4300.0)),
        ];
        let mut all = trials(&truths, 2, 0.01);
        for trial in &mut all {
            if let Outcome::Measured(m) = &mut trial.outcome {
                for (name, value) in &mut m.totals {
                    if name.ends_with("write_bytes") {
                        *value /= 4.0;
                    }
                }
            }
        }
        let job = format!("{SYNC_JOB}buffer_compress_percentage=80\n");
        let findings = analyse(&campaign(variants, &job), &model(), &all);
        let mut checks = findings.cells[0].checks.iter();
        checks.all(|c| c.law != Law::BytesOnDrives || c.pass)
    };
    assert!(holds(OpenZfs::V2_3, None) && !holds(OpenZfs::V2_3, Some("off")));
    assert!(!holds(OpenZfs::V2_1, None) && holds(OpenZfs::V2_1, Some("lz4")));
}

#[test]
fn operations_that_fio_rounds_off_its_rates_are_no_lost_log() {
    let series = |logged: Option<f64>| {
        let variants = vec![variant(false, false), variant(true, false)];
        // Two operations a second of each of eight clients.
        let truths = [
            (&variants[0], Truth::flat(16.0)),
            (&variants[1], Truth::flat(640.0)),
        ];
        let mut all = trials(&truths, 2, 0.0);
        for trial in &mut all {
            if let Outcome::Measured(m) = &mut trial.outcome {
                let of_all = m.write.ops as f64;
                m.facts.insert("files.jobs".into(), 8.0);
                m.facts
                    .extend(logged.map(|share| (LOGGED.to_owned(), share * of_all)));
            }
        }
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
        let mut checks = findings.cells[0].checks.iter();
        checks.find(|c| c.law == Law::Series).map(|c| c.pass)
    };
    assert_eq!(series(Some(0.5)), Some(true));
    assert_eq!(series(Some(0.0)), Some(false));
    // A record of an earlier version does not say.
    assert_eq!(series(None), None);
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
    let mut campaign = campaign(variants, SYNC_JOB);
    let findings = analyse(&campaign, &model(), &trials);
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
    // After a restart what never settles is what was asked for.
    campaign.method.restart = true;
    let findings = analyse(&campaign, &model(), &trials);
    let Phases::AfterRestart { whole } = findings.cells[1].phases else {
        panic!("{:?}", findings.cells[1].phases);
    };
    assert_eq!(whole.real_seconds, Some(60.0 * model().size));
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::WorthIt);
    assert!(log.cautions.contains(&Caution::AfterRestart {
        seconds: 60.0,
        real_seconds: 60.0 * model().size,
    }));
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
    let not_run = |m: &Marked| m.mark == Mark::DidNotRun && m.trials == 1;
    assert!(findings.cells[1].marks.iter().any(not_run));
}

#[test]
fn clients_that_flush_a_file_they_share_are_set_aside_on_fuse() {
    let of = |job: &str, features: &[&str]| {
        let findings = two_of(job, 2, |_, m| {
            m.features = features.iter().map(|f| (*f).to_owned()).collect();
        });
        let marked = |c: &Cell| c.marks.iter().any(|m| m.mark == Mark::SharedFlush);
        let aside = findings
            .cells
            .iter()
            .all(|c| c.standing == Standing::Marked);
        (findings.cells.iter().all(marked), aside)
    };
    let shared = "[global]\nbs=16k\nfsync=32\n[w]\nfilename=wal\nrw=randwrite\nnumjobs=8\n";
    let fuse = ["parallel-direct-writes", "async-dio"];
    assert_eq!(of(shared, &fuse), (true, true));
    assert_eq!(of(SYNC_JOB, &fuse), (false, false), "a file each");
    assert_eq!(of(shared, &[]), (false, false), "not on FUSE");
}

#[test]
fn marks_of_a_cell_are_the_worst_of_each_kind_with_their_number() {
    let findings = two(3, |i, m| {
        m.fidelity.stolen_share = [0.03, 0.0, 0.09, 0.0, 0.05, 0.0][i];
        if i < 2 {
            m.fidelity.drives.insert("hdd".into(), (1.04, 1.2));
            m.fidelity.drives.insert("optane".into(), (1.3, 1.4));
        }
    });
    let all: u32 = findings.cells.iter().map(|c| c.trials.sound).sum();
    assert_eq!(all, 6, "{:?}", findings.cells[0].marks);
    let stolen: Vec<(f64, u32)> = findings
        .cells
        .iter()
        .flat_map(|c| &c.marks)
        .filter_map(|m| match m.mark {
            Mark::Stolen { share } => Some((share, m.trials)),
            _ => None,
        })
        .collect();
    let total: u32 = stolen.iter().map(|(_, trials)| trials).sum();
    assert_eq!(total, 3, "{stolen:?}");
    assert!(stolen.iter().any(|(share, _)| *share == 0.09), "{stolen:?}");
    // Two kinds of drives off their time are two things to know.
    let kinds: Vec<&str> = findings.cells[0]
        .marks
        .iter()
        .filter_map(|m| match &m.mark {
            Mark::Drives { kind, .. } => Some(kind.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ["hdd", "optane"]);
}

#[test]
fn one_trial_that_did_not_settle_is_said_and_the_verdict_stands() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [
        (&variants[0], Truth::flat(640.0)),
        (&variants[1], Truth::flat(4300.0)),
    ];
    let mut all = trials(&truths, 3, 0.01);
    if let findings::record::Outcome::Measured(m) = &mut all[0].outcome {
        // Slower and slower, at the same mean.
        let n = m.seconds.len() as f64;
        for (i, second) in m.seconds.iter_mut().enumerate() {
            second.writes *= 1.3 - 0.6 * i as f64 / (n - 1.0);
        }
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, Class::WorthIt);
    assert!(
        log.cautions
            .contains(&Caution::Unsettled { trials: 1, of: 6 }),
        "{:?} {:?}",
        log.cautions,
        findings.trials[0].marks
    );
    // The number beside the verdict is of the same trials.
    let shown = findings
        .cells
        .iter()
        .map(|c| c.phases.lasting().unwrap().throughput.basis);
    assert!(shown.into_iter().all(|basis| basis == Basis::Trials));
}

#[test]
fn pairs_that_agree_decide_where_their_mean_rests_on_too_few_trials() {
    let variants = log_and_cache();
    let flat = |i: usize, rate| (&variants[i], Truth::flat(rate));
    // The cells without a cache were known after two trials, those with one took eight.
    let mut all = trials(&[flat(0, 640.0), flat(1, 641.0)], 2, 0.001);
    let noisy = trials(&[flat(2, 2600.0), flat(3, 2605.0)], 8, 0.02);
    all.extend(noisy.into_iter().map(|trial| Trial {
        id: trial.id + 100,
        ..trial
    }));
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &all);
    let mean = findings
        .effects
        .iter()
        .find(|e| e.factor == "log" && e.variant.is_none() && e.metric == Metric::Throughput);
    assert_eq!(mean.unwrap().class, Class::Undecided);
    assert_eq!(verdict(&findings, "log").class, Class::NoEffect);
    // Beside an interval stands the number of trials it was made from.
    let beside = &findings.effects[verdict(&findings, "log").effects[0]];
    assert_eq!(beside.trials, (2, 2));
}

#[test]
fn stages_of_a_window_that_went_the_other_way_explain_nothing() {
    let variants = vec![variant(false, false), variant(true, false)];
    let burst = Truth {
        levels: vec![(20, 10_000.0), (40, 2000.0)],
        ..Truth::flat(1.0)
    };
    let truths = [(&variants[0], burst), (&variants[1], Truth::flat(3000.0))];
    let all = trials(&truths, 4, 0.003);
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &all);
    let log = verdict(&findings, "log");
    assert_eq!(
        log.class,
        Class::WorthIt,
        "what lasts is half as much again"
    );
    let stage = |r: &Reason| matches!(r, Reason::Stage { .. });
    assert!(!log.reasons.iter().any(stage), "{:?}", log.reasons);
}

#[test]
fn the_reasons_of_a_mean_are_those_of_a_pair_that_shows_it() {
    let all = log_and_cache();
    let [none, log, cache, both] = &all[..] else {
        panic!("four variants")
    };
    // Without a log nobody knows, and it seems to help.
    let unclear = [(none, Truth::flat(600.0)), (cache, Truth::flat(615.0))];
    let clear = [(log, Truth::flat(4300.0)), (both, Truth::flat(2500.0))];
    let mut trials = trials(&unclear, 3, 0.05);
    let known = trials.len();
    trials.extend(synthetic::trials(&clear, 3, 0.01));
    for (id, trial) in trials.iter_mut().enumerate().skip(known) {
        trial.id = id as u64;
    }
    let findings = analyse(&campaign(all.clone(), SYNC_JOB), &model(), &trials);
    let verdict = verdict(&findings, "cache");
    let deciding = &findings.effects[verdict.effects[0]];
    assert_eq!((verdict.class, &deciding.variant), (Class::Harmful, &None));
    let longer = verdict.reasons.iter().any(|reason| match reason {
        Reason::Commit {
            before_us,
            after_us,
            ..
        } => after_us > before_us,
        _ => false,
    });
    assert!(longer, "{:#?}", verdict.reasons);
}
