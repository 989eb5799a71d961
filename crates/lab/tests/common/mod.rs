//! A lab to change, and its diagnostics.
#![allow(dead_code, reason = "each test uses its own part")]

use lab::campaign::Campaign;
use lab::fio::Beside;
use lab::{Diagnostic, Files, Profiles, load};

/// A lab that states the runtime beside a job file.
pub const TIMED: Beside = Beside { size: false, rates: false, runtime: true };
/// The working set, too.
pub const SIZED: Beside = Beside { size: true, ..TIMED };
/// A ladder of rates.
pub const RATES: Beside = Beside { rates: true, ..TIMED };
/// Nothing.
pub const ALONE: Beside = Beside { runtime: false, ..TIMED };

/// The files of these tests, by path.
pub struct Here;

impl Files for Here {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "jobs/sync.fio" => Ok("[w]\nrw=randwrite\nbs=16k\nsize=1g\n".to_owned()),
            "jobs/broken.fio" => Ok("; nothing\nbs=4k\n".to_owned()),
            _ => Err("No such file or directory".to_owned()),
        }
    }

    fn beside(&self, _path: &str) -> Vec<String> {
        vec!["jobs/sync.fio".to_owned()]
    }
}

pub const BASE: &str = r#"
title = "t"
openzfs = "2.4"
[host]
memory = "128G"
cores = 32
[drives]
hdd = "12x hdd-7200-16t"
meta = "2x pm983-960g"
optane = "2x p1600x-118g"
nvme = { profile = "pm9a3-3.84t", count = 1, flush = "honest" }
[pool]
ashift = 12
vdevs = """
  raidz2 hdd[0-5]
  raidz2 hdd[6-11]
  special mirror meta[0-1]
"""
[dataset]
recordsize = "16K"
compression = "lz4"
sync = "always"
[module]
zfs_txg_timeout = 5
[workloads.sync]
fio = "jobs/sync.fio"
"#;

pub fn read(text: &str) -> Result<(Campaign, Vec<Diagnostic>), Vec<Diagnostic>> {
    load("labs/the-lab.toml", text, &Here, &Profiles::builtin())
}

pub fn campaign(text: &str) -> Campaign {
    match read(text) {
        Ok((campaign, _)) => campaign,
        Err(diagnostics) => panic!("refused: {}", lines(text, &diagnostics).join("\n")),
    }
}

/// `text under the caret | message | fix` of each error.
pub fn lines(text: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .map(|d| {
            let place = d.place.as_ref().and_then(|p| text.get(p.span.clone())).unwrap_or("-");
            format!("{place} | {} | {}", d.message, d.fix.as_deref().unwrap_or("-"))
        })
        .collect()
}

pub fn errors(text: &str) -> Vec<String> {
    match read(text) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => {
            let errors: Vec<Diagnostic> =
                diagnostics.into_iter().filter(Diagnostic::is_error).collect();
            lines(text, &errors)
        }
    }
}

#[track_caller]
pub fn refused(added: &str, under: &str, message: &str, fix: &str) {
    let text = format!("{BASE}{added}");
    let diagnostics = errors(&text);
    assert_eq!(diagnostics.len(), 1, "one mistake, one error: {diagnostics:#?}");
    let mut parts = diagnostics[0].split(" | ");
    assert_eq!(parts.next(), Some(under), "{diagnostics:?}");
    assert!(parts.next().is_some_and(|m| m.contains(message)), "{diagnostics:?}");
    assert!(parts.next().is_some_and(|f| f.contains(fix)), "{diagnostics:?}");
}

/// [`BASE`] with two datasets and a database's client instead of its workload.
pub fn with_database(datasets: [&str; 2], program: &str, client: &str, more: &str) -> String {
    let base = BASE.split("[workloads.sync]").next().unwrap();
    let [one, other] = datasets;
    format!(
        "{base}[datasets.{one}]\n[datasets.{other}]\n[method]\nruntime = \"10s\"\n[workloads.oltp.{program}]\n{client}\n{more}"
    )
}

/// A whole lab has this mistake, perhaps beside others.
#[track_caller]
pub fn has_mistake(text: &str, under: &str, message: &str, fix: &str) {
    let found = errors(text);
    let is_it = found.iter().any(|line| {
        let mut parts = line.split(" | ");
        let mut next = || parts.next().unwrap_or("");
        next() == under && next().contains(message) && next().contains(fix)
    });
    assert!(is_it, "{under} | {message} | {fix}\nnot in\n{}", found.join("\n"));
}

pub fn names(campaign: &Campaign) -> Vec<&str> {
    campaign.variants.iter().map(|v| v.name.as_str()).collect()
}

/// A fio job of these options has one mistake, in this line of them, from 1.
#[track_caller]
pub fn refused_in(line: usize, options: &str, word: &str) {
    let found = lab::fio::mistakes(&format!("[a]\n{options}"), TIMED);
    assert_eq!(found.len(), 1, "{options}: {found:#?}");
    assert_eq!(found[0].line, line + 1, "{options}: {found:#?}");
    assert!(found[0].message.contains(word), "{options}: {found:#?}");
    assert!(!found[0].fix.is_empty());
}
