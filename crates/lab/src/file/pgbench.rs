//! `[workloads.X.pgbench]` with its server's `postgresql` and `directories`.

use super::context::Context;
use super::section::{Entry, Section};
use super::server;
use super::workloads::WorkloadInputs;
use crate::campaign::{BUILTIN, Directories, Pgbench, Protocol, Script};
use crate::diagnostic::did_you_mean;
use std::ops::Range;
use toml::de::DeValue;

/// Most sessions: beyond, the server's processes alone fill a machine.
const MOST_CLIENTS: i64 = 2000;
/// Most scale units: 1.5 TB.
const MOST_SCALE: i64 = 100_000;

/// Takes the client and its server out of a workload.
pub(super) fn read(
    cx: &Context<'_>,
    entry: &Entry<'_>,
    table: &mut Section<'_>,
    known: &WorkloadInputs<'_>,
) -> Option<Pgbench> {
    let stated = table.take("postgresql");
    let directories = table.take("directories");
    let mut client = entry.table(cx, "pgbench")?;
    let mut pgbench = Pgbench {
        version: client.take("version").and_then(|entry| server::postgresql_version(cx, &entry)),
        ..Pgbench::default()
    };
    let mut count = |key: &'static str, most: i64, example: &str| match client.take(key) {
        Some(entry) => {
            let number = entry.integer(cx, 1, most, "a number")?;
            Some((u32::try_from(number).ok()?, entry.span()))
        }
        None if key != "threads" => {
            cx.error(
                entry.key_span(),
                format!("`pgbench` has no {key}"),
                format!("add `{example}`"),
            );
            None
        }
        None => Some((1, 0..0)),
    };
    let scale = count("scale", MOST_SCALE, "scale = 1000");
    let clients = count("clients", MOST_CLIENTS, "clients = 64");
    let threads = count("threads", MOST_CLIENTS, "threads = 4");
    if let (Some((clients, _)), Some((threads, span))) = (&clients, &threads)
        && threads > clients
    {
        cx.error(
            span.clone(),
            format!("pgbench has {threads} threads but only {clients} clients"),
            format!("set `threads` to {clients} or less"),
        );
    }
    if let Some(entry) = client.take("protocol")
        && let Some(word) = entry.word(cx, &Protocol::ALL.map(Protocol::name))
    {
        pgbench.protocol = Protocol::ALL[word];
    }
    if let Some(entry) = client.take("rate") {
        pgbench.rate = entry.number(cx, 1.0, 1e7, "transactions a second");
    }
    if let Some(entry) = client.take("random_filler") {
        pgbench.random_filler = entry.number(cx, 0.0, 1.0, "a share, 0 to 1");
    }
    match client.take("script") {
        Some(entry) => pgbench.scripts = scripts(cx, &entry),
        None => pgbench.scripts.extend(builtin("tpcb-like", 1)),
    }
    client.finish(cx);
    if let Some(entry) = &stated {
        pgbench.settings = server::of_postgresql(cx, entry, pgbench.version);
    }
    if let Some(directories) = directories {
        pgbench.directories = self::directories(cx, &directories, known);
    }
    server::check_runtime(cx, entry, known);
    pgbench.scale = scale?.0;
    pgbench.clients = clients?.0;
    pgbench.threads = threads?.0;
    (!pgbench.scripts.is_empty()).then_some(pgbench)
}

fn builtin(name: &str, weight: u32) -> Option<Script> {
    let (name, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    Some(Script { name: (*name).to_owned(), text: (*text).to_owned(), weight })
}

/// One script, or several: `"select-only@9"`.
fn scripts(cx: &Context<'_>, entry: &Entry<'_>) -> Vec<Script> {
    let stated = entry.strings(cx, "\"tpcb-like\", or the path of a script, or a list of them");
    if stated.is_empty() && matches!(entry.value(), DeValue::Array(_)) {
        cx.error(entry.span(), "`script` is an empty list", "write a script such as \"tpcb-like\"");
    }
    stated
        .into_iter()
        .filter_map(|stated| {
            let (name, weight) = match stated.value.rsplit_once('@') {
                Some((name, weight)) => match weight.parse::<u32>() {
                    Ok(weight @ 1..) => (name, weight),
                    _ => {
                        cx.error(
                            stated.span,
                            format!("`{weight}` is not a valid script weight"),
                            "write a whole number from 1 on: \"select-only@9\"",
                        );
                        return None;
                    }
                },
                None => (stated.value.as_str(), 1),
            };
            builtin(name, weight).or_else(|| script(cx, name, weight, stated.span.clone()))
        })
        .collect()
}

fn script(cx: &Context<'_>, path: &str, weight: u32, span: Range<usize>) -> Option<Script> {
    match cx.files.read(path) {
        Ok(text) if text.trim().is_empty() => {
            cx.error(span, format!("the script `{path}` is empty"), "write statements into it");
            None
        }
        Ok(text) => Some(Script { name: path.to_owned(), text, weight }),
        Err(why) => {
            let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
            let fix = match did_you_mean(path, &known) {
                near if near.starts_with("did") => near,
                known => format!("give its path from the lab's directory; {known}"),
            };
            cx.error(span, format!("cannot read the script `{path}`: {why}"), fix);
            None
        }
    }
}

fn directories(cx: &Context<'_>, entry: &Entry<'_>, known: &WorkloadInputs<'_>) -> Directories {
    let Some(mut table) = entry.table(cx, "directories") else {
        return Directories::default();
    };
    let mut dataset = |key: &'static str| server::dataset(cx, &mut table, key, known);
    let directories = Directories {
        data: dataset("data").unwrap_or_default(),
        wal: dataset("wal"),
        tables: dataset("tables"),
        indexes: dataset("indexes"),
    };
    table.finish(cx);
    directories
}
