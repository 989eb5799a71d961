//! The campaign directory: the lab as run, the journal, raw outputs, lock and resume.
//!
//! ```text
//! results/<lab>/<UTC time>/
//!   lab.toml         the lab file as it was run
//!   campaign.json    what it meant, resolved
//!   model.json       S, k and every scaled stock
//!   made-by.json     what measured it: another build or place of drives begins anew
//!   machine.json     where it ran last, with which program versions
//!   journal.sqlite   one row for each attempt at a trial, written before it and after it
//!   trials/<nnnn>-<variant>-<workload>/<attempt>/   raw outputs of every program
//!   lock             held while a run is at work here
//! ```
//!
//! A trial counts only when its row is complete, so a run can be killed at any point and be
//! continued by the same command. Reports are made from the directory and can be made again.

mod campaign;
mod error;
mod journal;
mod scratch;

pub use campaign::{MadeBy, Store, Unfinished};
pub use error::Error;
pub use journal::{Attempt, Journal, State};
pub use scratch::{Scratch, remove_leftovers};
