//! The vocabulary of measurements: what a trial is, what it counts, and the record that it leaves.
//!
//! Pure. The machine, the store, the campaign and the findings share these types; none of them names a
//! counter or a fact by a string.

mod counter;
mod fact;
mod named;
mod result;
mod stage;
mod sync_test;
mod trial;
mod values;

pub use counter::{Counter, DriveCounter, THROTTLES, drive_kind};
pub use fact::Fact;
pub use result::{Flow, HISTOGRAM_END_NS, Measured, Second, TrialResult, WarmUp, WarmUpEnd};
pub use stage::Stage;
pub use sync_test::SyncTest;
pub use trial::{Cost, Perturbation, Trial, TrialKind};
pub use values::{Counters, Facts, Named, Values};
