//! What was acknowledged is there after a power cut, in every state that the drives may be left in;
//! and with `sync=disabled` it is not, so that the check can fail.
#![cfg(feature = "engine")]

mod process;

use poolfs::emulator::{copy_store, power_cut};
use poolfs::protocol::Request;
use process::{Process, build, campaign, place};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Disks with volatile caches, with and without a log device whose cache is volatile, too.
const LAB: &str = r#"
title = "power cut"
openzfs = "2.1"
[host]
memory = "4G"
cores = 4
[drives]
hdd = "2x hdd-7200-4t"
nvme = "1x nvme-consumer-1t"
liar = { profile = "nvme-consumer-1t", count = 1, flush = "lies" }
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[dataset]
recordsize = "16K"
[factors]
log = { none = "", consumer = "log nvme0", liar = "log liar0" }
[variants.disabled]
dataset.sync = "disabled"
[workloads.w]
fio.job = """
[w]
rw=write
size=1g
runtime=1
time_based=1
"""
[method]
baseline = "none"
[scale]
size = 8
dirty_data_max = "64M"
"#;

const BLOCK: u64 = 8192;
const WRITERS: u64 = 4;
const STATES: u64 = 3;

fn block(writer: u64, i: u64) -> Vec<u8> {
    let stamp = (writer << 48 | i).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (0..BLOCK / 8)
        .flat_map(|w| (stamp ^ w).to_le_bytes())
        .collect()
}

/// Writes blocks in order, each followed by fdatasync, until told to stop; counts what was
/// acknowledged.
fn write_until(dir: &Path, writer: u64, stop: &AtomicBool, acknowledged: &AtomicU64) {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(dir.join(format!("w{writer}")))
        .unwrap();
    for i in 0.. {
        if stop.load(Ordering::Relaxed)
            || file.write_all_at(&block(writer, i), i * BLOCK).is_err()
            || file.sync_data().is_err()
        {
            return;
        }
        acknowledged.store(i + 1, Ordering::SeqCst);
    }
}

/// Acknowledged blocks that are not there as written.
fn missing(dir: &Path, acknowledged: &[u64]) -> u64 {
    let mut missing = 0;
    for (writer, &n) in acknowledged.iter().enumerate() {
        let bytes = fs::read(dir.join(format!("w{writer}"))).unwrap_or_default();
        for i in 0..n {
            let at = (i * BLOCK) as usize;
            let there = bytes.get(at..at + BLOCK as usize);
            missing += u64::from(there != Some(&block(writer as u64, i)[..]));
        }
    }
    missing
}

/// Acknowledged blocks, and how many of them are missing in each of several crash states.
fn cut(variant: &str) -> (u64, Vec<u64>) {
    let (campaign, model) = campaign(LAB);
    let (place, store, dir) = place();
    let mut process = Process::start();
    process
        .ask(Request::Build(Box::new(build(
            &campaign, &model, variant, &store,
        ))))
        .unwrap();
    process.mount("", &dir);
    let stop = AtomicBool::new(false);
    let counts: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    let acknowledged: Vec<u64> = std::thread::scope(|scope| {
        for (writer, count) in counts.iter().enumerate() {
            let (dir, stop) = (&dir, &stop);
            scope.spawn(move || write_until(dir, writer as u64, stop, count));
        }
        std::thread::sleep(Duration::from_millis(1500));
        // Counted before the cut: what is acknowledged meanwhile only adds to what is there.
        let acknowledged = counts.iter().map(|c| c.load(Ordering::SeqCst)).collect();
        process.kill();
        stop.store(true, Ordering::Relaxed);
        acknowledged
    });
    let drives: Vec<String> = campaign.variants[0]
        .drives
        .iter()
        .flat_map(|(kind, d)| (0..d.count).map(move |i| format!("{kind}{i}")))
        .collect();
    let states = (0..STATES)
        .map(|seed| {
            let state = place.path().join(format!("state{seed}"));
            fs::create_dir(&state).unwrap();
            copy_store(&store, &state).unwrap();
            for drive in &drives {
                if fs::read_dir(&state)
                    .unwrap()
                    .flatten()
                    .any(|e| e.file_name().to_string_lossy().starts_with(drive.as_str()))
                {
                    power_cut(&state, drive, seed).unwrap();
                }
            }
            let build = Box::new(build(&campaign, &model, variant, &state));
            let mut process = Process::start();
            process.ask(Request::Import(build)).unwrap();
            process.mount("", &dir);
            let missing = missing(&dir, &acknowledged);
            process.stop();
            missing
        })
        .collect();
    (acknowledged.iter().sum(), states)
}

#[test]
fn every_acknowledged_block_survives_a_power_cut_with_and_without_a_log_device() {
    for variant in ["none", "consumer"] {
        let (acknowledged, missing) = cut(variant);
        eprintln!("{variant}: {acknowledged} acknowledged, missing in each state {missing:?}");
        assert!(
            acknowledged > 100,
            "{variant}: only {acknowledged} blocks were written"
        );
        assert!(
            missing.iter().all(|&m| m == 0),
            "{variant}: {missing:?} of {acknowledged}"
        );
    }
}

#[test]
fn without_commits_acknowledged_blocks_are_lost() {
    let (acknowledged, missing) = cut("disabled");
    eprintln!("disabled: {acknowledged} acknowledged, missing in each state {missing:?}");
    assert!(
        missing.iter().all(|&m| m > 0),
        "nothing was lost of {acknowledged}: {missing:?}"
    );
}

#[test]
fn a_log_device_that_lies_about_its_flushes_loses_what_was_acknowledged() {
    let (acknowledged, missing) = cut("liar");
    eprintln!("liar: {acknowledged} acknowledged, missing in each state {missing:?}");
    assert!(
        missing.iter().any(|&m| m > 0),
        "nothing was lost of {acknowledged}: {missing:?}"
    );
}
