//! fio: an ordinary job file, run on a scale model.

pub mod output;
pub mod rewrite;
pub mod series;

mod diff;
mod open;
mod process;
mod start;
mod stock;

pub use process::{Client, Finished, refusals};

use crate::fault::{Fault, doing};
use crate::programs;
use lab::fio::{Mistake, parse};
use rewrite::{Rewritten, Target};
use std::fs;
use std::path::{Path, PathBuf};

/// A job file rewritten for one trial, on disk, and how to run it.
#[derive(Debug)]
pub struct Prepared {
    /// Where its files and outputs are.
    pub raw: PathBuf,
    /// What it became.
    pub job: Rewritten,
}

/// Name of the copy that runs.
const COPY: &str = "job.fio";
/// Name of the copy that warms caches up.
const WARM: &str = "warm.fio";
/// Name of the copy that is a ramp.
const LEAD: &str = "lead.fio";
/// Name of the copy that reads files once.
const PRE_READ: &str = "pre-read.fio";

/// Keeps a file in a trial's directory.
fn write(raw: &Path, name: &str, content: &str) -> Result<(), Fault> {
    let path = raw.join(name);
    fs::write(&path, content).map_err(doing(format!("write {}", path.display())))
}

/// Mistakes of a job file as one reason.
fn reason(origin: &str, mistakes: &[Mistake]) -> String {
    mistakes
        .iter()
        .map(|mistake| format!("{origin}:{mistake}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Rewrites a job file for a target, checks the copy with fio itself, and keeps the original, the
/// copy and their difference in `raw`.
///
/// # Errors
/// Every mistake in the file, or what fio says to the copy.
pub fn prepare(
    fio: &programs::Fio,
    origin: &str,
    text: &str,
    target: &Target,
    raw: &Path,
) -> Result<Prepared, Fault> {
    let file = parse::parse(text).map_err(|m| Fault::Failed(reason(origin, &m)))?;
    let job = rewrite::rewrite(&file, target).map_err(|m| Fault::Failed(reason(origin, &m)))?;
    write(raw, "original.fio", text)?;
    write(raw, COPY, &job.text)?;
    write(
        raw,
        "job.diff",
        &diff::unified(origin, text, COPY, &job.text),
    )?;
    write(raw, "layout.fio", &job.layout())?;
    let prepared = Prepared {
        raw: raw.to_owned(),
        job,
    };
    process::check(fio, raw, COPY)?;
    Ok(prepared)
}
