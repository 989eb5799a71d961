//! Throughput over time.

use super::{Page, column, label, numbers};
use crate::charts::axis::Axis;
use crate::charts::lines::{Level, Line, Plot};
use crate::markup::Markup;
use crate::rows::rate;
use findings::schema::{Cell, ThroughputSeries, short_key};
use text::Label;
use text::number::{count, seconds};

/// Trials drawn beside the one that is shown.
const OTHER_TRIALS: usize = 4;
/// Rows of a chart's table of numbers where each cell has one trial, and the fewest where there are more.
const TABLE_ROWS: usize = 60;
const FEWEST_ROWS: usize = 12;

impl Page<'_> {
    pub(super) fn over_time(&self, m: &mut Markup) {
        if self.findings.cells.iter().all(|c| c.series.iter().all(|s| s.at.is_empty())) {
            return;
        }
        self.more_cells(m);
        for (w, workload) in self.workloads.iter().enumerate() {
            let cells: Vec<&Cell> = self
                .charted(workload)
                .filter(|c| c.series.iter().any(|s| !s.at.is_empty()))
                .collect();
            if !cells.is_empty() {
                self.workload_over_time(m, w, workload, &cells);
            }
        }
    }

    fn workload_over_time(&self, m: &mut Markup, w: usize, workload: &str, cells: &[&Cell]) {
        let series = || cells.iter().flat_map(|c| c.series.iter().take(OTHER_TRIALS + 1));
        let highest = series().flat_map(|s| rates(s).into_iter().map(|p| p.1)).fold(0.0, f64::max);
        let longest = series().filter_map(|s| s.at.last()).copied().fold(1.0, f64::max);
        let y = Axis::from_zero(highest);
        let x = Axis::between(0.0, longest);
        let caption = format!("time-{w}");
        m.tag("figure").inside(|m| {
            m.tag("figcaption").attr("id", &caption).inside(|m| {
                m.foreign(workload);
                m.text(" · ");
                m.say(|w| {
                    w.label(Label::Throughput).to_owned()
                        + &w.in_brackets(w.label(rate(self.findings)))
                });
            });
            m.tag("div").class("multiples").inside(|m| {
                for (c, cell) in cells.iter().enumerate() {
                    let id = format!("time-{w}-{c}");
                    m.tag("div").class("multiple").inside(|m| {
                        m.tag("h4").attr("id", &id).inside(|m| m.foreign(&cell.variant));
                        m.tag("div").class("frame").inside(|m| {
                            self.course_plot(cell, x, y, format!("{caption} {id}")).draw(m);
                        });
                    });
                }
            });
            numbers(m, &caption, |m| self.course_table(m, cells));
        });
    }

    fn course_plot(&self, cell: &Cell, x: Axis, y: Axis, labelled_by: String) -> Plot {
        let colour = self.colour(&cell.variant);
        let main = self.findings.cells.iter().find(|c| std::ptr::eq(*c, cell));
        let main = main.and_then(|c| self.course(c));
        let others = cell.series.iter().filter(|s| main.is_none_or(|main| s.trial != main.trial));
        let line = |series: &ThroughputSeries, class: String| Line {
            class,
            title: format!("{} · {}", cell.variant, short_key(&series.trial)),
            points: rates(series),
        };
        let mut lines: Vec<Line> =
            others.take(OTHER_TRIALS).map(|s| line(s, format!("{colour} other"))).collect();
        lines.extend(main.map(|s| line(s, colour)));
        Plot {
            height: 140,
            x_ticks: x.ticks(6).into_iter().map(|t| (t, seconds(t))).collect(),
            y_ticks: y.ticks(3).into_iter().map(|t| (t, count(t))).collect(),
            x,
            y,
            lines,
            levels: levels(cell, main, x.high),
            marks: main.map(txgs).unwrap_or_default(),
            shaded: main.and_then(|s| s.steady).into_iter().collect(),
            labelled_by,
        }
    }

    fn course_table(&self, m: &mut Markup, cells: &[&Cell]) {
        let drawn: Vec<(&Cell, &ThroughputSeries)> = cells
            .iter()
            .flat_map(|c| c.series.iter().take(OTHER_TRIALS + 1).map(|s| (*c, s)))
            .collect();
        let longest = drawn.iter().map(|(_, s)| s.at.len()).max().unwrap_or(0);
        // As many numbers however many trials there are: their columns are of fewer, longer stretches.
        let rows = (TABLE_ROWS * cells.len() / drawn.len().max(1)).max(FEWEST_ROWS);
        let step = longest.div_ceil(rows).max(1);
        m.table_head(|m| {
            column(m, false).say(label(Label::Second));
            for (cell, series) in &drawn {
                m.tag("th").class("num").attr("scope", "col").inside(|m| {
                    m.foreign(&cell.variant);
                    m.text(format_args!(" · {}", short_key(&series.trial)));
                });
            }
        });
        m.tag("tbody").each("tr", (0..longest).step_by(step), |m, at| {
            let second = drawn.iter().find_map(|(_, s)| s.at.get(at));
            m.tag("th").attr("scope", "row").text(second.map_or(String::new(), |s| count(*s)));
            for (_, series) in &drawn {
                let rate = mean_rate(series, at, step);
                m.tag("td").class("num").text(rate.map_or("–".into(), count));
            }
        });
    }
}

/// Reads and writes a second, at the end of each entry. The last entry of a series may last up to two seconds.
fn rates(series: &ThroughputSeries) -> Vec<(f64, f64)> {
    let entry = |at: usize| Some((*series.at.get(at)?, mean_rate(series, at, 1)?));
    (0..series.at.len()).map_while(entry).collect()
}

/// Reads and writes a second over some entries.
fn mean_rate(series: &ThroughputSeries, from: usize, count: usize) -> Option<f64> {
    let of = |counts: &[f64]| -> Option<f64> { Some(counts.get(from..)?.iter().take(count).sum()) };
    let ops = of(&series.reads)? + of(&series.writes)?;
    let end = series.at.get(from..)?.iter().take(count).next_back()?;
    let begin = from.checked_sub(1).map_or(0.0, |before| series.at[before]);
    Some(ops / (end - begin)).filter(|rate| rate.is_finite())
}

/// Stretches in which a transaction group was synced.
fn txgs(series: &ThroughputSeries) -> Vec<(f64, f64)> {
    let seconds: Vec<bool> = series.txg_syncs.iter().map(|n| *n > 0.0).collect();
    let mut marks = Vec::new();
    let mut at = 0;
    for run in seconds.chunk_by(|a, b| a == b) {
        if run[0] {
            let end = |i: usize| series.at.get(i).copied().unwrap_or(i as f64 + 1.0);
            let start = if at == 0 { 0.0 } else { end(at - 1) };
            marks.push((start, end(at + run.len() - 1)));
        }
        at += run.len();
    }
    marks
}

/// The mean of each phase, as far as it reaches.
fn levels(cell: &Cell, main: Option<&ThroughputSeries>, end: f64) -> Vec<Level> {
    let level = |from, to, at| Level { class: "level", span: (from, to), at };
    match (cell.phases.first(), cell.phases.lasting()) {
        (Some(first), Some(lasting)) => {
            let change = main.and_then(|s| s.change_at).unwrap_or(first.seconds);
            vec![
                level(0.0, change, first.throughput.value),
                level(change, end, lasting.throughput.value),
            ]
        }
        (None, Some(whole)) => vec![level(0.0, end, whole.throughput.value)],
        (_, None) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 3.5 s: its last entry lasts 1.5 s.
    #[test]
    fn an_entry_that_lasts_longer_has_the_rate_of_its_own_time() {
        let series = serde_json::json!({
            "trial": "t", "at": [1.0, 2.0, 3.5], "reads": [0.0, 0.0, 30.0],
            "writes": [100.0, 100.0, 120.0], "dirty": [], "txg_syncs": [], "throttled": [],
            "busy": {}, "change_at": null, "steady": null,
        });
        let series: ThroughputSeries = serde_json::from_value(series).unwrap();
        assert_eq!(rates(&series), [(1.0, 100.0), (2.0, 100.0), (3.5, 100.0)]);
        assert_eq!(mean_rate(&series, 1, 2), Some(100.0));
        assert_eq!(mean_rate(&series, 3, 2), None);
    }
}
