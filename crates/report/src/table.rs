//! The table of cells as every text format shows it.

use crate::rows::{Against, Row, first_head, rate, ratio_of, without_rate};
use findings::schema::{Cell, Estimate, Findings, SyncRate, Validity};
use measurement::SyncTest;
use text::line::columns;
use text::number::{count, micros, ratio, seconds, share, share_number};
use text::{Label, Language, name};

/// A column of the table: its head and a cell for each row.
pub struct Column {
    pub cells: Vec<String>,
    /// Columns of a terminal that the widest of them takes.
    pub width: usize,
    /// Whether it is a number and stands to the right.
    pub right: bool,
    /// Columns with a higher number are left out first when there is no room.
    pub rank: u8,
}

impl Column {
    fn new(cells: Vec<String>, right: bool, rank: u8) -> Column {
        let width = cells.iter().map(|c| columns(c)).max().unwrap_or(0);
        Column { cells, width, right, rank }
    }
}

/// The tests of pg_test_fsync, a column a variant; none where these rows have none.
pub fn sync_tests(language: Language, rows: &[&Row]) -> Option<Vec<Column>> {
    let tests = tests_of(rows);
    let head = std::iter::once(language.label(Label::SyncTest).to_lowercase());
    let names = head.chain(tests.iter().map(|test| language.sync_test(*test)));
    let mut table = vec![Column::new(names.collect(), false, 0)];
    table.extend(rows.iter().map(|row| {
        let rates = tests.iter().map(|test| sync_text(sync_rate(row, *test)));
        Column::new(std::iter::once(name(&row.cell.variant)).chain(rates).collect(), true, 1)
    }));
    (!tests.is_empty()).then_some(table)
}

/// The tests of which some row has a rate.
pub fn tests_of(rows: &[&Row]) -> Vec<SyncTest> {
    let tests = SyncTest::NAMED.iter().copied();
    tests.filter(|test| rows.iter().any(|row| sync_rate(row, *test).is_some())).collect()
}

/// A cell's rate of a test; none where it was not carried out, or does not count.
pub fn sync_rate(row: &Row, test: SyncTest) -> Option<SyncRate> {
    row.cell.sync_tests.iter().copied().find(|rate| rate.test == test).filter(|_| row.shown())
}

/// `6,680 (150 µs)`.
pub fn sync_text(rate: Option<SyncRate>) -> String {
    rate.map_or("–".into(), |rate| {
        format!("{} ({})", count(rate.rate.value), micros(rate.mean_us))
    })
}

/// The columns that these rows have something in.
pub fn columns_of(findings: &Findings, language: Language, rows: &[&Row]) -> Vec<Column> {
    let mut table = Vec::new();
    let mut add = |rank: u8, right: bool, head: String, cell: &dyn Fn(&Row) -> String| {
        let mut cells = vec![head];
        cells.extend(rows.iter().map(|row| cell(row)));
        table.push(Column::new(cells, right, rank));
    };
    let latency = |pick: fn(&Cell) -> Option<f64>| {
        move |row: &Row| pick(row.cell).filter(|_| row.shown()).map_or("–".into(), micros)
    };
    add(0, false, language.label(Label::Variant).to_lowercase(), &|row| {
        // A sign beside the name of a cell whose numbers are no result.
        name(&row.cell.variant)
            + match row.cell.validity {
                Validity::Valid => "",
                Validity::Excluded => " *",
                Validity::Failed => " !",
            }
    });
    let first = rows.iter().any(|r| r.first.is_some());
    if first {
        let head = format!(
            "{} {}",
            language.label(rate(findings)),
            language.label(first_head(rows.iter().copied()))
        );
        add(2, true, head, &|row| first_text(language, row));
    }
    let head = language.label(if first { Label::Sustained } else { rate(findings) });
    add(1, true, head.into(), &|row| match row.lasting {
        Some(estimate) => with_spread(&estimate),
        None => without_rate(language, row.cell),
    });
    add(3, true, language.label(Label::Mean).into(), &latency(|cell| Some(cell.latency?.mean_us)));
    add(3, true, language.label(Label::P99).into(), &latency(|cell| Some(cell.latency?.p99_us)));
    if rows.iter().any(|r| r.cell.sync_latency.is_some()) {
        let sync_mean = latency(|cell| Some(cell.sync_latency?.mean_us));
        add(4, true, language.label(Label::SyncMean).into(), &sync_mean);
    }
    add(5, true, language.label(Label::Arc).into(), &|row| {
        row.memory_share().map_or("–".into(), share)
    });
    if rows.iter().any(|r| r.cell.hits.reads.is_some_and(|s| s.l2arc > 0.0)) {
        add(6, true, language.label(Label::L2arc).into(), &|row| {
            row.cell.hits.reads.map_or("–".into(), |r| share(r.l2arc))
        });
    }
    let head = format!("{} {}", language.label(Label::Against), name(&findings.lab.baseline));
    // A ratio over several factors has no interval and is marked by `~`.
    add(1, true, head, &|row| match row.against {
        Against::Baseline => String::new(),
        Against::Effect(effect) => ratio_of(language, effect.metric, &effect.ratio),
        Against::Plain(value) => format!("~{}", ratio(value)),
        Against::Nothing => "–".into(),
    });
    table
}

/// `27,400 / 8 s`: the first phase and how long it lasts on the real server; empty without one.
pub fn first_text(language: Language, row: &Row) -> String {
    let known = row.first.zip(row.first_s());
    known.map_or_else(String::new, |(phase, lasts)| {
        let cold =
            if row.cold() { format!(" {}", language.label(Label::Cold)) } else { String::new() };
        let rate = count(phase.throughput.value);
        format!("{rate} / {}{cold}", seconds(lasts))
    })
}

/// `640 ± 3 %`: half the interval's width, of the number.
pub fn with_spread(estimate: &Estimate) -> String {
    if estimate.basis == findings::schema::Basis::Point || estimate.value <= 0.0 {
        return count(estimate.value);
    }
    let half = (estimate.high - estimate.low) / 2.0 / estimate.value;
    format!("{} ± {}\u{a0}%", count(estimate.value), share_number(half.max(0.001)))
}
