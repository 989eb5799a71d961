//! How long a request waits beside a crowd of others.

mod common;
mod host;

use common::{capacity, profile};
use drives::{Op, Profile, ProfileNumber};
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
