//! The feed of an L2ARC over an ARC that is smaller than the real server's.
//!
//! Each time it comes, the feed draws one of the lists into which the ARC divides its blocks and writes what
//! waits at its end, as far as it may write. What share of the evicted it catches follows from how
//! long a block stays (ARC ÷ what is read) against how long until its list is drawn (lists × interval).
//! Reads keep their rate in the machine and the ARC is an S-th, so that lists × interval must be an S-th
//! too: fewer lists first, as they are whole numbers, the interval for the rest. What may be written in an
//! interval shrinks with it, so that bytes a second stay, and `l2arc_headroom`, which counts in
//! it, looks into the same share of a list without a change.
//!
//! The interval after a feed that wrote more than half of what it may is `l2arc_feed_min_ms`. After any other it is
//! `l2arc_feed_secs`, which counts whole seconds: the machine's OpenZFS has `l2arc_feed_ms` in its place
//! (linux/patches/openzfs/l2arc-feed-interval.patch). Both shrink.

use super::memory_limits;
use crate::campaign::{AllocationClass, Variant};

/// What a feed may write, bytes (`L2ARC_WRITE_SIZE` in arc.c).
const WRITE_MAX: &str = "l2arc_write_max";
/// What it may write besides until the ARC is warm, bytes; by default as much again.
const WRITE_BOOST: &str = "l2arc_write_boost";
/// Milliseconds after a feed that wrote more than half of what it may; 200 by default.
const FEED_MIN_MS: &str = "l2arc_feed_min_ms";
/// Seconds after any other; 1 by default.
const FEED_SECS: &str = "l2arc_feed_secs";
/// Milliseconds after any other, in the machine.
const FEED_MS: &str = "l2arc_feed_ms";
/// Seconds between two timer interrupts of the machine, in which the intervals are counted.
const TICK: f64 = 0.004;
/// `L2ARC_WRITE_SIZE`, bytes.
const WRITE_SIZE: u64 = 32 << 20;

/// Records that a feed has room for at the least: with less than one it would write none at all.
const RECORDS: u64 = 4;

/// Module parameters of the feed at a size scale, on a machine whose ARC has `lists` lists: the lists and, with a cache
/// drive, its intervals and what it may write in one.
pub(super) fn feed(variant: &Variant, lists: u32, size: f64) -> Vec<(&'static str, i64)> {
    let fewer = (f64::from(lists) / size).round().max(1.0);
    let mut module = vec![(memory_limits::LISTS, fewer as i64)];
    if !variant.pool.has(AllocationClass::Cache) {
        return module;
    }
    let number = |name| written(variant, name);
    let seconds = memory_limits::parameter(variant, FEED_SECS).unwrap_or(1).max(1);
    let room = (RECORDS * record(variant)) as f64 / number(WRITE_MAX) as f64;
    let least = room.max(TICK / seconds as f64).min(1.0);
    let interval = (f64::from(lists) / (fewer * size)).max(least);
    let share = |real: u64, least: i64| ((real as f64 * interval).round() as i64).max(least);
    module.extend([
        (WRITE_MAX, share(number(WRITE_MAX), 0)),
        (WRITE_BOOST, share(number(WRITE_BOOST), 0)),
        (FEED_MIN_MS, share(feed_min_ms(variant), 1)),
        (FEED_MS, share(seconds.saturating_mul(1000), 1)),
    ]);
    module
}

/// Bytes that a feed may write, as the lab says or OpenZFS does, which takes no 0 but for the boost.
fn written(variant: &Variant, name: &str) -> u64 {
    match variant.module.get(name) {
        Some(0) if name == WRITE_BOOST => 0,
        _ => memory_limits::parameter(variant, name).unwrap_or(WRITE_SIZE),
    }
}

/// [`FEED_MIN_MS`] of the real server (`l2arc_write_interval`).
fn feed_min_ms(variant: &Variant) -> u64 {
    memory_limits::parameter(variant, FEED_MIN_MS).unwrap_or(200)
}

/// Bytes a second that a variant's L2ARC is fed at most, by feeds that each write all they may, until the ARC is full.
pub(super) fn cold(variant: &Variant) -> f64 {
    each_second(variant, written(variant, WRITE_MAX) + written(variant, WRITE_BOOST))
}

/// The same once the ARC is full: without the boost.
pub fn warm(variant: &Variant) -> f64 {
    each_second(variant, written(variant, WRITE_MAX))
}

fn each_second(variant: &Variant, feed: u64) -> f64 {
    feed as f64 * 1000.0 / feed_min_ms(variant) as f64
}

/// The largest record of a variant's datasets, bytes.
fn record(variant: &Variant) -> u64 {
    let recordsize = |dataset: &String| variant.recordsize(dataset);
    variant.datasets.keys().map(recordsize).max().unwrap_or_else(|| variant.recordsize(""))
}
