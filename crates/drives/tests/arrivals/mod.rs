//! Any requests for any drive, for tests of properties.

use crate::common::{capacity, profile};
use drives::{Completion, Drive, Nanos, Op, Profile, Request};
use proptest::prelude::*;

/// Bytes of the scaled drive.
pub const SIZE: u64 = 4 << 30;

/// One arrival: ns after the one before, and what is asked.
pub type Arrival = (Nanos, Request);

/// Any requests.
pub fn arrivals(most: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let op = prop_oneof![
        6 => Just(Op::Read),
        8 => Just(Op::Write),
        1 => Just(Op::Flush),
        1 => Just(Op::Discard),
    ];
    let gap = prop_oneof![
        3 => Just(0),
        3 => 0..100_000u64,
        2 => 0..20_000_000u64,
        1 => 0..2_000_000_000u64,
    ];
    // Few places, so that requests touch, overlap and follow one another; odd sectors as well.
    let offset = prop_oneof![
        4 => (0..64u64).prop_map(|i| i * 4096),
        3 => (0..64u64).prop_map(|i| i * 512),
        3 => (0..SIZE / 4096 - 1024).prop_map(|i| i * 4096),
    ];
    let length = prop_oneof![
        5 => Just(4096u64),
        2 => (1..64u64).prop_map(|i| i * 512),
        1 => Just(1 << 20),
    ];
    let fua = prop::bool::weighted(0.2);
    let one = (gap, op, offset, length, fua).prop_map(|(gap, op, offset, length, fua)| {
        let length = if op == Op::Flush { 0 } else { length };
        let fua = fua && op == Op::Write;
        (gap, Request { fua, ..Request::new(op, offset, length) })
    });
    prop::collection::vec(one, 1..most)
}

/// Every model in a shape that shows its seams: small buffers, both caches.
pub fn shapes() -> Vec<(&'static str, Profile)> {
    let disk = profile("hdd-7200-8t");
    let card = profile("raid0-12x4t");
    let changed = |overrides: toml::Table| disk.overridden(&overrides).expect("valid");
    vec![
        ("disk", disk.clone()),
        ("disk without cache", changed(toml::toml! { write_cache = false })),
        (
            "disk with a tiny buffer",
            changed(
                toml::toml! { hdd = { buffer_mb = 0.1, buffer_writes = 4, age_limit_ms = 20, write_age_limit_ms = 20, queue_depth = 3 } },
            ),
        ),
        ("disk that lies", changed(toml::toml! { flush = "lies" })),
        (
            "disk without read-ahead",
            changed(toml::toml! { hdd = { read_ahead_kib = 0, segments = 0 } }),
        ),
        ("flash", profile("pm9a3-3.84t")),
        ("consumer flash", profile("nvme-consumer-1t")),
        ("Optane", profile("optane-p4800x")),
        ("instant", profile("instant")),
        ("card", card.clone()),
        (
            "card without battery",
            card.overridden(&toml::toml! {
                power_loss_protection = false
                card.cache_mb = 4
                card.member.write_cache = true
            })
            .expect("valid"),
        ),
        (
            "card that writes through",
            card.overridden(&toml::toml! { write_cache = false }).expect("valid"),
        ),
    ]
}

/// A new drive.
pub fn make(profile: &Profile) -> Box<dyn Drive> {
    profile.drive(capacity(profile), SIZE, 3)
}

/// Plays arrivals; `step` ns is the grain at which the drive is asked, 0 for at every event.
pub fn play(drive: &mut dyn Drive, arrivals: &[Arrival], step: Nanos) -> Vec<Completion> {
    let mut finished = Vec::new();
    let mut now = 0;
    let mut run = |drive: &mut dyn Drive, until: Nanos| {
        while let Some(at) = drive.next_event().filter(|at| *at <= until) {
            let asked = match step {
                0 => at,
                step => at.next_multiple_of(step).min(until),
            };
            let before = finished.len();
            drive.advance(asked, &mut finished);
            for completion in &finished[before..] {
                assert!(completion.at <= asked, "reported before it finished");
            }
        }
    };
    for (tag, (gap, request)) in arrivals.iter().enumerate() {
        now += gap;
        run(drive, now);
        drive.submit(now, tag as u64, *request);
    }
    run(drive, Nanos::MAX / 4);
    assert_eq!(drive.next_event(), None, "idle drives announce nothing");
    finished
}

/// When each arrival comes.
pub fn times(arrivals: &[Arrival]) -> Vec<Nanos> {
    let mut now = 0;
    arrivals
        .iter()
        .map(|(gap, _)| {
            now += gap;
            now
        })
        .collect()
}
