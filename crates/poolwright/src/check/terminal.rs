//! The text output of `check`.

use super::Checked;
use crate::host_resources;
use lab::build_commands::{MODPROBE, commands};
use lab::campaign::{Campaign, DriveRef, OpenZfs, Program, Rates, Variant, Workload};
use lab::durability;
use lab::model::{Estimate, Model, drive_capacity, drive_sizes, variant_model};
use lab::units::{about, print_duration};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use text::counted;
use text::line::visible;

pub(super) fn text(checked: &Checked<'_>) -> String {
    let campaign = &checked.loaded.campaign;
    let mut out = String::new();
    line(&mut out, "lab", &campaign.title);
    if let Some(source) = &campaign.source {
        line(&mut out, "source", source);
    }
    let (memory, cores) = (about(campaign.host.memory), campaign.host.cores);
    let host = format!("{memory} of memory, {cores} cores, OpenZFS {}", versions(campaign));
    line(&mut out, "host", &host);
    if let Ok(model) = &checked.model {
        scales(&mut out, campaign, model);
    }
    for variant in &campaign.variants {
        self::variant(&mut out, campaign, variant, checked.model.as_ref().ok());
    }
    for workload in &campaign.workloads {
        let dataset = match workload.dataset.as_str() {
            "" => String::new(),
            dataset => format!(" in dataset {dataset}"),
        };
        let size = workload.size.map(|bytes| format!(", working set {}", about(bytes)));
        let size = size.unwrap_or_default();
        let (name, program) = (&workload.name, &workload.program);
        let (sessions, ladder) = (sessions(program), ladder(workload));
        let client = client(program);
        let text = format!("{name}: {client}{sessions}{dataset}{size}{ladder}");
        line(&mut out, "workload", &text);
    }
    for program in &checked.missing {
        line(&mut out, "missing", program);
    }
    if let Some(estimate) = &checked.estimate {
        line(&mut out, "time", &time(campaign, estimate));
    }
    out
}

/// A program, and what it runs.
fn client(program: &Program) -> String {
    match program {
        Program::Fio { origin, .. } if origin == "<lab>" => "fio, job in the lab file".to_owned(),
        _ => format!("{} {}", program.name(), program.runs()),
    }
}

/// Clients and scale of a database.
fn sessions(program: &Program) -> String {
    match program {
        Program::Fio { .. } => String::new(),
        Program::PgTestFsync(_) => ", all tests once".to_owned(),
        Program::Sqlite(of) => {
            let (data, writes) = (about(of.data_bytes()), 100.0 * of.writes);
            let (clients, rows) = (of.clients, of.rows);
            format!(
                ", {clients} clients, {rows} rows ({data}), {writes:.0} % of transactions write"
            )
        }
        Program::Sysbench(of) => {
            let (data, rows) = (about(lab::mysql::data_bytes(of)), of.table_size);
            format!(", {} threads, {} tables of {rows} rows ({data})", of.threads, of.tables)
        }
        Program::Pgbench(of) => {
            let data = about(lab::postgresql::data_bytes(of));
            format!(", {} clients, scale {} ({data})", of.clients, of.scale)
        }
    }
}

/// The open loops that follow the closed one.
fn ladder(workload: &Workload) -> String {
    match &workload.rates {
        None => String::new(),
        Some(Rates::Auto) => {
            ", then open loops from a tenth of its throughput until saturation".to_owned()
        }
        Some(Rates::Stated(rates)) => {
            let rates: Vec<String> = rates.iter().map(|rate| format!("{rate:.0}")).collect();
            format!(", then open loops of {}/s until saturation", rates.join(", "))
        }
    }
}

fn line(out: &mut String, head: &str, rest: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(out, "{head:<9}{}", visible(rest).replace(['\n', '\r', '\t'], " "));
}

fn versions(campaign: &Campaign) -> String {
    let versions: BTreeSet<OpenZfs> =
        campaign.variants.iter().map(|variant| variant.openzfs).collect();
    versions.iter().map(|version| version.name()).collect::<Vec<_>>().join(" and ")
}

fn scales(out: &mut String, campaign: &Campaign, model: &Model) {
    let (needed, free) = (host_resources::needed(campaign, model), host_resources::free_memory());
    let bound_by = text::Language::English.bound_by(&model.size_bound_by);
    line(out, "scale", &format!("S = {} ({bound_by})", model.size));
    let width = model.caps.iter().map(|cap| cap.rule.name().len()).max().unwrap_or(0);
    for cap in &model.caps {
        let bound = match (cap.lower, cap.bound.is_finite()) {
            (true, true) => format!("≥ {}", figure(cap.bound)),
            (false, _) => format!("≤ {}", figure(cap.bound)),
            (true, false) => "none".to_owned(),
        };
        line(out, "", &format!("{bound:<9} {:<width$}  {}", cap.rule, cap.why));
    }
    let [memory, arc, dirty, log] =
        [model.guest_memory, model.arc_max, model.dirty_data_max, model.wrlog_data_max].map(about);
    let of_free = free.map(|free| format!(", of which {} is free", about(free)));
    let (needs, of_free) = (about(needed), of_free.unwrap_or_default());
    let text = format!(
        "memory {memory}, ARC {arc}, dirty data {dirty}, zfs_wrlog_data_max {log}; it takes up to {needs} of this host's memory{of_free}"
    );
    line(out, "model", &text);
    if free.is_some_and(|free| free < needed) {
        let note = "this host has too little free memory: a trial may fail; free some, or set a larger [scale] size";
        line(out, "note", note);
    }
    for note in &model.notes {
        line(out, "note", note);
    }
    if model.size > 1.0 {
        line(out, "", "sizes below are the real server's; those of the model are in parentheses");
    }
}

fn figure(bound: f64) -> String {
    match bound {
        b if b >= 100.0 => format!("{b:.0}"),
        b => format!("{b:.1}"),
    }
}

fn variant(out: &mut String, campaign: &Campaign, variant: &Variant, model: Option<&Model>) {
    let baseline = if variant.name == campaign.method.baseline { "  (baseline)" } else { "" };
    out.push('\n');
    line(out, "variant", &format!("{}{baseline}", variant.name));
    let memory = variant.memory.map(|memory| format!("{} of memory", about(memory)));
    let price = variant.price(&campaign.host).map(|price| format!("price {price:.0}"));
    let machine: Vec<String> = memory.into_iter().chain(price).collect();
    if !machine.is_empty() {
        line(out, "", &machine.join(", "));
    }
    let commands = commands(variant);
    let further = commands.set.iter().chain(&commands.create_datasets);
    for more in commands.create.iter().chain(further) {
        line(out, "", &more.to_string());
    }
    for option in &commands.module {
        line(out, "", &format!("{MODPROBE}: {option}"));
    }
    for (server, settings) in &variant.servers {
        let settings: Vec<String> =
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        line(out, "", &format!("{server}: {}", settings.join(" ")));
    }
    let model = model.map(|model| variant_model(model, &campaign.host, variant));
    line(out, "", &drives(variant, model.as_ref()));
    let assessed = durability::worst(variant, campaign);
    line(out, "", &format!("after a power cut: {}", assessed.durability));
    for reason in &assessed.reasons {
        let durability::Reason { setting, why, evidence, .. } = reason;
        line(out, "", &format!("  {setting}: {why} ({evidence})"));
    }
}

/// `12 × hdd-7200-16t of 14.6T (466G), …`, each kind once for each size it takes in the model.
fn drives(variant: &Variant, model: Option<&Model>) -> String {
    let sizes = model.map(|model| drive_sizes(model, variant)).unwrap_or_default();
    let mut groups: BTreeMap<(&str, u64), u32> = BTreeMap::new();
    for drive in variant.used_drives() {
        let DriveRef { kind, .. } = drive;
        *groups.entry((kind, sizes.get(drive).copied().unwrap_or(0))).or_default() += 1;
    }
    let group = |((kind, scaled), count): ((&str, u64), u32)| {
        let profile = variant.drives.get(kind).map_or("", |known| known.profile.as_str());
        let real = drive_capacity(variant, kind).unwrap_or(0);
        let scaled = match model {
            Some(_) if scaled >> 20 != real >> 20 => format!(" ({})", about(scaled)),
            _ => String::new(),
        };
        format!("{kind}: {count} × {profile} of {}{scaled}", about(real))
    };
    groups.into_iter().map(group).collect::<Vec<_>>().join(", ")
}

fn time(campaign: &Campaign, estimate: &Estimate) -> String {
    let Estimate { cells, trials, virtual_s, wall_s, untimed } = estimate;
    let (cells, trials) = (counted(*cells as u64, "cell"), counted(*trials, "trial"));
    let [budget, takes, wall] =
        [campaign.method.budget_s, *virtual_s, wall_s.round()].map(print_duration);
    let over = match *wall_s > campaign.method.budget_s {
        true => ": one core may not finish in that time; `run` lists what does not fit",
        false => "",
    };
    let untimed = match untimed.is_empty() {
        true => String::new(),
        false => {
            let names = untimed.join(", ");
            format!("; {names} counted as a minute per trial, because no runtime is set")
        }
    };
    format!(
        "{cells}, at least {trials}, {takes} of virtual time: about {wall} on one core{untimed}; budget {budget}{over}"
    )
}
