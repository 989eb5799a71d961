//! `poolwright check LAB`: the resolved lab, and an estimate of its run; starts nothing.

mod json;
mod terminal;

use crate::exit::{ENVIRONMENT, Refusal, USAGE};
use crate::lab_file::{Loaded, load_or_explain, release};
use crate::{diagnostics, host_resources, output};
use bench::programs::missing;
use lab::Diagnostic;
use lab::campaign::OpenZfs;
use lab::model::{Estimate, Model, estimate};
use std::collections::BTreeSet;

/// Check a lab: every mistake, each variant's `zpool create`, the size scale S and what limits it, and a time
/// estimate. A program that is missing here is named. Starts nothing
///
/// Exit codes: 0 the lab has no mistakes · 2 it has mistakes · 3 this machine cannot model it.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, `-` for standard input, or the name of a built-in lab
    #[arg(value_name = "LAB")]
    lab: String,
    /// OpenZFS release to use instead of the lab's
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    openzfs: Option<OpenZfs>,
    /// Print JSON on standard output: the resolved campaign, the model, diagnostics
    #[arg(long)]
    json: bool,
}

struct Checked<'a> {
    loaded: &'a Loaded,
    model: Result<Model, Diagnostic>,
    estimate: Option<Estimate>,
    /// Programs of its workloads that this host lacks, each with what to do.
    missing: Vec<String>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        if self.json {
            return self.run_json();
        }
        let (_, loaded) = load_or_explain(&self.lab, self.openzfs)?;
        let checked = self.check(&loaded);
        let printed = output::print(&terminal::text(&checked));
        diagnostics::draw(&loaded.diagnostics, &loaded.sources);
        let Err(refused) = &checked.model else { return Ok(printed) };
        diagnostics::draw(std::slice::from_ref(refused), &loaded.sources);
        Ok(ENVIRONMENT)
    }

    fn check<'a>(&self, loaded: &'a Loaded) -> Checked<'a> {
        let model = host_resources::model(&loaded.campaign);
        let estimate = model.as_ref().ok().map(|model| estimate(&loaded.campaign, model));
        let workloads = loaded.campaign.workloads.iter();
        let missing: BTreeSet<String> =
            workloads.filter_map(|workload| missing(&workload.program)).collect();
        Checked { loaded, model, estimate, missing: missing.into_iter().collect() }
    }

    /// As [`Args::run`], but mistakes are part of the JSON too.
    fn run_json(&self) -> Result<u8, Refusal> {
        let mut file = crate::lab_file::find(&self.lab).map_err(|e| {
            output::print(&json::refused(&[Diagnostic::error(e)], &Default::default()));
            Refusal::silent(USAGE)
        })?;
        file.openzfs = self.openzfs;
        match file.load(true) {
            Err((diagnostics, sources)) => {
                output::print(&json::refused(&diagnostics, &sources));
                Ok(USAGE)
            }
            Ok(loaded) => {
                let checked = self.check(&loaded);
                let printed = output::print(&json::checked(&checked));
                Ok(if checked.model.is_err() { ENVIRONMENT } else { printed })
            }
        }
    }
}
