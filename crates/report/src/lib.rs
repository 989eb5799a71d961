//! Findings as terminal text, HTML, Markdown, CSV, JSON and OpenMetrics: one file a format. Ranked layouts as text and
//! HTML.
//!
//! Pure: findings in, text out. `docs/guide/report.md` says what each format is for.

mod charts;
pub mod compare;
pub mod csv;
pub mod history;
pub mod html;
pub mod json;
pub mod layouts;
pub mod markdown;
mod markup;
pub mod openmetrics;
mod rows;
mod table;
pub mod terminal;
