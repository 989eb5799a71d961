//! Exit codes that all subcommands share; each documents its own meaning of 1.

use bench::fault::Fault;
use text::line::visible;

/// Bad usage or bad input: an argument, a lab file.
pub const USAGE: u8 = 2;
/// This host lacks something: the message names it and the line that installs it.
pub const ENVIRONMENT: u8 = 3;
/// The user stopped it: what a shell reports of a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;

/// Prints an error and returns `code`. The message may hold foreign text.
pub fn refuse(code: u8, message: impl std::fmt::Display) -> u8 {
    crate::output::complain(&format!("error: {}\n", visible(&message.to_string())));
    code
}

/// Prints a fault and returns its exit code.
pub fn for_fault(fault: &Fault) -> u8 {
    match fault {
        Fault::Interrupted => INTERRUPTED,
        Fault::Environment(_) | Fault::Failed(_) => refuse(ENVIRONMENT, fault),
    }
}

/// Prints a store error and returns its exit code.
pub fn for_store_error(error: &store::Error) -> u8 {
    use store::Error;
    match error {
        Error::Unknown { .. } | Error::Ambiguous { .. } | Error::Former { .. } => {
            refuse(USAGE, error)
        }
        Error::Io { .. } | Error::Content { .. } => refuse(ENVIRONMENT, error),
    }
}
