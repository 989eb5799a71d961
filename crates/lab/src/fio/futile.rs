//! Jobs that fio accepts, but that fail or do nothing in every trial.

use super::Mistake;
use super::job_options;
use super::parse::{Job, MOST_FILES, Setting};

/// Every mistake of this kind in a job of a file with these jobs. `blocks`: the sizes of its blocks.
pub(super) fn mistakes(jobs: &[Job], job: &Job, blocks: &[u64]) -> Vec<Mistake> {
    let found = [
        no_block(job, blocks),
        verifies_without_headers(jobs, job),
        only_truncates(job),
        ends_at_a_target(job),
    ];
    found.into_iter().flatten().collect()
}

/// What a job does, without its order of offsets.
fn direction(job: &Job) -> &str {
    let stated = job.get("rw").and_then(|rw| rw.split(':').next());
    // fio's default.
    stated.unwrap_or("read")
}

/// That the files of a job hold none of its blocks, so that fio would do nothing, or refuse it.
fn no_block(job: &Job, blocks: &[u64]) -> Option<Mistake> {
    let least = *blocks.iter().min()?;
    let no_room = |name: &str, what: &str| {
        let setting = job.settings.get(name)?;
        Some(setting.mistake(
            format!("`{name}={}` {what} smaller than a block of this job", setting.value),
            format!("write a larger `{name}`, or a smaller `bs`"),
        ))
    };
    if let Ok(Some((_, most))) = job_options::file_sizes(job) {
        return if most < least { no_room("filesize", "is") } else { None };
    }
    let bytes = job_options::stated_bytes(job, "size")?;
    let files = match job_options::count(job, "nrfiles") {
        // It is reported as such.
        files if files > MOST_FILES => 1,
        _ => u64::from(job_options::files(job)),
    };
    match bytes {
        0 => None,
        _ if bytes < least => no_room("size", "is"),
        _ if bytes / files < least => no_room("size", &format!("makes each of {files} files")),
        _ => None,
    }
}

/// That a job verifies files without writing them: they are laid out without the headers that fio looks for.
fn verifies_without_headers(jobs: &[Job], job: &Job) -> Option<Mistake> {
    let (name, setting) = verification(job)?;
    let only_reads = matches!(direction(job), "read" | "randread");
    if !only_reads || jobs.iter().any(|other| writes_files_of(other, job)) {
        return None;
    }
    Some(setting.mistake(
        format!(
            "`{name}={}` verifies what fio has written, but job `{}` only reads: its files are laid out without that, and every trial would fail",
            setting.value, job.name
        ),
        format!("remove `{name}`, or let the job write too: `rw=randrw`"),
    ))
}

/// The option by which a job verifies what it reads; none where all content passes, and where it looks for a pattern
/// and states the content of its files.
fn verification(job: &Job) -> Option<(&'static str, &Setting)> {
    let content = job.get("buffer_pattern").is_some() || job.is_set("zero_buffers");
    let (name, method) = match job.settings.get("verify") {
        Some(setting) => ("verify", setting),
        // fio takes a pattern for `verify=pattern`.
        None => ("verify_pattern", job.settings.get("verify_pattern")?),
    };
    let passes = match (name, method.value.as_str()) {
        ("verify", "0" | "null") => true,
        ("verify", "pattern") | ("verify_pattern", _) => content,
        _ => false,
    };
    (!passes).then_some((name, method))
}

/// Whether a job writes to files of another.
fn writes_files_of(job: &Job, other: &Job) -> bool {
    let (own, others) = (job_options::sets(job).0, job_options::sets(other).0);
    job_options::writes(job) && own.split(':').any(|file| others.split(':').any(|o| o == file))
}

/// That a job ends when fio has found the depth at which it meets a latency.
fn ends_at_a_target(job: &Job) -> Option<Mistake> {
    let setting = job.settings.get("latency_target").filter(|target| target.value != "0")?;
    (!job.is_set("latency_run")).then(|| {
        setting.mistake(
            format!(
                "with `latency_target={}` fio ends job `{}` when it has found a depth, but all jobs share one measured window",
                setting.value, job.name
            ),
            "add `latency_run=1`, with which it goes on at that depth; or remove the line",
        )
    })
}

/// That a job does something else than write with the engine that truncates its file instead.
fn only_truncates(job: &Job) -> Option<Mistake> {
    let setting = job.settings.get("ioengine").filter(|engine| engine.value == "ftruncate")?;
    let flushes = ["fsync", "fdatasync"].iter().any(|name| job.is_set(name));
    let does = match direction(job) {
        "read" | "randread" | "rw" | "readwrite" | "randrw" => "reads",
        _ if flushes => "flushes",
        _ => return None,
    };
    Some(setting.mistake(
        format!("the I/O engine `ftruncate` only writes, but job `{}` {does}", job.name),
        "write `ioengine=psync`",
    ))
}
