//! A plan as an HTML page with an SVG chart: capacity for files against the chance of data loss.

use crate::assess::Assessment;
use crate::lang::Language;
use crate::rank::Ranking;
use crate::text;
use std::fmt::Write;

/// The chart's inner size, in its own units.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 20.0;

/// The page of a ranking.
pub fn page(title: &str, ranking: &Ranking, language: Language) -> String {
    let mut out = String::new();
    let title = escaped(title);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\nbody{{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}}\n\
         table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}}\n\
         th,td{{padding:.35rem .6rem;text-align:right;border-bottom:1px solid #d7dbe0}}\n\
         th:first-child,td:first-child{{text-align:left}}\nsvg{{max-width:100%;height:auto}}\n\
         pre{{background:#f4f5f7;padding:.6rem;overflow-x:auto}}\n\
         @media(prefers-color-scheme:dark){{body{{color:#e6e8eb;background:#14171a}}th,td{{border-color:#333a41}}pre{{background:#20252a}}svg{{--ink:#e6e8eb}}}}\n\
         </style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        language.tag(),
        escaped(&text::summary(ranking, language))
    );
    out.push_str(&chart(&ranking.shown, language));
    out.push_str("<table>\n<thead><tr>");
    for head in language.heads() {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for pool in &ranking.shown {
        out.push_str("<tr>");
        for cell in text::row(pool) {
            let _ = write!(out, "<td>{}</td>", escaped(&cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
    let marks = text::marks(ranking, language);
    for mark in marks.lines() {
        let _ = writeln!(out, "<p>{}</p>", escaped(mark));
    }
    for pool in &ranking.shown {
        let _ = writeln!(
            out,
            "<h2>{}</h2>\n<p>{}</p>",
            escaped(&pool.name),
            escaped(&text::about(pool, language))
        );
        let vdevs: Vec<&str> = pool.parts.iter().filter_map(|p| p.vdevs.as_deref()).collect();
        if !vdevs.is_empty() {
            let _ = writeln!(out, "<pre>{}</pre>", escaped(&vdevs.join("\n")));
        }
    }
    let _ = write!(out, "<p>{}</p>\n</body>\n</html>\n", escaped(language.assumptions()));
    out
}

/// Room against yearly loss, the latter on a logarithmic axis.
fn chart(pools: &[Assessment], language: Language) -> String {
    let room = |p: &Assessment| p.score.holds as f64 / 1e12;
    let loss = |p: &Assessment| p.score.losses.max(1e-15).log10();
    let most = pools.iter().map(room).fold(0.0, f64::max);
    if pools.is_empty() || most <= 0.0 {
        return String::new();
    }
    let low = pools.iter().map(loss).fold(f64::INFINITY, f64::min).floor();
    let high = pools.iter().map(loss).fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let x = |terabytes: f64| LEFT + terabytes / (most * 1.05) * WIDTH;
    let y = |log: f64| TOP + (high - log) / (high - low) * HEIGHT;
    let mut out = format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" style=\"--ink:#1b1f24\" font-size=\"12\" fill=\"var(--ink)\">\n",
        LEFT + WIDTH + 40.0,
        TOP + HEIGHT + 50.0,
        language.chart()
    );
    let step = ((high - low) / 8.0).ceil().max(1.0);
    let mut decade = low;
    while decade <= high {
        let at = y(decade);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"currentColor\" opacity=\".15\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">10^{decade:.0}</text>",
            LEFT + WIDTH,
            LEFT - 8.0,
            at + 4.0
        );
        decade += step;
    }
    for tick in 0..=5 {
        let value = most * f64::from(tick) / 5.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.0}</text>",
            x(value),
            TOP + HEIGHT + 20.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 42.0,
        language.axis_capacity(),
        TOP + HEIGHT / 2.0,
        language.axis_losses()
    );
    for (number, pool) in pools.iter().enumerate() {
        let (cx, cy) = (x(room(pool)), y(loss(pool)));
        let _ = writeln!(
            out,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"6\" fill=\"#2f6fb5\"><title>{}</title></circle><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            escaped(&format!("{}: {}", pool.name, text::about(pool, language))),
            cx + 9.0,
            cy + if number % 2 == 0 { -6.0 } else { 14.0 },
            escaped(&pool.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Text safe within HTML and attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_from_outside_is_escaped() {
        let empty =
            Ranking { considered: 0, fitting: 0, front: 0, thinned: false, shown: Vec::new() };
        let page = page("<script>alert('x')</script>", &empty, Language::English);
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
