//! A job as an open loop: operations begin at random times whether earlier ones have ended or not.
//!
//! fio's own rates hold back a thread that is early, but a thread that is late begins its next
//! operation when it can and counts its latency from there: the time it should have waited in a
//! queue is nobody's (coordinated omission). With `io_submit_mode=offload` one thread creates the
//! operations at their times and hands them to others, and fio's total latency (`lat`) counts from
//! the creation, which is the intended start as long as a worker is free to be handed one.

use lab::fio::parse::Job;

/// Operations that may be under way at once, over all jobs: the queue that stands before the pool.
/// Each is a thread of fio.
pub(super) const WORKERS: u32 = 256;
/// The least of them that a job has.
const LEAST: u32 = 4;

/// A job's part of an open loop.
pub(super) struct Open {
    /// Lines for its section.
    pub lines: Vec<(&'static str, String)>,
    /// Operations per second that each clone starts.
    pub rate: f64,
    /// Operations under way at most, each clone.
    pub workers: u32,
    /// Notes for the reader.
    pub note: Option<String>,
}

/// Makes a job with `clones` clones in all of the file an open loop of `rate` operations a second of
/// each clone. fio takes whole numbers of at least 1.
pub(super) fn open(job: &Job, rate: f64, clones: u32) -> Open {
    let workers = (WORKERS / clones.max(1)).clamp(LEAST, WORKERS);
    let mut lines = vec![
        ("io_submit_mode", "offload".to_owned()),
        ("iodepth", workers.to_string()),
        ("rate_process", "poisson".to_owned()),
    ];
    let whole = |rate: f64| rate.round().max(1.0);
    let offered = match share_of_reads(job) {
        // fio would offer at least one a second of a kind that the job never does.
        Some(reads) if reads > 0.0 && reads < 1.0 => {
            let (reads, writes) = (whole(rate * reads), whole(rate * (1.0 - reads)));
            lines.push(("rate_iops", format!("{reads},{writes}")));
            reads + writes
        }
        _ => {
            lines.push(("rate_iops", whole(rate).to_string()));
            whole(rate)
        }
    };
    if job.get("ioengine") == Some("io_uring") {
        // fio refuses to offload with it.
        lines.push(("ioengine", "psync".to_owned()));
    }
    // A flush of its own would be handed to another worker and not wait for its write.
    lines.extend(flush_in_write(job));
    let note = ["fsync", "fdatasync"].iter().find_map(|option| {
        let n = job.get(option).filter(|n| !["0", "1"].contains(n))?;
        Some(format!(
            "job {}: in an open loop, {option}={n} does not wait for a particular write",
            job.name
        ))
    });
    Open { lines, rate: offered, workers, note }
}

/// Options that make each write wait until it is on stable storage; they replace the job's flush after each write.
fn flush_in_write(job: &Job) -> Vec<(&'static str, String)> {
    [("fdatasync", "dsync"), ("fsync", "1")]
        .into_iter()
        .filter(|(option, _)| job.get(option) == Some("1"))
        .flat_map(|(option, sync)| [(option, "0".to_owned()), ("sync", sync.to_owned())])
        .collect()
}

/// The share of reads in a mixed job; none where all are of one kind. Where a job states both shares they agree
/// ([`lab::fio::mistakes`]).
fn share_of_reads(job: &Job) -> Option<f64> {
    let rw = job.get("rw")?.split(':').next()?;
    if !["rw", "readwrite", "randrw"].contains(&rw) {
        return None;
    }
    let percent = |name: &str| job.get(name).and_then(|v| v.parse::<f64>().ok());
    let reads = percent("rwmixread")
        .or_else(|| percent("rwmixwrite").map(|writes| 100.0 - writes))
        .unwrap_or(50.0);
    Some(reads.clamp(0.0, 100.0) / 100.0)
}
