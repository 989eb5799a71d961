//! Settings.
pub mod udev;
