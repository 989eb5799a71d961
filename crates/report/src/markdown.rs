//! The comparison as Markdown, for a forum post or a blog.

use crate::rows::{
    Row, adequate_text, answers, aside, causes, enough, load_text, risks, rows, title,
    verdict_text, workloads,
};
use crate::table::{Column, columns_of, sync_tests};
use findings::schema::Findings;
use std::fmt::Write;
use text::line::{ISOLATE, one_line, visible_char};
use text::{Label, Language};

/// The whole report.
pub fn render(findings: &Findings, language: Language) -> String {
    let rows = rows(findings);
    let mut page = Page { out: String::new(), findings, language };
    page.paragraph(&format!("# {}", foreign(&findings.lab.title)));
    page.paragraph(&escape(&language.model(findings)));
    page.answers();
    page.tables(&rows);
    page.causes();
    page.loads();
    page.remarks(&rows);
    page.trust();
    page.configuration();
    page.out.replace('\u{a0}', " ").trim_end().to_owned() + "\n"
}

struct Page<'a> {
    out: String,
    findings: &'a Findings,
    language: Language,
}

impl Page<'_> {
    fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}\n");
    }

    fn heading(&mut self, heading: Label) {
        self.paragraph(&format!("## {}", self.language.label(heading)));
    }

    /// A list under a heading; nothing of an empty one.
    fn list(&mut self, heading: Label, items: Vec<String>) {
        if !items.is_empty() {
            self.heading(heading);
            let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
            self.paragraph(&items.join("\n"));
        }
    }

    /// `**head**: text`.
    fn named(&self, head: &str, text: &str) -> String {
        format!("**{head}**{}{}", self.language.label(Label::Colon), escape(text))
    }

    fn answers(&mut self) {
        let (findings, language) = (self.findings, self.language);
        let answers = answers(findings);
        if answers.is_empty() {
            self.heading(Label::Answer);
            self.paragraph(language.label(Label::NoVerdict));
        }
        let items = answers.iter().map(|answer| {
            let title = title(findings, language, answer.verdict);
            self.named(&escape(&title), &verdict_text(language, answer))
        });
        self.list(Label::Answer, items.collect());
    }

    fn tables(&mut self, rows: &[Row]) {
        let workloads = workloads(self.findings);
        for workload in &workloads {
            match workloads.len() {
                1 => self.heading(Label::Comparison),
                _ => self.paragraph(&format!("## {}", foreign(workload))),
            }
            let rows: Vec<&Row> = rows.iter().filter(|r| r.cell.workload == *workload).collect();
            self.table(&columns_of(self.findings, self.language, &rows));
            if rows.iter().any(|row| row.first.is_some()) {
                self.paragraph(self.language.label(Label::WholeWindow));
            }
            if let Some(table) = sync_tests(self.language, &rows) {
                self.paragraph(self.language.label(Label::SyncTestsIntro));
                self.table(&table);
            }
        }
    }

    fn table(&mut self, columns: &[Column]) {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let cells = |i: usize| columns.iter().map(|c| escape(&c.cells[i])).collect();
        let ruler = columns.iter().map(|c| if c.right { "---:" } else { "---" }.to_owned());
        let mut lines = vec![line(cells(0)), line(ruler.collect())];
        let rows = columns.first().map_or(0, |column| column.cells.len());
        lines.extend((1..rows).map(|i| line(cells(i))));
        self.paragraph(&lines.join("\n"));
    }

    fn causes(&mut self) {
        let causes = causes(self.findings);
        if !causes.is_empty() {
            self.heading(Label::WaitsFor);
        }
        for of_cell in causes {
            let head = format!("{} · {}", of_cell[0].variant, of_cell[0].workload);
            self.paragraph(&format!("**{}**", foreign(&head)));
            let lines = of_cell
                .iter()
                .map(|cause| format!("{}. {}", cause.rank, escape(&self.language.cause(cause))));
            let lines: Vec<String> = lines.collect();
            self.paragraph(&lines.join("\n"));
        }
    }

    /// What is enough, what each variant risks, and what load it carries.
    fn loads(&mut self) {
        let (findings, language) = (self.findings, self.language);
        let all = findings.adequate.iter().map(|a| escape(&adequate_text(findings, language, a)));
        self.list(enough(&findings.adequate), all.collect());
        let risks = risks(findings);
        let risks =
            risks.iter().map(|(name, risk)| self.named(&foreign(name), &language.risk(*risk)));
        self.list(Label::Risks, risks.collect());
        let loads = findings.ladders.iter().map(|ladder| {
            let head = format!("{} · {}", ladder.variant, ladder.workload);
            self.named(&foreign(&head), &load_text(language, ladder))
        });
        self.list(Label::Load, loads.collect());
    }

    fn remarks(&mut self, rows: &[Row]) {
        let remarks = rows.iter().filter_map(|row| {
            let remarks = aside(self.language, self.findings, row);
            let head = format!("{} · {}", row.cell.variant, row.cell.workload);
            let text = remarks.join(self.language.label(Label::Semicolon));
            (!remarks.is_empty()).then(|| self.named(&foreign(&head), &text))
        });
        self.list(Label::Remarks, remarks.collect());
    }

    fn trust(&mut self) {
        let (findings, language) = (self.findings, self.language);
        let scale = &findings.scale;
        let mut all: Vec<String> =
            findings.validation.iter().map(|part| language.validation(part)).collect();
        all.push(language.label(Label::NotValidated).to_owned());
        all.extend(scale.other_sizes.iter().map(|other| language.other_size(other)));
        all.extend(scale.open_numbers.iter().map(|open| language.open_numbers(open)));
        all.extend(scale.limits.iter().map(|limit| language.scale_limit(limit)));
        let mut all: Vec<String> = all.iter().map(|text| escape(text)).collect();
        all.extend(findings.lints.iter().map(|lint| {
            self.named(language.severity(lint.severity), &language.lint(&lint.finding))
        }));
        self.list(Label::Trust, all);
    }

    /// What was compared: each workload's jobs, each variant's commands.
    fn configuration(&mut self) {
        let jobs = self.findings.workloads.iter().map(|workload| {
            let jobs: Vec<String> = workload.jobs.iter().map(|job| foreign(job)).collect();
            format!("**{}** {}", foreign(&workload.name), jobs.join(" · "))
        });
        self.list(Label::Configuration, jobs.collect());
        for variant in self.findings.variants.iter().filter(|v| !v.build.is_empty()) {
            self.paragraph(&format!("**{}**", foreign(&variant.name)));
            let mut commands = variant.build.clone();
            let plain = commands.iter().chain(&variant.add).all(|line| is_plain(line));
            if variant.add.is_some() {
                commands.push(format!("# {}", self.language.label(Label::AddIt)));
                commands.extend(variant.add.iter().cloned());
            }
            // An indented block is shown as it is, to be copied; not every site reads Markdown so.
            let lines: Vec<String> = match plain {
                true => commands.iter().map(|line| format!("    {line}")).collect(),
                false => commands.iter().map(|line| format!("- {}", foreign(line))).collect(),
            };
            self.paragraph(&lines.join("\n"));
        }
        self.paragraph(self.language.label(Label::BuildWarning));
    }
}

/// Whether a line has nothing in it but what commands are made of.
fn is_plain(line: &str) -> bool {
    line.chars().all(|c| c.is_ascii_alphanumeric() || " -_./=:,@%+'#".contains(c))
}

/// Text from outside: nothing in it re-orders its surroundings.
fn foreign(text: &str) -> String {
    escape(&one_line(text))
}

/// A sentence of ours that Markdown, and HTML within it, reads as text: on one line, every sign with a meaning
/// behind a backslash (CommonMark 0.31, section 2.4; `$` begins a formula on some sites), and those of HTML as
/// entities. The isolates around its right-to-left names are kept.
fn escape(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut out = String::with_capacity(text.len() + 8);
    let marker = list_marker(&text);
    for (at, c) in text.char_indices() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c if ISOLATE.contains(&c) => out.push(c),
            c => {
                out.push_str(if marker == Some(at) { "\\" } else { "" });
                visible_char(&mut out, c);
            }
        }
    }
    out
}

/// Where the sign is that makes the beginning of a text a list: `-`, `+`, `1.`, `1)`.
fn list_marker(text: &str) -> Option<usize> {
    if text.starts_with(['-', '+']) {
        return Some(0);
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    let after = rest.strip_prefix(['.', ')'])?;
    (digits > 0 && (after.is_empty() || after.starts_with(' '))).then_some(digits)
}
