//! libzpool: a C shim and a safe Rust interface over a trait for disks.
//!
//! This is the whole of OpenZFS below the POSIX layer, in this process, with three things supplied
//! from outside: the disks (`Disk`), the clock (`Settings::dilation`) and the size of memory
//! (`Settings::memory`). It knows nothing of drive models.
//!
//! Without the feature `engine` the crate is empty.

#[cfg(feature = "engine")]
mod disk;
#[cfg(feature = "engine")]
mod error;
#[cfg(feature = "engine")]
mod ffi;
#[cfg(feature = "engine")]
mod filesystem;
#[cfg(feature = "engine")]
mod library;
#[cfg(feature = "engine")]
mod pool;

#[cfg(feature = "engine")]
pub use disk::{Disk, Geometry, Io, IoOp};
#[cfg(feature = "engine")]
pub use error::{Error, Result};
#[cfg(feature = "engine")]
pub use filesystem::{
    Attr, Changes, Entry, FileSystem, Flags, Node, Space as FileSystemSpace, Stages,
};
#[cfg(feature = "engine")]
pub use library::{Counter, Library, Settings, is_debug, version};
#[cfg(feature = "engine")]
pub use pool::{Class, Layout, LostDrive, Pool, Space, Vdev};
