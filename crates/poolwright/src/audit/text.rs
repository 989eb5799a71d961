//! Findings as text and as JSON.

use super::Report;
use advice::audit::{Finding, Severity};
use advice::lang::Language;
use advice::words::printable;
use serde_json::{Value, json};
use std::fmt::Write;

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The report for people.
pub fn text(report: &Report, language: Language) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        one(&mut out, finding, language);
    }
    for line in &report.lints {
        let _ = writeln!(out, "results: {}", printable(&line.text));
        let _ = writeln!(out, "  rows      {}\n", printable(&line.rows.join(", ")));
    }
    let count = |severity| {
        report
            .findings
            .iter()
            .filter(|f| f.severity == severity)
            .count()
    };
    let _ = writeln!(
        out,
        "{} errors, {} warnings, {} notes · {} rules over {} texts",
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Note),
        super::rules(),
        report.texts,
    );
    out
}

fn one(out: &mut String, finding: &Finding, language: Language) {
    let (what, why) = language.say(finding);
    let _ = writeln!(
        out,
        "{}: {what} [{}]",
        word(finding.severity),
        finding.rule.name()
    );
    let _ = writeln!(out, "  {why}");
    if !finding.variants.is_empty() {
        let _ = writeln!(
            out,
            "  variants  {}",
            printable(&finding.variants.join(", "))
        );
    }
    for evidence in &finding.evidence {
        let _ = writeln!(
            out,
            "  evidence  {}: {}",
            evidence.at,
            printable(&evidence.text)
        );
    }
    for step in finding.fix() {
        let _ = writeln!(out, "  fix       {step}");
    }
    for source in finding.rule.rule().sources {
        let _ = writeln!(out, "  source    {source}");
    }
    if let Some(lab) = finding.rule.rule().lab {
        let _ = writeln!(out, "  lab       poolwright run {lab}");
    }
    out.push('\n');
}

/// The report for programs.
pub fn json(report: &Report, language: Language) -> String {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let (what, why) = language.say(finding);
            let rule = finding.rule.rule();
            json!({
                "rule": finding.rule.name(),
                "severity": finding.severity,
                "subject": finding.subject,
                "what": what,
                "why": why,
                "variants": finding.variants,
                "evidence": finding.evidence.iter().map(|e| json!({
                    "file": e.at.file, "line": e.at.line, "text": e.text,
                })).collect::<Vec<_>>(),
                "fix": finding.fix().iter().map(ToString::to_string).collect::<Vec<_>>(),
                "changes": finding.changes,
                "sources": rule.sources.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "lab": rule.lab,
            })
        })
        .collect();
    let report = json!({
        "rules": super::rules(),
        "texts": report.texts,
        "findings": findings,
        "results": report.lints,
        "unread": report.unread.iter().map(|u| json!({
            "file": u.at.file, "line": u.at.line, "what": u.what,
        })).collect::<Vec<_>>(),
    });
    format!("{report:#}\n")
}
