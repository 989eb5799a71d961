//! Every configuration in one table that can be sorted.

use super::{Page, cell_names, cell_title, column, label, scroll};
use crate::markup::Markup;
use crate::rows::{Against, Row, aside, first_head, rate, without_rate};
use crate::table::with_spread;
use findings::schema::{Metric, Validity};
use text::number::{bytes, count, micros, range, ratio, seconds, share};
use text::{Label, Language};

/// What lasts, and the first phase: their heads depend on what the rows have.
const LASTING: Label = Label::Sustained;
const FIRST: Label = Label::Burst;

const COLUMNS: [(Label, bool); 13] = [
    (Label::Variant, false),
    (Label::Workload, false),
    (Label::Against, true),
    (LASTING, true),
    (FIRST, true),
    (Label::Bandwidth, true),
    (Label::Mean, true),
    (Label::P95, true),
    (Label::P99, true),
    (Label::SyncMean, true),
    (Label::Arc, true),
    (Label::L2arc, true),
    (Label::TrialsColumn, true),
];

impl Page<'_> {
    pub(super) fn comparison(&self, m: &mut Markup) {
        // Whether any cell has a phase before what lasts.
        let first = self.rows.iter().any(|row| row.first.is_some());
        m.tag("p").class("lede").inside(|m| {
            m.say(label(Label::ComparisonIntro));
            if first {
                m.text(" ");
                m.say(label(Label::WholeWindow));
            }
            m.tag("span").class("needs-js").inside(|m| {
                m.text(" ");
                m.say(label(Label::SortHint));
            });
        });
        scroll(m, "comparison-title", &[("class", "sortable"), ("id", "cells")], |m| {
            m.table_head(|m| self.heads(m, first));
            m.tag("tbody").inside(|m| {
                for row in &self.rows {
                    let class = match (row.cell.validity, row.against) {
                        (Validity::Valid, Against::Baseline) => "base",
                        (Validity::Valid, _) => "",
                        _ => "aside",
                    };
                    m.tag("tr").class(class).inside(|m| cells(m, row, first));
                }
            });
        });
        self.remarks(m);
    }

    /// What is to be known of single cells, below the table: in a last column it would be the part
    /// that a narrow screen hides.
    fn remarks(&self, m: &mut Markup) {
        let english = Language::English;
        let remarked: Vec<&Row> =
            self.rows.iter().filter(|row| !aside(english, self.findings, row).is_empty()).collect();
        if remarked.is_empty() {
            return;
        }
        m.tag("ul").class("remarks").each("li", remarked, |m, row| {
            m.tag("b").inside(|m| cell_title(m, row.cell));
            m.text(" – ");
            m.say(|w| aside(w, self.findings, row).join(w.label(Label::Semicolon)));
        });
    }

    /// The names of the columns; `first` is whether there is one of first phases.
    fn heads(&self, m: &mut Markup, first: bool) {
        let rate = rate(self.findings);
        for (name, number) in COLUMNS.into_iter().filter(|(name, _)| first || *name != FIRST) {
            let phase = if name == FIRST { first_head(&self.rows) } else { name };
            column(m, number).inside(|m| {
                m.tag("button").attr("type", "button").inside(|m| match name {
                    LASTING if !first => m.say(label(rate)),
                    LASTING | FIRST => {
                        m.say(|w| format!("{} {}", w.label(rate), w.label(phase)));
                    }
                    Label::Against => {
                        m.say(label(name));
                        m.text(" ");
                        m.foreign(&text::line::cut(&self.findings.lab.baseline, 24));
                    }
                    _ => m.say(label(name)),
                });
            });
        }
    }
}

/// A cell that sorts by `key`.
fn keyed(m: &mut Markup, key: Option<f64>, content: impl FnOnce(&mut Markup)) {
    let key = key.filter(|k| k.is_finite()).map_or_else(String::new, |k| format!("{k}"));
    m.tag("td").class("num").attr("data-key", key).inside(content);
}

fn number(m: &mut Markup, value: Option<f64>, show: fn(f64) -> String) {
    keyed(m, value, |m| m.text(value.map_or("–".into(), show)));
}

/// A row; `first` is whether the table has a column of first phases.
fn cells(m: &mut Markup, row: &Row, first: bool) {
    let cell = row.cell;
    cell_names(m, &cell.variant, &cell.workload);
    match row.against {
        Against::Baseline => keyed(m, Some(1.0), |m| m.text("1")),
        Against::Effect(effect) => keyed(m, Some(effect.ratio.value), |m| {
            if effect.metric != Metric::Throughput {
                m.say(|w| format!("{} ", w.metric(effect.metric)));
            }
            m.tag("b").text(ratio(effect.ratio.value));
            m.tag("span").class("sub").text(range(&effect.ratio));
        }),
        Against::Plain(value) => {
            keyed(m, Some(value), |m| m.text(format_args!("~{}", ratio(value))))
        }
        Against::Nothing => number(m, None, ratio),
    }
    keyed(m, row.lasting.map(|e| e.value), |m| match row.lasting {
        Some(estimate) => m.text(with_spread(&estimate)),
        None => m.say(|w| without_rate(w, cell)),
    });
    if first {
        keyed(m, row.first.map(|p| p.throughput.value), |m| first_phase(m, row));
    }
    let shown = row.shown();
    let latency = cell.latency.filter(|_| shown);
    number(m, cell.bandwidth.filter(|_| shown).map(|b| b.value), |b| format!("{}/s", bytes(b)));
    number(m, latency.map(|l| l.mean_us), micros);
    number(m, latency.map(|l| l.p95_us), micros);
    number(m, latency.map(|l| l.p99_us), micros);
    number(m, cell.sync_latency.filter(|_| shown).map(|l| l.mean_us), micros);
    let reads = cell.hits.reads;
    number(m, row.memory_share(), share);
    number(m, reads.map(|r| r.l2arc), share);
    keyed(m, Some(f64::from(cell.trials.valid)), |m| m.text(cell.trials.valid));
}

/// The first phase and how long it lasts; nothing of a cell without one.
fn first_phase(m: &mut Markup, row: &Row) {
    let Some(phase) = row.first else { return };
    m.text(count(phase.throughput.value));
    m.tag("span").class("sub").inside(|m| {
        let lasts = row.first_s().unwrap_or(phase.seconds);
        m.text(format_args!(" / {} ", seconds(lasts)));
        if row.cold() {
            m.say(label(Label::Cold));
        }
    });
}
