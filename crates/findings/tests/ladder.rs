//! Open-loop ladders with known capacities.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use lab::campaign::{Pgbench, Program};
use measurement::{Counter, Flow, Measured, Trial, TrialResult};
use synthetic::*;

/// Microseconds as ns.
const US: f64 = 1e3;

/// A rung: of what is offered, at most `most` is done; the p99 grows as a queue fills.
fn rung(offered: f64, most: f64, base_us: f64) -> Measured {
    let done = offered.min(most);
    let mut measured = measured(&Truth::flat(done));
    let load = (offered / most).min(0.999);
    let mean = base_us * US / (1.0 - load);
    let flow = |mean: f64| {
        let ops = (done * measured.runtime_s) as u64;
        Flow {
            ops,
            bytes: ops * 16384,
            mean_ns: mean,
            histogram: vec![(mean as u64, ops - ops / 20), ((3.0 * mean) as u64, ops / 20)],
            overflow: 0,
        }
    };
    let (write, sync) = (flow(mean), flow(mean / 2.0));
    (measured.write, measured.sync) = (write, Flow { bytes: 0, ..sync });
    measured
}

fn ladder(variant: &str, rates: &[f64], most: f64, base_us: f64) -> Vec<Trial> {
    rates
        .iter()
        .map(|rate| Trial {
            offered_rate: Some(*rate),
            key: format!("{variant} {rate}"),
            ..trial(variant, 0, rung(*rate, most, base_us))
        })
        .collect()
}

/// Closed loops of 640 and 4,300 operations a second, and ladders up to these.
fn findings() -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let mut all =
        trials(&[(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))], 3, 0.01);
    let rates = [100.0, 220.0, 470.0, 800.0];
    all.extend(ladder("none/none", &rates, 640.0, 2_000.0));
    let rates = [220.0, 470.0, 1000.0, 2200.0, 4000.0];
    all.extend(ladder("mirror/none", &rates, 4300.0, 100.0));
    analyse(&campaign(variants, SYNC_JOB), &model(), &all)
}

#[test]
fn a_ladder_says_what_is_carried_and_where_it_saturates() {
    let findings = findings();
    assert_eq!(findings.ladders.len(), 2);
    let (slow, fast) = (&findings.ladders[0], &findings.ladders[1]);
    assert_eq!((slow.carried, slow.saturated), (Some(470.0), Some(800.0)));
    assert!((slow.most.unwrap() - 640.0).abs() < 10.0);
    assert_eq!((fast.carried, fast.saturated), (Some(4000.0), None));
}

#[test]
fn the_load_that_keeps_p99_under_a_limit_lies_between_two_rungs() {
    let findings = findings();
    let slow = &findings.ladders[0];
    // p99 is 3 × 2 ms ÷ (1 − load): 7.1, 9.1, 22.6 ms at 100, 220, 470 of 640.
    let at = |of: Operation, ms: f64| {
        let within = slow.within.iter();
        within
            .filter(|w| w.of == of)
            .find(|w| w.limit_us == ms * 1e3)
            .map(|w| (w.up_to, w.exceeded_at))
    };
    use Operation::{ReadWrite, Sync};
    assert_eq!(at(ReadWrite, 5.0), None, "not even the first rung");
    assert_eq!(at(ReadWrite, 10.0), Some((Some(220.0), Some(470.0))));
    assert_eq!(at(ReadWrite, 50.0), Some((Some(470.0), Some(800.0))));
    assert_eq!(at(Sync, 5.0), Some((Some(220.0), Some(470.0))), "half as long");
}

#[test]
fn rungs_are_no_repeats_of_the_closed_loop() {
    let findings = findings();
    let cell = &findings.cells[0];
    assert_eq!(cell.trials.valid, 3);
    assert!((cell.throughput.unwrap().value - 640.0).abs() < 10.0);
    let rungs = findings.trials.iter().filter(|t| matches!(t.part, Part::Rung { .. }));
    assert_eq!(rungs.count(), 9, "and they are listed");
}

#[test]
fn the_break_even_is_the_load_that_the_slower_side_carries() {
    let findings = findings();
    let verdict = &findings.verdicts[0];
    let even = verdict.break_even.unwrap();
    assert_eq!((even.ops_s, even.basis), (470.0, BreakEvenBasis::Ladder));
    assert!((even.syncs_s.unwrap() - 470.0).abs() < 1.0, "one commit an operation");
}

#[test]
fn without_a_ladder_the_break_even_is_what_lasts_of_the_slower_side() {
    let variants = vec![variant(false, false), variant(true, false)];
    let all =
        trials(&[(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))], 3, 0.01);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let even = findings.verdicts[0].break_even.unwrap();
    assert_eq!(even.basis, BreakEvenBasis::ClosedLoop);
    assert!((even.ops_s - 640.0).abs() < 10.0);
    assert!(findings.ladders.is_empty());
}

#[test]
fn latency_from_the_intended_start_breaks_no_law() {
    let findings = findings();
    // The saturated rung has far more in flight than there are clients: it counts all the same.
    let top = &findings.ladders[0].rungs[3];
    assert_eq!((top.trials.valid, top.trials.failed), (1, 0), "{:?}", top.issues);
    assert!(!top.kept_up);
}

#[test]
fn a_failed_rung_is_shown_and_is_no_limit() {
    let variants = vec![variant(false, false)];
    let mut all = ladder("none/none", &[100.0, 220.0], 640.0, 2_000.0);
    all[1].outcome = TrialResult::Failed { reason: "fio: no".into() };
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let ladder = &findings.ladders[0];
    assert_eq!((ladder.carried, ladder.saturated), (Some(100.0), None));
    assert_eq!(ladder.rungs[1].trials.failed, 1);
    assert!(findings.cells.is_empty(), "a workload that was only run as a ladder has no cell");
}

#[test]
fn an_excluded_rung_decides_no_capacity_and_leaves_a_run_incomplete() {
    let variants = vec![variant(false, false)];
    let rates = [100.0, 220.0, 470.0, 800.0];
    let mut all = ladder("none/none", &rates, 640.0, 2_000.0);
    let whole = analyse(&campaign(variants.clone(), SYNC_JOB), &model(), &all);
    assert_eq!(whole.ladders[0].saturated, Some(800.0));
    // In the last two memory was too small for the dirty data.
    for trial in &mut all[2..] {
        let totals = &mut measured_of(trial).totals;
        totals.insert(Counter::ThrottleDirtyThrottle, 9.0);
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let ladder = &findings.ladders[0];
    assert_eq!(ladder.rungs[2].trials.excluded, 1, "{:?}", ladder.rungs[2]);
    assert!(ladder.rungs[2..].iter().all(|rung| !rung.kept_up), "nothing counts there");
    assert_eq!((ladder.carried, ladder.saturated), (Some(220.0), None));
    assert_eq!(ladder.unknown_from, Some(470.0));
    assert!(ladder.most.unwrap() < 230.0);
    assert!(ladder.within.iter().all(|w| w.up_to <= Some(220.0)));
    assert!(!findings::complete(&findings));
}

#[test]
fn arrivals_of_a_short_window_may_lack_a_few() {
    // Poisson: 100 expected arrivals in 10 s have a standard deviation of 10.
    assert!(findings::keeps_up(8.0, 10.0, 10.0));
    assert!(!findings::keeps_up(6.0, 10.0, 10.0));
    assert!(findings::keeps_up(945.0, 1000.0, 10.0) && !findings::keeps_up(900.0, 1000.0, 10.0));
}

#[test]
fn rates_that_come_to_the_same_are_one_rung_of_one_trial_a_repeat() {
    let variants = vec![variant(false, false)];
    let mut all = ladder("none/none", &[128.0], 640.0, 2_000.0);
    let mut again = all[0].clone();
    again.key = "none/none 150".to_owned();
    all.push(again);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    assert_eq!(findings.ladders[0].rungs.len(), 1);
    assert_eq!(findings.ladders[0].rungs[0].trials.valid, 1);
}

#[test]
fn a_variant_that_falls_behind_a_rate_is_named() {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(120.0)), (&variants[1], Truth::flat(500.0))];
    let all = trials(&truths, 3, 0.003);
    let mut campaign = campaign(variants, SYNC_JOB);
    let pgbench = Pgbench { scale: 1, clients: 8, rate: Some(500.0), ..Pgbench::default() };
    campaign.workloads[0].program = Program::Pgbench(Box::new(pgbench));
    let behind = Caution::RateNotReached { variants: vec!["none/none".into()], rate: 500.0 };
    let findings = analyse(&campaign, &model(), &all);
    assert!(findings.verdicts[0].cautions.contains(&behind), "{:?}", findings.verdicts[0]);
}
