//! What a fio job file does, as far as rules care: direction, order, block size, syncs.

use super::{Load, Place};
use std::collections::BTreeMap;

/// Whether a text is a fio job file: sections, and a direction.
pub fn job_file(text: &str) -> bool {
    let mut rows = text.lines().map(str::trim).filter(|row| !row.starts_with(['#', ';']));
    let section = text.lines().any(|row| row.trim().starts_with('['));
    section
        && rows
            .any(|row| row.split(';').any(|p| p.starts_with("rw=") || p.starts_with("readwrite=")))
}

/// The value of an option anywhere in a job file.
pub fn option<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .flat_map(|row| row.split(';'))
        .find_map(|part| part.trim().strip_prefix(name)?.trim_start().strip_prefix('='))
        .map(str::trim)
}

/// The jobs of a job file as loads on `dataset`.
pub fn loads(text: &str, workload: &str, dataset: &str, at: &Place) -> Vec<Load> {
    let mut global: BTreeMap<String, String> = BTreeMap::new();
    let mut jobs: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    let mut in_global = false;
    // `;` begins a comment in fio; the mirror site's published jobs use it to join options.
    for part in text.lines().flat_map(|line| {
        let line = line.trim();
        if line.starts_with(';') { "" } else { line }.split(';')
    }) {
        let part = part.trim();
        if part.is_empty() || part.starts_with('#') {
            continue;
        }
        if let Some(name) = part.strip_prefix('[').and_then(|p| p.strip_suffix(']')) {
            in_global = name == "global";
            if !in_global {
                jobs.push((name.to_string(), global.clone()));
            }
            continue;
        }
        let (key, value) = part.split_once('=').unwrap_or((part, "1"));
        let target = match jobs.last_mut() {
            Some((_, options)) if !in_global => options,
            _ => &mut global,
        };
        target.insert(key.trim().to_ascii_lowercase(), value.trim().to_string());
    }
    jobs.iter().map(|(name, options)| load(name, options, workload, dataset, at)).collect()
}

fn load(
    name: &str,
    options: &BTreeMap<String, String>,
    workload: &str,
    dataset: &str,
    at: &Place,
) -> Load {
    let get = |keys: [&str; 2]| keys.iter().find_map(|key| options.get(*key)).map(String::as_str);
    let direction = get(["rw", "readwrite"]).unwrap_or("read");
    let on = |key: &str| options.get(key).is_some_and(|v| v != "0" && v != "none");
    Load {
        name: format!("{workload}/{name}"),
        dataset: dataset.to_string(),
        reads: direction.contains("read") || direction.contains("rw"),
        writes: direction.contains("write") || direction.contains("rw"),
        random: direction.contains("rand"),
        syncs: ["fsync", "fdatasync", "sync"].iter().any(|key| on(key)),
        block: get(["bs", "blocksize"]).and_then(facts::units::binary),
        at: at.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Load {
        let at = Place { file: "x".into(), line: 1 };
        loads(text, "w", "tank", &at).pop().unwrap()
    }

    #[test]
    fn the_hong_kong_job_is_small_random_synchronous_writes() {
        let load = one("[sync-small]\nnumjobs=8\niodepth=1\nrw=randwrite\nbs=8k\nfsync=1\n");
        assert!(load.writes && !load.reads && load.random && load.syncs);
        assert_eq!(load.block, Some(8192));
    }

    #[test]
    fn options_of_global_hold_for_jobs_after_it() {
        let load = one("[global]\nbs=1M\n[a]\nstonewall;rw=read;numjobs=1\n");
        assert!(load.reads && !load.writes && !load.syncs);
        assert_eq!(load.block, Some(1 << 20));
    }
}
