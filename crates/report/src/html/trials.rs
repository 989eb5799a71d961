//! Every conservation check, the method, every trial.

use super::{Page, cell_names, head_row, label, scroll, section};
use crate::markup::Markup;
use crate::rows::rate;
use findings::schema::{Cell, Check, Law, TrialRow, Validity, short_key};
use text::number::{count, micros, share};
use text::{Label, Language};

/// Most rows of checks and of trials in the page; the data holds all of them.
const ROWS: usize = 2000;

impl Page<'_> {
    pub(super) fn checks(&self, m: &mut Markup) {
        section(m, "checks", |m| {
            m.tag("p").class("lede").say(label(Label::ChecksIntro));
            let mut laws: Vec<Law> =
                self.findings.cells.iter().flat_map(|c| &c.checks).map(|c| c.law).collect();
            laws.sort();
            laws.dedup();
            if laws.is_empty() {
                return;
            }
            m.tag("ul").class("text").inside(|m| {
                for law in &laws {
                    m.tag("li").inside(|m| {
                        m.tag("b").say(|w| w.law(*law).to_owned());
                        m.say(|w| {
                            format!(
                                "{}{}{}",
                                w.label(Label::Colon),
                                w.law_says(*law),
                                w.label(Label::FullStop)
                            )
                        });
                    });
                }
            });
            scroll(m, "checks-title", |m| m.tag("table").inside(|m| self.matrix(m, &laws)));
            m.tag("details").inside(|m| {
                m.tag("summary").say(label(Label::Numbers));
                scroll(m, "checks-title", |m| m.tag("table").inside(|m| self.every_check(m)));
            });
        });
    }

    fn matrix(&self, m: &mut Markup, laws: &[Law]) {
        m.tag("thead").inside(|m| {
            m.tag("tr").inside(|m| {
                m.tag("th").attr("scope", "col").say(label(Label::Variant));
                m.tag("th").attr("scope", "col").say(label(Label::Workload));
                for law in laws {
                    m.tag("th").attr("scope", "col").say(|w| w.law(*law).to_owned());
                }
            });
        });
        m.tag("tbody").inside(|m| {
            for cell in &self.findings.cells {
                m.tag("tr").inside(|m| {
                    cell_names(m, &cell.variant, &cell.workload);
                    for law in laws {
                        m.tag("td").inside(|m| field(m, cell, *law));
                    }
                });
            }
        });
    }

    fn every_check(&self, m: &mut Markup) {
        head_row(
            m,
            &[
                (Label::Trial, false),
                (Label::Variant, false),
                (Label::Workload, false),
                (Label::Law, false),
                (Label::Of, false),
                (Label::Measured, true),
                (Label::Expected, true),
                (Label::Tolerance, true),
                (Label::Outcome, false),
            ],
        );
        m.tag("tbody").inside(|m| {
            let all = self.findings.cells.iter().flat_map(|c| c.checks.iter().map(move |k| (c, k)));
            // Broken ones are never the ones left out.
            let broken = all.clone().filter(|(_, check)| !check.pass);
            let held = all.filter(|(_, check)| check.pass);
            for (cell, check) in broken.chain(held).take(ROWS) {
                m.tag("tr").inside(|m| check_row(m, cell, check));
            }
        });
    }

    pub(super) fn method(&self, m: &mut Markup) {
        section(m, "method", |m| {
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
                scroll(m, "trials", |m| {
                    m.tag("table").inside(|m| {
                        head_row(
                            m,
                            &[
                                (Label::Trial, false),
                                (Label::Variant, false),
                                (Label::Workload, false),
                                (Label::Seed, true),
                                (rate(self.findings), true),
                                (Label::Mean, true),
                                (Label::Outcome, false),
                                (Label::Remarks, false),
                            ],
                        );
                        m.tag("tbody").inside(|m| {
                            for trial in self.findings.trials.iter().take(ROWS) {
                                m.tag("tr").inside(|m| trial_row(m, trial));
                            }
                        });
                    });
                });
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
    m.tag("td").inside(|m| code(m, trial.short_key()));
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
            let mut remarks: Vec<String> = trial.issues.iter().map(|i| w.issue(i)).collect();
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
