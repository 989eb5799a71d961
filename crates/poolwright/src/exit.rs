//! Exit codes that every verb shares; a verb documents what 1 means to it.

use bench::isolate::Ended;

/// Bad usage or bad input: an argument, a lab file.
pub const USAGE: u8 = 2;
/// This machine lacks something: the message names it and the line that installs it.
pub const ENVIRONMENT: u8 = 3;
/// The user stopped it: what a shell reports of a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;

/// The exit code of what ran in namespaces of its own; of an end that it could not tell of itself, says it.
pub fn of(ended: Ended) -> u8 {
    match ended {
        Ended::Exit(code) => code,
        Ended::Stopped => {
            crate::output::complain("ended at once, as asked twice\n");
            INTERRUPTED
        }
        Ended::Killed(signal) => {
            let memory = match signal {
                9 => ", as by a system whose memory ran out",
                _ => "",
            };
            crate::output::complain(&format!("error: ended by signal {signal}{memory}\n"));
            // As a shell reports it.
            128u8.wrapping_add(signal as u8)
        }
    }
}
