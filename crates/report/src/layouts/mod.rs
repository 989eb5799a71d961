//! Layouts ranked by `plan`, as terminal text and as an HTML page.

mod chart;
pub mod html;
pub mod table;
