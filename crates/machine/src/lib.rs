//! One Linux machine in virtual time.
//!
//! The machine is a kernel built as an ordinary program ([`engine`] finds it). [`start`] starts one with
//! its drives and a [`script`], and waits for its end. Inside, the same executable is the first process:
//! [`guest::run`] carries out the script and writes what it saw. Both ends meet only in files of the
//! machine's own directory and in lines on its console, so that nothing of the host's timing gets in.

pub mod confine;
mod core;
mod counters;
pub mod engine;
pub mod guest;
pub mod launch;
pub mod memory;
pub mod outcome;
pub mod scratch;
pub mod script;
pub mod start;
mod terminal;
pub mod warm;

/// Where the machine's own directory is, inside.
pub const INSIDE: &str = "/run/machine";
/// Where the engine's directory is, inside: the same on every host, also where the host has it below a
/// directory that the machine has for itself, such as /tmp.
pub const ENGINE: &str = "/run/engine";
/// Prefix of the drives' devices inside: `/dev/pw-hdd0`.
pub const DEVICE: &str = "/dev/pw-";
/// File with the script, in the machine's directory.
pub const SCRIPT: &str = "script.json";
/// File with the outcome, in the machine's directory.
pub const OUTCOME: &str = "outcome.json";
/// File with the configuration of the drives, in the machine's directory.
pub const DRIVES: &str = "drives.json";
/// File with everything that the machine printed, in the machine's directory.
pub const CONSOLE: &str = "console.txt";
/// File with the input of a shell without a terminal, in the machine's directory.
pub const INPUT: &str = "input";
/// What a line of progress on the console begins with.
pub const PROGRESS: &str = "@poolwright ";
