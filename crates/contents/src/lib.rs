//! Contents of a machine's drives, and the files about them that the machine and its host share: the
//! configuration of the drives, images of their contents, and the record of writes, flushes and discards.

pub mod config;
mod contents;
pub mod crash;
pub mod image;
pub mod record;

pub use contents::{CHUNK, Contents, Memory, PAGE, Pages};
