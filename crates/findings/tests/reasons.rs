//! Reasons: what explains an effect, and what does not.

mod synthetic;

use findings::analyse;
use findings::schema::*;
use measurement::{Counter, DriveCounter};
use synthetic::*;

#[test]
fn drive_times_that_went_the_other_way_explain_nothing() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [
        (&variants[0], Truth::flat(2000.0)),
        (&variants[1], Truth { slog_share: 1.0, ..Truth::flat(1000.0) }),
    ];
    let all = trials(&truths, 4, 0.003);
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &all);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Harmful, "though the log's drives are quicker");
    let times =
        |r: &Explanation| matches!(r.reason, Reason::LogWrites { .. } | Reason::LogFlushes { .. });
    assert!(!log.reasons.iter().any(times), "{:?}", log.reasons);
}

#[test]
fn the_reasons_of_a_mean_are_those_of_a_pair_that_shows_it() {
    let all = log_and_cache();
    let [none, log, cache, both] = &all[..] else { panic!("four variants") };
    // Without a log it is not known; with one it harms, and commits are many more.
    let unclear = [(none, Truth::flat(600.0)), (cache, Truth::flat(600.0))];
    let clear = [(log, Truth::flat(4300.0)), (both, Truth::flat(2500.0))];
    let mut trials = trials(&unclear, 3, 0.3);
    let mut known = synthetic::trials(&clear, 3, 0.01);
    for trial in known.iter_mut().filter(|t| t.variant == both.name) {
        *measured_of(trial).totals.entry(Counter::ZilCommits) *= 2.0;
    }
    trials.extend(known);
    let findings = analyse(&campaign(all.clone(), SYNC_JOB), &model(), &trials);
    let verdict = verdict(&findings, "cache");
    let deciding = &findings.effects[verdict.effects[0]];
    assert_eq!(verdict.class, VerdictClass::Harmful, "{:#?}", findings.effects);
    assert_eq!(deciding.variant, None);
    let more = |r: &Explanation| matches!(r.reason, Reason::Commits(Both { before, after }) if after > 1.5 * before);
    assert!(verdict.reasons.iter().any(more), "{:#?}", verdict.reasons);
    assert_eq!(verdict.reasons_context, [("log".to_owned(), "mirror".to_owned())].into());
}

#[test]
fn commits_of_the_intent_log_explain_nothing_where_one_side_has_none() {
    let [pool, other] = [variant(false, false), variant(true, false)];
    let mut trials = trials(&[(&pool, Truth::flat(1200.0)), (&other, Truth::flat(600.0))], 3, 0.01);
    let commits = |trials: &[measurement::Trial]| {
        let findings =
            analyse(&campaign(vec![pool.clone(), other.clone()], SYNC_JOB), &model(), trials);
        let reasons = &findings.verdicts[0].reasons;
        reasons.iter().any(|r| matches!(r.reason, Reason::Commits { .. }))
    };
    for trial in trials.iter_mut().filter(|t| t.variant == other.name) {
        *measured_of(trial).totals.entry(Counter::ZilCommits) *= 2.0;
    }
    assert!(commits(&trials), "twice as many commits");
    for trial in trials.iter_mut().filter(|t| t.variant == other.name) {
        let counted = std::mem::take(&mut measured_of(trial).totals);
        let others = counted.into_iter().filter(|(counter, _)| *counter != Counter::ZilCommits);
        measured_of(trial).totals = others.collect();
    }
    assert!(!commits(&trials), "a file system without an intent log");
}

#[test]
fn seldom_commits_explain_that_a_log_has_no_effect_and_no_gain() {
    let variants = vec![variant(false, false), variant(true, false)];
    let reasons = |rate: f64, commits_per_op: f64| {
        let truths = [(&variants[0], Truth::flat(600.0)), (&variants[1], Truth::flat(rate))];
        let mut trials = trials(&truths, 3, 0.001);
        for trial in &mut trials {
            let m = measured_of(trial);
            let operations = (m.read.ops + m.write.ops) as f64;
            m.totals.insert(Counter::ZilCommits, commits_per_op * operations);
        }
        let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &trials);
        let log = verdict(&findings, "log");
        let nothing = log.reasons.iter().find_map(|r| match r.reason {
            Reason::NothingSynced { commits } => Some(commits),
            _ => None,
        });
        (log.class, nothing)
    };
    let (class, commits) = reasons(600.0, 0.005);
    assert_eq!(class, VerdictClass::NoEffect);
    assert!((commits.unwrap() - 0.005).abs() < 1e-4, "{commits:?}");
    assert_eq!(reasons(600.0, 0.0), (VerdictClass::NoEffect, Some(0.0)));
    assert_eq!(reasons(1200.0, 0.005), (VerdictClass::WorthIt, None));
}

#[test]
fn of_a_cache_that_was_taken_away_nothing_is_reported_as_served() {
    let [with, without] = [variant(false, true), variant(false, false)];
    let truths = [(&with, Truth::flat(1200.0)), (&without, Truth::flat(600.0))];
    let trials = trials(&truths, 3, 0.001);
    let mut campaign = campaign(vec![with.clone(), without.clone()], SYNC_JOB);
    campaign.method.baseline = with.name.clone();
    let findings = analyse(&campaign, &model(), &trials);
    let verdict = verdict(&findings, "cache");
    assert_eq!((verdict.level.as_str(), verdict.class), ("none", VerdictClass::Harmful));
    let served = |r: &Explanation| {
        matches!(r.reason, Reason::CacheUnused { .. } | Reason::CacheServes { .. })
    };
    assert!(!verdict.reasons.iter().any(served), "{:?}", verdict.reasons);
}

#[test]
fn less_write_ahead_log_explains_a_gain_and_not_a_loss() {
    let [full, partial] = [variant(false, false), variant(true, false)];
    let reasons = |rate: f64| {
        let truths = [(&full, Truth::flat(1000.0)), (&partial, Truth::flat(rate))];
        let mut trials = trials(&truths, 3, 0.01);
        for trial in &mut trials {
            let bytes = if trial.variant == full.name { 8e6 } else { 2e6 };
            *measured_of(trial).totals.entry(Counter::PostgresqlWalBytes) = bytes;
        }
        let variants = vec![full.clone(), partial.clone()];
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
        findings.verdicts[0].reasons.clone()
    };
    let wal =
        |r: &Explanation| matches!(r.reason, Reason::Wal(Both { before, after }) if after < before);
    assert!(reasons(2000.0).iter().any(wal), "a gain");
    assert!(!reasons(500.0).iter().any(wal), "a loss");
}

/// The reasons for what a log does, with trials of both sides changed first.
fn reasons_of_log(
    rates: [f64; 2],
    slog_shares: [f64; 2],
    change: impl Fn(usize, &mut measurement::Measured),
) -> (VerdictClass, Vec<Reason>) {
    let variants = [variant(false, false), variant(true, false)];
    let sides = variants.iter().zip(rates).zip(slog_shares);
    let truths: Vec<(&lab::campaign::Variant, Truth)> = sides
        .map(|((variant, rate), slog_share)| (variant, Truth { slog_share, ..Truth::flat(rate) }))
        .collect();
    let mut trials = trials(&truths, 3, 0.001);
    for trial in &mut trials {
        let side = usize::from(trial.variant == variants[1].name);
        change(side, measured_of(trial));
    }
    let findings = analyse(&campaign(variants.to_vec(), SYNC_JOB), &model(), &trials);
    let log = verdict(&findings, "log");
    (log.class, log.reasons.iter().map(|explained| explained.reason.clone()).collect())
}

#[test]
fn a_log_drive_that_needs_no_flush_is_a_reason() {
    let (class, reasons) = reasons_of_log([600.0, 1200.0], [0.0, 1.0], |_, measured| {
        for drive in 0..2 {
            let flushes = Counter::drive(format!("optane{drive}"), DriveCounter::Flushes);
            *measured.totals.entry(flushes) = 0.0;
        }
    });
    assert_eq!(class, VerdictClass::WorthIt);
    let no_flush = reasons.iter().find_map(|reason| match reason {
        Reason::NoLogFlush { before, kind } => Some((before.us, kind.as_str())),
        _ => None,
    });
    assert_eq!(no_flush, Some((9000.0, "optane")), "{reasons:?}");
}

#[test]
fn what_went_against_the_effect_is_no_reason() {
    let more_written = |more_on: usize| {
        move |side: usize, measured: &mut measurement::Measured| {
            if side == more_on {
                for drive in 0..6 {
                    let written = Counter::drive(format!("hdd{drive}"), DriveCounter::WriteBytes);
                    *measured.totals.entry(written) *= 3.0;
                }
            }
        }
    };
    let amplified = |rates, more_on| {
        let (_, reasons) = reasons_of_log(rates, [0.0, 0.0], more_written(more_on));
        reasons.iter().any(|reason| matches!(reason, Reason::WriteAmplification { .. }))
    };
    assert!(amplified([1200.0, 600.0], 1), "slower, and writes more");
    assert!(!amplified([600.0, 1200.0], 1), "faster although it writes more");
    assert!(amplified([600.0, 1200.0], 0), "faster, and writes less");
}

#[test]
fn a_log_that_overflows_is_a_reason_where_both_sides_have_one() {
    let (_, reasons) = reasons_of_log([1200.0, 600.0], [1.0, 0.97], |_, _| ());
    let overflow = reasons.iter().find_map(|reason| match reason {
        Reason::LogOverflows(Both { before, after }) => Some((*before, *after)),
        _ => None,
    });
    let (before, after) = overflow.unwrap();
    assert!(before.abs() < 1e-9 && (after - 0.03).abs() < 1e-6, "{before} {after}");
}

#[test]
fn writes_that_wait_for_records_are_a_reason_by_the_time_of_a_read() {
    // As many records are read on both sides; a read takes four times as long on one.
    let (class, reasons) = reasons_of_log([1200.0, 600.0], [0.0, 0.0], |side, measured| {
        let operations = measured.write.ops as f64;
        *measured.totals.entry(Counter::ArcPrefetchMisses) = operations * 0.1;
        for drive in 0..6 {
            let mut add = |what, value| {
                measured.totals.insert(Counter::drive(format!("hdd{drive}"), what), value);
            };
            add(DriveCounter::Reads, 1000.0);
            add(DriveCounter::ReadNs, 1000.0 * [5e6, 20e6][side]);
        }
    });
    assert_eq!(class, VerdictClass::Harmful);
    let waits = reasons.iter().find_map(|reason| match reason {
        Reason::RecordWait(Both { before, after }) => Some((*before, *after)),
        _ => None,
    });
    let (before, after) = waits.unwrap();
    // The slowest of the four data drives of a raidz2 of six.
    let slowest = 1.0 + 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0;
    assert!((before - 500.0 * slowest).abs() < 1.0, "{before}");
    assert!((after - 2000.0 * slowest).abs() < 1.0, "{after}");
}

#[test]
fn a_flash_drive_that_always_has_a_request_is_full_only_near_its_limits() {
    let limit = |writes_per_s: f64| {
        let mut variants = [variant(false, false), variant(true, false)];
        let optane = variants[1].drives.get_mut("optane").unwrap();
        optane.numbers = numbers("p1600x-118g", |_| ());
        let truth = Truth { slog_share: 1.0, busy: 0.3, ..Truth::flat(1000.0) };
        let mut trials =
            trials(&[(&variants[0], Truth::flat(600.0)), (&variants[1], truth)], 3, 0.001);
        for trial in trials.iter_mut().filter(|trial| trial.variant == variants[1].name) {
            let measured = measured_of(trial);
            let optane = |what| Counter::drive("optane0", what);
            *measured.totals.entry(optane(DriveCounter::Writes)) =
                writes_per_s * measured.runtime_s;
            for second in &mut measured.seconds {
                second.values.insert(optane(DriveCounter::Busy), 0.95);
            }
        }
        let findings = analyse(&campaign(variants.to_vec(), SYNC_JOB), &model(), &trials);
        let cell = findings.cells.iter().find(|cell| cell.variant == variants[1].name).unwrap();
        cell.resources.as_ref().unwrap().limit.clone()
    };
    let (kind, busy) = ("optane".to_owned(), 0.95);
    assert!(
        matches!(limit(8_000.0), Limit::Latency { .. }),
        "a few percent of its writes a second"
    );
    let Limit::Drives { kind: full, busy: share } = limit(1e6) else { panic!() };
    assert_eq!(full, kind);
    assert!((share - busy).abs() < 1e-9);
}

#[test]
fn one_figure_stands_for_the_bottleneck_of_both_only_where_it_fits_both() {
    let limits = |rates: [f64; 2], busy: [f64; 2], kind: &'static str| {
        let (_, reasons) = reasons_of_log(rates, [0.0, 0.0], |side, measured| {
            for second in &mut measured.seconds {
                for drive in 0..6 {
                    let hdd = Counter::drive(format!("hdd{drive}"), DriveCounter::Busy);
                    second
                        .values
                        .insert(hdd, if side == 0 || kind == "hdd" { busy[side] } else { 0.1 });
                }
                if side == 1 && kind != "hdd" {
                    let other = Counter::drive(format!("{kind}0"), DriveCounter::Busy);
                    second.values.insert(other, busy[1]);
                }
            }
        });
        let limits = |reason: &Reason| match reason {
            Reason::SameLimit { .. } => Some("same"),
            Reason::LimitMoved { .. } => Some("moved"),
            _ => None,
        };
        reasons.iter().find_map(limits)
    };
    let equal = [600.0, 600.0];
    assert_eq!(limits(equal, [0.69, 0.65], "hdd"), Some("same"));
    assert_eq!(limits(equal, [0.69, 0.28], "hdd"), None, "one is far less busy");
    assert_eq!(limits(equal, [0.69, 0.65], "optane"), None, "other drives");
    assert_eq!(
        limits([600.0, 1200.0], [0.69, 0.28], "hdd"),
        None,
        "they are still what is waited for"
    );
    assert_eq!(limits([600.0, 1200.0], [0.69, 0.65], "optane"), Some("moved"));
}

#[test]
fn the_write_throttle_is_the_same_bottleneck_only_where_it_delays_as_often() {
    let same = |delays: [f64; 2]| {
        let (_, reasons) = reasons_of_log([600.0, 600.0], [0.0, 0.0], |side, measured| {
            for second in &mut measured.seconds {
                second.values.insert(Counter::ThrottleDirtyDelay, second.writes * delays[side]);
            }
        });
        reasons.iter().any(|reason| matches!(reason, Reason::SameLimit { .. }))
    };
    assert!(same([0.8, 0.85]));
    assert!(!same([0.8, 3.0]));
}

#[test]
fn more_commits_explain_no_gain() {
    let named = |rates| {
        let (_, reasons) = reasons_of_log(rates, [0.0, 0.0], |side, measured| {
            *measured.totals.entry(Counter::ZilCommits) *= [1.0, 2.0][side];
        });
        reasons.iter().any(|reason| matches!(reason, Reason::Commits { .. }))
    };
    assert!(named([1200.0, 600.0]), "slower, with twice as many commits");
    assert!(!named([600.0, 1200.0]), "faster in spite of them");
}

#[test]
fn a_cache_that_leaves_more_to_the_drives_explains_no_gain() {
    let [without, with] = [variant(false, false), variant(false, true)];
    let served = |rates: [f64; 2], misses: [f64; 2]| {
        let truths = [(&without, Truth::flat(rates[0])), (&with, Truth::flat(rates[1]))];
        let mut trials = trials(&truths, 3, 0.001);
        for trial in &mut trials {
            let side = usize::from(trial.variant == with.name);
            let m = measured_of(trial);
            let operations = m.write.ops as f64;
            m.totals.insert(Counter::ArcDataMisses, (misses[side] + 0.5) * operations);
            m.totals.insert(Counter::DbufHits, (1.0 - misses[side]) * operations);
            m.totals.insert(Counter::L2Hits, [0.0, 0.5][side] * operations);
        }
        let campaign = campaign(vec![without.clone(), with.clone()], SYNC_JOB);
        let findings = analyse(&campaign, &model(), &trials);
        let reasons = &verdict(&findings, "cache").reasons;
        reasons.iter().any(|r| matches!(r.reason, Reason::CacheServes { .. }))
    };
    // Half of the lookups more miss without the cache than the drives answer with it.
    assert!(served([600.0, 1200.0], [0.1, 0.1]), "a gain, and less for the drives");
    assert!(!served([1200.0, 600.0], [0.1, 0.1]), "a loss in spite of it");
    assert!(!served([600.0, 1200.0], [0.1, 0.9]), "a gain in spite of more for the drives");
    assert!(served([600.0, 600.0], [0.1, 0.1]), "of no effect it is told either way");
}
