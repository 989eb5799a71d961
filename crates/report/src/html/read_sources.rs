//! Wholes and their parts: who answered the reads.

use super::{Page, cell_names, head_row, label, scroll};
use crate::charts::bars::{self, Part};
use crate::markup::Markup;
use findings::schema::Cell;
use text::Label;
use text::number::share;

impl Page<'_> {
    pub(super) fn who_answered(&self, m: &mut Markup) {
        let cells: Vec<&Cell> = self.all_charted().filter(|c| c.hits.reads.is_some()).collect();
        if cells.is_empty() {
            return;
        }
        let kinds = [
            ("r-dbuf", Label::Dbuf),
            ("r-arc", Label::ArcAlone),
            ("r-l2arc", Label::L2arc),
            ("r-drives", Label::Pool),
        ];
        m.tag("ul").class("legend").each("li", kinds, |m, (class, name)| {
            patch(m, class);
            m.say(label(name));
        });
        scroll(m, "reads-title", &[("class", "bars stack")], |m| {
            head_row(
                m,
                &[Label::Variant, Label::Workload, Label::WhoAnswered],
                &[Label::Dbuf, Label::ArcAlone, Label::L2arc, Label::Pool],
                &[],
            );
            m.tag("tbody").each("tr", cells, |m, cell| read_row(m, cell, &kinds));
        });
    }
}

/// The name of a cell's column, for narrow screens, where columns have no heads.
pub(super) fn key(m: &mut Markup, name: Label) {
    m.tag("span").class("key").say(label(name));
}

fn read_row(m: &mut Markup, cell: &Cell, kinds: &[(&'static str, Label); 4]) {
    cell_names(m, &cell.variant, &cell.workload);
    let Some(reads) = cell.hits.reads else { return };
    let shares = [reads.dbuf, reads.arc, reads.l2arc, reads.drives];
    let parts: Vec<Part> = kinds
        .iter()
        .zip(shares)
        .map(|((class, _), of)| Part { class, share: of, title: share(of) })
        .collect();
    m.tag("td").class("plot-cell").inside(|m| bars::draw(m, &parts));
    for ((_, name), of) in kinds.iter().zip(shares) {
        m.tag("td").class("num").inside(|m| {
            key(m, *name);
            m.text(share(of));
        });
    }
}

/// A square of a colour.
fn patch(m: &mut Markup, class: &'static str) {
    m.tag("svg").attr("width", 12).attr("height", 12).attr("aria-hidden", "true").inside(|m| {
        m.tag("rect").class(class).attr("width", 12).attr("height", 12).attr("rx", 2).empty();
    });
}
