//! What is worth knowing of a scale model, in words.

use super::memory_limits::{arc_max, parameter};
use super::resolve::HostLimits;
use super::{Model, host_memory_needed, sizes, variant_model};
use crate::campaign::{Campaign, DriveKind, Layout, Program, SQLITE_CACHE, Variant, Workload};
use crate::units::{about, print_size};
use crate::{mysql, postgresql};
use drives::FlushBehaviour;
use std::collections::BTreeMap;
use zfs::memory::{accepts_arc_max, accepts_arc_min};

/// Notes on a model: what differs from the real server, and what is not known.
pub(super) fn notes(
    campaign: &Campaign,
    model: &Model,
    unknown: &[String],
    limits: &HostLimits,
) -> Vec<String> {
    let mut notes = Vec::new();
    if model.dirty_data_max < model.dirty_data_max_real {
        let ratio = model.dirty_data_max_real as f64 / model.dirty_data_max as f64;
        notes.push(format!(
            "zfs_dirty_data_max is {} instead of the real server's {}, and zfs_wrlog_data_max is {}: bursts last {ratio:.1} times as long on the real server",
            print_size(model.dirty_data_max),
            about(model.dirty_data_max_real),
            print_size(model.wrlog_data_max),
        ));
    }
    if model.size > 1.0 {
        notes.push(format!(
            "times to fill a cache or a pool are {} times as long on the real server",
            model.size
        ));
    }
    let of_variant = |variant| host_memory_needed(&variant_model(model, &campaign.host, variant));
    let needed = campaign.variants.iter().map(of_variant).max().unwrap_or(0);
    if needed > limits.memory {
        notes.push(format!(
            "one machine takes up to {} of the host's memory, more than the {} that size = \"auto\" plans with",
            about(needed),
            about(limits.memory)
        ));
    }
    for workload in unknown {
        notes.push(format!("workload {workload}: the job file does not say how large its files are, so the memory estimate does not include them"));
    }
    if model.size > 1.0 {
        let on_baseline = |workload: &Workload| match campaign.variants.first() {
            Some(baseline) => at_size(&workload.on(baseline), model.size),
            None => at_size(workload, model.size),
        };
        notes.extend(campaign.workloads.iter().filter_map(on_baseline));
    }
    for variant in &campaign.variants {
        if let Some((drive, held, needed)) = sizes::small_log(variant, model.wrlog_data_max) {
            notes.push(format!(
                "variant {}: its log of {} ({drive}) is smaller than 1.5 × zfs_wrlog_data_max = {}: when it fills, commits go to the pool, on the real server too",
                variant.name, about(held), about(needed)
            ));
        }
    }
    notes.extend(harmless_lies(campaign));
    notes.extend(rows_of_draid(campaign, model.size));
    notes.extend(campaign.variants.iter().filter_map(|variant| refused_arc_max(campaign, variant)));
    notes.extend(campaign.variants.iter().filter_map(|variant| refused_arc_min(campaign, variant)));
    notes
}

/// A dRAID writes 16 MiB to one group of its drives before the next one (`VDEV_DRAID_ROWHEIGHT`), at any S.
fn rows_of_draid(campaign: &Campaign, size: f64) -> Option<String> {
    let has_draid = |variant: &&Variant| {
        variant.pool.vdevs.iter().any(|vdev| matches!(vdev.layout, Layout::Draid { .. }))
    };
    let names: Vec<_> = campaign.variants.iter().filter(has_draid).map(|v| &*v.name).collect();
    (size > 1.0 && !names.is_empty()).then(|| {
        format!(
            "variants {}: the rows of a dRAID are 16 MiB of each drive at any S, so files of the model lie in fewer of its groups, and reads of them may be slower than on the real server",
            names.join(", ")
        )
    })
}

/// An ARC limit that the real server would ignore.
fn refused_arc_max(campaign: &Campaign, variant: &Variant) -> Option<String> {
    let stated = u64::try_from(*variant.module.get("zfs_arc_max")?).ok()?;
    let memory = variant.host(&campaign.host).memory;
    (stated > 0 && !accepts_arc_max(stated, memory)).then(|| {
        format!(
            "variant {}: OpenZFS ignores zfs_arc_max = {} on a server with {} of memory; the default is used",
            variant.name,
            about(stated),
            about(memory)
        )
    })
}

/// A least ARC that the real server would ignore.
fn refused_arc_min(campaign: &Campaign, variant: &Variant) -> Option<String> {
    let stated = parameter(variant, "zfs_arc_min")?;
    let most = arc_max(&campaign.host, variant);
    (!accepts_arc_min(stated, most)).then(|| {
        format!(
            "variant {}: OpenZFS ignores zfs_arc_min = {}, which is not between 32M and the ARC's maximum of {}; the default is used",
            variant.name,
            about(stated),
            about(most)
        )
    })
}

/// Kinds of drives that would lie about flushes if they had a cache to empty.
fn harmless_lies(campaign: &Campaign) -> Vec<String> {
    let kinds: BTreeMap<&String, &DriveKind> =
        campaign.variants.iter().flat_map(|variant| &variant.drives).collect();
    let lies = |kind: &DriveKind| {
        let profile = kind.drive_profile().ok();
        profile.is_some_and(|p| p.flush == FlushBehaviour::Lies && !p.volatile_cache())
    };
    kinds
        .into_iter()
        .filter(|(_, kind)| lies(kind))
        .map(|(name, _)| {
            format!(
                "drives `{name}`: flush = \"lies\" has no effect, because these drives have no volatile write cache; power_loss_protection = false gives them one"
            )
        })
        .collect()
}

/// What of a workload is not as the lab states it, at an S above 1.
fn at_size(workload: &Workload, size: f64) -> Option<String> {
    let name = &workload.name;
    match &workload.program {
        Program::Pgbench(pgbench) => {
            let at = postgresql::scaled(pgbench, size);
            Some(format!(
                "workload {name}: {} accounts and {} branches; {}",
                at.accounts,
                at.branches,
                changes(&at.changed)
            ))
        }
        Program::Sysbench(sysbench) => {
            let at = mysql::scaled(sysbench, size);
            let (tables, rows) = (sysbench.tables, at.table_size);
            let changes = changes(&at.changed);
            Some(format!("workload {name}: {tables} tables of {rows} rows; {changes}"))
        }
        Program::Sqlite(sqlite) => {
            let at = sqlite.scaled(size);
            let real = sqlite.cache_size.unwrap_or(SQLITE_CACHE);
            Some(format!(
                "workload {name}: {} rows, cache_size = {} (real: {})",
                at.rows,
                about(at.cache_size.unwrap_or(real)),
                about(real)
            ))
        }
        Program::Fio { job, .. } => steep_zipf(job).then(|| {
            format!("workload {name}: a Zipf distribution with θ ≥ 1 has a higher hit ratio on a smaller working set, so hit ratios do not apply to the real server")
        }),
        Program::PgTestFsync(_) => None,
    }
}

/// Settings at S: name, real value, value.
fn changes(changed: &[(String, String, String)]) -> String {
    let changed =
        changed.iter().map(|(name, real, value)| format!("{name} = {value} (real: {real})"));
    changed.collect::<Vec<_>>().join(", ")
}

/// Whether a job asks for `random_distribution=zipf:θ` with θ ≥ 1.
fn steep_zipf(job: &str) -> bool {
    let steep = |distribution: &str| {
        let theta = distribution.trim().strip_prefix("zipf:")?.split(':').next()?;
        theta.trim().parse::<f64>().ok().filter(|theta| *theta >= 1.0)
    };
    let file = crate::fio::parse::read(job, &mut Vec::new());
    let mut distributions = file.jobs.iter().filter_map(|job| job.get("random_distribution"));
    distributions.any(|value| value.split(',').any(|one| steep(one).is_some()))
}
