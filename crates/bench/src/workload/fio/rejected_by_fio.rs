//! Mistakes that fio itself reports in a job file.

use super::rewrite::{Target, rewrite};
use lab::fio::Mistake;
use lab::fio::parse::{self, Job, JobFile, Kind};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The first error line in fio's output.
pub fn complaint(output: &str) -> Option<&str> {
    complaints(output).next()
}

fn complaints(output: &str) -> impl Iterator<Item = &str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("fio: ") || line.contains("Bad option"))
        // A warning, that `blockalign` turns the map of blocks off.
        .filter(|line| !line.starts_with("fio: Any use of "))
}

/// Operations a second of a rung that stands for all.
const RATE: f64 = 1000.0;

/// Mistakes that fio itself reports in a job file that can be read, such as invalid values of options. Each
/// job is checked alone, because fio reports nothing after a job that it drops. `rates`: also as on a rung of a ladder.
pub fn refusals(program: &Path, text: &str, rates: bool) -> Vec<Mistake> {
    let here = std::env::temp_dir();
    let closed = Target {
        dir: &here,
        size: 1.0,
        working_set: Some(1 << 30),
        runtime_s: None,
        ramp_s: 0.0,
        ramp_most_s: None,
        warmed: false,
        seed: 0,
        rate: None,
    };
    let Ok(file) = parse::parse(text) else {
        return Vec::new();
    };
    let open = Target { rate: Some(RATE), ..closed.clone() };
    let mut found = Vec::new();
    for target in [Some(closed), rates.then_some(open)].into_iter().flatten() {
        let Ok(copy) = rewrite(&file, &target) else {
            return Vec::new();
        };
        for job in &file.jobs {
            let output = match parse_only(program, &copy.text, &job.name) {
                Ok(output) => output,
                // If fio cannot be run, nothing is refused; a trial would report why.
                Err(_) => return found,
            };
            found.extend(rejected(&file, job, &output));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The errors that fio prints about a job as mistakes: of the line that one quotes, else of the job.
fn rejected(file: &JobFile, job: &Job, output: &str) -> Vec<Mistake> {
    let (mut found, mut own, mut options) = (Vec::new(), Vec::new(), Vec::new());
    // What fio says of a line comes before the line.
    let mut reason = None;
    for complaint in complaints(output).filter(|line| !line.ends_with(" dropped")) {
        let Some(quoted) = quoted(complaint) else {
            found.extend(reason.replace(complaint).map(|reason| of_job(job, reason)));
            continue;
        };
        let reason = reason.take();
        match line_of(file, quoted) {
            Some(line) => {
                options.push(option(quoted));
                found.push(of_line(line, quoted, reason));
            }
            None => own.push((option(quoted), reason.unwrap_or(complaint))),
        }
    }
    found.extend(reason.map(|reason| of_job(job, reason)));
    // A line of the copy that is made of one that is wrong itself is not the author's.
    let own = own.into_iter().filter(|(option, _)| !options.contains(option));
    found.extend(own.map(|(_, complaint)| of_job(job, complaint)));
    found
}

/// The line of a job file that an error of fio quotes.
fn quoted(complaint: &str) -> Option<&str> {
    let quoted = complaint
        .strip_prefix("fio: failed parsing ")
        .or_else(|| complaint.strip_prefix("Bad option <")?.strip_suffix('>'))?;
    Some(quoted.trim())
}

/// The name of the option in a line.
fn option(line: &str) -> &str {
    line.split('=').next().unwrap_or(line).trim()
}

/// Where a line stands in a file, from 1.
fn line_of(file: &JobFile, quoted: &str) -> Option<usize> {
    let is_it = |(line, kind): &(String, Kind)| {
        matches!(kind, Kind::Option(_)) && parse::content(line) == quoted
    };
    file.lines.iter().position(is_it).map(|index| index + 1)
}

/// What to do about a mistake that fio reports.
const FIX: &str = "`fio --cmdhelp=OPTION` prints the values that an option takes";

fn of_line(line: usize, quoted: &str, reason: Option<&str>) -> Mistake {
    let reason = reason.map(|reason| reason.trim_start_matches("fio: "));
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    Mistake::new(line, format!("fio rejects `{quoted}`{reason}"), FIX)
}

fn of_job(job: &Job, complaint: &str) -> Mistake {
    Mistake::new(job.line, format!("fio rejects this job: {complaint}"), FIX)
}

/// The output of fio for one section of a job file.
fn parse_only(program: &Path, text: &str, section: &str) -> std::io::Result<String> {
    let mut child = Command::new(program)
        .arg("--parse-only")
        .arg(format!("--section={section}"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // If fio stops reading, its output is complete.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}
