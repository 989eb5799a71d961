//! `poolwright report LAB`: a campaign's report in any format, made from the stored trials.

use crate::exit::Refusal;
use crate::output;
use crate::store_dir::StoreDir;
use clap::ValueEnum;
use findings::Findings;
use lab::campaign::Campaign;
use report::html::Configuration;
use report::terminal::Style;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use store::{CampaignRecord, Store};
use text::Language;
use text::line::one_line;

/// Make the report of a campaign in any format
///
/// Exit codes: 0 the report was made · 2 there is no such campaign, or an argument is wrong · 3 the report
/// cannot be written.
#[derive(clap::Args)]
pub struct Args {
    /// A lab that was run, a campaign's file in a store, or a findings.json
    campaign: String,
    /// The format [default: by the file name extension of --output, else text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Language, en or zh [default: that of the locale]
    #[arg(long, value_parser = language)]
    lang: Option<Language>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    store: StoreDir,
}

/// A format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The table and the verdicts for a terminal
    Text,
    /// One self-contained page
    Html,
    /// Markdown for a forum or a blog
    Md,
    /// One row per cell, per rate of a ladder and per removed cost
    Csv,
    /// Everything, as docs/reference/findings.schema.json describes it
    Json,
    /// OpenMetrics text
    Openmetrics,
}

impl Format {
    fn of_file(name: &Path) -> Option<Format> {
        match name.extension()?.to_str()? {
            "html" | "htm" => Some(Format::Html),
            "md" => Some(Format::Md),
            "csv" => Some(Format::Csv),
            "json" => Some(Format::Json),
            "prom" | "om" => Some(Format::Openmetrics),
            "txt" => Some(Format::Text),
            _ => None,
        }
    }
}

pub struct ReportInput {
    pub findings: Findings,
    /// The campaign and the lab file, if available.
    pub source: Option<(Campaign, String)>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let input = find(&self.campaign, &self.store).map_err(Refusal::usage)?;
        let format = self
            .format
            .or_else(|| Format::of_file(self.output.as_deref()?))
            .unwrap_or(Format::Text);
        let language = self.lang.unwrap_or_else(locale);
        let to_terminal = self.output.is_none() && std::io::stdout().is_terminal();
        let text = render(&input, format, language, to_terminal).map_err(Refusal::environment)?;
        let Some(file) = &self.output else {
            return Ok(output::print(&text));
        };
        output::write(file, &text, "--output").map(|()| 0)
    }
}

pub fn render(
    input: &ReportInput,
    format: Format,
    language: Language,
    to_terminal: bool,
) -> Result<String, String> {
    let findings = &input.findings;
    Ok(match format {
        Format::Text => report::terminal::render(findings, style(language, to_terminal)),
        Format::Html => page(input, language),
        Format::Md => report::markdown::render(findings, language),
        Format::Csv => {
            report::csv::render(findings).map_err(|e| format!("cannot write CSV: {e}"))?
        }
        Format::Json => {
            let mut out = Vec::new();
            report::json::write(findings, &mut out)
                .map_err(|e| format!("cannot write JSON: {e}"))?;
            String::from_utf8(out).map_err(|e| format!("cannot write JSON: {e}"))?
        }
        Format::Openmetrics => report::openmetrics::render(findings),
    })
}

fn page(input: &ReportInput, language: Language) -> String {
    let Some((campaign, lab_text)) = &input.source else {
        return report::html::render(&input.findings, None, language);
    };
    let configuration = Configuration { campaign, lab_text };
    report::html::render(&input.findings, Some(configuration), language)
}

/// The style of terminal output: width and colours.
pub fn style(language: Language, to_terminal: bool) -> Style {
    let width = to_terminal
        .then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok())
        .flatten()
        .map(|size| usize::from(size.ws_col))
        .filter(|width| *width > 0)
        .unwrap_or(100);
    Style { width, color: output::colour(to_terminal), language }
}

/// The language of a tag, for an argument.
pub fn language(tag: &str) -> Result<Language, String> {
    Language::from_tag(tag).ok_or_else(|| format!("unknown language {tag:?}: use en or zh"))
}

/// The language of the locale, English where it is another.
pub fn locale() -> Language {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).ok());
    let mut set = variables.into_iter().flatten().filter(|value| !value.is_empty());
    set.next().and_then(|tag| Language::from_tag(&tag)).unwrap_or_default()
}

/// Finds a campaign: a findings.json, a campaign's file in a store, or a lab that was run, whose newest
/// campaign is taken.
pub fn find(name: &str, store: &StoreDir) -> Result<ReportInput, String> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "json") && path.is_file() {
        return match CampaignRecord::store_of(path) {
            Some(root) => {
                let store = Store::read(&root).map_err(|e| e.to_string())?;
                from_record(&store, path)
            }
            None => from_findings(path),
        };
    }
    let mut found = campaigns(name, store)?;
    match found.1.pop() {
        Some(newest) => from_record(&found.0, &newest),
        None => Err(nothing(name)),
    }
}

/// Finds campaigns in their order, each with a label: a file, or every campaign of a lab that was run.
pub fn find_all(name: &str, store: &StoreDir) -> Result<Vec<(String, Findings)>, String> {
    let label = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let path = Path::new(name);
    if path.is_file() && path.extension().is_some_and(|e| e == "json") {
        return Ok(vec![(label(path), find(name, store)?.findings)]);
    }
    let (store, paths) = campaigns(name, store)?;
    // A campaign without measured trials is skipped.
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for path in &paths {
        match from_record(&store, path) {
            Ok(input) => found.push((label(path), input.findings)),
            Err(why) => left_out.push(why),
        }
    }
    if found.is_empty() {
        left_out.push(nothing(name));
        return Err(left_out.swap_remove(0));
    }
    for why in left_out {
        output::complain(&format!("note: left out: {}\n", one_line(&why)));
    }
    Ok(found)
}

/// The campaigns of a lab by its name or its file, oldest first.
fn campaigns(name: &str, store: &StoreDir) -> Result<(Store, Vec<PathBuf>), String> {
    if store::is_former(Path::new(name)) {
        let path = PathBuf::from(name);
        return Err(store::Error::Former { path }.to_string());
    }
    let store = store.read().map_err(|e| e.to_string())?;
    let paths = store.campaigns(&lab::name_of(name));
    Ok((store, paths.map_err(|e| e.to_string())?))
}

fn nothing(name: &str) -> String {
    format!(
        "no results of {name}: name a lab that was run, a campaign's file in a store, or a findings.json; if {name} is a lab, run `poolwright run {name}` first"
    )
}

fn from_findings(path: &Path) -> Result<ReportInput, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {name}: {e}"))?;
    let findings = report::json::read(&text).map_err(|e| format!("{name}: {e}"))?;
    Ok(ReportInput { findings, source: None })
}

/// The findings of a campaign's trials.
fn from_record(store: &Store, path: &Path) -> Result<ReportInput, String> {
    let record = CampaignRecord::read(path).map_err(|e| e.to_string())?;
    let (trials, damaged) = record.load(store);
    for why in damaged {
        output::complain(&format!("note: left out: {}\n", one_line(&why)));
    }
    if trials.is_empty() {
        return Err(format!("no trial of {} is stored: run the lab first", path.display()));
    }
    let findings = findings::analyse(&record.campaign, &record.model, &trials);
    Ok(ReportInput { findings, source: Some((record.campaign, record.lab)) })
}
