//! Sizes, counts and times of a job, read or refused with their line.

use super::Mistake;
use super::options::ENGINES;
use super::parse::Job;
use super::sizes::{bytes, seconds};

/// A size as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// So many bytes.
    Bytes(u64),
    /// A share of the file, `50%`.
    Share,
}

/// A year, seconds.
const LONGEST: f64 = 3.2e7;

/// A count such as `numjobs`, which may have fio's prefixes and suffixes; 1 where it is not stated.
pub fn count(job: &Job, name: &str) -> u32 {
    let stated = job.get(name).and_then(bytes);
    stated.and_then(|n| n.try_into().ok()).unwrap_or(1)
}

/// The engine of a job.
pub fn engine(job: &Job) -> &str {
    // fio's default.
    job.get("ioengine").unwrap_or("psync")
}

/// Whether the engine of a job submits asynchronously; none for an engine that is not known.
pub fn is_asynchronous(job: &Job) -> Option<bool> {
    let known = ENGINES.iter().find(|(name, _)| *name == engine(job));
    known.map(|(_, asynchronous)| *asynchronous)
}

/// Whether a job itself hands its operations to other threads, one for each of its `iodepth`.
pub fn offloads(job: &Job) -> bool {
    job.get("io_submit_mode") == Some("offload")
}

/// The files of a job: their name, and how many sets of them its clones have. Those of one name are
/// the same files, whichever jobs name them: all clones of a job with `filename` share a set.
pub fn sets(job: &Job) -> (String, u64) {
    if let Some(name) = job.get("filename") {
        return (name.to_owned(), 1);
    }
    let format = job.get("filename_format").filter(|f| !f.is_empty());
    // fio's default.
    let format = format.unwrap_or("$jobname.$jobnum.$filenum");
    let sets = if format.contains("$jobnum") { count(job, "numjobs").max(1) } else { 1 };
    (format.replace("$jobname", &job.name), u64::from(sets))
}

/// Files of one clone of a job: those that `filename` names, whatever `nrfiles` says; else `nrfiles`.
pub fn files(job: &Job) -> u32 {
    let named = |names: &str| names.split(':').filter(|name| !name.is_empty()).count();
    match job.get("filename") {
        Some(names) => u32::try_from(named(names)).unwrap_or(u32::MAX).max(1),
        None => count(job, "nrfiles").max(1),
    }
}

/// Bytes of all files of a job whose clones each work on `size` bytes, the first from `offset` on and each
/// other `increment` further: fio lays files out from their first byte. Within files of a stated size the offsets
/// change nothing.
pub fn laid_out(job: &Job, size: u64, [offset, increment]: [u64; 2]) -> u64 {
    let clones = u64::from(count(job, "numjobs").max(1));
    let [offset, increment] = match job.get("filesize") {
        Some(_) => [0; 2],
        None => [offset, increment],
    };
    let each = size.saturating_add(offset);
    let (sets, increments) = match sets(job).1 {
        // All clones have one set of files, as long as the last of them needs.
        1 => (1, clones - 1),
        sets => (sets, clones * (clones - 1) / 2),
    };
    each.saturating_mul(sets).saturating_add(increment.saturating_mul(increments))
}

/// The offsets of [`laid_out`] as a job states them; shares of a file are none.
pub fn offsets(job: &Job) -> [u64; 2] {
    ["offset", "offset_increment"].map(|name| stated_bytes(job, name).unwrap_or(0))
}

/// Bytes of a size option; none where it is a share of the file, or not stated.
pub fn stated_bytes(job: &Job, name: &str) -> Option<u64> {
    match size(job, name) {
        Ok(Some(Size::Bytes(bytes))) => Some(bytes),
        _ => None,
    }
}

/// Whether a job writes, alone or among reads.
pub fn writes(job: &Job) -> bool {
    job.get("rw").is_some_and(|rw| rw.contains('w'))
}

/// Whether a job writes and does not read.
pub fn only_writes(job: &Job) -> bool {
    let kind = job.get("rw").and_then(|rw| rw.split(':').next());
    kind.is_some_and(|kind| kind.ends_with("write") && kind != "readwrite")
}

/// Whether the files of a job have content when it begins: it reads them, or has them filled
/// (`overwrite=1`).
pub fn is_filled(job: &Job) -> bool {
    !only_writes(job) || job.get("overwrite").is_some_and(|value| value != "0")
}

/// Options with which a job may end before it has written each block of its files.
const ENDS_EARLIER: [&str; 7] = [
    "exit_what", "exitall", "io_size", "norandommap", "number_ios", "percentage_random",
    "random_distribution",
];

/// Whether a job surely has written all of its files when it ends: it only writes, to each block once, and has no time.
pub fn fills(job: &Job) -> bool {
    let whole = matches!(job.get("rw"), Some("write" | "randwrite"));
    let timed = time(job, "runtime").ok().flatten().is_some_and(|seconds| seconds > 0.0);
    let plain = ENDS_EARLIER.iter().all(|name| job.get(name).is_none());
    whole && !timed && plain && job.get("ioengine") != Some("ftruncate")
}

/// Whether the data of a job can be made smaller by compression or deduplication.
pub fn is_compressible(job: &Job) -> bool {
    let set = |name: &&str| job.get(name).is_some_and(|v| !["0", "none"].contains(&v));
    ["zero_buffers", "dedupe_percentage", "buffer_compress_percentage"].iter().any(set)
        || ["buffer_pattern", "verify_pattern"].iter().any(|name| job.get(name).is_some())
}

/// Bytes of the block that a job writes again and again, its smallest: fio fills a buffer once and then changes some bytes
/// of each 512 (`scramble_buffers`). None where it fills it anew for each write, or the file says what it holds.
pub fn repeated_block(job: &Job) -> Option<u64> {
    let filled_anew = job.is_set("refill_buffers")
        || job.get("verify").is_some_and(|method| !["0", "null"].contains(&method));
    let content = ["zero_buffers", "dedupe_percentage"].iter().any(|name| job.is_set(name))
        || job.get("buffer_pattern").is_some();
    (writes(job) && !filled_anew && !content).then(|| least_write(job))
}

/// O_DIRECT, under either of its names.
pub fn is_direct(job: &Job) -> bool {
    job.is_set("direct") || job.get("buffered") == Some("0")
}

/// Bytes of the smallest write of a job. Reads, writes and trims stand in this order, separated by commas; what has no
/// size of its own has that of reads, and one that is left out is fio's default.
pub fn least_write(job: &Job) -> u64 {
    let stated = [("bssplit", ":"), ("bsrange", "-:"), ("bs", "")]
        .into_iter()
        .find_map(|(name, between)| Some((job.get(name)?, between)));
    let Some((text, between)) = stated else { return BLOCK };
    let parts: Vec<&str> = text.split(',').collect();
    let own = parts.get(1).or(parts.first()).copied().unwrap_or_default();
    let sizes = own.split(|c| between.contains(c));
    let sizes = sizes.filter_map(|part| bytes(part.split('/').next()?.trim()));
    sizes.min().unwrap_or(BLOCK)
}

/// Whether fio 3.33 counts the flushes of a job too long: with libaio it does not note when one begins, and takes
/// the moment at which the last operation in the same place of its queue was submitted.
pub fn flushes_counted_long(job: &Job) -> bool {
    job.get("ioengine") == Some("libaio")
        && ["fsync", "fdatasync", "sync_file_range"].iter().any(|name| job.is_set(name))
}

/// Whether a job waits for its writes to be durable, for each of them or for several at once.
pub fn syncs(job: &Job) -> bool {
    ["sync", "fsync", "fdatasync", "sync_file_range"]
        .iter()
        .any(|name| job.get(name).is_some_and(|value| !["0", "none"].contains(&value)))
}

/// Whether a job says how large its files are.
pub fn is_sized(job: &Job) -> bool {
    // A share is one of something.
    let share = job.get("size").is_some_and(|size| size.trim().ends_with('%'));
    (job.get("size").is_some() && !share) || job.get("filesize").is_some()
}

/// A size option; none where it is not stated.
///
/// # Errors
/// When it is no size.
pub fn size(job: &Job, name: &str) -> Result<Option<Size>, Mistake> {
    let Some(setting) = job.settings.get(name) else {
        return Ok(None);
    };
    if let Some(share) = setting.value.strip_suffix('%') {
        return match share.trim().parse::<u32>() {
            Ok(percent) if percent <= 100 => Ok(Some(Size::Share)),
            _ => Err(setting.is_not(name, "a percentage", "write 0% to 100%")),
        };
    }
    match bytes(&setting.value) {
        Some(n) => Ok(Some(Size::Bytes(n))),
        None => Err(setting.is_not(name, "a size that can be scaled", "write 20G, 512m or 50%")),
    }
}

/// The least and the most bytes of one file by `filesize`; none where it is not stated.
///
/// # Errors
/// When it is neither a size nor a range.
pub fn file_sizes(job: &Job) -> Result<Option<(u64, u64)>, Mistake> {
    let Some(setting) = job.settings.get("filesize") else {
        return Ok(None);
    };
    let (low, high) =
        setting.value.split_once(['-', ':']).unwrap_or((&setting.value, &setting.value));
    match (bytes(low), bytes(high)) {
        (Some(low), Some(high)) if 0 < low && low <= high => Ok(Some((low, high))),
        _ => Err(setting.is_not("filesize", "a size", "write 4M, or a range 4k-1M")),
    }
}

/// Bytes of the files of one clone on the real server; none where they are not stated.
///
/// # Errors
/// When a size cannot be read.
pub fn real_bytes(job: &Job) -> Result<Option<u64>, Mistake> {
    if let Some((low, high)) = file_sizes(job)? {
        let files = u64::from(files(job));
        return Ok(Some(files.saturating_mul(low / 2 + high / 2 + low % 2)));
    }
    Ok(match size(job, "size")? {
        Some(Size::Bytes(n)) => Some(n),
        _ => None,
    })
}

/// Bytes of a block of a job that states none.
const BLOCK: u64 = 4096;

/// The block sizes of a job, bytes, at least one: each that `bs`, `bsrange` and `bssplit` state, else fio's own.
///
/// # Errors
/// For each of these options, and `blockalign` (`ba`), that states what is none, or shares above 100 %.
pub fn block_sizes(job: &Job) -> Result<Vec<u64>, Vec<Mistake>> {
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for (name, between) in [("bs", ","), ("ba", ","), ("bsrange", ",-:"), ("bssplit", ",:")] {
        let Some(setting) = job.settings.get(name) else {
            continue;
        };
        let parts = setting.value.split(|c| between.contains(c));
        for size in parts.map(|part| part.split('/').next().unwrap_or(part).trim()) {
            match bytes(size) {
                _ if name == "ba" && (size.is_empty() || bytes(size).is_some()) => {}
                // Of `8k,` the writes are left to fio.
                _ if size.is_empty() => all.push(BLOCK),
                Some(bytes) if bytes > 0 => all.push(bytes),
                _ => wrong.push(setting.mistake(
                    format!("`{name}={}`: `{size}` is not a block size", setting.value),
                    "write 16k, 128k or 1m",
                )),
            }
        }
        let beyond = |split: &str| {
            let shares = split.split(':').filter_map(|part| part.split_once('/'));
            let shares = shares.filter_map(|(_, share)| share.trim().parse::<u64>().ok());
            shares.sum::<u64>() > 100
        };
        if setting.value.split(',').any(beyond) {
            wrong.push(setting.mistake(
                format!("the percentages of `{name}={}` add up to more than 100 %", setting.value),
                "write percentages that add up to 100",
            ));
        }
    }
    if all.is_empty() {
        all.push(BLOCK);
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

/// Seconds of an option such as `runtime`; none where it is not stated.
///
/// # Errors
/// When it is no time.
pub fn time(job: &Job, name: &str) -> Result<Option<f64>, Mistake> {
    let Some(setting) = job.settings.get(name) else {
        return Ok(None);
    };
    let known = seconds(&setting.value).filter(|s| *s <= LONGEST);
    known.map(Some).ok_or_else(|| {
        let close = setting.value.split_whitespace().collect::<String>();
        let fix = match seconds(&close) {
            Some(_) => format!("write `{close}`: fio ignores a unit after a blank"),
            None => "write 60, 90s or 2m; at most a year".to_owned(),
        };
        setting.is_not(name, "a time", fix)
    })
}

/// That a job states no size.
pub fn no_size(job: &Job) -> Mistake {
    Mistake::new(
        job.line,
        format!("job `{}` has no size", job.name),
        "add `size=20G`, or `size` to the lab's workload",
    )
}
