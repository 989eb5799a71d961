//! Re-runs that show what a cell waits for: each with one cost removed from the machine.

use crate::known_trials::KnownTrials;
use crate::ladder::achieved;
use crate::plan::baseline_first;
use crate::trial_spec::TrialSpec;
use lab::campaign::{
    AllocationClass, Campaign, DriveRef, Method, Program, SETTLES_S, Variant, Workload,
};
use measurement::{Cost, Counter, DriveCounter, Measured, THROTTLES, TrialKind};

/// Every cost, in the order of the re-runs of a cell: first those without which it does several times as much, and takes
/// as much longer on the host.
const COSTS: [Cost; 7] = [
    Cost::WriteThrottle,
    Cost::LogFlush,
    Cost::LogWrite,
    Cost::PoolRead,
    Cost::Processor,
    Cost::ArcSize,
    Cost::Seek,
];

/// The window of a re-run without a cost, virtual seconds; none leaves it to the job file. A closed loop is run for half of
/// the method's window, since without a cost it often does several times as much, and is compared with the same seconds
/// of the cell's own trial. All of the window is the question after a restart, where clients keep a pace (they are
/// compared by latency, which is known of whole runs), and of tests one after the other.
pub fn window_s(method: &Method, workload: &Workload) -> Option<f64> {
    let whole_s = method.runtime_s?;
    let tests = matches!(workload.program, Program::PgTestFsync(_));
    if method.restart || tests || findings::is_paced(workload) {
        return Some(whole_s);
    }
    Some((whole_s / 2.0).ceil().max(SETTLES_S).min(whole_s))
}

/// The re-runs without a cost that are not known: of each workload the baseline and the best variant, on
/// the seed of their first repeat, without each cost that their first trial bore.
pub fn next(campaign: &Campaign, known: &KnownTrials) -> Vec<TrialSpec> {
    // With the operations of each, which take the host's time.
    let mut round: Vec<(u64, TrialSpec)> = Vec::new();
    for workload in 0..campaign.workloads.len() {
        let baseline = baseline_first(campaign).first().copied();
        let mut variants: Vec<usize> = baseline.into_iter().collect();
        variants.extend(best(campaign, known, workload));
        variants.dedup();
        for variant in variants {
            let cell = TrialSpec::repeat(variant, workload, 0);
            let Some(measured) = known.measured(&cell) else {
                continue;
            };
            let bears = |cost: &Cost| {
                applies(*cost, &campaign.variants[variant], campaign.host.cores, measured)
            };
            let specs = COSTS
                .into_iter()
                .filter(bears)
                .map(|cost| TrialSpec { kind: TrialKind::Without(cost), ..cell.clone() });
            let operations = measured.read.ops + measured.write.ops;
            let unknown = specs.filter(|spec| known.trial(spec).is_none());
            round.extend(unknown.map(|spec| (operations, spec)));
        }
    }
    // The longest first: of trials side by side the last one to end decides how long all take.
    round.sort_by_key(|(operations, _)| std::cmp::Reverse(*operations));
    round.into_iter().map(|(_, spec)| spec).collect()
}

/// The variant with the most operations a second, or with the least latency where the clients are paced.
fn best(campaign: &Campaign, known: &KnownTrials, workload: usize) -> Option<usize> {
    let paced = findings::is_paced(&campaign.workloads[workload]);
    let worth = |measured: &Measured| match paced {
        true => -latency_ns(measured),
        false => achieved(measured),
    };
    let mean = |variant: usize| {
        let trials: Vec<f64> =
            known.cell(variant, workload).map(|(_, measured)| worth(measured)).collect();
        Some((variant, stats::mean(&trials)?))
    };
    // Of equals the first: `max_by` would take the last.
    let cells = baseline_first(campaign).into_iter().rev().filter_map(mean);
    cells.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(v, _)| v)
}

/// Mean latency of an operation, its share of syncs included.
fn latency_ns(measured: &Measured) -> f64 {
    let (read, write) = (&measured.read, &measured.write);
    let sum: f64 = [read, write, &measured.sync].iter().map(|f| f.mean_ns * f.ops as f64).sum();
    sum / (read.ops + write.ops).max(1) as f64
}

/// Minimum share of the clients' time in a cost, in drive reads or in compute, for a re-run without it.
const SHARE: f64 = 0.01;
/// Minimum use of one core for a re-run without compute, whatever the clients' share: one busy thread may hold them all.
const ONE_CORE: f64 = 0.1;

/// Whether a cell had a cost, by its own counters.
fn applies(cost: Cost, variant: &Variant, cores: u32, measured: &Measured) -> bool {
    let totals = &measured.totals;
    let over = |drives: Vec<&DriveRef>, what: DriveCounter| -> f64 {
        let count = |drive: &DriveRef| totals.count(&Counter::drive(drive.to_string(), what));
        drives.into_iter().map(count).sum()
    };
    let clients_ns = measured.runtime_s * 1e9 * measured.concurrency;
    let waits_for_reads =
        || over(variant.used_drives().collect(), DriveCounter::ReadNs) > SHARE * clients_ns;
    let computes = || {
        let busy_cores = totals.count(&Counter::ProcessorBusy) * f64::from(cores);
        busy_cores > ONE_CORE.min(SHARE * measured.concurrency)
    };
    let log_flushes = || {
        let log = variant.pool.drives_of_class(variant.log_class());
        over(log.collect(), DriveCounter::Flushes)
    };
    let commits = totals.count(&Counter::ZilCommits) > 0.0;
    match cost {
        // A drive with power-loss protection is sent none.
        Cost::LogFlush => commits && log_flushes() > 0.0,
        // Elsewhere the log's writes are among the pool's.
        Cost::LogWrite => commits && variant.pool.has(AllocationClass::Log),
        Cost::PoolRead | Cost::ArcSize => waits_for_reads(),
        Cost::WriteThrottle => totals.sum(&THROTTLES) > 0.0,
        Cost::Processor => computes(),
        Cost::Seek => variant.drive_counts().keys().any(|kind| {
            let numbers = variant.drives.get(kind).map(|kind| &kind.numbers);
            numbers.is_some_and(|numbers| numbers.get("hdd").is_some_and(|hdd| !hdd.is_null()))
        }),
    }
}
