//! What a machine's drives hold, and the files that the machine and its host share about it: the
//! configuration of the drives, images of their contents, and the record of what reached them.

pub mod config;
mod contents;
pub mod crash;
pub mod image;
pub mod record;

pub use contents::{CHUNK, Contents, Memory, PAGE, Pages};
