//! Two campaigns against each other, in words.

mod fixture;

use fixture::{Shape, findings};
use report::compare::text;
use text::Language;

const SHAPE: Shape = Shape { workloads: 2, trials: 4, seconds: 0, drives: 0 };

#[test]
fn what_became_worse_what_is_missing_and_another_scale_are_said() {
    let before = findings(&SHAPE);
    let mut after = findings(&Shape { workloads: 1, ..SHAPE });
    after.scale.size = 24.0;
    after.variants[0].openzfs = vec!["2.2.0".to_owned()];
    for trial in &mut after.trials {
        if trial.variant == "mirror/none" {
            trial.throughput = trial.throughput.map(|t| t * 0.66);
        }
    }
    let comparison = findings::compare(&before, &after);
    let printed = text(&comparison, &before, &after, Language::English);
    insta::assert_snapshot!(printed);
    let printed = text(&comparison, &before, &after, Language::Chinese);
    assert!(printed.contains("none/none · sync-large：仅出现在其中一轮\n"), "{printed}");
}

#[test]
fn how_many_cells_are_open_is_said_with_what_is_counted() {
    let one = findings(&Shape { trials: 1, ..SHAPE });
    let comparison = findings::compare(&one, &one);
    let mut other = comparison.clone();
    for change in &mut other.changes {
        change.class = findings::schema::VerdictClass::Undecided;
    }
    let n = other.changes.len();
    let printed = text(&other, &one, &one, Language::Chinese);
    assert!(printed.trim_end().ends_with(&format!("；{n} 个组合尚无定论")), "{printed}");
    let printed = text(&other, &one, &one, Language::English);
    assert!(printed.trim_end().ends_with(&format!("; {n} undecided")), "{printed}");
}

#[test]
fn a_campaign_against_itself_has_nothing_worse() {
    let one = findings(&SHAPE);
    let comparison = findings::compare(&one, &one);
    for language in Language::ALL {
        let printed = text(&comparison, &one, &one, language);
        let none = language.label(text::Label::NoRegression);
        assert!(printed.lines().last().unwrap().starts_with(none), "{printed}");
    }
}
