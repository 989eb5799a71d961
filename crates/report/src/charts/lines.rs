//! Lines over an axis: throughput over time, latency over percentiles.

use super::axis::Axis;
use super::{MAX_POINTS, Percent, Short, line, rect, thin};
use crate::markup::Markup;
use std::fmt::Write;

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub class: String,
    /// Name for a pointer that rests on it.
    pub title: String,
    /// (x, y) in values of the axes.
    pub points: Vec<(f64, f64)>,
}

/// A horizontal stretch with a level: the mean of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    pub class: &'static str,
    /// From and to on the x axis.
    pub span: (f64, f64),
    /// Height, in values of the y axis.
    pub at: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plot {
    /// Height in CSS pixels.
    pub height: u32,
    pub x: Axis,
    /// Ticks of the x axis: where, and what is written there.
    pub x_ticks: Vec<(f64, String)>,
    pub y: Axis,
    pub y_ticks: Vec<(f64, String)>,
    pub lines: Vec<Line>,
    pub levels: Vec<Level>,
    /// Short marks at the foot: from and to on the x axis (a txg's sync).
    pub marks: Vec<(f64, f64)>,
    /// Shaded stretches of the x axis (the window a steady state was found in).
    pub shaded: Vec<(f64, f64)>,
    /// Id of the element that names the plot.
    pub labelled_by: String,
}

impl Plot {
    pub fn draw(&self, m: &mut Markup) {
        m.tag("svg")
            .class("plot")
            .attr("width", "100%")
            .attr("height", self.height)
            .attr("role", "img")
            .attr("aria-labelledby", &self.labelled_by)
            .inside(|m| {
                self.grid(m);
                m.tag("svg")
                    .attr("viewBox", "0 0 1000 1000")
                    .attr("width", "100%")
                    .attr("height", "100%")
                    .attr("preserveAspectRatio", "none")
                    .inside(|m| self.curves(m));
                self.annotations(m);
            });
    }

    fn grid(&self, m: &mut Markup) {
        for (from, to) in &self.shaded {
            let (left, right) = (self.x.percent(*from), self.x.percent(*to));
            rect(m, left, 0.0, right - left, 100.0).class("shaded").empty();
        }
        for (value, label) in &self.y_ticks {
            let y = 100.0 - self.y.percent(*value);
            line(m, (0.0, y), (100.0, y)).class("grid").empty();
            m.tag("text")
                .class("tick-label end")
                .attr("x", -8)
                .attr("y", Percent(y))
                .attr("dy", "0.32em")
                .text(label);
        }
        for (i, (value, label)) in self.x_ticks.iter().enumerate() {
            let x = self.x.percent(*value);
            let minor = if i % 2 == 1 { " minor" } else { "" };
            // The last one would stick out of a narrow screen.
            let anchor = if x > 96.0 { "last" } else { "middle" };
            m.tag("text")
                .class(format_args!("tick-label {anchor}{minor}"))
                .attr("x", Percent(x))
                .attr("y", "100%")
                .attr("dy", "1.5em")
                .text(label);
        }
        line(m, (0.0, 100.0), (100.0, 100.0)).class("foot").empty();
    }

    fn curves(&self, m: &mut Markup) {
        for curve in &self.lines {
            let path = self.path(&thin(&curve.points, MAX_POINTS));
            m.tag("path")
                .class(format_args!("curve {}", curve.class))
                .attr("d", path)
                .inside(|m| m.tag("title").text(&curve.title));
        }
    }

    fn annotations(&self, m: &mut Markup) {
        for level in &self.levels {
            let y = 100.0 - self.y.percent(level.at);
            let (from, to) = (self.x.percent(level.span.0), self.x.percent(level.span.1));
            line(m, (from, y), (to, y)).class(level.class).empty();
        }
        for (from, to) in &self.marks {
            let (left, right) = (self.x.percent(*from), self.x.percent(*to));
            rect(m, left, 97.0, (right - left).max(0.25), 3.0).class("txg").empty();
        }
    }

    /// `M x y L…` in thousandths of the plot.
    fn path(&self, points: &[(f64, f64)]) -> String {
        // A single point is a short dash: a line to nowhere is not drawn.
        const DASH: f64 = 6.0;
        let mut path = String::with_capacity(points.len() * 12);
        let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        for (i, (x, y)) in finite.enumerate() {
            let x = (self.x.percent(*x) * 10.0).round();
            let y = 1000.0 - self.y.percent(*y) * 10.0;
            let _ = write!(path, "{}{x} {}", if i == 0 { 'M' } else { 'L' }, Short(y.round()));
            if points.len() == 1 {
                let _ = write!(path, "L{} {}", x + DASH, Short(y.round()));
            }
        }
        path
    }
}

/// Where a percentile stands on an axis that gives equal room to each nine: 0 for the median's
/// side, 1 at p90, 2 at p99, 3 at p99.9.
pub fn nines(percentile: f64) -> f64 {
    -(1.0 - percentile).max(1e-9).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(lines: Vec<Line>) -> Plot {
        Plot {
            height: 200,
            x: Axis::between(0.0, 10.0),
            x_ticks: vec![(0.0, "0 s".into()), (10.0, "10 s".into())],
            y: Axis::from_zero(100.0),
            y_ticks: vec![(0.0, "0".into())],
            lines,
            levels: vec![],
            marks: vec![],
            shaded: vec![],
            labelled_by: "c".into(),
        }
    }

    #[test]
    fn a_line_goes_through_its_points_with_zero_at_the_foot() {
        let line = Line {
            class: "v0".into(),
            title: "<none>".into(),
            points: vec![(0.0, 0.0), (5.0, 50.0), (10.0, 100.0)],
        };
        let mut m = Markup::new();
        plot(vec![line]).draw(&mut m);
        let svg = m.into_string();
        assert!(svg.contains("d=\"M0 1000L500 500L1000 0\""), "{svg}");
        assert!(svg.contains("&lt;none&gt;"));
    }

    #[test]
    fn each_nine_of_a_percentile_is_equally_far() {
        assert!((nines(0.9) - 1.0).abs() < 1e-9);
        assert!((nines(0.999) - nines(0.99) - 1.0).abs() < 1e-9);
        assert_eq!(nines(0.0), 0.0);
    }
}
