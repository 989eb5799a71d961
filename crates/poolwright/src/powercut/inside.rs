//! What runs inside the machines of a power cut, behind a hidden verb.

use super::{recovery, writer};
use machine::INSIDE;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The hidden verb.
pub const VERB: &str = "machine-powercut";
/// Its argument for the work of the first machine.
pub const FIRST: &str = "first";
/// For the writers of the first machine.
pub const WRITE: &str = "write";
/// For the work of a machine after the cut.
pub const AFTER: &str = "after";
/// For the check of the files there.
pub const CHECK: &str = "check";

/// Does the work of an argument; none when there is none such.
pub fn run(what: &OsStr) -> Option<ExitCode> {
    let done = match what.to_str()? {
        FIRST => writer::run(),
        WRITE => writer::write(),
        AFTER => recovery::run(),
        CHECK => recovery::check(),
        _ => return None,
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(crate::exit::ENVIRONMENT)
        }
    })
}

/// Reads a file of the machine's directory.
pub fn read<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, String> {
    let text = fs::read(Path::new(INSIDE).join(name));
    let text = text.map_err(|e| format!("cannot read {name}: {e}"))?;
    serde_json::from_slice(&text).map_err(|e| format!("cannot read {name}: {e}"))
}
