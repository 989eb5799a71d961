//! Reasons: what explains an effect, and what does not.

mod synthetic;

use findings::analyse;
use findings::schema::*;
use measurement::Counter;
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
    let more = |r: &Explanation| matches!(r.reason, Reason::Commits { before, after } if after > 1.5 * before);
    assert!(verdict.reasons.iter().any(more), "{:#?}", verdict.reasons);
    assert_eq!(verdict.reasons_context, [("log".to_owned(), "mirror".to_owned())].into());
}

#[test]
fn commits_of_the_intent_log_explain_nothing_where_one_side_has_none() {
    let [pool, other] = [variant(false, false), variant(true, false)];
    let mut trials = trials(&[(&pool, Truth::flat(600.0)), (&other, Truth::flat(1200.0))], 3, 0.01);
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
    let wal = |r: &Explanation| matches!(r.reason, Reason::Wal { before, after } if after < before);
    assert!(reasons(2000.0).iter().any(wal), "a gain");
    assert!(!reasons(500.0).iter().any(wal), "a loss");
}
