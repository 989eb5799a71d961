//! Two campaigns held against each other, cell by cell.

use crate::lang::{Label, Words};
use crate::number::{count, micros, ratio, ratio_number};
use crate::text::{columns, cut, one_line};
use findings::output::{Basis, Class, Estimate, Findings, Metric, Standing, TrialRow};
use serde::Serialize;
use stats::contrast::{Contrast, logs};
use stats::sequential::{Decision, decide};
use std::collections::BTreeSet;

/// What became of every cell that both campaigns measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One for each shared cell and metric, in the order of the first campaign.
    pub changes: Vec<Change>,
    /// Cells (variant, workload) that only one of the two has.
    pub only_in_one: Vec<(String, String)>,
    /// Both ran at the same S and k; otherwise ratios carry the change of scale as well.
    pub same_scale: bool,
}

/// How one number of one cell changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Throughput (operations a second) or mean latency (µs).
    pub metric: Metric,
    /// Before: mean over trials.
    pub before: f64,
    /// After.
    pub after: f64,
    /// After ÷ before.
    pub ratio: Estimate,
    /// Better, worse, unchanged within the smallest effect worth naming, or undecided.
    pub class: Class,
}

impl Comparison {
    /// Cells that became worse.
    pub fn regressions(&self) -> usize {
        let worse = self.changes.iter().filter(|c| c.class == Class::Harmful);
        worse
            .map(|c| (&c.variant, &c.workload))
            .collect::<BTreeSet<_>>()
            .len()
    }
}

/// Holds `after` against `before`. The first campaign's error rate is divided by the number of
/// intervals (Bonferroni), so that it is the chance that two campaigns of equal things are told
/// apart anywhere.
pub fn compare(before: &Findings, after: &Findings) -> Comparison {
    let cells = |f: &Findings| -> Vec<(String, String)> {
        f.cells
            .iter()
            .map(|c| (c.variant.clone(), c.workload.clone()))
            .collect()
    };
    let (first, second) = (cells(before), cells(after));
    let shared: Vec<_> = first.iter().filter(|cell| second.contains(cell)).collect();
    let only = |a: &[(String, String)], b: &[(String, String)]| -> Vec<(String, String)> {
        a.iter().filter(|cell| !b.contains(cell)).cloned().collect()
    };
    let alpha = before.method.error_rate / (shared.len() * METRICS.len()).max(1) as f64;
    let mut changes = Vec::new();
    for (variant, workload) in &shared {
        for (metric, pick) in METRICS {
            let of = |f: &Findings| values(f, variant, workload, pick);
            let change = change(
                &of(before),
                &of(after),
                alpha,
                before.method.smallest_effect,
            );
            let Some((ratio, decision)) = change else {
                continue;
            };
            let mean = |values: Vec<f64>| stats::mean(&values).unwrap_or(f64::NAN);
            changes.push(Change {
                variant: variant.clone(),
                workload: workload.clone(),
                metric,
                before: mean(of(before)),
                after: mean(of(after)),
                ratio,
                class: class(metric, decision),
            });
        }
    }
    let mut only_in_one = only(&first, &second);
    only_in_one.extend(only(&second, &first));
    Comparison {
        changes,
        only_in_one,
        same_scale: (before.scale.size, before.scale.time) == (after.scale.size, after.scale.time),
    }
}

type Pick = fn(&TrialRow) -> Option<f64>;

const METRICS: [(Metric, Pick); 2] = [
    (Metric::Throughput, |t| t.throughput),
    (Metric::MeanLatency, |t| t.mean_us),
];

/// A number of each trial of a cell that counts.
fn values(findings: &Findings, variant: &str, workload: &str, pick: Pick) -> Vec<f64> {
    findings
        .trials
        .iter()
        .filter(|t| t.variant == variant && t.workload == workload && t.standing == Standing::Sound)
        .filter_map(pick)
        .filter(|v| v.is_finite() && *v > 0.0)
        .collect()
}

/// The ratio of geometric means with Welch's interval on logarithms; a point where a side has one
/// trial, and none where it has no trial.
fn change(
    before: &[f64],
    after: &[f64],
    alpha: f64,
    smallest: f64,
) -> Option<(Estimate, Decision)> {
    let (before, after) = (logs(before)?, logs(after)?);
    let value = (stats::mean(&after)? - stats::mean(&before)?).exp();
    match Contrast::of(&[(1.0, &after), (-1.0, &before)]) {
        Some(contrast) => {
            let found = contrast.interval(alpha).exp();
            let ratio = Estimate {
                value,
                low: found.low,
                high: found.high,
                basis: Basis::Trials,
            };
            Some((ratio, decide(found, smallest)))
        }
        None => {
            let ratio = Estimate {
                value,
                low: value,
                high: value,
                basis: Basis::Point,
            };
            Some((ratio, Decision::Open))
        }
    }
}

fn class(metric: Metric, decision: Decision) -> Class {
    let more_is_better = metric == Metric::Throughput;
    match decision {
        Decision::Equal => Class::NoEffect,
        Decision::Open => Class::Undecided,
        Decision::Above if more_is_better => Class::WorthIt,
        Decision::Below if !more_is_better => Class::WorthIt,
        Decision::Above | Decision::Below => Class::Harmful,
    }
}

/// The comparison as lines for a terminal.
pub fn text(comparison: &Comparison, words: &dyn Words) -> String {
    let mut lines: Vec<[String; 7]> = vec![[
        words.label(Label::Variant).to_lowercase(),
        words.label(Label::Workload).to_lowercase(),
        words.label(Label::Metric).to_lowercase(),
        words.label(Label::Before).to_owned(),
        words.label(Label::After).to_owned(),
        words.label(Label::Change).to_owned(),
        String::new(),
    ]];
    for change in &comparison.changes {
        let show = |value: f64| match change.metric {
            Metric::Throughput => count(value),
            Metric::MeanLatency | Metric::P99Latency => micros(value),
        };
        let interval = match change.ratio.basis {
            Basis::Point => ratio(change.ratio.value),
            Basis::Trials | Basis::Blocks => format!(
                "{} [{}, {}]",
                ratio(change.ratio.value),
                ratio_number(change.ratio.low),
                ratio_number(change.ratio.high)
            ),
        };
        lines.push([
            cut(&one_line(&change.variant), 32),
            cut(&one_line(&change.workload), 32),
            words.metric(change.metric).to_owned(),
            show(change.before),
            show(change.after),
            interval,
            words.change(change.class).to_owned(),
        ]);
    }
    let width = |i: usize| {
        lines
            .iter()
            .map(|line| columns(&line[i]))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let mut row = String::new();
        for (i, cell) in line.iter().enumerate() {
            let room = " ".repeat(widths[i] - columns(cell));
            let right = (3..6).contains(&i);
            row += &if right {
                format!("{room}{cell}  ")
            } else {
                format!("{cell}{room}  ")
            };
        }
        out += row.trim_end();
        out.push('\n');
    }
    for (variant, workload) in &comparison.only_in_one {
        out += &format!(
            "{} · {}: {}\n",
            one_line(variant),
            one_line(workload),
            words.label(Label::OnlyInOne)
        );
    }
    if !comparison.same_scale {
        out += words.label(Label::OtherScale);
        out.push('\n');
    }
    out += &match comparison.regressions() {
        0 => words.label(Label::NoRegression).to_owned(),
        n => format!("{n} {}", words.label(Label::Regressions)),
    };
    out.push('\n');
    out.replace('\u{a0}', " ")
}
