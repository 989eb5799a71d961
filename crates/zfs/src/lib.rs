//! OpenZFS's vocabulary: releases, allocation classes, layouts, the vdev grammar of `zpool create`,
//! properties, module parameters and the defaults that follow from a server's memory; and what the crates above share:
//! enums by name, suggestions for misspelt names.
//!
//! Everything is a table or a pure function of its arguments.

pub mod class;
pub mod geometry;
pub mod layout;
pub mod memory;
pub mod module;
mod named;
pub mod property;
pub mod release;
pub mod spelling;
pub mod units;
pub mod vdev;
pub mod write_path;

pub use class::AllocationClass;
pub use geometry::Geometry;
pub use layout::Layout;
pub use release::OpenZfs;
pub use vdev::{DriveRef, Sectors, Vdev};
pub use write_path::WritePath;
