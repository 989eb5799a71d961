//! What a pool's process takes beside its ARC, which is what S is chosen by (`lab::model`).
#![cfg(feature = "engine")]

mod process;

use process::{built, campaign};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

const LAB: &str = r#"
title = "memory"
openzfs = "2.1"
[host]
memory = "4G"
cores = 2
[drives]
ssd = "2x pm883-3.84t"
[pool]
vdevs = "ssd0 ssd1"
[dataset]
recordsize = "128K"
[workloads.w]
fio.job = "[w]\nrw=write\nsize=4g\nruntime=1\ntime_based=1\n"
[scale]
size = 8
dirty_data_max = "64M"
"#;

/// KiB of memory of its own that a process has.
fn anonymous_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|l| l.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Buffers aligned to pages that are freed are found again: with the C library's allocator the process
/// grew with what was written, to three times its ARC.
#[test]
fn a_process_does_not_grow_with_what_is_written_to_its_pool() {
    let (_, model) = campaign(LAB);
    let (mut process, _place, dir) = built(LAB);
    process.mount("", &dir);
    let file = File::create(dir.join("file")).unwrap();
    let mut block = vec![0u8; 1 << 20];
    let mut seen = Vec::new();
    // One file over and over: its drives hold no more of it, its ARC is full after the first time.
    for round in 0..6u8 {
        for at in 0..512u64 {
            block.fill(round.wrapping_mul(31).wrapping_add(at as u8));
            file.write_all_at(&block, at << 20).unwrap();
        }
        file.sync_all().unwrap();
        seen.push(anonymous_kib(process.id()));
    }
    let bound_kib = lab::model::engine_memory(model.arc_max) / 1024;
    drop(file);
    process.stop();
    println!("{seen:?} of {bound_kib}");
    assert!(
        seen.iter().all(|kib| *kib < bound_kib),
        "{seen:?} of {bound_kib} KiB"
    );
}
