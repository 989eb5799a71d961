//! `poolwright completions SHELL|man|lab-schema`: completion scripts and the man page, from the same
//! definition as the command line itself, and the lab file's schema for editors.

use crate::exit::Refusal;
use crate::output::print;
use clap::ValueEnum;
use clap_complete::Shell;

/// Print a shell's completion script, the man page, or the lab file's JSON schema for editors
#[derive(clap::Args)]
pub struct Args {
    /// What to print
    #[arg(value_enum)]
    what: What,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// The man page, as roff
    Man,
    /// The JSON schema of lab files
    LabSchema,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let mut bytes = Vec::new();
        let shell = match self.what {
            What::Bash => Shell::Bash,
            What::Elvish => Shell::Elvish,
            What::Fish => Shell::Fish,
            What::Powershell => Shell::PowerShell,
            What::Zsh => Shell::Zsh,
            What::LabSchema => return Ok(print(&lab::schema::text())),
            What::Man => {
                let rendered = clap_mangen::Man::new(crate::command()).render(&mut bytes);
                let cannot = |e| Refusal::new(1, format!("cannot render the man page: {e}"));
                rendered.map_err(cannot)?;
                return Ok(print(&String::from_utf8_lossy(&bytes)));
            }
        };
        clap_complete::generate(shell, &mut crate::command(), "poolwright", &mut bytes);
        Ok(print(&String::from_utf8_lossy(&bytes)))
    }
}
