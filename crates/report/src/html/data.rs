//! The numbers themselves, to take away.

use super::{Page, label};
use crate::markup::Markup;
use findings::schema::{Findings, ThroughputSeries};
use std::fmt::Write;
use text::Label;

/// Numbers of time series that a page holds; longer ones are averaged, and the page says so.
const SERIES_NUMBERS: usize = 60_000;

impl Page<'_> {
    pub(super) fn data(&self, m: &mut Markup) {
        let stretch = stretch(self.findings);
        m.tag("p").class("buttons").inside(|m| {
            m.tag("button")
                .class("needs-js")
                .attr("type", "button")
                .attr("data-download", "findings")
                .attr("data-name", "findings.json")
                .say(label(Label::DownloadJson));
            if let Ok(csv) = crate::csv::render(self.findings) {
                let href = format!("data:text/csv;charset=utf-8,{}", percent_encoded(&csv));
                let link = m.tag("a").attr("download", "cells.csv").attr("href", href);
                link.say(label(Label::DownloadCsv));
            }
        });
        if stretch > 1 {
            m.tag("p").class("sub").say(label(Label::SeriesThinned));
        }
        m.tag("p").say(label(Label::RawWhere));
        m.tag("script").attr("type", "application/json").attr("id", "findings").inside(|m| {
            m.json(&slim(self.findings, stretch));
        });
    }
}

/// How many seconds become one, so that all series together stay within [`SERIES_NUMBERS`].
fn stretch(findings: &Findings) -> usize {
    let numbers: usize = findings
        .cells
        .iter()
        .flat_map(|c| &c.series)
        .map(|s| s.at.len() * (6 + s.busy.len()))
        .sum();
    numbers.div_ceil(SERIES_NUMBERS).max(1)
}

/// The findings as JSON, series averaged over `stretch` seconds.
fn slim(findings: &Findings, stretch: usize) -> String {
    let mut value = findings.clone();
    for series in value.cells.iter_mut().flat_map(|cell| &mut cell.series) {
        *series = averaged(series, stretch);
    }
    serde_json::to_string(&value).unwrap_or_else(|_| "null".into())
}

/// A series in stretches of seconds, at four significant digits: counts summed, since they are those up to
/// the time beside them, and levels averaged.
fn averaged(series: &ThroughputSeries, stretch: usize) -> ThroughputSeries {
    let sum = |values: &Vec<f64>| -> Vec<f64> {
        values.chunks(stretch).map(|c| four_digits(c.iter().sum())).collect()
    };
    let mean = |values: &Vec<f64>| -> Vec<f64> {
        values.chunks(stretch).map(|c| four_digits(super::drives::mean(c))).collect()
    };
    ThroughputSeries {
        trial: series.trial.clone(),
        at: series.at.chunks(stretch).filter_map(|c| c.last()).map(|v| four_digits(*v)).collect(),
        reads: sum(&series.reads),
        writes: sum(&series.writes),
        dirty: mean(&series.dirty),
        txg_syncs: sum(&series.txg_syncs),
        throttled: sum(&series.throttled),
        busy: series.busy.iter().map(|(drive, busy)| (drive.clone(), mean(busy))).collect(),
        change_at: series.change_at,
        steady: series.steady,
    }
}

fn four_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let step = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * step).round() / step
}

/// Text within a `data:` address (RFC 3986: all but unreserved characters as %XX).
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_series_in_longer_stretches_holds_as_many_operations() {
        let series = ThroughputSeries {
            trial: "1".into(),
            at: vec![1.0, 2.0, 3.0, 4.0],
            reads: vec![0.0; 4],
            writes: vec![100.0, 300.0, 200.0, 200.0],
            dirty: vec![10.0, 30.0, 20.0, 20.0],
            txg_syncs: vec![0.0, 1.0, 0.0, 1.0],
            throttled: vec![0.0, 5.0, 5.0, 0.0],
            busy: BTreeMap::from([("hdd0".to_owned(), vec![0.5, 1.0, 0.0, 1.0])]),
            change_at: None,
            steady: None,
        };
        let short = averaged(&series, 2);
        // A rate is what was done since the time before.
        assert_eq!(short.at, [2.0, 4.0]);
        assert_eq!(short.writes, [400.0, 400.0]);
        assert_eq!((short.txg_syncs, short.throttled), (vec![1.0, 1.0], vec![5.0, 5.0]));
        assert_eq!(short.dirty, [20.0, 20.0]);
        assert_eq!(short.busy["hdd0"], [0.75, 0.5]);
    }
}
