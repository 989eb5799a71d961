//! Findings as OpenMetrics text (openmetrics.io, 1.0), for a time-series database.

use crate::rows::{Row, rows};
use findings::schema::{Basis, Effect, Estimate, Findings, PhaseKind, Rung, Validity};
use std::fmt::Write;

/// The whole exposition, `# EOF` included.
pub fn render(findings: &Findings) -> String {
    let rows = rows(findings);
    let mut page = Page { out: String::new(), lab: &findings.lab.name };
    let shown = |pick: fn(&Row) -> Option<f64>| {
        let rows = &rows;
        move |page: &mut Page, family: &str| {
            for row in rows.iter().filter(|row| row.shown()) {
                page.sample(family, &cell(row), pick(row));
            }
        }
    };
    page.family("throughput_ops", "Operations a virtual second, whole run.");
    estimates(&mut page, "throughput_ops", &rows, |row| row.cell.throughput);
    page.family("lasting_throughput_ops", "Operations a virtual second after bursts and warm-up.");
    estimates(&mut page, "lasting_throughput_ops", &rows, |row| row.lasting);
    page.family_of("latency_mean_seconds", "Mean latency of reads and writes.", "seconds");
    shown(|row| Some(row.cell.latency?.mean_us / 1e6))(&mut page, "latency_mean_seconds");
    page.family_of("latency_p99_seconds", "99th percentile of reads and writes.", "seconds");
    shown(|row| Some(row.cell.latency?.p99_us / 1e6))(&mut page, "latency_p99_seconds");
    page.family_of("sync_latency_mean_seconds", "Mean latency of fsync and fdatasync.", "seconds");
    shown(|row| Some(row.cell.sync_latency?.mean_us / 1e6))(&mut page, "sync_latency_mean_seconds");
    page.family("reads_arc_share", "Share of lookups answered by the ARC.");
    shown(|row| Some(row.cell.hits.reads?.arc))(&mut page, "reads_arc_share");
    page.family("reads_l2arc_share", "Share of lookups answered by the L2ARC.");
    shown(|row| Some(row.cell.hits.reads?.l2arc))(&mut page, "reads_l2arc_share");
    page.family("processor_busy_share", "Share of the modelled cores in use.");
    shown(|row| row.cell.resources.as_ref()?.processor)(&mut page, "processor_busy_share");
    page.family("checks_broken", "Conservation checks that do not hold.");
    for row in &rows {
        let broken = row.cell.checks.iter().filter(|c| !c.pass).count();
        page.sample("checks_broken", &cell(row), Some(broken as f64));
    }
    page.family("cell_counts", "1 when the cell counts, 0 when it is excluded or failed.");
    for row in &rows {
        let counts = row.cell.validity == Validity::Valid;
        page.sample("cell_counts", &cell(row), Some(f64::from(u8::from(counts))));
    }
    page.family("effect_ratio", "Ratio of two variants that differ in one factor.");
    for effect in &findings.effects {
        for (bound, value) in bounds(&effect.ratio) {
            page.sample("effect_ratio", &labels_of(effect, bound), Some(value));
        }
    }
    causes(&mut page, findings);
    ladders(&mut page, findings);
    page.out.push_str("# EOF\n");
    page.out
}

/// What each cell does without a cost.
fn causes(page: &mut Page, findings: &Findings) {
    if findings.causes.is_empty() {
        return;
    }
    page.family("cause_ratio", "Throughput of a cell without one cost, divided by that with it.");
    for cause in &findings.causes {
        for (bound, value) in bounds(&cause.throughput) {
            let labels = [
                ("variant", cause.variant.as_str()),
                ("workload", &cause.workload),
                ("without", crate::csv::cost(cause.cost)),
                ("bound", bound),
            ];
            page.sample("cause_ratio", &labels, Some(value));
        }
    }
}

/// What each rung of an open-loop ladder was offered, did, and how late it was.
fn ladders(page: &mut Page, findings: &Findings) {
    type Pick = fn(&Rung) -> Option<f64>;
    let families: [(&str, &str, Option<&str>, Pick); 3] = [
        (
            "offered_throughput_ops",
            "Operations a virtual second at an offered rate.",
            None,
            |rung| Some(rung.achieved?.value),
        ),
        (
            "offered_latency_p99_seconds",
            "99th percentile of reads and writes at an offered rate, from the intended start.",
            Some("seconds"),
            |rung| Some(rung.latency?.p99_us / 1e6),
        ),
        (
            "offered_sync_latency_p99_seconds",
            "99th percentile of fsync and fdatasync at an offered rate, from the intended start.",
            Some("seconds"),
            |rung| Some(rung.sync_latency?.p99_us / 1e6),
        ),
    ];
    if findings.ladders.is_empty() {
        return;
    }
    for (family, help, unit, pick) in families {
        match unit {
            Some(unit) => page.family_of(family, help, unit),
            None => page.family(family, help),
        }
        for ladder in &findings.ladders {
            for rung in &ladder.rungs {
                let offered = rung.offered.to_string();
                let labels = [
                    ("variant", ladder.variant.as_str()),
                    ("workload", &ladder.workload),
                    ("offered", &offered),
                ];
                page.sample(family, &labels, pick(rung));
            }
        }
    }
}

type Labels<'a> = Vec<(&'static str, &'a str)>;

struct Page<'a> {
    out: String,
    lab: &'a str,
}

impl Page<'_> {
    fn family(&mut self, name: &str, help: &str) {
        let _ =
            writeln!(self.out, "# TYPE poolwright_{name} gauge\n# HELP poolwright_{name} {help}");
    }

    fn family_of(&mut self, name: &str, help: &str, unit: &str) {
        let _ = writeln!(
            self.out,
            "# TYPE poolwright_{name} gauge\n# UNIT poolwright_{name} {unit}\n# HELP poolwright_{name} {help}"
        );
    }

    fn sample(&mut self, family: &str, labels: &[(&'static str, &str)], value: Option<f64>) {
        let Some(value) = value.filter(|v| v.is_finite()) else {
            return;
        };
        let _ = write!(self.out, "poolwright_{family}{{lab=\"{}\"", escape(self.lab));
        for (label, text) in labels {
            let _ = write!(self.out, ",{label}=\"{}\"", escape(text));
        }
        let _ = writeln!(self.out, "}} {value}");
    }
}

fn cell<'a>(row: &Row<'a>) -> Labels<'a> {
    vec![("variant", &row.cell.variant), ("workload", &row.cell.workload)]
}

fn estimates(page: &mut Page, family: &str, rows: &[Row], pick: fn(&Row) -> Option<Estimate>) {
    for row in rows.iter().filter(|row| row.shown()) {
        let Some(estimate) = pick(row) else { continue };
        for (bound, value) in bounds(&estimate) {
            let mut labels = cell(row);
            labels.push(("bound", bound));
            page.sample(family, &labels, Some(value));
        }
    }
}

/// The number and its interval, where one is known.
fn bounds(estimate: &Estimate) -> Vec<(&'static str, f64)> {
    let mut all = vec![("value", estimate.value)];
    if estimate.basis != Basis::Point {
        all.extend([("low", estimate.low), ("high", estimate.high)]);
    }
    all
}

fn labels_of<'a>(effect: &'a Effect, bound: &'a str) -> Labels<'a> {
    let phase = match effect.phase {
        PhaseKind::Whole => "whole",
        PhaseKind::Burst => "burst",
        PhaseKind::Sustained => "sustained",
    };
    let mut labels = vec![
        ("factor", effect.factor.as_str()),
        ("level", &effect.level),
        ("against", &effect.against),
        ("workload", &effect.workload),
        ("phase", phase),
        ("metric", crate::csv::metric(effect.metric)),
        ("class", crate::csv::class(effect.class)),
        ("bound", bound),
    ];
    if let Some(variant) = &effect.variant {
        labels.push(("variant", variant));
    }
    labels
}

/// A label's value: backslash, quote and line break are escaped.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
