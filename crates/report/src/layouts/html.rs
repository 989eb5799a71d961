//! Layouts as an HTML page with an SVG chart: capacity for files against the chance of data loss.

use super::lang::Sentences;
use super::text;
use crate::markup::Markup;
use plan::assess::Assessment;
use plan::rank::Ranking;

/// The chart's inner size, in its own units.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 20.0;

/// The page of a ranking.
pub fn page(title: &str, ranking: &Ranking, says: Sentences) -> String {
    let mut m = Markup::new();
    m.own("<!doctype html>\n");
    m.tag("html").attr("lang", says.0.tag()).inside(|m| {
        m.tag("head").inside(|m| {
            m.tag("meta").attr("charset", "utf-8").empty();
            m.tag("meta").attr("name", "viewport").attr("content", "width=device-width").empty();
            m.tag("title").text(title);
            m.tag("style").inside(|m| m.own(include_str!("style.css")));
        });
        m.tag("body").inside(|m| body(m, title, ranking, says));
    });
    m.into_string()
}

fn body(m: &mut Markup, title: &str, ranking: &Ranking, says: Sentences) {
    m.tag("h1").text(title);
    m.tag("p").text(text::summary(ranking, says));
    chart(m, &ranking.shown, says);
    m.tag("table").inside(|m| {
        m.tag("thead").inside(|m| {
            m.tag("tr").inside(|m| {
                for head in says.heads() {
                    m.tag("th").attr("scope", "col").text(head);
                }
            });
        });
        m.tag("tbody").inside(|m| {
            for pool in &ranking.shown {
                let cells = text::row(pool);
                m.tag("tr").inside(|m| cells.iter().for_each(|cell| m.tag("td").text(cell)));
            }
        });
    });
    text::marks(ranking, says).lines().for_each(|mark| m.tag("p").text(mark));
    for pool in &ranking.shown {
        m.tag("h2").text(&pool.name);
        m.tag("p").text(text::about(pool, says));
        let vdevs: Vec<&str> = pool.parts.iter().filter_map(|p| p.vdevs.as_deref()).collect();
        if !vdevs.is_empty() {
            m.tag("pre").text(vdevs.join("\n"));
        }
    }
    m.tag("p").text(says.assumptions());
}

/// Room against yearly loss, the latter on a logarithmic axis.
fn chart(m: &mut Markup, pools: &[Assessment], says: Sentences) {
    let room = |p: &Assessment| p.score.holds as f64 / 1e12;
    let loss = |p: &Assessment| p.score.losses.max(1e-15).log10();
    let most = pools.iter().map(room).fold(0.0, f64::max);
    if pools.is_empty() || most <= 0.0 {
        return;
    }
    let low = pools.iter().map(loss).fold(f64::INFINITY, f64::min).floor();
    let high = pools.iter().map(loss).fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let x = |terabytes: f64| LEFT + terabytes / (most * 1.05) * WIDTH;
    let y = |log: f64| TOP + (high - log) / (high - low) * HEIGHT;
    let size = format!("0 0 {} {}", LEFT + WIDTH + 40.0, TOP + HEIGHT + 50.0);
    let svg = m.tag("svg").attr("viewBox", size).attr("role", "img");
    svg.attr("aria-label", says.chart()).inside(|m| {
        let step = ((high - low) / 8.0).ceil().max(1.0);
        let mut decade = low;
        while decade <= high {
            let at = y(decade);
            let line = m.tag("line").attr("x1", LEFT).attr("x2", LEFT + WIDTH);
            line.attr("y1", at).attr("y2", at).empty();
            label(m, (LEFT - 8.0, at + 4.0), "end", &format!("10^{decade:.0}"));
            decade += step;
        }
        for tick in 0..=5 {
            let value = most * f64::from(tick) / 5.0;
            label(m, (x(value), TOP + HEIGHT + 20.0), "middle", &format!("{value:.0}"));
        }
        let below = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 42.0);
        label(m, below, "middle", says.axis_capacity());
        let turned = format!("translate(16 {:.1}) rotate(-90)", TOP + HEIGHT / 2.0);
        let losses = m.tag("text").attr("transform", turned).attr("text-anchor", "middle");
        losses.text(says.axis_losses());
        for (number, pool) in pools.iter().enumerate() {
            let (cx, cy) = (x(room(pool)), y(loss(pool)));
            let at = |value: f64| format!("{value:.1}");
            m.tag("circle").attr("cx", at(cx)).attr("cy", at(cy)).attr("r", 6).inside(|m| {
                m.tag("title").text(format_args!("{}: {}", pool.name, text::about(pool, says)));
            });
            let beside = if number % 2 == 0 { -6.0 } else { 14.0 };
            label(m, (cx + 9.0, cy + beside), "start", &pool.name);
        }
    });
}

fn label(m: &mut Markup, (x, y): (f64, f64), anchor: &str, text: &str) {
    let at = |value: f64| format!("{value:.1}");
    m.tag("text").attr("x", at(x)).attr("y", at(y)).attr("text-anchor", anchor).text(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Language;

    #[test]
    fn what_came_from_outside_is_escaped() {
        let empty =
            Ranking { considered: 0, fitting: 0, front: 0, thinned: false, shown: Vec::new() };
        let page = page("<script>alert('x')</script>", &empty, Sentences(Language::English));
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
