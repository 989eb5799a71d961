//! Findings as OpenMetrics text (openmetrics.io, 1.0), for a time-series database.

use crate::json::word;
use crate::rows::{Row, rows};
use findings::schema::{Basis, Effect, Estimate, Findings, Rung, Validity};
use std::fmt::Write;
use text::line::visible;

/// A family of gauges: name, help, and the values of a row or a rung.
type Family<Pick> = (&'static str, &'static str, Pick);
type OfRow = fn(&Row<'_>) -> Values;
type OfRung = fn(&Rung) -> Values;
/// The values of a sample, each with what it is of an estimate; empty for a plain number.
type Values = Vec<(&'static str, f64)>;

/// What is exported of each cell that has a result.
const OF_CELLS: [Family<OfRow>; 8] = [
    ("throughput_ops", "Operations per virtual second, whole run.", |row| {
        estimate(row.cell.throughput)
    }),
    ("lasting_throughput_ops", "Operations per virtual second after bursts and warm-up.", |row| {
        estimate(row.lasting)
    }),
    ("latency_mean_seconds", "Mean latency of client operations, syncs included.", |row| {
        micros(row.cell.latency.map(|l| l.mean_us))
    }),
    ("latency_p99_seconds", "99th percentile of client operations.", |row| {
        micros(row.cell.latency.map(|l| l.p99_us))
    }),
    ("sync_latency_mean_seconds", "Mean latency of fsync and fdatasync.", |row| {
        micros(row.cell.sync_latency.map(|l| l.mean_us))
    }),
    ("reads_arc_share", "Share of lookups served by the ARC.", |row| {
        plain(row.cell.hits.reads.map(|r| r.arc))
    }),
    ("reads_l2arc_share", "Share of lookups served by the L2ARC.", |row| {
        plain(row.cell.hits.reads.map(|r| r.l2arc))
    }),
    ("processor_busy_share", "Share of the modelled cores in use.", |row| {
        plain(row.cell.resources.as_ref().and_then(|r| r.processor))
    }),
];

/// What is exported of every cell.
const OF_ALL_CELLS: [Family<OfRow>; 2] = [
    ("checks_broken", "Conservation checks that fail.", |row| {
        plain(Some(row.cell.checks.iter().filter(|c| !c.pass).count() as f64))
    }),
    ("cell_counts", "1 when the cell is valid, 0 when it is excluded or failed.", |row| {
        plain(Some(f64::from(u8::from(row.cell.validity == Validity::Valid))))
    }),
];

/// What is exported of each rung of an open-loop ladder.
const OF_RUNGS: [Family<OfRung>; 3] = [
    ("offered_throughput_ops", "Operations per virtual second at an offered rate.", |rung| {
        plain(rung.achieved.map(|a| a.value))
    }),
    (
        "offered_latency_p99_seconds",
        "99th percentile of reads and writes at an offered rate, from the intended start.",
        |rung| micros(rung.latency.map(|l| l.p99_us)),
    ),
    (
        "offered_sync_latency_p99_seconds",
        "99th percentile of fsync and fdatasync at an offered rate, from the intended start.",
        |rung| micros(rung.sync_latency.map(|l| l.p99_us)),
    ),
];

/// The whole exposition, `# EOF` included.
pub fn render(findings: &Findings) -> String {
    let rows = rows(findings);
    let mut page = Page { out: String::new(), lab: &findings.lab.name };
    for (shown_only, families) in [(true, &OF_CELLS[..]), (false, &OF_ALL_CELLS)] {
        for (family, help, pick) in families {
            page.family(family, help);
            for row in rows.iter().filter(|row| row.shown() || !shown_only) {
                page.samples(family, &cell(&row.cell.variant, &row.cell.workload), pick(row));
            }
        }
    }
    page.family("effect_ratio", "Ratio of two variants that differ in one factor.");
    for effect in &findings.effects {
        page.samples("effect_ratio", &labels_of(effect), estimate(Some(effect.ratio)));
    }
    if !findings.causes.is_empty() {
        page.family(
            "cause_ratio",
            "Throughput of a cell without one cost, divided by that with it.",
        );
    }
    for cause in &findings.causes {
        let mut labels = cell(&cause.variant, &cause.workload);
        labels.push(("without", word(cause.cost)));
        page.samples("cause_ratio", &labels, estimate(Some(cause.throughput)));
    }
    for (family, help, pick) in OF_RUNGS.iter().filter(|_| !findings.ladders.is_empty()) {
        page.family(family, help);
        for ladder in &findings.ladders {
            for rung in &ladder.rungs {
                let mut labels = cell(&ladder.variant, &ladder.workload);
                labels.push(("offered", rung.offered.to_string()));
                page.samples(family, &labels, pick(rung));
            }
        }
    }
    page.out.push_str("# EOF\n");
    page.out
}

type Labels = Vec<(&'static str, String)>;

struct Page<'a> {
    out: String,
    lab: &'a str,
}

impl Page<'_> {
    /// The head of a family; its unit follows from its name.
    fn family(&mut self, name: &str, help: &str) {
        let _ = writeln!(self.out, "# TYPE poolwright_{name} gauge");
        if name.ends_with("_seconds") {
            let _ = writeln!(self.out, "# UNIT poolwright_{name} seconds");
        }
        let _ = writeln!(self.out, "# HELP poolwright_{name} {help}");
    }

    fn samples(&mut self, family: &str, labels: &Labels, values: Values) {
        for (bound, value) in values.into_iter().filter(|(_, value)| value.is_finite()) {
            let _ = write!(self.out, "poolwright_{family}{{lab=\"{}\"", escape(self.lab));
            for (label, text) in labels {
                let _ = write!(self.out, ",{label}=\"{}\"", escape(text));
            }
            if !bound.is_empty() {
                let _ = write!(self.out, ",bound=\"{bound}\"");
            }
            let _ = writeln!(self.out, "}} {value}");
        }
    }
}

fn cell(variant: &str, workload: &str) -> Labels {
    vec![("variant", variant.to_owned()), ("workload", workload.to_owned())]
}

fn plain(value: Option<f64>) -> Values {
    value.map(|value| ("", value)).into_iter().collect()
}

fn micros(value: Option<f64>) -> Values {
    plain(value.map(|us| us / 1e6))
}

/// The number and its interval, where one is known.
fn estimate(estimate: Option<Estimate>) -> Values {
    let Some(estimate) = estimate else { return Vec::new() };
    let mut all = vec![("value", estimate.value)];
    if estimate.basis != Basis::Point {
        all.extend([("low", estimate.low), ("high", estimate.high)]);
    }
    all
}

fn labels_of(effect: &Effect) -> Labels {
    let mut labels = vec![
        ("factor", effect.factor.clone()),
        ("level", effect.level.clone()),
        ("against", effect.against.clone()),
        ("workload", effect.workload.clone()),
        ("phase", word(effect.phase)),
        ("metric", word(effect.metric)),
        ("class", word(effect.class)),
    ];
    labels.extend(effect.variant.iter().map(|variant| ("variant", variant.clone())));
    labels
}

/// A label's value: backslash, quote and line break are escaped, hidden characters shown.
fn escape(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
