//! Contents of a machine's drives, and the files about them that the machine and its host share: the
//! configuration of the drives, images of their contents, the record of writes, flushes and discards, and what of the
//! contents was read.

pub mod config;
mod contents;
pub mod crash;
pub mod image;
mod pages;
pub mod reads;
pub mod record;

pub use contents::Contents;
pub use pages::{CHUNK, Memory, PAGE, Pages};
