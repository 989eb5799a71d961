//! The scale model's process: a pool on emulated drives, mounted by FUSE.
//!
//! [`protocol`] is all that the parent needs. The rest is the process itself: the slowed [`clock`],
//! the [`emulator`] of drives, and a [`volume::Volume`] served by [`fuse`].

pub mod clock;
pub mod emulator;
pub mod fuse;
pub mod protocol;
pub mod volume;
#[cfg(feature = "engine")]
pub mod zfs;
#[cfg(feature = "engine")]
pub mod zpl;
