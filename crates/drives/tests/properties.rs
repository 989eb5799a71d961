//! Properties of every timing model under any requests.

mod arrivals;
mod common;

use arrivals::{SIZE, arrivals, make, play, shapes, times};
use common::{capacity, profile};
use drives::closed_loop::{ClosedLoop, Pattern};
use drives::{Drive, Elevator, Nanos, Op, Profile, Request};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_request_finishes_once_in_order_and_not_before_it_came(arrivals in arrivals(120)) {
        for (name, profile) in shapes() {
            let finished = play(make(&profile).as_mut(), &arrivals, 0);
            prop_assert_eq!(finished.len(), arrivals.len(), "{}", name);
            let mut tags: Vec<u64> = finished.iter().map(|c| c.tag).collect();
            tags.sort_unstable();
            tags.dedup();
            prop_assert_eq!(tags.len(), arrivals.len(), "{}", name);
            prop_assert!(finished.is_sorted_by_key(|c| c.at), "{}: time went back", name);
            let came = times(&arrivals);
            for completion in &finished {
                prop_assert!(completion.at >= came[completion.tag as usize], "{}", name);
            }
        }
    }

    #[test]
    fn an_elevator_loses_nothing(arrivals in arrivals(80), in_flight in 1usize..5) {
        for (name, profile) in shapes() {
            let mut drive = Elevator::new(make(&profile), in_flight);
            let finished = play(&mut drive, &arrivals, 0);
            prop_assert_eq!(finished.len(), arrivals.len(), "{}", name);
        }
    }

    /// Being asked late changes nothing.
    #[test]
    fn a_drive_asked_late_tells_the_same_times(arrivals in arrivals(80)) {
        for (name, profile) in shapes() {
            let exact = play(make(&profile).as_mut(), &arrivals, 0);
            let late = play(make(&profile).as_mut(), &arrivals, 300_000);
            prop_assert_eq!(exact, late, "{}", name);
        }
    }
}

/// Nothing goes over the medium faster than its outer zone, or over the interface faster than it
/// is stated, at any depth and length.
#[test]
fn throughput_never_exceeds_what_the_profile_states() {
    for (name, profile) in shapes() {
        let (read, write) = match (&profile.hdd, &profile.flash) {
            (Some(hdd), _) => (hdd.rate_outer_mb_s.value, hdd.rate_outer_mb_s.value),
            (_, Some(flash)) => (flash.read_mb_s.value, flash.write_mb_s.value),
            _ => continue,
        };
        for (depth, length, pattern, writes) in [
            (1, 1 << 20, Pattern::Sequential, 0.0),
            (32, 4096, Pattern::Sequential, 0.0),
            (32, 1 << 20, Pattern::Sequential, 1.0),
            (64, 1 << 20, Pattern::Random, 0.0),
            (64, 65536, Pattern::Random, 1.0),
        ] {
            let client = ClosedLoop {
                depth,
                length,
                pattern,
                writes,
                span: SIZE,
                // Past the write buffer, which takes a burst at the interface's rate.
                warm_up: 500 + (200 << 20) / length * writes as u64,
                requests: 3000,
                ..ClosedLoop::default()
            };
            let got = client.run(make(&profile).as_mut()).bytes_per_second / 1e6;
            let limit = if writes > 0.0 { write } else { read };
            assert!(got <= limit * 1.02, "{name} {client:?}: {got} MB/s of {limit}");
        }
    }
}

/// A drive shrunk 12 times keeps its seeks: position is a share of the drive.
#[test]
fn random_iops_do_not_depend_on_the_size_scale() {
    let disk = profile("hdd-7200-8t");
    let real = capacity(&disk);
    for depth in [1, 4, 32] {
        let iops = |scaled: u64| {
            let client = ClosedLoop {
                depth,
                span: scaled,
                warm_up: 500,
                requests: 20_000,
                ..ClosedLoop::default()
            };
            client.run(disk.drive(real, scaled, 1).as_mut()).iops
        };
        let ratio = iops(real / 12) / iops(real);
        assert!((0.98..1.02).contains(&ratio), "depth {depth}: {ratio}");
    }
}

/// The queue is reordered, but nobody starves: a far read among a flood of near ones is served.
#[test]
fn a_far_request_is_served_within_the_age_limit() {
    let disk = profile("hdd-7200-8t");
    let size = capacity(&disk);
    let mut drive = disk.drive(size, size, 1);
    let read = |offset| Request::new(Op::Read, offset, 4096);
    let far = u64::MAX;
    for tag in 0..31 {
        drive.submit(0, tag, read(tag * 10_000_000));
    }
    drive.submit(0, far, read(size / 4096 * 4096 - 4096));
    let mut finished = Vec::new();
    let mut next = 31;
    let served = loop {
        let at = drive.next_event().expect("a busy drive has a next event");
        drive.advance(at, &mut finished);
        for completion in std::mem::take(&mut finished) {
            if completion.tag == far {
                next = 0;
                break;
            }
            drive.submit(at, next, read((next * 7919 % 1000) * 1_000_000 / 4096 * 4096));
            next += 1;
        }
        if next == 0 {
            break at;
        }
        assert!(at < 10_000_000_000, "starved");
    };
    let hdd = disk.hdd.expect("disk");
    let limit = hdd.age_limit_ms.value + 33.0 * 60e3 / hdd.rpm.value + 50.0;
    assert!(served as f64 / 1e6 <= limit, "{} ms", served as f64 / 1e6);
}

/// 512e: a write of half a physical sector reads it and writes it a revolution later; ashift=9 on
/// such a drive costs this on every write.
#[test]
fn a_write_of_part_of_a_sector_costs_a_revolution_more() {
    let mut disk = profile("hdd-7200-8t");
    disk.write_cache = false;
    let size = capacity(&disk);
    let mean = |length: u64| {
        let client =
            ClosedLoop { length, span: size, writes: 1.0, requests: 5000, ..ClosedLoop::default() };
        client.run(disk.drive(size, size, 1).as_mut()).mean() / 1e6
    };
    let more = mean(512) - mean(4096);
    assert!((7.5..9.0).contains(&more), "{more} ms");
}

/// Two sequential streams and their seeds: the same seed repeats exactly, another does not.
#[test]
fn the_same_seed_gives_the_same_times_and_another_does_not() {
    for (name, profile) in shapes().into_iter().filter(|(name, _)| *name != "instant") {
        let run = |seed| {
            let client = ClosedLoop {
                depth: 4,
                span: SIZE,
                writes: 0.3,
                requests: 2000,
                ..ClosedLoop::default()
            };
            client.run(profile.drive(capacity(&profile), SIZE, seed).as_mut())
        };
        assert_eq!(run(1), run(1), "{name}");
        assert_ne!(run(1), run(2), "{name}");
    }
}

/// A hundred scattered writes are acknowledged within milliseconds; the flush behind them takes
/// the arm's time for a hundred places, unless the drive lies.
#[test]
fn an_honest_flush_takes_the_arm_to_every_buffered_write() {
    let flush_ms = |profile: &Profile| {
        let size = capacity(profile);
        let mut drive = profile.drive(size, size, 1);
        for tag in 0..100 {
            let offset = (tag * 7919 % 100) * (size / 100) / 4096 * 4096;
            drive.submit(0, tag, Request::new(Op::Write, offset, 4096));
        }
        let mut finished = Vec::new();
        let acknowledged = 5_000_000;
        drive.advance(acknowledged, &mut finished);
        assert_eq!(finished.len(), 100);
        drive.submit(acknowledged, 100, Request::flush());
        while let Some(at) = drive.next_event() {
            drive.advance(at, &mut finished);
        }
        let flushed = finished.iter().find(|c| c.tag == 100).expect("finished");
        (flushed.at - acknowledged) as f64 / 1e6
    };
    let honest = profile("hdd-7200-8t");
    let took = flush_ms(&honest);
    assert!((200.0..900.0).contains(&took), "{took} ms");
    let liar = honest.overridden(&toml::toml! { flush = "lies" }).expect("valid");
    assert!(flush_ms(&liar) < 1.0);
}

/// A commit on a disk that is busy reading: what arrives after the flush waits for it, so a flush
/// is not outrun for ever by a crowd of near reads.
#[test]
fn a_flush_is_not_outrun_by_reads_that_came_later() {
    let disk = profile("hdd-7200-8t");
    let size = capacity(&disk);
    let mut drive = disk.drive(size, size, 1);
    let write = Request::new(Op::Write, size / 2 / 4096 * 4096, 4096);
    for tag in 0..16 {
        drive.submit(0, tag, Request::new(Op::Read, tag * 7_000_000 / 4096 * 4096, 4096));
    }
    drive.submit(0, 1000, write);
    drive.submit(0, 1001, Request::new(Op::Flush, 0, 0));
    let mut finished = Vec::new();
    let mut next = 16;
    loop {
        let at = drive.next_event().expect("busy");
        drive.advance(at, &mut finished);
        for completion in std::mem::take(&mut finished) {
            if completion.tag == 1001 {
                // The sixteen reads before it and the write, at some 4 ms each.
                assert!(at < 120_000_000, "{at} ns");
                return;
            }
            if completion.tag < 1000 {
                let offset = (next * 7919 % 100 * 1_000_000 + 500_000) / 4096 * 4096;
                drive.submit(at, next + 2000, Request::new(Op::Read, offset, 4096));
                next += 1;
            } else if completion.tag >= 2000 {
                panic!("a read that came after the flush overtook it");
            }
        }
    }
}

/// libata sends a disk nothing while its flush is at work, however long that takes: a read behind
/// it does not come first because it has waited.
#[test]
fn a_flush_of_many_writes_is_not_interrupted_by_an_old_read() {
    let disk = profile("hdd-7200-8t");
    let size = capacity(&disk);
    let mut drive = disk.drive(size, size, 1);
    let writes = 500;
    for tag in 0..writes {
        let offset = tag * 7919 % 1000 * (size / 1000) / 4096 * 4096;
        drive.submit(0, tag, Request::new(Op::Write, offset, 4096));
    }
    let (flush, read) = (writes, writes + 1);
    drive.submit(0, flush, Request::new(Op::Flush, 0, 0));
    drive.submit(1_000_000, read, Request::new(Op::Read, size / 4096 / 3 * 4096, 4096));
    let mut finished = Vec::new();
    let mut ended = std::collections::BTreeMap::new();
    while let Some(at) = drive.next_event() {
        drive.advance(at, &mut finished);
        ended.extend(finished.drain(..).map(|completion| (completion.tag, completion.at)));
    }
    assert!(ended[&flush] > 1_000_000_000, "the writes take the arm for more than a second");
    assert!(ended[&read] > ended[&flush], "{} ns, {} ns", ended[&read], ended[&flush]);
}

/// Writes that wait for room in a full buffer hold no wire that a read needs.
#[test]
fn a_read_is_not_held_up_by_writes_that_wait_for_room() {
    let ssd = profile("pm883-3.84t");
    let size = capacity(&ssd);
    let mut drive = ssd.drive(size, size, 1);
    let mut sent = 0u64;
    let mut send = |drive: &mut dyn Drive, at, op, length| {
        sent += 1;
        let offset = sent * 7919 % 1_000_000 * 16_384;
        drive.submit(at, sent, Request::new(op, offset, length));
        sent
    };
    for _ in 0..32 {
        send(drive.as_mut(), 0, Op::Write, 16_384);
    }
    let mut finished = Vec::new();
    let mut written = 0;
    let mut reading: Option<(u64, Nanos)> = None;
    let mut took = Vec::new();
    while took.len() < 2000 {
        let at = drive.next_event().expect("busy");
        drive.advance(at, &mut finished);
        for completion in finished.drain(..) {
            match reading {
                Some((tag, since)) if tag == completion.tag => {
                    took.push((completion.at - since) as f64 / 1e3);
                    reading = None;
                }
                _ => {
                    send(drive.as_mut(), at, Op::Write, 16_384);
                    written += 1;
                }
            }
        }
        // The first few thousand fill the buffer.
        if written > 5000 && reading.is_none() {
            reading = Some((send(drive.as_mut(), at, Op::Read, 4096), at));
        }
    }
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    let alone = ssd.flash.expect("flash").read_latency_us.value;
    assert!((0.95..1.05).contains(&(mean / alone)), "{mean} µs, alone {alone}");
}

/// What a disk has in memory of a long stream is the end of it, whether the reader is faster than
/// the platters or slower.
#[test]
fn a_long_stream_is_not_kept_as_a_whole() {
    const MIB: u64 = 1 << 20;
    let disk = profile("hdd-7200-8t");
    let size = capacity(&disk);
    // Twice the buffer.
    let streamed = 128 * MIB;
    for (length, think) in [(MIB, 0), (65_536, 400_000)] {
        let mut drive = disk.drive(size, size, 1);
        let (mut now, mut tag) = (0u64, 0);
        // ms, on an otherwise idle drive.
        let mut read = |offset: u64, length: u64, think: Nanos| {
            let sent = now;
            tag += 1;
            let op = Op::Read;
            drive.submit(sent, tag, Request::new(op, offset, length));
            let mut finished = Vec::new();
            while finished.is_empty() {
                now = drive.next_event().expect("a busy drive has a next event");
                drive.advance(now, &mut finished);
            }
            let took = now - sent;
            now += think;
            took as f64 / 1e6
        };
        for offset in (0..streamed).step_by(length as usize) {
            read(offset, length, think);
        }
        let last = streamed - 256 * 1024;
        let took = read(last, 65_536, 0);
        assert!(took < 0.5, "a re-read while it reads on: {took} ms");
        let places = streamed / 2 / 4096;
        let times = (1..=10).map(|i| read(i * 7919 % places * 4096, 4096, 0));
        let mean = times.sum::<f64>() / 10.0;
        assert!(mean > 2.0, "random reads within the stream: {mean} ms");
        let took = read(last, 65_536, 0);
        assert!(took < 0.5, "a re-read from a segment: {took} ms");
    }
}

/// FLUSH CACHE is no queued command of SATA: libata sends it when the drive has nothing to do, and a read that comes
/// meanwhile after it. NVMe and the models of SAS drives take both.
#[test]
fn only_on_sata_does_a_read_wait_for_the_flush_before_it() {
    let order = |name: &str| {
        let flash = profile(name);
        let size = capacity(&flash);
        let mut drive = flash.drive(size, size, 1);
        drive.submit(0, 0, Request::new(Op::Read, 0, 4096));
        drive.submit(0, 1, Request::new(Op::Write, 0, 4096));
        drive.submit(0, 2, Request::flush());
        drive.submit(1, 3, Request::new(Op::Read, size / 2 / 4096 * 4096, 4096));
        let mut finished = Vec::new();
        while let Some(at) = drive.next_event() {
            drive.advance(at, &mut finished);
        }
        finished.iter().map(|completion| completion.tag).collect::<Vec<_>>()
    };
    let sata = order("pm883-3.84t");
    assert_eq!(sata[2..], [2, 3], "read, write and their flush, then the next read: {sata:?}");
    let nvme = order("nvme-consumer-1t");
    assert_eq!(nvme.last(), Some(&2), "the flush takes longer than a read beside it: {nvme:?}");
}
