//! What a workload's job file says that the checks need: block size, pacing, what is synchronous.

use lab::campaign::{Program, Workload};
use std::collections::BTreeMap;

/// The few facts of a job that laws depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Job {
    /// The one size of all its reads and writes, bytes; none where there are several.
    pub block: Option<u64>,
    /// Its clients do not issue the next operation at once: a rate, a think time, an arrival process.
    pub paced: bool,
    /// Each write is durable before the next (`fsync=1`, `fdatasync=1`, `sync=1`).
    pub each_write_synced: bool,
    /// Its data can be made smaller by compression or deduplication.
    pub compressible: bool,
    /// O_DIRECT.
    pub direct: bool,
    /// Several writers share one file.
    pub shared_file: bool,
    /// One thread keeps several operations in flight.
    pub deep: bool,
}

/// Reads the job of a workload. Options of a section override those of `[global]`; several on a line
/// are separated by `;`, as fio's documentation of job files has it.
pub fn of(workload: &Workload) -> Job {
    let Program::Fio { job, .. } = &workload.program;
    let sections = sections(job);
    let any = |test: &dyn Fn(&Options) -> bool| sections.iter().any(test);
    let all = |test: &dyn Fn(&Options) -> bool| !sections.is_empty() && sections.iter().all(test);
    let blocks: Vec<Option<u64>> = sections.iter().map(block).collect();
    Job {
        block: match blocks.split_first() {
            Some((first, rest)) if rest.iter().all(|b| b == first) => *first,
            _ => None,
        },
        paced: any(&|o| {
            PACING
                .iter()
                .any(|key| o.get(*key).is_some_and(|value| value != "0"))
        }),
        each_write_synced: all(&|o| {
            let is = |key: &str, values: &[&str]| {
                o.get(key).is_some_and(|v| values.contains(&v.as_str()))
            };
            is("fsync", &["1"]) || is("fdatasync", &["1"]) || is("sync", &["1", "sync", "dsync"])
        }),
        compressible: any(&|o| {
            o.get("zero_buffers").is_some_and(|v| v != "0")
                || o.get("dedupe_percentage").is_some_and(|v| v != "0")
                || o.get("buffer_compress_percentage")
                    .is_some_and(|v| v != "0")
                || o.contains_key("buffer_pattern")
        }),
        shared_file: any(&|o| {
            o.contains_key("filename") && (number(o, "numjobs") > 1 || sections.len() > 1)
        }),
        deep: any(&|o| {
            let engine = o.get("ioengine").map_or("psync", String::as_str);
            ASYNC.contains(&engine) && number(o, "iodepth") > 1
        }),
        direct: all(&|o| o.get("direct").is_some_and(|v| v != "0")),
    }
}

/// Whether all of a workload's operations go past the page cache (`direct=1`).
pub fn is_direct(workload: &Workload) -> bool {
    of(workload).direct
}

/// Options that say what a job does, in the order in which people name them.
const TELLING: [&str; 22] = [
    "ioengine",
    "rw",
    "readwrite",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "blocksize",
    "bssplit",
    "bsrange",
    "size",
    "numjobs",
    "iodepth",
    "direct",
    "sync",
    "fsync",
    "fdatasync",
    "overwrite",
    "random_distribution",
    "rate",
    "rate_iops",
    "thinktime",
    "buffer_compress_percentage",
];

/// What each job of a workload's file does: the options that say so.
pub fn summaries(workload: &Workload) -> Vec<String> {
    let Program::Fio { job, .. } = &workload.program;
    let summary = |options: &Options| {
        let told = |key: &&str| Some(format!("{key}={}", options.get(*key)?));
        let told: Vec<String> = TELLING.iter().filter_map(told).collect();
        told.join(" ")
    };
    sections(job).iter().map(summary).collect()
}

const PACING: [&str; 6] = [
    "rate",
    "rate_iops",
    "rate_process",
    "thinktime",
    "latency_target",
    "startdelay",
];

/// `libaio` is not among them: on OpenZFS it is synchronous, and runs so.
const ASYNC: [&str; 2] = ["io_uring", "posixaio"];

fn number(options: &Options, key: &str) -> u64 {
    options.get(key).and_then(|v| v.parse().ok()).unwrap_or(1)
}

type Options = BTreeMap<String, String>;

fn block(options: &Options) -> Option<u64> {
    if ["bssplit", "bsrange", "blocksize_range", "bs_unaligned"]
        .iter()
        .any(|key| options.contains_key(*key))
    {
        return None;
    }
    match options.get("bs").or_else(|| options.get("blocksize")) {
        Some(text) => {
            let sizes: Option<Vec<u64>> = text
                .split(',')
                .filter(|part| !part.is_empty())
                .map(size)
                .collect();
            let sizes = sizes?;
            let first = *sizes.first()?;
            sizes.iter().all(|s| *s == first).then_some(first)
        }
        // fio's default block size.
        None => Some(4096),
    }
}

/// fio's sizes: `8k`, `1M`, `4096`, `16KiB`, all powers of 1024 (kb_base=1024, its default).
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let shift = match text[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return None,
    };
    number.checked_shl(shift)
}

fn sections(text: &str) -> Vec<Options> {
    let mut global = Options::new();
    let mut jobs: Vec<Options> = Vec::new();
    let mut in_global = true;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with(';') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            in_global = name.eq_ignore_ascii_case("global");
            if !in_global {
                jobs.push(global.clone());
            }
            continue;
        }
        let target = match jobs.last_mut() {
            Some(job) if !in_global => job,
            _ => &mut global,
        };
        for option in line.split(';') {
            let (key, value) = option.split_once('=').unwrap_or((option, "1"));
            target.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> Job {
        of(&Workload {
            name: "w".into(),
            dataset: String::new(),
            program: Program::Fio {
                origin: "<lab>".into(),
                job: text.into(),
            },
            size: None,
            rates: None,
        })
    }

    #[test]
    fn a_synchronous_writer_is_read() {
        let read =
            job("[global]\nbs=8k\n\n[a]\nrw=randwrite\nfsync=1\n[b]\nrw=randwrite;fsync=1\n");
        assert_eq!(read.block, Some(8192));
        assert!(read.each_write_synced && !read.paced && !read.compressible);
    }

    #[test]
    fn a_mixture_has_no_one_block_and_one_unsynced_job_is_enough() {
        let read = job("[a]\nbs=8k\nfsync=1\n[b]\nbs=1M\nrate=100M\n");
        assert_eq!(read.block, None);
        assert!(!read.each_write_synced && read.paced);
        assert_eq!(job("[a]\nbs=4k,8k\n").block, None);
        assert_eq!(job("[a]\nbssplit=4k/50:8k/50\n").block, None);
        assert_eq!(job("[a]\nrw=read\n").block, Some(4096));
    }

    #[test]
    fn a_global_section_between_jobs_applies_to_those_after_it() {
        assert_eq!(job("[a]\nbs=8k\n[global]\nbs=16k\n[b]\n").block, None);
    }

    #[test]
    fn a_job_is_told_by_its_own_options() {
        let workload = Workload {
            name: "w".into(),
            dataset: String::new(),
            program: Program::Fio {
                origin: "<lab>".into(),
                job:
                    "[global]\nbs=8k\ntime_based\n[a]\nrw=randwrite\nfsync=1\n[b]\nrw=read\nbs=1M\n"
                        .into(),
            },
            size: None,
            rates: None,
        };
        assert_eq!(
            summaries(&workload),
            ["rw=randwrite bs=8k fsync=1", "rw=read bs=1M"]
        );
    }

    #[test]
    fn nonsense_is_no_panic() {
        for text in [
            "",
            "[",
            "]",
            "bs=",
            "[a]\nbs=99999999999999999999k",
            "[a]\nbs=k",
        ] {
            job(text);
        }
    }
}
