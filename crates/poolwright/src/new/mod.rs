//! `poolwright new`: a commented lab to start from, also from a pasted `zpool status`.

mod sketch;

use crate::{exit, output};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a commented lab to start from, also from the output of `zpool status`
///
/// Exit codes: 0 written · 2 the file exists, or the text is not `zpool status` output · 3 the file cannot be
/// written.
#[derive(clap::Args)]
pub struct Args {
    /// Where to write it [default: standard output]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Take the pool from the output of `zpool status` in this file, `-` for standard input
    #[arg(long, value_name = "FILE")]
    from_status: Option<PathBuf>,
}

impl Args {
    /// Writes the lab.
    pub fn run(self) -> ExitCode {
        let text = match &self.from_status {
            None => sketch::blank(),
            Some(from) => match read(from).and_then(|status| sketch::from_status(&status)) {
                Ok(text) => text,
                Err(e) => {
                    output::complain(&format!("error: {e}\n"));
                    return ExitCode::from(exit::USAGE);
                }
            },
        };
        let Some(file) = &self.file else {
            return output::print(&text);
        };
        // `create_new`: a lab that somebody wrote is never replaced.
        match OpenOptions::new().write(true).create_new(true).open(file) {
            Ok(mut out) => match out.write_all(text.as_bytes()) {
                Ok(()) => {
                    output::complain(&format!(
                        "wrote {0}; next: poolwright check {0}\n",
                        file.display()
                    ));
                    ExitCode::SUCCESS
                }
                Err(e) => refuse(file, &e, exit::ENVIRONMENT),
            },
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                refuse(file, &e, exit::USAGE)
            }
            Err(e) => refuse(file, &e, exit::ENVIRONMENT),
        }
    }
}

fn refuse(file: &Path, e: &std::io::Error, code: u8) -> ExitCode {
    output::complain(&format!("error: cannot write {}: {e}\n", file.display()));
    ExitCode::from(code)
}

fn read(from: &Path) -> Result<String, String> {
    if from == Path::new("-") {
        let mut text = String::new();
        return std::io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .map_err(|e| format!("cannot read standard input: {e}"));
    }
    std::fs::read_to_string(from).map_err(|e| format!("cannot read {}: {e}", from.display()))
}
