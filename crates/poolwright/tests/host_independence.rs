//! The host's load does not enter a trial: the same result, to the byte, on an idle host and on one without
//! free processors and with memory that is in use. This test needs an engine.

#[path = "with_engine/mod.rs"]
mod with_engine;

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use with_engine::{can_mount, copy, engine, skipped};

/// Writes that fill the dirty data, and reads that miss the ARC. So few files that the pool state is stored, with which a
/// rung begins, too.
const LAB: &str = r#"
title = "A lab for tests"
[host]
memory = "128G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[workloads.mixed]
rates = [30]
fio.job = """
[j]
rw=randrw
bs=16k
size=512M
iodepth=8
ioengine=libaio
"""
[method]
runtime = "2s"
ramp = "0s"
min_trials = 1
max_trials = 1
[scale]
size = 16
dirty_data_max = "256M"
"#;

/// Most bytes that the load takes.
const MOST: usize = 4 << 30;
/// Bytes of a page.
const PAGE: usize = 4096;

/// A kernel whose first process has other settings of malloc in its environment.
const MAPPING_KERNEL: &str = "#!/bin/sh
exec \"${0%/*}/kernel\" MALLOC_TOP_PAD_=1 MALLOC_TRIM_THRESHOLD_=0 MALLOC_MMAP_THRESHOLD_=1 \"$@\"
";

/// The program on a host with an archive of locales and without the aliases of their names.
const OTHER_LOCALES: &str = "#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs none /usr/lib/locale && mount -t tmpfs none /usr/share/locale &&
    head -c 300000 /dev/zero >/usr/lib/locale/locale-archive && exec \"$@\"' sh ";

/// Runs the lab with a store of its own. By key the result, and a digest of the
/// drives that it began with.
fn results(place: &Path, store: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    results_of(Path::new(env!("CARGO_BIN_EXE_poolwright")), &engine().unwrap(), place, store)
}

/// The same with this executable and this engine.
fn results_of(
    program: &Path,
    engine: &Path,
    place: &Path,
    store: &str,
) -> BTreeMap<PathBuf, Vec<u8>> {
    let output = Command::new(program)
        .args(["run", "lab.toml", "--store", store])
        .current_dir(place)
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.join("cache"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let entries = |path: PathBuf| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let directories = |what| entries(place.join(store).join(what)).flat_map(entries);
    let name = |directory: &Path| PathBuf::from(directory.file_name().unwrap());
    let result = |trial: PathBuf| (name(&trial), fs::read(trial.join("result.json")).unwrap());
    let state = |state: PathBuf| {
        let text = format!("{{\"contents\": {}}}", contents(&state.join("image")));
        (name(&state), text.into_bytes())
    };
    directories("trials").map(result).chain(directories("states").map(state)).collect()
}

/// A digest of what drives hold, by an image of them: their pages with their numbers. Which of them the image has once
/// for several drives does not matter. The form is that of contents::image.
fn contents(image: &Path) -> u64 {
    let bytes = fs::read(image).unwrap();
    let mut words = bytes[16..].chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let mut next = || words.next().unwrap();
    let distinct = next() as usize;
    let first = bytes.len() - distinct * PAGE;
    let mut digest = DefaultHasher::new();
    for drive in 0..2 {
        for _ in 0..next() {
            let (number, place) = (next(), next() as usize);
            (drive, number).hash(&mut digest);
            bytes[first + place * PAGE..][..PAGE].hash(&mut digest);
        }
    }
    digest.finish()
}

/// Lines of two results that differ, a line a value.
fn differences(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) -> String {
    let lines = |results: &BTreeMap<PathBuf, Vec<u8>>| {
        let values = results.values().map(|text| serde_json::from_slice(text).unwrap());
        let texts = values.map(|value: serde_json::Value| format!("{value:#}\n"));
        texts.collect::<String>()
    };
    let (one, other) = (lines(one), lines(other));
    let pairs = one.lines().zip(other.lines());
    let different = pairs.filter(|(a, b)| a != b).take(20);
    different.map(|(a, b)| format!("{a} | {b}\n")).collect()
}

/// Bytes that the host can give without swapping, by `/proc/meminfo`.
fn available() -> usize {
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() << 10
}

#[test]
fn a_trial_has_the_same_result_on_a_host_under_load() {
    if engine().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), LAB).unwrap();
    let alone = results(place.path(), "quiet");
    assert_eq!(alone.len(), 3, "two trials and the state that both begin with");
    let values = alone.values().map(|text| serde_json::from_slice(text).unwrap());
    let seconds: Vec<serde_json::Value> = values
        .filter_map(|value: serde_json::Value| value["outcome"]["seconds"].as_array().cloned())
        .flatten()
        .collect();
    let dirty = |second: &serde_json::Value| second["values"]["dirty.bytes"].as_f64().unwrap();
    // Writes of the client wait for a transaction group, up to the limit.
    let most = seconds.iter().map(dirty).fold(0.0, f64::max);
    assert!((1e6..=257e6).contains(&most), "{most} bytes of dirty data");

    // The machine's own memory stays free.
    let held = MOST.min(available() / 2);
    let over = AtomicBool::new(false);
    let touched = AtomicU64::new(0);
    let loaded = thread::scope(|scope| {
        scope.spawn(|| {
            let mut memory = vec![0u8; held];
            while !over.load(Ordering::Relaxed) {
                for page in memory.chunks_mut(PAGE) {
                    page[0] = page[0].wrapping_add(1);
                }
                touched.fetch_add(black_box(&memory).len() as u64, Ordering::Relaxed);
            }
        });
        // A loop a processor competes with the machine.
        let processors = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..processors {
            scope.spawn(|| {
                let mut n = 0u64;
                while !over.load(Ordering::Relaxed) {
                    n = black_box(n.wrapping_add(1));
                }
            });
        }
        while touched.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let results = thread::Builder::new().spawn_scoped(scope, || results(place.path(), "laden"));
        let results = results.unwrap().join();
        // Also where it failed: the loops end with it.
        over.store(true, Ordering::Relaxed);
        results.unwrap()
    });
    assert!(loaded == alone, "{}", differences(&loaded, &alone));
}

#[test]
fn a_trial_has_the_same_result_wherever_its_store_the_program_and_the_engine_are() {
    if engine().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), LAB).unwrap();
    // Two lengths alone may agree by chance: what they cost rounds to the same ns.
    let here = results(place.path(), "store");
    for name in ["store-of-17-bytes", "a-store-with-a-longer-name"] {
        let there = results(place.path(), name);
        assert!(here == there, "{name}: {}", differences(&here, &there));
    }
    let long = "a/directory/of/five/names/and-one-that-is-longer";
    for name in ["d", "di", "dir", "dire", "a/d", long] {
        let directory = place.path().join(name);
        copy(&engine().unwrap(), &directory.join("engine"));
        let program = directory.join("poolwright");
        fs::copy(env!("CARGO_BIN_EXE_poolwright"), &program).unwrap();
        let there = results_of(&program, &directory.join("engine"), place.path(), "other-paths");
        assert!(here == there, "{name}: {}", differences(&here, &there));
        fs::remove_dir_all(place.path().join("other-paths")).unwrap();
    }
}

#[test]
fn a_trial_has_the_same_result_from_another_build_of_the_program() {
    if engine().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), LAB).unwrap();
    let here = results(place.path(), "store");
    let program = Path::new(env!("CARGO_BIN_EXE_poolwright"));
    // An example of this crate, which `cargo test` builds.
    let other = program.parent().unwrap().join("examples/more_memory");
    let there = results_of(&other, &engine().unwrap(), place.path(), "other");
    assert!(here == there, "{}", differences(&here, &there));
    // And a first process that has a mapping for each of its blocks, and frees it with them: an engine whose kernel
    // has these words on its command line, before those that are for the first process, hands them to it.
    let mapping = place.path().join("engine");
    copy(&engine().unwrap(), &mapping);
    let kernel = mapping.join("linux");
    fs::rename(&kernel, mapping.join("kernel")).unwrap();
    fs::write(&kernel, MAPPING_KERNEL).unwrap();
    fs::set_permissions(&kernel, fs::Permissions::from_mode(0o755)).unwrap();
    let there = results_of(program, &mapping, place.path(), "mapping");
    assert!(here == there, "{}", differences(&here, &there));
}

/// fio looks for locales, whatever its environment says.
#[test]
fn a_trial_has_the_same_result_on_a_host_with_other_locales() {
    if engine().is_none() {
        return;
    }
    if !can_mount() {
        return skipped("needs root that may mount");
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), LAB).unwrap();
    let here = results(place.path(), "store");
    let script = place.path().join("poolwright");
    let program = env!("CARGO_BIN_EXE_poolwright");
    fs::write(&script, format!("{OTHER_LOCALES}'{program}' \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let there = results_of(&script, &engine().unwrap(), place.path(), "other");
    assert!(here == there, "{}", differences(&here, &there));
}
