//! A line a cell, for a spreadsheet, a line each rate of a ladder, and a line each cost that a cell was run
//! without: plain numbers in the units of the column names.

use crate::json::{word, word_in};
use crate::rows::{Against, Row, aside, rows};
use findings::schema::{
    Basis, Cause, Cell, Effect, Estimate, Findings, Latency, LogDrives, Metric, Resources, Rung,
    TrialCounts,
};
use text::Language;

/// A column: its name, and its value in a line; none where the line has none.
pub type Column = (&'static str, fn(&Line) -> Option<String>);

/// The columns. Added ones go to the end.
pub const COLUMNS: [Column; 53] = [
    ("variant", |l| Some(foreign(l.variant))),
    ("workload", |l| Some(foreign(l.workload))),
    ("concurrency", |l| number(l.cell()?.concurrency)),
    ("validity", |l| match l.cell()?.trials.all() {
        0 => Some("not-run".into()),
        _ => Some(word(l.cell()?.validity)),
    }),
    ("trials_valid", |l| Some(l.trials()?.valid.to_string())),
    ("trials_excluded", |l| Some(l.trials()?.excluded.to_string())),
    ("trials_failed", |l| Some(l.trials()?.failed.to_string())),
    ("ops_per_s", |l| number(l.throughput()?.value)),
    ("ops_per_s_low", |l| number(known(l.throughput())?.low)),
    ("ops_per_s_high", |l| number(known(l.throughput())?.high)),
    ("bytes_per_s", |l| number(l.cell()?.bandwidth?.value)),
    ("first_phase_ops_per_s", |l| number(l.row?.first?.throughput.value)),
    ("first_phase_s", |l| number(l.row?.first?.seconds)),
    ("lasting_ops_per_s", |l| number(l.row?.lasting?.value)),
    ("lasting_low", |l| number(known(l.row?.lasting)?.low)),
    ("lasting_high", |l| number(known(l.row?.lasting)?.high)),
    ("mean_us", |l| number(l.latency()?.mean_us)),
    ("p50_us", |l| number(l.latency()?.p50_us)),
    ("p95_us", |l| number(l.latency()?.p95_us)),
    ("p99_us", |l| number(l.latency()?.p99_us)),
    ("p999_us", |l| number(l.latency()?.p999_us?)),
    ("sync_mean_us", |l| number(l.sync_latency()?.mean_us)),
    ("sync_p99_us", |l| number(l.sync_latency()?.p99_us)),
    ("reads_dbuf", |l| number(l.cell()?.hits.reads?.dbuf)),
    ("reads_arc", |l| number(l.cell()?.hits.reads?.arc)),
    ("reads_l2arc", |l| number(l.cell()?.hits.reads?.l2arc)),
    ("reads_drives", |l| number(l.cell()?.hits.reads?.drives)),
    ("arc_data_hit_ratio", |l| number(l.cell()?.hits.arc_data?)),
    ("ratio_to_baseline", |l| match l.row?.against {
        Against::Baseline => l.throughput().map(|_| "1".into()),
        Against::Effect(effect) => number(effect.ratio.value),
        Against::Plain(ratio) => number(ratio),
        Against::Nothing => None,
    }),
    ("ratio_low", |l| number(known(Some(l.effect()?.ratio))?.low)),
    ("ratio_high", |l| number(known(Some(l.effect()?.ratio))?.high)),
    ("class", |l| Some(word(l.effect()?.class))),
    ("checks_passed", |l| Some(l.cell()?.checks.iter().filter(|c| c.pass).count().to_string())),
    ("checks_broken", |l| Some(l.cell()?.checks.iter().filter(|c| !c.pass).count().to_string())),
    ("size_scale", |l| number(l.cell()?.scale.size)),
    ("limit", |l| word_in(&l.resources()?.limit, "limit")),
    ("processor_busy", |l| number(l.resources()?.processor?)),
    ("commits_per_op", |l| number(l.resources()?.commits_per_op)),
    ("log_write_us", |l| number(l.log()?.write_us?)),
    ("log_flush_us", |l| number(l.log()?.flush_us?)),
    ("throttled_per_write", |l| number(l.resources()?.throttled_per_write)),
    ("written_per_byte", |l| number(l.resources()?.written_per_byte?)),
    ("offered_ops_per_s", |l| number(l.rung?.offered)),
    ("first_phase_real_s", |l| number(l.row?.first?.real_seconds?)),
    ("p99_ratio_to_baseline", |l| number(l.tail()?.ratio.value)),
    ("remarks", |l| Some(foreign(&aside(Language::English, l.findings, l.row?).join("; ")))),
    ("compared", |l| Some(word(l.cell()?.metric))),
    ("without", |l| Some(word(l.cause?.cost))),
    ("without_rank", |l| Some(l.cause?.rank.to_string())),
    ("without_ratio", |l| number(l.cause?.throughput.value)),
    ("without_ratio_low", |l| number(known(Some(l.cause?.throughput))?.low)),
    ("without_ratio_high", |l| number(known(Some(l.cause?.throughput))?.high)),
    ("without_mean_latency_ratio", |l| number(l.cause?.mean_latency?.value)),
];

/// A line: a cell, a rung of its ladder, or the cell without a cost.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    findings: &'a Findings,
    variant: &'a str,
    workload: &'a str,
    row: Option<&'a Row<'a>>,
    rung: Option<&'a Rung>,
    cause: Option<&'a Cause>,
}

impl<'a> Line<'a> {
    fn new(findings: &'a Findings, variant: &'a str, workload: &'a str) -> Self {
        Line { findings, variant, workload, row: None, rung: None, cause: None }
    }

    fn cell(&self) -> Option<&'a Cell> {
        self.row.map(|row| row.cell)
    }

    fn trials(&self) -> Option<TrialCounts> {
        self.cell().map(|c| c.trials).or(self.rung.map(|r| r.trials))
    }

    fn throughput(&self) -> Option<Estimate> {
        self.cell().and_then(|c| c.throughput).or(self.rung.and_then(|r| r.achieved))
    }

    fn latency(&self) -> Option<Latency> {
        self.cell().and_then(|c| c.latency).or(self.rung.and_then(|r| r.latency))
    }

    fn sync_latency(&self) -> Option<Latency> {
        self.cell().and_then(|c| c.sync_latency).or(self.rung.and_then(|r| r.sync_latency))
    }

    fn resources(&self) -> Option<&'a Resources> {
        self.cell()?.resources.as_ref()
    }

    fn log(&self) -> Option<&'a LogDrives> {
        self.resources()?.log.as_ref()
    }

    fn effect(&self) -> Option<&'a Effect> {
        match self.row?.against {
            Against::Effect(effect) => Some(effect),
            _ => None,
        }
    }

    /// The effect on p99 of the cell against the baseline's.
    fn tail(&self) -> Option<&'a Effect> {
        let cell = self.cell()?;
        self.findings.effects.iter().find(|e| {
            e.metric == Metric::P99Latency
                && e.workload == cell.workload
                && e.variant.as_ref() == Some(&cell.variant)
                && e.baseline.as_ref() == Some(&self.findings.lab.baseline)
        })
    }
}

/// The whole table.
///
/// # Errors
/// None of its own: writing to memory does not fail; the type is that of the CSV writer.
pub fn render(findings: &Findings) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(COLUMNS.map(|(name, _)| name))?;
    let rows = rows(findings);
    let cells = rows.iter().map(|row| {
        let line = Line::new(findings, &row.cell.variant, &row.cell.workload);
        Line { row: Some(row), ..line }
    });
    let rungs = findings.ladders.iter().flat_map(|ladder| {
        let line = Line::new(findings, &ladder.variant, &ladder.workload);
        ladder.rungs.iter().map(move |rung| Line { rung: Some(rung), ..line })
    });
    let causes = findings.causes.iter().map(|cause| {
        let line = Line::new(findings, &cause.variant, &cause.workload);
        Line { cause: Some(cause), ..line }
    });
    for line in cells.chain(rungs).chain(causes) {
        out.write_record(COLUMNS.map(|(_, value)| value(&line).unwrap_or_default()))?;
    }
    let bytes =
        out.into_inner().map_err(|e| csv::Error::from(std::io::Error::other(e.to_string())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// An estimate with an interval. Of a number that nothing is known around, low and high would repeat it.
fn known(estimate: Option<Estimate>) -> Option<Estimate> {
    estimate.filter(|e| e.basis != Basis::Point)
}

/// A number as programs read it; none where it is not finite.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| ((value * 1e6).round() / 1e6).to_string())
}

/// A name from outside. A spreadsheet takes `=`, `+`, `-` and `@` at the start for a formula and
/// would run it; an apostrophe before it makes it text.
fn foreign(text: &str) -> String {
    let text = text::line::visible(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.into_owned()
    }
}
