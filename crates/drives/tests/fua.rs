//! FUA writes: what they cost on each kind of drive.

mod common;

use common::{capacity, profile};
use drives::{Drive, Op, Profile, Request};

/// Time of one 4 KiB write with or without FUA after 200 scattered ones into the cache, and of a flush
/// after that write, µs.
fn write_then_flush_us(profile: &Profile, fua: bool) -> (f64, f64) {
    let size = capacity(profile);
    let mut drive = profile.drive(size, size, 1);
    let mut now = 0;
    let mut finished = Vec::new();
    let mut wait = |drive: &mut dyn Drive, tag, request| {
        let sent = now;
        drive.submit(sent, tag, request);
        while finished.is_empty() {
            now = drive.next_event().expect("a busy drive has a next event");
            drive.advance(now, &mut finished);
        }
        finished.clear();
        (now - sent) as f64 / 1e3
    };
    for tag in 0..200 {
        let offset = tag * 7919 % 1000 * 1_048_576;
        wait(drive.as_mut(), tag, Request::new(Op::Write, offset, 1 << 18));
    }
    let write = Request { fua, ..Request::new(Op::Write, 4096, 4096) };
    let written = wait(drive.as_mut(), 200, write);
    (written, wait(drive.as_mut(), 201, Request::flush()))
}

/// A FUA write to a drive with a volatile cache costs its own programming, as long as a flush of an
/// empty cache, and leaves the rest of the cache to the next flush.
#[test]
fn a_fua_write_pays_for_itself_and_not_for_the_volatile_cache() {
    let consumer = profile("nvme-consumer-1t");
    let flash = consumer.flash.clone().expect("section");
    let (fua, flush) = write_then_flush_us(&consumer, true);
    let fixed = flash.flush_us.value;
    assert!((0.8 * fixed..1.4 * fixed).contains(&fua), "{fua} µs");
    // 200 × 256 KiB at 3300 MB/s are 15.9 ms.
    assert!((15_000.0..20_000.0).contains(&(flush - fixed)), "{flush} µs");
    let (ordinary, _) = write_then_flush_us(&consumer, false);
    assert!(ordinary < 0.1 * fua, "{ordinary} µs");
}

/// With power-loss protection an acknowledged write is durable, so FUA adds nothing; nor does it where
/// the drive lies, which is what makes it lose data.
#[test]
fn fua_costs_nothing_where_the_cache_is_protected_or_the_drive_lies() {
    let liar =
        profile("nvme-consumer-1t").overridden(&toml::toml! { flush = "lies" }).expect("valid");
    for drive in [profile("pm9a3-3.84t"), profile("optane-p4800x"), liar] {
        let (fua, ordinary) =
            (write_then_flush_us(&drive, true).0, write_then_flush_us(&drive, false).0);
        assert_eq!(fua, ordinary, "{}", drive.description);
    }
}
