//! The comparison as text for a terminal: as wide as asked, no lines drawn, colour only when asked for.

use crate::rows::{
    Row, adequate_text, answers, aside, causes, enough, load_text, risks, rows, title,
    verdict_text, workloads,
};
use crate::table::{Column, columns_of, sync_tests};
use findings::schema::{Findings, VerdictClass};
use std::fmt::Write;
use std::iter;
use text::line::{columns, cut, one_line, wrap};
use text::{Label, Language, name};

/// How the text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Use colours. The caller asks the terminal, `TERM` and `NO_COLOR`.
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
    let language = style.language;
    let head = |label| language.label(label).to_lowercase();
    let mut page = Page { out: String::new(), style };
    page.entry(&head(Label::Lab), &one_line(&findings.lab.title), None);
    page.entry(&head(Label::Model), &language.model(findings), None);
    let rows = rows(findings);
    for workload in workloads(findings) {
        page.out.push('\n');
        let of_workload: Vec<&Row> = rows.iter().filter(|r| r.cell.workload == workload).collect();
        page.table(findings, language, workload, &of_workload);
    }
    page.verdicts(findings, language);
    page.causes(findings, language);
    page.loads(findings, language);
    page.aside(findings, language, &rows);
    for lint in &findings.lints {
        page.entry(language.severity(lint.severity), &language.lint(&lint.finding), Some(YELLOW));
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
        let (at, indent) = if first <= MARGIN {
            (columns(&head), MARGIN)
        } else if first + 24 <= width {
            (first - GAP, 4)
        } else {
            self.out.push('\n');
            (0, 4)
        };
        // The first line is shorter where the name is longer than the margin.
        let start = if at == 0 { indent } else { first.max(indent) };
        let lines = wrap(text, width - start, width - indent);
        for (line, pad) in lines.iter().zip(iter::once(start - at).chain(iter::repeat(indent))) {
            if !line.is_empty() {
                self.pad(pad);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    fn pad(&mut self, by: usize) {
        self.out.extend(iter::repeat_n(' ', by));
    }

    fn table(&mut self, findings: &Findings, language: Language, workload: &str, rows: &[&Row]) {
        self.entry(&language.label(Label::Workload).to_lowercase(), &one_line(workload), None);
        let mut table = columns_of(findings, language, rows);
        fit(&mut table, self.style.width);
        self.lines(&table);
        if rows.iter().any(|row| row.first.is_some()) {
            let width = self.style.width.max(40);
            for line in wrap(language.label(Label::WholeWindow), width, width) {
                let _ = writeln!(self.out, "{line}");
            }
        }
        if let Some(mut table) = sync_tests(language, rows) {
            fit(&mut table, self.style.width);
            self.out.push('\n');
            self.lines(&table);
        }
    }

    /// A table, its head first.
    fn lines(&mut self, table: &[Column]) {
        for line in 0..table.first().map_or(0, |column| column.cells.len()) {
            let mut text = String::new();
            for (i, column) in table.iter().enumerate() {
                let cell = &column.cells[line];
                let room = column.width - columns(cell).min(column.width);
                let left = if column.right { room } else { 0 };
                text.extend(iter::repeat_n(' ', left));
                text.push_str(cell);
                if i + 1 < table.len() {
                    text.extend(iter::repeat_n(' ', room - left + GAP));
                }
            }
            let (on, off) = if line == 0 && self.style.color { (BOLD, RESET) } else { ("", "") };
            let _ = writeln!(self.out, "{on}{}{off}", text.trim_end());
        }
    }

    /// One line or more for each verdict: what, how sure, why.
    fn verdicts(&mut self, findings: &Findings, language: Language) {
        self.out.push('\n');
        let answers = answers(findings);
        if answers.is_empty() {
            self.entry("–", language.label(Label::NoVerdict), None);
        }
        for answer in answers {
            let verdict = answer.verdict;
            let text = verdict_text(language, &answer);
            let color = match verdict.class {
                VerdictClass::WorthIt => Some(GREEN),
                VerdictClass::Harmful => Some(RED),
                VerdictClass::NoEffect => None,
                VerdictClass::Undecided | VerdictClass::Depends => Some(YELLOW),
            };
            self.entry(&title(findings, language, verdict), &text, color);
        }
    }

    /// What each cell waits for, under a heading.
    fn causes(&mut self, findings: &Findings, language: Language) {
        let all = causes(findings);
        if all.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{}", language.label(Label::WaitsFor));
        for of_cell in all {
            let head = format!("{} · {}", name(&of_cell[0].variant), name(&of_cell[0].workload));
            let each: Vec<String> = of_cell.iter().map(|cause| language.cause(cause)).collect();
            let each = each.join(language.label(Label::Semicolon));
            self.entry(&head, &(each + language.label(Label::FullStop)), None);
        }
        self.out.push('\n');
    }

    /// What is enough, what load is carried, and what moves with the size scale.
    fn loads(&mut self, findings: &Findings, language: Language) {
        for adequate in &findings.adequate {
            let text = adequate_text(findings, language, adequate);
            self.entry(language.label(enough([adequate])), &text, None);
        }
        for ladder in &findings.ladders {
            let head = format!("{} · {}", name(&ladder.variant), name(&ladder.workload));
            self.entry(&head, &load_text(language, ladder), None);
        }
        for other in findings.scale.other_sizes.iter().filter(|o| o.moves) {
            self.entry("S", &language.other_size(other), Some(YELLOW));
        }
    }

    /// What is kept out, and what a configuration risks.
    fn aside(&mut self, findings: &Findings, language: Language, rows: &[Row]) {
        for row in rows {
            let remarks = aside(language, findings, row);
            if !remarks.is_empty() {
                let head = format!("{} · {}", name(&row.cell.variant), name(&row.cell.workload));
                self.entry(&head, &remarks.join(language.label(Label::Semicolon)), Some(YELLOW));
            }
        }
        for (variant, risk) in risks(findings) {
            self.entry(&name(variant), &language.risk(risk), Some(YELLOW));
        }
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
