//! Arithmetic of pool layouts.

pub mod draid_map;
pub mod drive;
pub mod enumerate;
pub mod geometry;
pub mod layout;
pub mod space;
pub mod tolerance;
