//! How long a campaign takes, before anything is started: a rough estimate.

use super::demand::{RUNTIME, job, times};
use super::{Model, memory_limits};
use crate::campaign::{
    AllocationClass, Campaign, DriveRef, Host, Program, SECONDS_PER_TEST, SYNC_TESTS, Variant,
    Workload,
};
use crate::fio;
use drives::TimingModel;

/// Wall seconds to start a trial's two machines, build its pool and end them.
const START: f64 = 2.0;
/// Wall seconds of an operation: fio, file system and drive requests together. Measured: 104 to 250 µs.
const OPERATION: f64 = 150e-6;
/// Operations, or transactions of a database, in a virtual second where each waits for disks, as a guess.
const RATE_OF_DISKS: f64 = 300.0;
/// Operations in a virtual second where each waits for flash, as a guess. The labs have 2,000 to 160,000.
const RATE_OF_FLASH: f64 = 15e3;
/// Operations in a virtual second that wait for no drive, as a guess. The labs have 10,000 to 80,000.
const RATE_OF_MEMORY: f64 = 30e3;
/// Transactions of a database in a virtual second where they do not wait for disks, as a guess.
const RATE_OF_DATABASE: f64 = 5000.0;
/// Wall seconds of a transaction: seven statements, each with two switches of process. Measured: 1.6 ms with two
/// clients, 2.2 ms with 128.
const TRANSACTION: f64 = 1.6e-3;
/// Wall seconds of a statement of sysbench. Measured: 12 ms for the twenty of `oltp_read_write`.
const STATEMENT: f64 = 0.6e-3;
/// Wall seconds of a transaction of SQLite, as a guess: ten system calls and no other process.
const SQLITE: f64 = 0.3e-3;
/// Bytes of sysbench's tables that are filled in a wall second: 140 µs a row, measured.
const FILL: f64 = 1.8e6;
/// Bytes of files that are laid out with content in a wall second. Measured: 2.6 GB in 13 s.
const LAY_OUT: f64 = 200e6;
/// Bytes of tables that are laid out in a wall second: 4 µs a row, measured.
const LOAD: f64 = 37e6;

/// The wall time of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Cells: variants × workloads.
    pub cells: usize,
    /// Trials at least.
    pub trials: u64,
    /// Virtual seconds of those trials at most: ramps and warm-ups included.
    pub virtual_s: f64,
    /// Workloads that do not say how long they run, counted with a minute each.
    pub untimed: Vec<String>,
    /// Wall seconds of those trials, one after another on one core. A guess: what an operation costs differs
    /// by host, and how many there are is what the campaign finds out.
    pub wall_s: f64,
}

/// Operations in a virtual second: what clients with a rate offer, else a guess.
fn rate(host: &Host, variant: &Variant, workload: &Workload, job: Option<&fio::Demand>) -> f64 {
    // The rate that clients offer, and the dataset of the log that their commits wait for.
    let (offered, log) = match &workload.program {
        Program::Fio { .. } => {
            return job.map_or(RATE_OF_FLASH, |job| file_rate(host, variant, workload, job));
        }
        Program::PgTestFsync(_) => {
            return match variant.property(&workload.dataset, "sync") {
                Some("disabled") => RATE_OF_MEMORY,
                _ => rate_of(variant, variant.log_class()),
            };
        }
        Program::Pgbench(pgbench) => {
            let places = &pgbench.directories;
            (pgbench.rate, places.wal.as_ref().unwrap_or(&places.data))
        }
        Program::Sysbench(sysbench) => {
            let places = &sysbench.directories;
            (sysbench.rate, places.redo.as_ref().unwrap_or(&places.data))
        }
        Program::Sqlite(_) => (None, &workload.dataset),
    };
    if let Some(rate) = offered {
        return rate;
    }
    let waits = variant.property(log, "sync") != Some("disabled");
    let disks = variant.used_drives().all(|drive| is_disk(variant, drive));
    if waits && disks { RATE_OF_DISKS } else { RATE_OF_DATABASE }
}

fn is_disk(variant: &Variant, drive: &DriveRef) -> bool {
    variant.profile(&drive.kind).is_some_and(|profile| profile.kind == TimingModel::Hdd)
}

/// A guess of operations in a virtual second that wait for the drives of a class; without ZFS, for all drives.
fn rate_of(variant: &Variant, class: AllocationClass) -> f64 {
    let disks = match variant.is_zfs() {
        true => variant.pool.drives_of_class(class).any(|drive| is_disk(variant, drive)),
        false => variant.used_drives().any(|drive| is_disk(variant, drive)),
    };
    if disks { RATE_OF_DISKS } else { RATE_OF_FLASH }
}

/// A guess of fio's operations in a virtual second, by the slowest drives that they wait for: those of the intent log
/// where writes are synchronous, those of the data where files do not fit the ARC, which an L2ARC stands in for.
fn file_rate(host: &Host, variant: &Variant, workload: &Workload, job: &fio::Demand) -> f64 {
    let dataset = &workload.dataset;
    let commits = job.writes
        && match variant.property(dataset, "sync") {
            Some("always") => true,
            Some("disabled") => false,
            _ => job.syncs,
        };
    let bytes = workload.size.or(job.working_set).unwrap_or(0);
    let partial = variant.is_zfs()
        && job.random_write_block.is_some_and(|block| block < variant.recordsize(dataset));
    let reads =
        job.filled && (job.reads || partial) && bytes > memory_limits::arc_max(host, variant);
    let commit = commits.then(|| rate_of(variant, variant.log_class()));
    let holds_data = match variant.pool.has(AllocationClass::Cache) {
        true => AllocationClass::Cache,
        false => AllocationClass::Normal,
    };
    let read = reads.then(|| rate_of(variant, holds_data));
    [commit, read].into_iter().flatten().fold(RATE_OF_MEMORY, f64::min)
}

/// A guess of the operations of a cell in a virtual second.
pub fn expected_rate(campaign: &Campaign, variant: &Variant, workload: &Workload) -> f64 {
    rate(&campaign.host, variant, workload, job(workload).as_ref())
}

/// Estimates the fewest trials that the method allows.
pub fn estimate(campaign: &Campaign, model: &Model) -> Estimate {
    let cells = campaign.variants.len() * campaign.workloads.len();
    let trials_of_cell = u64::from(campaign.method.min_trials);
    let mut virtual_s = 0.0;
    let mut fixed_s = 0.0;
    let mut work_s = 0.0;
    let mut untimed = Vec::new();
    for workload in &campaign.workloads {
        let demand = job(workload);
        let (runtime_s, ramp_s) = times(&campaign.method, demand.as_ref());
        let runtime = match (&workload.program, runtime_s) {
            (Program::PgTestFsync(_), stated) => {
                f64::from(SYNC_TESTS) * stated.unwrap_or(SECONDS_PER_TEST)
            }
            (_, Some(stated)) => stated,
            (_, None) => {
                untimed.push(workload.name.clone());
                RUNTIME
            }
        };
        // Files that a job only writes are laid out without content.
        let laid_out = demand.as_ref().filter(|demand| demand.filled);
        let bytes = laid_out.and_then(|demand| workload.size.or(demand.working_set)).unwrap_or(0);
        let trials = campaign.variants.len() as f64 * trials_of_cell as f64;
        let (operation, lay_out) = match &workload.program {
            Program::Fio { .. } | Program::PgTestFsync(_) => (OPERATION, LAY_OUT),
            Program::Sqlite(_) => (SQLITE, LOAD),
            Program::Pgbench(_) => (TRANSACTION, LOAD),
            Program::Sysbench(sysbench) => (STATEMENT * f64::from(sysbench.statements()), FILL),
        };
        let trial_s = runtime + ramp_s + campaign.method.warm_up_s;
        virtual_s += trials * trial_s;
        let of_variant = |v| rate(&campaign.host, v, workload, demand.as_ref());
        let rates: f64 = campaign.variants.iter().map(of_variant).sum();
        work_s += trials_of_cell as f64 * trial_s * rates * operation;
        fixed_s += trials * (START + bytes as f64 / model.size / lay_out);
    }
    Estimate {
        cells,
        trials: cells as u64 * trials_of_cell,
        virtual_s,
        untimed,
        wall_s: fixed_s + work_s,
    }
}
