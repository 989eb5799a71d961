//! How busy each drive was, over time.

use super::{Page, cell_title, column, label, numbers};
use crate::charts::heat::{self, LEVELS};
use crate::markup::Markup;
use findings::schema::{Cell, ThroughputSeries};
use text::Label;
use text::number::{seconds, share};

/// Columns of a map; longer courses are averaged into this many.
const COLUMNS: usize = 180;
/// Rows of a map; a pool of hundreds of drives shows its busiest.
const ROWS: usize = 48;

impl Page<'_> {
    pub(super) fn drives(&self, m: &mut Markup) {
        let courses = self.all_charted().filter_map(|c| Some((c, self.course(c)?)));
        let cells: Vec<_> = courses.filter(|(_, s)| !s.busy.is_empty()).collect();
        if cells.is_empty() {
            return;
        }
        self.more_cells(m);
        legend(m);
        m.tag("div").class("multiples").inside(|m| {
            for (i, (cell, series)) in cells.iter().enumerate() {
                map(m, i, cell, series);
            }
        });
        numbers(m, "drives-title", |m| table(m, &cells));
    }
}

fn legend(m: &mut Markup) {
    m.tag("ul").class("legend").inside(|m| {
        m.tag("li").inside(|m| {
            m.say(label(Label::Idle));
            m.tag("svg")
                .attr("width", LEVELS * 18)
                .attr("height", 12)
                .attr("aria-hidden", "true")
                .inside(|m| {
                    for level in 0..LEVELS {
                        m.tag("rect")
                            .class(format_args!("heat-{level}"))
                            .attr("x", level * 18)
                            .attr("width", 18)
                            .attr("height", 12)
                            .empty();
                    }
                });
            m.say(label(Label::Saturated));
        });
    });
}

fn map(m: &mut Markup, i: usize, cell: &Cell, series: &ThroughputSeries) {
    let id = format!("map-{i}");
    let mut drives: Vec<(&String, f64, &Vec<f64>)> =
        series.busy.iter().map(|(name, busy)| (name, mean(busy), busy)).collect();
    if drives.len() > ROWS {
        drives.sort_by(|a, b| b.1.total_cmp(&a.1));
        drives.truncate(ROWS);
    }
    drives.sort_by(|a, b| by_number(a.0).cmp(&by_number(b.0)));
    let rows: Vec<(String, Vec<f64>)> = drives
        .into_iter()
        .map(|(name, _, busy)| {
            (text::line::cut(&text::line::one_line(name), 9), average(busy, COLUMNS))
        })
        .collect();
    m.tag("div").class("multiple").inside(|m| {
        m.tag("h4").attr("id", &id).inside(|m| cell_title(m, cell));
        m.tag("div")
            .class("frame heatmap")
            .inside(|m| heat::draw(m, &rows, &format!("drives-title {id}")));
        m.tag("div").class("stretch").inside(|m| {
            m.tag("span").text(seconds(0.0));
            m.tag("span").text(seconds(series.at.last().copied().unwrap_or(0.0)));
        });
    });
}

/// Sorts `hdd2` before `hdd10`.
fn by_number(name: &str) -> (&str, u64) {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (&name[..digits], name[digits..].parse().unwrap_or(0))
}

pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

fn average(values: &[f64], most: usize) -> Vec<f64> {
    values.chunks(values.len().div_ceil(most).max(1)).map(mean).collect()
}

fn table(m: &mut Markup, cells: &[(&Cell, &ThroughputSeries)]) {
    m.table_head(|m| {
        column(m, false).say(label(Label::Drive));
        for (cell, _) in cells {
            m.tag("th").class("num").attr("scope", "col").inside(|m| cell_title(m, cell));
        }
    });
    let mut names: Vec<&String> = cells.iter().flat_map(|(_, s)| s.busy.keys()).collect();
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.dedup();
    m.tag("tbody").each("tr", names, |m, name| {
        m.tag("th").attr("scope", "row").inside(|m| m.foreign(name));
        for (_, series) in cells {
            let busy = series.busy.get(name).map(|b| mean(b));
            m.tag("td").class("num").text(busy.map_or("–".into(), share));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_stand_in_the_order_a_person_counts_them() {
        let mut names = ["hdd10", "hdd2", "cache0", "hdd1"];
        names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
        assert_eq!(names, ["cache0", "hdd1", "hdd2", "hdd10"]);
    }

    #[test]
    fn a_long_course_is_averaged_and_keeps_its_mean() {
        let values: Vec<f64> = (0..1800).map(|i| f64::from(i % 2)).collect();
        let short = average(&values, COLUMNS);
        assert_eq!(short.len(), COLUMNS);
        assert!((mean(&short) - 0.5).abs() < 1e-9);
        assert!(average(&[], COLUMNS).is_empty());
    }
}
