//! Effects are of pairs of trials with the same seed, and single trials have intervals of their own.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use measurement::TrialResult;
use synthetic::*;

/// One trial without a log and one with it.
fn single() -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
    let trials = trials(&truths, 1, 0.01);
    analyse(&campaign(variants, SYNC_JOB), &model(), &trials)
}

#[test]
fn a_single_trial_has_an_interval_from_its_batches_and_says_so() {
    let findings = single();
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::WorthIt, "six times is known from one trial each");
    assert!(log.cautions.contains(&Caution::SingleTrial));
    let effect = &findings.effects[log.effects[0]];
    assert_eq!((effect.ratio.basis, effect.trials), (Basis::Batches, (1, 1)));
    let cell = findings.cells[0].throughput.unwrap();
    assert_eq!(cell.basis, Basis::Batches);
    assert!(cell.low < cell.value && cell.value < cell.high);
    // Latency has no series: of a single trial it is a number.
    let latency = findings.effects.iter().find(|e| e.metric == Metric::MeanLatency).unwrap();
    assert_eq!((latency.ratio.basis, latency.class), (Basis::Point, VerdictClass::Undecided));
    assert_eq!(latency.needed.unwrap().lack, Lack::SecondTrial);
}

/// A trial is a pure function of its inputs: a variant that changes nothing gives the same runs.
#[test]
fn identical_trials_have_a_ratio_of_exactly_one_and_no_width() {
    for repeats in [1, 2, 3] {
        let mut twin = variant(true, false);
        twin.levels.clear();
        let mut base = twin.clone();
        (base.name, twin.name) = ("base".into(), "twin".into());
        let two_phases = Truth { levels: vec![(23, 9000.0), (60, 4300.0)], ..Truth::flat(0.0) };
        let mut all = trials(&[(&base, two_phases)], repeats, 0.05);
        let mut copies = all.clone();
        for copy in &mut copies {
            copy.variant = "twin".into();
        }
        all.extend(copies);
        let findings = analyse(&campaign(vec![base, twin], SYNC_JOB), &model(), &all);
        assert!(!findings.effects.is_empty());
        for effect in &findings.effects {
            let ratio = effect.ratio;
            assert_eq!((ratio.low, ratio.value, ratio.high), (1.0, 1.0, 1.0), "{effect:?}");
        }
        assert_eq!(findings.verdicts[0].class, VerdictClass::NoEffect, "{repeats}");
    }
}

/// The p99 is the upper edge of a bin, which different runs may share: that does not make them the same runs.
#[test]
fn different_runs_with_an_equal_p99_have_an_interval_of_some_width() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(700.0))];
    let mut trials = trials(&truths, 2, 0.01);
    let shared = trials[0].outcome.clone();
    for trial in &mut trials {
        let (TrialResult::Measured(own), TrialResult::Measured(shared)) =
            (&mut trial.outcome, &shared)
        else {
            unreachable!("each was measured");
        };
        for (flow, of) in [
            (&mut own.read, &shared.read),
            (&mut own.write, &shared.write),
            (&mut own.sync, &shared.sync),
        ] {
            for (bin, edge) in flow.histogram.iter_mut().zip(of.histogram.iter().map(|bin| bin.0)) {
                bin.0 = edge;
            }
        }
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let p99 = findings.effects.iter().find(|e| e.metric == Metric::P99Latency).unwrap().ratio;
    assert_eq!(p99.value, 1.0);
    assert!(p99.low < 1.0 && p99.high > 1.0, "{p99:?}");
}

#[test]
fn trials_in_any_order_give_the_same_bytes() {
    let variants = log_and_cache();
    let truths: Vec<_> = variants.iter().map(|v| (v, Truth::flat(640.0))).collect();
    let mut all = trials(&truths, 3, 0.01);
    let campaign = campaign(variants.clone(), SYNC_JOB);
    let bytes = |all: &[measurement::Trial]| {
        serde_json::to_string(&analyse(&campaign, &model(), all)).unwrap()
    };
    let sorted = bytes(&all);
    all.reverse();
    assert_eq!(bytes(&all), sorted);
    all.rotate_left(5);
    assert_eq!(bytes(&all), sorted);
}

#[test]
fn effects_are_of_trials_that_share_a_seed() {
    let variants = vec![variant(false, false), variant(true, false)];
    let flat = |i: usize, rate| (&variants[i], Truth::flat(rate));
    let mut all = trials(&[flat(0, 640.0), flat(1, 1280.0)], 3, 0.2);
    let of = |all: &[measurement::Trial]| {
        let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), all);
        findings.effects[0].clone()
    };
    // Seeds differ by up to a third, pairs of them by a twentieth at most.
    let paired = of(&all);
    assert_eq!((paired.class, paired.trials), (VerdictClass::WorthIt, (3, 3)));
    assert!((paired.ratio.value - 2.0).abs() < 0.1, "{:?}", paired.ratio);
    // A trial without its partner is in no pair.
    all.retain(|t| !(t.variant == "mirror/none" && t.repeat == 0));
    assert_eq!(of(&all).trials, (2, 2));
}

#[test]
fn a_budget_that_ended_early_leaves_verdicts_on_what_is_known_and_the_rest_as_not_run() {
    let variants = log_and_cache();
    let known = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
    let trials = trials(&known, 1, 0.01);
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &trials);
    assert_eq!(verdict(&findings, "log").class, VerdictClass::WorthIt);
    let missing: Vec<(&str, u32)> =
        findings.not_run.iter().map(|cell| (cell.variant.as_str(), cell.trials)).collect();
    assert_eq!(missing, [("none/nvme", 2), ("mirror/nvme", 2)]);
    assert!(!findings::complete(&findings));
}

/// Two trials of each side, with the rate of the second side's in each.
fn two_trials(rates: [f64; 2]) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let mut all = trials(&[(&variants[0], Truth::flat(640.0))], 2, 0.0);
    for (repeat, rate) in (0..).zip(rates) {
        all.push(trial(&variants[1].name, repeat, measured(&Truth::flat(rate))));
    }
    analyse(&campaign(variants, SYNC_JOB), &model(), &all)
}

/// 3 % by two trials that are 0.2 % apart: of one degree of freedom alone, the interval would be ±3.5 %.
#[test]
fn two_trials_that_agree_are_decided_by_the_batches_within_them() {
    let findings = two_trials([659.5, 660.9]);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::NoEffect);
    assert!(!log.cautions.contains(&Caution::SingleTrial));
    let effect = &findings.effects[log.effects[0]];
    assert_eq!((effect.ratio.basis, effect.trials), (Basis::TrialsAndBatches, (2, 2)));
    assert!(effect.ratio.low > 1.01 && effect.ratio.high < 1.05, "{:?}", effect.ratio);
}

/// What two caches came to hold: each trial is steady, and they are half as fast again as each other.
#[test]
fn two_trials_that_differ_more_than_their_batches_are_not() {
    let findings = two_trials([735.0, 1100.0]);
    let log = verdict(&findings, "log");
    assert_eq!(log.class, VerdictClass::Undecided);
    let effect = &findings.effects[log.effects[0]];
    assert_eq!(effect.ratio.basis, Basis::Trials);
    assert_eq!(effect.needed.unwrap().lack, Lack::Trials);
}

#[test]
fn pairs_that_agree_decide_where_their_mean_rests_on_too_few_trials() {
    let variants = log_and_cache();
    let flat = |i: usize, rate| (&variants[i], Truth::flat(rate));
    // The cells without a cache were known after two trials, those with one took eight.
    let mut all = trials(&[flat(0, 640.0), flat(1, 641.0)], 2, 0.001);
    all.extend(trials(&[flat(2, 2600.0), flat(3, 2605.0)], 8, 0.1));
    let findings = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &all);
    let mean = findings
        .effects
        .iter()
        .find(|e| e.factor == "log" && e.variant.is_none() && e.metric == Metric::Throughput);
    assert_eq!(mean.unwrap().class, VerdictClass::Undecided, "{mean:?}");
    assert_eq!(verdict(&findings, "log").class, VerdictClass::NoEffect);
    // Beside an interval stands the number of trials it was made from.
    let beside = &findings.effects[verdict(&findings, "log").effects[0]];
    assert_eq!(beside.trials, (2, 2));
}

/// What seeds move in opposite directions leaves the mean sharp and both pairs undecided.
#[test]
fn a_mean_of_pairs_that_are_far_apart_lists_them_though_their_intervals_meet() {
    let all = log_and_cache();
    let [none, log, cache, both] = &all[..] else { panic!("four variants") };
    let listed = |gains: [f64; 2]| {
        let mut trials = trials(&[(none, Truth::flat(600.0)), (log, Truth::flat(600.0))], 3, 0.01);
        for (repeat, moved) in [4.0, 1.0, 0.25].into_iter().enumerate() {
            for (variant, rate) in [(cache, gains[0] * moved), (both, gains[1] / moved)] {
                let measured = measured(&Truth::flat(600.0 * rate));
                trials.push(trial(&variant.name, repeat as u32, measured));
            }
        }
        let findings = analyse(&campaign(all.clone(), SYNC_JOB), &model(), &trials);
        let cache = verdict(&findings, "cache");
        assert_eq!(cache.class, VerdictClass::WorthIt, "{:#?}", findings.effects);
        assert_eq!(findings.effects[cache.effects[0]].variant, None, "a mean decides");
        cache.conditions.iter().map(|place| (place.class, place.ratio)).collect::<Vec<_>>()
    };
    let [beside_none, beside_log] = listed([6.0, 1.5])[..] else { panic!("both are listed") };
    assert_eq!((beside_none.0, beside_log.0), (VerdictClass::Undecided, VerdictClass::Undecided));
    assert!((beside_none.1 - 6.0).abs() < 0.1 && (beside_log.1 - 1.5).abs() < 0.1);
    assert_eq!(listed([3.0, 2.5]), [], "not far apart");
}
