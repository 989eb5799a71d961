//! The copy of a job file that runs: directory, sizes and times of the scale model.

use super::scaled_sizes::{Ratio, working_set_ratio};
use super::section::{Section, Shared, reading, section};
use super::times::{Ramp, ramp};
use lab::fio::Mistake;
use lab::fio::job_options::count;
use lab::fio::options::Treatment;
use lab::fio::parse::{JobFile, Kind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The target of a rewritten job file.
#[derive(Debug, Clone)]
pub struct Target<'a> {
    /// The mounted dataset.
    pub dir: &'a Path,
    /// S.
    pub size: f64,
    /// Bytes of all files together on the real server, where the lab says so.
    pub working_set: Option<u64>,
    /// Virtual seconds to measure, where the lab says so.
    pub runtime_s: Option<f64>,
    /// Virtual seconds before that, if the job file states none.
    pub ramp_s: f64,
    /// Their maximum, also for the job file's own.
    pub ramp_most_s: Option<f64>,
    /// Whether caches are warmed before, by runs of the same files.
    pub warmed: bool,
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
    /// Clones of each job of the file, and what each of them keeps in flight.
    pub places: Vec<(u32, f64)>,
    /// Names of the jobs of the file.
    pub names: Vec<String>,
    /// The longest job's virtual seconds of measurement; none when it ends with its files.
    pub runtime_s: Option<f64>,
    /// The longest `time_based` job's virtual seconds; none when every job may end with its files.
    pub lasts_s: Option<f64>,
    /// The longest job's virtual seconds before that.
    pub ramp_s: f64,
    /// Virtual seconds of a ramp that runs before as a process of its own, for jobs whose `ramp_time` fio 3.33
    /// does not handle: workers of an open loop never leave it, and a job that reads several files in order
    /// ends with it if it ends during the last operation of a pass.
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
    pub(super) reads: Option<Vec<String>>,
    /// The jobs of the file whose files are read once before they start.
    pub(super) pre_reads: Vec<bool>,
    /// Whether its files may be laid out in large blocks.
    pub(super) large: bool,
    /// Seed that the lab's schedule gave it.
    pub(super) seed: u64,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// Rewrites a job file.
///
/// # Errors
/// Every size or time in it that cannot be read or scaled, with its line.
pub fn rewrite(file: &JobFile, target: &Target) -> Result<Rewritten, Vec<Mistake>> {
    let (mut sections, mut mistakes) = (Vec::new(), Vec::new());
    let shared = Shared {
        target,
        clones: file.jobs.iter().map(|job| count(job, "numjobs")).sum(),
        ratio: match target.working_set {
            Some(want) => working_set_ratio(file, want).map_err(|m| vec![m])?,
            None => Ratio::Keep,
        },
        ramp: ramp(file, target).unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            Ramp::default()
        }),
    };
    for job in &file.jobs {
        match section(job, &shared) {
            Ok(section) => sections.push(section),
            Err(wrong) => mistakes.extend(wrong),
        }
    }
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|m| m.line);
        return Err(mistakes);
    }
    Ok(together(file, target, shared.ramp, &sections))
}

/// The copy of a file with these sections.
fn together(file: &JobFile, target: &Target, ramp: Ramp, sections: &[Section]) -> Rewritten {
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for section in sections {
        let (name, bytes) = &section.files;
        let known = files.entry(name).or_default();
        *known = (*bytes).max(*known);
    }
    let ends_with_its_files = sections.iter().any(|s| s.runtime_s.is_none());
    let longest = sections.iter().filter_map(|s| s.runtime_s).reduce(f64::max);
    let for_a_time = sections.iter().filter(|s| s.for_a_time);
    let mut notes: Vec<String> = sections.iter().flat_map(|s| s.notes.clone()).collect();
    notes.dedup();
    let offered = || sections.iter().map(|s| f64::from(s.clones) * s.rate).sum();
    Rewritten {
        text: print(file, target, sections),
        places: sections.iter().map(|s| (s.clones, s.depth)).collect(),
        names: file.jobs.iter().map(|job| job.name.clone()).collect(),
        runtime_s: longest.filter(|_| !ends_with_its_files),
        lasts_s: for_a_time.filter_map(|s| s.runtime_s).reduce(f64::max),
        ramp_s: ramp.within_s,
        lead_s: ramp.lead_s,
        files_bytes: files.values().copied().fold(0, u64::saturating_add),
        jobs: sections.iter().map(|s| s.clones).sum(),
        offered_rate: target.rate.map(|_| offered()),
        reads: file.jobs.iter().map(reading).collect(),
        pre_reads: file.jobs.iter().map(|job| job.is_set("pre_read")).collect(),
        large: sections.iter().all(|s| s.large),
        seed: target.seed,
        notes,
    }
}

/// Whether all jobs of a copy run for one and the same time: of a group of others fio says only how long they ran
/// together, and not which of them did what.
fn end_together(sections: &[Section]) -> bool {
    let mut runtimes =
        sections.iter().map(|s| s.runtime_s.filter(|_| s.for_a_time && !s.ends_early));
    let first = runtimes.next().flatten();
    sections.len() < 2 || (first.is_some() && runtimes.all(|runtime| runtime == first))
}

fn print(file: &JobFile, target: &Target, sections: &[Section]) -> String {
    let apart = !end_together(sections);
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
        if let Some(section) = open.take().and_then(|job| sections.get(job)) {
            for (name, value) in &section.lines {
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
            Kind::Option(rule) if rule.name == "group_reporting" && apart => continue,
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
