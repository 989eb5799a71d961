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
