//! What a machine does from its first process to its end. All times are virtual.

use measurement::Stage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A machine's work, step by step; the first step that fails ends it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// The pool whose counters are sampled; empty for none.
    pub pool: String,
    /// Programs by name that stand in `/run/bin`, before everything else in `PATH`: how each is started.
    pub programs: BTreeMap<String, Vec<String>>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Reports to the host which stage begins.
    #[serde(rename = "phase")]
    Stage(Stage),
    /// Loads a kernel module with its parameters.
    Module {
        /// The file, as the machine sees it.
        file: PathBuf,
        /// `name=value`, separated by spaces.
        parameters: String,
    },
    /// Writes text to a file, such as a module parameter.
    Write {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
    },
    /// Runs a program to its end; it must succeed.
    Run(Command),
    /// Runs a program until the caches are warm or the time is over, then ends it.
    Warm {
        /// The program.
        command: Command,
        /// Most seconds.
        limit_s: f64,
        /// Seconds of a period over which hit ratios are compared.
        period_s: f64,
        /// Whether only the time counts, not the caches.
        fixed: bool,
    },
    /// Runs a program to its end and samples counters each second of its window.
    Measure {
        /// The program.
        command: Command,
        /// Seconds from its start to the beginning of the window.
        ramp_s: f64,
        /// Seconds after which it is taken for hung.
        limit_s: f64,
    },
    /// A shell. Without an output it runs on the terminal; with one it reads [`crate::INPUT`] of the
    /// machine's directory. Its exit code is part of the outcome.
    Shell(Command),
}

/// A program with its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs; the root where there is none.
    #[serde(default)]
    pub directory: PathBuf,
    /// File in the machine's directory that takes its output; its errors go to the same name with
    /// `.err`. Without one both are kept for the message in case it fails.
    #[serde(default)]
    pub output: Option<String>,
    /// Whether its success does not matter.
    #[serde(default)]
    pub may_fail: bool,
    /// User and group that it runs as, by number; root where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// Most files that it may have open at once; the kernel's default (1,024, or 4,096 if it asks) where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
}

impl Command {
    /// A program with its arguments.
    pub fn new<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Command {
        Command { argv: argv.into_iter().map(Into::into).collect(), ..Command::default() }
    }

    /// The same with its output in a file of the machine's directory.
    pub fn output(mut self, file: &str) -> Command {
        self.output = Some(file.to_owned());
        self
    }

    /// The same in a directory.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Command {
        self.directory = directory.into();
        self
    }

    /// The same as this user and the group of the same number, without other groups.
    pub fn user(mut self, user: u32) -> Command {
        self.user = Some(user);
        self
    }
}
