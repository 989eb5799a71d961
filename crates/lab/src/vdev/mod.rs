//! The vdev grammar of `zpool create`: a sentence of vdevs, read and printed.
//!
//! As in zpool, a class keyword (`log`, `special`, `dedup`) holds for all that follows until the next
//! one; `cache` and `spare` hold for their drives, and a layout after them begins a data vdev. Drives are written `hdd3`, `hdd[3]`, or as ranges `hdd[0-5]`,
//! `hdd[0-2,7]`.

mod draid;
mod drive;
mod parse;
mod print;

pub use drive::{drives, valid_kind};
pub use parse::{Placed, Problem, Sentence, is_keyword, parse};
pub use print::{needs_force, ranges, sort, summary, words};

#[cfg(test)]
mod tests;
