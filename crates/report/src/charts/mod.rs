//! Charts as SVG, drawn here.
//!
//! Why not a bundled library: a script of a megabyte would be most of the page; what is drawn here
//! prints, needs no script, follows the page's colours and language by CSS, and is read by a screen
//! reader. Positions are percentages of a plot whose text keeps its size, so that one drawing
//! serves a phone and a wide screen.

pub mod axis;
pub mod bars;
pub mod forest;
pub mod heat;
pub mod lines;

use crate::markup::{Markup, Tag};
use std::fmt::{self, Display};

/// Most points a line is drawn with; more are thinned, keeping every extreme.
pub const MAX_POINTS: usize = 240;

/// A position in percent, written short.
#[derive(Clone, Copy)]
pub struct Percent(pub f64);

impl Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", Short(self.0))
    }
}

/// A number with at most two decimals, written short.
#[derive(Clone, Copy)]
pub struct Short(pub f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = (self.0 * 100.0).round() / 100.0;
        write!(f, "{}", if rounded == 0.0 { 0.0 } else { rounded })
    }
}

/// A drawing as wide as its place that a screen reader skips: its numbers stand beside it.
pub fn beside_numbers<'a>(m: &'a mut Markup, class: &str, height: u32) -> Tag<'a> {
    m.tag("svg")
        .class(class)
        .attr("width", "100%")
        .attr("height", height)
        .attr("aria-hidden", "true")
}

/// A `<line>` between two points in percent.
pub fn line<'a>(m: &'a mut Markup, from: (f64, f64), to: (f64, f64)) -> Tag<'a> {
    m.tag("line")
        .attr("x1", Percent(from.0))
        .attr("y1", Percent(from.1))
        .attr("x2", Percent(to.0))
        .attr("y2", Percent(to.1))
}

/// A `<rect>` in percent of the plot.
pub fn rect<'a>(m: &'a mut Markup, x: f64, y: f64, width: f64, height: f64) -> Tag<'a> {
    m.tag("rect")
        .attr("x", Percent(x))
        .attr("y", Percent(y))
        .attr("width", Percent(width.max(0.0)))
        .attr("height", Percent(height.max(0.0)))
}

/// Thins `points` to at most `most`, keeping the lowest and the highest of every stretch, so that
/// a burst or a stall of one second is never lost.
pub fn thin(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil((most / 2).max(1));
    let mut kept = Vec::with_capacity(most + 2);
    for chunk in points.chunks(stretch) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        if let (Some(low), Some(high)) =
            (chunk.iter().min_by(by_value), chunk.iter().max_by(by_value))
        {
            kept.push(if low.0 <= high.0 { *low } else { *high });
            if low.0 != high.0 {
                kept.push(if low.0 <= high.0 { *high } else { *low });
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_a_long_series_keeps_the_one_stall() {
        let mut points: Vec<_> = (0..100_000).map(|i| (f64::from(i), 500.0)).collect();
        points[67_123].1 = 0.0;
        let kept = thin(&points, MAX_POINTS);
        assert!(kept.len() <= MAX_POINTS);
        assert!(kept.contains(&(67_123.0, 0.0)));
        assert!(kept.windows(2).all(|w| w[0].0 < w[1].0), "in order of time");
    }

    #[test]
    fn numbers_in_drawings_are_short() {
        assert_eq!(Short(33.333_333).to_string(), "33.33");
        assert_eq!(Short(-0.000_1).to_string(), "0");
        assert_eq!(Percent(50.0).to_string(), "50%");
    }
}
