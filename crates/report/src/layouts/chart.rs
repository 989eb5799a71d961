//! Capacity for files against the chance of data loss, as an SVG chart.

use super::table::about;
use crate::charts::axis::Axis;
use crate::markup::Markup;
use plan::assess::Assessment;
use text::layouts::{Label, Sentences};
use text::line::columns;
use text::number::count;

/// The plot, and room around it for labels, in the chart's own units.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 40.0;
const RADIUS: f64 = 6.0;
/// A name is about so wide, a column of it, and so high: the font has 12 units.
const COLUMN: f64 = 7.0;
const LINE: f64 = 13.0;

/// Room against yearly loss, the latter on a logarithmic axis.
pub fn chart(m: &mut Markup, pools: &[Assessment], says: Sentences) {
    let room = |p: &Assessment| p.score.holds as f64 / 1e12;
    let loss = |p: &Assessment| p.score.losses.max(1e-15).log10();
    let most = pools.iter().map(room).fold(0.0, f64::max);
    if pools.is_empty() || most <= 0.0 {
        return;
    }
    let low = pools.iter().map(loss).fold(f64::INFINITY, f64::min).floor();
    let high = pools.iter().map(loss).fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let capacity = Axis::from_zero(most);
    let x = |terabytes: f64| LEFT + capacity.percent(terabytes) / 100.0 * WIDTH;
    let y = |log: f64| TOP + (high - log) / (high - low) * HEIGHT;
    let size = format!("0 0 {} {}", LEFT + WIDTH + RIGHT, TOP + HEIGHT + 50.0);
    let svg = m.tag("svg").attr("viewBox", size).attr("role", "img");
    svg.attr("aria-label", Label::Chart.text(says.0)).inside(|m| {
        let step = ((high - low) / 8.0).ceil().max(1.0);
        let mut decade = low;
        while decade <= high {
            let at = y(decade);
            let line = m.tag("line").attr("x1", LEFT).attr("x2", LEFT + WIDTH);
            line.attr("y1", at).attr("y2", at).empty();
            label(m, (LEFT - 8.0, at + 4.0), "end", &format!("10^{decade:.0}"));
            decade += step;
        }
        for value in capacity.ticks(5) {
            label(m, (x(value), TOP + HEIGHT + 20.0), "middle", &count(value));
        }
        let below = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 42.0);
        label(m, below, "middle", Label::AxisCapacity.text(says.0));
        let turned = format!("translate(16 {:.1}) rotate(-90)", TOP + HEIGHT / 2.0);
        let losses = m.tag("text").attr("transform", turned).attr("text-anchor", "middle");
        losses.text(Label::AxisLosses.text(says.0));
        let points: Vec<(f64, f64)> = pools.iter().map(|p| (x(room(p)), y(loss(p)))).collect();
        for (pool, (cx, cy)) in pools.iter().zip(&points) {
            let circle = m.tag("circle").attr("cx", tenths(*cx)).attr("cy", tenths(*cy));
            circle.attr("r", RADIUS).inside(|m| {
                m.tag("title").text(format_args!("{}: {}", pool.name, about(pool, says)));
            });
        }
        let widths: Vec<f64> = pools.iter().map(|p| columns(&p.name) as f64 * COLUMN).collect();
        for (pool, place) in pools.iter().zip(places(&points, &widths)) {
            if let Some((left, baseline)) = place {
                label(m, (left, baseline), "start", &pool.name);
            }
        }
    });
}

/// Left end and baseline of each point's name: beside its point, within the chart, over no other point or name. None
/// where there is no such place; the point's title has the name still.
fn places(points: &[(f64, f64)], widths: &[f64]) -> Vec<Option<(f64, f64)>> {
    let box_of = |left: f64, baseline: f64, width: f64| [left, baseline - LINE, width, LINE + 2.0];
    let point_box = |(x, y): &(f64, f64)| [x - RADIUS, y - RADIUS, 2.0 * RADIUS, 2.0 * RADIUS];
    let mut taken: Vec<[f64; 4]> = points.iter().map(point_box).collect();
    let mut place = |(x, y): &(f64, f64), width: f64| {
        let rows = [4.0, -6.0, 14.0, -18.0, 26.0];
        let right = rows.map(|row| (x + RADIUS + 3.0, y + row));
        let left = rows.map(|row| (x - RADIUS - 3.0 - width, y + row));
        let found = right.into_iter().chain(left).find(|(left, baseline)| {
            let own = box_of(*left, *baseline, width);
            let within = own[0] >= LEFT && own[0] + own[2] <= LEFT + WIDTH + RIGHT && own[1] >= 0.0;
            within && !taken.iter().any(|other| overlap(&own, other))
        })?;
        taken.push(box_of(found.0, found.1, width));
        Some(found)
    };
    points.iter().zip(widths).map(|(point, width)| place(point, *width)).collect()
}

/// Whether two boxes (left, top, width, height) share an area.
fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    (0..2).all(|side| a[side] < b[side] + b[side + 2] && b[side] < a[side] + a[side + 2])
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

fn label(m: &mut Markup, (x, y): (f64, f64), anchor: &str, text: &str) {
    m.tag("text").attr("x", tenths(x)).attr("y", tenths(y)).attr("text-anchor", anchor).text(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_over_no_other_name_and_end_within_the_chart() {
        // Three layouts nearly alike, and one at the right edge.
        let points = [(700.0, 100.0), (704.0, 104.0), (700.0, 110.0), (805.0, 50.0)];
        let widths = [120.0; 4];
        let placed: Vec<(f64, f64)> =
            places(&points, &widths).into_iter().map(|place| place.unwrap()).collect();
        for (i, (left, baseline)) in placed.iter().enumerate() {
            assert!(left + widths[i] <= LEFT + WIDTH + RIGHT, "{placed:?}");
            let own = [*left, baseline - LINE, widths[i], LINE];
            for (other_left, other_baseline) in &placed[..i] {
                let other = [*other_left, other_baseline - LINE, widths[0], LINE];
                assert!(!overlap(&own, &other), "{placed:?}");
            }
        }
        // So many at one place that not all names fit.
        let crowd = places(&[(400.0, 200.0); 20], &[100.0; 20]);
        assert!(crowd[0].is_some() && crowd.iter().any(Option::is_none));
    }
}
