//! `[workloads.X.pgbench]` with its server's `postgresql` and `directories`.

use super::context::Context;
use super::section::{Entry, Section};
use super::server;
use super::workloads::WorkloadInputs;
use crate::campaign::{BUILTIN, Directories, Pgbench, Protocol, Script};
use crate::diagnostic::did_you_mean_or;
use std::ops::Range;
use toml::de::DeValue;

/// Most sessions: beyond, the server's processes alone fill a machine.
const MOST_CLIENTS: i64 = 2000;
/// Most scale units: 1.5 TB.
const MOST_SCALE: i64 = 100_000;

pub(super) fn read(
    entry: &Entry<'_>,
    table: &mut Section<'_>,
    known: &WorkloadInputs<'_>,
) -> Option<Pgbench> {
    let stated = table.take("postgresql");
    let directories = table.take("directories");
    let mut client = entry.table("pgbench")?;
    let mut pgbench = Pgbench {
        version: client.take("version").and_then(|entry| server::postgresql_version(&entry)),
        ..Pgbench::default()
    };
    let mut count = |key, most, example| server::count(&mut client, entry, key, most, example);
    let scale = count("scale", MOST_SCALE, "scale = 1000");
    let clients: Option<u32> = count("clients", MOST_CLIENTS, "clients = 64");
    let threads = match client.take("threads") {
        Some(entry) => {
            let threads: Option<u32> = entry.integer(1, MOST_CLIENTS, "a number");
            if let (Some(clients), Some(threads)) = (clients, threads)
                && threads > clients
            {
                entry.error(
                    format!("pgbench has {threads} threads but only {clients} clients"),
                    format!("set `threads` to {clients} or less"),
                );
            }
            threads
        }
        None => Some(1),
    };
    let protocol = client.choice("protocol", &Protocol::ALL, Protocol::name);
    pgbench.protocol = protocol.unwrap_or_default();
    pgbench.rate = client.number("rate", 1.0, 1e7, "transactions a second");
    pgbench.random_filler = client.number("random_filler", 0.0, 1.0, "a share, 0 to 1");
    match client.take("script") {
        Some(entry) => pgbench.scripts = scripts(&entry),
        None => pgbench.scripts.extend(builtin("tpcb-like", 1)),
    }
    client.finish();
    if let Some(entry) = &stated {
        pgbench.settings = server::of_postgresql(entry, pgbench.version);
    }
    if let Some(mut table) = directories.and_then(|entry| entry.table("directories")) {
        let mut dataset = |key| server::dataset(&mut table, key, known);
        pgbench.directories = Directories {
            data: dataset("data").unwrap_or_default(),
            wal: dataset("wal"),
            tables: dataset("tables"),
            indexes: dataset("indexes"),
        };
        table.finish();
    }
    server::check_runtime(entry, known);
    pgbench.scale = scale?;
    pgbench.clients = clients?;
    pgbench.threads = threads?;
    (!pgbench.scripts.is_empty()).then_some(pgbench)
}

fn builtin(name: &str, weight: u32) -> Option<Script> {
    let (name, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    Some(Script { name: (*name).to_owned(), text: (*text).to_owned(), weight })
}

/// One script, or several: `"select-only@9"`.
fn scripts(entry: &Entry<'_>) -> Vec<Script> {
    let stated = entry.strings("\"tpcb-like\", or the path of a script, or a list of them");
    if stated.is_empty() && matches!(entry.value(), DeValue::Array(_)) {
        entry.error("`script` is an empty list", "write a script such as \"tpcb-like\"");
    }
    stated
        .into_iter()
        .filter_map(|stated| {
            let (name, weight) = match stated.value.rsplit_once('@') {
                Some((name, weight)) => match weight.parse::<u32>() {
                    Ok(weight @ 1..) => (name, weight),
                    _ => {
                        return entry.cx.refuse(
                            stated.span,
                            format!("`{weight}` is not a valid script weight"),
                            "write a whole number from 1 on: \"select-only@9\"",
                        );
                    }
                },
                None => (stated.value.as_str(), 1),
            };
            builtin(name, weight).or_else(|| script(entry.cx, name, weight, stated.span.clone()))
        })
        .collect()
}

fn script(cx: &Context<'_>, path: &str, weight: u32, span: Range<usize>) -> Option<Script> {
    match cx.files.read(path) {
        Ok(text) if text.trim().is_empty() => {
            cx.refuse(span, format!("the script `{path}` is empty"), "write statements into it")
        }
        Ok(text) => Some(Script { name: path.to_owned(), text, weight }),
        Err(why) => {
            let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
            let all = known.join(", ");
            let other = format!("give its path from the lab's directory; known here: {all}");
            let fix = did_you_mean_or(path, known, other);
            cx.refuse(span, format!("cannot read the script `{path}`: {why}"), fix)
        }
    }
}
