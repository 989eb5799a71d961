//! Trial records in; checks, attribution, effects and verdicts out.
//!
//! Pure: no I/O, no clock. `record` is what comes in (written by `bench`), [`Findings`] is what goes
//! out (read by `report`, and published as a JSON schema).

pub mod output;
pub mod record;

pub use output::Findings;
