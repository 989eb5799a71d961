//! Findings as terminal text, HTML, Markdown, CSV, JSON and OpenMetrics: one file a format.
//!
//! Pure: findings in, text out. `docs/report.md` says what each format is for.

pub mod charts;
pub mod lang;
pub mod markup;
pub mod number;
pub mod text;
