//! A job file read as fio 3.33 reads it: sections, options by any name, comments.

use super::Mistake;
use super::options::{ENGINES, Rule, Treatment, rule, rules};
use super::sizes;
use crate::diagnostic::{did_you_mean, did_you_mean_or};
use std::collections::BTreeMap;

/// An option as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Line of the job file, from 1.
    pub line: usize,
    /// Its value; an option without one (`time_based`) has `1`.
    pub value: String,
}

impl Setting {
    /// A mistake in its line.
    pub(super) fn mistake(&self, message: impl Into<String>, fix: impl Into<String>) -> Mistake {
        Mistake::new(self.line, message, fix)
    }

    /// That an option cannot have this value.
    pub(super) fn refused(&self, name: &str, fix: impl Into<String>) -> Mistake {
        self.mistake(format!("`{name}` cannot be `{}`", self.value), fix)
    }

    /// That the value of an option is not what it has to be.
    pub(super) fn is_not(&self, name: &str, what: &str, fix: impl Into<String>) -> Mistake {
        self.mistake(format!("`{name}={}` is not {what}", self.value), fix)
    }
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

    /// Whether a switch is on.
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0")
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
    let file = read(text, &mut mistakes);
    if mistakes.is_empty() { Ok(file) } else { Err(mistakes) }
}

/// Bytes of a line that fio 3.33 surely reads at once; of a longer one it takes the end for a line of its
/// own.
const LONGEST: usize = 4000;

/// Jobs that fio runs at once (`REAL_MAX_JOBS`).
pub const MOST_JOBS: u32 = 4096;
/// Files that a job has at most.
pub const MOST_FILES: u32 = 10_000_000;

/// Reads a job file as far as it can be read, and adds every mistake in it, in order of lines.
pub fn read(text: &str, mistakes: &mut Vec<Mistake>) -> JobFile {
    let marked = text.strip_prefix('\u{feff}');
    if marked.is_some() {
        mistakes.push(Mistake::new(
            1,
            "this file begins with a byte-order mark, which fio reads as part of its first line",
            "save it as UTF-8 without one",
        ));
    }
    let mut reader = Reader::default();
    let mut lines = Vec::new();
    for (line, number) in marked.unwrap_or(text).lines().zip(1..) {
        if line.len() > LONGEST {
            mistakes.push(Mistake::new(
                number,
                "this line is too long: fio would read its end as another option",
                "shorten it",
            ));
        }
        let kind = reader.line(content(line), number).unwrap_or_else(|(message, fix)| {
            mistakes.push(Mistake::new(number, message, fix));
            Kind::Other
        });
        lines.push((line.to_owned(), kind));
    }
    let jobs = reader.jobs;
    if jobs.is_empty() {
        mistakes.push(Mistake::new(
            lines.len().max(1),
            "this fio job file has no job",
            "add a section such as `[sync-small]` with `rw=`, `bs=` and `size=`",
        ));
    }
    check_jobs(&jobs, mistakes);
    mistakes.sort_by_key(|m| m.line);
    mistakes.dedup();
    JobFile { lines, jobs }
}

/// The sections read so far.
#[derive(Default)]
struct Reader {
    jobs: Vec<Job>,
    global: BTreeMap<&'static str, Setting>,
    /// None before the first header, true in `[global]`.
    in_global: Option<bool>,
}

impl Reader {
    /// What a line without its comment is; else what is wrong with it, and what to do.
    fn line(&mut self, content: &str, number: usize) -> Result<Kind, (String, String)> {
        if content.is_empty() {
            return Ok(Kind::Other);
        }
        if let Some(rest) = content.strip_prefix('[') {
            return self.header(rest, number);
        }
        let (rule, value) = option(content)?;
        let settings = match (self.in_global, self.jobs.last_mut()) {
            (Some(true), _) => &mut self.global,
            (Some(false), Some(job)) => &mut job.settings,
            _ => {
                return Err((
                    "an option comes before the first section".to_owned(),
                    "write `[global]` or `[a-name]` above it".to_owned(),
                ));
            }
        };
        settings.insert(rule.name, Setting { line: number, value });
        Ok(Kind::Option(rule))
    }

    /// A section's header without its first bracket. To fio 3.33 the name is all but the last character of the
    /// line, and global what begins so.
    fn header(&mut self, rest: &str, number: usize) -> Result<Kind, (String, String)> {
        let wrong = |message: &str| Err((message.to_owned(), "write `[name]`".to_owned()));
        let Some(name) = rest.strip_suffix(']') else {
            return wrong("this section does not end with `]`");
        };
        if name.trim().is_empty() {
            return wrong("this section has no name");
        }
        let global = name.starts_with("global");
        self.in_global = Some(global);
        if global {
            return Ok(Kind::Global);
        }
        let settings = self.global.clone();
        // Blanks within the brackets belong to the name.
        self.jobs.push(Job { name: name.to_owned(), line: number, settings });
        Ok(Kind::Job(self.jobs.len() - 1))
    }
}

/// What fio sees of a line: it ends at `;` or `#` and has no blanks around it.
pub fn content(line: &str) -> &str {
    line.split([';', '#']).next().unwrap_or("").trim()
}

/// An option of a line; else what is wrong, and what to do.
fn option(content: &str) -> Result<(Rule, String), (String, String)> {
    let (name, value) = match content.split_once('=') {
        Some((name, value)) => (name.trim(), value.trim()),
        None => (content, "1"),
    };
    let wrong = |message: String, fix: &str| Err((message, fix.to_owned()));
    if name.split_whitespace().next() == Some("include") {
        return wrong(
            "`include` is refused: a lab must contain all of its jobs".into(),
            "paste the file's text here",
        );
    }
    let Some(rule) = rule(name) else {
        let known = rules().flat_map(|rule| [rule.name, rule.alias]);
        let known = known.filter(|name| !name.is_empty());
        let fix = did_you_mean_or(name, known, "see docs/reference/fio.md for its options");
        return Err((format!("fio 3.33 has no option `{name}`"), fix));
    };
    if rule.treatment == Treatment::Refused {
        return wrong(format!("`{name}` is refused: {}", rule.why), "remove the line");
    }
    // All of them are looked at, and not only those that count in the end: fio loads an engine and takes
    // in a file's name as it reads them.
    if rule.name == "ioengine" && value == "mmap" {
        return wrong(
            "the I/O engine `mmap` is refused: memory access takes no virtual time, so the job \
             would measure nothing and might not end"
                .into(),
            "write `ioengine=psync`",
        );
    }
    if rule.name == "ioengine" && !ENGINES.iter().any(|(name, _)| *name == value) {
        let names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
        return Err((
            format!("the I/O engine `{value}` is not supported"),
            format!("choose one of {}", names.join(", ")),
        ));
    }
    if let Some((what, fix)) = reaches_outside(rule.name, value) {
        return wrong(format!("`{name}={value}` {what}"), fix);
    }
    let keywords: &[&str] = match rule.name {
        "filename_format" => &OF_FILE_NAMES,
        _ => &[],
    };
    let known = |rest: &str| keywords.iter().any(|keyword| rest.starts_with(*keyword));
    if !value.split('$').skip(1).all(known) {
        return wrong(format!("`{value}` depends on the environment"), "write the value itself");
    }
    Ok((rule, value.to_owned()))
}

/// What stands for a part of a file's name, after a `$`.
const OF_FILE_NAMES: [&str; 4] = ["jobname", "clientuid", "jobnum", "filenum"];

/// Why a value is refused that makes fio use a file outside the dataset, and what to do.
fn reaches_outside(option: &str, value: &str) -> Option<(&'static str, &'static str)> {
    match option {
        // `mmap:FILE`: fio makes the file, or truncates the one that is there.
        "mem" if value.contains([':', '/']) => {
            Some(("names a file of the host", "write only the kind of memory, such as `mmap`"))
        }
        "mem" if value.contains("huge") => {
            Some(("needs huge pages, which the machine does not have", "write `mmap` or `shm`"))
        }
        "filename_format" if value.contains('/') => {
            Some(("is a path, but files are in the dataset itself", "write a name without `/`"))
        }
        "buffer_pattern" | "verify_pattern" if value.contains('\'') => Some((
            "reads a file of the host",
            "write the pattern itself: a number, or text in double quotes",
        )),
        "random_distribution" if value.starts_with("zoned_abs") => {
            Some(("uses sizes of the real file", "write `zoned:` with shares of the file"))
        }
        "zonemode" if value == "strided" => {
            Some(("uses sizes of the real file", "remove the line"))
        }
        "zonemode" if value == "zbd" => {
            Some(("is for zoned devices, which are not modelled", "remove the line"))
        }
        _ => None,
    }
}

fn check_jobs(jobs: &[Job], mistakes: &mut Vec<Mistake>) {
    for (index, job) in jobs.iter().enumerate() {
        // Its files have the name of the section.
        if job.name.contains('/') {
            mistakes.push(Mistake::new(
                job.line,
                format!("the name of section `{}` is a path", job.name),
                "write a name without `/`",
            ));
        }
        if let Some(name) = job.settings.get("filename")
            && name.value.split(':').any(|f| f.starts_with("/dev/"))
        {
            mistakes.push(name.mistake(
                "`filename` names a device, but a pool's clients use files",
                "remove it or name a file",
            ));
        }
        if let Some(stonewall) = job.settings.get("stonewall")
            && index > 0
            && stonewall.value != "0"
        {
            mistakes.push(stonewall.mistake(
                "`stonewall` makes jobs run one after another",
                "make each a workload of the lab",
            ));
        }
        for (name, most) in [("numjobs", MOST_JOBS), ("iodepth", 65_536), ("nrfiles", MOST_FILES)] {
            if let Some(setting) = job.settings.get(name)
                && !sizes::bytes(&setting.value).is_some_and(|n| (1..=u64::from(most)).contains(&n))
            {
                mistakes.push(setting.refused(name, format!("write a number from 1 to {most}")));
            }
        }
        if let Some(rw) = job.settings.get("rw")
            && let Some(fix) = direction(&rw.value)
        {
            mistakes.push(rw.refused("rw", fix));
        }
    }
}

/// What to do about a value of `rw`; none when it is one that files can serve.
fn direction(value: &str) -> Option<String> {
    // `randrw:8` and `write:4k` skip between operations.
    let word = value.split(':').next().unwrap_or(value);
    if DIRECTIONS.contains(&word) {
        return None;
    }
    Some(if word.contains("trim") {
        "trim is for block devices: use read, write or rw".to_owned()
    } else {
        did_you_mean(word, &DIRECTIONS)
    })
}

/// Values of `rw` that work on files.
const DIRECTIONS: [&str; 7] =
    ["read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"];
