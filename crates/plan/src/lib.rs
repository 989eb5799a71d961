//! Arithmetic of pool layouts.

pub mod assess;
mod candidates;
pub mod draid_map;
pub mod drive;
pub mod enumerate;
pub mod histogram;
pub mod layout;
mod pareto;
pub mod rank;
pub mod rebuild;
pub mod reliability;
pub mod sizing;
pub mod space;
pub mod speed;
pub mod tolerance;
