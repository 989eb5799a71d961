//! Subcommands that only this program calls: the two ends of a machine's start, and the programs of
//! `powercut`, of pgbench's tables and of SQLite's workload inside a machine. They stand apart from the command line, which has options, help and
//! completions that a machine's first process needs not load.

use bench::workload::pgbench::accounts;
use bench::workload::sqlite::inside as sqlite;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Runs a hidden subcommand; none for any other arguments.
pub fn run() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let verb = arguments.first()?.to_str()?;
    if verb == machine::start::GUEST && std::process::id() == 1 {
        let (directory, engine) = (arguments.get(1)?, arguments.get(2)?);
        machine::guest::run(Path::new(directory), Path::new(engine));
    }
    if verb == crate::powercut::inside::VERB {
        return crate::powercut::inside::run(arguments.get(1)?);
    }
    if verb == accounts::VERB {
        return accounts::run(&arguments[1..]);
    }
    if verb == sqlite::VERB {
        return sqlite::run(arguments.get(1)?);
    }
    if verb == machine::start::LAUNCH {
        let [_, parent, core, descriptors, directory, program, rest @ ..] = &arguments[..] else {
            return None;
        };
        let parent = parent.to_str()?.parse().ok()?;
        let core = core.to_str()?.parse().ok();
        let (descriptors, directory) = (descriptors.to_str()?, Path::new(directory));
        let why = machine::launch::run(parent, core, descriptors, directory, program, rest);
        eprintln!("{why}");
        return Some(ExitCode::from(3));
    }
    None
}
