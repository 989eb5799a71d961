//! Findings as text and as JSON.

use super::Report;
use advice::audit::{Finding, Severity, rules};
use advice::format::printable;
use serde_json::{Value, json};
use std::fmt::Write;
use text::Label::Colon;
use text::{Language, advice::Label};

/// A labelled line of a finding.
fn line(out: &mut String, language: Language, label: Label, text: &str) {
    let word = label.text(language);
    let (width, gap) = match language {
        Language::English => (10, ""),
        // Two characters of two columns each.
        Language::Chinese => (4, "  "),
    };
    let _ = writeln!(out, "  {word:width$}{gap}{text}");
}

/// The report for people.
pub fn text(report: &Report, language: Language) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        one(&mut out, finding, language);
    }
    for line in &report.lints {
        let (severity, colon) = (language.severity(line.severity), language.label(Colon));
        let _ = writeln!(out, "{severity}{colon}{}", printable(&line.text));
        self::line(&mut out, language, Label::Rows, &printable(&line.rows.join(", ")));
        out.push('\n');
    }
    let count = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
    let summary = Label::Summary
        .text(language)
        .replace("{errors}", &count(Severity::Error).to_string())
        .replace("{warnings}", &count(Severity::Warning).to_string())
        .replace("{notes}", &count(Severity::Note).to_string())
        .replace("{results}", &report.lints.len().to_string())
        .replace("{rules}", &rules().count().to_string())
        .replace("{texts}", &report.texts.to_string());
    out.push_str(&summary);
    out.push('\n');
    out
}

fn one(out: &mut String, finding: &Finding, language: Language) {
    let (what, why) = finding.text(language);
    let severity = match finding.severity {
        Severity::Error => Label::Error,
        Severity::Warning => Label::Warning,
        Severity::Note => Label::Note,
    };
    let severity = severity.text(language);
    let colon = language.label(Colon);
    let _ = writeln!(out, "{severity}{colon}{what} [{}]", finding.rule.name);
    let _ = writeln!(out, "  {why}");
    if !finding.variants.is_empty() {
        let variants = finding.variants.join(", ");
        line(out, language, Label::Variants, &printable(&variants));
    }
    for evidence in &finding.evidence {
        let text = format!("{}: {}", evidence.at, printable(&evidence.text));
        line(out, language, Label::Evidence, &text);
    }
    for step in finding.fix() {
        line(out, language, Label::Fix, &step);
    }
    for source in finding.rule.sources {
        line(out, language, Label::Source, &source.to_string());
    }
    if let Some(lab) = finding.rule.lab {
        let command = format!("poolwright {}", advice::format::lab_command(lab));
        line(out, language, Label::Lab, &command);
    }
    out.push('\n');
}

/// The report for programs.
pub fn json(report: &Report, language: Language) -> String {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let (what, why) = finding.text(language);
            let rule = finding.rule;
            json!({
                "rule": finding.rule.name,
                "severity": finding.severity,
                "subject": finding.subject,
                "what": what,
                "why": why,
                "variants": finding.variants,
                "evidence": finding.evidence.iter().map(|e| json!({
                    "file": e.at.file, "line": e.at.line, "text": e.text,
                })).collect::<Vec<_>>(),
                "fix": finding.fix(),
                "changes": finding.changes,
                "sources": rule.sources.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "lab": rule.lab,
            })
        })
        .collect();
    let report = json!({
        "rules": rules().count(),
        "texts": report.texts,
        "findings": findings,
        "results": report.lints,
        "unread": report.unread.iter().map(|u| json!({
            "file": u.at.file, "line": u.at.line, "what": u.what,
        })).collect::<Vec<_>>(),
    });
    format!("{report:#}\n")
}
