//! Many campaigns of one lab in order: where a cell changed for good, in its throughput that lasts or, where
//! operations come at a given rate, in the time each takes.

use crate::SMALLEST_EFFECT;
use crate::campaigns::compare::compared;
use crate::schema::{Findings, Metric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Campaigns on each side of a change: one alone may be a bad day.
const LEAST: usize = 2;

/// A cell over many campaigns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Label of each campaign that has a valid trial of the cell.
    pub labels: Vec<String>,
    /// What the values are.
    #[serde(default)]
    pub metric: Metric,
    /// Its throughput that lasts, operations a second; where those come at a given rate, µs each takes.
    pub values: Vec<f64>,
    /// Where it changed for good, by at least 5 %.
    pub steps: Vec<Step>,
}

/// A change for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Label of the first campaign at the new level.
    pub label: String,
    /// Mean between the last step and this one.
    pub before: f64,
    /// Mean from here to the next step.
    pub after: f64,
}

impl History {
    /// Whether its last change for good made it slower.
    pub fn regressed(&self) -> bool {
        self.steps.last().is_some_and(|step| match self.metric.more_is_better() {
            true => step.after < step.before,
            false => step.after > step.before,
        })
    }
}

/// The history of each cell over campaigns in order, with a label for each.
pub fn history(campaigns: &[(String, Findings)]) -> Vec<History> {
    let mut all: Vec<History> = Vec::new();
    for (label, findings) in campaigns {
        for cell in &findings.cells {
            let Some(value) = stats::mean(compared(findings, cell, cell.metric).values()) else {
                continue;
            };
            let same = |h: &History| {
                h.variant == cell.variant && h.workload == cell.workload && h.metric == cell.metric
            };
            let i = all.iter().position(same).unwrap_or_else(|| {
                all.push(History {
                    variant: cell.variant.clone(),
                    workload: cell.workload.clone(),
                    metric: cell.metric,
                    labels: Vec::new(),
                    values: Vec::new(),
                    steps: Vec::new(),
                });
                all.len() - 1
            });
            all[i].labels.push(label.clone());
            all[i].values.push(value);
        }
    }
    for history in &mut all {
        history.steps = steps(&history.labels, &history.values);
    }
    all
}

fn steps(labels: &[String], values: &[f64]) -> Vec<Step> {
    let points = stats::change::points(values, LEAST, SMALLEST_EFFECT);
    let mut edges = vec![0];
    edges.extend(&points);
    edges.push(values.len());
    edges
        .windows(3)
        .filter_map(|w| {
            Some(Step {
                label: labels[w[1]].clone(),
                before: stats::mean(&values[w[0]..w[1]])?,
                after: stats::mean(&values[w[1]..w[2]])?,
            })
        })
        .collect()
}
