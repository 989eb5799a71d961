//! A row a cell, for a spreadsheet, a row each rate of a ladder, and a row each cost that a cell was run
//! without: plain numbers in the units of the column names.

use crate::lang::Language;
use crate::rows::{Against, aside, rows};
use findings::schema::{
    Basis, Cause, Cell, Effect, Estimate, Findings, Latency, LogDrives, Metric, Rung, Validity,
    VerdictClass,
};
use measurement::Cost;

/// The names of the columns. Added ones go to the end.
pub const COLUMNS: [&str; 53] = [
    "variant",
    "workload",
    "concurrency",
    "validity",
    "trials_valid",
    "trials_excluded",
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
    "limit",
    "processor_busy",
    "commits_per_op",
    "log_write_us",
    "log_flush_us",
    "throttled_per_write",
    "written_per_byte",
    "offered_ops_per_s",
    "first_phase_real_s",
    "p99_ratio_to_baseline",
    "remarks",
    "compared",
    "without",
    "without_rank",
    "without_ratio",
    "without_ratio_low",
    "without_ratio_high",
    "without_mean_latency_ratio",
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
        let used = cell.resources.as_ref();
        let log = |pick: fn(&LogDrives) -> Option<f64>| {
            number(used.and_then(|u| u.log.as_ref()).and_then(pick))
        };
        let passed = cell.checks.iter().filter(|c| c.pass).count();
        out.write_record([
            foreign(&cell.variant),
            foreign(&cell.workload),
            number(Some(cell.concurrency)),
            match cell.trials.all() {
                0 => "not-run".into(),
                _ => validity(cell.validity).into(),
            },
            cell.trials.valid.to_string(),
            cell.trials.excluded.to_string(),
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
            used.map_or("", |u| limit(&u.limit)).into(),
            number(used.and_then(|u| u.processor)),
            number(used.map(|u| u.commits_per_op)),
            log(|log| log.write_us),
            log(|log| log.flush_us),
            number(used.map(|u| u.throttled_per_write)),
            number(used.and_then(|u| u.written_per_byte)),
            String::new(),
            number(row.first.and_then(|p| p.real_seconds)),
            number(tail(findings, cell).map(|e| e.ratio.value)),
            foreign(&aside(Language::English.words(), findings, &row).join("; ")),
            metric(cell.metric).into(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ])?;
    }
    for ladder in &findings.ladders {
        for rung in &ladder.rungs {
            let cell = (ladder.variant.as_str(), ladder.workload.as_str());
            out.write_record(sparse(cell, &offered(rung)))?;
        }
    }
    for cause in &findings.causes {
        let cell = (cause.variant.as_str(), cause.workload.as_str());
        out.write_record(sparse(cell, &without(cause)))?;
    }
    let bytes =
        out.into_inner().map_err(|e| csv::Error::from(std::io::Error::other(e.to_string())))?;
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
        ("trials_valid", rung.trials.valid.to_string()),
        ("trials_excluded", rung.trials.excluded.to_string()),
        ("trials_failed", rung.trials.failed.to_string()),
        ("ops_per_s", achieved(|e| e.value)),
        ("ops_per_s_low", achieved(|e| e.low)),
        ("ops_per_s_high", achieved(|e| e.high)),
        ("mean_us", latency(|l| l.mean_us)),
        ("p50_us", latency(|l| l.p50_us)),
        ("p95_us", latency(|l| l.p95_us)),
        ("p99_us", latency(|l| l.p99_us)),
        ("p999_us", number(rung.latency.and_then(|latency| latency.p999_us))),
        ("sync_mean_us", sync(|l| l.mean_us)),
        ("sync_p99_us", sync(|l| l.p99_us)),
    ]
}

/// What is known of a cell without a cost, by the names of the columns.
fn without(cause: &Cause) -> Vec<(&'static str, String)> {
    let known = Some(cause.throughput).filter(|e| e.basis != Basis::Point);
    vec![
        ("without", cost(cause.cost).to_owned()),
        ("without_rank", cause.rank.to_string()),
        ("without_ratio", number(Some(cause.throughput.value))),
        ("without_ratio_low", number(known.map(|e| e.low))),
        ("without_ratio_high", number(known.map(|e| e.high))),
        ("without_mean_latency_ratio", number(cause.mean_latency.map(|e| e.value))),
    ]
}

/// A row of which only some columns are known.
fn sparse(cell: (&str, &str), known: &[(&str, String)]) -> [String; COLUMNS.len()] {
    COLUMNS.map(|column| match column {
        "variant" => foreign(cell.0),
        "workload" => foreign(cell.1),
        _ => known
            .iter()
            .find(|(name, _)| *name == column)
            .map_or_else(String::new, |(_, value)| value.clone()),
    })
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

/// The words of the JSON format.
fn validity(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "valid",
        Validity::Excluded => "excluded",
        Validity::Failed => "failed",
    }
}

/// The words of the JSON format.
pub(crate) fn cost(cost: Cost) -> &'static str {
    match cost {
        Cost::LogFlush => "log-flush",
        Cost::LogWrite => "log-write",
        Cost::PoolRead => "pool-read",
        Cost::WriteThrottle => "write-throttle",
        Cost::Processor => "processor",
        Cost::ArcSize => "arc-size",
        Cost::Seek => "seek",
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
pub(crate) fn class(class: VerdictClass) -> &'static str {
    match class {
        VerdictClass::WorthIt => "worth-it",
        VerdictClass::Harmful => "harmful",
        VerdictClass::NoEffect => "no-effect",
        VerdictClass::Undecided => "undecided",
    }
}

fn limit(limit: &findings::schema::Limit) -> &'static str {
    use findings::schema::Limit;
    match limit {
        Limit::Drives { .. } => "drives",
        Limit::Throttle { .. } => "throttle",
        Limit::Latency { .. } => "latency",
        Limit::Processor { .. } => "processor",
        Limit::Clients { .. } => "clients",
        Limit::Unknown => "unknown",
    }
}
