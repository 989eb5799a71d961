//! What a campaign's workloads ask of its pools, as far as the lab says.

use super::sizes::stored;
use crate::campaign::{Campaign, Class, Program, Variant, Workload};
use crate::fio;

/// Demand of the whole campaign: the largest of its cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    /// Bytes of the largest working set on the real machine.
    pub working_set: u64,
    /// Bytes of the smallest working set that is written at random, and its block size.
    pub random_writes: Option<(u64, u64)>,
    /// Bytes that a client's files hold in the workload where they are smallest.
    pub least_client_bytes: Option<u64>,
    /// Names of workloads whose working set is not stated.
    pub unknown: Vec<String>,
    /// Most bytes on drives for each byte of data, over the variants.
    pub expansion: f64,
}

/// Adds up what the lab's workloads say.
pub fn demand(campaign: &Campaign) -> Demand {
    let mut demand = Demand {
        expansion: campaign.variants.iter().map(copies).fold(1.0, f64::max),
        ..Demand::default()
    };
    for workload in &campaign.workloads {
        let Some(job) = job(workload) else { continue };
        let Some(bytes) = workload.size.or(job.working_set) else {
            demand.unknown.push(workload.name.clone());
            continue;
        };
        demand.working_set = demand.working_set.max(bytes);
        if let Some(block) = job.random_write_block
            && demand.random_writes.is_none_or(|(least, _)| bytes < least)
        {
            demand.random_writes = Some((bytes, block));
        }
        let each = bytes / job.clients.max(1);
        demand.least_client_bytes = Some(
            demand
                .least_client_bytes
                .map_or(each, |least| least.min(each)),
        );
    }
    demand
}

/// The workload's job, as far as planning reads it.
pub(super) fn job(workload: &Workload) -> Option<fio::Demand> {
    let Program::Fio { job, .. } = &workload.program;
    fio::parse::parse(job).ok().map(|file| fio::demand(&file))
}

/// Bytes on drives for each byte of data: the worst data vdev and the worst dataset.
fn copies(variant: &Variant) -> f64 {
    let data = || {
        variant
            .pool
            .vdevs
            .iter()
            .filter(|vdev| vdev.class == Class::Normal)
    };
    let datasets = variant.datasets.keys();
    datasets
        .flat_map(|dataset| data().map(move |vdev| stored(variant, dataset, vdev)))
        .fold(1.0, f64::max)
}
