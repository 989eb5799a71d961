//! The command line: one file a verb, registered by one line below.

mod diagnostics;
mod exit;
mod lab_file;
mod language;
mod machine;
mod output;
#[cfg(test)]
mod thousand;

use bench::isolate::{self, Isolation};
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Choose, build, measure and tune ZFS storage, on a scale model of it.
#[derive(Parser)]
#[command(
    name = "poolwright",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// Declares the module of each verb, its subcommand and its dispatch.
///
/// A verb is a module with `pub struct Args` (deriving [`clap::Args`]; its doc comment is the help)
/// and `pub fn run(self) -> ExitCode`.
macro_rules! verbs {
    ($($module:ident $variant:ident)*) => {
        $(mod $module;)*

        #[derive(Subcommand)]
        enum Verb {
            $($variant($module::Args),)*
        }

        impl Verb {
            fn run(self) -> ExitCode {
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
    mount Mount
    new New
    plan Plan
    powercut Powercut
    report Report
    run Run
    tune Tune
}

/// The whole command line, for completions and the man page.
fn command() -> clap::Command {
    Cli::command()
}

fn main() -> ExitCode {
    let code = Cli::parse().verb.run();
    if Isolation::inside().is_some() {
        isolate::farewell();
    }
    code
}
