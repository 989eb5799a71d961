//! Crash states: what was flushed is there, what was never written is not.

use contents::crash::{Durability, LABELS, Replay, Unflushed, WriteFault, damage};
use contents::record::{Event, EventKind, Recorder};
use contents::{Contents, PAGE, Pages};
use proptest::prelude::*;
use std::fs::File;
use std::io::Cursor;

/// Bytes of the drive.
const SIZE: u64 = 64 << 10;
/// Bytes of a sector, the unit that versions are followed in.
const SECTOR: u64 = 512;
/// Nothing counts as settled.
const NEVER: u64 = 0;

/// What a host does with a drive.
#[derive(Debug, Clone)]
enum Act {
    Write {
        sector: u64,
        sectors: u64,
        fua: bool,
    },
    Discard {
        sector: u64,
        sectors: u64,
    },
    /// The oldest or the newest request under way completes.
    Complete {
        oldest: bool,
    },
    /// A flush is submitted.
    Flush,
    /// The oldest flush under way completes.
    Flushed,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let range = || (0..120u64, 1..8u64);
    let act = prop_oneof![
        5 => (range(), prop::bool::weighted(0.2))
            .prop_map(|((sector, sectors), fua)| Act::Write { sector, sectors, fua }),
        1 => range().prop_map(|(sector, sectors)| Act::Discard { sector, sectors }),
        5 => any::<bool>().prop_map(|oldest| Act::Complete { oldest }),
        1 => Just(Act::Flush),
        1 => Just(Act::Flushed),
    ];
    prop::collection::vec(act, 1..120)
}

/// A write or discard, as its host knows it.
#[derive(Debug, Clone)]
struct Version {
    sectors: std::ops::Range<u64>,
    /// What each of its words is; 0 for a discard.
    fill: u64,
    submitted: u64,
    fua: bool,
    /// The event of its completion.
    completed: Option<u64>,
    /// When the first flush that covers it completed.
    flushed_at: Option<u64>,
}

/// When the event of a number happens, ns.
fn at(event: u64) -> u64 {
    10 * (event + 1)
}

/// Writes a record; what its host knows of it. A host does not write where a request is under way.
fn play(acts: &[Act], recorder: &mut Recorder) -> Vec<Version> {
    let mut all: Vec<Version> = Vec::new();
    let mut flushes: Vec<u64> = Vec::new();
    for act in acts {
        let number = recorder.events();
        let event = |kind, offset, length, number| Event {
            at: at(recorder.events()),
            drive: 0,
            kind,
            offset,
            length,
            number,
        };
        match *act {
            Act::Write { sector, sectors, .. } | Act::Discard { sector, sectors } => {
                let range = sector..sector + sectors;
                let meets =
                    |v: &Version| v.sectors.start < range.end && range.start < v.sectors.end;
                if all.iter().any(|v| v.completed.is_none() && meets(v)) {
                    continue;
                }
                let (offset, length) = (sector * SECTOR, sectors * SECTOR);
                let write = matches!(act, Act::Write { .. });
                let fill = if write { number + 1 } else { 0 };
                let kind = if write { EventKind::Write } else { EventKind::Discard };
                recorder.append(event(kind, offset, length, 0)).unwrap();
                if write {
                    let words = fill.to_le_bytes().repeat(length as usize / 8);
                    recorder.data(&words).unwrap();
                }
                all.push(Version {
                    sectors: range,
                    fill,
                    submitted: number,
                    fua: matches!(act, Act::Write { fua: true, .. }),
                    completed: None,
                    flushed_at: None,
                });
            }
            Act::Complete { oldest } => {
                let mut under_way = all.iter_mut().filter(|v| v.completed.is_none());
                let one = match oldest {
                    true => under_way.next(),
                    false => under_way.last(),
                };
                if let Some(version) = one {
                    let kind = match version.fua {
                        true => EventKind::CompletedFua,
                        false => EventKind::Completed,
                    };
                    let completion = event(kind, 0, 0, version.submitted);
                    recorder.append(completion).unwrap();
                    version.completed = Some(number);
                }
            }
            Act::Flush => flushes.push(number),
            Act::Flushed if flushes.is_empty() => {}
            Act::Flushed => {
                let submitted = flushes.remove(0);
                let completion = event(EventKind::Flushed, 0, 0, submitted);
                recorder.append(completion).unwrap();
                for version in &mut all {
                    if version.completed.is_some_and(|c| c < submitted) {
                        version.flushed_at.get_or_insert(at(number));
                    }
                }
            }
        }
    }
    all
}

fn recorded(acts: &[Act]) -> (Vec<u8>, Vec<Version>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let mut recorder = Recorder::new(File::create(&path).unwrap());
    let versions = play(acts, &mut recorder);
    (std::fs::read(&path).unwrap(), versions)
}

/// A power cut.
#[derive(Clone, Copy)]
struct PowerCut {
    at: u64,
    settled: u64,
    seed: u64,
}

/// The drive's bytes after a cut, and what the cut did. The record is read in two parts, and what the first gave is
/// forked, which must change nothing.
fn after(record: &[u8], durability: Durability, cut: PowerCut) -> (Vec<u8>, Unflushed) {
    let mut pages = Pages::leaked(1000);
    let mut replay = Replay::new([(SIZE, durability)], cut.settled);
    replay.read(Cursor::new(record), &mut pages, cut.settled.min(cut.at)).unwrap();
    let mut bytes = [vec![9; SIZE as usize], vec![9; SIZE as usize]];
    let mut unflushed = [Unflushed::default(); 2];
    for n in 0..2 {
        let mut fork = replay.fork();
        fork.read(Cursor::new(record), &mut pages, cut.at).unwrap();
        let (drives, lost) = fork.cut(&mut pages, cut.seed);
        drives[0].read(&pages, 0, &mut bytes[n]);
        unflushed[n] = lost;
    }
    assert_eq!(unflushed[0], unflushed[1]);
    let [one, other] = bytes;
    assert!(one == other, "the same cut, the same state");
    (one, unflushed[0])
}

proptest! {
    // Each case maps memory that is never given back.
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_durable_survives_and_only_what_was_written_appears(
        acts in acts(),
        moment in 0.0..1.1f64,
        settled in 0.0..0.3f64,
        seed: u64,
        volatile: bool,
        tearing in prop::sample::select(vec![512u64, 4096, 6144]),
    ) {
        let (record, versions) = recorded(&acts);
        let end = at(acts.len() as u64) as f64;
        let cut = PowerCut { at: (end * moment) as u64, settled: (end * settled) as u64, seed };
        let durability = Durability { volatile, tearing, cache: 256 << 20 };
        let (bytes, unflushed) = after(&record, durability, cut);

        let durable = |v: &Version| {
            let completed = v.completed.map(at).filter(|t| *t <= cut.at);
            let flushed = v.flushed_at.is_some_and(|t| t <= cut.at);
            completed.is_some_and(|t| !volatile || flushed || v.fua || t <= cut.settled)
        };
        let submitted: Vec<&Version> =
            versions.iter().filter(|v| at(v.submitted) <= cut.at).collect();
        let uncertain = submitted.iter().filter(|v| !durable(v)).count() as u64;
        prop_assert_eq!(unflushed.total(), uncertain);
        for sector in 0..SIZE / SECTOR {
            let here: Vec<&&Version> =
                submitted.iter().filter(|v| v.sectors.contains(&sector)).collect();
            // From the newest durable one on all are possible; without one the empty drive, too.
            let from = here.iter().rposition(|v| durable(v));
            let mut possible: Vec<u64> = here[from.unwrap_or(0)..].iter().map(|v| v.fill).collect();
            if from.is_none() {
                possible.push(0);
            }
            let start = (sector * SECTOR) as usize;
            let found = &bytes[start..start + SECTOR as usize];
            let word = u64::from_le_bytes(found[..8].try_into().unwrap());
            prop_assert!(found.chunks(8).all(|w| w == &found[..8]), "sector {} is torn", sector);
            prop_assert!(possible.contains(&word), "sector {}: {} of {:?}", sector, word, possible);
        }
    }
}

/// A record of `count` writes of 8 KiB, one after the other, all completed.
fn writes(count: u64) -> Vec<u8> {
    let write = |n: u64| Act::Write { sector: n * 16, sectors: 16, fua: false };
    let acts: Vec<Act> =
        (0..count).flat_map(|n| [write(n), Act::Complete { oldest: true }]).collect();
    recorded(&acts).0
}

const VOLATILE: Durability = Durability { volatile: true, tearing: 4096, cache: 256 << 20 };

/// A moment after everything, and before a drive that nothing was sent since has emptied its cache.
const LATE: u64 = 1_000_000_000;

/// A cut after everything.
fn late(settled: u64, seed: u64) -> PowerCut {
    PowerCut { at: LATE, settled, seed }
}

#[test]
fn unflushed_writes_are_kept_torn_and_lost() {
    let record = writes(8);
    let mut sum = Unflushed::default();
    for seed in 0..20 {
        let (_, unflushed) = after(&record, VOLATILE, late(NEVER, seed));
        assert_eq!(unflushed.total(), 8);
        sum.kept += unflushed.kept;
        sum.torn += unflushed.torn;
        sum.lost += unflushed.lost;
    }
    assert!(sum.kept > 20 && sum.torn > 5 && sum.lost > 20, "{sum:?}");
}

#[test]
fn a_completed_fua_write_is_there_and_older_writes_of_its_place_do_not_come_back() {
    let write = |fua| Act::Write { sector: 0, sectors: 16, fua };
    let complete = Act::Complete { oldest: true };
    let (record, versions) = recorded(&[write(false), complete.clone(), write(true), complete]);
    let mut sum = Unflushed::default();
    for seed in 0..20 {
        let (bytes, unflushed) = after(&record, VOLATILE, late(NEVER, seed));
        assert_eq!(unflushed.total(), 1, "the ordinary write");
        let newest = versions[1].fill.to_le_bytes();
        assert!(bytes[..8192].chunks(8).all(|word| word == newest));
        sum.kept += unflushed.kept;
        sum.lost += unflushed.lost;
    }
    assert!(sum.kept > 0 && sum.lost > 0, "{sum:?}");
}

#[test]
fn what_a_drive_had_before_it_was_idle_is_on_the_medium() {
    let record = writes(8);
    for seed in 0..10 {
        let (bytes, unflushed) = after(&record, VOLATILE, late(at(7), seed));
        assert_eq!(unflushed.total(), 4, "half of them completed later");
        let words = bytes[..4 * 8192].chunks(8);
        assert!(words.into_iter().all(|word| word != [0; 8]));
    }
}

#[test]
fn damage_is_one_page_in_so_many_and_leaves_the_labels() {
    let (mut pages, size) = (Pages::leaked(10_000), 32u64 << 20);
    let mut drive = Contents::new(size);
    drive.write(&mut pages, 0, &vec![7; size as usize]);
    let damaged = damage(&mut pages, &mut drive, size, 50, 3);
    assert!((100..200).contains(&damaged), "{damaged}");
    let mut bytes = vec![0; size as usize];
    drive.read(&pages, 0, &mut bytes);
    let zero = bytes.iter().filter(|byte| **byte == 0).count() as u64;
    assert_eq!(zero, damaged * PAGE as u64);
    let (first, last) = (LABELS.0 as usize, (size - LABELS.1) as usize);
    let mut labels = bytes[..first].iter().chain(&bytes[last..]);
    assert!(labels.all(|byte| *byte == 7));
}

#[test]
fn a_drive_that_lies_about_flushes_loses_flushed_and_fua_writes() {
    let complete = Act::Complete { oldest: true };
    let write = |n: u64, fua| Act::Write { sector: n * 16, sectors: 16, fua };
    let acts =
        [write(0, false), complete.clone(), Act::Flush, Act::Flushed, write(1, true), complete];
    let (record, _) = recorded(&acts);
    let protected = Durability { volatile: false, ..VOLATILE };
    for (durability, lies, expected) in
        [(VOLATILE, false, 0), (VOLATILE, true, 2), (protected, false, 0), (protected, true, 2)]
    {
        let mut pages = Pages::leaked(100);
        let mut replay = Replay::new([(SIZE, durability)], NEVER);
        if lies {
            replay.set_fault(0, WriteFault::LiesAboutFlushes, 1);
        }
        replay.read(Cursor::new(&record), &mut pages, LATE).unwrap();
        assert_eq!(replay.cut(&mut pages, 1).1.total(), expected, "{durability:?} {lies}");
    }
}

#[test]
fn a_write_that_the_cut_leaves_meets_the_fault_of_its_drive_too() {
    let record = writes(8);
    let mut faulty = 0;
    for seed in 0..20 {
        let mut pages = Pages::leaked(100);
        let mut replay = Replay::new([(SIZE, VOLATILE)], NEVER);
        replay.set_fault(0, WriteFault::Loses { every: 1 }, seed);
        replay.read(Cursor::new(&record), &mut pages, LATE).unwrap();
        let (drives, unflushed) = replay.cut(&mut pages, seed);
        assert_eq!(
            unflushed,
            Unflushed { lost: 8, faulty: unflushed.faulty, ..Unflushed::default() }
        );
        faulty += unflushed.faulty;
        let mut bytes = vec![1; SIZE as usize];
        drives[0].read(&pages, 0, &mut bytes);
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
    // About half are left by a cut; the others are lost by it alone.
    assert!((40..160).contains(&faulty), "{faulty} of 160");
}
