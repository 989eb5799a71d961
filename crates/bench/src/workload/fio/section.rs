//! One job of the copy: the lines at the end of its section, and their consequences.

use super::open::open;
use super::preparation::LAYOUT_BLOCK;
use super::rewrite::Target;
use super::scaled_sizes::{Ratio, stock};
use super::times::{Ramp, times};
use lab::fio::Mistake;
use lab::fio::job_options::{
    count, files, flushes_counted_long, is_asynchronous, is_filled, laid_out, offloads, sets,
    writes,
};
use lab::fio::parse::Job;

/// One job of the copy.
pub(super) struct Section {
    /// Scaled and replaced options.
    pub lines: Vec<(&'static str, String)>,
    /// Its clones (`numjobs`).
    pub clones: u32,
    /// Operations that each clone keeps in flight.
    pub depth: f64,
    /// Operations a virtual second that each clone offers in an open loop.
    pub rate: f64,
    /// Name of its set of files, and their bytes.
    pub files: (String, u64),
    /// Whether its files may be laid out in large blocks.
    pub large: bool,
    /// Virtual seconds of measurement; none when it ends with its files.
    pub runtime_s: Option<f64>,
    /// Whether it runs for that long regardless of its progress.
    pub for_a_time: bool,
    /// Whether it may have done all that it is to do before.
    pub ends_early: bool,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// Data shared by the jobs of a file.
pub(super) struct Shared<'a> {
    pub target: &'a Target<'a>,
    /// Clones of all jobs.
    pub clones: u32,
    pub ratio: Ratio,
    pub ramp: Ramp,
}

/// Rewrites one job.
pub(super) fn section(job: &Job, shared: &Shared) -> Result<Section, Vec<Mistake>> {
    let target = shared.target;
    let (stock, times) =
        match (stock(job, target.size, &shared.ratio), times(job, target, shared.ramp)) {
            (Ok(stock), Ok(times)) => (stock, times),
            (stock, times) => return Err(stock.err().into_iter().chain(times.err()).collect()),
        };
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    let (mut rate, mut depth) = (0.0, depth(job));
    if let Some(offered) = target.rate {
        let open = open(job, offered / f64::from(shared.clones), shared.clones);
        (rate, depth) = (open.rate, open.workers);
        notes.extend(open.note);
        lines.extend(open.lines);
    }
    let files = (sets(job).0, laid_out(job, stock.bytes, stock.offsets));
    lines.extend(stock.lines);
    if times.for_a_time && target.size > 1.0 && goes_through_a_map(job) {
        lines.push(("norandommap", "1".to_owned()));
    }
    if !times.for_a_time && reads_back(job) {
        lines.push(("do_verify", "0".to_owned()));
        notes.push(format!(
            "job {}: its files are not read back for verification at the end, because those reads \
             would count as its work",
            job.name
        ));
    }
    lines.extend(times.lines);
    let warm = target.warmed || shared.ramp.lead_s > 0.0 || job.is_set("pre_read");
    if warm && job.get("invalidate").is_none() {
        lines.push(("invalidate", "0".to_owned()));
    }
    if let Some(name) = job.get("filename") {
        lines.push(("filename", local_names(name)));
    }
    if flushes_counted_long(job) && target.rate.is_none() {
        notes.push(format!(
            "job {}: fio 3.33 counts a flush of a libaio job from the submission of an earlier \
             operation, so latencies of flushes are too long",
            job.name
        ));
    }
    notes.extend(holes(job));
    if let Some(distribution) = job.get("random_distribution").and_then(with_center) {
        lines.push(("random_distribution", distribution));
    }
    // By default fio draws the same offsets whatever the seed.
    lines.push(("randrepeat", "0".to_owned()));
    lines.push(("allrandrepeat", "0".to_owned()));
    // fio reads it as a signed number.
    let seed = job.get("randseed").map_or_else(|| (target.seed >> 1).to_string(), str::to_owned);
    lines.push(("randseed", seed));
    Ok(Section {
        lines,
        clones: count(job, "numjobs"),
        depth: f64::from(depth),
        rate,
        files,
        large: lays_out_large(job, stock.bytes),
        runtime_s: times.runtime_s,
        for_a_time: times.for_a_time,
        ends_early: ["file_append", "io_size", "number_ios"].iter().any(|name| job.is_set(name)),
        notes,
    })
}

/// A distribution with hot blocks whose place follows the seed, with the place stated: runs on other offsets (a warm-up,
/// another repeat) have the same hot blocks. None where it is stated or there is none. Default parameters as fio 3.33's.
fn with_center(distribution: &str) -> Option<String> {
    const MIDDLE: &str = "0.5";
    match distribution.split(':').collect::<Vec<_>>()[..] {
        ["zipf"] => Some(format!("zipf:1.1:{MIDDLE}")),
        ["pareto"] => Some(format!("pareto:0.2:{MIDDLE}")),
        ["zipf" | "pareto", _] => Some(format!("{distribution}:{MIDDLE}")),
        _ => None,
    }
}

/// Operations one clone keeps in flight in a closed loop, from fio's submission of each to its completion as fio
/// counts it. An engine that submits asynchronously keeps `iodepth` of them whether the file system carries them
/// out asynchronously or within the submission: fio takes up a completion only when all are submitted.
fn depth(job: &Job) -> u32 {
    match is_asynchronous(job) == Some(true) || offloads(job) {
        true => count(job, "iodepth"),
        false => 1,
    }
}

/// Whether fio visits each block once before it repeats any (its random map, the default for uniformly random
/// offsets). A pass over the real files outlasts the window; a pass over files S times smaller ends S times
/// sooner, and the blocks left towards its end are those that no cache holds, or that all hold. Without the map
/// the hit ratio is the same in every second. A job that verifies keeps its map.
fn goes_through_a_map(job: &Job) -> bool {
    job.get("rw").is_some_and(|rw| rw.starts_with("rand"))
        && job.get("random_distribution").is_none_or(|v| v == "random")
        && ["norandommap", "random_generator", "verify"].iter().all(|name| job.get(name).is_none())
}

/// A note on jobs of random writes whose files have no content: fio fills only files that are read, and makes
/// the others holes. A partial write into a hole reads nothing, so its cost is not that of a filled file.
fn holes(job: &Job) -> Option<String> {
    (job.get("rw")?.starts_with("randwrite") && !is_filled(job)).then(|| {
        format!(
            "job {}: as fio lays them out, its files begin as holes, and a partial write into a \
             hole has no record to read; overwrite=1 gives them content",
            job.name
        )
    })
}

/// The pattern of reads of a job that reads, alone or among writes. None of a job that only writes, and
/// of one that would verify what it has not written.
pub(super) fn reading(job: &Job) -> Option<String> {
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
    writes(job) && job.is_set("verify") && job.get("do_verify").is_none_or(|v| v != "0")
}

/// Whether one file of whole large blocks is what a clone gets, and its content does not depend on the
/// block: what makes data compressible or verifiable works by block.
fn lays_out_large(job: &Job, bytes: u64) -> bool {
    const BY_BLOCK: [&str; 10] = [
        "bssplit", "bsrange", "ba", "bs_unaligned", "verify", "buffer_pattern",
        "buffer_compress_percentage", "dedupe_percentage", "zero_buffers", "filesize",
    ];
    let simple = BY_BLOCK.iter().all(|name| job.get(name).is_none());
    simple && files(job) == 1 && bytes.is_multiple_of(LAYOUT_BLOCK)
}

/// Path components of the machine the file was written for do not exist in the model.
fn local_names(value: &str) -> String {
    value
        .split(':')
        .map(|name| name.rsplit('/').next().unwrap_or(name))
        .collect::<Vec<_>>()
        .join(":")
}
