//! The answer first: verdicts with their intervals in words.

use super::{Page, label};
use crate::markup::Markup;
use crate::rows::{
    Answer, adequate_text, cautions, class_name, class_sign, distinct, enough, reason_text,
    subject, tail_text, title,
};
use findings::schema::{Effect, Metric, PhaseKind, Verdict, VerdictClass};
use text::Label;
use text::number::{count, ratio};

/// Classes in the order a buyer asks for them.
const CLASSES: [VerdictClass; 5] = [
    VerdictClass::WorthIt,
    VerdictClass::Harmful,
    VerdictClass::Depends,
    VerdictClass::NoEffect,
    VerdictClass::Undecided,
];

impl Page<'_> {
    pub(super) fn answer(&self, m: &mut Markup) {
        if self.answers.is_empty() {
            m.tag("p").class("lede").say(label(Label::NoVerdict));
            return;
        }
        if self.workloads.len() > 1 {
            self.summary(m);
        }
        if !self.findings.adequate.is_empty() {
            m.tag("ul").class("summary").each("li", &self.findings.adequate, |m, adequate| {
                m.tag("b").say(label(enough([adequate])));
                m.text(" ");
                m.say(|w| adequate_text(self.findings, w, adequate));
            });
        }
        m.tag("ul").class("cards").inside(|m| {
            for answer in &self.answers {
                self.card(m, answer);
            }
        });
    }

    /// One line a factor level: which workloads it is worth it for, and which not.
    fn summary(&self, m: &mut Markup) {
        let levels = distinct(self.answers.iter().map(level));
        m.tag("ul").class("summary").each("li", levels, |m, of| {
            let (factor, name) = of;
            m.tag("b").say(|w| subject(self.findings, w, factor, name));
            for class in CLASSES {
                let mine = |a: &&Answer| level(a) == of && a.verdict.class == class;
                let answers: Vec<&Answer> = self.answers.iter().filter(mine).collect();
                if !answers.is_empty() {
                    self.of_class(m, class, &answers);
                }
            }
        });
    }

    /// Operations a second of both sides of a throughput effect.
    fn rates(&self, effect: &Effect) -> Option<(f64, f64)> {
        let rate = |variant: &str| {
            let row = self
                .rows
                .iter()
                .find(|r| r.cell.variant == variant && r.cell.workload == effect.workload)?;
            match effect.phase {
                PhaseKind::Burst => row.first.map(|p| p.throughput.value),
                PhaseKind::Whole | PhaseKind::Sustained => row.lasting.map(|e| e.value),
            }
        };
        if effect.metric != Metric::Throughput {
            return None;
        }
        Some((rate(effect.baseline.as_ref()?)?, rate(effect.variant.as_ref()?)?))
    }

    fn of_class(&self, m: &mut Markup, class: VerdictClass, answers: &[&Answer]) {
        m.text(" ");
        m.tag("span").class("of").inside(|m| {
            chip(m, class);
            for (i, answer) in answers.iter().enumerate() {
                m.text(if i == 0 { " " } else { ", " });
                m.foreign(&answer.verdict.workload);
                if let Some(effect) = answer.ratio().filter(|_| class != VerdictClass::NoEffect) {
                    m.text(format_args!("\u{a0}{}", ratio(effect.ratio.value)));
                }
            }
        });
    }

    fn card(&self, m: &mut Markup, answer: &Answer) {
        let verdict = answer.verdict;
        m.tag("li").class(format_args!("card {}", class_name(verdict.class))).inside(|m| {
            m.tag("h3").inside(|m| {
                m.tag("span").class("name").say(|w| title(self.findings, w, verdict));
                chip(m, verdict.class);
            });
            if let Some(effect) = answer.ratio() {
                m.tag("div").class("figures").inside(|m| {
                    m.tag("span").class("figure").text(ratio(effect.ratio.value));
                    m.tag("span").class("range").inside(|m| {
                        if let Some((before, after)) = self.rates(effect) {
                            let rates = format!("{} → {} ", count(before), count(after));
                            m.tag("span").class("rates").text(rates);
                        }
                        m.say(|w| match effect.metric {
                            Metric::Throughput => w.label(answer.rate).to_owned(),
                            latency => w.metric(latency).to_owned(),
                        });
                        if effect.phase != PhaseKind::Whole {
                            m.text(" · ");
                            m.say(|w| w.phase(effect.phase).to_owned());
                        }
                    });
                });
            }
            m.tag("p").inside(|m| {
                m.say(|w| w.judgement(verdict, answer.deciding));
                if let Some(burst) = answer.burst {
                    m.say(|w| {
                        let space = w.label(Label::Space).to_owned();
                        space + &w.beside(burst) + w.label(Label::FullStop)
                    });
                }
            });
            points(m, verdict, answer);
        });
    }
}

/// What an answer is on: a factor's level.
fn level<'a>(answer: &Answer<'a>) -> (&'a str, &'a str) {
    (&answer.verdict.factor, &answer.verdict.level)
}

/// What is to be known of a verdict, as a list; nothing where there is nothing.
fn points(m: &mut Markup, verdict: &Verdict, answer: &Answer) {
    let mut list = Markup::new();
    list.say_each("li", &verdict.conditions, |w, condition| w.condition(condition));
    list.say_each("li", answer.reasons_context(), |w, levels| w.reasons_context(levels));
    list.say_each("li", &verdict.reasons, |w, reason| reason_text(w, reason));
    list.say_each("li", answer.tail, |w, tail| tail_text(w, tail));
    list.say_each("li", &verdict.price, |w, price| w.price(price, answer.rate));
    list.say_each("li", answer.needed(), |w, needed| w.needed(needed));
    for caution in cautions(answer) {
        list.tag("li").class("know").say(|w| w.caution(caution));
    }
    if !list.is_empty() {
        m.tag("ul").inside(|m| m.append(list));
    }
}

/// A verdict's class, with a sign beside its colour.
pub(super) fn chip(m: &mut Markup, class: VerdictClass) {
    m.tag("span").class(format_args!("chip {}", class_name(class))).inside(|m| {
        m.tag("span").attr("aria-hidden", "true").text(format_args!("{} ", class_sign(class)));
        m.say(|w| w.class(class).to_owned());
    });
}
