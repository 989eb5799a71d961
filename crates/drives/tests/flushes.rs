//! What an honest flush waits for, under any requests.

mod arrivals;
mod common;

use arrivals::{Arrival, arrivals, make, play, shapes, times};
use drives::{Nanos, Op, Profile, RaidLevel};
use proptest::prelude::*;
use std::collections::HashMap;

/// Bytes that at least one of some ranges has.
fn union(mut ranges: Vec<(u64, u64)>) -> u64 {
    ranges.sort_unstable();
    let mut reached = 0;
    let mut bytes = 0;
    for (start, end) in ranges {
        bytes += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    bytes
}

/// A drive's media.
struct Media {
    /// MB/s that each takes at the most.
    rate: f64,
    /// How many data is striped over, and bytes of a strip.
    stripe: (u64, u64),
}

/// Those of a drive; none for flash, whose buffer need not drain, and for a cache that is durable itself.
fn media(profile: &Profile) -> Option<Media> {
    let (disk, stripe) = match (&profile.hdd, &profile.card) {
        (Some(hdd), _) => (hdd, (1, u64::MAX)),
        (_, Some(card)) if !(profile.write_cache && profile.power_loss_protection) => {
            assert_eq!(card.level, RaidLevel::Raid0);
            (card.member.hdd.as_ref()?, (card.members.whole(), card.strip_kib.whole() << 10))
        }
        _ => return None,
    };
    Some(Media { rate: disk.rate_outer_mb_s.value, stripe })
}

impl Media {
    /// ns that they take at the least for ranges of bytes.
    fn least_ns(&self, ranges: &[(u64, u64)]) -> f64 {
        let (members, strip) = self.stripe;
        let mut of_members = vec![Vec::new(); members as usize];
        for &(start, end) in ranges {
            let mut at = start;
            while at < end {
                let until = (at / strip + 1).saturating_mul(strip).min(end);
                of_members[(at / strip % members) as usize].push((at, until));
                at = until;
            }
        }
        let most = of_members.into_iter().map(union).max().unwrap_or(0);
        most as f64 * 1e3 / self.rate
    }
}

/// ns that a flush takes at the least from its arrival. `acknowledged` are the bytes acknowledged by then and written
/// since the last flush, without FUA writes.
fn least_ns(profile: &Profile, acknowledged: u64) -> f64 {
    match (&profile.hdd, &profile.flash, &profile.card) {
        (Some(hdd), ..) => hdd.flush_overhead_ms.value * 1e6,
        (_, Some(flash), _) => {
            let volatile =
                if profile.volatile_cache() { flash.volatile_mb.value * 1e6 } else { 0.0 };
            let base = flash.flush_us.value * (1.0 - flash.jitter.value) * 1e3;
            base + volatile.min(acknowledged as f64) * 1e3 / flash.write_mb_s.value
        }
        (.., Some(card)) if profile.write_cache && profile.power_loss_protection => {
            card.cache_us.value * 1e3
        }
        (.., Some(card)) => card.overhead_us.value * 1e3,
        _ => 0.0,
    }
}

/// Checks the flush of a number among requests that came and were done at these times.
fn check(
    name: &str,
    profile: &Profile,
    arrivals: &[Arrival],
    (came, done): (&[Nanos], &HashMap<u64, Nanos>),
    flush: usize,
) -> Result<(), TestCaseError> {
    let end = done[&(flush as u64)];
    let is_write = |n: &usize| arrivals[*n].1.op == Op::Write;
    let before: Vec<usize> =
        (0..flush).filter(is_write).filter(|write| done[&(*write as u64)] <= came[flush]).collect();
    for write in &before {
        prop_assert!(done[&(*write as u64)] <= end, "{}", name);
    }
    let last_flush = (0..flush).rev().find(|n| arrivals[*n].1.op == Op::Flush);
    let since = before.iter().filter(|n| last_flush.is_none_or(|last| **n > last));
    let plain = since.map(|n| arrivals[*n].1).filter(|request| !request.fua);
    let least = least_ns(profile, plain.map(|request| request.length).sum());
    let took = (end - came[flush]) as f64;
    prop_assert!(took + 1.0 >= least, "{}: {} ns of at least {}", name, took, least);
    let Some(media) = media(profile) else { return Ok(()) };
    // From each write on, those behind it have had only that time.
    for (n, first) in before.iter().enumerate() {
        let ranges = before[n..].iter().map(|n| arrivals[*n].1);
        let ranges: Vec<_> = ranges.map(|r| (r.offset, r.offset + r.length)).collect();
        let (took, least) = ((end - came[*first]) as f64, media.least_ns(&ranges));
        prop_assert!(took + 1.0 >= least, "{}: {} of {} ns on the medium", name, took, least);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// It finishes after every write that was acknowledged before it came, not before the medium can have taken their
    /// bytes, and takes what the model says itself.
    #[test]
    fn a_flush_waits_for_what_was_acknowledged(arrivals in arrivals(80)) {
        for (name, profile) in shapes().into_iter().filter(|(_, profile)| !profile.lies()) {
            let finished = play(make(&profile).as_mut(), &arrivals, 0);
            let done: HashMap<u64, Nanos> = finished.iter().map(|c| (c.tag, c.at)).collect();
            let came = times(&arrivals);
            let is_flush = |n: &usize| arrivals[*n].1.op == Op::Flush;
            for flush in (0..arrivals.len()).filter(is_flush) {
                check(name, &profile, &arrivals, (&came, &done), flush)?;
            }
        }
    }
}
