//! Every conservation check, the method, every trial.

use super::{Page, cell_names, column, head_row, label, numbers, scroll};
use crate::markup::Markup;
use crate::rows::rate;
use findings::schema::{Cell, Check, Law, TrialRow, Validity, short_key};
use std::collections::BTreeSet;
use text::number::{count, micros, share};
use text::{Label, Language};

/// Most rows of checks and of trials in the page; the data holds all of them.
const ROWS: usize = 2000;

impl Page<'_> {
    pub(super) fn checks(&self, m: &mut Markup) {
        m.tag("p").class("lede").say(label(Label::ChecksIntro));
        let checks = self.findings.cells.iter().flat_map(|cell| &cell.checks);
        let laws: BTreeSet<Law> = checks.map(|check| check.law).collect();
        if laws.is_empty() {
            return;
        }
        m.tag("ul").class("text").each("li", &laws, |m, law| {
            m.tag("b").say(|w| w.law(*law).to_owned());
            m.say(|w| {
                w.label(Label::Colon).to_owned() + w.law_says(*law) + w.label(Label::FullStop)
            });
        });
        scroll(m, "checks-title", &[], |m| self.matrix(m, &laws));
        numbers(m, "checks-title", |m| self.every_check(m));
    }

    fn matrix(&self, m: &mut Markup, laws: &BTreeSet<Law>) {
        m.table_head(|m| {
            column(m, false).say(label(Label::Variant));
            column(m, false).say(label(Label::Workload));
            for law in laws {
                column(m, false).say(|w| w.law(*law).to_owned());
            }
        });
        m.tag("tbody").each("tr", &self.findings.cells, |m, cell| {
            cell_names(m, &cell.variant, &cell.workload);
            for law in laws {
                m.tag("td").inside(|m| field(m, cell, *law));
            }
        });
    }

    fn every_check(&self, m: &mut Markup) {
        head_row(
            m,
            &[Label::Trial, Label::Variant, Label::Workload, Label::Law, Label::Of],
            &[Label::Measured, Label::Expected, Label::Tolerance],
            &[Label::Outcome],
        );
        let all = self.findings.cells.iter().flat_map(|c| c.checks.iter().map(move |k| (c, k)));
        // Broken ones are never the ones left out.
        let broken = all.clone().filter(|(_, check)| !check.pass);
        let held = all.filter(|(_, check)| check.pass);
        let shown = broken.chain(held).take(ROWS);
        m.tag("tbody").each("tr", shown, |m, (cell, check)| check_row(m, cell, check));
    }

    pub(super) fn method(&self, m: &mut Markup) {
        m.tag("div").class("prose").inside(|m| {
            let method = &self.findings.method;
            let paragraphs = |w: Language| w.method(method);
            let most = paragraphs(text::Language::English).len();
            for i in 0..most {
                m.tag("p").say(|w| paragraphs(w).swap_remove(i));
            }
        });
        m.tag("details").inside(|m| {
            m.tag("summary").attr("id", "trials").say(label(Label::Trials));
            scroll(m, "trials", &[], |m| {
                head_row(
                    m,
                    &[Label::Trial, Label::Variant, Label::Workload],
                    &[Label::Seed, rate(self.findings), Label::Mean],
                    &[Label::Outcome, Label::Remarks],
                );
                let shown = self.findings.trials.iter().take(ROWS);
                m.tag("tbody").each("tr", shown, trial_row);
            });
        });
    }
}

/// A trial's key, as it stands in the store.
fn code(m: &mut Markup, key: &str) {
    m.tag("code").inside(|m| m.foreign(key));
}

/// How one law fares in one cell.
fn field(m: &mut Markup, cell: &Cell, law: Law) {
    let checks: Vec<&Check> = cell.checks.iter().filter(|c| c.law == law).collect();
    let held = checks.iter().filter(|c| c.pass).count();
    match (held, checks.len()) {
        (_, 0) => m.text("–"),
        (held, all) if held == all => m.tag("span").class("ok").inside(|m| {
            m.text(format_args!("✓ {all} "));
            m.tag("span").class("sr").say(label(Label::Holds));
        }),
        (held, all) => m.tag("span").class("bad").inside(|m| {
            m.text(format_args!("✗ {}/{all} ", all - held));
            m.say(label(Label::Broken));
        }),
    }
}

fn check_row(m: &mut Markup, cell: &Cell, check: &Check) {
    m.tag("td").inside(|m| code(m, short_key(&check.trial)));
    cell_names(m, &cell.variant, &cell.workload);
    m.tag("td").say(|w| w.law(check.law).to_owned());
    m.tag("td").inside(|m| m.foreign(check.of.as_deref().unwrap_or("")));
    for value in [check.measured, check.expected] {
        m.tag("td").class("num").inside(|m| {
            m.text(count(value));
            m.text(" ");
            m.say(|w| w.law_unit(check.law).to_owned());
        });
    }
    m.tag("td").class("num").text(share(check.tolerance));
    let (class, word) = if check.pass { ("ok", Label::Holds) } else { ("bad", Label::Broken) };
    m.tag("td").class(class).say(label(word));
}

fn trial_row(m: &mut Markup, trial: &TrialRow) {
    m.tag("td").inside(|m| code(m, short_key(&trial.key)));
    cell_names(m, &trial.variant, &trial.workload);
    m.tag("td").class("num").text(trial.seed);
    m.tag("td").class("num").text(trial.throughput.map_or("–".into(), count));
    m.tag("td").class("num").text(trial.mean_us.map_or("–".into(), micros));
    let class = match trial.validity {
        Validity::Valid => "ok",
        Validity::Excluded => "warn",
        Validity::Failed => "bad",
    };
    m.tag("td").class(class).say(|w| w.validity(trial.validity).to_owned());
    m.tag("td").class("wide").inside(|m| {
        m.say(|w| {
            let mut remarks: Vec<String> = w.part(&trial.part).into_iter().collect();
            remarks.extend(trial.issues.iter().map(|issue| w.issue(issue)));
            if trial.outlier {
                remarks.push(w.label(Label::Outlier).to_owned());
            }
            remarks.join(w.label(Label::Semicolon))
        });
        for foreign in trial.failure.iter().chain(&trial.notes) {
            m.text(" ");
            m.foreign(&text::line::one_line(foreign));
        }
    });
}
