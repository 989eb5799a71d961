//! Contradictions in a table of results.

use findings::lints::{self, Table};
use findings::schema::Severity;
use serde::Serialize;
use text::Language;

/// A contradiction in a table of results.
#[derive(Debug, Serialize)]
pub struct Line {
    pub rows: Vec<String>,
    pub severity: Severity,
    /// What contradicts what.
    pub text: String,
}

impl Line {
    /// Whether it counts as a finding: the numbers cannot all be true, or hardly.
    pub fn counts(&self) -> bool {
        matches!(self.severity, Severity::Impossible | Severity::Implausible)
    }
}

/// The table in a file.
pub fn table(name: &str) -> Result<Table, String> {
    let text = std::fs::read_to_string(name).map_err(|e| format!("cannot read {name}: {e}"))?;
    Table::read(&text).map_err(|e| format!("{name}: {e}"))
}

/// The contradictions in a file of results.
pub fn read(name: &str, language: Language) -> Result<Vec<Line>, String> {
    let lines = lints::contradictions(&table(name)?).into_iter().map(|lint| Line {
        text: language.lint(&lint.finding),
        rows: lint.rows,
        severity: lint.severity,
    });
    Ok(lines.collect())
}
