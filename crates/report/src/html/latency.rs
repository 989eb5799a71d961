//! Latency by percentile.

use super::{Page, label, numbers, section};
use crate::charts::axis::Axis;
use crate::charts::lines::{Line, Plot, nines};
use crate::markup::Markup;
use findings::schema::{Cell, Percentile};
use text::Label;
use text::number::micros;

impl Page<'_> {
    pub(super) fn latency(&self, m: &mut Markup) {
        if self.findings.cells.iter().all(|c| c.percentiles.is_empty()) {
            return;
        }
        section(m, "latency", |m| {
            m.tag("p").class("lede").say(label(Label::LatencyIntro));
            self.more_cells(m);
            m.tag("div").class("multiples").inside(|m| {
                for (w, workload) in self.workloads.iter().enumerate() {
                    let cells: Vec<&Cell> =
                        self.charted(workload).filter(|c| !c.percentiles.is_empty()).collect();
                    if !cells.is_empty() {
                        self.curves(m, &format!("latency-{w}"), workload, &cells, None);
                    }
                    let synced: Vec<&Cell> =
                        self.charted(workload).filter(|c| !c.sync_percentiles.is_empty()).collect();
                    if !synced.is_empty() {
                        let id = format!("latency-sync-{w}");
                        self.curves(m, &id, workload, &synced, Some(Label::SyncCurves));
                    }
                }
            });
        });
    }

    /// Curves of reads and writes, or, where `of` says so, of syncs.
    fn curves(
        &self,
        m: &mut Markup,
        caption: &str,
        workload: &str,
        cells: &[&Cell],
        of: Option<Label>,
    ) {
        let curve = |cell: &'_ Cell| -> Vec<Percentile> {
            match of {
                None => cell.percentiles.clone(),
                Some(_) => cell.sync_percentiles.clone(),
            }
        };
        let curves: Vec<(&Cell, Vec<Percentile>)> =
            cells.iter().map(|cell| (*cell, curve(cell))).collect();
        let points = || curves.iter().flat_map(|(_, curve)| curve);
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
            levels: vec![],
            marks: vec![],
            shaded: vec![],
            labelled_by: caption.to_owned(),
        };
        m.tag("figure").class("curves").inside(|m| {
            m.tag("figcaption").attr("id", caption).inside(|m| {
                m.foreign(workload);
                if let Some(of) = of {
                    m.text(" · ");
                    m.say(label(of));
                }
            });
            m.tag("ul").class("legend").inside(|m| {
                for cell in cells {
                    m.tag("li").inside(|m| {
                        swatch(m, &self.colour(&cell.variant));
                        m.foreign(&cell.variant);
                    });
                }
            });
            m.tag("div").class("frame").inside(|m| plot.draw(m));
            numbers(m, caption, |m| curve_table(m, &curves));
        });
    }
}

/// A short piece of a line, for a legend.
pub(super) fn swatch(m: &mut Markup, class: &str) {
    m.tag("svg")
        .attr("width", 26)
        .attr("height", 10)
        .attr("viewBox", "0 0 26 10")
        .attr("aria-hidden", "true")
        .inside(|m| {
            m.tag("path").class(format_args!("curve {class}")).attr("d", "M1 5L25 5").empty();
        });
}

fn curve_table(m: &mut Markup, curves: &[(&Cell, Vec<Percentile>)]) {
    m.tag("thead").inside(|m| {
        m.tag("tr").inside(|m| {
            m.tag("th").attr("scope", "col").say(label(Label::Percentile));
            for (cell, _) in curves {
                m.tag("th").class("num").attr("scope", "col").inside(|m| m.foreign(&cell.variant));
            }
        });
    });
    let longest = curves.iter().map(|(_, curve)| curve).max_by_key(|c| c.len());
    let percents = longest.into_iter().flatten().map(|p| p.percent);
    m.tag("tbody").inside(|m| {
        for percent in percents.filter(|p| *p >= 25.0) {
            m.tag("tr").inside(|m| {
                m.tag("th").attr("scope", "row").text(format_args!("p{percent}"));
                for (_, curve) in curves {
                    let at = curve.iter().find(|p| p.percent == percent);
                    m.tag("td").class("num").text(at.map_or("–".into(), |p| micros(p.us)));
                }
            });
        }
    });
}
