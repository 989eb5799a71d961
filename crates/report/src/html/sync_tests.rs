//! The tests of pg_test_fsync, a column a variant.

use super::{Page, label, scroll, section};
use crate::markup::Markup;
use crate::rows::Row;
use crate::table::{sync_rate, sync_text};
use measurement::SyncTest;
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
        section(m, "sync-tests", |m| {
            m.tag("p").class("lede").say(label(Label::SyncTestsIntro));
            for rows in &workloads {
                if workloads.len() > 1 {
                    m.tag("h3").inside(|m| m.foreign(&rows[0].cell.workload));
                }
                scroll(m, "sync-tests-title", |m| {
                    m.tag("table").inside(|m| table(m, rows));
                });
            }
        });
    }
}

fn table(m: &mut Markup, rows: &[&Row]) {
    m.tag("thead").inside(|m| {
        m.tag("tr").inside(|m| {
            m.tag("th").attr("scope", "col").say(label(Label::SyncTest));
            for row in rows {
                m.tag("th")
                    .attr("scope", "col")
                    .class("num")
                    .inside(|m| m.foreign(&row.cell.variant));
            }
        });
    });
    m.tag("tbody").inside(|m| {
        let tests = SyncTest::NAMED.iter().copied();
        for test in tests.filter(|test| rows.iter().any(|row| sync_rate(row, *test).is_some())) {
            m.tag("tr").inside(|m| {
                m.tag("th").attr("scope", "row").say(move |w| w.sync_test(test));
                for row in rows {
                    m.tag("td").class("num").text(sync_text(sync_rate(row, test)));
                }
            });
        }
    });
}
