//! The lab file, read as a whole: every mistake at once, or the resolved campaign.

mod context;
mod cross_checks;
mod drives;
mod method;
mod mount_options;
mod pg_test_fsync;
mod pgbench;
mod property_dependencies;
mod section;
mod server;
mod settings;
mod sqlite;
mod stack;
mod sysbench;
mod variant;
mod variants;
mod vdevs;
mod workloads;

pub(crate) use stack::stack_names;

use crate::campaign::{Campaign, OpenZfs, Variant, Workload};
use crate::diagnostic::{Diagnostic, Place, did_you_mean_or};
use crate::files::Files;
use crate::profile::Profiles;
use context::Context;
use section::Section;
use settings::Settings;
use std::collections::BTreeSet;
use toml::de::DeTable;

/// Reads the text of a lab file. `name` is the file's name as the user gave it: it stands in
/// diagnostics, and its stem names the campaign.
///
/// # Errors
/// Every mistake in the file, followed by warnings and notes.
pub fn load(
    name: &str,
    text: &str,
    files: &dyn Files,
    profiles: &Profiles,
) -> Result<(Campaign, Vec<Diagnostic>), Vec<Diagnostic>> {
    load_on(None, name, text, files, profiles)
}

/// As [`load`], with a release of OpenZFS instead of the lab's own. Variants that state one keep it.
///
/// # Errors
/// As [`load`]; properties and parameters that the release does not have are mistakes.
pub fn load_on(
    openzfs: Option<OpenZfs>,
    name: &str,
    text: &str,
    files: &dyn Files,
    profiles: &Profiles,
) -> Result<(Campaign, Vec<Diagnostic>), Vec<Diagnostic>> {
    if let Some(at) = text.find('\r').filter(|_| !text.contains('\n')) {
        return Err(vec![
            Diagnostic::error("the lines of this file end in CR alone, which is not valid in TOML")
                .at(name, at..at + 1)
                .fix("end them with LF: tr '\\r' '\\n' < OLD.toml > NEW.toml"),
        ]);
    }
    let cx = Context::new(name, text, files, profiles);
    let (table, syntax) = DeTable::parse_recoverable(text);
    let campaign = campaign(Section::new(&cx, "", 0..0, table.get_ref()), openzfs);
    if cx.errors() == 0 && syntax.is_empty() {
        cross_checks::check(&cx, table.get_ref(), &campaign);
    }
    let mut diagnostics = cx.finish();
    if !syntax.is_empty() {
        let starts: Vec<usize> = syntax.iter().filter_map(|e| Some(e.span()?.start)).collect();
        let damaged: Vec<_> = starts.iter().map(|start| damaged(text, *start)).collect();
        // What stands on a broken line, or is missing because of it, is not worth a second word.
        let sections = starts.iter().any(|start| opens_section(line_at(text, *start)));
        let understood = |place: &Place| {
            place.file != name
                || (place.span != (0..0)
                    && !damaged.iter().any(|lines| lines.contains(&place.span.start)))
        };
        diagnostics.retain(|diagnostic| {
            !(sections && diagnostic.missing) && diagnostic.place.as_ref().is_some_and(understood)
        });
        let broken = syntax.into_iter().map(|e| {
            let diagnostic = Diagnostic::error(format!(
                "this is not TOML: {}",
                e.message().lines().collect::<Vec<_>>().join(", ")
            ))
            .fix("see https://toml.io: strings in quotes, `key = value`, `[section]`");
            match e.span() {
                Some(span) => diagnostic.at(name, span),
                None => diagnostic,
            }
        });
        let mut broken: Vec<Diagnostic> = broken.collect();
        broken.sort_by_key(|d| d.place.as_ref().map(|place| place.span.start));
        diagnostics.splice(0..0, broken);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        Err(diagnostics)
    } else {
        Ok((campaign, diagnostics))
    }
}

/// The bytes that a syntax error at `byte` casts doubt on: its line, and where that opens a section,
/// all lines up to the next one that does.
fn damaged(text: &str, byte: usize) -> std::ops::Range<usize> {
    let rest = line_at(text, byte);
    let start = text.len() - rest.len();
    let end = rest.find(if opens_section(rest) { "\n[" } else { "\n" }).unwrap_or(rest.len());
    start..start + end + 1
}

/// The text from the begin of a byte's line.
fn line_at(text: &str, byte: usize) -> &str {
    let before = text.get(..byte).unwrap_or(text);
    &text[before.rfind('\n').map_or(0, |at| at + 1)..]
}

fn opens_section(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

fn campaign(mut lab: Section<'_>, openzfs: Option<OpenZfs>) -> Campaign {
    let cx = lab.cx;
    let name = name_of(cx.file);
    let title = lab.take("title").and_then(|entry| entry.string("a title in quotes"));
    let source = lab
        .take("source")
        .and_then(|entry| entry.string("where the question comes from, in quotes"));
    let host = method::host(&mut lab);
    let mut base = Settings::base(&mut lab);
    base.openzfs = openzfs.or(base.openzfs);
    let (mut method, baseline) = method::method(&mut lab);
    let named = baseline.as_ref().map(|baseline| baseline.value.as_str());
    let (mut variants, all_named) = variants::read(&mut lab, &base, named);
    for variant in &mut variants {
        variant.memory = variant.memory.filter(|memory| *memory != host.memory);
    }
    let known = workloads::WorkloadInputs {
        variants: &variants,
        memory: host.memory,
        runtime_s: method.runtime_s,
    };
    let workloads = workloads::read(&mut lab, &known);
    method.baseline = method::put_baseline_first(cx, baseline, &mut variants, all_named);
    let scale = method::scale(&mut lab);
    lab.finish();
    // Vdevs that were not understood may be what uses them.
    if cx.errors() == 0 {
        unused(cx, &base, &variants);
        unused_datasets(cx, &variants, &workloads);
    }
    Campaign {
        title: title.map_or_else(|| name.clone(), |title| title.value),
        source: source.map(|source| source.value),
        name,
        host,
        variants,
        workloads,
        method,
        scale,
    }
}

/// Reports drives that no variant uses.
fn unused(cx: &Context<'_>, base: &Settings, variants: &[Variant]) {
    for (kind, drives) in &base.drives {
        let used = |variant: &Variant| variant.used_drives().any(|drive| drive.kind == *kind);
        if !variants.is_empty() && !variants.iter().any(used) {
            cx.note(drives.span.clone(), format!("no variant uses drives `{kind}`"));
        }
    }
}

/// Warns of datasets that no workload works in: a variant that changes a misspelt one changes nothing.
fn unused_datasets(cx: &Context<'_>, variants: &[Variant], workloads: &[Workload]) {
    let used: BTreeSet<&str> = workloads.iter().flat_map(Workload::datasets).collect();
    let holds = |dataset: &str, used: &str| {
        used.strip_prefix(dataset).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let named: BTreeSet<&str> =
        variants.iter().flat_map(|variant| variant.datasets.keys().map(String::as_str)).collect();
    let unused = |name: &&str| !name.is_empty() && !used.iter().any(|used| holds(name, used));
    for name in named.into_iter().filter(unused) {
        let begins = cx.text.find(&format!("datasets.{name}")).map(|at| at + "datasets.".len());
        // A name with an escape is not found as it is.
        let span = begins.or_else(|| cx.text.find(name)).map_or(0..0, |at| at..at + name.len());
        let other = "name it as the dataset of a workload, or remove it";
        let fix = did_you_mean_or(name, used.iter().copied(), other);
        cx.warning(span, format!("no workload uses dataset `{name}`"), fix);
    }
}

/// What the campaign of a lab file is called: the file's name without folders and `.toml`, as far as it
/// can name a directory.
pub fn name_of(file: &str) -> String {
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = file.strip_suffix(".toml").unwrap_or(file);
    let safe: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .collect();
    match safe.trim_start_matches('.') {
        "" => "lab".to_owned(),
        safe => safe.to_owned(),
    }
}
