//! `poolwright compare A B`: two campaigns, or a campaign and a published table, as a gate.

use crate::exit::{Refusal, USAGE, refuse};
use crate::store_dir::StoreDir;
use crate::{output, report as report_command};
use findings::lints::Table;
use findings::{Findings, Named};
use std::path::Path;

/// Exit code when a cell became worse.
const REGRESSION: u8 = 1;

/// Compare a campaign with another one, or with a published table, cell by cell
///
/// Exit codes: 0 no cell became worse · 1 a cell became worse, has no valid trial any more, or is more than 5
/// % below the table · 2 a campaign or table cannot be read, or they have no cell in common.
#[derive(clap::Args)]
pub struct Args {
    /// The campaign before: a lab that was run, a campaign's file in a store, or a findings.json
    before: String,
    /// The campaign after, or a table of results (.toml), as those in published/
    after: String,
    /// The table's row for a variant, if their names differ: 'F1 sync=none/none', or with a workload 'F1
    /// sync=none/none small-files'
    #[arg(long = "row", value_name = "ROW=VARIANT", value_parser = named)]
    rows: Vec<Named>,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreDir,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let (text, regressed) = self.compare()?;
        let printed = output::print(&text);
        Ok(if regressed { REGRESSION } else { printed })
    }

    /// The output, and whether a cell became worse.
    fn compare(&self) -> Result<(String, bool), Refusal> {
        let find = |name: &str| report_command::find(name, &self.store).map(|input| input.findings);
        if Path::new(&self.after).extension().is_some_and(|e| e == "toml") && is_table(&self.after)
        {
            return self.against_table(&find(&self.before).map_err(Refusal::usage)?);
        }
        if !self.rows.is_empty() {
            return Err(Refusal::usage(
                "--row applies only to a table of results: pass a .toml table as the second argument",
            ));
        }
        let (before, after) = match (find(&self.before), find(&self.after)) {
            (Ok(before), Ok(after)) => (before, after),
            (before, after) => {
                for why in [before.err(), after.err()].into_iter().flatten() {
                    refuse(USAGE, why);
                }
                return Err(Refusal::silent(USAGE));
            }
        };
        let comparison = findings::compare(&before, &after);
        if comparison.changes.is_empty() && comparison.unmeasured.is_empty() {
            let Args { before, after, .. } = self;
            return Err(Refusal::usage(format!(
                "{before} and {after} have no measured cell in common: compare two campaigns of one lab"
            )));
        }
        let text = if self.json {
            output::json(&comparison)?
        } else {
            report::compare::text(&comparison, &before, &after, report_command::locale())
        };
        Ok((text, comparison.regressed))
    }

    fn against_table(&self, findings: &Findings) -> Result<(String, bool), Refusal> {
        let Args { before, after, rows, .. } = self;
        let table = crate::audit::results::table(after).map_err(Refusal::usage)?;
        let names: Vec<&str> = table.rows.iter().map(|r| r.name.as_str()).collect();
        let all = names.join(", ");
        let variants: Vec<&str> = findings.variants.iter().map(|v| v.name.as_str()).collect();
        for Named { row, variant, .. } in rows {
            if table.row(row).is_none() {
                let why = format!("{after} has no row {row:?}: it has {all}");
                return Err(Refusal::usage(why));
            }
            if !variants.contains(&variant.as_str()) {
                let has = variants.join(", ");
                let why = format!("{before} has no variant {variant:?}: it has {has}");
                return Err(Refusal::usage(why));
            }
        }
        let cells = findings::against_published(findings, &table, rows);
        if cells.is_empty() {
            return Err(Refusal::usage(format!(
                "no row of {after} has the name of a cell of {before}: match them with --row ROW=VARIANT; \
                 the rows are {all}"
            )));
        }
        let key = Path::new(after).file_stem().unwrap_or_default().to_string_lossy();
        let text = if self.json {
            output::json(&cells)?
        } else {
            report::compare::published(&cells, &key, report_command::locale())
        };
        Ok((text, cells.iter().any(|c| c.below)))
    }
}

/// Whether it is an existing `.toml` file, and not a lab that was run under that name.
fn is_table(name: &str) -> bool {
    std::fs::read_to_string(name).map_or(true, |text| Table::read(&text).is_ok())
}

/// `ROW=VARIANT` or `ROW=VARIANT WORKLOAD`.
fn named(text: &str) -> Result<Named, String> {
    let (row, cell) =
        text.rsplit_once('=').ok_or("write ROW=VARIANT, such as 'F1 sync=none/none'")?;
    let mut words = cell.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(variant), workload, None) => Ok(Named {
            row: row.trim().to_owned(),
            variant: variant.to_owned(),
            workload: workload.map(str::to_owned),
        }),
        _ => {
            Err("after the = write a variant, or a variant and a workload separated by a space"
                .into())
        }
    }
}
