//! Exit codes that every verb shares; a verb documents what 1 means to it.

use bench::fault::Fault;

/// Bad usage or bad input: an argument, a lab file.
pub const USAGE: u8 = 2;
/// This host lacks something: the message names it and the line that installs it.
pub const ENVIRONMENT: u8 = 3;
/// The user stopped it: what a shell reports of a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;

/// Prints what is wrong; the exit code is `code`.
pub fn refuse(code: u8, message: impl std::fmt::Display) -> u8 {
    crate::output::complain(&format!("error: {message}\n"));
    code
}

/// Prints why something could not run. The exit code that follows.
pub fn for_fault(fault: &Fault) -> u8 {
    match fault {
        Fault::Interrupted => INTERRUPTED,
        Fault::Environment(_) | Fault::Failed(_) => refuse(ENVIRONMENT, fault),
    }
}

/// Prints why the store could not be used. The exit code that follows.
pub fn for_store_error(error: &store::Error) -> u8 {
    use store::Error;
    match error {
        Error::Unknown { .. } | Error::Ambiguous { .. } | Error::Former { .. } => {
            refuse(USAGE, error)
        }
        Error::Io { .. } | Error::Content { .. } => refuse(ENVIRONMENT, error),
    }
}
