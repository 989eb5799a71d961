//! Arithmetic of pool layouts.

pub mod geometry;
pub mod space;
