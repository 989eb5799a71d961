//! Diagnostics drawn for people on standard error, or listed for programs.

use crate::lab_file::Sources;
use crate::output;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use lab::diagnostic::{Place, line_column};
use lab::{Diagnostic, Severity};
use serde_json::{Value, json};
use std::io::IsTerminal;

/// Most diagnostics that are drawn: a file that is no lab has a mistake in each line.
const SHOWN: usize = 50;

/// Prints each with its file, line and caret on standard error, and a line with the number of errors.
pub fn draw(diagnostics: &[Diagnostic], sources: &Sources) {
    let colour = output::colour(std::io::stderr().is_terminal());
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        text.push_str(&renderer.render(&groups(diagnostic, sources)));
        text.push_str("\n\n");
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    if diagnostics.len() > SHOWN {
        text.push_str(&format!("and {} more\n", diagnostics.len() - SHOWN));
    }
    if errors > 0 {
        text.push_str(&format!("{errors} mistake{}\n", if errors == 1 { "" } else { "s" }));
    }
    output::complain(&text);
}

fn groups<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message));
    if let Some(place) = &diagnostic.place
        && let Some(source) = sources.get(&place.file)
    {
        let mut primary = AnnotationKind::Primary.span(span(place, source));
        if !diagnostic.label.is_empty() {
            primary = primary.label(&diagnostic.label);
        }
        let mut snippet = Snippet::source(source).path(&place.file).annotation(primary);
        if let Some((related, label)) = diagnostic.related.as_deref()
            && related.file == place.file
        {
            snippet = snippet
                .annotation(AnnotationKind::Context.span(span(related, source)).label(label));
        }
        group = group.element(snippet);
    } else if !diagnostic.label.is_empty() {
        group = group.element(Level::NOTE.message(&diagnostic.label));
    }
    if let Some(fix) = diagnostic.fix.as_deref() {
        group = group.element(Level::HELP.message(fix));
    }
    vec![group]
}

/// The place within the source, on character boundaries.
fn span(place: &Place, source: &str) -> std::ops::Range<usize> {
    let boundary = |mut byte: usize| {
        byte = byte.min(source.len());
        while !source.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    };
    let start = boundary(place.span.start);
    start..boundary(place.span.end).max(start)
}

/// The diagnostics as JSON: severity, message, file, line, column, end, fix.
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let one = |diagnostic: &Diagnostic| {
        let place = diagnostic.place.as_ref().map(|place| {
            let source = sources.get(&place.file).map_or("", String::as_str);
            let (line, column) = line_column(source, place.span.start);
            let (end_line, end_column) = line_column(source, place.span.end);
            json!({
                "file": place.file, "line": line, "column": column,
                "end_line": end_line, "end_column": end_column,
            })
        });
        json!({
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "label": diagnostic.label,
            "place": place,
            "fix": diagnostic.fix,
        })
    };
    diagnostics.iter().map(one).collect()
}
