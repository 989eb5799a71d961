//! Many campaigns of one lab in a row, as lines for a terminal.

use findings::History;
use findings::schema::Metric;
use text::line::{aligned, cut, one_line};
use text::number::{count, micros, ratio};
use text::{Label, Language};

/// Eight heights of a bar, for the course of a cell's values.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Most campaigns that are drawn; of more, the last.
const DRAWN: usize = 40;

/// The histories as lines: a row a cell, then each change for good.
pub fn text(histories: &[History], language: Language) -> String {
    let mut lines = vec![[
        language.label(Label::Variant).to_lowercase(),
        language.label(Label::Workload).to_lowercase(),
        language.label(Label::Campaigns).to_owned(),
        language.label(Label::RateOrLatency).to_owned(),
        String::new(),
    ]];
    for history in histories {
        lines.push([
            cut(&one_line(&history.variant), 32),
            cut(&one_line(&history.workload), 32),
            history.values.len().to_string(),
            history.values.last().map_or("–".into(), |v| shown(history, *v)),
            bars(&history.values),
        ]);
    }
    let mut out = aligned(&lines, 2..4);
    let mut steps = 0;
    for history in histories {
        for step in &history.steps {
            steps += 1;
            out += &format!(
                "{} · {}: {} → {} ({}) @ {}\n",
                one_line(&history.variant),
                one_line(&history.workload),
                shown(history, step.before),
                shown(history, step.after),
                ratio(step.after / step.before),
                one_line(&step.label)
            );
        }
    }
    out += &match steps {
        0 => language.label(Label::NoSteps).to_owned(),
        n => format!("{}{n}", language.label(Label::Steps)),
    };
    if histories.iter().any(History::regressed) {
        out = out + language.label(Label::Semicolon) + language.label(Label::LatestStep);
    }
    out.push('\n');
    out.replace('\u{a0}', " ")
}

/// A value of a history with its unit, where that is not operations a second.
fn shown(history: &History, value: f64) -> String {
    match history.metric {
        Metric::Throughput => count(value),
        Metric::MeanLatency | Metric::P99Latency => micros(value),
    }
}

/// The values as a row of bars from 0 to their highest.
fn bars(values: &[f64]) -> String {
    let drawn = &values[values.len().saturating_sub(DRAWN)..];
    let highest = drawn.iter().copied().fold(0.0, f64::max);
    drawn
        .iter()
        .map(|v| {
            let height = if highest > 0.0 { v / highest } else { 0.0 };
            BARS[((height * 8.0).ceil() as usize).clamp(1, 8) - 1]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_values() {
        assert_eq!(bars(&[1.0, 4.0, 8.0]), "▁▄█");
        assert_eq!(bars(&[0.0, 0.0]), "▁▁");
        assert_eq!(bars(&[]), "");
    }
}
