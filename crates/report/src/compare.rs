//! Two campaigns held against each other, as lines for a terminal.

use crate::lang::{Label, Words};
use crate::number::{ratio, ratio_number};
use crate::text::{columns, cut, one_line};
use findings::output::{Basis, Class};
use findings::{Comparison, Findings};

/// Columns of the table.
const COLUMNS: usize = 5;

/// The comparison as lines. `before` and `after` are what was compared.
pub fn text(
    comparison: &Comparison,
    before: &Findings,
    after: &Findings,
    words: &dyn Words,
) -> String {
    let mut lines: Vec<[String; COLUMNS]> = vec![[
        words.label(Label::Variant).to_lowercase(),
        words.label(Label::Workload).to_lowercase(),
        words.label(Label::Change).to_owned(),
        words.label(Label::TrialsColumn).to_lowercase(),
        String::new(),
    ]];
    for change in &comparison.changes {
        let interval = match change.ratio.basis {
            Basis::Point => ratio(change.ratio.value),
            Basis::Trials | Basis::Blocks => format!(
                "{} [{}, {}]",
                ratio(change.ratio.value),
                ratio_number(change.ratio.low),
                ratio_number(change.ratio.high)
            ),
        };
        lines.push([
            cut(&one_line(&change.variant), 32),
            cut(&one_line(&change.workload), 32),
            interval,
            format!("{}, {}", change.trials.0, change.trials.1),
            words.change(change.class).to_owned(),
        ]);
    }
    let width = |i: usize| {
        lines
            .iter()
            .map(|line| columns(&line[i]))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let mut row = String::new();
        for (i, cell) in line.iter().enumerate() {
            let room = " ".repeat(widths[i] - columns(cell));
            let right = (2..4).contains(&i);
            row += &if right {
                format!("{room}{cell}  ")
            } else {
                format!("{cell}{room}  ")
            };
        }
        out += row.trim_end();
        out.push('\n');
    }
    for (variant, workload) in &comparison.unmatched {
        out += &format!(
            "{} · {}: {}\n",
            one_line(variant),
            one_line(workload),
            words.label(Label::OnlyInOne)
        );
    }
    if (before.scale.size, before.scale.time) != (after.scale.size, after.scale.time) {
        out += words.label(Label::OtherScale);
        out.push('\n');
    }
    let worse = comparison
        .changes
        .iter()
        .filter(|c| c.class == Class::Harmful)
        .count();
    out += &match worse {
        0 => words.label(Label::NoRegression).to_owned(),
        n => format!("{}{n}", words.label(Label::Regressions)),
    };
    out.push('\n');
    out.replace('\u{a0}', " ")
}
