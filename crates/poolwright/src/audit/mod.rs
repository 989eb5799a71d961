//! `poolwright audit FILE…|-|--host`: finds pitfalls in a lab, in pasted output, or on this machine.

mod host;
mod input;
pub(crate) mod results;
pub(crate) mod terminal;

use crate::exit::Refusal;
use crate::output;
use advice::audit::{Finding, Severity};
use advice::system::{System, Unread, gather};
use input::{AuditInput, count_texts};
use std::time::{SystemTime, UNIX_EPOCH};

const NOTHING_HERE: &str = "nothing on this machine could be read: no zpool, zfs or lsblk in PATH, no counters in /proc; pipe their output from the server to `poolwright audit -`";
const NOTHING_KNOWN: &str = "audit cannot read any of this input; see `poolwright audit --help` for the kinds of text that it reads";

/// Exit code when a finding is a warning or an error.
const FOUND: u8 = 1;

/// Find pitfalls in a lab, in pasted output of tools and configuration files, or on this machine
///
/// Reads labs, `zpool status -v`, `zpool get all`, `zfs get all`, `zpool iostat -w` and `-lHp`, `lsblk -J`,
/// `smartctl -j`, `nvme list -o json`, `storcli … J`, `perccli … J`, `arcconf getconfig`, `ssacli`,
/// postgresql.conf, my.cnf, modprobe.d, /sys/block/*/queue, /proc/spl/kstat/zfs, `cat /proc/uptime
/// /proc/diskstats`, exports, smb.conf and fio jobs, and recognises them by their content. One text may hold
/// several, as `tail -n +1 FILE…` prints them, or a session of a terminal with its prompts (`root@nas:~# zpool
/// status`). All texts of one call describe one machine; each lab is audited separately.
///
/// Exit codes: 0 only notes · 1 a warning, an error, or a contradiction rated impossible or implausible · 2 usage or
/// unreadable input.
#[derive(clap::Args)]
pub struct Args {
    /// Labs (files or built-in names), texts, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["host", "results"], conflicts_with = "host")]
    files: Vec<String>,
    /// Read this machine without changing anything, and count for some time
    #[arg(long)]
    host: bool,
    /// How long to count with --host; Ctrl-C stops early and prints the result so far; 0 uses the counts
    /// since the module was loaded
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "host")]
    seconds: u32,
    /// Language, en or zh [default: that of the locale]
    #[arg(long, value_parser = crate::report::language)]
    lang: Option<text::Language>,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
    /// Check results for contradictions: a table (TOML, CSV), or a findings.json
    #[arg(long, value_name = "FILE")]
    results: Option<String>,
}

pub(crate) struct Report {
    /// Findings, worst first.
    pub findings: Vec<Finding>,
    /// Contradictions in results.
    pub lints: Vec<results::Line>,
    /// Parts of the input that could not be read.
    pub unread: Vec<Unread>,
    /// How many texts were read.
    pub texts: usize,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let language = self.lang.unwrap_or_else(crate::report::locale);
        let given = match self.host {
            true => AuditInput {
                texts: host::read(&host::LocalHost::new(), self.seconds),
                labs: Vec::new(),
            },
            false => input::read(&self.files, "poolwright audit -").map_err(Refusal::usage)?,
        };
        let lints = self.results.as_deref().map(|name| results::read(name, language));
        let lints = lints.transpose().map_err(Refusal::usage)?.unwrap_or_default();
        let report = Report { lints, ..audit(&given) };
        let printed = output::print(&if self.json {
            terminal::json(&report, language)
        } else {
            terminal::text(&report, language)
        });
        for unread in &report.unread {
            output::complain(&format!("note: {}: {}\n", unread.at, unread.what));
        }
        if report.texts == 0 && self.results.is_none() {
            return Err(Refusal::usage(if self.host { NOTHING_HERE } else { NOTHING_KNOWN }));
        }
        let found = report.findings.iter().any(|finding| finding.severity >= Severity::Warning)
            || report.lints.iter().any(results::Line::counts);
        Ok(if found { FOUND } else { printed })
    }
}

/// Applies every rule to the input.
fn audit(given: &AuditInput) -> Report {
    let mut findings = Vec::new();
    let (mut system, unread) = gather(&given.texts);
    system.today = today();
    let unknown = unread.iter().filter(|u| u.what.starts_with(advice::system::UNKNOWN)).count();
    findings.extend(advice::audit::audit(&system));
    for variants in &given.labs {
        findings.extend(advice::audit::audit_variants(variants));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let texts = count_texts(&given.texts).saturating_sub(unknown) + given.labs.len();
    Report { findings, lints: Vec::new(), unread, texts }
}

/// Days since 1970-01-01.
fn today() -> Option<i64> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    i64::try_from(seconds / 86_400).ok()
}

/// The system that texts or a lab describe, for `tune --pool`.
pub(crate) fn system(files: &[String]) -> Result<(System, Vec<Unread>), String> {
    let given = input::read(files, "poolwright tune SERVER --pool -")?;
    let (texts, unread) = gather(&given.texts);
    match given.labs.into_iter().flatten().next() {
        Some((_, lab)) => Ok((lab, unread)),
        None => Ok((texts, unread)),
    }
}
