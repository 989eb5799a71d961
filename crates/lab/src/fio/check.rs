//! Everything in a job file that the machine cannot run, and what it changes.

use super::job_options::Size;
use super::options;
use super::parse::{self, Job, Setting};
use super::{Mistake, contradictions, futile, job_options};
use std::collections::BTreeMap;

/// Options by which a job paces itself.
const PACING: [&str; 8] = [
    "rate", "rate_iops", "rate_iops_min", "rate_min", "rate_process", "thinktime",
    "latency_target", "io_submit_mode",
];

/// Options that move when a job's threads begin, or add some: an open loop's must all begin at once.
const THREADS: [&str; 2] = ["stonewall", "verify_async"];

/// Options about a client's clock, processors and polling: a job that states one asks for something that the machine
/// does not have.
const PLACED: [&str; 11] = [
    "clocksource", "cpumask", "cpus_allowed", "cpus_allowed_policy", "hipri", "hipri_percentage",
    "numa_cpu_nodes", "numa_mem_policy", "sqthread_poll", "sqthread_poll_cpu", "verify_async_cpus",
];

/// Options of io_uring and of no engine that a rung of a ladder has instead of it.
const OF_IO_URING: [&str; 8] = [
    "cmdprio", "cmdprio_bssplit", "cmdprio_class", "cmdprio_percentage", "fixedbufs",
    "force_async", "nonvectored", "registerfiles",
];

/// What a lab states beside a job file.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// The working set, so that the file need not.
    pub size: bool,
    /// A ladder of rates, whose jobs have a depth of the ladder.
    pub rates: bool,
    /// The runtime, instead of the jobs' own.
    pub runtime: bool,
}

/// What the author of a job file should know: what the machine changes in it, and what has no effect. Lines, from 1,
/// each with a sentence.
pub fn notes(text: &str, beside: Beside) -> Vec<(usize, String)> {
    let jobs = parse::read(text, &mut Vec::new()).jobs;
    let mut found: Vec<_> = jobs.iter().flat_map(changes).collect();
    if !beside.rates {
        found.extend(jobs.iter().filter_map(depth_of_one));
    }
    if !beside.runtime {
        found.extend(jobs.iter().filter_map(without_runtime));
    }
    // One of `[global]` is met again in every job.
    found.sort();
    found.dedup();
    found
}

/// That `time_based` has no effect.
fn without_runtime(job: &Job) -> Option<(usize, String)> {
    let setting = job.settings.get("time_based").filter(|setting| setting.value != "0")?;
    // One that cannot be read is a mistake of its own.
    let has_none = matches!(job_options::time(job, "runtime"), Ok(None | Some(0.0)));
    has_none.then(|| {
        let message = format!(
            "`time_based` has no effect without `runtime`: job `{}` ends with its files",
            job.name
        );
        (setting.line, message)
    })
}

fn changes(job: &Job) -> impl Iterator<Item = (usize, String)> {
    let changed = job
        .settings
        .iter()
        .filter(|(name, setting)| PLACED.contains(name) && setting.value != "clock_gettime");
    changed.map(|(name, setting)| {
        let why = options::rule(name).map_or("", |rule| rule.why);
        let verb = if why.starts_with("left out") { "is" } else { "becomes" };
        (setting.line, format!("`{name}={}` {verb} {why}", setting.value))
    })
}

/// That a job states a depth which its engine does not have: fio waits for each operation within its submission.
fn depth_of_one(job: &Job) -> Option<(usize, String)> {
    let setting = job.settings.get("iodepth")?;
    let engine = job_options::engine(job);
    let waits = job_options::is_asynchronous(job) == Some(false) && !job_options::offloads(job);
    (job_options::count(job, "iodepth") > 1 && waits).then(|| {
        (
            setting.line,
            format!("`iodepth={}` has no effect: the I/O engine `{engine}` has one operation under way per client; use more clients (`numjobs`), or an asynchronous engine such as `ioengine=libaio`", setting.value),
        )
    })
}

/// The options of a job that a workload with a ladder of rates cannot have.
fn against_rates(job: &Job) -> Vec<Mistake> {
    let of_io_uring: &[&str] = match job_options::engine(job) {
        "io_uring" => &OF_IO_URING,
        _ => &[],
    };
    let refused = [
        (&PACING[..], "paces a job whose workload has `rates`"),
        (&THREADS, "moves or adds threads of a job whose workload has `rates`"),
        (of_io_uring, "is an option of io_uring, which becomes psync where a workload has `rates`"),
    ];
    let all = refused.iter().flat_map(|(names, why)| names.iter().map(move |name| (name, why)));
    let mistake = |(name, why): (&&str, &&str)| {
        let setting = job.settings.get(*name)?;
        Some(setting.mistake(format!("`{name}` {why}"), "remove one of the two"))
    };
    all.filter_map(mistake).collect()
}

/// Whether a job runs for a time of its own, over its files again and again.
fn is_timed(job: &Job) -> bool {
    job.is_set("time_based") && own_runtime(job) > 0.0
}

/// Seconds of a job's `runtime`; 0 where it has none.
fn own_runtime(job: &Job) -> f64 {
    job_options::time(job, "runtime").ok().flatten().unwrap_or(0.0)
}

/// That with `exitall`, where the lab states no runtime, the job that ends first ends the others, which were to run for
/// their time.
fn ends_others(jobs: &[Job]) -> Option<Mistake> {
    let timed = jobs.iter().filter(|job| is_timed(job));
    let longest = timed.map(own_runtime).fold(0.0, f64::max);
    let ends_before = |job: &Job| !is_timed(job) || own_runtime(job) < longest;
    let first = jobs.iter().find(|job| longest > 0.0 && ends_before(job))?;
    let stated = jobs.iter().find_map(|job| job.settings.get("exitall"));
    let setting = stated.filter(|setting| setting.value != "0")?;
    Some(setting.mistake(
        format!(
            "`exitall` lets job `{}` end the others before their time, but all jobs share one measured window",
            first.name
        ),
        "give all jobs the same `runtime` with `time_based`, or state `[method] runtime` in the lab",
    ))
}

/// Every mistake in a job file, in order of lines.
pub fn mistakes(text: &str, beside: Beside) -> Vec<Mistake> {
    let mut found = Vec::new();
    let file = parse::read(text, &mut found);
    // A line that was not understood may have been the size.
    let understood = found.is_empty();
    for job in &file.jobs {
        found.extend(sizes(job, beside.size || !understood));
        for name in ["runtime", "ramp_time"] {
            found.extend(job_options::time(job, name).err());
        }
        found.extend(["fsync", "fdatasync"].into_iter().filter_map(|name| no_count(job, name)));
        found.extend(["rate", "rate_iops"].into_iter().filter_map(|name| no_rate(job, name)));
        found.extend(no_mix(job));
        found.extend(contradictions::mistakes(job));
        match job_options::block_sizes(job) {
            Ok(blocks) => found.extend(futile::mistakes(&file.jobs, job, &blocks)),
            Err(wrong) => found.extend(wrong),
        }
        found.extend(looks_for_open_files(job));
        if beside.rates {
            found.extend(against_rates(job));
        }
    }
    if beside.size && understood {
        found.extend(partly_sized(&file.jobs));
    }
    if !beside.runtime {
        found.extend(ends_others(&file.jobs));
    }
    found.extend(too_many(&file.jobs));
    found.extend(one_file_of_two(&file.jobs));
    // A mistake in [global] is met again in every job.
    found.sort();
    found.dedup();
    found
}

/// That an option states something else than after how many writes it is due.
fn no_count(job: &Job, name: &str) -> Option<Mistake> {
    let setting = job.settings.get(name)?;
    let fix = "write a number of writes, such as 1 or 32; 0 means never";
    super::sizes::bytes(&setting.value).is_none().then(|| setting.refused(name, fix))
}

/// That an option states something else than rates of reads, writes and trims, each of which may be left out.
fn no_rate(job: &Job, name: &str) -> Option<Mistake> {
    let setting = job.settings.get(name)?;
    let is_rate = |part: &str| part.trim().is_empty() || super::sizes::bytes(part).is_some();
    let fix = "write a rate, such as 500, or one of reads and one of writes: 500,100";
    (!setting.value.split(',').all(is_rate)).then(|| setting.refused(name, fix))
}

/// That the shares of reads and writes are not what fio takes for them: 3.33 reads `70%` as none, and lets the later of
/// two options win.
fn no_mix(job: &Job) -> Vec<Mistake> {
    let stated = ["rwmixread", "rwmixwrite"].map(|name| Some((name, job.settings.get(name)?)));
    let percent = |setting: &Setting| setting.value.parse::<u8>().ok().filter(|n| *n <= 100);
    let wrong = stated.iter().flatten().filter(|(_, setting)| percent(setting).is_none());
    let fix = "write a whole number from 0 to 100, without `%`";
    let mut found: Vec<Mistake> = wrong.map(|(name, setting)| setting.refused(name, fix)).collect();
    if let [Some((_, reads)), Some((_, writes))] = stated
        && let (Some(read), Some(written)) = (percent(reads), percent(writes))
        && read + written != 100
    {
        found.push(Mistake::new(
            reads.line.max(writes.line),
            format!("`rwmixread={read}` and `rwmixwrite={written}` do not add up to 100"),
            "remove one of them: fio takes only the later",
        ));
    }
    found
}

/// That fio looks for one of a few open files among all of a job, as often as it takes: in `get_next_file_rand` and
/// `get_next_file_rr` it reads the clock on the way, and a loop that reads the clock is taken for one that waits. With
/// 16 of 1,000 files open that is 45 times the operation itself.
fn looks_for_open_files(job: &Job) -> Option<Mistake> {
    let setting = job.settings.get("openfiles")?;
    let open = super::sizes::bytes(&setting.value)?;
    let files = u64::from(job_options::files(job));
    let in_order =
        job.get("file_service_type").is_some_and(|order| order.starts_with("sequential"));
    (open < files && !in_order).then(|| {
        setting.mistake(
            format!("`openfiles={}` is below the {files} files of job `{}`: fio would look for an open file in a loop, whose time is not modelled", setting.value, job.name),
            "leave `openfiles` out (each job may have all its files open), or add `file_service_type=sequential`",
        )
    })
}

/// Files of different directories that would be one file in the machine, where all lie in a dataset.
fn one_file_of_two(jobs: &[Job]) -> Vec<Mistake> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for job in jobs {
        let directory = job.get("directory").unwrap_or_default();
        let stated = job.settings.get("filename");
        let line = stated.map_or(job.line, |setting| setting.line);
        for name in job_options::sets(job).0.split(':') {
            let path = match name.starts_with('/') {
                true => name.to_owned(),
                false => format!("{directory}/{name}"),
            };
            let local = name.rsplit('/').next().unwrap_or(name);
            match known.get(local) {
                Some(other) if *other != path => found.push(Mistake::new(
                    line,
                    format!("`{other}` and `{path}` would be the same file in the machine"),
                    "all files are in the workload's dataset: give them different names",
                )),
                Some(_) => {}
                None => {
                    known.insert(local.to_owned(), path);
                }
            }
        }
    }
    found
}

/// That fio does not run so many jobs at once.
fn too_many(jobs: &[Job]) -> Option<Mistake> {
    let mut all = 0u64;
    let over = jobs.iter().find(|job| {
        all += u64::from(job_options::count(job, "numjobs").min(parse::MOST_JOBS));
        all > u64::from(parse::MOST_JOBS)
    })?;
    Some(Mistake::new(
        over.line,
        format!("job `{}` raises the number of jobs above {}", over.name, parse::MOST_JOBS),
        "fio runs at most this many at once: reduce `numjobs`",
    ))
}

fn sizes(job: &Job, sized: bool) -> Vec<Mistake> {
    let names = ["size", "io_size", "offset", "offset_increment"];
    let mut found: Vec<Mistake> =
        names.iter().filter_map(|name| job_options::size(job, name).err()).collect();
    found.extend(job_options::file_sizes(job).err());
    let line = job.settings.get("size").map_or(job.line, |setting| setting.line);
    match job_options::size(job, "size") {
        Ok(Some(Size::Bytes(0))) => found.push(Mistake::new(
            line,
            "`size` cannot be 0: there is no device to take the size from",
            "write 20G",
        )),
        Ok(Some(Size::Share)) if sized && job.get("filesize").is_none() => found.push(Mistake::new(
            line,
            "`size` is a percentage, but nothing states the size of the file",
            "remove it and give the workload a `size` in the lab; or write `filesize=20G` beside it",
        )),
        _ => {}
    }
    if found.is_empty() && !sized && !job_options::is_sized(job) {
        found.push(job_options::no_size(job));
    }
    found
}

/// The jobs without a size in a file where others have one: how much of the lab's working set is theirs,
/// nothing says.
fn partly_sized(jobs: &[Job]) -> Vec<Mistake> {
    let some = jobs.iter().any(job_options::is_sized);
    let without = jobs.iter().filter(|job| some && !job_options::is_sized(job));
    let mistake = |job: &Job| {
        Mistake::new(
            job.line,
            format!(
                "job `{}` has no size but other jobs do, so the lab's `size` cannot be divided among them",
                job.name
            ),
            "add `size=20G`, or remove `size` from the others",
        )
    };
    without.map(mistake).collect()
}
