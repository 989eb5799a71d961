//! A stacked bar: how a whole divides into parts.

use super::{beside_numbers, rect};
use crate::markup::Markup;

#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub class: &'static str,
    /// Its share of the bar, 0 to 1.
    pub share: f64,
    pub title: String,
}

/// Draws the parts from left to right.
pub fn draw(m: &mut Markup, parts: &[Part]) {
    beside_numbers(m, "bar", 18).inside(|m| {
        let mut x = 0.0;
        for part in parts {
            let width = part.share.clamp(0.0, 1.0) * 100.0;
            if width < 0.01 {
                continue;
            }
            let drawn = rect(m, x, 0.0, width, 100.0).class(part.class);
            drawn.inside(|m| m.tag("title").text(&part.title));
            x += width;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_end_to_end_and_empty_ones_are_left_out() {
        let part = |share| Part { class: "p", share, title: String::new() };
        let mut m = Markup::new();
        draw(&mut m, &[part(0.25), part(0.0), part(0.75)]);
        let svg = m.into_string();
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("x=\"25%\" y=\"0%\" width=\"75%\""));
    }
}
