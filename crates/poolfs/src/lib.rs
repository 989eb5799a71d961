//! The scale model's process: a pool on emulated drives, mounted by FUSE.
//!
//! [`protocol`] is all that the parent needs. The rest is the process itself: the slowed [`clock`],
//! the [`emulator`] of drives, a [`volume::Volume`] served by [`fuse`], and the [`server`] that
//! answers the parent with what a [`pool::Pool`] does.

pub mod clock;
pub mod emulator;
pub mod fuse;
pub mod pool;
pub mod protocol;
pub mod raw;
pub mod schedule;
pub mod server;
pub mod volume;

#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "engine")]
pub mod zfs;
#[cfg(feature = "engine")]
pub mod zpl;
