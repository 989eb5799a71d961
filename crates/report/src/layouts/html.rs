//! Layouts as an HTML page.

use super::chart::chart;
use super::table;
use crate::markup::Markup;
use plan::rank::Ranking;
use text::layouts::{Label, Sentences};

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
    m.tag("p").text(table::summary(ranking, says));
    chart(m, &ranking.shown, says);
    m.tag("table").inside(|m| {
        m.table_head(|m| {
            for head in says.heads() {
                m.tag("th").attr("scope", "col").text(head);
            }
        });
        m.tag("tbody").each("tr", &ranking.shown, |m, pool| {
            table::row(pool).iter().for_each(|cell| m.tag("td").text(cell));
        });
    });
    table::marks(ranking, says).lines().for_each(|mark| m.tag("p").text(mark));
    for pool in &ranking.shown {
        m.tag("h2").text(&pool.name);
        m.tag("p").text(table::about(pool, says));
        let vdevs: Vec<&str> = pool.parts.iter().filter_map(|p| p.vdevs.as_deref()).collect();
        if !vdevs.is_empty() {
            m.tag("pre").text(vdevs.join("\n"));
        }
    }
    m.tag("p").text(Label::Assumptions.text(says.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::Language;

    #[test]
    fn what_came_from_outside_is_escaped() {
        let empty =
            Ranking { considered: 0, fitting: 0, front: 0, thinned: false, shown: Vec::new() };
        let page = page("<script>alert('x')</script>", &empty, Sentences(Language::English));
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
