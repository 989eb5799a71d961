//! The programs inside the machines of a power cut, as a hidden subcommand.

use super::{recovery, server_crash, writer};
use machine::INSIDE;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The hidden subcommand.
pub const VERB: &str = "machine-powercut";
/// Its argument for what makes the tables of the transactions, where no server does.
pub const TABLES: &str = "tables";
/// Its argument for the first machine's program.
pub const FIRST: &str = "first";
/// Its argument for the first machine's writers.
pub const WRITE: &str = "write";
/// Its argument for the program of a machine after the cut.
pub const AFTER: &str = "after";
/// Its argument for the program after the server alone was killed.
pub const RESTARTED: &str = "restarted";
/// Its argument for the check of the files in it.
pub const CHECK: &str = "check";

/// Runs the program of an argument; none for an unknown argument.
pub fn run(what: &OsStr) -> Option<ExitCode> {
    let done = match what.to_str()? {
        TABLES => writer::make_tables(),
        FIRST => writer::run(),
        WRITE => writer::write(),
        AFTER => recovery::run(),
        RESTARTED => server_crash::restart(),
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
