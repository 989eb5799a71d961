//! Trial records in; checks, causes, effects and verdicts out.
//!
//! Pure: no I/O, no clock. [`measurement::Trial`] is what comes in, [`Findings`] is what goes
//! out (read by `report`, and published as a JSON schema). The mathematics and its sources are in
//! `docs/explanation/method.md`.

mod analyse;
mod campaigns;
mod cells;
mod effects;
mod verdicts;

pub mod lints;
pub mod quality;
pub mod schema;

pub use analyse::{analyse, complete};
pub use campaigns::{
    Change, Comparison, History, Named, Published, Step, Unmeasured, against_published, compare,
    history,
};
pub use cells::client::is_paced;
pub use cells::ladder::keeps_up;
pub use schema::Findings;
pub use verdicts::metric;

/// Confidence of the intervals of cells.
pub const CONFIDENCE: f64 = 0.95;
/// Share of campaigns allowed to name an effect where there is none, per effect, over all looks.
pub const ERROR_RATE: f64 = 0.05;
/// Smallest effect worth naming.
pub const SMALLEST_EFFECT: f64 = 0.05;
