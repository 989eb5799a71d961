//! Findings as terminal text, HTML, Markdown, CSV and JSON.
