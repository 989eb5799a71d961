//! What would change the answer, and why it should be believed.

use super::answer::chip;
use super::{Page, label, section};
use crate::lang::Label;
use crate::markup::Markup;
use crate::number::{bytes, count};
use crate::rows::{Answer, risks, title, weaker};
use crate::text::one_line;

impl Page<'_> {
    pub(super) fn what_changes(&self, m: &mut Markup) {
        let telling = |a: &&Answer| {
            !a.verdict.sensitivity.is_empty()
                || a.verdict.break_even.is_some()
                || !a.verdict.conditions.is_empty()
                || a.needed().is_some()
        };
        let answers: Vec<&Answer> = self.answers.iter().filter(telling).collect();
        section(m, "changes", |m| {
            if answers.is_empty() {
                m.tag("p").say(label(Label::NothingChanges));
            }
            for answer in answers {
                m.tag("h3").inside(|m| {
                    m.say(|w| title(self.findings, w, answer.verdict));
                    m.text(" ");
                    chip(m, answer.verdict.class);
                });
                m.tag("ul").class("text").inside(|m| {
                    if let Some(even) = &answer.verdict.break_even {
                        m.tag("li").say(|w| w.break_even(even));
                    }
                    for sensitivity in &answer.verdict.sensitivity {
                        m.tag("li").say(|w| w.sensitivity(sensitivity));
                    }
                    for condition in &answer.verdict.conditions {
                        m.tag("li").say(|w| w.condition(condition));
                    }
                    if let Some(needed) = answer.needed() {
                        m.tag("li").say(|w| w.needed(&needed));
                    }
                });
            }
        });
    }

    pub(super) fn trust(&self, m: &mut Markup) {
        let scale = &self.findings.scale;
        section(m, "trust", |m| {
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
            self.validation(m);
            self.profiles(m);
            self.warm_ups(m);
            self.other_sizes(m);
            m.tag("h3").say(label(Label::Limits));
            m.tag("ul").class("text").inside(|m| {
                for limit in &scale.limits {
                    m.tag("li").say(|w| w.scale_limit(limit));
                }
                for note in &scale.notes {
                    m.tag("li").inside(|m| m.foreign(&one_line(note)));
                }
            });
            self.risks(m);
            self.lints(m);
        });
    }

    /// Which checks of docs/validation cover the case.
    fn validation(&self, m: &mut Markup) {
        m.tag("h3").say(label(Label::Validation));
        m.tag("ul").class("text").inside(|m| {
            for part in &self.findings.validation {
                m.tag("li").say(|w| w.validation(part));
            }
        });
    }

    fn profiles(&self, m: &mut Markup) {
        let open = &self.findings.scale.open_numbers;
        if !open.is_empty() {
            m.tag("h3").say(label(Label::ProfileNumbers));
            m.tag("ul").class("text").inside(|m| {
                for open in open {
                    m.tag("li").say(|w| w.open_numbers(open));
                }
            });
        }
    }

    /// How caches were warmed, of the cells that charts are drawn for.
    fn warm_ups(&self, m: &mut Markup) {
        let warmed: Vec<_> = self
            .workloads
            .iter()
            .flat_map(|w| self.charted(w))
            .filter_map(|cell| Some((cell, cell.warm_up?)))
            .collect();
        if warmed.is_empty() {
            return;
        }
        m.tag("h3").say(label(Label::WarmUp));
        m.tag("ul").class("text").inside(|m| {
            for (cell, warmed) in warmed {
                m.tag("li").inside(|m| {
                    m.tag("b")
                        .inside(|m| m.foreign(&format!("{} · {}", cell.variant, cell.workload)));
                    m.text(" ");
                    m.say(|w| w.warmed(&warmed));
                });
            }
        });
    }

    fn other_sizes(&self, m: &mut Markup) {
        let others = &self.findings.scale.other_sizes;
        if others.is_empty() {
            return;
        }
        m.tag("h3").say(label(Label::OtherSizes));
        if others.iter().any(|o| o.moves) {
            m.tag("p").class("believe").say(label(Label::ScaleMoves));
        }
        m.tag("ul").class("text").inside(|m| {
            for other in others {
                m.tag("li").say(|w| w.other_size(other));
            }
        });
    }

    fn risks(&self, m: &mut Markup) {
        let risks = risks(self.findings);
        let classes: Vec<_> = weaker(self.findings).collect();
        if risks.is_empty() && classes.is_empty() {
            return;
        }
        m.tag("h3").say(label(Label::Risks));
        m.tag("ul").class("text").inside(|m| {
            for (variant, class) in classes {
                m.tag("li").inside(|m| {
                    m.tag("b").inside(|m| m.foreign(variant));
                    m.text(" ");
                    m.say(|w| w.after_power_cut(class));
                });
            }
            for (variant, risk) in risks {
                m.tag("li").inside(|m| {
                    m.tag("b").inside(|m| m.foreign(variant));
                    m.text(" ");
                    m.say(|w| w.durability(risk));
                });
            }
        });
    }

    fn lints(&self, m: &mut Markup) {
        if self.findings.lints.is_empty() {
            return;
        }
        m.tag("h3").say(label(Label::Contradictions));
        m.tag("ul").class("text").inside(|m| {
            for lint in &self.findings.lints {
                m.tag("li").inside(|m| {
                    m.tag("b").say(|w| w.severity(lint.severity).to_owned());
                    m.text(" ");
                    for row in &lint.rows {
                        m.foreign(row);
                        m.text(" ");
                    }
                    m.say(|w| w.lint(&lint.finding));
                });
            }
        });
    }
}
