//! Files that have no room in a variant's pool, beside what its datasets reserve.

use super::demand::{ACCOUNTS, INDEX, PARTS, compressed_to, job};
use super::{reserved, sizes};
use crate::campaign::{Campaign, Program, Variant, Workload};
use crate::diagnostic::Diagnostic;
use crate::fio;
use crate::units::about;

/// The workloads whose files do not fit a pool that lays them out, by name. Less is taken off than OpenZFS
/// takes: what is refused has no room on the real server either.
pub fn beyond_pools(campaign: &Campaign) -> Vec<(&str, Diagnostic)> {
    let refused = |workload: &'_ Workload| beyond_pool(campaign, workload);
    let workloads = campaign.workloads.iter();
    workloads.filter_map(|workload| Some((workload.name.as_str(), refused(workload)?))).collect()
}

/// That the files of a workload, laid out in full or written to their end, do not fit the drives or a quota.
fn beyond_pool(campaign: &Campaign, workload: &Workload) -> Option<Diagnostic> {
    let endless = campaign.method.runtime_s.is_none();
    let whole = |job: &fio::Demand| job.filled || (endless && job.fills);
    let job = job(workload).filter(whole)?;
    let shorter = if job.filled { "" } else { "; or state a `runtime`" };
    let smaller = match workload.program {
        Program::Fio { .. } => "use smaller files or fewer jobs",
        _ => "use a smaller database",
    };
    let (bytes, holds, larger) = campaign.variants.iter().find_map(|variant| {
        let files = files(workload, &job, variant)?;
        beyond_drives(variant, &files).or_else(|| beyond_limits(variant, &files))
    })?;
    let message =
        format!("the files of workload {} need {}, but {holds}", workload.name, about(bytes));
    Some(Diagnostic::error(message).fix(format!("{smaller}, or {larger}{shorter}")))
}

/// Datasets, and the bytes in each.
type Files<'a> = [(&'a str, u64)];

/// What is wrong: bytes, what does not hold them, and what else can be done.
type Wrong = (u64, String, &'static str);

/// The files of a workload on a variant, after compression where that is known; none where it is not.
fn files<'a>(
    workload: &'a Workload,
    job: &fio::Demand,
    variant: &Variant,
) -> Option<Vec<(&'a str, u64)>> {
    let bytes = workload.size.or(job.working_set)?;
    let dataset = workload.dataset.as_str();
    match &workload.program {
        Program::Pgbench(pgbench) => {
            let places = &pgbench.directories;
            let part = |place: &'a Option<String>, (parts, share): (u64, f64)| {
                let dataset = place.as_deref().unwrap_or(dataset);
                let left = compressed_to(variant, dataset, share);
                (dataset, ((bytes / PARTS * parts) as f64 * left) as u64)
            };
            Some(vec![part(&places.tables, ACCOUNTS), part(&places.indexes, INDEX)])
        }
        Program::Sysbench(_) => {
            // Digits at random: only what codes single bytes makes them smaller.
            let compression = variant.property(dataset, "compression");
            let keeps = matches!(compression, None | Some("on" | "off" | "lz4" | "zle"));
            (keeps || !variant.is_zfs()).then(|| vec![(dataset, bytes)])
        }
        _ => (!job.compressible).then(|| vec![(dataset, bytes)]),
    }
}

/// That the drives do not hold the files.
fn beyond_drives(variant: &Variant, files: &Files<'_>) -> Option<Wrong> {
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    let share =
        |(dataset, bytes): &(&str, u64)| *bytes as f64 / sizes::room(variant, dataset) as f64;
    let full: f64 = files.iter().map(share).sum();
    (full > 1.0).then(|| {
        let room = about((bytes as f64 / full) as u64);
        let holds = format!("the drives of variant {} hold about {room}", variant.name);
        (bytes, holds, "model larger drives")
    })
}

/// That a quota, or what the datasets of a pool reserve, leaves no room for the files.
fn beyond_limits(variant: &Variant, files: &Files<'_>) -> Option<Wrong> {
    if !variant.is_zfs() {
        return None;
    }
    let space = sizes::space(variant);
    // As a quota counts them: with copies, and with what small records cost.
    let counted = |dataset: &str, bytes: u64| {
        (bytes as f64 * (space as f64 / sizes::room(variant, dataset) as f64)) as u64
    };
    let of = |name: &str| {
        let here = files.iter().filter(|(dataset, _)| *dataset == name);
        here.map(|(dataset, bytes)| counted(dataset, *bytes)).sum()
    };
    let beside = |reserved: u64| match reserved {
        0 => String::new(),
        bytes => format!(", of which {} are reserved", about(bytes)),
    };
    let name = &variant.name;
    if let Some(quota) = reserved::exceeded(variant, &of) {
        let within = |dataset: &&str| {
            let rest = dataset.strip_prefix(quota.dataset);
            quota.dataset.is_empty()
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let own = |dataset: &&str| quota.name == "quota" || *dataset == quota.dataset;
        let inside = files.iter().filter(|(dataset, _)| within(dataset) && own(dataset));
        let bytes: u64 = inside.map(|(dataset, bytes)| counted(dataset, *bytes)).sum();
        let reserved = beside(quota.needed.saturating_sub(bytes));
        let holds = format!("variant {name} has `{}={}`{reserved}", quota.name, quota.stated);
        return Some((bytes, holds, "a larger quota"));
    }
    let claimed = reserved::claim(variant, "", &of);
    (claimed > space).then(|| {
        let bytes: u64 = files.iter().map(|(dataset, bytes)| counted(dataset, *bytes)).sum();
        let reserved = beside(claimed.saturating_sub(bytes));
        let holds = format!("the pool of variant {name} holds about {}{reserved}", about(space));
        (bytes, holds, "reserve less")
    })
}
