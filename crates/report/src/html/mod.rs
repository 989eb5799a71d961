//! The report as one HTML page: no request to anywhere, readable without its script, in every
//! language at once.

mod answer;
mod causes;
mod configuration;
mod data;
mod drives;
mod effects;
mod ladder;
mod latency;
mod over_time;
mod read_sources;
mod resources;
mod sync_tests;
mod table;
mod trials;
mod trust;

use crate::markup::{Markup, Tag};
use crate::rows::{Answer, Row, answers, rows, workloads};
use base64::Engine;
use findings::schema::{Cell, Findings, ThroughputSeries, Validity};
use lab::campaign::Campaign;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use text::{Label, Language};

/// Cells that charts are drawn for; a page of a thousand cells has them all in its table.
const CHARTED: usize = 32;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What was run, beside what it showed.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    /// The campaign as resolved.
    pub campaign: &'a Campaign,
    /// The lab file as it was run.
    pub lab_text: &'a str,
}

/// Everything a section reads.
struct Page<'a> {
    findings: &'a Findings,
    configuration: Option<Configuration<'a>>,
    rows: Vec<Row<'a>>,
    answers: Vec<Answer<'a>>,
    workloads: Vec<&'a str>,
    colours: BTreeMap<&'a str, usize>,
}

/// The page, opened in `language`.
pub fn render(
    findings: &Findings,
    configuration: Option<Configuration>,
    language: Language,
) -> String {
    let colours = findings.variants.iter().enumerate().map(|(i, v)| (v.name.as_str(), i)).collect();
    let page = Page {
        findings,
        configuration,
        rows: rows(findings),
        answers: answers(findings),
        workloads: workloads(findings),
        colours,
    };
    let mut m = Markup::new();
    m.own("<!doctype html>\n");
    m.tag("html").attr("lang", language.tag()).inside(|m| {
        m.tag("head").inside(|m| page.head(m));
        m.tag("body").inside(|m| page.body(m, language));
    });
    m.into_string()
}

impl<'a> Page<'a> {
    fn head(&self, m: &mut Markup) {
        m.tag("meta").attr("charset", "utf-8").empty();
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        m.tag("meta").attr("http-equiv", "Content-Security-Policy").attr("content", policy).empty();
        m.tag("meta")
            .attr("name", "viewport")
            .attr("content", "width=device-width, initial-scale=1")
            .empty();
        m.tag("meta").attr("name", "color-scheme").attr("content", "light dark").empty();
        m.tag("meta").attr("name", "referrer").attr("content", "no-referrer").empty();
        m.tag("title").text(&self.findings.lab.title);
        // An icon of its own, so that a browser does not look for one.
        m.tag("link").attr("rel", "icon").attr("href", "data:,").empty();
        m.tag("style").inside(|m| m.own(STYLE));
    }

    fn body(&self, m: &mut Markup, language: Language) {
        m.tag("a").class("skip").attr("href", "#answer").say(label(Label::SkipToAnswer));
        // Written first: the contents above them name only those that there are.
        let (mut sections, mut there) = (Markup::new(), Vec::new());
        for (id, heading, intro, write) in SECTIONS {
            let mut content = Markup::new();
            write(self, &mut content);
            if content.is_empty() {
                continue;
            }
            there.push((id, heading));
            let title = format!("{id}-title");
            let section = sections.tag("section").attr("id", id).attr("aria-labelledby", &title);
            section.inside(|m| {
                m.tag("h2").attr("id", &title).say(label(heading));
                if let Some(intro) = intro {
                    m.tag("p").class("lede").say(label(intro));
                }
                m.append(content);
            });
        }
        m.tag("header").class("top shell").inside(|m| self.header(m, language, &there));
        m.tag("main").class("shell").inside(|m| m.append(sections));
        m.tag("footer").class("shell").inside(|m| {
            m.tag("p").text(format_args!("Poolwright {}", env!("CARGO_PKG_VERSION")));
        });
        m.tag("script").inside(|m| m.own(SCRIPT));
    }

    /// The head of the page; `there` are the ids and headings of its sections.
    fn header(&self, m: &mut Markup, language: Language, there: &[(&str, Label)]) {
        m.tag("div").class("bar-top").inside(|m| {
            m.tag("div").class("brand").inside(|m| {
                m.text("Poolwright ");
                m.tag("span").say(label(Label::Report));
            });
            controls(m, language);
        });
        m.tag("noscript").inside(|m| m.tag("p").class("lede").say(label(Label::NoScript)));
        m.tag("h1").inside(|m| m.foreign(&self.findings.lab.title));
        m.tag("p").class("facts").inside(|m| {
            m.tag("span").say(|w| w.model(self.findings));
        });
        m.tag("p").class("facts").inside(|m| {
            self.fact(m, Label::Lab, &self.findings.lab.name);
            if let Some(source) = &self.findings.lab.source {
                self.fact(m, Label::Source, source);
            }
            self.fact(m, Label::Baseline, &self.findings.lab.baseline);
            let trials = &self.findings.trials;
            let count = |validity| trials.iter().filter(|t| t.validity == validity).count();
            let (excluded, failed) = (count(Validity::Excluded), count(Validity::Failed));
            m.tag("span")
                .say(|w| w.census(self.findings.cells.len(), trials.len(), excluded, failed));
        });
        m.tag("nav").class("toc").attr("aria-labelledby", "toc").inside(|m| {
            m.tag("span").class("sr").attr("id", "toc").say(label(Label::Contents));
            m.tag("ul").each("li", there, |m, (id, heading)| {
                m.tag("a").attr("href", format_args!("#{id}")).say(label(*heading));
            });
        });
    }

    fn fact(&self, m: &mut Markup, what: Label, value: &str) {
        m.tag("span").inside(|m| {
            m.say(label(what));
            m.text(" ");
            m.tag("b").inside(|m| m.foreign(value));
        });
    }

    /// The style class of a variant's colour, with a dash pattern where colours repeat.
    fn colour(&self, variant: &str) -> String {
        let i = self.colours.get(variant).copied().unwrap_or(0);
        match (i / 8) % 4 {
            0 => format!("v{}", i % 8),
            dash => format!("v{} d{dash}", i % 8),
        }
    }

    /// The cells of a workload that charts are drawn for.
    fn charted<'s>(&'s self, workload: &'s str) -> impl Iterator<Item = &'a Cell> + 's {
        self.findings
            .cells
            .iter()
            .take(CHARTED)
            .filter(move |c| c.workload == workload && c.validity != Validity::Failed)
    }

    /// The cells of all workloads that charts are drawn for.
    fn all_charted(&self) -> impl Iterator<Item = &'a Cell> {
        self.workloads.iter().flat_map(move |workload| self.charted(workload))
    }

    /// The trial whose course is shown for a cell: its first that counts, or its first.
    fn course(&self, cell: &'a Cell) -> Option<&'a ThroughputSeries> {
        let valid = |s: &&ThroughputSeries| {
            let mut trials = self.findings.trials.iter();
            trials.any(|t| t.key == s.trial && t.validity == Validity::Valid)
        };
        cell.series.iter().find(valid).or(cell.series.first())
    }

    /// Says so where not every cell is drawn.
    fn more_cells(&self, m: &mut Markup) {
        if self.findings.cells.len() > CHARTED {
            m.tag("p").class("sub").say(label(Label::MoreCells));
        }
    }
}

/// A section that a page may have: its id, its heading, its first paragraph, and what writes the rest; one of which
/// nothing is written is left out.
type Section = (&'static str, Label, Option<Label>, fn(&Page, &mut Markup));

const SECTIONS: [Section; 17] = [
    ("answer", Label::Answer, None, |page, m| page.answer(m)),
    ("effects", Label::Effects, Some(Label::EffectsIntro), |page, m| page.effects(m)),
    ("comparison", Label::Comparison, None, |page, m| page.comparison(m)),
    ("sync-tests", Label::SyncTests, Some(Label::SyncTestsIntro), |page, m| page.sync_tests(m)),
    ("time", Label::OverTime, Some(Label::OverTimeIntro), |page, m| page.over_time(m)),
    ("latency", Label::LatencyCurves, None, |page, m| page.latency(m)),
    ("load", Label::Load, Some(Label::LoadIntro), |page, m| page.ladders(m)),
    ("causes", Label::WaitsFor, Some(Label::WaitsForIntro), |page, m| page.waits_for(m)),
    ("limits", Label::LimitedBy, Some(Label::LimitedByIntro), |page, m| page.limited_by(m)),
    ("reads", Label::WhoAnswered, Some(Label::WhoAnsweredIntro), |page, m| page.who_answered(m)),
    ("drives", Label::Drives, Some(Label::DrivesIntro), |page, m| page.drives(m)),
    ("configuration", Label::Configuration, Some(Label::ConfigurationIntro), |page, m| {
        page.configured(m)
    }),
    ("changes", Label::WhatChanges, None, |page, m| page.what_changes(m)),
    ("trust", Label::Trust, None, |page, m| page.trust(m)),
    ("checks", Label::Checks, None, |page, m| page.checks(m)),
    ("method", Label::Method, None, |page, m| page.method(m)),
    ("data", Label::Data, Some(Label::DataIntro), |page, m| page.data(m)),
];

/// The phrase of a label, for [`Markup::say`].
fn label(label: Label) -> impl Fn(Language) -> String {
    move |words| words.label(label).to_owned()
}

/// A list under a heading of its own; nothing of an empty one.
fn list<'a, T>(m: &mut Markup, heading: Label, items: &'a [T], item: impl Fn(&mut Markup, &'a T)) {
    if items.is_empty() {
        return;
    }
    m.tag("h3").say(label(heading));
    m.tag("ul").class("text").each("li", items, item);
}

/// A table that scrolls by itself when it is wider than the page, reachable by keyboard.
fn scroll(
    m: &mut Markup,
    labelled_by: &str,
    attributes: &[(&'static str, &str)],
    content: impl FnOnce(&mut Markup),
) {
    m.tag("div")
        .class("scroll")
        .attr("role", "region")
        .attr("tabindex", 0)
        .attr("aria-labelledby", labelled_by)
        .inside(|m| {
            let table = m.tag("table");
            let table = attributes.iter().fold(table, |tag, (name, value)| tag.attr(name, value));
            table.inside(content);
        });
}

/// A head row of column names: of words, of numbers, which stand to the right, and of words again.
fn head_row(m: &mut Markup, words: &[Label], numbers: &[Label], others: &[Label]) {
    m.table_head(|m| {
        for (names, number) in [(words, false), (numbers, true), (others, false)] {
            names.iter().for_each(|name| column(m, number).say(label(*name)));
        }
    });
}

/// The head of a column; that of numbers stands to the right.
fn column(m: &mut Markup, number: bool) -> Tag<'_> {
    let head = m.tag("th").attr("scope", "col");
    if number { head.class("num") } else { head }
}

/// `VARIANT · WORKLOAD`.
fn cell_title(m: &mut Markup, cell: &Cell) {
    m.foreign(&cell.variant);
    m.text(" · ");
    m.foreign(&cell.workload);
}

/// The names of a cell, in two columns.
fn cell_names(m: &mut Markup, variant: &str, workload: &str) {
    m.tag("th").attr("scope", "row").inside(|m| m.foreign(variant));
    m.tag("td").class("name").inside(|m| m.foreign(workload));
}

/// A table folded away under "the numbers of this chart".
fn numbers(m: &mut Markup, labelled_by: &str, table: impl FnOnce(&mut Markup)) {
    m.tag("details").inside(|m| {
        m.tag("summary").say(label(Label::Numbers));
        scroll(m, labelled_by, &[], table);
    });
}

fn controls(m: &mut Markup, language: Language) {
    let group = |m: &mut Markup, id: &'static str, name: Label, content: &dyn Fn(&mut Markup)| {
        m.tag("span").class("sr").attr("id", id).say(label(name));
        m.tag("div")
            .class("group")
            .attr("role", "group")
            .attr("aria-labelledby", id)
            .inside(content);
    };
    m.tag("div").class("controls").inside(|m| {
        group(m, "switch-language", Label::LanguageSwitch, &|m| {
            for one in Language::ALL {
                m.tag("button")
                    .class("keep")
                    .attr("type", "button")
                    .attr("lang", one.tag())
                    .attr("data-language", one.tag())
                    .attr("aria-pressed", one == language)
                    .text(one.own_name());
            }
        });
        group(m, "switch-theme", Label::Theme, &|m| {
            let themes = [
                ("auto", Label::ThemeAuto),
                ("light", Label::ThemeLight),
                ("dark", Label::ThemeDark),
            ];
            for (theme, name) in themes {
                m.tag("button")
                    .attr("type", "button")
                    .attr("data-set-theme", theme)
                    .attr("aria-pressed", theme == "auto")
                    .say(label(name));
            }
        });
        m.tag("button")
            .class("plain")
            .attr("type", "button")
            .attr("data-print", "")
            .say(label(Label::Print));
    });
}

/// A source of the content security policy: the text's own hash, so that no other script or style
/// on the page is ever used.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(digest))
}
