//! The little of a fio job file that a lab is planned by: working set, block size, run time.
//!
//! Running a job file, and saying which of its options are scaled or refused, is `bench`'s.

use crate::units;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a job file asks of the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Bytes of all files together, where the job file says.
    pub working_set: Option<u64>,
    /// Smallest block size that is written at random, bytes; none when no job writes at random.
    pub random_write_block: Option<u64>,
    /// Longest `runtime` of its jobs, seconds.
    pub runtime_s: Option<f64>,
    /// Σ `numjobs` over the jobs.
    pub clients: u64,
}

/// What is wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
}

type Options = BTreeMap<String, String>;

/// Reads a job file as far as planning needs.
///
/// # Errors
/// When it has no job section, or a line stands before the first section.
pub fn demand(text: &str) -> Result<Demand, Problem> {
    let jobs = jobs(text)?;
    let size = |job: &Options, key: &str| job.get(key).and_then(|value| units::size(value).ok());
    let count = |job: &Options, key: &str| {
        job.get(key)
            .and_then(|value| value.parse::<u64>().ok())
            .unwrap_or(1)
            .max(1)
    };
    let mut named: BTreeMap<&str, u64> = BTreeMap::new();
    let mut own = 0u64;
    let mut known = true;
    for job in &jobs {
        // `filesize` is each file's, `size` all files' of one client; a range counts with its end.
        let per_file = job
            .get("filesize")
            .and_then(|value| units::size(value.rsplit('-').next().unwrap_or(value)).ok());
        let bytes = match (size(job, "size"), per_file) {
            (Some(bytes), _) => bytes,
            (None, Some(bytes)) => bytes.saturating_mul(count(job, "nrfiles")),
            (None, None) => {
                known = false;
                0
            }
        };
        match job.get("filename") {
            Some(name) => {
                let most = named.entry(name).or_default();
                *most = bytes.max(*most);
            }
            None => own = own.saturating_add(bytes.saturating_mul(count(job, "numjobs"))),
        }
    }
    let random_write = |job: &&Options| {
        job.get("rw")
            .or_else(|| job.get("readwrite"))
            .is_some_and(|rw| rw.starts_with("randw") || rw.starts_with("randrw"))
    };
    let block = |job: &Options| {
        let value = job.get("bs").or_else(|| job.get("blocksize"))?;
        units::size(value.rsplit(',').next()?).ok()
    };
    let runtime = |job: &Options| {
        let value = job.get("runtime")?;
        value.parse().ok().or_else(|| units::duration(value).ok())
    };
    Ok(Demand {
        working_set: known.then(|| {
            named
                .values()
                .fold(own, |sum, bytes| sum.saturating_add(*bytes))
        }),
        random_write_block: jobs
            .iter()
            .filter(random_write)
            .map(|job| block(job).unwrap_or(4096))
            .min(),
        runtime_s: jobs.iter().filter_map(runtime).reduce(f64::max),
        clients: jobs
            .iter()
            .fold(0, |sum: u64, job| sum.saturating_add(count(job, "numjobs"))),
    })
}

/// The job sections, each with what it inherits from `[global]`.
fn jobs(text: &str) -> Result<Vec<Options>, Problem> {
    let mut global = Options::new();
    let mut jobs: Vec<Options> = Vec::new();
    let mut section: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.trim_end().len();
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            section = Some(name);
            if name != "global" {
                jobs.push(global.clone());
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
        match (section, jobs.last_mut()) {
            (Some("global"), _) => global.insert(key, value),
            (Some(_), Some(job)) => job.insert(key, value),
            _ => {
                return Err(Problem {
                    span,
                    message: "a fio job file starts with a section".to_owned(),
                    fix: "write `[global]` or `[a-name]` above it".to_owned(),
                });
            }
        };
    }
    if jobs.is_empty() {
        return Err(Problem {
            span: 0..text.len().min(1),
            message: "this fio job file has no job".to_owned(),
            fix: "add a section such as `[sync-small]` with `rw=`, `bs=` and `size=`".to_owned(),
        });
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_working_set_counts_clients_and_shared_files_once() {
        let demand = |text| demand(text).map_err(|p| p.message);
        let own = demand("[global]\nnumjobs=8\nsize=20G\nruntime=180\n[w]\nrw=randwrite\nbs=8k\n");
        assert_eq!(
            own,
            Ok(Demand {
                working_set: Some(160 << 30),
                random_write_block: Some(8192),
                runtime_s: Some(180.0),
                clients: 8
            })
        );
        let shared = demand(
            "[a]\nfilename=x\nnumjobs=4\nsize=1G\nrw=read\n[b]\nfilename=x\nsize=2G\nrw=randread\n",
        );
        assert_eq!(shared.as_ref().map(|d| d.working_set), Ok(Some(2 << 30)));
        assert_eq!(shared.map(|d| d.random_write_block), Ok(None));
        let files = demand("; many small files\n[s]\nnrfiles=1000\nfilesize=4k-128k\nruntime=2m\n");
        assert_eq!(
            files.map(|d| (d.working_set, d.runtime_s)),
            Ok((Some(128_000 << 10), Some(120.0)))
        );
    }

    #[test]
    fn a_file_that_is_no_job_file_is_refused_with_its_line() {
        assert_eq!(demand("bs=4k\n[x]\n").map_err(|p| p.span), Err(0..5));
        assert!(demand("[global]\nbs=4k\n").is_err());
        assert!(demand("").is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(\\[|\\]|=|size|numjobs|9|G|\n|\\PC){0,40}") {
            let _ = demand(&text);
        }
    }
}
