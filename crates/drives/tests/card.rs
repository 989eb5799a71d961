//! A RAID card against the arithmetic of its layouts, on members whose speed is known exactly.

mod common;

use common::{capacity, profile};
use drives::closed_loop::{ClosedLoop, Outcome, Pattern};
use drives::{Completion, Op, Profile, Request};

/// A card on members that serve 10,000 requests of 4 KiB per second each, reads and writes alike.
fn array(level: &str, members: i64, write_back: bool) -> Profile {
    let member = profile("flat-latency")
        .overridden(&toml::toml! { flash.shared_mb_s = 40.96 })
        .expect("valid member");
    let mut overrides = toml::toml! {
        power_loss_protection = true
        card = { read_share = 0.0, read_ahead_kib = 0, strip_kib = 64, iops = 1e7, interface_mb_s = 1e5, cache_mb = 20 }
    };
    overrides.insert("write_cache".into(), write_back.into());
    let mut card = profile("raid0-12x4t");
    if let Some(numbers) = &mut card.card {
        *numbers.member = member;
    }
    if let Some(toml::Value::Table(numbers)) = overrides.get_mut("card") {
        numbers.insert("level".into(), level.into());
        numbers.insert("members".into(), members.into());
    }
    card.overridden(&overrides).expect("valid card")
}

fn run(profile: &Profile, client: ClosedLoop) -> Outcome {
    let size = capacity(profile);
    client.run(profile.drive(size, size, 1).as_mut())
}

fn assert_near(what: &str, got: f64, want: f64, tolerance: f64) {
    let off = (got / want - 1.0).abs();
    assert!(off <= tolerance, "{what}: {got:.0}, expected {want:.0}");
}

/// IOPS = n·i / (r + w·P) with P = 1, n, 2, 4, 6 for RAID 0, 1, 10, 5, 6. Within 8 %: with 1,000
/// outstanding the members are not all busy all the time.
#[test]
fn small_requests_pay_the_layouts_penalty() {
    for (level, members, penalty) in [
        ("raid0", 8, 1.0),
        ("raid1", 2, 2.0),
        ("raid10", 8, 2.0),
        ("raid5", 8, 4.0),
        ("raid6", 8, 6.0),
    ] {
        let card = array(level, members, false);
        for writes in [0.0, 0.3, 1.0] {
            let client = ClosedLoop {
                depth: 1000,
                span: 1 << 36,
                writes,
                warm_up: 5000,
                requests: 30_000,
                ..ClosedLoop::default()
            };
            let want = members as f64 * 10e3 / (1.0 - writes + writes * penalty);
            let got = run(&card, client).iops;
            assert_near(&format!("{level} with {writes} writes"), got, want, 0.08);
        }
    }
}

/// A write of 8 KiB across two strips changes the end of one and the beginning of the next: as many
/// bytes of parity, not the strip between them.
#[test]
fn a_small_write_across_strips_pays_for_little_parity() {
    let card = array("raid5", 4, false);
    let strip = 64 << 10;
    let time = |offset| {
        let mut drive = card.drive(capacity(&card), capacity(&card), 1);
        drive.submit(0, 0, Request::new(Op::Write, offset, 8192));
        let mut finished: Vec<Completion> = Vec::new();
        while let Some(at) = drive.next_event() {
            drive.advance(at, &mut finished);
        }
        finished[0].at
    };
    let (inside, across) = (time(0), time(strip - 4096));
    assert!(across < 2 * inside, "{inside} ns inside a strip, {across} across two");
}

/// A write of a whole row needs no reads: one request a member, n − p of them data.
#[test]
fn full_stripes_pay_only_for_parity() {
    for (level, members, parity) in [("raid5", 5, 1), ("raid6", 6, 2)] {
        let card = array(level, members, false);
        let row = (members - parity) as u64 * 65536;
        let client = ClosedLoop {
            depth: 64,
            pattern: Pattern::Sequential,
            length: row,
            span: row * 1_000_000,
            writes: 1.0,
            ..ClosedLoop::default()
        };
        assert_near(level, run(&card, client).iops, 40.96e6 / 65536.0, 0.05);
    }
}

/// Write-back takes a burst of cache / (arrival − destage) at the cache's speed, then the rate at
/// which the members take it.
#[test]
fn write_back_is_fast_until_the_cache_is_full() {
    let card = array("raid5", 4, true);
    let writes = |warm_up, requests| ClosedLoop {
        depth: 16,
        span: 1 << 36,
        writes: 1.0,
        warm_up,
        requests,
        ..ClosedLoop::default()
    };
    let burst = run(&card, writes(0, 4000));
    assert!(burst.iops > 100e3, "burst {}", burst.iops);
    assert!((50e3..=150e3).contains(&burst.mean()), "{} ns", burst.mean());
    let sustained = run(&card, writes(20_000, 20_000)).iops;
    assert_near("sustained", sustained, 4.0 * 10e3 / 4.0, 0.08);
}

/// Twelve SATA disks behind a protected write-back cache (FSYNC): 6,676 fsyncs/s, 150 µs each,
/// where the disks themselves allow 120. A write and a flush through the card take under that.
#[test]
fn a_protected_cache_makes_disks_commit_in_microseconds() {
    let card = profile("raid0-12x4t");
    let client = ClosedLoop {
        pattern: Pattern::Sequential,
        length: 8192,
        span: 1 << 30,
        writes: 1.0,
        flush_each: true,
        ..ClosedLoop::default()
    };
    let protected = run(&card, client).mean() / 1e3;
    assert!((100.0..=300.0).contains(&protected), "{protected} µs");
    let mut bare = card;
    bare.write_cache = false;
    let through = run(&bare, client).mean() / 1e3;
    assert!(through > 6000.0, "write-through pays the mechanics: {through} µs");
}

/// Without a battery the flush waits for the members.
#[test]
fn an_unprotected_cache_is_volatile_and_its_flush_waits() {
    let mut card = profile("raid0-12x4t");
    card.power_loss_protection = false;
    assert!(card.volatile_cache());
    let client = ClosedLoop {
        span: 1 << 40,
        writes: 1.0,
        flush_each: true,
        requests: 300,
        ..ClosedLoop::default()
    };
    let mean = run(&card, client).mean() / 1e6;
    assert!(mean > 5.0, "{mean} ms");
}

/// What a card does not keep itself is as safe as its members keep it.
#[test]
fn a_card_that_writes_through_is_as_volatile_as_its_members() {
    let volatile = |write_back, member_cache, member_protected| {
        let mut card = profile("raid0-12x4t");
        card.write_cache = write_back;
        let member = &mut card.card.as_mut().expect("a card").member;
        member.write_cache = member_cache;
        member.power_loss_protection = member_protected;
        card.volatile_cache()
    };
    assert!(volatile(false, true, false));
    assert!(!volatile(false, true, true));
    assert!(!volatile(false, false, false));
    assert!(!volatile(true, true, false), "its battery protects");
}

/// Read-ahead serves a sequential reader at depth 1 from all members.
#[test]
fn read_ahead_speeds_a_lone_sequential_reader_up() {
    let with = profile("raid0-12x4t");
    let without = with.overridden(&toml::toml! { card.read_ahead_kib = 0 }).expect("valid");
    let stream = ClosedLoop {
        pattern: Pattern::Sequential,
        length: 131_072,
        span: 1 << 36,
        requests: 3000,
        ..ClosedLoop::default()
    };
    let ratio = run(&with, stream).iops / run(&without, stream).iops;
    assert!(ratio > 1.5, "{ratio}");
}

/// NVME article: 1 M random 8 KiB reads per second through the card, where the four drives alone
/// give 1.6 M. Within 5 %.
#[test]
fn the_cards_own_limit_binds_on_nvme_members() {
    let card = profile("raid10-4x-r5-h755");
    let client = ClosedLoop {
        depth: 1000,
        length: 8192,
        span: 1 << 42,
        warm_up: 10_000,
        requests: 100_000,
        ..ClosedLoop::default()
    };
    assert_near("IOPS", run(&card, client).iops, 1e6, 0.05);
}

#[test]
fn impossible_arrays_are_refused() {
    let card = profile("raid0-12x4t");
    for (overrides, word) in [
        (toml::toml! { card = { level = "raid10", members = 5 } }, "pairs"),
        (toml::toml! { card = { level = "raid6", members = 3 } }, "4 members"),
        (toml::toml! { card.strip_kib = 100 }, "power of two"),
        (toml::toml! { card.member.hdd.rpm = 0 }, "rpm"),
    ] {
        let error = card.overridden(&overrides).expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
    }
}

/// Every request finishes once, whatever the mix and the level.
#[test]
fn a_card_loses_no_request() {
    for level in ["raid0", "raid1", "raid5", "raid6", "raid10"] {
        for write_back in [false, true] {
            for battery in [false, true] {
                let mut card = array(level, 4, write_back);
                card.power_loss_protection = battery;
                let mut drive = card.drive(capacity(&card), 1 << 34, 1);
                let mut finished: Vec<Completion> = Vec::new();
                for tag in 0..500u64 {
                    let op = match tag % 7 {
                        0..3 => Op::Write,
                        3..5 => Op::Read,
                        5 => Op::Flush,
                        _ => Op::Discard,
                    };
                    let length = if op == Op::Flush { 0 } else { 4096 << (tag % 8) };
                    let request = Request::new(op, tag * 7919 % 97 * 4096, length);
                    drive.advance(tag * 20_000, &mut finished);
                    drive.submit(tag * 20_000, tag, request);
                }
                while let Some(at) = drive.next_event() {
                    drive.advance(at, &mut finished);
                }
                assert!(finished.is_sorted_by_key(|c| c.at), "{level}");
                let mut tags: Vec<u64> = finished.iter().map(|c| c.tag).collect();
                tags.sort_unstable();
                assert_eq!(tags, (0..500).collect::<Vec<_>>(), "{level}");
            }
        }
    }
}
