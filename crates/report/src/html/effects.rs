//! Effects as a forest plot that is a table, what settings contribute, how factors act together.

use super::answer::chip;
use super::{Page, column, label, list, scroll};
use crate::charts::axis::Axis;
use crate::charts::forest;
use crate::markup::Markup;
use crate::rows::{class_name, subject};
use findings::schema::{Basis, Effect, Estimate, Metric, PhaseKind};
use text::number::{range, ratio};
use text::{Label, level_of};

/// Most rows drawn; a campaign of hundreds of cells has them all in its data.
const ROWS: usize = 120;

impl Page<'_> {
    pub(super) fn effects(&self, m: &mut Markup) {
        if self.findings.effects.is_empty() {
            return;
        }
        if self.findings.effects.len() > ROWS {
            m.tag("p").class("sub").say(label(Label::MoreEffects));
        }
        let shown: Vec<&Effect> = self.findings.effects.iter().take(ROWS).collect();
        let axis = forest::axis(shown.iter().map(|e| (e.ratio.low, e.ratio.high)));
        scroll(m, "effects-title", &[("class", "forest-table stack")], |m| {
            m.table_head(|m| {
                for name in [Label::Factor, Label::Workload, Label::Phase] {
                    column(m, false).say(label(name));
                }
                column(m, false).class("plot-cell").say(label(Label::Effect));
                column(m, true).say(label(Label::Interval));
                column(m, false).say(label(Label::Verdict));
            });
            for metric in [Metric::Throughput, Metric::MeanLatency, Metric::P99Latency] {
                let effects: Vec<&Effect> =
                    shown.iter().copied().filter(|e| e.metric == metric).collect();
                self.forest(m, metric, &effects, &axis);
            }
        });
        self.interactions(m);
        self.ranking(m);
    }

    fn forest(&self, m: &mut Markup, metric: Metric, effects: &[&Effect], axis: &Axis) {
        if effects.is_empty() {
            return;
        }
        m.tag("tbody").class("head").inside(|m| {
            m.tag("tr").inside(|m| {
                m.tag("th")
                    .attr("colspan", 6)
                    .attr("scope", "rowgroup")
                    .say(|w| w.metric(metric).to_owned());
            });
        });
        m.tag("tbody").inside(|m| {
            for effect in effects {
                m.tag("tr").inside(|m| self.forest_row(m, effect, axis));
            }
            m.tag("tr").class("scale-row").attr("aria-hidden", "true").inside(|m| {
                m.tag("td").attr("colspan", 3).text("");
                m.tag("td").class("plot-cell").inside(|m| forest::scale(m, axis));
                m.tag("td").attr("colspan", 2).text("");
            });
        });
    }

    fn forest_row(&self, m: &mut Markup, effect: &Effect, axis: &Axis) {
        m.tag("th").attr("scope", "row").inside(|m| {
            m.say(|w| subject(self.findings, w, &effect.factor, &effect.level));
            m.tag("div").class("sub").inside(|m| {
                m.say(label(Label::Against));
                m.text(" ");
                m.foreign(&effect.against);
                for (factor, level) in &effect.context {
                    m.text(" · ");
                    m.foreign(&level_of(factor, level));
                }
            });
        });
        m.tag("td").class("name").inside(|m| m.foreign(&effect.workload));
        m.tag("td").class("inline").say(|w| match effect.phase {
            PhaseKind::Whole => w.label(Label::Whole).to_owned(),
            phase => w.phase(phase).to_owned(),
        });
        let Estimate { value, low, high, .. } = effect.ratio;
        let (band, class) = (self.findings.method.smallest_effect, class_name(effect.class));
        let plot = m.tag("td").class("plot-cell");
        plot.inside(|m| forest::row(m, axis, (low, value, high), band, class));
        m.tag("td").class("num").text(ratio(value) + &range(&effect.ratio));
        match effect.ratio.basis {
            Basis::Point => {
                m.tag("td").class("within").say(|w| w.no_interval().to_owned());
            }
            _ => m.tag("td").class("inline").inside(|m| chip(m, effect.class)),
        }
    }

    fn interactions(&self, m: &mut Markup) {
        let shown: Vec<_> = self.findings.interactions.iter().filter(|i| i.shown).collect();
        list(m, Label::Interactions, &shown, |m, interaction| {
            if self.workloads.len() > 1 {
                m.tag("b").inside(|m| m.foreign(&interaction.workload));
                m.text(" ");
            }
            m.say(|w| w.interaction(interaction));
        });
    }

    fn ranking(&self, m: &mut Markup) {
        list(m, Label::Ranking, &self.findings.ranking, |m, contribution| {
            let (factor, level) = (&contribution.factor, &contribution.level);
            m.tag("b").say(|w| subject(self.findings, w, factor, level));
            m.text(" ");
            if self.workloads.len() > 1 {
                m.foreign(&contribution.workload);
                m.text(" ");
            }
            m.say(|w| w.contribution(contribution));
        });
    }
}
