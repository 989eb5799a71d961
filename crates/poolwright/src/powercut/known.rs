//! Recoveries that need not be run again. A machine is a function of what it is told and of what it reads: a crash
//! state of which all pages that an earlier recovery read hold the same recovers in the same way, whatever else its
//! drives hold.

use super::crash_drives::{CrashDrives, KNOWN_BYTES};
use super::recovery::Recovered;
use super::states::AfterCut;
use contents::config::Config;
use contents::{Contents, reads};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};

/// Most of them: a state is compared with each.
const MOST: usize = 256;
/// Most pages that all of them together have read: the number of each is kept.
const MOST_READ: usize = 8 << 20;

/// Most bytes that those of a job take: pages, and leaves of maps as large as these; numbers of pages; and the maps.
pub fn memory(drives: &Config) -> u64 {
    let maps: u64 = drives.drives.iter().map(|drive| Contents::map_bytes(drive.capacity)).sum();
    2 * KNOWN_BYTES + (MOST_READ * size_of::<u64>()) as u64 + MOST as u64 * maps
}

/// The last recoveries that were run. What their drives hold takes at most [`KNOWN_BYTES`] bytes, and the last one's more.
#[derive(Default)]
pub struct KnownRecoveries(VecDeque<KnownRecovery>);

struct KnownRecovery {
    /// What the drives held after the cut.
    contents: Vec<Contents>,
    /// Which of them had failed.
    failed: Vec<bool>,
    /// The pages of each that were read, by their numbers.
    read: Vec<Vec<u64>>,
    outcome: Outcome,
    /// [`CrashDrives::grown`] when it was added.
    grown: u64,
}

/// What a recovery found.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub found: Recovered,
    /// A hash of what it read, in hexadecimal.
    pub contents_read: String,
}

fn failed(after: &AfterCut) -> Vec<bool> {
    after.drives.drives.iter().map(|drive| drive.failed).collect()
}

/// Adds what drives hold in these pages of each to a hash.
fn hash(base: &CrashDrives, read: &[Vec<u64>], drives: &[Contents], hasher: &mut impl Hasher) {
    for (drive, numbers) in drives.iter().zip(read) {
        for number in numbers {
            hasher.write_u64(*number);
            let page = drive.page(&base.pages, *number);
            // Zeros may take memory or not.
            let page = page.filter(|page| page.iter().any(|byte| *byte != 0));
            hasher.write(page.unwrap_or_default());
        }
    }
}

impl KnownRecoveries {
    /// The outcome of a state's recovery; none where a machine has to find it out.
    pub fn find(&self, base: &CrashDrives, after: &AfterCut) -> Option<Outcome> {
        let failed = failed(after);
        let same = |known: &&KnownRecovery| {
            known.failed == failed
                && reads::same(&base.pages, &known.read, &known.contents, &after.contents)
        };
        // The last ones are the nearest in time.
        self.0.iter().rev().find(same).map(|known| known.outcome.clone())
    }

    /// Remembers what the recovery of a state found, which read these pages of each drive, and returns it.
    pub fn add(
        &mut self,
        base: &mut CrashDrives,
        after: AfterCut,
        found: Recovered,
        read: Vec<Vec<u64>>,
    ) -> Outcome {
        let failed = failed(&after);
        let mut hasher = DefaultHasher::new();
        failed.iter().for_each(|failed| hasher.write_u8((*failed).into()));
        hash(base, &read, &after.contents, &mut hasher);
        let outcome = Outcome { found, contents_read: format!("{:016x}", hasher.finish()) };
        let (contents, grown) = (after.contents, base.grown);
        self.keep(base, KnownRecovery { contents, failed, read, outcome: outcome.clone(), grown });
        outcome
    }

    /// Keeps one, and forgets the oldest ones where there are too many.
    fn keep(&mut self, base: &mut CrashDrives, new: KnownRecovery) {
        let count = |read: &[Vec<u64>]| read.iter().map(Vec::len).sum::<usize>();
        let is_over = |all: &VecDeque<KnownRecovery>| {
            let read: usize = all.iter().map(|known| count(&known.read)).sum();
            let oldest = all.front();
            oldest.is_some_and(|oldest| {
                all.len() == MOST
                    || read + count(&new.read) > MOST_READ
                    || new.grown - oldest.grown > KNOWN_BYTES
            })
        };
        while is_over(&self.0)
            && let Some(oldest) = self.0.pop_front()
        {
            base.discard(oldest.contents);
        }
        self.0.push_back(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::powercut::crash_drives::tests::one_drive;
    use crate::powercut::report::State;
    use contents::PAGE;

    /// A state of one drive whose first pages are filled with these numbers.
    fn after(base: &mut CrashDrives, held: [u16; 3]) -> AfterCut {
        let mut drive = Contents::new(1 << 20);
        for (page, number) in held.into_iter().enumerate() {
            let bytes = number.to_le_bytes().repeat(PAGE / 2);
            drive.write(&mut base.pages, (page * PAGE) as u64, &bytes);
        }
        let (contents, state) = (vec![drive], State::default());
        AfterCut { at: 0, drives: one_drive(), contents, acknowledged: Vec::new(), state }
    }

    fn found(seconds: f64) -> Recovered {
        Recovered { opened_s: Some(seconds), ..Recovered::default() }
    }

    #[test]
    fn a_recovery_is_known_where_all_that_it_read_is_the_same() {
        let base = &mut CrashDrives::new(&one_drive());
        let mut known = KnownRecoveries::default();
        let first = after(base, [1, 2, 3]);
        let first = known.add(base, first, found(0.5), vec![vec![0, 2, 9]]);
        let mut find = |known: &KnownRecoveries, held, failed| {
            let mut state = after(base, held);
            state.drives.drives[0].failed = failed;
            let outcome = known.find(base, &state);
            base.discard(state.contents);
            outcome
        };
        let same = find(&known, [1, 5, 3], false).unwrap();
        assert_eq!((same.found, same.contents_read), (found(0.5), first.contents_read.clone()));
        assert!(find(&known, [1, 2, 4], false).is_none(), "a page that was read differs");
        assert!(find(&known, [1, 2, 3], true).is_none(), "the drive has failed");
        let other = after(base, [1, 2, 4]);
        let other = known.add(base, other, found(0.7), vec![vec![0, 2, 9]]);
        assert_ne!(first.contents_read, other.contents_read);
        for (last, seconds) in [(3, 0.5), (4, 0.7)] {
            let state = after(base, [1, 0, last]);
            assert_eq!(known.find(base, &state).unwrap().found, found(seconds));
            base.discard(state.contents);
        }
    }

    #[test]
    fn recoveries_are_forgotten_when_states_have_taken_their_memory() {
        let base = &mut CrashDrives::new(&one_drive());
        let mut known = KnownRecoveries::default();
        for (grown, left) in [(0, 1), (KNOWN_BYTES, 2), (KNOWN_BYTES + 1, 2), (3 * KNOWN_BYTES, 1)]
        {
            let state = after(base, [0, 0, 1]);
            base.grown = grown;
            known.add(base, state, found(1.0), vec![vec![2]]);
            assert_eq!(known.0.len(), left, "after {grown} bytes");
        }
    }

    #[test]
    fn recoveries_that_read_much_are_fewer() {
        let base = &mut CrashDrives::new(&one_drive());
        let mut known = KnownRecoveries::default();
        let half: Vec<u64> = (0..MOST_READ as u64 / 2).collect();
        let left = |numbers: &[u64], known: &mut KnownRecoveries, base: &mut CrashDrives| {
            let state = after(base, [0, 0, 1]);
            let read = vec![numbers.to_vec()];
            let (contents, failed) = (state.contents, vec![false]);
            let outcome = Outcome { found: found(1.0), contents_read: String::new() };
            known.keep(base, KnownRecovery { contents, failed, read, outcome, grown: 0 });
            known.0.len()
        };
        let half = &half[..];
        let lengths = [half, half, half, &[], &[1]].map(|read| left(read, &mut known, base));
        assert_eq!(lengths, [1, 2, 2, 3, 3]);
    }

    #[test]
    fn recoveries_that_are_forgotten_give_their_memory_back() {
        let base = &mut CrashDrives::new(&one_drive());
        let mut known = KnownRecoveries::default();
        for last in 1..=MOST as u16 + 3 {
            let state = after(base, [0, 0, last]);
            known.add(base, state, found(1.0), vec![vec![2]]);
        }
        assert_eq!(base.pages.held(), MOST as u32);
        let mut is_known = |last| {
            let state = after(base, [0, 0, last]);
            let outcome = known.find(base, &state);
            base.discard(state.contents);
            outcome.is_some()
        };
        assert!(!is_known(3) && is_known(4) && is_known(MOST as u16 + 3));
    }
}
