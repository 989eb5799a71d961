//! Texts of any known kind, merged into one [`System`].

use super::merge::merge;
use super::parts::{Part, split};
use super::{Counters, Dataset, Found, Place, Pool, System};
use super::{
    counters, diskstats, exports, innodb, job, postgresql, samba, short_texts, zpool_iostat,
};
use facts::{Format, Problem};

/// A text and the name it came under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// A path, or a name instead of one.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A part of the input that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where.
    pub at: Place,
    /// What is wrong there.
    pub what: String,
}

/// How the note on a text of no known kind begins.
pub const UNKNOWN: &str = "unknown kind of text";

fn first_line(text: &str) -> String {
    let row = text.lines().map(str::trim).find(|row| !row.is_empty()).unwrap_or("");
    crate::format::printable(row).chars().take(60).collect()
}

/// The system that the inputs describe, and the parts that could not be read. A text may hold several,
/// each behind a [`heading`](super::heading).
pub fn gather(inputs: &[Input]) -> (System, Vec<Unread>) {
    let mut system = System::default();
    let mut unread = Vec::new();
    for input in inputs {
        let parts = split(input);
        if parts.is_empty() {
            let at = Place::new(&input.name, 0);
            unread.push(Unread { at, what: format!("{UNKNOWN}: it is empty") });
        }
        for part in parts {
            take(&part, &mut system, &mut unread);
        }
    }
    postgresql::group(&mut system.postgresql);
    resolve_jobs(&mut system);
    resolve_live(&mut system);
    resolve_counters(&mut system, &mut unread);
    if system.drives.iter().any(|drive| drive.listed) {
        unread.extend(system.pools.iter().filter_map(|pool| unknown_leaves(&system, pool)));
    }
    (system, unread)
}

/// A note on the drives of a pool that lsblk does not list: rules about drives cannot see them.
fn unknown_leaves(system: &System, pool: &Pool) -> Option<Unread> {
    let leaves = system.unknown_leaves(pool);
    let names: Vec<&str> = leaves.iter().map(|leaf| leaf.name.as_str()).collect();
    let names: String = names.join(", ").chars().take(80).collect();
    let what = format!(
        "no drive of lsblk matches {names}: rules about drives are not applied to them; run lsblk with the columns SERIAL, WWN, PARTUUID and PARTLABEL"
    );
    Some(Unread { at: leaves.first()?.at.clone(), what })
}

/// Readings become what was counted between them.
fn resolve_counters(system: &mut System, unread: &mut Vec<Unread>) {
    let kstats = counters::counters(&std::mem::take(&mut system.readings));
    let flushes = diskstats::flushes(&std::mem::take(&mut system.flush_readings));
    let waits = zpool_iostat::waits(&std::mem::take(&mut system.wait_readings), &system.pools);
    let mean = zpool_iostat::slowest_mean(std::mem::take(&mut system.mean_waits), &system.pools);
    let waits = waits.or(mean);
    let (mut counted, file) = match (kstats, &flushes) {
        (Some(counted), _) => (counted, "/proc/spl/kstat/zfs"),
        // A machine without ZFS: the block layer's count of flushes is all there is.
        (None, Some(flushes)) => {
            let seconds = flushes.seconds;
            (Counters { seconds, ..Counters::default() }, "/proc/diskstats")
        }
        (None, None) => {
            unread.extend(waits.map(|waits| Unread {
                at: Place::new("zpool iostat", 0),
                what: format!(
                    "the waiting times of log writes of {} are used only together with the number of commits: give /proc/spl/kstat/zfs/zil too",
                    waits.pool
                ),
            }));
            return;
        }
    };
    counted.waits = waits;
    counted.flushes = flushes;
    counted.commit_flush = system.commit_flush(&counted);
    system.counters = Some(Found::new(counted, Place::new(file, 0)));
}

/// Parameters as they are count as set where they are not at their default.
fn resolve_live(system: &mut System) {
    let release = system.openzfs.as_ref().map_or((2, 1), |version| version.value);
    for (name, found) in std::mem::take(&mut system.live) {
        let default = zfs::module::find(&name).and_then(|parameter| parameter.default_in(release));
        if zfs::module::number(&found.value) != default {
            system.module.insert(name, found);
        }
    }
}

/// Job files become loads on the dataset that holds their directory; else on the only dataset, or
/// on the first.
fn resolve_jobs(system: &mut System) {
    for text in std::mem::take(&mut system.jobs) {
        let directory = job::option(&text.value, "directory").unwrap_or("");
        let depth = |dataset: &&Dataset| dataset.mounted_above(directory);
        let deepest = system.datasets.iter().max_by_key(depth);
        let holder = deepest.filter(|dataset| depth(dataset).is_some());
        let dataset = holder.or(system.datasets.first()).map(|dataset| dataset.name.as_str());
        let dataset = dataset.or(system.pools.first().map(|pool| pool.name.as_str()));
        let name = text.at.file.rsplit('/').next().unwrap_or("");
        system.loads.extend(job::loads(&text.value, name, dataset.unwrap_or_default(), &text.at));
    }
}

/// Error outputs of ZFS's programs, and what to do about them.
const REFUSALS: [(&str, &str); 4] = [
    ("ZFS modules are not loaded", "run the command on the machine that has the pool"),
    ("ZFS modules cannot be auto-loaded", "run the command on the machine that has the pool"),
    ("Permission denied the ZFS utilities", "run the command as root"),
    ("Unable to open /dev/zfs", "run the command as root, on the machine that has the pool"),
];

/// Outputs of programs that have nothing to list, which are not mistakes.
const NOTHING: [&str; 2] = ["no pools available", "no datasets available"];

fn take(part: &Part, system: &mut System, unread: &mut Vec<Unread>) {
    let origin = part.origin();
    let rows = short_texts::rows(&origin, &part.text);
    let comments = rows.filter(|(_, row)| row.trim_start().starts_with('#'));
    system.remarks.extend(comments.map(|(at, row)| Found::new(row.to_string(), at)));
    if job::job_file(&part.text) {
        system.jobs.push(Found::new(part.text.clone(), part.place(1)));
    } else if !NOTHING.contains(&part.text.trim()) {
        // Output of several programs may have been pasted as one text.
        let counted = take_counters(&part.text, system);
        let set = take_settings(part, system, unread);
        take_facts(part, counted || set, system, unread);
    }
}

/// Reads a text of the kinds that `facts` has a parser for; `known` where something of it was read before.
fn take_facts(part: &Part, known: bool, system: &mut System, unread: &mut Vec<Unread>) {
    let formats = facts::formats(part.name, &part.text);
    if formats.is_empty() && !known {
        let refused = REFUSALS.iter().find(|(words, _)| part.text.contains(words));
        let what = match refused {
            Some((_, advice)) => {
                format!("it is an error message ({}): {advice}", first_line(&part.text))
            }
            None => format!("the first line is {:?}", first_line(&part.text)),
        };
        unread.push(Unread {
            at: part.place(u32::from(part.skipped == 0)),
            what: format!("{UNKNOWN}: {what}"),
        });
    }
    let rows: Vec<&str> = part.text.lines().collect();
    let mut problems: Vec<Problem> = Vec::new();
    for (format, text) in formats {
        let mut parsed = facts::read(format, &text);
        // Each format of JSON tells where the JSON is cut off.
        parsed.problems.retain(|problem| !problems.contains(problem));
        let lines = parsed.problems.iter().map(|problem| problem.line);
        for line in lines.filter(|_| format == Format::Modprobe) {
            if let Some(row) = rows.get(line.saturating_sub(1) as usize) {
                system.stray.push(Found::new(row.trim().to_string(), part.place(line)));
            }
        }
        problems.append(&mut parsed.problems);
        merge(parsed.facts, part, system);
    }
    if known {
        note_first(&problems, part, unread);
    } else {
        let note = |problem: Problem| Unread { at: part.place(problem.line), what: problem.what };
        unread.extend(problems.into_iter().map(note));
    }
}

/// One note on all lines of a text of several kinds that one of its readers does not know: another may have read them.
fn note_first(problems: &[Problem], part: &Part, unread: &mut Vec<Unread>) {
    let Some(first) = problems.first() else { return };
    let more = match problems.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more such lines"),
    };
    let what = format!(
        "{}{more}: this text holds output of several programs; give each its own file, paste the prompts with the commands, or join files with tail -n +1",
        first.what
    );
    unread.push(Unread { at: part.place(first.line), what });
}

/// Readings of counters; `true` when the text was one.
fn take_counters(text: &str, system: &mut System) -> bool {
    let tables = zpool_iostat::tables(text);
    if let Some(reading) = counters::kstat(text) {
        system.readings.push(reading);
    } else if let Some(reading) = diskstats::reading(text) {
        system.flush_readings.push(reading);
    } else if !tables.is_empty() {
        system.wait_readings.push(tables);
    } else {
        let means = zpool_iostat::means(text);
        if means.is_empty() {
            return false;
        }
        system.mean_waits.push(means);
    }
    true
}

/// What single rows tell, whatever stands beside them; `true` when there was any.
fn take_rows(part: &Part, system: &mut System) -> bool {
    let origin = part.origin();
    let echoed = short_texts::echoed(&origin, &part.text);
    let memory = short_texts::memory(&origin, &part.text);
    // The file has the number alone.
    let release = match part.name.ends_with("/module/zfs/version") {
        true => short_texts::release(&origin, &format!("zfs-kmod-{}", part.text)),
        false => short_texts::release(&origin, &part.text),
    };
    let server = innodb::version(&part.text);
    let any = !echoed.is_empty() || memory.is_some() || release.is_some() || server.is_some();
    let names = echoed.iter().map(|(name, _)| name);
    let new: Vec<_> = names.filter(|name| !system.module.contains_key(*name)).cloned().collect();
    system.echoed.extend(new);
    system.module.extend(echoed);
    system.memory = memory.or(system.memory.take());
    if let Some((line, point)) = release {
        (system.openzfs, system.openzfs_point) = (Some(line), point);
    }
    system.mysql_server = server.unwrap_or(system.mysql_server);
    any
}

/// Settings and descriptions in short texts; `true` when the text was one.
fn take_settings(part: &Part, system: &mut System, unread: &mut Vec<Unread>) -> bool {
    let (name, text) = (part.name, &part.text);
    let origin = part.origin();
    let first = text.lines().find(|row| !row.trim().is_empty()).unwrap_or("");
    if take_rows(part, system) {
        return true;
    }
    let (exports, strange) = exports::exports(&origin, text);
    let clients = exports.iter().any(|export| export.clients.contains('('));
    if let Some(parameter) = name.strip_prefix("/sys/module/zfs/parameters/") {
        let value = Found::new(text.trim().to_string(), part.place(1));
        system.live.push((parameter.to_string(), value));
    } else if first.contains(": <") && first.contains(" mtu ") {
        system.links.extend(short_texts::links(&origin, text));
    } else if name.ends_with("exports") || (clients && first.starts_with(['/', '#', '"'])) {
        system.exports.extend(exports);
        let note = |problem: Problem| Unread { at: origin.below(problem.line), what: problem.what };
        unread.extend(strange.into_iter().map(note));
    } else if name.ends_with("smb.conf") || text.lines().any(|row| row.trim() == "[global]") {
        system.samba.extend(samba::samba(&origin, text));
    } else {
        return false;
    }
    true
}
