//! Exit codes that all subcommands share; each documents its own meaning of 1.

use bench::error::Error;
use std::fmt::Display;
use text::line::visible;

/// Bad usage or bad input: an argument, a lab file.
pub const USAGE: u8 = 2;
/// This host lacks something: the message names it and the line that installs it.
pub const ENVIRONMENT: u8 = 3;
/// The user stopped it: what a shell reports of a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;

/// Prints an error and returns `code`. The message may hold foreign text.
pub fn refuse(code: u8, message: impl Display) -> u8 {
    crate::output::complain(&format!("error: {}\n", visible(&message.to_string())));
    code
}

/// Why a verb ended before its end: the exit code, and the error unless it was printed.
#[derive(Debug)]
pub struct Refusal {
    code: u8,
    message: Option<String>,
}

impl Refusal {
    pub fn new(code: u8, message: impl Display) -> Refusal {
        Refusal { code, message: Some(message.to_string()) }
    }

    pub fn usage(message: impl Display) -> Refusal {
        Refusal::new(USAGE, message)
    }

    pub fn environment(message: impl Display) -> Refusal {
        Refusal::new(ENVIRONMENT, message)
    }

    /// One whose error has been printed, or that needs none.
    pub fn silent(code: u8) -> Refusal {
        Refusal { code, message: None }
    }

    /// Prints the error; the exit code.
    pub fn report(self) -> u8 {
        self.message.map_or(self.code, |message| refuse(self.code, message))
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error {
            Error::Interrupted => Refusal::silent(INTERRUPTED),
            Error::Environment(_) | Error::Failed(_) => Refusal::environment(error),
        }
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Refusal {
        match error {
            store::Error::Unknown { .. }
            | store::Error::Ambiguous { .. }
            | store::Error::Former { .. } => Refusal::usage(error),
            store::Error::Io { .. } | store::Error::Content { .. } => Refusal::environment(error),
        }
    }
}
