//! Exit codes that every verb shares; a verb documents what 1 means to it.

/// Bad usage or bad input: an argument, a lab file.
pub const USAGE: u8 = 2;
/// This machine lacks something: the message names it and the line that installs it.
pub const ENVIRONMENT: u8 = 3;
/// The user stopped it: what a shell reports of a program that SIGINT ended.
pub const INTERRUPTED: u8 = 130;
