//! The copy of a job file that runs: directory, sizes and times of the scale model.

use super::open::{flush_in_write, open};
use super::stock::{Ratio, stock, working_set_ratio};
use lab::fio::Mistake;
use lab::fio::options::{ENGINES, Treatment};
use lab::fio::parse::{Job, JobFile, Kind};
use lab::fio::stock::{count, is_filled, laid_out, sets, time, writers, writes};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What a job file is rewritten for.
#[derive(Debug, Clone)]
pub struct Target<'a> {
    /// The mounted dataset.
    pub dir: &'a Path,
    /// S.
    pub size: f64,
    /// Bytes of all files together on the real machine, where the lab says so.
    pub working_set: Option<u64>,
    /// Virtual seconds to measure, where the lab says so.
    pub runtime_s: Option<f64>,
    /// Virtual seconds before that, where the job file does not say.
    pub ramp_s: f64,
    /// Most of them, whatever it says.
    pub ramp_most_s: Option<f64>,
    /// Seed of offsets and data.
    pub seed: u64,
    /// Operations a virtual second of all jobs together, begun at random times whether earlier ones
    /// have ended or not; none for the closed loop that the job file states.
    pub rate: Option<f64>,
}

/// A job file ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// Its text.
    pub text: String,
    /// Operations in flight when every job is busy.
    pub concurrency: f64,
    /// Clones of each job of the file, and what each of them keeps in flight.
    pub places: Vec<(u32, f64)>,
    /// The longest job's virtual seconds of measurement; none when it ends with its files.
    pub runtime_s: Option<f64>,
    /// Virtual seconds that some job goes on for whatever it has done (`time_based`); none when all may end
    /// with their files.
    pub lasts_s: Option<f64>,
    /// The longest job's virtual seconds before that.
    pub ramp_s: f64,
    /// Virtual seconds that the same job is to run before, as a process of its own: the ramp of jobs
    /// that fio 3.33 lets down. Workers of an open loop do not leave a ramp of fio's; a job that goes
    /// through several files in order ends for good when its ramp does within the last operation of a
    /// pass, for nothing has then been done in that pass.
    pub lead_s: f64,
    /// Bytes of all files, as scaled.
    pub files_bytes: u64,
    /// Jobs, clones counted.
    pub jobs: u32,
    /// Operations a virtual second of all jobs together, in whole ones for each; none in a closed
    /// loop.
    pub offered_rate: Option<f64>,
    /// The pattern in which each job of the file reads, where all of them do, at least among other things:
    /// its caches can be warmed by that alone.
    reads: Option<Vec<String>>,
    /// Which jobs of the file ask for their files to be read once before they begin.
    pre_reads: Vec<bool>,
    /// Whether its files may be laid out in large blocks.
    large: bool,
    /// Seed that the lab's schedule gave it.
    seed: u64,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// Block in which files are laid out where their content does not depend on it.
const LAYOUT_BLOCK: u64 = 1 << 20;

impl Rewritten {
    /// The same files, only laid out. fio writes them in the job's blocks, of 8 KiB say, which takes
    /// minutes and reads and writes each large record a hundred times; in blocks of 1 MiB they come to
    /// the same.
    pub fn layout(&self) -> String {
        // fio 3.33 lays out and then waits for good for the threads that such a job hands its operations to.
        let only = self.without(&["io_submit_mode="]).replacen(
            "[global]\n",
            "[global]\ncreate_only=1\n",
            1,
        );
        // Every section of a job ends with its own seed; what stands last holds. fio has buffers for all that
        // may be under way.
        let block = match self.large {
            true => format!("bs={LAYOUT_BLOCK}\n"),
            false => String::new(),
        };
        only.replace("\nrandseed=", &format!("\n{block}iodepth=1\nrandseed="))
    }

    /// The same files, read once by fio itself before a job begins; none where no job asks for it.
    pub fn pre_read(&self) -> Option<String> {
        self.pre_reads.iter().any(|reads| *reads).then(|| {
            let mut reads = self.pre_reads.iter();
            let lines = self.layout();
            let read = lines.lines().map(|line| {
                let asked = line.starts_with("randseed=") && reads.next() == Some(&true);
                let before = if asked { "pre_read=1\n" } else { "" };
                format!("{before}{line}\n")
            });
            read.collect()
        })
    }

    /// The same job for warming caches up: `limit_s` virtual seconds, other offsets, nothing logged.
    /// With the same offsets the measured window would find in the caches just what it asks for. Where
    /// reading is enough it only reads: what it would write changes nothing in what caches hold, and takes
    /// room on drives and the drives' own time.
    pub fn warm_up(&self, limit_s: f64) -> String {
        self.before(limit_s, self.reads.as_deref().unwrap_or_default())
    }

    /// The same job for the ramp that fio cannot give it ([`Rewritten::lead_s`]): as warming up, but doing
    /// all that it will do.
    pub fn lead(&self) -> String {
        self.before(self.lead_s, &[])
    }

    /// The same job for so long, on other offsets, nothing logged; with other patterns where some are given.
    fn before(&self, seconds: f64, patterns: &[String]) -> String {
        const OWN: [&str; 4] = ["runtime=", "ramp_time=", "time_based=", "write_iops_log="];
        let own = format!(
            "[global]\nruntime={}\ntime_based=1\nrandseed={}\n",
            milliseconds(seconds),
            (self.seed >> 1) ^ 1
        );
        // Every section ends with its own seed; what stands last holds.
        let mut reads = patterns.iter();
        let warm: String = self
            .without(&OWN)
            .lines()
            .filter_map(|line| match line.starts_with("randseed=") {
                true => reads.next().map(|pattern| format!("rw={pattern}\n")),
                false => Some(format!("{line}\n")),
            })
            .collect();
        warm.replacen("[global]\n", &own, 1)
    }

    /// Whether a warm-up only reads.
    pub fn warms_by_reading(&self) -> bool {
        self.reads.is_some()
    }

    /// The text without the lines that begin so.
    fn without(&self, options: &[&str]) -> String {
        let stays = |line: &&str| !options.iter().any(|o| line.trim_start().starts_with(o));
        let rest: Vec<&str> = self.text.lines().filter(stays).collect();
        rest.join("\n") + "\n"
    }
}

/// Rewrites a job file.
///
/// # Errors
/// Every size or time in it that cannot be read or scaled, with its line.
pub fn rewrite(file: &JobFile, target: &Target) -> Result<Rewritten, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut notes = Vec::new();
    let mut sections = Vec::new();
    let mut lasts: Option<f64> = None;
    let mut runtime: Option<f64> = Some(0.0);
    let mut places = Vec::new();
    let mut jobs = 0u32;
    let clones_of_all: u32 = file.jobs.iter().map(|job| count(job, "numjobs")).sum();
    let mut offered = 0.0;
    let ratio = match target.working_set {
        Some(want) => working_set_ratio(file, want).map_err(|m| vec![m])?,
        None => Ratio::Keep,
    };
    let mut files: BTreeMap<String, u64> = BTreeMap::new();
    let mut large = true;
    let leads = target.rate.is_some() || file.jobs.iter().any(passes_over_files);
    // One window for all: a job whose ramp ended before would be counted before.
    let ramp = match longest_ramp(file, target) {
        // A run before jobs that read in order would begin where they do, and leave it in the caches.
        Ok(_) if leads && target.rate.is_none() && file.jobs.iter().all(reads_in_order) => 0.0,
        Ok(ramp) => ramp,
        Err(mistake) => {
            mistakes.push(mistake);
            0.0
        }
    };
    for job in &file.jobs {
        let clones = count(job, "numjobs");
        jobs += clones;
        let mut lines = Vec::new();
        let each = match target.rate {
            None => {
                let together = flush_in_write(job);
                if writers(job, &file.jobs) > 1 && !together.is_empty() {
                    notes.push(format!(
                        "job {}: several clients write to one file, which FUSE flushes for one of them at a time and OpenZFS for all together: each write waits for its own flush instead (sync=1 or dsync)",
                        job.name
                    ));
                    lines.extend(together);
                }
                depth(job, &mut notes)
            }
            Some(rate) => {
                let open = open(job, rate / f64::from(clones_of_all), clones_of_all);
                offered += f64::from(clones) * open.rate;
                notes.extend(open.note);
                lines.extend(open.lines);
                f64::from(open.workers)
            }
        };
        places.push((clones, each));
        match stock(job, target.size, &ratio) {
            Ok(stock) => {
                large &= lays_out_large(job, stock.bytes);
                let (name, _) = sets(job);
                let known = files.entry(name).or_default();
                *known = laid_out(job, stock.bytes, stock.offsets).max(*known);
                lines.extend(stock.lines);
            }
            Err(mistake) => mistakes.push(mistake),
        }
        match times(job, target, if leads { 0.0 } else { ramp }) {
            Ok(times) => {
                runtime = match (runtime, times.runtime_s) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
                if times.for_a_time {
                    lasts = [lasts, times.runtime_s]
                        .into_iter()
                        .flatten()
                        .reduce(f64::max);
                }
                if times.for_a_time && target.size > 1.0 && goes_through_a_map(job) {
                    lines.push(("norandommap", "1".to_owned()));
                }
                if !times.for_a_time && reads_back(job) {
                    lines.push(("do_verify", "0".to_owned()));
                    notes.push(format!(
                        "job {}: what it wrote is not read back after it has ended with its files, since that would be counted as its work",
                        job.name
                    ));
                }
                lines.extend(times.lines);
            }
            Err(mistake) => mistakes.push(mistake),
        }
        if let Some(name) = job.get("filename") {
            lines.push(("filename", local_names(name)));
        }
        notes.extend(holes(job));
        if is_native(job) {
            lines.push(("ioengine", "psync".to_owned()));
        }
        // fio reads it as a signed number.
        let seed = job
            .get("randseed")
            .map_or_else(|| (target.seed >> 1).to_string(), str::to_owned);
        lines.push(("randseed", seed));
        sections.push(lines);
    }
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|m| m.line);
        return Err(mistakes);
    }
    notes.dedup();
    Ok(Rewritten {
        text: print(file, target, &sections),
        concurrency: places.iter().map(|(n, each)| f64::from(*n) * each).sum(),
        places,
        runtime_s: runtime,
        lasts_s: lasts,
        ramp_s: if leads { 0.0 } else { ramp },
        lead_s: if leads { ramp } else { 0.0 },
        files_bytes: files.values().copied().fold(0, u64::saturating_add),
        jobs,
        offered_rate: target.rate.map(|_| offered),
        reads: file.jobs.iter().map(reading).collect(),
        pre_reads: file.jobs.iter().map(|job| set(job, "pre_read")).collect(),
        large,
        seed: target.seed,
        notes,
    })
}

/// Operations one clone keeps in flight on a pool.
fn depth(job: &Job, notes: &mut Vec<String>) -> f64 {
    let engine = job.get("ioengine").unwrap_or("psync");
    let asynchronous = ENGINES.iter().any(|(name, a)| *name == engine && *a);
    let depth = count(job, "iodepth");
    if depth == 1 || !asynchronous {
        return 1.0;
    }
    if is_native(job) {
        notes.push(format!(
            "job {}: OpenZFS carries native asynchronous I/O (libaio) out synchronously, so iodepth={depth} counts as 1",
            job.name
        ));
        return 1.0;
    }
    f64::from(depth)
}

/// Whether a switch of fio's is on.
fn set(job: &Job, name: &str) -> bool {
    job.get(name).is_some_and(|value| value != "0")
}

/// Whether a job comes to each block once before it comes to any again, as fio does with uniformly random
/// offsets unless told not to. The real files last a window long; a file S times smaller is gone through S
/// times as soon, and towards the end of a pass the blocks that are left are those that no cache holds, or
/// all hold. Offsets drawn freely are the same from the first second to the last. What is to be verified
/// keeps its map.
fn goes_through_a_map(job: &Job) -> bool {
    job.get("rw").is_some_and(|rw| rw.starts_with("rand"))
        && job.get("random_distribution").is_none_or(|v| v == "random")
        && ["norandommap", "random_generator", "verify"]
            .iter()
            .all(|name| job.get(name).is_none())
}

/// Says of a job of random writes that its files have no content: fio lays out what is to be read, and
/// what is only written as a hole. Whoever asks what partial writes cost must know.
fn holes(job: &Job) -> Option<String> {
    (job.get("rw")?.starts_with("randwrite") && !is_filled(job)).then(|| {
        format!(
            "job {}: as fio lays them out, its files begin as holes, and a partial write into a hole has no record to read; overwrite=1 gives them content",
            job.name
        )
    })
}

/// The pattern of reads of a job that reads, alone or among writes. None of a job that only writes, and
/// of one that would verify what it has not written.
fn reading(job: &Job) -> Option<String> {
    if job.get("verify").is_some() {
        return None;
    }
    let pattern = job.get("rw").unwrap_or("read");
    let (kind, offset) = pattern.split_once(':').unwrap_or((pattern, ""));
    let kind = match kind {
        "read" | "rw" | "readwrite" => "read",
        "randread" | "randrw" => "randread",
        _ => return None,
    };
    Some(match offset {
        "" => kind.to_owned(),
        offset => format!("{kind}:{offset}"),
    })
}

/// Whether a job reads what it has written when it is done.
fn reads_back(job: &Job) -> bool {
    writes(job) && set(job, "verify") && job.get("do_verify").is_none_or(|v| v != "0")
}

/// Whether a job only reads, from the first byte of its files on.
fn reads_in_order(job: &Job) -> bool {
    let rw = job.get("rw").unwrap_or("read");
    rw.split(':').next() == Some("read")
}

/// Whether a clone ends a pass over its files and begins the next: fio wraps around within a file only
/// where there is a single one, or where the order is random.
fn passes_over_files(job: &Job) -> bool {
    let several =
        count(job, "nrfiles") > 1 || job.get("filename").is_some_and(|name| name.contains(':'));
    let rw = job.get("rw").unwrap_or("read");
    several && (!rw.starts_with("rand") || rw.contains(':'))
}

/// Whether one file of whole large blocks is what a clone gets, and its content does not depend on the
/// block: what makes data compressible or verifiable works by block.
fn lays_out_large(job: &Job, bytes: u64) -> bool {
    const BY_BLOCK: [&str; 10] = [
        "bssplit",
        "bsrange",
        "blockalign",
        "bs_unaligned",
        "verify",
        "buffer_pattern",
        "buffer_compress_percentage",
        "dedupe_percentage",
        "zero_buffers",
        "filesize",
    ];
    let simple = BY_BLOCK.iter().all(|name| job.get(name).is_none());
    simple && count(job, "nrfiles") == 1 && bytes.is_multiple_of(LAYOUT_BLOCK)
}

/// Linux' native asynchronous I/O. OpenZFS' `write_iter` and `read_iter` return when they are done, so
/// that `io_submit` waits and one operation at a time is under way. FUSE would keep as many in flight
/// as fio likes, and fio would count an fsync from when the write before it is still under way.
fn is_native(job: &Job) -> bool {
    job.get("ioengine") == Some("libaio")
}

/// Path components of the machine the file was written for do not exist in the model.
fn local_names(value: &str) -> String {
    value
        .split(':')
        .map(|name| name.rsplit('/').next().unwrap_or(name))
        .collect::<Vec<_>>()
        .join(":")
}

struct Times {
    lines: Vec<(&'static str, String)>,
    runtime_s: Option<f64>,
    /// It goes on for that long, over its files again and again.
    for_a_time: bool,
}

/// The longest ramp that a job asks for, virtual seconds.
fn longest_ramp(file: &JobFile, target: &Target) -> Result<f64, Mistake> {
    let mut longest = 0.0f64;
    for job in &file.jobs {
        longest = longest.max(time(job, "ramp_time")?.unwrap_or(target.ramp_s));
    }
    Ok(target.ramp_most_s.map_or(longest, |most| longest.min(most)))
}

fn times(job: &Job, target: &Target, ramp_s: f64) -> Result<Times, Mistake> {
    let mut lines = Vec::new();
    if ramp_s > 0.0 {
        lines.push(("ramp_time", milliseconds(ramp_s)));
    }
    let own = time(job, "runtime")?.filter(|s| *s > 0.0);
    let runtime_s = target.runtime_s.or(own);
    if let Some(s) = runtime_s {
        lines.push(("runtime", milliseconds(s)));
    }
    let for_a_time = target.runtime_s.is_some() || set(job, "time_based");
    if for_a_time {
        lines.push(("time_based", "1".to_owned()));
    }
    Ok(Times {
        lines,
        runtime_s,
        for_a_time,
    })
}

/// A time in a form that keeps fractions.
fn milliseconds(seconds: f64) -> String {
    format!("{}ms", (seconds * 1e3).round() as u64)
}

fn print(file: &JobFile, target: &Target, sections: &[Vec<(&'static str, String)>]) -> String {
    let mut text = String::new();
    // A path may hold the separator of fio's lists.
    let dir = target.dir.to_string_lossy().replace(':', "\\:");
    let _ = write!(
        text,
        "[global]\ndirectory={dir}\nclocksource=clock_gettime\nlat_percentiles=1\n\
         clat_percentiles=0\nslat_percentiles=0\nunified_rw_reporting=none\ndisk_util=0\n\
         thread=1\nwrite_iops_log=series\nlog_avg_msec=1000\n\n"
    );
    let mut open: Option<usize> = None;
    let close = |text: &mut String, open: &mut Option<usize>| {
        if let Some(lines) = open.take().and_then(|job| sections.get(job)) {
            for (name, value) in lines {
                let _ = writeln!(text, "{name}={value}");
            }
        }
    };
    for (line, kind) in &file.lines {
        match kind {
            Kind::Other => {}
            Kind::Global => close(&mut text, &mut open),
            Kind::Job(job) => {
                close(&mut text, &mut open);
                open = Some(*job);
            }
            Kind::Option(rule) if rule.treatment == Treatment::Passed => {}
            // Scaled and replaced values stand at the end of each job's section.
            Kind::Option(_) => continue,
        }
        text.push_str(line);
        text.push('\n');
    }
    close(&mut text, &mut open);
    text
}
