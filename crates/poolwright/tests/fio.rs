//! fio's jobs in the machine: engines and flushes as written. This test needs an engine.

#[path = "with_engine/mod.rs"]
mod with_engine;

use std::fs;
use std::path::Path;
use std::process::Command;
use with_engine::engine;

/// The same slow drives under ZFS, under md with XFS and one of them under ext4, and jobs with all kinds of queues.
const LAB: &str = r#"
title = "Queues of fio"
[host]
memory = "16G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[variants.zfs]
vdevs = "hdd[0-1]"
pool.ashift = 12
dataset.recordsize = "16K"
dataset.primarycache = "metadata"
[variants.xfs]
stack = "md"
md = "raid0 hdd[0-1]"
filesystem = "xfs"
[variants.ext4]
stack = "ext4"
drive = "hdd1"
[workloads.libaio-read]
fio.job = """
[j]
ioengine=libaio
iodepth=8
direct=1
rw=randread
bs=16k
size=512M
"""
[workloads.libaio-flush]
fio.job = """
[j]
ioengine=libaio
iodepth=8
rw=randwrite
bs=16k
size=512M
fsync=1
"""
[workloads.io-uring-flush]
fio.job = """
[j]
ioengine=io_uring
iodepth=8
rw=randwrite
bs=16k
size=512M
fdatasync=1
"""
[workloads.one-log]
fio.job = """
[j]
filename=log
rw=randwrite
bs=16k
size=512M
fsync=1
numjobs=4
"""
[method]
baseline = "zfs"
runtime = "2s"
ramp = "0s"
min_trials = 1
max_trials = 1
[scale]
size = 8
dirty_data_max = "64M"
"#;

/// Operations in flight of each workload, at least and at most, and a line that stays in its copy. Of several jobs on a
/// disk one may end an operation of 0.25 s before the others, in a window of 2 s.
const QUEUES: [(&str, [f64; 2], &str); 4] = [
    ("libaio-read", [8.0, 8.0], "ioengine=libaio"),
    ("libaio-flush", [8.0, 8.0], "fsync=1"),
    ("io-uring-flush", [8.0, 8.0], "fdatasync=1"),
    ("one-log", [3.875, 4.0], "fsync=1"),
];

/// A mailbox or a tree of sources: more files than a process may have open by the kernel's default.
const MANY_FILES: &str = r#"
[host]
memory = "16G"
cores = 4
[drives]
ssd = "1x pm883-3.84t"
[variants.zfs]
vdevs = "ssd0"
[workloads.many-files]
fio.job = """
[j]
rw=randread
bs=4k
nrfiles=1100
filesize=4k
numjobs=4
"""
[method]
runtime = "1s"
ramp = "0s"
min_trials = 1
max_trials = 1
[scale]
size = 1
dirty_data_max = "64M"
"#;

#[test]
fn littles_law_holds_for_every_queue_on_zfs_on_xfs_and_on_a_lone_drive() {
    let place = tempfile::tempdir().unwrap();
    let Some(findings) = run(place.path(), LAB) else { return };
    let cells = findings["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 3 * QUEUES.len());
    for cell in cells {
        let name = cell["workload"].as_str().unwrap();
        let (_, [least, most], _) = QUEUES.iter().find(|queue| queue.0 == name).unwrap();
        let checks = cell["checks"].as_array().unwrap();
        let little = checks.iter().find(|check| check["law"] == "little").unwrap();
        let in_flight = little["expected"].as_f64().unwrap();
        assert!((*least..=*most).contains(&in_flight), "{cell}");
        assert_eq!(little["pass"], true, "{cell}");
        assert_eq!(cell["trials"]["failed"], 0, "{cell}");
    }
    let copies = copies(&place.path().join("store"));
    for (name, _, line) in QUEUES {
        let kept = copies.iter().filter(|copy| copy.contains(line)).count();
        assert!(kept >= 3, "{name}: {line} in {copies:#?}");
    }
}

#[test]
fn a_job_may_have_all_of_its_many_files_open() {
    let place = tempfile::tempdir().unwrap();
    let Some(findings) = run(place.path(), MANY_FILES) else { return };
    let cell = &findings["cells"][0];
    assert_eq!(cell["trials"]["failed"], 0, "{cell}");
}

/// The findings of a lab, run with its store in `place`; none where there is no engine.
fn run(place: &Path, lab: &str) -> Option<serde_json::Value> {
    let engine = engine()?;
    let file = place.join("lab.toml");
    fs::write(&file, lab).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["run", "--json", "--store"])
        .args([&place.join("store"), &file])
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.join("cache"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The job files that ran.
fn copies(store: &Path) -> Vec<String> {
    let mut copies = Vec::new();
    let mut directories = vec![store.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.ends_with("job.fio") {
                copies.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    copies
}
