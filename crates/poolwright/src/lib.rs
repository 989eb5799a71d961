//! The command line: one file a verb, registered by two lines below.
//!
//! A library, so that tests can build the same command line on an engine of their own.

mod audit;
mod check;
mod compare;
mod completions;
mod diagnostics;
mod doctor;
mod engine;
mod exit;
mod hidden;
mod history;
mod host_resources;
mod lab_file;
mod merge;
mod new;
mod output;
mod plan;
mod powercut;
mod profiles;
#[cfg(test)]
mod random_labs;
mod report;
mod run;
mod shell;
mod status_line;
mod store_dir;
mod trial;
mod tune;
#[cfg(test)]
mod verbs_page;
mod verify;

pub use engine::{OpenEngine, open_engine};

use clap::{CommandFactory, Parser, Subcommand};
use exit::Refusal;
use std::process::ExitCode;

/// Choose, build, measure and tune ZFS storage, on a scale model of it.
#[derive(Parser)]
#[command(name = "poolwright", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// Declares the subcommand of each verb and its dispatch. Its module is declared above, where rustfmt sees it.
///
/// A verb is a module with `pub struct Args` (deriving [`clap::Args`]; its doc comment is the help)
/// and `pub fn run(self) -> Result<u8, Refusal>`: its exit code, or the error to print.
macro_rules! verbs {
    ($($module:ident $variant:ident)*) => {
        #[derive(Subcommand)]
        enum Verb {
            $($variant($module::Args),)*
        }

        impl Verb {
            fn run(self) -> Result<u8, Refusal> {
                match self {
                    $(Verb::$variant(args) => args.run(),)*
                }
            }
        }
    };
}

verbs! {
    audit Audit
    check Check
    compare Compare
    completions Completions
    doctor Doctor
    history History
    merge Merge
    new New
    plan Plan
    powercut Powercut
    profiles Profiles
    report Report
    run Run
    shell Shell
    trial Trial
    tune Tune
    verify Verify
}

/// The whole command line, for completions and the man page.
fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command line of this process, on an engine that is opened by the verbs that need one.
pub fn main(open: OpenEngine) -> ExitCode {
    if let Some(code) = hidden::run() {
        return code;
    }
    engine::set(open);
    ExitCode::from(Cli::parse().verb.run().unwrap_or_else(Refusal::report))
}
