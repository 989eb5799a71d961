//! fio's JSON+ as types. Only fields that are used; the rest is ignored.

use measurement::{Flow, HISTOGRAM_END_NS};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One run's output.
#[derive(Debug, Clone, Deserialize)]
pub struct Output {
    /// `fio-3.33`.
    #[serde(rename = "fio version")]
    pub version: String,
    /// One for each job, or group of jobs with `group_reporting`.
    pub jobs: Vec<Job>,
}

/// One job's results.
#[derive(Debug, Clone, Deserialize)]
pub struct Job {
    /// Name of its section.
    pub jobname: String,
    /// errno of the first error, 0 for none.
    #[serde(default)]
    pub error: i64,
    /// Errors that were passed over by `continue_on_error`.
    #[serde(default)]
    pub total_err: u64,
    /// Virtual ms it ran, set-up included; of a group, those of its jobs together.
    #[serde(default)]
    pub job_runtime: u64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Flushes to stable storage; fio keeps their latency apart.
    #[serde(default)]
    pub sync: Sync,
}

/// One direction of a job.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Direction {
    /// Operations.
    pub total_ios: u64,
    /// Bytes.
    pub io_bytes: u64,
    /// Virtual ms from its first operation to its last.
    pub runtime: u64,
    /// From submission to completion, all of it.
    pub lat_ns: Latency,
    /// From the end of submission to completion.
    pub clat_ns: Latency,
}

/// Flushes of a job.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Sync {
    /// How long they took.
    pub lat_ns: Latency,
}

/// A latency with its histogram.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Latency {
    /// Mean, ns.
    pub mean: f64,
    /// Samples.
    #[serde(rename = "N")]
    pub samples: u64,
    /// Middle of a bin in ns → how many.
    pub bins: BTreeMap<u64, u64>,
}

/// Reads an output file; warnings before the JSON are skipped.
///
/// # Errors
/// That there is no JSON in it, or why that is not fio's.
pub fn parse(text: &str) -> Result<Output, String> {
    let json = &text[json_start(text).ok_or("fio printed no JSON")?..];
    let output = serde_json::Deserializer::from_str(json).into_iter().next();
    output.ok_or("fio printed no JSON")?.map_err(|e| format!("fio's JSON cannot be read: {e}"))
}

/// Fio's messages before its JSON.
pub fn preface(text: &str) -> &str {
    &text[..json_start(text).unwrap_or(text.len())]
}

fn json_start(text: &str) -> Option<usize> {
    if text.starts_with("{\n") {
        return Some(0);
    }
    text.find("\n{\n").map(|i| i + 1)
}

/// The upper edge in ns of the bin whose middle fio prints: 64 bins a power of two, from
/// `plat_idx_to_val` of fio's stat.c (FIO_IO_U_PLAT_BITS = 6).
fn upper_edge(middle: u64) -> u64 {
    if middle < 128 {
        return middle;
    }
    let width = 1u64 << (63 - middle.leading_zeros() - 6);
    (middle - middle % width).saturating_add(width)
}

/// Latencies in fio's bins.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    counts: BTreeMap<u64, u64>,
    overflow: u64,
}

impl Bins {
    /// Adds operations that took so many ns, or the middle of a bin.
    pub fn add(&mut self, ns: u64, operations: u64) {
        match ns >= HISTOGRAM_END_NS {
            true => self.overflow += operations,
            false => *self.counts.entry(upper_edge(ns)).or_default() += operations,
        }
    }

    /// Operations with these latencies.
    pub fn flow(self, ops: u64, bytes: u64, mean_ns: f64) -> Flow {
        let histogram = self.counts.into_iter().collect();
        Flow { ops, bytes, mean_ns, histogram, overflow: self.overflow }
    }
}

/// Latencies of all jobs as one: histograms added, never averaged. As many operations as there are samples where the
/// jobs do not say how many.
fn flow<'a>(
    latencies: impl Iterator<Item = &'a Latency>,
    operations: Option<u64>,
    bytes: u64,
) -> Flow {
    let (mut samples, mut sum_ns, mut bins) = (0, 0.0, Bins::default());
    for latency in latencies {
        samples += latency.samples;
        sum_ns += latency.mean * latency.samples as f64;
        latency.bins.iter().for_each(|(middle, count)| bins.add(*middle, *count));
    }
    let mean_ns = if samples == 0 { 0.0 } else { sum_ns / samples as f64 };
    bins.flow(operations.unwrap_or(samples), bytes, mean_ns)
}

impl Output {
    fn direction(&self, of: fn(&Job) -> &Direction) -> Flow {
        let all = || self.jobs.iter().map(of);
        // With `lat_percentiles` the bins are those of the total latency.
        let latencies =
            all().map(|d| if d.lat_ns.bins.is_empty() { &d.clat_ns } else { &d.lat_ns });
        let operations = all().map(|d| d.total_ios).sum();
        flow(latencies, Some(operations), all().map(|d| d.io_bytes).sum())
    }

    /// Reads of all jobs.
    pub fn read(&self) -> Flow {
        self.direction(|job| &job.read)
    }

    /// Writes of all jobs.
    pub fn write(&self) -> Flow {
        self.direction(|job| &job.write)
    }

    /// Flushes of all jobs. fio counts one that ends after the ramp in the histogram's `N`.
    pub fn sync(&self) -> Flow {
        flow(self.jobs.iter().map(|job| &job.sync.lat_ns), None, 0)
    }

    /// Names of the jobs without a read or a write in the measured time, once each.
    pub fn idle(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .jobs
            .iter()
            .filter(|j| j.read.total_ios + j.write.total_ios == 0)
            .map(|j| j.jobname.as_str())
            .collect();
        names.dedup();
        names
    }

    /// Virtual seconds measured: the longest direction of any job.
    pub fn runtime_s(&self) -> f64 {
        self.jobs.iter().flat_map(|j| [j.read.runtime, j.write.runtime]).max().unwrap_or(0) as f64
            / 1e3
    }

    /// Operations in flight, as a mean over the run: a job that ends before others counts for as long as it
    /// ran. `places` has the clones of each section, in order, and what each of them keeps in flight. Jobs
    /// that `group_reporting` does not tell apart are all taken for the mean one.
    pub fn in_flight(&self, places: &[(u32, f64)]) -> f64 {
        /// Jobs that end together differ by the operations that are under way then.
        const TOGETHER: f64 = 0.98;
        let clones: u64 = places.iter().map(|(n, _)| u64::from(*n)).sum();
        let busy: f64 = places.iter().map(|(n, each)| f64::from(*n) * each).sum();
        let whole_ms = self.runtime_s() * 1e3;
        let share = |ran_ms: f64, jobs: f64| (ran_ms / (jobs * whole_ms)).min(1.0);
        let ran_ms = self.jobs.iter().map(|job| job.job_runtime as f64);
        let mean: f64 = if self.jobs.len() as u64 == clones {
            let each = places.iter().flat_map(|&(n, each)| std::iter::repeat_n(each, n as usize));
            ran_ms.zip(each).map(|(ms, each)| share(ms, 1.0) * each).sum()
        } else {
            share(ran_ms.sum(), clones as f64) * busy
        };
        // Without any time there is nothing to weigh by.
        if mean > 0.0 && mean < TOGETHER * busy { mean } else { busy }
    }

    /// The first job that ended with an error, and its errno.
    pub fn error(&self) -> Option<(&str, i64)> {
        self.jobs.iter().find(|j| j.error != 0).map(|j| (j.jobname.as_str(), j.error))
    }
}
