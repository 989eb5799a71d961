//! A job file read as fio 3.33 reads it: sections, options by any name, comments.

use super::options::{ENGINES, Rule, Treatment, rule};
use std::collections::BTreeMap;

/// Something wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Line of the job file, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

/// An option as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Line of the job file, from 1.
    pub line: usize,
    /// Its value; an option without one (`time_based`) has `1`.
    pub value: String,
}

/// A job with the global settings that apply to it, by the options' first names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Name of its section.
    pub name: String,
    /// Line of its section.
    pub line: usize,
    /// Its settings, the global ones included; of several the last counts.
    pub settings: BTreeMap<&'static str, Setting>,
}

impl Job {
    /// The value of an option, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(|s| s.value.as_str())
    }
}

/// What a line of the file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Blank, or a comment.
    Other,
    /// `[global]`.
    Global,
    /// The header of the job of this index.
    Job(usize),
    /// An option.
    Option(Rule),
}

/// A job file that may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// Its lines as written, and what each is.
    pub lines: Vec<(String, Kind)>,
    /// Its jobs, in order.
    pub jobs: Vec<Job>,
}

/// Reads a job file.
///
/// # Errors
/// Every mistake in it, in order of lines.
pub fn parse(text: &str) -> Result<JobFile, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut lines = Vec::new();
    let mut jobs: Vec<Job> = Vec::new();
    let mut global: BTreeMap<&'static str, Setting> = BTreeMap::new();
    // None before the first header, Some(true) in [global].
    let mut in_global = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut wrong = |message: String| {
            mistakes.push(Mistake {
                line: number,
                message,
            });
        };
        let content = strip(line);
        let kind = if content.is_empty() {
            Kind::Other
        } else if let Some(rest) = content.strip_prefix('[') {
            match rest.split_once(']').map(|(name, _)| name.trim()) {
                None | Some("") => {
                    wrong("a section is written [name]".into());
                    Kind::Other
                }
                Some("global") => {
                    in_global = Some(true);
                    Kind::Global
                }
                Some(name) => {
                    in_global = Some(false);
                    jobs.push(Job {
                        name: name.to_owned(),
                        line: number,
                        settings: global.clone(),
                    });
                    Kind::Job(jobs.len() - 1)
                }
            }
        } else {
            match option(content) {
                Err(message) => {
                    wrong(message);
                    Kind::Other
                }
                Ok((rule, value)) => {
                    let setting = Setting {
                        line: number,
                        value,
                    };
                    match (in_global, jobs.last_mut()) {
                        (Some(true), _) => {
                            global.insert(rule.name, setting);
                        }
                        (Some(false), Some(job)) => {
                            job.settings.insert(rule.name, setting);
                        }
                        _ => wrong("an option stands before the first [section]".into()),
                    }
                    Kind::Option(rule)
                }
            }
        };
        lines.push((line.to_owned(), kind));
    }
    check_jobs(&jobs, &mut mistakes);
    if mistakes.is_empty() {
        Ok(JobFile { lines, jobs })
    } else {
        mistakes.sort_by_key(|m| m.line);
        mistakes.dedup();
        Err(mistakes)
    }
}

/// What fio sees of a line: it ends at `;` or `#` and has no blanks around it.
fn strip(line: &str) -> &str {
    line.split([';', '#']).next().unwrap_or("").trim()
}

fn option(content: &str) -> Result<(Rule, String), String> {
    let (name, value) = match content.split_once('=') {
        Some((name, value)) => (name.trim(), value.trim()),
        None => (content, "1"),
    };
    if name.starts_with("include") {
        return Err("`include` is refused: a lab must be whole; paste the file's text here".into());
    }
    let Some(rule) = rule(name) else {
        return Err(format!(
            "fio 3.33 has no option `{name}`; docs/fio.md lists those it has"
        ));
    };
    if rule.treatment == Treatment::Refused {
        return Err(format!(
            "`{name}` is refused: {}; remove the line",
            rule.why
        ));
    }
    if value.contains('$') {
        return Err(format!(
            "`{value}` depends on the environment: write the value itself"
        ));
    }
    Ok((rule, value.to_owned()))
}

fn check_jobs(jobs: &[Job], mistakes: &mut Vec<Mistake>) {
    let mut wrong = |line, message| mistakes.push(Mistake { line, message });
    if jobs.is_empty() {
        wrong(1, "the file has no job: add a section such as [job]".into());
    }
    for (index, job) in jobs.iter().enumerate() {
        if let Some(engine) = job.settings.get("ioengine")
            && !ENGINES.iter().any(|(name, _)| *name == engine.value)
        {
            let names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
            wrong(
                engine.line,
                format!(
                    "the I/O engine `{}` does not work on files; choose one of {}",
                    engine.value,
                    names.join(", ")
                ),
            );
        }
        if let Some(name) = job.settings.get("filename")
            && name.value.split(':').any(|f| f.starts_with("/dev/"))
        {
            wrong(
                name.line,
                "`filename` names a device, and a pool's clients work on files; remove it or name a file".into(),
            );
        }
        if let Some(stonewall) = job.settings.get("stonewall")
            && index > 0
            && stonewall.value != "0"
        {
            wrong(
                stonewall.line,
                "`stonewall` makes jobs run one after another: make each a workload of the lab"
                    .into(),
            );
        }
        for name in ["numjobs", "iodepth", "nrfiles"] {
            if let Some(setting) = job.settings.get(name)
                && !setting.value.parse::<u32>().is_ok_and(|n| n > 0)
            {
                wrong(
                    setting.line,
                    format!("`{name}` is a count of at least 1, not `{}`", setting.value),
                );
            }
        }
    }
}
