//! What would change the answer, and why it should be believed.

use super::answer::chip;
use super::{Page, label, list};
use crate::markup::Markup;
use crate::rows::{Answer, risks, title};
use text::Label;
use text::line::one_line;
use text::number::{bytes, count};

impl Page<'_> {
    pub(super) fn what_changes(&self, m: &mut Markup) {
        let telling = |a: &&Answer| {
            !a.verdict.sensitivity.is_empty()
                || a.verdict.break_even.is_some()
                || !a.verdict.conditions.is_empty()
                || a.needed().is_some()
        };
        let answers: Vec<&Answer> = self.answers.iter().filter(telling).collect();
        for answer in answers {
            m.tag("h3").inside(|m| {
                m.say(|w| title(self.findings, w, answer.verdict));
                m.text(" ");
                chip(m, answer.verdict.class);
            });
            m.tag("ul").class("text").inside(|m| {
                let verdict = answer.verdict;
                m.say_each("li", &verdict.break_even, |w, even| w.break_even(even, answer.rate));
                m.say_each("li", &verdict.sensitivity, |w, varied| w.sensitivity(varied));
                m.say_each("li", &verdict.conditions, |w, condition| w.condition(condition));
                m.say_each("li", answer.needed(), |w, needed| w.needed(needed));
            });
        }
        if self.answers.iter().all(|answer| answer.verdict.sensitivity.is_empty()) {
            m.tag("p").say(label(Label::NotVaried));
        }
    }

    pub(super) fn trust(&self, m: &mut Markup) {
        let scale = &self.findings.scale;
        m.tag("p").class("believe").say(label(Label::NotValidated));
        m.tag("dl").class("pairs").inside(|m| {
            m.tag("div").inside(|m| {
                m.tag("dt").say(label(Label::SizeScale));
                let size = count(scale.size);
                m.tag("dd").say(|w| format!("{size} · {}", w.bound_by(&scale.size_bound_by)));
            });
            let mut fact = |name: Label, value: String| {
                m.tag("div").inside(|m| {
                    m.tag("dt").say(label(name));
                    m.tag("dd").inside(|m| m.foreign(&value));
                });
            };
            fact(Label::ModelArc, bytes(scale.arc_max as f64));
            let dirty = [scale.dirty_data_max, scale.dirty_data_max_real];
            let [model, real] = dirty.map(|b| bytes(b as f64));
            fact(Label::DirtyLimit, format!("{model} / {real}"));
        });
        list(m, Label::Validation, &self.findings.validation, |m, part| {
            m.say(|w| w.validation(part));
        });
        list(m, Label::ProfileNumbers, &scale.open_numbers, |m, open| {
            m.say(|w| w.open_numbers(open));
        });
        let warmed: Vec<_> =
            self.all_charted().filter_map(|cell| Some((cell, cell.warm_up?))).collect();
        list(m, Label::WarmUp, &warmed, |m, (cell, warmed)| {
            m.tag("b").inside(|m| m.foreign(&format!("{} · {}", cell.variant, cell.workload)));
            m.text(" ");
            m.say(|w| w.warmed(warmed));
        });
        list(m, Label::OtherSizes, &scale.other_sizes, |m, other| {
            m.say(|w| w.other_size(other));
        });
        if scale.other_sizes.iter().any(|o| o.moves) {
            m.tag("p").class("believe").say(label(Label::ScaleMoves));
        }
        m.tag("h3").say(label(Label::Limits));
        m.tag("ul").class("text").inside(|m| {
            m.say_each("li", &scale.limits, |w, limit| w.scale_limit(limit));
            for note in &scale.notes {
                m.tag("li").inside(|m| m.foreign(&one_line(note)));
            }
        });
        list(m, Label::Risks, &risks(self.findings), |m, (variant, risk)| {
            m.tag("b").inside(|m| m.foreign(variant));
            m.text(" ");
            m.say(|w| w.risk(*risk));
        });
        list(m, Label::Contradictions, &self.findings.lints, |m, lint| {
            m.tag("b").say(|w| w.severity(lint.severity).to_owned());
            m.text(" ");
            for row in &lint.rows {
                m.foreign(row);
                m.text(" ");
            }
            m.say(|w| w.lint(&lint.finding));
        });
    }
}
