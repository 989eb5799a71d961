//! How long a job runs, and the ramp before that.

use super::rewrite::Target;
use lab::fio::Mistake;
use lab::fio::job_options::{files, offloads, time};
use lab::fio::parse::{Job, JobFile};

/// The ramp of all jobs of a file, virtual seconds. There is one window for all: a job whose ramp ended before
/// others' would be counted before them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ramp {
    /// As fio's own `ramp_time`.
    pub within_s: f64,
    /// As a run of fio before the measured one ([`Rewritten::lead_s`](super::rewrite::Rewritten::lead_s)).
    pub lead_s: f64,
}

/// Times of one job.
pub(super) struct Times {
    /// Lines for its section.
    pub lines: Vec<(&'static str, String)>,
    /// Virtual seconds of measurement, where they are stated.
    pub runtime_s: Option<f64>,
    /// It goes on for that long, over its files again and again.
    pub for_a_time: bool,
}

/// The longest ramp that a job of the file asks for, and how it is carried out.
pub(super) fn ramp(file: &JobFile, target: &Target) -> Result<Ramp, Mistake> {
    let mut longest = 0.0f64;
    for job in &file.jobs {
        longest = longest.max(time(job, "ramp_time")?.unwrap_or(target.ramp_s));
    }
    let longest = target.ramp_most_s.map_or(longest, |most| longest.min(most));
    let offloaded = target.rate.is_some() || file.jobs.iter().any(offloads);
    let leads = offloaded || file.jobs.iter().any(passes_over_files);
    Ok(match leads {
        false => Ramp { within_s: longest, lead_s: 0.0 },
        // A run before jobs that read in order would begin where they do, and leave it in the caches.
        true if !offloaded && file.jobs.iter().all(reads_in_order) => Ramp::default(),
        true => Ramp { within_s: 0.0, lead_s: longest },
    })
}

/// The times of one job.
pub(super) fn times(job: &Job, target: &Target, ramp: Ramp) -> Result<Times, Mistake> {
    let mut lines = Vec::new();
    if ramp.within_s > 0.0 {
        lines.push(("ramp_time", milliseconds(ramp.within_s)));
    }
    let own = time(job, "runtime")?.filter(|s| *s > 0.0);
    let runtime_s = target.runtime_s.or(own);
    if let Some(s) = runtime_s {
        lines.push(("runtime", milliseconds(s)));
    }
    // Without a runtime fio takes `time_based` back.
    let for_a_time = target.runtime_s.is_some() || (own.is_some() && job.is_set("time_based"));
    if for_a_time {
        lines.push(("time_based", "1".to_owned()));
    }
    Ok(Times { lines, runtime_s, for_a_time })
}

/// A time in a form that keeps fractions.
pub(super) fn milliseconds(seconds: f64) -> String {
    format!("{}ms", (seconds * 1e3).round() as u64)
}

/// Whether a job only reads, from the first byte of its files on.
fn reads_in_order(job: &Job) -> bool {
    let rw = job.get("rw").unwrap_or("read");
    rw.split(':').next() == Some("read")
}

/// Whether a clone ends a pass over its files and begins the next: fio wraps around within a file only
/// where there is a single one, or where the order is random.
fn passes_over_files(job: &Job) -> bool {
    let rw = job.get("rw").unwrap_or("read");
    files(job) > 1 && (!rw.starts_with("rand") || rw.contains(':'))
}
