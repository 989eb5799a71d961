//! Options that fio takes one by one and refuses together: `fixup_options` of its init.c, which comes after the end of
//! `--parse-only`.

use super::Mistake;
use super::job_options::files;
use super::parse::{Job, Setting};
use super::sizes::bytes;

/// Every mistake of this kind in a job.
pub(super) fn mistakes(job: &Job) -> Vec<Mistake> {
    let mut found = Vec::new();
    for (name, other) in [("rate", "rate_iops"), ("rate_min", "rate_iops_min")] {
        found.extend(two_rates(job, name, other));
    }
    for (name, least) in [("rate", "rate_min"), ("rate_iops", "rate_iops_min")] {
        found.extend(least_above(job, name, least));
    }
    found.extend(several_files(job));
    found.extend(working_set(job));
    found
}

/// Rates of reads and of writes: what has none of its own has the one before it, and one that is left out is none.
fn rates(setting: &Setting) -> [u64; 2] {
    let mut parts = setting.value.split(',').map(|part| bytes(part).unwrap_or(0));
    let reads = parts.next().unwrap_or(0);
    [reads, parts.next().unwrap_or(reads)]
}

/// That a job states rates in bytes and in operations.
fn two_rates(job: &Job, name: &str, other: &str) -> Option<Mistake> {
    let stated = [job.settings.get(name)?, job.settings.get(other)?];
    let both = stated.iter().all(|setting| rates(setting) != [0; 2]);
    let line = stated.map(|setting| setting.line).into_iter().max()?;
    both.then(|| {
        Mistake::new(line, format!("fio takes `{name}` or `{other}`, not both"), "remove one")
    })
}

/// That the least rate of a job is above its rate.
fn least_above(job: &Job, name: &str, least: &str) -> Option<Mistake> {
    let (rate, setting) = (job.settings.get(name)?, job.settings.get(least)?);
    let mut both = rates(rate).into_iter().zip(rates(setting));
    both.any(|(rate, least)| 0 < rate && rate < least).then(|| {
        setting.mistake(
            format!("`{least}={}` is above `{name}={}`", setting.value, rate.value),
            format!("write a lower `{least}`"),
        )
    })
}

/// That a job of several files counts errors by block.
fn several_files(job: &Job) -> Option<Mistake> {
    let setting = job.settings.get("block_error_percentiles").filter(|s| s.value != "0")?;
    (files(job) > 1).then(|| of_one_file(job, setting, "block_error_percentiles"))
}

fn of_one_file(job: &Job, setting: &Setting, name: &str) -> Mistake {
    setting.mistake(
        format!(
            "`{name}={}` needs one file a job, but job `{}` has {}",
            setting.value,
            job.name,
            files(job)
        ),
        "remove it, or give the job one file",
    )
}

/// That fio cannot set aside a part of the file from which duplicates are taken.
fn working_set(job: &Job) -> Option<Mistake> {
    /// fio's default.
    const SET_ASIDE: u64 = 5;
    let mode = job.settings.get("dedupe_mode").filter(|mode| mode.value == "working_set")?;
    let number = |name| job.get(name).and_then(bytes);
    let share = number("dedupe_percentage").filter(|share| *share > 0)?;
    if job.get("size").is_none() && job.get("filesize").is_some() {
        return Some(mode.mistake(
            "`dedupe_mode=working_set` needs `size`, but the job states only `filesize`",
            "write `size` instead",
        ));
    }
    if files(job) > 1 {
        return Some(of_one_file(job, mode, "dedupe_mode"));
    }
    let aside = number("dedupe_working_set_percentage").unwrap_or(SET_ASIDE);
    (share + aside > 100).then(|| {
        mode.mistake(
            format!("`dedupe_percentage={share}` and the {aside} % of the file that `dedupe_mode=working_set` sets aside add up to more than 100 %"),
            "write a lower `dedupe_percentage`",
        )
    })
}
