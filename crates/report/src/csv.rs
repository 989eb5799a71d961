//! A row a cell, for a spreadsheet, and a row each rate of a ladder: plain numbers in the units the
//! column names say.

use crate::lang::Language;
use crate::rows::{Against, aside, rows};
use findings::output::{
    Basis, Cell, Class, Effect, Estimate, Findings, Latency, Metric, Rung, Standing,
};

/// The names of the columns. Added ones go to the end.
pub const COLUMNS: [&str; 45] = [
    "variant",
    "workload",
    "concurrency",
    "standing",
    "trials_sound",
    "trials_marked",
    "trials_failed",
    "ops_per_s",
    "ops_per_s_low",
    "ops_per_s_high",
    "bytes_per_s",
    "first_phase_ops_per_s",
    "first_phase_s",
    "lasting_ops_per_s",
    "lasting_low",
    "lasting_high",
    "mean_us",
    "p50_us",
    "p95_us",
    "p99_us",
    "p999_us",
    "sync_mean_us",
    "sync_p99_us",
    "reads_dbuf",
    "reads_arc",
    "reads_l2arc",
    "reads_drives",
    "arc_data_hit_ratio",
    "ratio_to_baseline",
    "ratio_low",
    "ratio_high",
    "class",
    "checks_passed",
    "checks_broken",
    "size_scale",
    "dilation",
    "late_share",
    "cpu_share",
    "limit",
    "outside_pool_share",
    "offered_ops_per_s",
    "first_phase_real_s",
    "p99_ratio_to_baseline",
    "marks",
    "compared",
];

/// The whole table.
///
/// # Errors
/// None of its own: writing to memory does not fail; the type is that of the CSV writer.
pub fn render(findings: &Findings) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(COLUMNS)?;
    for row in rows(findings) {
        let cell = row.cell;
        let lasting = row.lasting;
        let value = |of: Option<Estimate>| number(of.map(|e| e.value));
        // Of a number that nothing is known around, low and high would repeat it.
        let known = |of: Option<Estimate>| of.filter(|e| e.basis != Basis::Point);
        let (low, high) = (
            |of: Option<Estimate>| number(known(of).map(|e| e.low)),
            |of: Option<Estimate>| number(known(of).map(|e| e.high)),
        );
        let micros = |pick: fn(&Latency) -> f64, of: Option<Latency>| number(of.as_ref().map(pick));
        let reads = cell.hits.reads;
        let effect = match row.against {
            Against::Effect(effect) => Some(effect),
            _ => None,
        };
        let passed = cell.checks.iter().filter(|c| c.pass).count();
        out.write_record([
            foreign(&cell.variant),
            foreign(&cell.workload),
            number(Some(cell.concurrency)),
            match counted(cell) {
                0 => "not-run".into(),
                _ => standing(cell.standing).into(),
            },
            cell.trials.sound.to_string(),
            cell.trials.marked.to_string(),
            cell.trials.failed.to_string(),
            value(cell.throughput),
            low(cell.throughput),
            high(cell.throughput),
            value(cell.bandwidth),
            number(row.first.map(|p| p.throughput.value)),
            number(row.first.map(|p| p.seconds)),
            value(lasting),
            low(lasting),
            high(lasting),
            micros(|l| l.mean_us, cell.latency),
            micros(|l| l.p50_us, cell.latency),
            micros(|l| l.p95_us, cell.latency),
            micros(|l| l.p99_us, cell.latency),
            number(cell.latency.and_then(|l| l.p999_us)),
            micros(|l| l.mean_us, cell.sync_latency),
            micros(|l| l.p99_us, cell.sync_latency),
            number(reads.map(|r| r.dbuf)),
            number(reads.map(|r| r.arc)),
            number(reads.map(|r| r.l2arc)),
            number(reads.map(|r| r.drives)),
            number(cell.hits.arc_data),
            match row.against {
                Against::Baseline => number(cell.throughput.map(|_| 1.0)),
                Against::Effect(effect) => number(Some(effect.ratio.value)),
                Against::Plain(ratio) => number(Some(ratio)),
                Against::Nothing => String::new(),
            },
            low(effect.map(|e| e.ratio)),
            high(effect.map(|e| e.ratio)),
            effect.map_or("", |e| class(e.class)).into(),
            passed.to_string(),
            (cell.checks.len() - passed).to_string(),
            number(Some(cell.scale.size)),
            number(Some(cell.scale.time)),
            number(Some(cell.scale.late_share)),
            number(Some(cell.scale.cpu_share)),
            cell.attribution
                .as_ref()
                .map_or("", |a| limit(&a.limit))
                .into(),
            number(cell.attribution.as_ref().map(|a| a.outside_share)),
            String::new(),
            number(row.first.and_then(|p| p.real_seconds)),
            number(tail(findings, cell).map(|e| e.ratio.value)),
            foreign(&aside(Language::English.words(), findings, &row).join("; ")),
            metric(cell.metric).into(),
        ])?;
    }
    for ladder in &findings.ladders {
        for rung in &ladder.rungs {
            let known = offered(rung);
            out.write_record(COLUMNS.map(|column| {
                match column {
                    "variant" => foreign(&ladder.variant),
                    "workload" => foreign(&ladder.workload),
                    _ => known
                        .iter()
                        .find(|(name, _)| *name == column)
                        .map_or_else(String::new, |(_, value)| value.clone()),
                }
            }))?;
        }
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(std::io::Error::other(e.to_string())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The effect on p99 of a cell against the baseline's.
fn tail<'a>(findings: &'a Findings, cell: &Cell) -> Option<&'a Effect> {
    findings.effects.iter().find(|e| {
        e.metric == Metric::P99Latency
            && e.workload == cell.workload
            && e.variant.as_ref() == Some(&cell.variant)
            && e.baseline.as_ref() == Some(&findings.lab.baseline)
    })
}

/// What is known of a rung, by the names of the columns; of a cell's other columns there is nothing.
fn offered(rung: &Rung) -> Vec<(&'static str, String)> {
    let latency = |pick: fn(&Latency) -> f64| number(rung.latency.as_ref().map(pick));
    let sync = |pick: fn(&Latency) -> f64| number(rung.sync_latency.as_ref().map(pick));
    let achieved = |pick: fn(&Estimate) -> f64| number(rung.achieved.as_ref().map(pick));
    vec![
        ("offered_ops_per_s", number(Some(rung.offered))),
        ("trials_sound", rung.trials.sound.to_string()),
        ("trials_marked", rung.trials.marked.to_string()),
        ("trials_failed", rung.trials.failed.to_string()),
        ("ops_per_s", achieved(|e| e.value)),
        ("ops_per_s_low", achieved(|e| e.low)),
        ("ops_per_s_high", achieved(|e| e.high)),
        ("mean_us", latency(|l| l.mean_us)),
        ("p50_us", latency(|l| l.p50_us)),
        ("p95_us", latency(|l| l.p95_us)),
        ("p99_us", latency(|l| l.p99_us)),
        (
            "p999_us",
            number(rung.latency.and_then(|latency| latency.p999_us)),
        ),
        ("sync_mean_us", sync(|l| l.mean_us)),
        ("sync_p99_us", sync(|l| l.p99_us)),
    ]
}

/// A number as programs read it, empty when there is none.
fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{}", (value * 1e6).round() / 1e6),
        _ => String::new(),
    }
}

/// A name from outside. A spreadsheet takes `=`, `+`, `-` and `@` at the start for a formula and
/// would run it; an apostrophe before it makes it text.
fn foreign(text: &str) -> String {
    let text = crate::text::visible(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.into_owned()
    }
}

/// Trials of a cell.
fn counted(cell: &Cell) -> u32 {
    cell.trials.sound + cell.trials.marked + cell.trials.failed
}

/// The words of the JSON format.
pub(crate) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Sound => "sound",
        Standing::Marked => "marked",
        Standing::Failed => "failed",
    }
}

/// The words of the JSON format.
pub(crate) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::MeanLatency => "mean-latency",
        Metric::P99Latency => "p99-latency",
    }
}

/// The words of the JSON format.
pub(crate) fn class(class: Class) -> &'static str {
    match class {
        Class::WorthIt => "worth-it",
        Class::Harmful => "harmful",
        Class::NoEffect => "no-effect",
        Class::Undecided => "undecided",
    }
}

fn limit(limit: &findings::output::Limit) -> &'static str {
    use findings::output::Limit;
    match limit {
        Limit::Drives { .. } => "drives",
        Limit::Throttle { .. } => "throttle",
        Limit::Latency { .. } => "latency",
        Limit::Processor { .. } => "processor",
        Limit::Clients { .. } => "clients",
        Limit::Unknown => "unknown",
    }
}
