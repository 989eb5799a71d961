//! Trial records in; checks, causes, effects and verdicts out.
//!
//! Pure: no I/O, no clock. [`record`] is what comes in (written by `bench`), [`Findings`] is what goes
//! out (read by `report`, and published as a JSON schema). The mathematics and its sources are in
//! `docs/explanation/method.md`.

mod ablation;
mod adequate;
mod analyse;
mod causes;
mod cautions;
mod cells;
mod checks;
mod compare;
mod database;
mod durability;
mod effects;
mod factors;
mod history;
mod hits;
mod job;
mod ladder;
mod latency;
mod phases;
mod price;
mod profile_numbers;
mod quality;
mod reasons;
mod reruns;
mod resources;
mod scale;
mod verdicts;

pub mod counters;
pub mod lints;
pub mod output;
pub mod record;
pub mod validation;

pub use analyse::{analyse, complete};
pub use compare::{Change, Comparison, Named, Published, Unmeasured, against_published, compare};
pub use history::{History, Step, history};
pub use job::is_paced;
pub use output::Findings;
pub use verdicts::metric;

/// Confidence of the intervals of cells.
pub const CONFIDENCE: f64 = 0.95;
/// Share of campaigns allowed to name an effect where there is none, per effect, over all looks.
pub const ERROR_RATE: f64 = 0.05;
/// Smallest effect worth naming.
pub const SMALLEST_EFFECT: f64 = 0.05;
