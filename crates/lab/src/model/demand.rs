//! What a campaign's workloads need from its pools, as far as the lab states it.

use super::memory_limits;
use super::sizes::stored;
use crate::campaign::{
    AllocationClass, Campaign, Method, Program, Script, Stack, Variant, Workload,
};
use crate::{fio, mysql, postgresql};

/// Demand of the whole campaign: the largest of its cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    /// Bytes of the largest working set on the real server.
    pub working_set: u64,
    /// Bytes of the smallest working set that is written at random.
    pub random_writes: Option<u64>,
    /// Bytes of the smallest such set that does not fit the ARC of some variant and is written in blocks smaller than
    /// its records there: a write reads its record first.
    pub read_modify_write: Option<u64>,
    /// Bytes that a client's files hold in the workload where they are smallest.
    pub least_client_bytes: Option<u64>,
    /// Names of workloads whose working set is not stated.
    pub unknown: Vec<String>,
    /// Virtual seconds for which the longest trial that writes feeds an L2ARC.
    pub rewritten_s: f64,
    /// Most bytes on drives for each byte of data, over the variants.
    pub expansion: f64,
    /// Share of the data's bytes that is left after compression, in the cell where it is most: 1 but for
    /// databases, whose content is known.
    pub compressed: f64,
}

/// Adds up what the lab's workloads say.
pub fn demand(campaign: &Campaign) -> Demand {
    let mut demand = Demand {
        expansion: campaign.variants.iter().map(copies).fold(1.0, f64::max),
        compressed: compressed(campaign),
        ..Demand::default()
    };
    for workload in &campaign.workloads {
        let Some(job) = job(workload) else { continue };
        if job.writes {
            let (runtime_s, ramp_s) = times(&campaign.method, Some(&job));
            // Where it can a warm-up only reads, and what is only read is fed once.
            let warm_up_s = if job.reads { 0.0 } else { campaign.method.warm_up_s };
            let fed_s = runtime_s.unwrap_or(RUNTIME) + ramp_s + warm_up_s;
            demand.rewritten_s = demand.rewritten_s.max(fed_s);
        }
        let Some(bytes) = workload.size.or(job.working_set) else {
            demand.unknown.push(workload.name.clone());
            continue;
        };
        demand.working_set = demand.working_set.max(bytes);
        if let Some(block) = job.random_write_block {
            demand.random_writes = least(demand.random_writes, bytes);
            // Whether a write reads its record from drives, as a rule.
            let reads_first = |variant: &Variant| {
                // A variant may have a page size of its own.
                let own = self::job(&workload.on(variant));
                let block = own.and_then(|job| job.random_write_block).unwrap_or(block);
                variant.is_zfs()
                    && block < variant.recordsize(&workload.dataset)
                    && bytes > memory_limits::arc_max(&campaign.host, variant)
            };
            if job.filled && campaign.variants.iter().any(reads_first) {
                demand.read_modify_write = least(demand.read_modify_write, bytes);
            }
        }
        let each = bytes / job.clients.max(1);
        demand.least_client_bytes = least(demand.least_client_bytes, each);
    }
    demand
}

fn least(known: Option<u64>, bytes: u64) -> Option<u64> {
    Some(known.map_or(bytes, |known| known.min(bytes)))
}

/// Virtual seconds of a job file that states none.
pub(super) const RUNTIME: f64 = 60.0;

/// Virtual seconds of a trial's window, as far as lab or job say, and of its ramp: stated for all, or the job's own.
pub(super) fn times(method: &Method, job: Option<&fio::Demand>) -> (Option<f64>, f64) {
    let runtime_s = method.runtime_s.or(job.and_then(|job| job.runtime_s));
    // As bench's fio takes it: the longest of its jobs, of which one that states none has the method's.
    let ramp_s = match job {
        Some(job) if job.states_ramp => job.ramp_s,
        Some(job) => job.ramp_s.max(method.ramp_s),
        None => method.ramp_s,
    };
    (runtime_s, ramp_s)
}

/// What a database asks of a pool, in the words of a job. All clients work on the same tables.
fn database(bytes: u64, page: u64, writes: bool) -> fio::Demand {
    fio::Demand {
        working_set: Some(bytes),
        random_write_block: writes.then_some(page),
        writes,
        // Its warm-up runs the same transactions.
        reads: false,
        filled: true,
        fills: true,
        compressible: true,
        clients: 1,
        ..fio::Demand::default()
    }
}

fn compressed(campaign: &Campaign) -> f64 {
    let cells = campaign.workloads.iter().flat_map(|workload| {
        let variants = campaign.variants.iter();
        variants.filter_map(move |variant| match &workload.program {
            Program::Fio { .. } => Some(1.0),
            Program::Pgbench(_) => Some(compressed_tables(variant, &workload.dataset)),
            // Digits at random leave little to compress.
            Program::Sysbench(_) | Program::Sqlite(_) => Some(1.0),
            Program::PgTestFsync(_) => None,
        })
    });
    cells.reduce(f64::max).unwrap_or(1.0)
}

/// Parts of a database of pgbench, of seven, and the share that is left of each (`lz4 -1`, PostgreSQL 15.18, blocks of
/// 16 KiB): its accounts.
pub(super) const ACCOUNTS: (u64, f64) = (6, 0.098);
/// Their index.
pub(super) const INDEX: (u64, f64) = (1, 0.43);
/// The parts together.
pub(super) const PARTS: u64 = ACCOUNTS.0 + INDEX.0;

/// Share that is left of pgbench's tables and indexes in a dataset.
fn compressed_tables(variant: &Variant, dataset: &str) -> f64 {
    let left = |(parts, share): (u64, f64)| parts as f64 * compressed_to(variant, dataset, share);
    (left(ACCOUNTS) + left(INDEX)) / PARTS as f64
}

/// Share that is left in a dataset of what lz4 compresses to `share`, in whole sectors of 4K.
pub(super) fn compressed_to(variant: &Variant, dataset: &str, share: f64) -> f64 {
    const SECTOR: f64 = 4096.0;
    if !variant.compresses(dataset) {
        return 1.0;
    }
    let record = variant.recordsize(dataset).max(512) as f64;
    ((share * record / SECTOR).ceil() * SECTOR / record).min(1.0)
}

/// The workload's job, as far as planning reads it.
pub(crate) fn job(workload: &Workload) -> Option<fio::Demand> {
    match &workload.program {
        Program::Fio { job, .. } => fio::parse::parse(job).ok().map(|file| fio::demand(&file)),
        Program::Pgbench(pgbench) => {
            let writes = pgbench.scripts.iter().any(Script::writes);
            Some(database(postgresql::data_bytes(pgbench), postgresql::PAGE, writes))
        }
        Program::Sysbench(sysbench) => {
            let page = sysbench.number("innodb_page_size", mysql::PAGE);
            Some(database(mysql::data_bytes(sysbench), page, sysbench.writes()))
        }
        Program::Sqlite(sqlite) => {
            let (page, writes) = (sqlite.page_size.into(), sqlite.writes > 0.0);
            let demand = database(sqlite.data_bytes(), page, writes);
            // Its rows are random bytes.
            Some(fio::Demand { compressible: false, ..demand })
        }
        // Its file of 16 MiB is the same at any S.
        Program::PgTestFsync(_) => None,
    }
}

/// Bytes on drives for each byte of data: the file system's, or the worst data vdev's and the worst dataset's.
fn copies(variant: &Variant) -> f64 {
    if let Stack::Filesystem(on_drives) = &variant.stack {
        return on_drives.copies();
    }
    let data = || variant.pool.of_class(AllocationClass::Normal);
    let datasets = variant.datasets.keys();
    datasets
        .flat_map(|dataset| data().map(move |vdev| stored(variant, dataset, vdev)))
        .fold(1.0, f64::max)
}
