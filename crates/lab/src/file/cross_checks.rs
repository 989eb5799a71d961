//! Checks of the whole lab: what no machine can model, identical variants, a dirty-data limit without effect.

use super::context::Context;
use super::method;
use crate::campaign::{Campaign, Program, Variant, Workload};
use crate::diagnostic::Diagnostic;
use crate::model::{self, HostLimits};
use crate::postgresql;
use crate::units::about;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Checks a campaign whose file has no other mistake.
pub(super) fn check(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    impossible(cx, table, campaign);
    identical_variants(cx, table, &campaign.variants);
    dirty(cx, table, campaign);
    servers(cx, table, campaign);
    unused_servers(cx, table, campaign);
    windows(cx, table, campaign);
    repeated_blocks(cx, table, campaign);
}

/// Records that compress because fio writes one block again and again: they hold several of them.
fn repeated_blocks(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    for workload in &campaign.workloads {
        let Some(block) = model::job(workload).and_then(|job| job.repeated_block) else { continue };
        let compresses = |variant: &&Variant| variant.compresses(&workload.dataset);
        let records = campaign.variants.iter().filter(compresses);
        let largest = records.map(|variant| variant.recordsize(&workload.dataset)).max();
        let Some(record) = largest.filter(|record| *record >= 2 * block) else { continue };
        let (record, block) = (about(record), about(block));
        cx.warning(
            place(table, &["workloads", &workload.name]),
            format!("records of {record} compress well here: fio writes the same {block} again and again, with a few bytes changed"),
            "add `refill_buffers=1` to the job, with `buffer_compress_percentage` for data that compresses; or keep it to reproduce such a test",
        );
    }
}

/// Servers whose settings, with those of each variant, ask for more than its machine has or admit too few clients.
fn servers(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    for workload in &campaign.workloads {
        let wrong = campaign.variants.iter().find_map(|variant| {
            let memory = variant.host(&campaign.host).memory;
            Some((variant, server(&workload.on(variant), &variant.name, memory)?))
        });
        let Some((variant, (section, message, fix))) = wrong else { continue };
        let own = ["workloads", &workload.name, section];
        let memory = variant.host(&campaign.host).memory;
        let path: &[&str] = match server(workload, &variant.name, memory) {
            Some(_) => &own,
            None if variant.servers.contains_key(section) && find(table, &[section]).is_some() => {
                &[section]
            }
            None => &["variants", &variant.name],
        };
        cx.error(place(table, path), message, fix);
    }
}

/// Settings of servers that no workload has: nothing reads them.
fn unused_servers(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    let used: BTreeSet<&str> = campaign
        .workloads
        .iter()
        .filter_map(|workload| workload.program.server_section())
        .collect();
    for variant in &campaign.variants {
        for section in variant.servers.keys().filter(|section| !used.contains(section.as_str())) {
            let of_variant = ["variants", &variant.name, section];
            let paths: [&[&str]; 3] = [&[section], &of_variant, &["factors", section]];
            let mut places: Vec<_> = paths.iter().filter_map(|path| find(table, path)).collect();
            if places.is_empty() {
                // Within a level of a factor, or a setting of an ablation.
                places.extend(find(table, &["factors"]).or_else(|| find(table, &["ablate"])));
            }
            let fix = match used.first() {
                Some(other) => format!("remove them, or write `{other}`, which a workload has"),
                None => "remove them, or add a workload with such a server".to_owned(),
            };
            for at in places {
                cx.warning(
                    at,
                    format!("no workload has a server whose settings are `{section}`"),
                    fix.clone(),
                );
            }
        }
    }
}

/// Sessions of a server that are not its clients': those kept for superusers, and the trial's own.
const OTHER_SESSIONS: u32 = 4;

/// What is wrong with the settings of a workload's server on the machine of a variant: its section of a lab, what, and
/// what to do.
fn server(
    workload: &Workload,
    variant: &str,
    memory: u64,
) -> Option<(&'static str, String, String)> {
    let too_large = |name: &str, bytes: u64| {
        let (bytes, memory) = (about(bytes), about(memory));
        format!(
            "{name} is {bytes}, but the machine has only {memory} of memory in variant {variant}"
        )
    };
    match &workload.program {
        Program::Pgbench(pgbench) => {
            let stated = |name: &str| pgbench.settings.get(name);
            let setting = postgresql::lookup("shared_buffers", None).ok().flatten();
            let bytes = setting.zip(stated("shared_buffers"));
            let bytes = bytes.and_then(|(setting, text)| setting.bytes(text));
            if let Some(bytes) = bytes.filter(|bytes| *bytes >= memory) {
                let fix = "a quarter of the memory is usual; set a smaller value, or give the machine more `memory`";
                return Some(("postgresql", too_large("shared_buffers", bytes), fix.to_owned()));
            }
            let most = stated("max_connections").and_then(|most| most.parse::<u32>().ok());
            let needed = pgbench.clients.saturating_add(OTHER_SESSIONS);
            most.filter(|most| *most < needed).map(|most| {
                let clients = pgbench.clients;
                (
                    "postgresql",
                    format!("max_connections = {most} is too few for {clients} clients in variant {variant}"),
                    format!(
                        "set {needed} or more: PostgreSQL reserves some for superusers, and the trial uses one"
                    ),
                )
            })
        }
        Program::Sysbench(sysbench) => {
            const NAME: &str = "innodb_buffer_pool_size";
            let bytes = sysbench.number(NAME, 0);
            let fix = "set a smaller value, or give the machine more `memory`".to_owned();
            (bytes >= memory).then(|| (sysbench.server.section(), too_large(NAME, bytes), fix))
        }
        Program::Fio { .. } | Program::PgTestFsync(_) | Program::Sqlite(_) => None,
    }
}

/// A window that is too short for programs of which a course over time is asked.
fn windows(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    let tells_one_rate = |w: &Workload| matches!(w.program, Program::PgTestFsync(_));
    if let Some(seconds) = campaign.method.runtime_s
        && !campaign.workloads.iter().all(tells_one_rate)
    {
        method::check_window(cx, place(table, &["method", "runtime"]), seconds);
    }
}

/// Cells that no machine can model.
fn impossible(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    let refuse = |path: &[&str], wrong: Diagnostic| cx.say(wrong.at(cx.file, place(table, path)));
    let mut rest = campaign.clone();
    for (workload, wrong) in model::beyond_pools(campaign) {
        refuse(&["workloads", workload, "size"], wrong);
        rest.workloads.retain(|other| other.name != workload);
    }
    let factors = std::mem::take(&mut rest.method.size_check);
    let resolve = |campaign: &Campaign| model::resolve(campaign, &HostLimits::MACHINE);
    if let Err(wrong) = resolve(&rest) {
        refuse(&["scale", "size"], wrong);
        return;
    }
    rest.method.size_check = factors;
    if let Err(wrong) = resolve(&rest) {
        refuse(&["method", "size_check"], wrong);
    }
}

/// A dirty-data limit that is above the real server's.
fn dirty(cx: &Context<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    let Some(stated) = campaign.scale.dirty_data_max else {
        return;
    };
    let real = model::largest_dirty_data_max(campaign);
    if stated > real {
        cx.note(
            place(table, &["scale", "dirty_data_max"]),
            format!(
                "the real server's zfs_dirty_data_max is {}: the machine does not exceed it",
                about(real)
            ),
        );
    }
}

/// Variants that differ only in their names: an A/A comparison, or a mistake.
fn identical_variants(cx: &Context<'_>, table: &DeTable<'_>, variants: &[Variant]) {
    // As text, so that a thousand variants are compared quickly.
    let mut known: HashMap<String, &str> = HashMap::new();
    for variant in variants {
        let nameless = Variant { name: String::new(), levels: BTreeMap::new(), ..variant.clone() };
        let Ok(text) = serde_json::to_string(&nameless) else {
            continue;
        };
        let Some(first) = known.get(&text) else {
            known.insert(text, &variant.name);
            continue;
        };
        let path: &[&str] = match variant.levels.is_empty() {
            true => &["variants", &variant.name],
            false if find(table, &["ablate"]).is_some() => &["ablate"],
            false => &["factors"],
        };
        cx.note(
            place(table, path),
            format!(
                "variants `{first}` and `{}` are identical: their results will be equal",
                variant.name
            ),
        );
    }
}

/// Where a path stands, or as much of it as is written.
fn place(table: &DeTable<'_>, path: &[&str]) -> Range<usize> {
    let written = (1..=path.len()).rev().find_map(|n| find(table, &path[..n]));
    written.unwrap_or(0..0)
}

/// Where a path stands: its value, of a table its key.
fn find(table: &DeTable<'_>, path: &[&str]) -> Option<Range<usize>> {
    let (name, below) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    match value.get_ref() {
        DeValue::Table(_) if below.is_empty() => Some(key.span()),
        DeValue::Table(inner) => find(inner, below),
        _ => below.is_empty().then(|| value.span()),
    }
}
