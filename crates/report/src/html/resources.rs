//! What limits each configuration, and what it used.

use super::read_sources::key;
use super::{Page, cell_names, head_row, label, scroll};
use crate::markup::Markup;
use findings::schema::{Cell, LogDrives, Resources};
use measurement::{Counter, Named};
use text::Label;
use text::number::{count, micros, share};

const NUMBERS: [Label; 6] = [
    Label::Processor,
    Label::ThrottledPerWrite,
    Label::CommitsPerOp,
    Label::LogWrite,
    Label::LogFlush,
    Label::WrittenPerByte,
];

impl Page<'_> {
    pub(super) fn limited_by(&self, m: &mut Markup) {
        let cells = self.all_charted().filter_map(|c| Some((c, c.resources.as_ref()?)));
        let cells: Vec<(&Cell, &Resources)> = cells.collect();
        if cells.is_empty() {
            return;
        }
        self.more_cells(m);
        scroll(m, "limits-title", &[("class", "stack")], |m| {
            let words = [Label::Variant, Label::Workload, Label::LimitedBy];
            head_row(m, &words, &NUMBERS, &[]);
            m.tag("tbody").each("tr", &cells, |m, (cell, used)| row(m, cell, used));
        });
        for (cell, used) in cells.iter().filter(|(_, used)| !used.counters.is_empty()) {
            counters(m, cell, used);
        }
    }
}

/// Every counter of a cell, by its name in the kernel's tables and ours.
fn counters(m: &mut Markup, cell: &Cell, used: &Resources) {
    let line = |(counter, value): (&Counter, f64)| format!("{} {}", counter.name(), count(value));
    let lines: Vec<String> = used.counters.iter().map(line).collect();
    m.tag("details").inside(|m| {
        m.tag("summary").inside(|m| {
            m.say(label(Label::Counters));
            m.text(" ");
            m.foreign(&format!("{} ({})", cell.variant, cell.workload));
        });
        m.tag("div").class("code").inside(|m| {
            m.tag("pre").attr("tabindex", 0).text(lines.join("\n"));
        });
    });
}

fn row(m: &mut Markup, cell: &Cell, used: &Resources) {
    cell_names(m, &cell.variant, &cell.workload);
    m.tag("td").class("wide").inside(|m| {
        m.say(|w| w.limit(&used.limit));
        m.tag("div").inside(|m| m.tag("code").text(used.limit.command()));
        if let Some(database) = &cell.database {
            m.tag("div").say(|w| w.database(database));
        }
    });
    let log = |pick: fn(&LogDrives) -> Option<f64>| used.log.as_ref().and_then(pick).map(micros);
    let values = [
        used.processor.map(share),
        Some(count(used.throttled_per_write)),
        Some(count(used.commits_per_op)),
        log(|log| log.write_us),
        log(|log| log.flush_us),
        used.written_per_byte.map(count),
    ];
    for (name, value) in NUMBERS.into_iter().zip(values) {
        m.tag("td").class("num").inside(|m| {
            key(m, name);
            m.text(value.unwrap_or_else(|| "–".into()));
        });
    }
}
