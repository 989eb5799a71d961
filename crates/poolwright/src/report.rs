//! `poolwright report DIR`: any format of a campaign's report, made from what was measured.

use crate::exit::{ENVIRONMENT, USAGE};
use crate::output;
use clap::ValueEnum;
use findings::Findings;
use lab::campaign::Campaign;
use report::html::Configuration;
use report::lang::Language;
use report::terminal::Style;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Store;

/// The file in a campaign's directory that makes it one.
const CAMPAIGN: &str = "campaign.json";

/// Make the report of a campaign in any format
///
/// Exit codes: 0 it was made · 2 there is no such campaign, or an argument is wrong · 3 it cannot
/// be written.
#[derive(clap::Args)]
pub struct Args {
    /// A campaign's directory, a lab that was run, or a findings.json
    campaign: String,
    /// The format; without it, what the name of --output ends in, or text
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The language: en or zh; without it, that of the locale
    #[arg(long, value_parser = language)]
    lang: Option<Language>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where results are kept
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// A format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The table and the verdicts for a terminal
    Text,
    /// One page that needs nothing else
    Html,
    /// Markdown for a forum or a blog
    Md,
    /// A row a cell
    Csv,
    /// Everything, as docs/findings.schema.json describes it
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

/// What a report is made from.
pub struct Made {
    /// What the campaign has shown.
    pub findings: Findings,
    /// The campaign and the lab file, where its directory is at hand.
    pub source: Option<(Campaign, String)>,
}

impl Args {
    /// Makes the report.
    pub fn run(self) -> ExitCode {
        let made = match find(&self.campaign, self.results.as_deref()) {
            Ok(made) => made,
            Err(message) => return refuse(&message),
        };
        let format = self
            .format
            .or_else(|| Format::of_file(self.output.as_deref()?))
            .unwrap_or(Format::Text);
        let language = self.lang.unwrap_or_else(locale);
        let to_terminal = self.output.is_none() && std::io::stdout().is_terminal();
        let text = match render(&made, format, language, to_terminal) {
            Ok(text) => text,
            Err(message) => return fail(&message),
        };
        match &self.output {
            None => output::print(&text),
            Some(file) => match std::fs::write(file, text) {
                Ok(()) => ExitCode::SUCCESS,
                Err(e) => fail(&format!("cannot write {}: {e}", file.display())),
            },
        }
    }
}

/// The report in a format.
///
/// # Errors
/// One line that says what could not be written.
pub fn render(
    made: &Made,
    format: Format,
    language: Language,
    to_terminal: bool,
) -> Result<String, String> {
    let findings = &made.findings;
    Ok(match format {
        Format::Text => report::terminal::render(findings, style(language, to_terminal)),
        Format::Html => page(made, language),
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

fn page(made: &Made, language: Language) -> String {
    let Some((campaign, lab_text)) = &made.source else {
        return report::html::render(&made.findings, None, language);
    };
    let configuration = Configuration {
        campaign,
        lab_text,
    };
    report::html::render(&made.findings, Some(configuration), language)
}

/// How a terminal is written to: its width, colours unless `NO_COLOR` is set.
pub fn style(language: Language, to_terminal: bool) -> Style {
    let width = to_terminal
        .then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok())
        .flatten()
        .map(|size| usize::from(size.ws_col))
        .filter(|width| *width > 0)
        .unwrap_or(100);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Style {
        width,
        color: to_terminal && !no_color,
        language,
    }
}

/// The language of a tag, for an argument.
pub fn language(tag: &str) -> Result<Language, String> {
    Language::from_tag(tag).ok_or_else(|| format!("no report is written in {tag:?}: use en or zh"))
}

/// The language of the locale, English where it is another.
pub fn locale() -> Language {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    variable("LC_ALL")
        .or_else(|| variable("LC_MESSAGES"))
        .or_else(|| variable("LANG"))
        .and_then(|tag| Language::from_tag(&tag))
        .unwrap_or_default()
}

/// Finds a campaign: a findings file, its directory, or a lab that was run, whose newest results are
/// taken.
///
/// # Errors
/// One line that says what is wrong and what to do.
pub fn find(name: &str, results: Option<&Path>) -> Result<Made, String> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "json") && path.is_file() {
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {name}: {e}"))?;
        let findings = report::json::read(&text).map_err(|e| format!("{name}: {e}"))?;
        return Ok(Made {
            findings,
            source: None,
        });
    }
    let directory = if path.is_dir() {
        newest(path)
    } else {
        newest(&results_directory(results).join(lab::name_of(name)))
    };
    let directory = directory.ok_or_else(|| nothing(name))?;
    from_store(&Store::read(&directory).map_err(|e| e.to_string())?)
}

/// Finds campaigns in their order, each with a label: a findings file, a campaign's directory, or every
/// campaign in a directory or of a lab that was run.
///
/// # Errors
/// One line that says what is wrong and what to do.
pub fn find_all(name: &str, results: Option<&Path>) -> Result<Vec<(String, Findings)>, String> {
    let path = Path::new(name);
    let label = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    if path.is_file() && path.extension().is_some_and(|e| e == "json") {
        return Ok(vec![(label(path), find(name, results)?.findings)]);
    }
    let directories = if path.is_dir() {
        campaigns(path)
    } else {
        campaigns(&results_directory(results).join(lab::name_of(name)))
    };
    if directories.is_empty() {
        return Err(nothing(name));
    }
    let read = |directory: &PathBuf| -> Result<(String, Findings), String> {
        let store = Store::read(directory).map_err(|e| e.to_string())?;
        Ok((label(directory), from_store(&store)?.findings))
    };
    if let [only] = directories.as_slice() {
        return Ok(vec![read(only)?]);
    }
    // One that was stopped before anything was measured, or is of another format, is no reason to say
    // nothing of the others.
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for directory in &directories {
        match read(directory) {
            Ok(campaign) => found.push(campaign),
            Err(why) => left_out.push(why),
        }
    }
    if found.is_empty() {
        return Err(left_out.join("\n"));
    }
    for why in left_out {
        output::complain(&format!("note: left out: {why}\n"));
    }
    Ok(found)
}

fn nothing(name: &str) -> String {
    format!("no results of {name}: name a campaign's directory or a findings.json, or run `poolwright run {name}` first")
}

/// What a campaign's directory shows.
///
/// # Errors
/// One line that says what is wrong and what to do.
pub fn from_store(store: &Store) -> Result<Made, String> {
    let model = store.model().map_err(|e| e.to_string())?.ok_or_else(|| {
        format!(
            "nothing was measured yet in {}: run the lab again, and it goes on from there",
            store.path().display()
        )
    })?;
    let trials = store.journal().trials().map_err(|e| e.to_string())?;
    let lab_text = store.lab_text().map_err(|e| e.to_string())?;
    let findings = findings::analyse(store.campaign(), &model, &trials);
    Ok(Made {
        findings,
        source: Some((store.campaign().clone(), lab_text)),
    })
}

/// `directory` if it is a campaign's, otherwise the newest one in it.
fn newest(directory: &Path) -> Option<PathBuf> {
    campaigns(directory).pop()
}

/// `directory` if it is a campaign's, otherwise those in it, oldest first: names sort by time.
fn campaigns(directory: &Path) -> Vec<PathBuf> {
    if directory.join(CAMPAIGN).is_file() {
        return vec![directory.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut inside: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(CAMPAIGN).is_file())
        .collect();
    inside.sort();
    inside
}

/// Where results are kept: as told, or below the state directory of XDG, or here.
pub fn results_directory(told: Option<&Path>) -> PathBuf {
    let state = || {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from)?;
        state
            .is_absolute()
            .then(|| state.join("poolwright/results"))
    };
    told.map(Path::to_owned)
        .or_else(state)
        .unwrap_or_else(|| PathBuf::from("results"))
}

fn refuse(message: &str) -> ExitCode {
    output::complain(&format!("error: {message}\n"));
    ExitCode::from(USAGE)
}

fn fail(message: &str) -> ExitCode {
    output::complain(&format!("error: {message}\n"));
    ExitCode::from(ENVIRONMENT)
}
