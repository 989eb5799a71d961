//! `poolwright compare A B`: two campaigns held against each other, as a gate.

use crate::exit::{ENVIRONMENT, USAGE};
use crate::{output, report as made};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code when a cell became worse.
const REGRESSION: u8 = 1;

/// Hold one campaign against another, cell by cell
///
/// Exit codes: 0 no cell became worse · 1 one did · 2 a campaign cannot be read, or they share no
/// cell.
#[derive(clap::Args)]
pub struct Args {
    /// The campaign before: its directory, a lab that was run, or a findings.json
    before: String,
    /// The campaign after
    after: String,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    /// Where results are kept
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

impl Args {
    /// Compares.
    pub fn run(self) -> ExitCode {
        let find = |name: &str| made::find(name, self.results.as_deref());
        let (before, after) = match (find(&self.before), find(&self.after)) {
            (Ok(before), Ok(after)) => (before.findings, after.findings),
            (before, after) => {
                for message in [before.err(), after.err()].into_iter().flatten() {
                    output::complain(&format!("error: {message}\n"));
                }
                return ExitCode::from(USAGE);
            }
        };
        let comparison = findings::compare(&before, &after);
        if comparison.changes.is_empty() {
            output::complain(&format!(
                "error: {} and {} share no measured cell: compare two campaigns of one lab\n",
                self.before, self.after
            ));
            return ExitCode::from(USAGE);
        }
        let text = if self.json {
            match serde_json::to_string_pretty(&comparison) {
                Ok(text) => text + "\n",
                Err(e) => {
                    output::complain(&format!("error: cannot write JSON: {e}\n"));
                    return ExitCode::from(ENVIRONMENT);
                }
            }
        } else {
            report::compare::text(&comparison, &before, &after, made::locale().words())
        };
        let printed = output::print(&text);
        if comparison.regressed {
            ExitCode::from(REGRESSION)
        } else {
            printed
        }
    }
}
