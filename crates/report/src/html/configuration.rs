//! What each variant is, and the commands that build it on real drives.

use super::{Page, label};
use crate::markup::Markup;
use findings::schema::VariantRef;
use lab::campaign::{Program, Variant};
use std::fmt::Display;
use text::Label;
use text::number::count;

impl Page<'_> {
    pub(super) fn configured(&self, m: &mut Markup) {
        let Some(configuration) = self.configuration else {
            m.tag("p").say(label(Label::NoCampaign));
            self.levels(m);
            return;
        };
        m.tag("p").class("warn").say(label(Label::BuildWarning));
        for (i, variant) in configuration.campaign.variants.iter().enumerate() {
            let known = self.findings.variants.iter().find(|v| v.name == variant.name);
            let details = m.tag("details").class("variant");
            let details = if i == 0 { details.attr("open", "") } else { details };
            details.inside(|m| {
                m.tag("summary").inside(|m| m.foreign(&variant.name));
                self.variant(m, variant, known);
            });
        }
        for workload in &configuration.campaign.workloads {
            let texts: Vec<&str> = match &workload.program {
                Program::Fio { job, .. } => vec![job],
                // Their scripts are their own.
                Program::Sysbench(_) | Program::PgTestFsync(_) | Program::Sqlite(_) => Vec::new(),
                Program::Pgbench(pgbench) => {
                    pgbench.scripts.iter().map(|s| s.text.as_str()).collect()
                }
            };
            m.tag("details").inside(|m| {
                m.tag("summary").inside(|m| {
                    m.say(label(Label::JobFile));
                    m.text(" ");
                    m.foreign(&format!("{} ({})", workload.name, workload.program.runs()));
                });
                m.tag("p").say(label(Label::AsGiven));
                for text in texts {
                    code(m, text);
                }
            });
        }
        m.tag("details").inside(|m| {
            m.tag("summary").say(label(Label::LabFile));
            code(m, configuration.lab_text);
        });
    }

    fn variant(&self, m: &mut Markup, variant: &Variant, known: Option<&VariantRef>) {
        if let Some(known) = known {
            power_cut_and_risks(m, known);
        }
        if let Some(known) = known.filter(|v| !v.build.is_empty()) {
            m.tag("h3").say(label(Label::BuildIt));
            code(m, &known.build.join("\n"));
        }
        if let Some(add) = known.and_then(|v| v.add.as_deref()) {
            m.tag("h3").say(label(Label::AddIt));
            code(m, add);
        }
        if let Some(price) = known.and_then(|v| v.price) {
            m.tag("p").inside(|m| {
                m.say(label(Label::Price));
                m.text(format_args!(" {}", count(price)));
            });
        }
        m.tag("h3").say(label(Label::Pool));
        let used = variant.drives.iter().filter(|(kind, _)| variant.pool.uses(kind));
        pairs(m, used.map(|(kind, of)| (kind, format!("{} × {}", of.count, of.profile))));
        for (dataset, properties) in &variant.datasets {
            if properties.is_empty() {
                continue;
            }
            m.tag("h3").inside(|m| {
                m.say(label(Label::Settings));
                m.text(" · ");
                if dataset.is_empty() {
                    m.say(label(Label::DatasetRoot));
                } else {
                    m.foreign(dataset);
                }
            });
            pairs(m, properties);
        }
        if !variant.module.is_empty() {
            m.tag("h3").say(label(Label::ModuleParameters));
            pairs(m, &variant.module);
        }
    }

    /// Factor levels of each variant, where the campaign itself is not at hand.
    fn levels(&self, m: &mut Markup) {
        for variant in &self.findings.variants {
            m.tag("h3").inside(|m| m.foreign(&variant.name));
            pairs(m, &variant.levels);
            power_cut_and_risks(m, variant);
        }
    }
}

/// Names and values side by side.
fn pairs<'n, V: Display>(m: &mut Markup, of: impl IntoIterator<Item = (&'n String, V)>) {
    m.tag("dl").class("pairs").each("div", of, |m, (name, value)| {
        m.tag("dt").inside(|m| m.foreign(name));
        m.tag("dd").class("mono").inside(|m| m.foreign(&value.to_string()));
    });
}

/// Text to be copied.
fn code(m: &mut Markup, text: &str) {
    m.tag("div").class("code").inside(|m| {
        m.tag("button")
            .class("needs-js")
            .attr("type", "button")
            .attr("data-copy", "")
            .say(label(Label::Copy));
        m.tag("pre").attr("tabindex", 0).text(text);
    });
}

/// What a power cut costs a variant, whatever that is, and what else it risks.
fn power_cut_and_risks(m: &mut Markup, variant: &VariantRef) {
    m.say_each("p", variant.after_power_cut, |w, class| w.after_power_cut(*class));
    for risk in &variant.durability {
        m.tag("p").class("warn").say(|w| w.durability(risk));
    }
}
