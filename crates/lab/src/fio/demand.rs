//! The parts of a fio job file that the size scale depends on: working set, block size, run time.

use super::job_options;
use super::parse::{Job, JobFile};
use std::collections::BTreeMap;

/// What a job file needs from the pool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    /// Bytes of all files together, where the job file says.
    pub working_set: Option<u64>,
    /// Smallest block size that is written at random, bytes; none when no job writes at random.
    pub random_write_block: Option<u64>,
    /// Any of its jobs writes.
    pub writes: bool,
    /// Some of its writes are synchronous, or followed by a sync.
    pub syncs: bool,
    /// None of its jobs only writes.
    pub reads: bool,
    /// Longest `runtime` of its jobs, seconds.
    pub runtime_s: Option<f64>,
    /// Longest `ramp_time` of its jobs, seconds; 0 where none is stated.
    pub ramp_s: f64,
    /// Each of its jobs states a `ramp_time`.
    pub states_ramp: bool,
    /// Files of a job have content when it begins.
    pub filled: bool,
    /// Files of all jobs have content when it ends, unless the lab ends it earlier.
    pub fills: bool,
    /// Its data can be made smaller than its files.
    pub compressible: bool,
    /// Bytes of the smallest block that a job writes again and again ([`job_options::repeated_block`]); none where no job
    /// does.
    pub repeated_block: Option<u64>,
    /// Σ `numjobs` over the jobs.
    pub clients: u64,
    /// Bytes of the buffers of all clients: one of the largest block for each operation in a client's queue.
    pub buffers: u64,
}

/// What the jobs of a file ask for.
pub fn demand(file: &JobFile) -> Demand {
    let mut files: BTreeMap<String, u64> = BTreeMap::new();
    let mut known = true;
    for job in &file.jobs {
        let size = job_options::stated_bytes(job, "size");
        // `filesize` is each file's, `size` all files' of one client where that is not stated; a range counts with
        // its end.
        let per_file = job_options::file_sizes(job).ok().flatten().map(|(_, most)| most);
        let bytes = match (size, per_file) {
            (_, Some(bytes)) => bytes.saturating_mul(u64::from(job_options::files(job))),
            (Some(bytes), None) => bytes,
            (None, None) => {
                known = false;
                0
            }
        };
        let (name, _) = job_options::sets(job);
        let most = files.entry(name).or_default();
        *most = job_options::laid_out(job, bytes, job_options::offsets(job)).max(*most);
    }
    let jobs = || file.jobs.iter();
    Demand {
        working_set: known
            .then(|| files.values().fold(0u64, |sum, bytes| sum.saturating_add(*bytes))),
        random_write_block: jobs()
            .filter(|job| {
                job.get("rw").is_some_and(|rw| rw.starts_with("randw") || rw.starts_with("randrw"))
            })
            .map(job_options::least_write)
            .min(),
        writes: jobs().any(job_options::writes),
        syncs: jobs().any(job_options::syncs),
        // What a job has not written it could not verify either, so that it warms up as it works.
        reads: !jobs().any(|job| job_options::only_writes(job) || job.get("verify").is_some()),
        runtime_s: jobs()
            .filter_map(|job| job_options::time(job, "runtime").ok().flatten())
            // To fio 0 is none.
            .filter(|seconds| *seconds > 0.0)
            .reduce(f64::max),
        ramp_s: jobs()
            .filter_map(|job| job_options::time(job, "ramp_time").ok().flatten())
            .fold(0.0, f64::max),
        states_ramp: jobs().all(|job| job.get("ramp_time").is_some()),
        filled: jobs().any(job_options::is_filled),
        fills: jobs().all(|job| job_options::is_filled(job) || job_options::fills(job)),
        compressible: jobs().any(job_options::is_compressible),
        repeated_block: jobs().filter_map(job_options::repeated_block).min(),
        clients: jobs().fold(0, |sum: u64, job| sum.saturating_add(clones(job, "numjobs"))),
        buffers: jobs().map(buffers).fold(0, u64::saturating_add),
    }
}

fn buffers(job: &Job) -> u64 {
    blocks(job).saturating_mul(clones(job, "iodepth"))
}

/// Bytes of one block, the largest, of each client.
pub fn least_size(file: &JobFile) -> u64 {
    file.jobs.iter().map(blocks).fold(0, u64::saturating_add)
}

fn blocks(job: &Job) -> u64 {
    let largest = job_options::block_sizes(job).ok().and_then(|sizes| sizes.into_iter().max());
    clones(job, "numjobs").saturating_mul(largest.unwrap_or(0))
}

fn clones(job: &Job, name: &str) -> u64 {
    u64::from(job_options::count(job, name).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::parse::parse;

    #[test]
    fn a_working_set_counts_clients_and_shared_files_once() {
        let demand = |text| parse(text).map(|file| demand(&file));
        let own = demand("[global]\nnumjobs=8\nsize=20G\nruntime=180\n[w]\nrw=randwrite\nbs=8k\n");
        assert_eq!(
            own,
            Ok(Demand {
                working_set: Some(160 << 30),
                random_write_block: Some(8192),
                writes: true,
                syncs: false,
                reads: false,
                runtime_s: Some(180.0),
                ramp_s: 0.0,
                states_ramp: false,
                filled: false,
                fills: false,
                compressible: false,
                repeated_block: Some(8192),
                clients: 8,
                buffers: 8 * 8192,
            })
        );
        let shared = demand(
            "[a]\nfilename=x\nnumjobs=4\nsize=1G\nrw=read\n[b]\nfilename=x\nsize=2G\nrw=randread\n",
        );
        assert_eq!(shared.as_ref().map(|d| d.working_set), Ok(Some(2 << 30)));
        assert_eq!(shared.map(|d| d.random_write_block), Ok(None));
        let parts =
            demand("[w]\nfilename=x\nsize=10G\noffset_increment=10G\nnumjobs=4\nrw=randwrite\n");
        assert_eq!(parts.map(|d| d.working_set), Ok(Some(40 << 30)));
        let format = demand(
            "[global]\nnumjobs=8\nsize=1G\n[a]\nfilename_format=$jobname.$filenum\n[b]\nfilename_format=$jobnum\n",
        );
        assert_eq!(format.map(|d| d.working_set), Ok(Some(9 << 30)));
        let block = |options: &str| {
            let text = format!("[w]\nrw=randrw\nsize=1g\n{options}\n");
            parse(&text).map_or(None, |file| super::demand(&file).random_write_block)
        };
        assert_eq!(block("bs=128k,8k,128k"), Some(8 << 10), "reads, writes, trims");
        assert_eq!(block("bsrange=128k-256k"), Some(128 << 10));
        assert_eq!(block("bssplit=64k/50:32k/50,4k/10:16k/90"), Some(4 << 10));
        assert_eq!(block("bs=,8k"), Some(8 << 10));
        assert_eq!(block(""), Some(4 << 10));
        let files = demand("; many small files\n[s]\nnrfiles=1000\nfilesize=4k-128k\nruntime=2m\n");
        assert_eq!(
            files.map(|d| (d.working_set, d.runtime_s)),
            Ok((Some(128_000 << 10), Some(120.0)))
        );
        let smaller = demand("[w]\nrw=randread\nsize=20T\nfilesize=100G\n");
        assert_eq!(smaller.map(|d| d.working_set), Ok(Some(100 << 30)));
    }
}
