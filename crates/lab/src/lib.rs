//! The lab file: units, vdev grammar, properties; the file resolved into a campaign, or diagnostics.

pub mod campaign;
pub mod diagnostic;
pub mod model;
pub mod units;
pub mod vdev;
