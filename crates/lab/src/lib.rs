//! The lab file: the file resolved into a campaign, or diagnostics.
//!
//! [`load`] reads a lab's text. Nothing here does I/O: files come through [`Files`], profiles and
//! built-in labs are embedded.

pub mod build_commands;
pub mod builtin;
pub mod campaign;
pub mod diagnostic;
pub mod durability;
mod file;
mod files;
pub mod fio;
pub mod model;
pub mod mysql;
pub mod postgresql;
mod profile;
pub mod schema;
mod server_settings;
pub mod units;

pub use diagnostic::{Diagnostic, Severity};
pub use file::{load, load_on, name_of};
pub use files::{Files, NoFiles};
pub use profile::Profiles;
