//! Two campaigns, a published table, and many campaigns in order.

mod synthetic;

use findings::schema::{Basis, Lack, Metric, VerdictClass};
use findings::{Findings, Named, against_published, analyse, compare, history};
use synthetic::*;

/// A campaign of two variants at these rates.
fn findings(plain: f64, log: f64, repeats: usize, shift: usize) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let mut all = trials(
        &[(&variants[0], Truth::flat(plain)), (&variants[1], Truth::flat(log))],
        repeats + shift,
        0.01,
    );
    all.drain(..2 * shift);
    // Other seeds from shift to shift, so that the campaigns share none.
    for trial in &mut all {
        trial.seed += 100 * shift as u64;
    }
    analyse(&campaign(variants, SYNC_JOB), &model(), &all)
}

#[test]
fn a_slower_cell_is_a_regression_and_the_others_are_not() {
    let comparison = compare(&findings(640.0, 4300.0, 5, 0), &findings(640.0, 3400.0, 5, 1));
    assert!(comparison.regressed);
    assert_eq!(comparison.changes[0].class, VerdictClass::NoEffect, "{:?}", comparison.changes[0]);
    let slower = &comparison.changes[1];
    assert_eq!((slower.variant.as_str(), slower.class), ("mirror/none", VerdictClass::Harmful));
    assert!(slower.ratio.low < 0.79 && slower.ratio.high > 0.79);
}

#[test]
fn the_same_again_is_no_regression_and_single_trials_decide_nothing() {
    let same = compare(&findings(640.0, 4300.0, 4, 0), &findings(640.0, 4300.0, 4, 1));
    assert!(!same.regressed);
    let single = compare(&findings(640.0, 4300.0, 1, 0), &findings(640.0, 400.0, 1, 0));
    assert!(!single.regressed);
    assert_eq!(single.changes[1].ratio.basis, Basis::Point);
    assert_eq!(single.changes[1].class, VerdictClass::Undecided);
    assert_eq!(single.changes[1].lack, Some(Lack::SecondTrial));
    assert!(same.changes.iter().all(|change| change.lack.is_none()));
}

/// A page's own findings.json has series of longer stretches.
#[test]
fn series_of_longer_stretches_are_compared_by_the_rates_of_the_whole_ones() {
    let once = findings(640.0, 4300.0, 3, 0);
    let mut thinned = once.clone();
    for series in thinned.cells.iter_mut().flat_map(|cell| &mut cell.series) {
        for counts in [&mut series.at, &mut series.reads, &mut series.writes] {
            counts.truncate(4);
        }
    }
    for change in compare(&once, &thinned).changes {
        assert_eq!(change.ratio.value, 1.0, "{change:?}");
    }
}

#[test]
fn the_same_seeds_are_paired_and_the_same_runs_are_exactly_one() {
    let once = findings(640.0, 4300.0, 3, 0);
    for change in compare(&once, &once.clone()).changes {
        let ratio = change.ratio;
        assert_eq!((ratio.low, ratio.value, ratio.high), (1.0, 1.0, 1.0));
        assert_eq!(change.class, VerdictClass::NoEffect);
    }
    // The spread of a hundredth between seeds is not in the pairs.
    let slower = compare(&once, &findings(640.0, 4300.0 * 0.93, 3, 0));
    assert_eq!(slower.changes[1].class, VerdictClass::Harmful);
    assert!((slower.changes[1].ratio.high - 0.93).abs() < 0.01);
}

#[test]
fn cells_that_only_one_campaign_has_are_named() {
    let both = findings(640.0, 4300.0, 2, 0);
    let mut one = both.clone();
    one.cells.pop();
    let comparison = compare(&both, &one);
    assert_eq!(comparison.unmatched, [("mirror/none".to_owned(), "sync-small".to_owned())]);
    assert_eq!(comparison.changes.len(), 1);
}

#[test]
fn a_cell_of_which_no_trial_counts_any_more_fails_the_gate() {
    let before = findings(640.0, 4300.0, 3, 0);
    let mut after = findings(640.0, 4300.0, 3, 1);
    after.cells[1].trials.valid = 0;
    after.trials.retain(|row| row.variant != "mirror/none");
    let comparison = compare(&before, &after);
    assert_eq!(comparison.changes.len(), 1);
    let lost = &comparison.unmeasured[0];
    assert_eq!((lost.variant.as_str(), lost.trials, lost.is_lost()), ("mirror/none", (3, 0), true));
    assert!(comparison.regressed);
    // The other way round something was won.
    assert!(!compare(&after, &before).regressed);
}

#[test]
fn a_cell_that_never_settled_is_no_regression_yet() {
    let before = findings(640.0, 4300.0, 5, 0);
    let mut after = findings(640.0, 3400.0, 5, 1);
    after.cells[1].phases = findings::schema::Phases::NotSettled { seconds: 60.0 };
    let comparison = compare(&before, &after);
    assert_eq!(comparison.changes[1].class, VerdictClass::Undecided);
    assert_eq!(comparison.changes[1].lack, Some(Lack::LongerRun));
    assert!(!comparison.regressed);
}

#[test]
fn an_excluded_cell_is_not_held_against_a_published_row() {
    let table = findings::lints::Table::read("name,throughput\nmirror/none sync-small,12060\n");
    let table = table.unwrap();
    let mut measured = findings(640.0, 4300.0, 3, 0);
    let below = |findings: &Findings| {
        let rows = against_published(findings, &table, &[]);
        rows.iter().map(|row| row.below).collect::<Vec<_>>()
    };
    assert_eq!(below(&measured), [true]);
    measured.cells[1].validity = findings::schema::Validity::Excluded;
    assert!(below(&measured).is_empty());
    // A single trial has no interval that could lie below it.
    assert_eq!(below(&findings(640.0, 4300.0, 1, 0)), [false]);
}

#[test]
fn a_published_row_is_found_by_name_or_by_settings() {
    let measured = findings(640.0, 4300.0, 3, 0);
    let table = findings::lints::Table::read(
        "name,workload,settings,throughput\n\
         none/none sync-small,,,1820\nF2,sync-small,mirror/none,12060\n",
    )
    .unwrap();
    let beside = against_published(&measured, &table, &[]);
    assert_eq!(beside.len(), 2);
    assert!((beside[0].ratio.value - 640.0 / 1820.0).abs() < 0.01);
    assert_eq!(beside[1].row, "F2");
    assert!(beside[0].below && beside[1].below);
}

#[test]
fn a_published_row_can_be_named_and_a_faster_cell_is_not_below_it() {
    let measured = findings(640.0, 4300.0, 3, 0);
    let table =
        findings::lints::Table::read("name,throughput\nF1 sync,500\nF2 sync,4310\n").unwrap();
    assert!(against_published(&measured, &table, &[]).is_empty());
    let named = |row: &str, variant: &str, workload: Option<&str>| Named {
        row: row.into(),
        variant: variant.into(),
        workload: workload.map(str::to_owned),
    };
    let rows = [
        named("F1 sync", "none/none", None),
        named("F2 sync", "mirror/none", Some("sync-small")),
        named("F1 sync", "mirror/none", Some("another")),
    ];
    let beside = against_published(&measured, &table, &rows);
    let names: Vec<&str> = beside.iter().map(|p| p.row.as_str()).collect();
    assert_eq!(names, ["F1 sync", "F2 sync"]);
    assert!(beside.iter().all(|p| !p.below), "{beside:?}");
}

#[test]
fn a_regression_is_placed_in_the_history() {
    let campaigns: Vec<(String, Findings)> = (0..10)
        .map(|i| {
            let log = if i < 6 { 4300.0 } else { 3900.0 } * spread(i, 0.004);
            (format!("day {i}"), findings(640.0, log, 2, 0))
        })
        .collect();
    let histories = history(&campaigns);
    assert!(histories[0].steps.is_empty());
    assert_eq!(histories[1].values.len(), 10);
    let step = &histories[1].steps[0];
    assert_eq!((histories[1].steps.len(), step.label.as_str()), (1, "day 6"));
    assert!(step.before > 4200.0 && step.after < 4000.0);
    assert!(histories[1].regressed() && !histories[0].regressed());
}

#[test]
fn operations_at_a_given_rate_are_compared_by_how_long_they_take() {
    let paced = |slower: f64| {
        let variants = vec![variant(false, false), variant(true, false)];
        let truths: Vec<_> = variants.iter().map(|v| (v, Truth::flat(640.0))).collect();
        let mut all = trials(&truths, 4, 0.003);
        for trial in &mut all {
            let measurement::TrialResult::Measured(measured) = &mut trial.outcome else {
                continue;
            };
            let factor = if trial.variant == "mirror/none" { slower } else { 0.05 };
            for flow in [&mut measured.write, &mut measured.sync] {
                flow.mean_ns *= factor;
                for bin in &mut flow.histogram {
                    bin.0 = (bin.0 as f64 * factor) as u64;
                }
            }
        }
        let job = format!("{SYNC_JOB}rate_iops=80\n");
        analyse(&campaign(variants, &job), &model(), &all)
    };
    let comparison = compare(&paced(0.05), &paced(0.5));
    assert!(comparison.regressed, "{comparison:?}");
    let slower = &comparison.changes[1];
    assert_eq!((slower.metric, slower.class), (Metric::MeanLatency, VerdictClass::Harmful));
    assert!((slower.ratio.value - 10.0).abs() < 0.2, "{slower:?}");
    assert_eq!(comparison.changes[0].class, VerdictClass::NoEffect);
    assert!(!compare(&paced(0.5), &paced(0.05)).regressed);
    let campaigns: Vec<(String, Findings)> = [0.05, 0.05, 0.05, 0.5, 0.5, 0.5]
        .into_iter()
        .enumerate()
        .map(|(i, slower)| (i.to_string(), paced(slower)))
        .collect();
    let histories = history(&campaigns);
    assert!(!histories[0].regressed() && histories[1].regressed());
}

#[test]
fn windows_too_short_to_judge_are_no_regression() {
    let before = findings(640.0, 4300.0, 5, 0);
    let mut after = findings(640.0, 3400.0, 5, 1);
    after.cells[1].phases = findings::schema::Phases::Unknown;
    assert!(!compare(&before, &after).regressed);
}
