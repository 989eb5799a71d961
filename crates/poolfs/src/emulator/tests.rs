//! Crash states and timing, through the drives' public side.

use super::{CutReport, Drive, Emulator, Place, Settings, Spec, power_cut};
use crate::clock::Clock;
use crate::raw::{Raw, RawIo};
use crate::volume::{IoFlags, Stages, Volume};
use drives::{Op, Profile};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

const SECTOR: usize = 512;
const SECTORS: u64 = 256;
/// The file of a raw drive's volume.
const FILE: u64 = 2;

fn volatile(tearing: u64, lies: bool) -> Profile {
    let text = include_str!("../../../../profiles/instant.toml")
        .replace("write_cache = false", "write_cache = true")
        .replace(
            "power_loss_protection = true",
            "power_loss_protection = false",
        )
        .replace(
            "flush = \"honest\"",
            if lies {
                "flush = \"lies\""
            } else {
                "flush = \"honest\""
            },
        )
        .replace(
            "tearing = { value = 4_096",
            &format!("tearing = {{ value = {tearing}"),
        );
    Profile::from_toml(&text).expect("a valid profile")
}

fn files(store: &Path) -> Place {
    Place::Files(store.to_owned())
}

struct Rig {
    _emulator: Emulator<RawIo>,
    drive: Arc<Drive<RawIo>>,
    raw: Raw<RawIo>,
}

impl Rig {
    fn open(store: &Path, profile: Profile, dilation: f64) -> Self {
        let clock = Clock::start(dilation);
        let emulator =
            Emulator::new(clock, files(store), Settings::default()).expect("timer threads");
        let spec = Spec {
            name: "d0".to_owned(),
            profile,
            real_capacity: 1 << 30,
            scaled_capacity: SECTORS * SECTOR as u64,
            seed: 7,
            elevator: None,
        };
        let drive = emulator.add(&spec).expect("a drive");
        Self {
            _emulator: emulator,
            raw: Raw::new(Arc::clone(&drive)),
            drive,
        }
    }

    /// Writes sectors, each filled with `value`.
    fn write(&self, sector: u64, count: u64, value: u16) {
        let data: Vec<u8> = value.to_le_bytes().repeat(count as usize * SECTOR / 2);
        self.raw
            .write(
                FILE,
                sector * SECTOR as u64,
                &data,
                IoFlags::default(),
                &mut Stages::default(),
            )
            .expect("written");
    }

    fn flush(&self) {
        self.raw
            .fsync(FILE, true, &mut Stages::default())
            .expect("flushed");
    }

    fn sectors(&self) -> Vec<u16> {
        let mut data = vec![0; SECTORS as usize * SECTOR];
        self.raw
            .read(
                FILE,
                0,
                &mut data,
                IoFlags::default(),
                &mut Stages::default(),
            )
            .expect("read");
        data.chunks_exact(SECTOR)
            .map(|s| {
                assert!(s.chunks_exact(2).all(|v| v == &s[..2]), "a torn sector");
                u16::from_le_bytes([s[0], s[1]])
            })
            .collect()
    }
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a directory");
    for entry in fs::read_dir(from).expect("listed") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.path().join(entry.file_name())).expect("copied");
    }
    to
}

/// A crash state of `store` and what the drive holds in it.
fn crash(store: &Path, profile: &Profile, seed: u64) -> (CutReport, Vec<u16>) {
    let state = copy(store);
    let report = power_cut(state.path(), "d0", seed).expect("cut");
    (
        report,
        Rig::open(state.path(), profile.clone(), 1.0).sectors(),
    )
}

#[derive(Debug, Clone)]
enum Step {
    Write(u64, u64),
    Flush,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0..SECTORS - 40, 1u64..40).prop_map(|(at, n)| Step::Write(at, n));
    prop::collection::vec(prop_oneof![5 => write, 1 => Just(Step::Flush)], 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_was_flushed_is_there_and_the_rest_is_a_subset_torn_only_in_units(
        steps in steps(), units in prop::sample::select(vec![1u64, 8, 32]), seed: u64
    ) {
        let store = tempfile::tempdir().expect("a directory");
        let profile = volatile(units * SECTOR as u64, false);
        let rig = Rig::open(store.path(), profile.clone(), 1.0);
        let mut durable = vec![0u16; SECTORS as usize];
        let mut newest = durable.clone();
        let mut unflushed: BTreeMap<u16, (u64, u64)> = BTreeMap::new();
        for (value, step) in (1u16..).zip(&steps) {
            match *step {
                Step::Write(at, n) => {
                    rig.write(at, n, value);
                    newest[at as usize..(at + n) as usize].fill(value);
                    unflushed.insert(value, (at, n));
                }
                Step::Flush => {
                    rig.flush();
                    durable.clone_from(&newest);
                    unflushed.clear();
                }
            }
        }
        prop_assert_eq!(rig.sectors(), newest);
        drop(rig);
        let (report, after) = crash(store.path(), &profile, seed);
        prop_assert_eq!(report.unflushed, unflushed.len() as u64);
        prop_assert_eq!(report.kept + report.torn + report.lost, report.unflushed);
        for (sector, value) in after.iter().enumerate() {
            let written = unflushed.get(value).is_some_and(|(at, n)| {
                (*at..at + n).contains(&(sector as u64))
            });
            prop_assert!(
                *value == durable[sector] || written,
                "sector {} holds {}, which was never there", sector, value
            );
        }
        // Within a unit, what no later write touched is new as a whole or old as a whole.
        for (value, (at, n)) in &unflushed {
            let mut seen: BTreeMap<u64, bool> = BTreeMap::new();
            for sector in *at..at + n {
                let overwritten = unflushed.range(value + 1..).any(|(_, (from, m))| {
                    (*from..from + m).contains(&sector)
                });
                if !overwritten {
                    let is_new = after[sector as usize] == *value;
                    let first = *seen.entry(sector / units).or_insert(is_new);
                    prop_assert_eq!(first, is_new, "write {} torn inside a unit", value);
                }
            }
        }
        // The same seed gives the same state.
        prop_assert_eq!(crash(store.path(), &profile, seed), (report, after));
    }
}

#[test]
fn one_kill_yields_many_states() {
    let store = tempfile::tempdir().expect("a directory");
    let profile = volatile(4096, false);
    let rig = Rig::open(store.path(), profile.clone(), 1.0);
    for i in 0..12 {
        rig.write(i * 20, 16, i as u16 + 1);
    }
    drop(rig);
    let states: Vec<_> = (0..40).map(|s| crash(store.path(), &profile, s)).collect();
    let distinct: std::collections::BTreeSet<_> = states.iter().map(|(_, s)| s.clone()).collect();
    assert!(distinct.len() > 25, "{} states", distinct.len());
    assert!(states.iter().any(|(r, _)| r.torn > 0));
    assert!(states.iter().any(|(r, _)| r.kept > 8));
    assert!(states.iter().any(|(r, _)| r.lost > 10));
}

#[test]
fn a_drive_that_lies_loses_what_it_flushed() {
    let store = tempfile::tempdir().expect("a directory");
    for lies in [false, true] {
        let profile = volatile(4096, lies);
        let rig = Rig::open(store.path(), profile.clone(), 1.0);
        rig.write(0, 8, 9);
        rig.write(8, 8, 9);
        rig.flush();
        drop(rig);
        let lost = (0..20)
            .filter(|s| crash(store.path(), &profile, *s).1[0] != 9)
            .count();
        assert_eq!(lost > 0, lies, "{lost} of 20 states lost a flushed write");
        fs::remove_file(store.path().join("d0.data")).expect("removed");
        fs::remove_file(store.path().join("d0.unflushed")).expect("removed");
        fs::remove_file(store.path().join("d0.first")).expect("removed");
    }
}

#[test]
fn a_drive_with_power_loss_protection_loses_nothing() {
    let store = tempfile::tempdir().expect("a directory");
    let text = include_str!("../../../../profiles/instant.toml");
    let profile = Profile::from_toml(text).expect("valid");
    let rig = Rig::open(store.path(), profile.clone(), 1.0);
    rig.write(3, 10, 5);
    let newest = rig.sectors();
    drop(rig);
    for seed in 0..5 {
        let (report, after) = crash(store.path(), &profile, seed);
        assert_eq!(report, CutReport::default());
        assert_eq!(after, newest);
    }
}

#[test]
fn a_card_that_writes_through_loses_what_its_members_had_not_flushed() {
    let store = tempfile::tempdir().expect("a directory");
    let text = include_str!("../../../../profiles/raid0-12x4t.toml");
    let mut profile = Profile::from_toml(text).expect("valid");
    profile.write_cache = false;
    *profile.card.as_mut().expect("a card").member = volatile(4096, false);
    let rig = Rig::open(store.path(), profile.clone(), 1.0);
    rig.write(0, 8, 9);
    rig.flush();
    rig.write(8, 8, 9);
    rig.write(16, 8, 9);
    drop(rig);
    let states: Vec<_> = (0..20).map(|s| crash(store.path(), &profile, s)).collect();
    assert!(states.iter().all(|(report, _)| report.unflushed == 2));
    assert!(states.iter().all(|(_, sectors)| sectors[0] == 9), "flushed");
    assert!(states.iter().any(|(_, sectors)| sectors[8] != 9));
}

#[test]
fn a_failed_drive_answers_with_an_error() {
    let store = tempfile::tempdir().expect("a directory");
    let rig = Rig::open(store.path(), volatile(4096, false), 1.0);
    rig.write(0, 1, 1);
    rig.drive.fail();
    let answer = rig
        .raw
        .fsync(FILE, true, &mut Stages::default())
        .expect_err("it has failed");
    assert_eq!(answer, crate::volume::Errno::EIO);
}

/// 100 µs a request, ten times slower: a millisecond of real time each, never early.
#[test]
fn a_request_takes_its_virtual_time() {
    let store = tempfile::tempdir().expect("a directory");
    let text = include_str!("../../../../profiles/flat-latency.toml");
    let profile = Profile::from_toml(text).expect("valid");
    let rig = Rig::open(store.path(), profile, 10.0);
    let started = Instant::now();
    for i in 0..50 {
        rig.write(i, 1, 1);
    }
    let elapsed = started.elapsed();
    assert!(elapsed >= Duration::from_millis(50), "{elapsed:?}");
    let services = rig.drive.take_service();
    let [service] = &services[..] else {
        panic!("writes and nothing else: {services:?}");
    };
    assert_eq!((service.op, service.intended.len()), (Op::Write, 50));
    assert!(
        service.intended.min() >= 99_000,
        "{}",
        service.intended.min()
    );
    assert!(service.achieved.min() >= service.intended.min());
    let counters = rig.drive.counters();
    assert_eq!(counters.writes, 50);
    // One at a time: busy for 50 intended times.
    let busy = counters.busy_ns as f64 / 50.0;
    assert!((99_000.0..110_000.0).contains(&busy), "{busy}");
}

/// A flush whose client takes its time before it lets the thread go that completed it.
struct Dawdling {
    time: Duration,
    done: std::sync::mpsc::Sender<Instant>,
}

impl super::Io for Dawdling {
    fn op(&self) -> Op {
        Op::Flush
    }

    fn offset(&self) -> u64 {
        0
    }

    fn length(&self) -> u64 {
        0
    }

    fn data(&self) -> &[u8] {
        &[]
    }

    fn data_mut(&mut self) -> &mut [u8] {
        &mut []
    }

    fn complete(self, result: Result<(), i32>) {
        result.expect("flushed");
        self.done.send(Instant::now()).expect("awaited");
        std::thread::sleep(self.time);
    }
}

#[test]
fn a_drive_reports_the_sector_that_its_profile_claims() {
    let store = tempfile::tempdir().expect("a directory");
    let mut profile = volatile(4096, false);
    let told = |profile: &Profile| {
        Rig::open(store.path(), profile.clone(), 1.0)
            .drive
            .geometry()
            .physical_sector
    };
    assert_eq!(told(&profile), 4096);
    profile.reported_sector = Some(drives::Number::stated(512.0));
    assert_eq!(told(&profile), 512);
}

#[test]
fn a_timer_that_is_held_up_is_relieved() {
    if std::thread::available_parallelism().is_ok_and(|n| n.get() == 1) {
        return;
    }
    let store = tempfile::tempdir().expect("a directory");
    let emulator = Emulator::new(Clock::start(1.0), files(store.path()), Settings::default())
        .expect("timer threads");
    let [held, other] = ["d0", "d1"].map(|name| {
        let spec = Spec {
            name: name.to_owned(),
            profile: volatile(4096, false),
            real_capacity: 1 << 30,
            scaled_capacity: SECTORS * SECTOR as u64,
            seed: 7,
            elevator: None,
        };
        emulator.add(&spec).expect("a drive")
    });
    let (done, when) = std::sync::mpsc::channel();
    let flush = |drive: &Drive<Dawdling>, time: Duration| {
        let done = done.clone();
        drive.submit(Dawdling { time, done });
        when.recv_timeout(Duration::from_secs(30)).expect("done")
    };
    // Whichever thread completes this one is gone for a second.
    flush(&held, Duration::from_secs(1));
    for _ in 0..10 {
        let began = Instant::now();
        let took = flush(&other, Duration::ZERO) - began;
        assert!(took < Duration::from_millis(250), "{took:?}");
    }
}

/// By its name, a thread's scheduling policy: field 41 of its `stat`, 1 is FIFO.
fn policy_of_the_timer() -> Option<String> {
    let tasks = fs::read_dir("/proc/self/task").expect("proc is mounted");
    tasks.filter_map(Result::ok).find_map(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        let (head, fields) = stat.rsplit_once(") ")?;
        let policy = fields.split(' ').nth(41 - 3)?;
        head.ends_with("(drives").then(|| policy.to_owned())
    })
}

#[test]
fn the_thread_that_keeps_time_goes_first_where_it_may() {
    let fifo = || {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy).is_ok()
    };
    let expected = match std::thread::spawn(fifo).join().expect("no panic") {
        true => "1",
        false => "0",
    };
    let store = tempfile::tempdir().expect("a directory");
    let _emulator: Emulator<RawIo> =
        Emulator::new(Clock::start(1.0), files(store.path()), Settings::default())
            .expect("timer threads");
    let begun = Instant::now();
    while policy_of_the_timer().as_deref() != Some(expected) {
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "still not {expected}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
