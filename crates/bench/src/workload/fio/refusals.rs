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

/// Mistakes that fio itself reports in a job file that can be read, such as invalid values of options. Each
/// job is checked alone, because fio reports nothing after a job that it drops.
pub fn refusals(program: &Path, text: &str) -> Vec<Mistake> {
    let here = std::env::temp_dir();
    let target = Target {
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
    let Ok(copy) = rewrite(&file, &target) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for job in &file.jobs {
        let output = match parse_only(program, &copy.text, &job.name) {
            Ok(output) => output,
            // If fio cannot be run, nothing is refused; a trial would report why.
            Err(_) => return found,
        };
        for line in complaints(&output).filter(|line| !line.ends_with(" dropped")) {
            found.push(refusal(&file, job, line));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// An error of fio as a mistake of the line that it quotes, else of the job.
fn refusal(file: &JobFile, job: &Job, output: &str) -> Mistake {
    let quoted = output
        .strip_prefix("fio: failed parsing ")
        .or_else(|| output.strip_prefix("Bad option <")?.strip_suffix('>'))
        .unwrap_or(output);
    let line = file.lines.iter().position(|(line, kind)| {
        matches!(kind, Kind::Option(_)) && parse::content(line) == quoted.trim()
    });
    Mistake::new(
        line.map_or(job.line, |index| index + 1),
        match line {
            Some(_) => format!("fio rejects `{}`", quoted.trim()),
            None => format!("fio rejects this job: {output}"),
        },
        "`fio --cmdhelp=OPTION` prints the values that an option takes",
    )
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
