//! Two campaigns against each other.

mod fixture;

use findings::output::{Class, Findings, Metric};
use fixture::{Shape, findings};
use report::compare::{compare, text};
use report::lang::Language;

const SHAPE: Shape = Shape {
    workloads: 2,
    trials: 4,
    seconds: 10,
    drives: 1,
};

/// The campaign with every throughput of one cell times `factor`.
fn changed(variant: &str, workload: &str, factor: f64) -> Findings {
    let mut findings = findings(&SHAPE);
    for trial in &mut findings.trials {
        if trial.variant == variant && trial.workload == workload {
            trial.throughput = trial.throughput.map(|t| t * factor);
            trial.mean_us = trial.mean_us.map(|t| t / factor);
        }
    }
    findings
}

#[test]
fn a_campaign_against_itself_has_no_regression_and_no_gain() {
    let one = findings(&SHAPE);
    let comparison = compare(&one, &one);
    assert_eq!(comparison.regressions(), 0);
    assert_eq!(comparison.changes.len(), 8 * 2);
    assert!(comparison.changes.iter().all(|c| c.class != Class::WorthIt));
}

#[test]
fn a_cell_that_lost_a_third_is_the_one_regression() {
    let comparison = compare(
        &findings(&SHAPE),
        &changed("mirror/none", "sync-small", 0.66),
    );
    assert_eq!(comparison.regressions(), 1);
    let worse: Vec<_> = comparison
        .changes
        .iter()
        .filter(|c| c.class == Class::Harmful)
        .collect();
    assert!(
        worse
            .iter()
            .all(|c| c.variant == "mirror/none" && c.workload == "sync-small")
    );
    assert_eq!(worse.len(), 2, "throughput and latency both say so");
}

#[test]
fn a_cell_that_gained_is_better_and_no_regression() {
    let comparison = compare(&findings(&SHAPE), &changed("none/none", "sync-large", 1.5));
    assert_eq!(comparison.regressions(), 0);
    let better = |m| {
        comparison
            .changes
            .iter()
            .any(|c| c.metric == m && c.class == Class::WorthIt)
    };
    assert!(better(Metric::Throughput) && better(Metric::MeanLatency));
}

#[test]
fn a_single_trial_decides_nothing() {
    let one = findings(&Shape { trials: 1, ..SHAPE });
    let mut other = one.clone();
    other
        .trials
        .iter_mut()
        .for_each(|t| t.throughput = t.throughput.map(|x| x / 10.0));
    let comparison = compare(&one, &other);
    assert!(
        comparison
            .changes
            .iter()
            .all(|c| c.class == Class::Undecided)
    );
}

#[test]
fn cells_of_one_campaign_only_and_another_scale_are_said() {
    let mut other = findings(&Shape {
        workloads: 1,
        ..SHAPE
    });
    other.scale.size = 24.0;
    let comparison = compare(&findings(&SHAPE), &other);
    assert_eq!(comparison.only_in_one.len(), 4);
    assert!(!comparison.same_scale);
    insta::assert_snapshot!(text(&comparison, Language::English.words()));
}
