//! The comparison as text for a terminal: as wide as asked, no lines drawn, colour only when asked for.

use crate::lang::{Label, Language, Words, name};
use crate::number::{count, micros, ratio, seconds, share, share_number};
use crate::rows::{
    Against, Row, adequate_text, answers, aside, causes, causes_text, first_head, load_text, rate,
    ratio_of, risks, rows, title, validity, verdict_text, workloads,
};
use crate::text::{columns, cut, one_line, wrap};
use findings::schema::{Estimate, Findings, Validity, VerdictClass};
use std::fmt::Write;

/// How the text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Use colours. The caller asks the terminal and `NO_COLOR`.
    pub color: bool,
    /// The language.
    pub language: Language,
}

/// Columns of the left margin that holds `lab`, `model` and the names of verdicts.
const MARGIN: usize = 9;
/// Columns between two columns of the table.
const GAP: usize = 2;

/// The whole report.
pub fn render(findings: &Findings, style: Style) -> String {
    let words = style.language.words();
    let head = |label| words.label(label).to_lowercase();
    let mut page = Page { out: String::new(), style };
    page.entry(&head(Label::Lab), &one_line(&findings.lab.title), None);
    page.entry(&head(Label::Model), &words.model(findings), None);
    let rows = rows(findings);
    for workload in workloads(findings) {
        page.out.push('\n');
        let of_workload: Vec<&Row> = rows.iter().filter(|r| r.cell.workload == workload).collect();
        page.table(findings, words, workload, &of_workload);
    }
    page.verdicts(findings, words);
    page.causes(findings, words);
    page.loads(findings, words);
    page.aside(findings, words, &rows);
    for lint in &findings.lints {
        page.entry(words.severity(lint.severity), &words.lint(&lint.finding), Some(YELLOW));
    }
    page.out.replace('\u{a0}', " ")
}

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

struct Page {
    out: String,
    style: Style,
}

impl Page {
    /// A name in the margin and text beside it, wrapped with a hanging indent.
    fn entry(&mut self, head: &str, text: &str, color: Option<&'static str>) {
        let width = self.style.width.max(40);
        let head = cut(head, width);
        let paint = color.filter(|_| self.style.color);
        let _ = write!(self.out, "{}{head}{}", paint.unwrap_or(""), paint.map_or("", |_| RESET));
        let first = columns(&head) + GAP;
        let (mut at, indent) = if first <= MARGIN {
            (columns(&head), MARGIN)
        } else if first + 24 <= width {
            (first - GAP, 4)
        } else {
            self.out.push('\n');
            (0, 4)
        };
        // The first line is shorter where the name is longer than the margin.
        let start = if at == 0 { indent } else { first.max(indent) };
        let mut rest = text.to_owned();
        let mut room = width - start;
        loop {
            self.pad(if at == 0 { indent } else { start - at });
            let lines = wrap(&rest, room);
            self.out.push_str(&lines[0]);
            self.out.push('\n');
            rest = lines[1..].join(" ");
            if rest.is_empty() {
                return;
            }
            (at, room) = (0, width - indent);
        }
    }

    fn pad(&mut self, by: usize) {
        self.out.extend(std::iter::repeat_n(' ', by));
    }

    /// One workload's rows.
    fn table(&mut self, findings: &Findings, words: &dyn Words, workload: &str, rows: &[&Row]) {
        self.entry(&words.label(Label::Workload).to_lowercase(), &one_line(workload), None);
        let mut table = columns_of(findings, words, rows);
        fit(&mut table, self.style.width);
        for line in 0..=rows.len() {
            let mut text = String::new();
            for (i, column) in table.iter().enumerate() {
                let cell = &column.cells[line];
                let room = column.width - columns(cell).min(column.width);
                let left = if column.right { room } else { 0 };
                text.extend(std::iter::repeat_n(' ', left));
                text.push_str(cell);
                if i + 1 < table.len() {
                    text.extend(std::iter::repeat_n(' ', room - left + GAP));
                }
            }
            let (on, off) = if line == 0 && self.style.color { (BOLD, RESET) } else { ("", "") };
            let _ = writeln!(self.out, "{on}{}{off}", text.trim_end());
        }
        if rows.iter().any(|row| row.first.is_some()) {
            for line in wrap(words.label(Label::WholeWindow), self.style.width.max(40)) {
                let _ = writeln!(self.out, "{line}");
            }
        }
    }

    /// One line or more for each verdict: what, how sure, why.
    fn verdicts(&mut self, findings: &Findings, words: &dyn Words) {
        self.out.push('\n');
        let answers = answers(findings);
        if answers.is_empty() {
            self.entry("–", words.label(Label::NoVerdict), None);
        }
        for answer in answers {
            let verdict = answer.verdict;
            let said = verdict_text(words, &answer);
            let color = match verdict.class {
                VerdictClass::WorthIt => Some(GREEN),
                VerdictClass::Harmful => Some(RED),
                VerdictClass::NoEffect => None,
                VerdictClass::Undecided => Some(YELLOW),
            };
            self.entry(&title(findings, words, verdict), &said, color);
        }
    }

    /// What each cell waits for, under a heading.
    fn causes(&mut self, findings: &Findings, words: &dyn Words) {
        let all = causes(findings);
        if all.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{}", words.label(Label::WaitsFor));
        for of_cell in all {
            let head = format!("{} · {}", name(&of_cell[0].variant), name(&of_cell[0].workload));
            self.entry(&head, &causes_text(words, of_cell), None);
        }
        self.out.push('\n');
    }

    /// What is enough, what load is carried, and what moves with the size scale.
    fn loads(&mut self, findings: &Findings, words: &dyn Words) {
        for adequate in &findings.adequate {
            let said = adequate_text(findings, words, adequate);
            self.entry(words.label(Label::Enough), &said, None);
        }
        for ladder in &findings.ladders {
            let head = format!("{} · {}", name(&ladder.variant), name(&ladder.workload));
            self.entry(&head, &load_text(words, ladder), None);
        }
        for other in findings.scale.other_sizes.iter().filter(|o| o.moves) {
            self.entry("S", &words.other_size(other), Some(YELLOW));
        }
    }

    /// What is kept out, and what a configuration risks.
    fn aside(&mut self, findings: &Findings, words: &dyn Words, rows: &[Row]) {
        for row in rows {
            let said = aside(words, findings, row);
            if !said.is_empty() {
                let head = format!("{} · {}", name(&row.cell.variant), name(&row.cell.workload));
                self.entry(&head, &said.join(words.label(Label::Semicolon)), Some(YELLOW));
            }
        }
        for (variant, risk) in risks(findings) {
            self.entry(&name(variant), &words.durability(risk), Some(YELLOW));
        }
    }
}

/// A column of the table: its head and a cell for each row.
struct Column {
    cells: Vec<String>,
    width: usize,
    right: bool,
    /// Columns with a higher number are left out first when there is no room.
    rank: u8,
}

fn columns_of(findings: &Findings, words: &dyn Words, rows: &[&Row]) -> Vec<Column> {
    let mut table = Vec::new();
    let mut add = |rank: u8, right: bool, head: String, cell: &dyn Fn(&Row) -> String| {
        let mut cells = vec![head];
        cells.extend(rows.iter().map(|row| cell(row)));
        let width = cells.iter().map(|c| columns(c)).max().unwrap_or(0);
        table.push(Column { cells, width, right, rank });
    };
    let latency = |pick: fn(&findings::schema::Latency) -> f64| {
        move |row: &Row| match (row.shown(), &row.cell.latency) {
            (true, Some(latency)) => micros(pick(latency)),
            _ => "–".into(),
        }
    };
    add(0, false, words.label(Label::Variant).to_lowercase(), &|row| {
        format!("{}{}", name(&row.cell.variant), sign(row.cell.validity))
    });
    let first = rows.iter().any(|r| r.first.is_some());
    if first {
        let head = format!(
            "{} {}",
            words.label(rate(findings)),
            words.label(first_head(rows.iter().copied()))
        );
        add(2, true, head, &|row| first_text(words, row));
    }
    let head = words.label(if first { Label::Sustained } else { rate(findings) });
    add(1, true, head.into(), &|row| match (row.lasting, row.not_settled) {
        (Some(estimate), _) => with_spread(&estimate),
        (None, Some(_)) => words.label(Label::NotSettled).into(),
        (None, None) => validity(words, row.cell),
    });
    add(3, true, words.label(Label::Mean).into(), &latency(|l| l.mean_us));
    add(3, true, words.label(Label::P99).into(), &latency(|l| l.p99_us));
    if rows.iter().any(|r| r.cell.sync_latency.is_some()) {
        add(4, true, words.label(Label::SyncMean).into(), &|row| {
            row.cell
                .sync_latency
                .filter(|_| row.shown())
                .map_or("–".into(), |l| micros(l.mean_us))
        });
    }
    add(5, true, words.label(Label::Arc).into(), &|row| {
        row.from_memory().map_or("–".into(), share)
    });
    if rows.iter().any(|r| r.cell.hits.reads.is_some_and(|s| s.l2arc > 0.0)) {
        add(6, true, words.label(Label::L2arc).into(), &|row| {
            row.cell.hits.reads.map_or("–".into(), |r| share(r.l2arc))
        });
    }
    let head = format!("{} {}", words.label(Label::Against), name(&findings.lab.baseline));
    add(1, true, head, &|row| against(words, row));
    table
}

/// `27,400 / 8 s`: the first phase and how long it lasts on the real machine; empty without one.
pub fn first_text(words: &dyn Words, row: &Row) -> String {
    let known = row.first.zip(row.first_s());
    known.map_or_else(String::new, |(phase, lasts)| {
        let cold = if row.cold { format!(" {}", words.label(Label::Cold)) } else { String::new() };
        let rate = count(phase.throughput.value);
        format!("{rate} / {}{cold}", seconds(lasts))
    })
}

/// Beside the name of a cell whose numbers are no result.
pub fn sign(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "",
        Validity::Excluded => " *",
        Validity::Failed => " !",
    }
}

/// `640 ± 3 %`: half the interval's width, of the number.
pub fn with_spread(estimate: &Estimate) -> String {
    if estimate.basis == findings::schema::Basis::Point || estimate.value <= 0.0 {
        return count(estimate.value);
    }
    let half = (estimate.high - estimate.low) / 2.0 / estimate.value;
    format!("{} ± {}\u{a0}%", count(estimate.value), share_number(half.max(0.001)))
}

/// `6.7× [6.2, 7.2]`; a ratio over several factors has no interval and is marked by `~`.
pub fn against(words: &dyn Words, row: &Row) -> String {
    match row.against {
        Against::Baseline => String::new(),
        Against::Effect(effect) => ratio_of(words, effect.metric, &effect.ratio),
        Against::Plain(value) => format!("~{}", ratio(value)),
        Against::Nothing => "–".into(),
    }
}

/// Leaves out the least important columns, then cuts names, until the table fits.
fn fit(table: &mut Vec<Column>, width: usize) {
    let total = |table: &[Column]| {
        table.iter().map(|c| c.width).sum::<usize>() + GAP * table.len().saturating_sub(1)
    };
    while total(table) > width {
        let over = total(table) - width;
        // A name may lose what is beyond 16 columns before a number is left out.
        let floor = if table.iter().all(|c| c.rank < 2) { 6 } else { 16 };
        let names = &mut table[0];
        if names.width > floor {
            names.width = names.width.saturating_sub(over).max(floor);
            for cell in &mut names.cells {
                *cell = cut(cell, names.width);
            }
            continue;
        }
        match table.iter().map(|c| c.rank).max() {
            Some(worst) if worst >= 2 => table.retain(|c| c.rank != worst),
            _ => break,
        }
    }
}
