//! Two campaigns, or a campaign and a published table, held against one another.

use crate::cells::phases::Course;
use crate::effects::class;
use crate::lints::Table;
use crate::schema::{
    Basis, Cell, Estimate, Findings, LabRef, Lack, Metric, Part, Phases, TrialRow, Validity,
    VerdictClass,
};
use crate::{ERROR_RATE, SMALLEST_EFFECT};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::contrast::{self, Mean};
use std::collections::{BTreeMap, BTreeSet};

/// What changed between two campaigns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first campaign.
    pub before: LabRef,
    /// The second.
    pub after: LabRef,
    /// Cells that both have, in the first one's order.
    pub changes: Vec<Change>,
    /// Cells that only one has: variant, workload.
    pub unmatched: Vec<(String, String)>,
    /// Cells that both have, but of which one has no trial that counts.
    #[serde(default)]
    pub unmeasured: Vec<Unmeasured>,
    /// A cell became slower, its whole interval below 1, or has no trial that counts any more.
    pub regressed: bool,
}

/// A cell that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unmeasured {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Trials that count, before and after.
    pub trials: (u32, u32),
}

impl Unmeasured {
    /// Whether it counted before.
    pub fn is_lost(&self) -> bool {
        self.trials.0 > 0
    }
}

/// What changed in a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// What was compared: throughput that lasts, or where operations come at a given rate, how long
    /// they take.
    #[serde(default)]
    pub metric: Metric,
    /// After ÷ before. The chance that any cell of the comparison is called changed when none has is
    /// 5 %.
    pub ratio: Estimate,
    /// `WorthIt` is faster, `Harmful` a regression.
    pub class: VerdictClass,
    /// What an undecided change lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lack: Option<Lack>,
    /// Trials that count, before and after.
    pub trials: (u32, u32),
}

/// What changed from one campaign to another, cell by cell. A finished comparison is a single look, at 5 %
/// shared out over the cells (Bonferroni). Trials with the same seed are paired where there are two such
/// pairs; otherwise the interval is Welch's.
pub fn compare(before: &Findings, after: &Findings) -> Comparison {
    let pairs: Vec<(&Cell, &Cell)> =
        before.cells.iter().filter_map(|cell| Some((cell, partner(cell, after)?))).collect();
    let alpha = ERROR_RATE / pairs.len().max(1) as f64;
    let changes: Vec<Change> =
        pairs.iter().filter_map(|(a, b)| change((before, a), (after, b), alpha)).collect();
    let unmeasured: Vec<Unmeasured> = pairs
        .iter()
        .filter(|(a, b)| a.trials.valid == 0 || b.trials.valid == 0)
        .map(|(a, b)| Unmeasured {
            variant: a.variant.clone(),
            workload: a.workload.clone(),
            trials: (a.trials.valid, b.trials.valid),
        })
        .collect();
    let missing = |of: &Findings, other: &Findings| -> Vec<(String, String)> {
        let alone = of.cells.iter().filter(|cell| partner(cell, other).is_none());
        alone.map(|cell| (cell.variant.clone(), cell.workload.clone())).collect()
    };
    Comparison {
        before: before.lab.clone(),
        after: after.lab.clone(),
        regressed: changes.iter().any(|c| c.class == VerdictClass::Harmful)
            || unmeasured.iter().any(Unmeasured::is_lost),
        changes,
        unmeasured,
        unmatched: missing(before, after).into_iter().chain(missing(after, before)).collect(),
    }
}

/// The cell of another campaign with the same names.
fn partner<'a>(cell: &Cell, of: &'a Findings) -> Option<&'a Cell> {
    of.cells.iter().find(|c| c.variant == cell.variant && c.workload == cell.workload)
}

fn change(before: (&Findings, &Cell), after: (&Findings, &Cell), alpha: f64) -> Option<Change> {
    // Findings made before latency was kept have throughput alone.
    let metric = match before.1.metric == after.1.metric {
        true => after.1.metric,
        false => Metric::Throughput,
    };
    let of = |(findings, cell)| logs(&compared(findings, cell, metric));
    let (a, b) = (of(before)?, of(after)?);
    let settled = [before.1, after.1]
        .iter()
        .all(|cell| !matches!(cell.phases, Phases::NotSettled { .. } | Phases::Unknown));
    let value = (stats::mean(b.values())? - stats::mean(a.values())?).exp();
    let [values_a, values_b] = [&a, &b].map(|of| of.values().copied().collect::<Vec<f64>>());
    let pairs: Vec<f64> = b.iter().filter_map(|(seed, after)| Some(after - a.get(seed)?)).collect();
    // The same trials: nothing is left to chance.
    let equal = pairs.len() > 1 && pairs.iter().all(|d| *d == 0.0);
    let same = equal && keys(before) == keys(after);
    let spread: Option<Mean> = same
        .then_some(Mean { value: 0.0, error: 0.0, freedom: 1.0 })
        .or_else(|| contrast::of_pairs(&pairs))
        .or_else(|| contrast::of_groups(&[(1.0, &values_b), (-1.0, &values_a)]));
    let interval = spread.map(|mean| mean.interval(alpha).exp());
    let class = interval.filter(|_| settled).map_or(VerdictClass::Undecided, |i| class(i, metric));
    let lack = (class == VerdictClass::Undecided).then_some(match (interval, settled) {
        (None, _) => Lack::SecondTrial,
        (_, false) => Lack::LongerRun,
        _ => Lack::Trials,
    });
    Some(Change {
        variant: before.1.variant.clone(),
        workload: before.1.workload.clone(),
        metric,
        ratio: interval
            .map_or(Estimate::point(value), |interval| Estimate::new(interval, Basis::Trials)),
        class,
        lack,
        trials: (a.len() as u32, b.len() as u32),
    })
}

/// Natural logarithms by seed; none where there is no value, or one has no logarithm.
fn logs(values: &BTreeMap<u64, f64>) -> Option<BTreeMap<u64, f64>> {
    let all: Option<BTreeMap<u64, f64>> = values
        .iter()
        .map(|(seed, x)| (x.is_finite() && *x > 0.0).then(|| (*seed, x.ln())))
        .collect();
    all.filter(|all| !all.is_empty())
}

fn keys<'a>((findings, cell): (&'a Findings, &Cell)) -> BTreeSet<&'a str> {
    counted(findings, cell).map(|row| row.key.as_str()).collect()
}

/// The trials of a cell that count.
fn counted<'a>(findings: &'a Findings, cell: &Cell) -> impl Iterator<Item = &'a TrialRow> {
    findings.trials.iter().filter(move |row| {
        row.variant == cell.variant
            && row.workload == cell.workload
            && row.validity == Validity::Valid
            && row.part == Part::Cell
    })
}

/// What is compared of a cell, by the seed of each trial that counts: throughput that lasts, or how long an
/// operation takes.
pub(crate) fn compared(findings: &Findings, cell: &Cell, metric: Metric) -> BTreeMap<u64, f64> {
    counted(findings, cell)
        .filter_map(|row| {
            if metric != Metric::Throughput {
                return Some((row.seed, row.client_us?));
            }
            // Findings from before 2026-11-28 have no lasting rate.
            let of_series = || {
                let series = cell.series.iter().find(|series| series.trial == row.key)?;
                let after_restart = matches!(cell.phases, Phases::AfterRestart { .. });
                Course { after_restart, ..Course::from_series(series)? }.lasting()
            };
            let lasting = row.lasting.or_else(of_series).or(row.throughput)?;
            Some((row.seed, lasting))
        })
        .collect()
}

/// A measured cell beside a published row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// The published row's name.
    pub row: String,
    /// As published, operations a second.
    pub published: f64,
    /// As measured over the whole window.
    pub measured: f64,
    /// Measured ÷ published. Only the measurement has an interval.
    pub ratio: Estimate,
    /// The whole interval, of two trials or more, lies more than 5 % below what was published.
    pub below: bool,
}

/// Which published row a cell is to be held against, where their names do not say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The row's name.
    pub row: String,
    /// The variant's.
    pub variant: String,
    /// The workload's; none for every workload of the variant.
    pub workload: Option<String>,
}

impl Named {
    fn is_of(&self, cell: &Cell) -> bool {
        self.variant == cell.variant && self.workload.as_ref().is_none_or(|w| *w == cell.workload)
    }
}

/// Each cell beside the row that `named` gives it, or else the published row that is named after it:
/// `<variant> <workload>`, or a row of that workload with the variant's name as its settings.
pub fn against_published(findings: &Findings, table: &Table, named: &[Named]) -> Vec<Published> {
    findings
        .cells
        .iter()
        .filter_map(|cell| {
            let name = format!("{} {}", cell.variant, cell.workload);
            let row = match named.iter().find(|named| named.is_of(cell)) {
                Some(named) => table.row(&named.row)?,
                None => table.rows.iter().find(|row| {
                    let settings = row.settings.as_deref() == Some(cell.variant.as_str());
                    row.name == name || (settings && row.workload == cell.workload)
                })?,
            };
            let published = row.throughput.filter(|x| *x > 0.0)?;
            // Excluded cells are not compared.
            let measured = cell.throughput.filter(|_| cell.validity == Validity::Valid)?;
            Some(Published {
                variant: cell.variant.clone(),
                workload: cell.workload.clone(),
                row: row.name.clone(),
                published,
                measured: measured.value,
                below: measured.basis == Basis::Trials
                    && measured.high < published * (1.0 - SMALLEST_EFFECT),
                ratio: Estimate {
                    value: measured.value / published,
                    low: measured.low / published,
                    high: measured.high / published,
                    basis: measured.basis,
                },
            })
        })
        .collect()
}
