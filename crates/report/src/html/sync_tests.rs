//! The tests of pg_test_fsync, a column a variant.

use super::{Page, column, label, scroll};
use crate::markup::Markup;
use crate::rows::Row;
use crate::table::{sync_rate, sync_text, tests_of};
use text::Label;

impl Page<'_> {
    pub(super) fn sync_tests(&self, m: &mut Markup) {
        let workloads: Vec<Vec<&Row>> = self
            .workloads
            .iter()
            .map(|w| {
                let of_workload = self.rows.iter().filter(|row| row.cell.workload == *w);
                of_workload.filter(|row| !row.cell.sync_tests.is_empty()).collect()
            })
            .filter(|rows: &Vec<&Row>| !rows.is_empty())
            .collect();
        if workloads.is_empty() {
            return;
        }
        for rows in &workloads {
            if workloads.len() > 1 {
                m.tag("h3").inside(|m| m.foreign(&rows[0].cell.workload));
            }
            scroll(m, "sync-tests-title", &[], |m| table(m, rows));
        }
    }
}

fn table(m: &mut Markup, rows: &[&Row]) {
    m.table_head(|m| {
        column(m, false).say(label(Label::SyncTest));
        for row in rows {
            column(m, true).inside(|m| m.foreign(&row.cell.variant));
        }
    });
    m.tag("tbody").each("tr", tests_of(rows), |m, test| {
        m.tag("th").attr("scope", "row").say(move |w| w.sync_test(test));
        for row in rows {
            m.tag("td").class("num").text(sync_text(sync_rate(row, test)));
        }
    });
}
