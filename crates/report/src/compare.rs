//! Two campaigns compared, as lines for a terminal.

use crate::rows::ratio_of;
use findings::schema::VerdictClass;
use findings::{Change, Comparison, Findings, Published};
use text::line::{aligned, cut, one_line};
use text::number::{count, range, ratio};
use text::{Label, Language};

/// The comparison as lines. `before` and `after` are what was compared.
pub fn text(
    comparison: &Comparison,
    before: &Findings,
    after: &Findings,
    language: Language,
) -> String {
    let mut lines = vec![[
        language.label(Label::Variant).to_lowercase(),
        language.label(Label::Workload).to_lowercase(),
        language.label(Label::Change).to_owned(),
        language.label(Label::TrialsColumn).to_lowercase(),
        String::new(),
    ]];
    for change in &comparison.changes {
        lines.push([
            cut(&one_line(&change.variant), 32),
            cut(&one_line(&change.workload), 32),
            ratio_of(language, change.metric, &change.ratio),
            format!("{}, {}", change.trials.0, change.trials.1),
            match change.lack {
                Some(lack) => language.open_change(lack).to_owned(),
                None => language.change(change.class).to_owned(),
            },
        ]);
    }
    let mut out = aligned(&lines, 2..4);
    let colon = language.label(Label::Colon);
    for (variant, workload) in &comparison.unmatched {
        out += &format!(
            "{} · {}{colon}{}\n",
            one_line(variant),
            one_line(workload),
            language.label(Label::OnlyInOne)
        );
    }
    for cell in &comparison.unmeasured {
        out += &format!(
            "{} · {}{colon}{}{}\n",
            one_line(&cell.variant),
            one_line(&cell.workload),
            language.label(Label::NothingCounts),
            language.in_brackets(&format!("{}, {}", cell.trials.0, cell.trials.1))
        );
    }
    let other_scale = before.scale.size != after.scale.size;
    let moved = |c: &Change| !(0.9..=1.1).contains(&c.ratio.value);
    for (holds, note) in [
        (before.openzfs_versions() != after.openzfs_versions(), Label::OtherRelease),
        (other_scale, Label::OtherScale),
        (other_scale && comparison.changes.iter().any(moved), Label::ScaleMoves),
    ] {
        if holds {
            out = out + language.label(note) + "\n";
        }
    }
    let worse = comparison.changes.iter().filter(|c| c.class == VerdictClass::Harmful).count()
        + comparison.unmeasured.iter().filter(|c| c.is_lost()).count();
    out += &match worse {
        0 => language.label(Label::NoRegression).to_owned(),
        n => format!("{}{n}", language.label(Label::Regressions)),
    };
    let open = comparison.changes.iter();
    let open = open.filter(|c| c.class == VerdictClass::Undecided).count();
    if open > 0 {
        out += language.label(Label::Semicolon);
        out += &language.open_changes(open);
    }
    out.push('\n');
    out.replace('\u{a0}', " ")
}

/// Cells beside published rows, as lines. `key` names the table.
pub fn published(cells: &[Published], key: &str, language: Language) -> String {
    let mut lines = vec![[
        language.label(Label::Variant).to_lowercase(),
        language.label(Label::Workload).to_lowercase(),
        language.label(Label::Published).to_owned() + &language.in_brackets(&one_line(key)),
        language.label(Label::Measured).to_lowercase(),
        language.label(Label::Ratio).to_owned(),
    ]];
    for cell in cells {
        lines.push([
            cut(&one_line(&cell.variant), 32),
            cut(&one_line(&cell.workload), 32),
            format!("{} ({})", count(cell.published), cut(&one_line(&cell.row), 32)),
            count(cell.measured),
            format!("{}{}", ratio(cell.ratio.value), range(&cell.ratio)),
        ]);
    }
    let mut out = aligned(&lines, 2..4);
    out += &match cells.iter().filter(|c| c.below).count() {
        0 => language.label(Label::NoneBelow).to_owned(),
        n => format!("{}{n}", language.label(Label::Below)),
    };
    out.push('\n');
    out.replace('\u{a0}', " ")
}
