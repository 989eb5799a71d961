//! What each cell waits for, by trying: what it does with one cost removed.

use super::read_sources::key;
use super::{Page, cell_names, head_row, label, scroll};
use crate::charts::bars::{self, Part};
use crate::markup::Markup;
use crate::rows::causes;
use findings::schema::Cause;
use text::Label;
use text::number::{range, ratio};

/// Most cells drawn; the data holds all of them.
const CELLS: usize = 16;

impl Page<'_> {
    pub(super) fn waits_for(&self, m: &mut Markup) {
        let cells = causes(self.findings);
        if cells.is_empty() {
            return;
        }
        let drawn = &cells[..cells.len().min(CELLS)];
        let value = |cause: &Cause| cause.throughput.value;
        // One scale for all bars, and 1× on it.
        let longest = drawn.iter().copied().flatten().map(value).fold(1.0, f64::max);
        if cells.len() > CELLS {
            m.tag("p").class("sub").say(label(Label::MoreCells));
        }
        scroll(m, "causes-title", &[("class", "bars stack")], |m| {
            head_row(
                m,
                &[Label::Variant, Label::Workload, Label::Without, Label::Throughput],
                &[Label::Interval],
                &[],
            );
            for of_cell in drawn {
                m.tag("tbody").each("tr", *of_cell, |m, cause| row(m, cause, longest));
            }
        });
    }
}

fn row(m: &mut Markup, cause: &Cause, longest: f64) {
    cell_names(m, &cause.variant, &cause.workload);
    m.tag("td").inside(|m| {
        m.text(format_args!("{}. ", cause.rank));
        m.say(|w| w.without(cause.cost).to_owned());
    });
    let value = cause.throughput.value;
    let part = |class, share: f64| Part { class, share: share / longest, title: ratio(value) };
    let parts = [part("c-with", value.min(1.0)), part("c-gain", (value - 1.0).max(0.0))];
    m.tag("td").class("plot-cell").inside(|m| bars::draw(m, &parts));
    m.tag("td").class("num").inside(|m| {
        key(m, Label::Throughput);
        m.tag("b").text(ratio(value));
        m.tag("span").class("sub").text(range(&cause.throughput));
        if let Some(latency) = cause.mean_latency {
            m.tag("div").class("sub").inside(|m| {
                m.say(|w| w.metric(findings::schema::Metric::MeanLatency).to_owned());
                m.text(format_args!(" {}{}", ratio(latency.value), range(&latency)));
            });
        }
    });
}
