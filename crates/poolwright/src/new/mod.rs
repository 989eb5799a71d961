//! `poolwright new`: a commented lab to start from, also from a pasted `zpool status`.

mod sketch;

use crate::exit::{ENVIRONMENT, Refusal, USAGE};
use crate::output;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    pub fn run(self) -> Result<u8, Refusal> {
        let (text, notes) = match &self.from_status {
            None => (sketch::blank(), Vec::new()),
            Some(from) => read(from)
                .and_then(|status| sketch::from_status(&status))
                .map_err(Refusal::usage)?,
        };
        for note in notes {
            output::complain(&format!("note: {note}\n"));
        }
        let Some(file) = &self.file else {
            return Ok(output::print(&text));
        };
        // `create_new`: a lab that somebody wrote is never replaced.
        let created = OpenOptions::new().write(true).create_new(true).open(file);
        let written = created.and_then(|mut out| out.write_all(text.as_bytes()));
        let shown = file.display();
        written.map_err(|e| {
            let code = if e.kind() == ErrorKind::AlreadyExists { USAGE } else { ENVIRONMENT };
            Refusal::new(code, format!("cannot write {shown}: {e}: choose another name"))
        })?;
        output::complain(&format!("wrote {shown}; next: poolwright check {shown}\n"));
        Ok(0)
    }
}

fn read(from: &Path) -> Result<String, String> {
    if from == Path::new("-") {
        let text = std::io::read_to_string(std::io::stdin());
        return text.map_err(|e| format!("cannot read standard input: {e}"));
    }
    std::fs::read_to_string(from).map_err(|e| format!("cannot read {}: {e}", from.display()))
}
