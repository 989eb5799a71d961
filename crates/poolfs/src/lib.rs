//! The scale model's process: a pool on emulated drives, mounted by FUSE. The library part is the
//! control protocol.

pub mod protocol;
