//! `poolwright history CAMPAIGN…`: changes over many campaigns of one lab, as a gate.

use crate::exit::Refusal;
use crate::store_dir::StoreDir;
use crate::{output, report as report_command};
use findings::{Findings, History};

/// Exit code when the last permanent change made a cell worse.
const REGRESSION: u8 = 1;

/// Show where results changed permanently over many campaigns of one lab
///
/// Exit codes: 0 no cell's last change made it worse · 1 a cell's last change made it worse · 2 a campaign
/// cannot be read, or the campaigns are from different labs.
#[derive(clap::Args)]
pub struct Args {
    /// Campaigns in their order: labs that were run (all of their campaigns, by time), campaigns' files
    /// in a store, or findings.json files
    #[arg(required = true)]
    campaigns: Vec<String>,
    /// Print the histories as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreDir,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let mut campaigns: Vec<(String, Findings)> = Vec::new();
        for name in &self.campaigns {
            let found = report_command::find_all(name, &self.store);
            campaigns.extend(found.map_err(Refusal::usage)?);
        }
        if let Some(message) = mixed(&campaigns) {
            return Err(Refusal::usage(message));
        }
        let histories = findings::history(&campaigns);
        if histories.is_empty() {
            return Err(Refusal::usage(
                "none of these campaigns has a valid trial: run the lab first",
            ));
        }
        let text = if self.json {
            output::json(&histories)?
        } else {
            report::history::text(&histories, report_command::locale())
        };
        let printed = output::print(&text);
        Ok(if histories.iter().any(History::regressed) { REGRESSION } else { printed })
    }
}

/// The error for campaigns of different labs.
fn mixed(campaigns: &[(String, Findings)]) -> Option<String> {
    let (first, of) = campaigns.first()?;
    let (other, not) = campaigns.iter().find(|(_, findings)| findings.lab.name != of.lab.name)?;
    Some(format!(
        "{first} belongs to the lab {:?}, but {other} to {:?}: name campaigns of one lab",
        of.lab.name, not.lab.name
    ))
}
