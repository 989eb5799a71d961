//! How long a request waits beside a crowd of others.

mod common;
mod host;

use common::{capacity, profile};
use drives::{Drive, Elevator, Op, Profile, ProfileNumber, Request};
use host::Host;
use std::collections::HashSet;

/// Mean of 30 random reads, one after the other, beside a sequential stream of four requests of
/// 1 MiB, ms.
fn reads_beside_a_stream(profile: &Profile, op: Op) -> f64 {
    let size = capacity(profile);
    let mut host = Host::new(profile);
    let mut stream = HashSet::new();
    let mut next = size / 2 / 4096 * 4096;
    let mut reading = None;
    let mut took = Vec::new();
    while took.len() < 30 {
        while stream.len() < 4 {
            stream.insert(host.send(op, next, 1 << 20));
            next += 1 << 20;
        }
        if reading.is_none() && host.now > 500_000_000 {
            let offset = (took.len() as u64 * 7919 % 30) * (size / 30) / 4096 * 4096;
            reading = Some((host.send(Op::Read, offset, 4096), host.now));
        }
        for completion in host.step() {
            stream.remove(&completion.tag);
            if let Some((_, since)) = reading.take_if(|(tag, _)| *tag == completion.tag) {
                took.push((completion.at - since) as f64 / 1e6);
            }
        }
    }
    took.iter().sum::<f64>() / 30.0
}

/// The profiles say that only the tail depends on `age_limit_ms`: not the mean beside a stream.
#[test]
fn what_a_stream_delays_others_does_not_depend_on_the_age_limit() {
    let mut disk = profile("hdd-7200-8t");
    let limit = |disk: &mut Profile, ms| {
        disk.hdd.as_mut().expect("a disk").age_limit_ms = ProfileNumber::stated(ms);
    };
    for op in [Op::Read, Op::Write] {
        // The ends of the profile's range.
        let [low, high] = [300.0, 3000.0].map(|ms| {
            limit(&mut disk, ms);
            reads_beside_a_stream(&disk, op)
        });
        assert!(high < 1.2 * low && high < 300.0, "{op:?}: {low:.0} and {high:.0} ms");
    }
}

/// A drive to which all offsets are equal, of 1 ms a request, behind an elevator that sends one.
fn slow_drive() -> Elevator {
    let slow = profile("flat-latency").overridden(&toml::toml! { flash.shared_mb_s = 4.096 });
    let slow = slow.expect("valid");
    Elevator::new(slow.drive(capacity(&slow), capacity(&slow), 1), 1)
}

/// How long a request waits that is behind the position of a crowd of 255 others, which goes on for
/// ever at rising offsets: at most `limit`, ns.
fn wait_behind_a_crowd(crowd: Op, op: Op, limit: u64) -> u64 {
    let mut drive = slow_drive();
    let send = |drive: &mut Elevator, at, tag| {
        drive.submit(at, tag, Request::new(crowd, (1 << 30) + tag * 4096, 4096));
    };
    for tag in 1..256 {
        send(&mut drive, 0, tag);
    }
    drive.submit(0, 0, Request::new(op, 0, 4096));
    let mut next = 256;
    loop {
        let at = drive.next_event().expect("busy");
        assert!(at <= limit, "{op:?} among {crowd:?}s: still waiting");
        let mut finished = Vec::new();
        drive.advance(at, &mut finished);
        for completion in finished {
            if completion.tag == 0 {
                return at;
            }
            send(&mut drive, at, next);
            next += 1;
        }
    }
}

#[test]
fn an_elevator_sends_reads_before_writes_and_writes_among_reads() {
    // Each request takes about 1 ms.
    wait_behind_a_crowd(Op::Write, Op::Read, 4_000_000);
    wait_behind_a_crowd(Op::Read, Op::Write, 6_000_000);
}

#[test]
fn an_elevator_lets_nothing_behind_its_position_wait_for_more_than_its_expiry() {
    for op in [Op::Read, Op::Write] {
        let waited = wait_behind_a_crowd(op, op, 5_050_000_000);
        assert!(waited > 5_000_000_000, "{op:?}: sent after {waited} ns, ahead of nearer ones");
    }
}
