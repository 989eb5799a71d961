//! A forest plot: one interval a row, all rows on one log axis of ratios around 1.

use super::axis::Axis;
use super::{Percent, beside_numbers, line, rect};
use crate::markup::Markup;
use text::number;

/// The axis for a set of intervals: always around 1, the same distance to both sides only where the
/// effects ask for it.
pub fn axis(intervals: impl Iterator<Item = (f64, f64)>) -> Axis {
    let ends = intervals.flat_map(|(low, high)| [low.max(0.01), high.min(1000.0)]);
    Axis::log_around(ends.chain([0.8, 1.25]))
}

/// One row: the band that is no effect, the interval, the estimate. `class` colours it.
pub fn row(m: &mut Markup, axis: &Axis, interval: (f64, f64, f64), band: f64, class: &str) {
    let (low, estimate, high) = interval;
    beside_numbers(m, "forest", 28).inside(|m| {
        let (from, to) = (axis.percent(1.0 - band), axis.percent(1.0 + band));
        rect(m, from, 0.0, to - from, 100.0).class("band").empty();
        let one = axis.percent(1.0);
        line(m, (one, 0.0), (one, 100.0)).class("one").empty();
        let (left, right) = (axis.percent(low), axis.percent(high));
        line(m, (left, 50.0), (right, 50.0)).class(format_args!("interval {class}")).empty();
        for end in [left, right] {
            line(m, (end, 32.0), (end, 68.0)).class(format_args!("interval {class}")).empty();
        }
        m.tag("circle")
            .attr("cx", Percent(axis.percent(estimate)))
            .attr("cy", "50%")
            .attr("r", 5)
            .class(format_args!("estimate {class}"))
            .empty();
    });
}

/// The scale under the rows.
pub fn scale(m: &mut Markup, axis: &Axis) {
    beside_numbers(m, "forest scale", 22).inside(|m| {
        // Labels of more would touch in the narrowest plot, 12 rem.
        let mut ticks = axis.ticks(4);
        if !ticks.contains(&1.0) {
            ticks.push(1.0);
        }
        for tick in ticks {
            let x = axis.percent(tick);
            line(m, (x, 0.0), (x, 22.0)).class("tick").empty();
            m.tag("text")
                .attr("x", Percent(x))
                .attr("y", 18)
                .class("tick-label middle")
                .text(format_args!("{}×", number::count(tick)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_always_shows_one_so_that_no_effect_can_be_seen() {
        let wide = axis([(6.2, 7.2), (0.98, 1.02)].into_iter());
        assert!(wide.low <= 0.8 && wide.high >= 7.2);
        let slow = axis([(0.1, 0.2)].into_iter());
        assert!(slow.low <= 0.1 && slow.high >= 1.25);
    }

    #[test]
    fn an_interval_is_drawn_from_its_low_to_its_high_end() {
        let axis = Axis { low: 0.1, high: 10.0, log: true };
        let mut m = Markup::new();
        row(&mut m, &axis, (1.0, 3.0, 10.0), 0.05, "gain");
        let svg = m.into_string();
        assert!(svg.contains("x1=\"50%\" y1=\"50%\" x2=\"100%\" y2=\"50%\""), "{svg}");
    }
}
