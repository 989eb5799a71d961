//! Open-loop ladders: how late operations get as the offered load rises, and what load is carried.

use super::latency::figure;
use super::{Page, head_row, label, numbers};
use crate::charts::axis::Axis;
use crate::charts::lines::{Line, Plot};
use crate::markup::Markup;
use crate::rows::distinct;
use findings::schema::{Ladder, Operation};
use text::Label;
use text::number::{count, micros};

impl Page<'_> {
    pub(super) fn ladders(&self, m: &mut Markup) {
        if self.findings.ladders.is_empty() {
            return;
        }
        let workloads = distinct(self.findings.ladders.iter().map(|l| l.workload.as_str()));
        for (w, workload) in workloads.into_iter().enumerate() {
            let ladders: Vec<&Ladder> =
                self.findings.ladders.iter().filter(|l| l.workload == workload).collect();
            self.load(m, w, workload, &ladders);
        }
    }

    fn load(&self, m: &mut Markup, w: usize, workload: &str, ladders: &[&Ladder]) {
        let caption = format!("load-{w}");
        m.tag("h3").attr("id", &caption).inside(|m| m.foreign(workload));
        m.tag("ul").class("text").each("li", ladders, |m, ladder| {
            m.tag("b").inside(|m| m.foreign(&ladder.variant));
            m.text(" ");
            m.say(|w| w.ladder(ladder));
            for within in &ladder.within {
                m.tag("div").class("within").say(|w| w.load_within(within));
            }
        });
        m.tag("div").class("multiples").inside(|m| {
            for operation in [Operation::ReadWrite, Operation::Sync] {
                self.rising(m, &format!("{caption}-{operation:?}"), operation, ladders);
            }
        });
        numbers(m, &caption, |m| rungs_table(m, ladders));
    }

    /// The 99th percentile over the offered rate, both on log axes.
    fn rising(&self, m: &mut Markup, caption: &str, operation: Operation, ladders: &[&Ladder]) {
        let points = |ladder: &Ladder| -> Vec<(f64, f64)> {
            let rungs = ladder.rungs.iter();
            rungs
                .filter(|r| r.trials.valid > 0)
                .filter_map(|r| Some((r.offered, r.p99_us(operation)?)))
                .collect()
        };
        let all: Vec<(f64, f64)> = ladders.iter().flat_map(|l| points(l)).collect();
        if all.is_empty() {
            return;
        }
        let x = Axis::log_around(all.iter().map(|p| p.0));
        let y = Axis::log_around(all.iter().map(|p| p.1));
        let plot = Plot {
            height: 240,
            x,
            x_ticks: x.ticks(5).into_iter().map(|t| (t, count(t))).collect(),
            y,
            y_ticks: y.ticks(6).into_iter().map(|t| (t, micros(t))).collect(),
            lines: ladders
                .iter()
                .map(|ladder| Line {
                    class: self.colour(&ladder.variant),
                    title: ladder.variant.clone(),
                    points: points(ladder),
                })
                .collect(),
            labelled_by: caption.to_owned(),
            ..Plot::default()
        };
        let heading = match operation {
            Operation::ReadWrite => Label::LoadCurve,
            Operation::Sync => Label::LoadCurveSync,
        };
        figure(m, &plot, |m| m.say(label(heading)), |_| ());
    }
}

fn rungs_table(m: &mut Markup, ladders: &[&Ladder]) {
    head_row(
        m,
        &[Label::Variant],
        &[Label::Offered, Label::Achieved, Label::Mean, Label::P99, Label::SyncP99],
        &[Label::KeepsUp],
    );
    let rungs = ladders.iter().flat_map(|l| l.rungs.iter().map(|rung| (&l.variant, rung)));
    m.tag("tbody").each("tr", rungs, |m, (variant, rung)| {
        let cells = [
            count(rung.offered),
            rung.achieved.map_or("–".into(), |x| count(x.value)),
            rung.latency.map_or("–".into(), |l| micros(l.mean_us)),
            rung.p99_us(Operation::ReadWrite).map_or("–".into(), micros),
            rung.p99_us(Operation::Sync).map_or("–".into(), micros),
        ];
        m.tag("th").attr("scope", "row").inside(|m| m.foreign(variant));
        for cell in cells {
            m.tag("td").class("num").text(cell);
        }
        m.tag("td").inside(|m| {
            match (rung.achieved, rung.kept_up) {
                (None, _) => m.text("–"),
                (Some(_), true) => m.say(label(Label::Yes)),
                (Some(_), false) => m.say(label(Label::No)),
            }
            for known in &rung.issues {
                m.text(" · ");
                m.say(|w| w.issue(&known.issue));
            }
        });
    });
}
