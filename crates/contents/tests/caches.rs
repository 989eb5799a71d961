//! What of a volatile cache a power cut finds: no more than the drive's cache holds, and nothing after a rest.

use contents::Pages;
use contents::crash::{Durability, EMPTY_AFTER, Replay};
use contents::record::{Event, EventKind, Recorder};
use drives::Profile;
use std::fs::File;

const CACHE: u64 = 256 << 20;
const VOLATILE: Durability = Durability { volatile: true, tearing: 4096, cache: CACHE };

/// A request that completes at once: when, of which drive, its kind and its bytes from the beginning.
type Done = (u64, u32, EventKind, u64);

/// How many requests are not on the media of two drives for certain, at the moment of the last one.
fn unflushed(requests: &[Done], durability: Durability) -> u64 {
    unflushed_at(requests.iter().map(|done| done.0).max().unwrap(), requests, durability)
}

/// The same at a moment.
fn unflushed_at(cut_at: u64, requests: &[Done], durability: Durability) -> u64 {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let mut recorder = Recorder::new(File::create(&path).unwrap());
    for &(at, drive, kind, length) in requests {
        let event = |kind, number| Event { at, drive, kind, offset: 0, length, number };
        let number = recorder.append(event(kind, 0)).unwrap();
        if kind == EventKind::Write {
            recorder.data(&vec![0; length as usize]).unwrap();
        }
        recorder.append(event(EventKind::Completed, number)).unwrap();
    }
    let mut pages = Pages::leaked(10);
    let mut replay = Replay::new([(2 * CACHE, durability); 2], 0);
    replay.read(File::open(&path).unwrap(), &mut pages, cut_at).unwrap();
    replay.cut(&mut pages, 1).1.total()
}

/// The same of requests to one drive, all at one moment.
fn unflushed_of(requests: &[(EventKind, u64)]) -> u64 {
    let done: Vec<Done> = requests.iter().map(|(kind, length)| (1, 0, *kind, *length)).collect();
    unflushed(&done, VOLATILE)
}

#[test]
fn a_cache_holds_so_much_and_the_oldest_goes_to_the_medium() {
    assert_eq!(unflushed_of(&[(EventKind::Write, CACHE / 4); 6]), 4);
}

#[test]
fn a_discard_takes_no_room_in_a_cache_and_makes_no_older_write_durable() {
    let discard = (EventKind::Discard, 2 * CACHE);
    assert_eq!(unflushed_of(&[(EventKind::Write, 4096), discard, discard]), 3);
}

#[test]
fn a_write_larger_than_the_cache_is_in_it_alone() {
    let writes = [(1, 0, EventKind::Write, 8192); 3];
    for cache in [0, 4096] {
        assert_eq!(unflushed(&writes, Durability { cache, ..VOLATILE }), 1, "{cache}");
    }
}

#[test]
fn a_drive_that_rested_has_an_empty_cache() {
    let write = |at, drive| (at, drive, EventKind::Write, 4096);
    let rest = EMPTY_AFTER;
    // The first drive has one write before the rest; the other is at work meanwhile.
    let busy: Vec<Done> = (0..=4).map(|quarter| write(1 + quarter * rest / 4, 1)).collect();
    let after = |more: &[Done]| unflushed(&[&[write(1, 0)], &busy[1..], more].concat(), VOLATILE);
    assert_eq!(after(&[]), 4, "those of the other drive");
    assert_eq!(after(&[write(rest + 2, 0)]), 5, "and what came after the rest");
    let short = [write(1, 0), write(rest, 1)];
    assert_eq!(unflushed(&short, VOLATILE), 2, "one ns less is no rest");
    assert_eq!(unflushed_at(rest, &short[..1], VOLATILE), 1, "nor before the cut");
    assert_eq!(unflushed_at(rest + 1, &short[..1], VOLATILE), 0, "a rest before the cut");
}

#[test]
fn a_drive_loses_no_more_than_its_profile_has_for_writes() {
    let cache = |name: &str, overrides: toml::Table| {
        let path = format!("{}/../../profiles/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let profile = Profile::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
        let durability = Durability::from(&profile.overridden(&overrides).unwrap());
        assert!(durability.volatile, "{name} {overrides:?}");
        durability.cache / 1_000_000
    };
    let none = toml::Table::new;
    assert_eq!(cache("hdd-7200-4t", none()), 32);
    assert_eq!(cache("nvme-consumer-1t", none()), 64);
    let unprotected = || toml::toml! { power_loss_protection = false };
    assert_eq!(cache("pm983-960g", unprotected()), 32, "what its capacitors would protect");
    assert_eq!(cache("raid0-12x4t", unprotected()), 900);
    let both = toml::toml! { power_loss_protection = false card.member.write_cache = true };
    assert_eq!(cache("raid0-12x4t", both), 900 + 12 * 32);
    let through = toml::toml! { write_cache = false card.member.write_cache = true };
    assert_eq!(cache("raid0-12x4t", through), 12 * 32);
    let mirrors = toml::toml! { write_cache = false card.member.power_loss_protection = false };
    assert_eq!(cache("raid10-4x-r5-h755", mirrors), 2 * 64, "each byte is in two members");
}
