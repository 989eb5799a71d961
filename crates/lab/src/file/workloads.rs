//! `[workloads.X]`: fio job files, by path or inline, or another program.

use super::context::{At, Context};
use super::method;
use super::section::{Entry, Section};
use super::{pg_test_fsync, pgbench, settings, sqlite, sysbench};
use crate::campaign::{Program, Rates, Variant, Workload};
use crate::diagnostic::{Diagnostic, did_you_mean, did_you_mean_or};
use crate::fio::{self, Beside};
use crate::units::about;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::de::DeValue;

/// The file name of an inline job in diagnostics.
pub(super) const INLINE: &str = "<lab>";

/// What workloads need from the rest of the lab.
pub(super) struct WorkloadInputs<'a> {
    pub variants: &'a [Variant],
    /// Of the modelled machine, bytes.
    pub memory: u64,
    /// `[method] runtime`, seconds, instead of the jobs' own.
    pub runtime_s: Option<f64>,
}

pub(super) fn read(lab: &mut Section<'_>, known: &WorkloadInputs<'_>) -> Vec<Workload> {
    let Some(entry) = lab.take("workloads") else {
        lab.cx.error(
            0..0,
            "this lab has no workload",
            "add `[workloads.name]` with `fio = \"path/to/job.fio\"`, or `fio.job = \"\"\"…\"\"\"`",
        );
        return Vec::new();
    };
    let Some(mut section) = entry.table("workloads") else {
        return Vec::new();
    };
    if section.is_empty() {
        entry.error_at_key(
            "[workloads] is empty",
            "add `[workloads.name]` with `fio = \"path/to/job.fio\"`",
        );
    }
    section.rest().iter().filter_map(|entry| workload(entry, known)).collect()
}

/// Whether all keys that are left of a workload are options of fio; then one error, at the first, says where they
/// belong. Some of them are keys of other programs too: with keys that fio does not have they are not taken for its.
fn refuse_options_of_fio(table: &mut Section<'_>) -> bool {
    let options = table.rest_if(|key| fio::options::rule(key).is_some());
    let Some(first) = options.first() else { return false };
    first.error_at_key(
        format!("`{}` is an option of fio and stands outside a job", first.key),
        "write the options as lines of the job: in `fio.job = \"\"\"…\"\"\"`, or in a file named by `fio = \"path/to/job.fio\"`",
    );
    true
}

fn workload(entry: &Entry<'_>, known: &WorkloadInputs<'_>) -> Option<Workload> {
    entry.check_name("a workload");
    let mut table = entry.table(&format!("workloads.{}", entry.key))?;
    let dataset = table.take("dataset").and_then(|entry| {
        let stated = entry.string("the name of a dataset in quotes")?;
        check_dataset(entry.cx, &stated, known.variants);
        Some(stated.value)
    });
    let size = table.take("size").and_then(|entry| {
        let bytes = entry.size()?;
        if bytes == 0 {
            return entry.refuse("`size` cannot be 0", "write a size such as \"160G\"");
        }
        Some(At::new(bytes, entry.span()))
    });
    let rates = table.take("rates").and_then(|entry| rates(&entry));
    let clients: Vec<Entry<'_>> = PROGRAMS.into_iter().filter_map(|key| table.take(key)).collect();
    let client = match &clients[..] {
        [client] => client,
        [] => {
            if !refuse_options_of_fio(&mut table) {
                entry.error_at_key(
                    format!("workload `{}` has no program", entry.key),
                    "add `fio = \"path/to/job.fio\"`, `fio.job = \"\"\"…\"\"\"`, [workloads.NAME.pgbench], [workloads.NAME.sysbench], [workloads.NAME.sqlite] or [workloads.NAME.pg_test_fsync]",
                );
            }
            table.finish();
            return None;
        }
        [first, second, ..] => {
            entry.cx.say(
                Diagnostic::error(format!("workload `{}` has two programs", entry.key))
                    .at(entry.cx.file, second.key_span())
                    .related(first.key_span(), "the other one")
                    .fix("give each a workload of its own"),
            );
            table.rest();
            return None;
        }
    };
    let program = match client.key {
        "fio" => {
            let (rates, runtime) = (rates.is_some(), known.runtime_s.is_some());
            fio(client, size.as_ref(), Beside { size: size.is_some(), rates, runtime })
        }
        "pgbench" => pgbench::read(client, &mut table, known).map(Box::new).map(Program::Pgbench),
        "sysbench" => {
            sysbench::read(client, &mut table, known).map(Box::new).map(Program::Sysbench)
        }
        "sqlite" => sqlite::read(client, known).map(Program::Sqlite),
        "pg_test_fsync" => pg_test_fsync::read(client, known).map(Program::PgTestFsync),
        _ => None,
    };
    for (key, instead) in beside(client.key, [size.is_some(), dataset.is_some(), rates.is_some()]) {
        entry.error_at_key(
            format!("workload `{}`: `{key}` cannot be used with {}", entry.key, client.key),
            format!("remove it: {instead}"),
        );
    }
    if client.key == "fio" {
        refuse_options_of_fio(&mut table);
    }
    table.finish();
    let program = program?;
    let (rate, place) = match &program {
        Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => {
            (None, dataset.unwrap_or_default())
        }
        Program::Pgbench(client) => (client.rate, client.directories.data.clone()),
        Program::Sysbench(client) => (client.rate, client.directories.data.clone()),
    };
    if rates.is_some() && rate.is_some() {
        client.error_at_key(
            format!("`rate` of {} cannot be combined with the workload's `rates`", client.key),
            "remove one: `rates` are tried one after another",
        );
    }
    let size = size.map(|stated| stated.value);
    Some(Workload { name: entry.key.to_owned(), dataset: place, program, size, rates })
}

/// The programs that a workload can run, by their keys.
const PROGRAMS: [&str; 5] = ["fio", "pgbench", "sysbench", "sqlite", "pg_test_fsync"];

/// Which of the workload's keys `size`, `dataset` and `rates` a program does not have beside it, and why.
fn beside(program: &str, [size, dataset, rates]: [bool; 3]) -> Vec<(&'static str, &'static str)> {
    let keys: &[(bool, &'static str, &'static str)] = match program {
        "fio" => &[],
        "pg_test_fsync" => &[
            (size, "size", "it writes to the beginning of a 16 MiB file"),
            (rates, "rates", "it starts the next write immediately"),
        ],
        "sqlite" => &[
            (size, "size", "`rows` sets the size of the database"),
            (rates, "rates", "its clients start the next transaction immediately"),
        ],
        _ => &[
            (size, "size", "the program's own keys say how large the database is"),
            (dataset, "dataset", "[workloads.X.directories] sets its place"),
        ],
    };
    let stated = keys.iter().filter(|(stated, ..)| *stated);
    stated.map(|(_, key, instead)| (*key, *instead)).collect()
}

fn fio(entry: &Entry<'_>, size: Option<&At<u64>>, beside: Beside) -> Option<Program> {
    let (origin, job) = job(entry, beside)?;
    if let Some(size) = size
        && let Ok(file) = fio::parse::parse(&job)
        && size.value < fio::least_size(&file)
    {
        entry.cx.error(
            size.span.clone(),
            format!(
                "`size` is {}, but one block of each client takes {}",
                about(size.value),
                about(fio::least_size(&file))
            ),
            "write the size of all clients' files together, with its unit: \"160G\"",
        );
    }
    // Where the method says nothing, a job's own runtime is held to what the method's is held to.
    if !beside.runtime
        && let Ok(file) = fio::parse::parse(&job)
        && let Some(seconds) = fio::demand(&file).runtime_s
    {
        method::check_runtime(entry, seconds);
    }
    Some(Program::Fio { origin, job })
}

/// Checks that every pool has the dataset that a workload runs in; a file system has a directory of that name instead,
/// and what is no dataset's name could lead out of it.
pub(super) fn check_dataset(cx: &Context<'_>, stated: &At<String>, variants: &[Variant]) {
    if !stated.value.is_empty()
        && settings::dataset_name(cx, &stated.value, stated.span.clone()).is_none()
    {
        return;
    }
    let pools = || variants.iter().filter(|variant| variant.is_zfs());
    let without: Vec<&str> = pools()
        .filter(|variant| !variant.datasets.contains_key(&stated.value))
        .map(|variant| variant.name.as_str())
        .collect();
    if without.is_empty() {
        return;
    }
    if without.len() < pools().count() {
        cx.missing(
            stated.span.clone(),
            format!(
                "this workload runs in dataset `{}`, which is missing in: {}",
                stated.value,
                without.join(", ")
            ),
            format!("add an empty [datasets.{}] to the lab", stated.value),
        );
        return;
    }
    let named = variants.iter().flat_map(|variant| variant.datasets.keys().map(String::as_str));
    let known: BTreeSet<&str> = named.filter(|name| !name.is_empty()).collect();
    let known = Vec::from_iter(known);
    cx.missing(
        stated.span.clone(),
        format!("no variant has a dataset `{}`", stated.value),
        if known.is_empty() {
            format!("add [datasets.{}]", stated.value)
        } else {
            did_you_mean(&stated.value, &known)
        },
    );
}

/// Most rungs of a stated ladder.
const RUNGS: usize = 32;

/// `"auto"`, or rates.
fn rates(entry: &Entry<'_>) -> Option<Rates> {
    if let DeValue::String(text) = entry.value() {
        if text != "auto" {
            entry.error(
                format!("`rates` cannot be \"{text}\""),
                "write \"auto\", or operations a second: [100, 200, 400]",
            );
        }
        return Some(Rates::Auto);
    }
    let known = entry.cx.errors();
    let mut rates = entry.numbers(1.0, 1e9, "operations a second: [100, 200, 400]");
    if entry.cx.errors() > known {
        return None;
    }
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    if rates.is_empty() || rates.len() > RUNGS {
        entry.error(
            "`rates` must have 1 to 32 values",
            "write operations a second: [100, 200, 400]",
        );
    }
    Some(Rates::Stated(rates))
}

/// Where the text of a job file is from, and the text.
fn job(entry: &Entry<'_>, beside: Beside) -> Option<(String, String)> {
    let cx = entry.cx;
    if let DeValue::Table(_) = entry.value() {
        let mut table = entry.table("fio")?;
        let job = table.take("job");
        // An unknown key is likely the job, misspelt.
        if job.is_none() && table.is_empty() {
            entry.error_at_key(
                "`fio` has no job",
                "add `job = \"\"\"…\"\"\"`, or write `fio = \"path/to/job.fio\"`",
            );
        }
        table.finish();
        let job = job?.string("the text of a job file")?;
        report(cx, &job.value, beside, (cx.file, cx.places(&job)));
        return Some((INLINE.to_owned(), job.value));
    }
    let path = entry.string("the path of a fio job file, from the lab's directory")?;
    match cx.files.read(&path.value) {
        Ok(job) => {
            report(cx, &job, beside, (&path.value, |span| span));
            Some((path.value, job))
        }
        Err(e) => {
            let beside = cx.files.beside(&path.value);
            let others = beside.iter().map(String::as_str).filter(|name| *name != path.value);
            let other =
                "give its path from the lab's directory, or paste it as `fio.job = \"\"\"…\"\"\"`";
            let fix = did_you_mean_or(&path.value, others, other);
            entry.refuse(format!("cannot read the fio job file `{}`: {e}", path.value), fix)
        }
    }
}

/// Reports what is wrong with a job file, and what its author should know. fio is asked only about one that is right as
/// far as is known.
fn report(
    cx: &Context<'_>,
    job: &str,
    beside: Beside,
    (file, place): (&str, impl Fn(Range<usize>) -> Range<usize>),
) {
    let mut mistakes = fio::mistakes(job, beside);
    if mistakes.is_empty() {
        mistakes = cx.files.program_says(job, beside.rates);
    }
    for mistake in mistakes {
        let span = place(mistake.span(job));
        cx.say(Diagnostic::error(mistake.message).at(file, span).fix(mistake.fix));
    }
    for (line, message) in fio::notes(job, beside) {
        cx.say(Diagnostic::note(message).at(file, place(fio::line_span(job, line))));
    }
}
