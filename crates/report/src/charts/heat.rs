//! A heat map: rows of drives, columns of time, colour for how busy.

use super::Short;
use crate::markup::Markup;
use std::fmt::Write;

/// Steps of colour, from idle to saturated.
pub const LEVELS: usize = 8;

/// Draws `rows` (label, values between 0 and 1, equally spaced in time); one path a level keeps a
/// map of thousands of fields small.
pub fn draw(m: &mut Markup, rows: &[(String, Vec<f64>)], labelled_by: &str) {
    let columns = rows.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    if columns == 0 {
        return;
    }
    let paths = paths(rows);
    m.tag("svg")
        .class("heat")
        .attr("width", "100%")
        .attr("height", rows.len() * 16)
        .attr("role", "img")
        .attr("aria-labelledby", labelled_by)
        .inside(|m| {
            m.tag("svg")
                .attr("viewBox", format_args!("0 0 {columns} {}", rows.len()))
                .attr("width", "100%")
                .attr("height", "100%")
                .attr("preserveAspectRatio", "none")
                .attr("shape-rendering", "crispEdges")
                .inside(|m| {
                    for (level, path) in paths.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
                        m.tag("path").class(format_args!("heat-{level}")).attr("d", path).empty();
                    }
                });
            for (i, (label, _)) in rows.iter().enumerate() {
                m.tag("text")
                    .class("row-label")
                    .attr("x", -8)
                    .attr("y", Short(i as f64 * 16.0 + 12.0))
                    .text(label);
            }
        });
}

/// One path for each level, of rectangles that span runs of equal level.
fn paths(rows: &[(String, Vec<f64>)]) -> Vec<String> {
    let mut paths = vec![String::new(); LEVELS];
    for (y, (_, values)) in rows.iter().enumerate() {
        let levels: Vec<usize> = values.iter().map(|v| level(*v)).collect();
        let mut x = 0;
        for run in levels.chunk_by(|a, b| a == b) {
            let _ = write!(paths[run[0]], "M{x} {y}h{}v1h-{}z", run.len(), run.len());
            x += run.len();
        }
    }
    paths
}

/// The step of colour of a share; only what is exactly idle is level 0.
pub fn level(share: f64) -> usize {
    if share.is_nan() || share <= 0.0 {
        return 0;
    }
    let steps = (LEVELS - 1) as f64;
    ((share.min(1.0) * steps).ceil() as usize).clamp(1, LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_saturated_are_told_apart_from_everything_between() {
        assert_eq!(level(0.0), 0);
        assert_eq!(level(0.001), 1);
        assert_eq!(level(1.0), LEVELS - 1);
        assert_eq!(level(7.0), LEVELS - 1);
        assert_eq!(level(f64::NAN), 0);
    }

    #[test]
    fn a_run_of_one_level_is_one_rectangle() {
        let rows = [("hdd0".to_owned(), vec![1.0; 500])];
        let paths = paths(&rows);
        assert_eq!(paths[LEVELS - 1], "M0 0h500v1h-500z");
        assert!(paths[..LEVELS - 1].iter().all(String::is_empty));
    }
}
