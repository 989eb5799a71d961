//! The comparison as Markdown, for a forum post or a blog.

use crate::lang::{Label, Language, Words};
use crate::number::{micros, share};
use crate::rows::{
    adequate_text, answers, aside, causes, first_head, load_text, rate, risks, rows, title,
    validity, verdict_text, workloads,
};
use crate::terminal::{against, first_text, sign, with_spread};
use crate::text::one_line;
use findings::schema::Findings;
use std::fmt::Write;

/// The whole report.
pub fn render(findings: &Findings, language: Language) -> String {
    let words = language.words();
    let say = |label| words.label(label);
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", escape(&findings.lab.title));
    let _ = writeln!(out, "{}\n", escape(&words.model(findings)));
    let _ = writeln!(out, "## {}\n", say(Label::Answer));
    let answers = answers(findings);
    if answers.is_empty() {
        let _ = writeln!(out, "{}\n", say(Label::NoVerdict));
    }
    for answer in &answers {
        let _ = writeln!(
            out,
            "- **{}**{}{}",
            escape(&title(findings, words, answer.verdict)),
            say(Label::Colon),
            escape(&verdict_text(words, answer))
        );
    }
    let rows = rows(findings);
    let many = workloads(findings).len() > 1;
    for workload in workloads(findings) {
        let heading = if many { workload } else { say(Label::Comparison) };
        let _ = writeln!(out, "\n## {}\n", escape(heading));
        let first = first_head(rows.iter().filter(|r| r.cell.workload == workload));
        let head = [
            say(Label::Variant).to_owned(),
            format!("{}, {}", say(rate(findings)), say(first)),
            format!("{}, {}", say(rate(findings)), say(Label::Sustained)),
            say(Label::Mean).to_owned(),
            say(Label::P99).to_owned(),
            say(Label::Arc).to_owned(),
            say(Label::L2arc).to_owned(),
            format!("{} {}", say(Label::Against), escape(&findings.lab.baseline)),
        ];
        let _ = writeln!(out, "| {} |", head.join(" | "));
        let _ = writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|");
        for row in rows.iter().filter(|r| r.cell.workload == workload) {
            let latency = row.cell.latency.filter(|_| row.shown());
            let reads = row.cell.hits.reads;
            let cells = [
                escape(&format!("{}{}", row.cell.variant, sign(row.cell.validity))),
                first_text(words, row),
                match (row.lasting, row.not_settled) {
                    (Some(estimate), _) => with_spread(&estimate),
                    (None, Some(_)) => say(Label::NotSettled).to_owned(),
                    (None, None) => validity(words, row.cell),
                },
                latency.map_or("–".into(), |l| micros(l.mean_us)),
                latency.map_or("–".into(), |l| micros(l.p99_us)),
                row.from_memory().map_or("–".into(), share),
                reads.map_or("–".into(), |r| share(r.l2arc)),
                escape(&against(words, row)),
            ];
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        if rows.iter().any(|r| r.cell.workload == workload && r.first.is_some()) {
            let _ = writeln!(out, "\n{}", say(Label::WholeWindow));
        }
    }
    let causes = causes(findings);
    if !causes.is_empty() {
        let _ = writeln!(out, "\n## {}", say(Label::WaitsFor));
    }
    for of_cell in causes {
        let head = format!("{} · {}", of_cell[0].variant, of_cell[0].workload);
        let _ = writeln!(out, "\n**{}**\n", escape(&head));
        for cause in of_cell {
            let _ = writeln!(out, "{}. {}", cause.rank, escape(&words.cause(cause)));
        }
    }
    if !findings.adequate.is_empty() {
        let _ = writeln!(out, "\n## {}\n", say(Label::Enough));
        for adequate in &findings.adequate {
            let _ = writeln!(out, "- {}", escape(&adequate_text(findings, words, adequate)));
        }
    }
    let risks = risks(findings);
    if !risks.is_empty() {
        let _ = writeln!(out, "\n## {}\n", say(Label::Risks));
        for (variant, risk) in risks {
            let colon = say(Label::Colon);
            let _ = writeln!(
                out,
                "- **{}**{colon}{}",
                escape(variant),
                escape(&words.durability(risk))
            );
        }
    }
    if !findings.ladders.is_empty() {
        let _ = writeln!(out, "\n## {}\n", say(Label::Load));
        for ladder in &findings.ladders {
            let head = format!("{} · {}", ladder.variant, ladder.workload);
            let said = load_text(words, ladder);
            let _ = writeln!(out, "- **{}**{}{}", escape(&head), say(Label::Colon), escape(&said));
        }
    }
    let aside: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let said = aside(words, findings, row);
            let head = format!("{} · {}", row.cell.variant, row.cell.workload);
            (!said.is_empty()).then(|| {
                format!("- {}: {}", escape(&head), escape(&said.join(say(Label::Semicolon))))
            })
        })
        .collect();
    if !aside.is_empty() {
        let _ = writeln!(out, "\n## {}\n\n{}", say(Label::Remarks), aside.join("\n"));
    }
    let _ = writeln!(out, "\n## {}\n", say(Label::Trust));
    for part in &findings.validation {
        let _ = writeln!(out, "- {}", escape(&words.validation(part)));
    }
    let _ = writeln!(out, "- {}", say(Label::NotValidated));
    for other in &findings.scale.other_sizes {
        let _ = writeln!(out, "- {}", escape(&words.other_size(other)));
    }
    for open in &findings.scale.open_numbers {
        let _ = writeln!(out, "- {}", escape(&words.open_numbers(open)));
    }
    for limit in &findings.scale.limits {
        let _ = writeln!(out, "- {}", escape(&words.scale_limit(limit)));
    }
    for lint in &findings.lints {
        let _ = writeln!(
            out,
            "- {}: {}",
            words.severity(lint.severity),
            escape(&words.lint(&lint.finding))
        );
    }
    build(&mut out, findings, words);
    out.replace('\u{a0}', " ")
}

/// What was compared: each variant's commands, each workload's jobs.
fn build(out: &mut String, findings: &Findings, words: &dyn Words) {
    let _ = writeln!(out, "\n## {}\n", words.label(Label::Configuration));
    for workload in &findings.workloads {
        let jobs: Vec<String> = workload.jobs.iter().map(|job| escape(job)).collect();
        let _ = writeln!(out, "- **{}** {}", escape(&workload.name), jobs.join(" · "));
    }
    for variant in findings.variants.iter().filter(|v| !v.build.is_empty()) {
        let _ = writeln!(out, "\n**{}**\n", escape(&variant.name));
        let commands: Vec<&String> = variant.build.iter().chain(&variant.add).collect();
        let plain = commands.iter().all(|line| is_plain(line));
        for (i, command) in commands.into_iter().enumerate() {
            let mut put = |line: &str| {
                // An indented block is shown as it is, to be copied; not every site reads Markdown so.
                let _ = match plain {
                    true => writeln!(out, "    {line}"),
                    false => writeln!(out, "- {}", escape(line)),
                };
            };
            if i == variant.build.len() {
                put(&format!("# {}", words.label(Label::AddIt)));
            }
            put(command);
        }
    }
    let _ = writeln!(out, "\n{}", words.label(Label::BuildWarning));
}

/// Whether a line has nothing in it but what commands are made of.
fn is_plain(line: &str) -> bool {
    line.chars().all(|c| c.is_ascii_alphanumeric() || " -_./=:,@%+'#".contains(c))
}

/// Text that Markdown, and HTML within it, reads as text: on one line, every sign with a meaning
/// behind a backslash (CommonMark 0.31, section 2.4), and those of HTML as entities.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
