//! Latency by percentile.

use super::{Page, column, label, numbers};
use crate::charts::axis::Axis;
use crate::charts::lines::{Line, Plot, nines};
use crate::markup::Markup;
use findings::schema::{Cell, Percentile};
use text::Label;
use text::number::micros;

/// A cell with a curve of it.
type Curve<'a> = (&'a Cell, &'a [Percentile]);

impl Page<'_> {
    pub(super) fn latency(&self, m: &mut Markup) {
        if self.findings.cells.iter().all(|c| c.percentiles.is_empty()) {
            return;
        }
        m.tag("p").class("lede").say(label(match self.findings.counts_transactions() {
            true => Label::LatencyIntroTransactions,
            false => Label::LatencyIntro,
        }));
        self.more_cells(m);
        m.tag("div").class("multiples").inside(|m| {
            for (w, workload) in self.workloads.iter().enumerate() {
                let id = format!("latency-{w}");
                self.curves(m, &id, workload, None, |cell| &cell.percentiles);
                let (id, of) = (format!("latency-sync-{w}"), Some(Label::SyncCurves));
                self.curves(m, &id, workload, of, |cell| &cell.sync_percentiles);
            }
        });
    }

    /// The curves that `pick` takes, of a workload's cells that have them; `of` names them where they are not those of
    /// reads and writes.
    fn curves(
        &self,
        m: &mut Markup,
        caption: &str,
        workload: &str,
        of: Option<Label>,
        pick: fn(&Cell) -> &[Percentile],
    ) {
        let all = self.charted(workload).map(|cell| (cell, pick(cell)));
        let curves: Vec<Curve> = all.filter(|(_, curve)| !curve.is_empty()).collect();
        if curves.is_empty() {
            return;
        }
        let points = || curves.iter().flat_map(|(_, curve)| *curve);
        let y = Axis::log_around(points().map(|p| p.us));
        let rarest = points().map(|p| p.percent).filter(|p| *p < 100.0).fold(90.0, f64::max);
        let x = Axis::between(0.0, nines(rarest / 100.0));
        let ticks =
            [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];
        let lines = curves
            .iter()
            .map(|(cell, curve)| Line {
                class: self.colour(&cell.variant),
                title: cell.variant.clone(),
                points: curve
                    .iter()
                    .filter(|p| p.percent <= rarest)
                    .map(|p| (nines(p.percent / 100.0), p.us))
                    .collect(),
            })
            .collect();
        let plot = Plot {
            height: 260,
            x,
            x_ticks: ticks
                .into_iter()
                .map(|(p, name)| (nines(p), name.to_owned()))
                .filter(|(at, _)| *at <= x.high * 1.001)
                .collect(),
            y,
            y_ticks: y.ticks(6).into_iter().map(|t| (t, micros(t))).collect(),
            lines,
            labelled_by: caption.to_owned(),
            ..Plot::default()
        };
        let heading = |m: &mut Markup| {
            m.foreign(workload);
            if let Some(of) = of {
                m.text(" · ");
                m.say(label(of));
            }
        };
        figure(m, &plot, heading, |m| numbers(m, caption, |m| curve_table(m, &curves)));
    }
}

/// Curves of variants under a heading, with a legend; `below` stands at the end.
pub(super) fn figure(
    m: &mut Markup,
    plot: &Plot,
    heading: impl FnOnce(&mut Markup),
    below: impl FnOnce(&mut Markup),
) {
    m.tag("figure").class("curves").inside(|m| {
        m.tag("figcaption").attr("id", &plot.labelled_by).inside(heading);
        m.tag("ul").class("legend").each("li", &plot.lines, |m, line| {
            swatch(m, &line.class);
            m.foreign(&line.title);
        });
        m.tag("div").class("frame").inside(|m| plot.draw(m));
        below(m);
    });
}

/// A short piece of a line, for a legend.
fn swatch(m: &mut Markup, class: &str) {
    m.tag("svg")
        .attr("width", 26)
        .attr("height", 10)
        .attr("viewBox", "0 0 26 10")
        .attr("aria-hidden", "true")
        .inside(|m| {
            m.tag("path").class(format_args!("curve {class}")).attr("d", "M1 5L25 5").empty();
        });
}

fn curve_table(m: &mut Markup, curves: &[Curve]) {
    m.table_head(|m| {
        column(m, false).say(label(Label::Percentile));
        for (cell, _) in curves {
            m.tag("th").class("num").attr("scope", "col").inside(|m| m.foreign(&cell.variant));
        }
    });
    let longest = curves.iter().map(|(_, curve)| *curve).max_by_key(|c| c.len());
    let percents = longest.into_iter().flatten().map(|p| p.percent);
    m.tag("tbody").each("tr", percents.filter(|p| *p >= 25.0), |m, percent| {
        m.tag("th").attr("scope", "row").text(format_args!("p{percent}"));
        for (_, curve) in curves {
            let at = curve.iter().find(|p| p.percent == percent);
            m.tag("td").class("num").text(at.map_or("–".into(), |p| micros(p.us)));
        }
    });
}
