//! Faults of single writes: lost, or at another place.

use contents::crash::{Durability, LABELS, Replay, WriteFault};
use contents::record::{Event, EventKind, Recorder};
use contents::{PAGE, Pages};
use std::fs::File;

const DURABLE: Durability = Durability { volatile: false, tearing: 4096, cache: 0 };
/// Nothing counts as settled.
const NEVER: u64 = 0;

/// The pages of a drive of 16 MiB with a fault, each page between its labels written once with its number. None
/// for a page that was never written.
fn pages_after(fault: WriteFault, seed: u64) -> (Vec<Option<u64>>, u64) {
    pages_after_every(1, fault, seed)
}

/// The same where one page in so many is written.
fn pages_after_every(step: usize, fault: WriteFault, seed: u64) -> (Vec<Option<u64>>, u64) {
    let size = 16u64 << 20;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let mut recorder = Recorder::new(File::create(&path).unwrap());
    let page = PAGE as u64;
    let inside = LABELS.0 / page..(size - LABELS.1) / page;
    for number in inside.clone().step_by(step) {
        let event = |kind, submitted| Event {
            at: number,
            drive: 0,
            kind,
            offset: number * page,
            length: page,
            number: submitted,
        };
        let data = number.to_le_bytes().repeat(PAGE / 8);
        let submitted = recorder.append(event(EventKind::Write, 0)).unwrap();
        recorder.data(&data).unwrap();
        recorder.append(event(EventKind::Completed, submitted)).unwrap();
    }
    let mut pages = Pages::leaked(10_000);
    let mut replay = Replay::new([(size, DURABLE)], NEVER);
    replay.set_fault(0, fault, seed);
    replay.read(File::open(&path).unwrap(), &mut pages, u64::MAX).unwrap();
    let faulty = replay.faulty_writes();
    let (drives, _) = replay.cut(&mut pages, 1);
    let mut bytes = vec![0; size as usize];
    drives[0].read(&pages, 0, &mut bytes);
    let found = inside.map(|number| {
        let at = (number * page) as usize;
        let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        (word != 0).then_some(word)
    });
    (found.collect(), faulty)
}

#[test]
fn one_write_in_so_many_is_lost_or_reaches_another_place() {
    let first = LABELS.0 / PAGE as u64;
    let wrong = |pages: &[Option<u64>]| {
        let numbered = pages.iter().enumerate();
        numbered.filter(|(n, page)| **page != Some(first + *n as u64)).count() as u64
    };
    let (pages, lost) = pages_after(WriteFault::Loses { every: 10 }, 5);
    assert!((200..400).contains(&lost), "{lost} of {}", pages.len());
    assert_eq!(wrong(&pages), lost);
    assert_eq!(pages.iter().filter(|page| page.is_none()).count() as u64, lost);
    let (pages, misdirected) = pages_after(WriteFault::Misdirects { every: 10 }, 5);
    assert!((200..400).contains(&misdirected), "{misdirected}");
    let elsewhere = pages
        .iter()
        .enumerate()
        .filter(|(n, page)| page.is_some_and(|number| number != first + *n as u64));
    // Some places were written again later.
    assert!(elsewhere.count() > 50 && wrong(&pages) > misdirected / 2);
    let seeds = [5, 6].map(|seed| pages_after(WriteFault::Loses { every: 10 }, seed).0);
    assert_ne!(seeds[0], seeds[1]);
    assert_eq!(seeds[0], pages_after(WriteFault::Loses { every: 10 }, 5).0);
}

/// Pages within the last 128 KiB go at most 64 KiB astray, which is within the labels, and so must stay. The second
/// size is no whole number of 4 MiB.
#[test]
fn misdirected_writes_do_not_reach_the_labels_at_a_drives_end_whatever_its_size() {
    let page = PAGE as u64;
    for size in [16u64 << 20, 17 << 20] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record");
        let mut recorder = Recorder::new(File::create(&path).unwrap());
        for offset in (size - 32 * page..size).step_by(PAGE) {
            let event =
                |kind, number| Event { at: 1, drive: 0, kind, offset, length: page, number };
            let submitted = recorder.append(event(EventKind::Write, 0)).unwrap();
            recorder.data(&[7; PAGE]).unwrap();
            recorder.append(event(EventKind::Completed, submitted)).unwrap();
        }
        let mut pages = Pages::leaked(1000);
        let mut replay = Replay::new([(size, DURABLE)], NEVER);
        replay.set_fault(0, WriteFault::Misdirects { every: 1 }, 5);
        replay.read(File::open(&path).unwrap(), &mut pages, u64::MAX).unwrap();
        assert_eq!(replay.faulty_writes(), 0, "{} MiB", size >> 20);
        let (drives, _) = replay.cut(&mut pages, 1);
        let mut written = vec![0; 32 * PAGE];
        drives[0].read(&pages, size - 32 * page, &mut written);
        assert!(written.iter().all(|byte| *byte == 7), "{} MiB", size >> 20);
    }
}

/// Of pages so far apart that none that goes astray reaches another.
#[test]
fn a_misdirected_write_goes_up_as_often_as_down() {
    let step = 64;
    let (pages, misdirected) = pages_after_every(step, WriteFault::Misdirects { every: 1 }, 5);
    let first = LABELS.0 / PAGE as u64;
    let found = (first..).zip(&pages).filter_map(|(place, number)| number.map(|n| (place, n)));
    let (mut up, mut down) = (0, 0);
    for (place, number) in found {
        assert!(place != number && place.abs_diff(number) <= 16, "{number} is at {place}");
        if place > number { up += 1 } else { down += 1 }
    }
    assert_eq!(up + down, misdirected);
    assert!(misdirected > 40 && up * 3 > misdirected && down * 3 > misdirected, "{up} {down}");
}
