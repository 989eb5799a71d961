//! Wholes and their parts: where an operation's time goes, who answered the reads.

use super::{Page, head_row, label, numbers, scroll, section};
use crate::charts::bars::{self, Part};
use crate::lang::{Label, Words};
use crate::markup::Markup;
use crate::number::{micros, share};
use findings::output::{Attribution, Cell, Stage};

impl Page<'_> {
    pub(super) fn where_time(&self, m: &mut Markup) {
        let cells: Vec<(&Cell, &Attribution)> = self
            .workloads
            .iter()
            .flat_map(|w| self.charted(w))
            .filter_map(|c| Some((c, c.attribution.as_ref()?)))
            .collect();
        if cells.is_empty() {
            return;
        }
        section(m, "stages", |m| {
            m.tag("p").class("lede").say(label(Label::WhereTimeIntro));
            self.more_cells(m);
            stage_legend(m, &cells);
            scroll(m, "stages-title", |m| {
                m.tag("table").class("bars stack").inside(|m| {
                    head_row(
                        m,
                        &[
                            (Label::Variant, false),
                            (Label::Workload, false),
                            (Label::MeanWithSync, true),
                            (Label::WhereTime, false),
                            (Label::LimitedBy, false),
                        ],
                    );
                    m.tag("tbody").inside(|m| {
                        for (cell, attribution) in &cells {
                            m.tag("tr").inside(|m| stage_row(m, cell, attribution));
                        }
                    });
                });
            });
            numbers(m, "stages-title", |m| stage_table(m, &cells));
        });
    }

    pub(super) fn who_answered(&self, m: &mut Markup) {
        let cells: Vec<&Cell> = self
            .workloads
            .iter()
            .flat_map(|w| self.charted(w))
            .filter(|c| c.hits.reads.is_some())
            .collect();
        if cells.is_empty() {
            return;
        }
        let kinds = [
            ("r-dbuf", Label::Dbuf),
            ("r-arc", Label::ArcAlone),
            ("r-l2arc", Label::L2arc),
            ("r-drives", Label::Pool),
        ];
        section(m, "reads", |m| {
            m.tag("p").class("lede").say(label(Label::WhoAnsweredIntro));
            m.tag("ul").class("legend").inside(|m| {
                for (class, name) in kinds {
                    m.tag("li").inside(|m| {
                        patch(m, class);
                        m.say(label(name));
                    });
                }
            });
            scroll(m, "reads-title", |m| {
                m.tag("table").class("bars stack").inside(|m| {
                    head_row(
                        m,
                        &[
                            (Label::Variant, false),
                            (Label::Workload, false),
                            (Label::WhoAnswered, false),
                            (Label::Dbuf, true),
                            (Label::ArcAlone, true),
                            (Label::L2arc, true),
                            (Label::Pool, true),
                        ],
                    );
                    m.tag("tbody").inside(|m| {
                        for cell in &cells {
                            m.tag("tr").inside(|m| read_row(m, cell, &kinds));
                        }
                    });
                });
            });
        });
    }
}

fn names(m: &mut Markup, cell: &Cell) {
    m.tag("th")
        .attr("scope", "row")
        .inside(|m| m.foreign(&cell.variant));
    m.tag("td")
        .class("name")
        .inside(|m| m.foreign(&cell.workload));
}

/// The name of a cell's column, for narrow screens, where columns have no heads.
fn key(m: &mut Markup, name: Label) {
    m.tag("span").class("key").say(label(name));
}

fn read_row(m: &mut Markup, cell: &Cell, kinds: &[(&'static str, Label); 4]) {
    names(m, cell);
    let Some(reads) = cell.hits.reads else { return };
    let shares = [reads.dbuf, reads.arc, reads.l2arc, reads.drives];
    let parts: Vec<Part> = kinds
        .iter()
        .zip(shares)
        .map(|((class, _), of)| Part {
            class,
            share: of,
            title: share(of),
        })
        .collect();
    m.tag("td")
        .class("plot-cell")
        .inside(|m| bars::draw(m, &parts));
    for ((_, name), of) in kinds.iter().zip(shares) {
        m.tag("td").class("num").inside(|m| {
            key(m, *name);
            m.text(share(of));
        });
    }
}

/// The colour of a stage, by the names that findings give them (`attribution`).
fn stage_class(stage: &str) -> &'static str {
    match stage {
        "throttle" => "s-throttle",
        "log_write" => "s-log",
        "log_flush" => "s-flush",
        "commit" => "s-zil",
        "record_read" => "s-record",
        "range_lock" => "s-queue",
        "work" => "s-cpu",
        _ => "s-other",
    }
}

fn stage_name(words: &dyn Words, stage: &Stage) -> String {
    words.stage(&stage.operation, &stage.stage)
}

/// A square of a colour.
fn patch(m: &mut Markup, class: &'static str) {
    m.tag("svg")
        .attr("width", 12)
        .attr("height", 12)
        .attr("aria-hidden", "true")
        .inside(|m| {
            m.tag("rect")
                .class(class)
                .attr("width", 12)
                .attr("height", 12)
                .attr("rx", 2)
                .empty();
        });
}

fn stage_legend(m: &mut Markup, cells: &[(&Cell, &Attribution)]) {
    let mut seen: Vec<&Stage> = Vec::new();
    for stage in cells.iter().flat_map(|(_, a)| &a.stages) {
        let known = |s: &&Stage| (&s.operation, &s.stage) == (&stage.operation, &stage.stage);
        if !seen.iter().any(known) && seen.len() < 16 {
            seen.push(stage);
        }
    }
    m.tag("ul").class("legend").inside(|m| {
        for stage in seen {
            m.tag("li").inside(|m| {
                patch(m, stage_class(&stage.stage));
                m.say(|w| stage_name(w, stage));
            });
        }
        m.tag("li").inside(|m| {
            patch(m, "s-outside");
            m.say(label(Label::Outside));
        });
    });
}

fn stage_row(m: &mut Markup, cell: &Cell, attribution: &Attribution) {
    names(m, cell);
    let total =
        attribution.outside_us + attribution.stages.iter().map(|s| s.us_per_op).sum::<f64>();
    m.tag("td").class("num").inside(|m| {
        key(m, Label::MeanWithSync);
        m.text(micros(total));
    });
    let mut parts: Vec<Part> = attribution
        .stages
        .iter()
        .map(|stage| Part {
            class: stage_class(&stage.stage),
            share: stage.share,
            title: format!(
                "{} {} · {}",
                stage.operation,
                stage.stage,
                share(stage.share)
            ),
        })
        .collect();
    parts.push(Part {
        class: "s-outside",
        share: attribution.outside_share,
        title: share(attribution.outside_share),
    });
    m.tag("td")
        .class("plot-cell")
        .inside(|m| bars::draw(m, &parts));
    m.tag("td").inside(|m| {
        key(m, Label::LimitedBy);
        m.say(|w| w.limit(&attribution.limit));
    });
}

fn stage_table(m: &mut Markup, cells: &[(&Cell, &Attribution)]) {
    head_row(
        m,
        &[
            (Label::Variant, false),
            (Label::Workload, false),
            (Label::WhereTime, false),
            (Label::Latency, true),
            (Label::Value, true),
        ],
    );
    m.tag("tbody").inside(|m| {
        for (cell, attribution) in cells {
            for stage in &attribution.stages {
                m.tag("tr").inside(|m| {
                    names(m, cell);
                    m.tag("td").say(|w| stage_name(w, stage));
                    m.tag("td").class("num").text(micros(stage.us_per_op));
                    m.tag("td").class("num").text(share(stage.share));
                });
            }
            m.tag("tr").inside(|m| {
                names(m, cell);
                m.tag("td").say(label(Label::Outside));
                m.tag("td")
                    .class("num")
                    .text(micros(attribution.outside_us));
                m.tag("td")
                    .class("num")
                    .text(share(attribution.outside_share));
            });
        }
    });
}
