//! Pages of files that are overwritten in place, many between two syncs, as the checkpoint of a database does.

use super::blocks::mix;
use super::kept::Damage;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

/// Pages of each writer's file. All of them are written between two syncs.
pub const PER_SYNC: u64 = 64;
/// Virtual time between an acknowledgement and the next round: it bounds what a fast drive adds to the record, with
/// pages of 16 KiB to 80 MiB a second.
pub const PAUSE: Duration = Duration::from_millis(50);
/// Bytes that memory must be aligned to for `direct=always` of a dataset: a page of the processor.
const ALIGNMENT: usize = 4096;

/// The pages of a run. In round n every page is written with the content of n, then the file is synced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFiles {
    pub directory: PathBuf,
    /// Bytes of a page, a multiple of 4096.
    pub size: usize,
    pub seed: u64,
}

impl PageFiles {
    fn path(&self, writer: usize) -> PathBuf {
        self.directory.join(format!("pages-{writer}"))
    }

    /// The content of a page: the round, then words that follow from it.
    fn fill(&self, writer: usize, page: u64, round: u64, data: &mut [u8]) {
        let mut word = mix(self.seed ^ mix(writer as u64 ^ mix(page ^ mix(round))));
        for (index, bytes) in data.chunks_exact_mut(8).enumerate() {
            let value = if index == 0 { round } else { word };
            bytes.copy_from_slice(&value.to_le_bytes());
            word = mix(word);
        }
    }

    /// Writes every page of a writer's file, which is made in round 0.
    pub fn write(&self, writer: usize, round: u64, durable: bool) -> io::Result<()> {
        let path = self.path(writer);
        let file = File::options().write(true).create_new(round == 0).open(&path)?;
        let mut memory = vec![0; self.size + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        let data = &mut memory[start..start + self.size];
        for page in 0..PER_SYNC {
            self.fill(writer, page, round, data);
            file.write_all_at(data, page * self.size as u64)?;
        }
        if durable {
            file.sync_data()?;
            if round == 0 {
                File::open(&self.directory)?.sync_all()?;
            }
        }
        Ok(())
    }

    /// What is there of a page with this content.
    fn state(&self, writer: usize, page: u64, data: &[u8]) -> PageState {
        let Some(first) = data.first_chunk().filter(|_| data.iter().any(|byte| *byte != 0)) else {
            return PageState::Empty;
        };
        let round = u64::from_le_bytes(*first);
        let mut whole = vec![0; self.size];
        self.fill(writer, page, round, &mut whole);
        if whole == data { PageState::Round(round) } else { PageState::Torn }
    }

    /// What is there of a writer's pages.
    pub fn read_back(&self, writer: usize) -> Vec<PageState> {
        let file = File::open(self.path(writer));
        let look = |page| {
            let mut data = vec![0; self.size];
            let at = page * self.size as u64;
            match file.as_ref().is_ok_and(|file| file.read_exact_at(&mut data, at).is_ok()) {
                true => self.state(writer, page, &data),
                false => PageState::Empty,
            }
        };
        (0..PER_SYNC).map(look).collect()
    }
}

/// What is there of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    /// The whole page, as it was written in this round.
    Round(u64),
    /// It is torn, or holds what was never written there.
    Torn,
    /// It is empty, missing or cannot be read.
    Empty,
}

/// Checks a writer's pages against its number of acknowledged rounds; the next one may have been in flight. A round is
/// lost if a page is older, empty or cannot be read; torn pages are corrupt. Returns also how many rounds are kept.
pub fn check(pages: &[PageState], acknowledged: u64) -> (Damage, u64) {
    let mut corrupt = 0;
    let mut kept = acknowledged;
    // Of a file that was being made nothing was promised.
    let promised = if acknowledged == 0 { &[] } else { pages };
    for page in promised {
        match page {
            PageState::Empty => kept = 0,
            PageState::Round(round) if *round <= acknowledged => kept = kept.min(round + 1),
            _ => corrupt += 1,
        }
    }
    (Damage { lost: acknowledged - kept, corrupt }, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damage(rounds: u64, change: impl Fn(&PageFiles)) -> (Damage, u64) {
        let directory = tempfile::tempdir().unwrap();
        let pages = PageFiles { directory: directory.path().to_owned(), size: 8192, seed: 7 };
        for round in 0..rounds {
            pages.write(0, round, true).unwrap();
        }
        change(&pages);
        check(&pages.read_back(0), 3)
    }

    fn put(pages: &PageFiles, page: u64, from: usize, round: u64) {
        let mut data = vec![0; pages.size];
        pages.fill(0, page, round, &mut data);
        let file = File::options().write(true).open(pages.path(0)).unwrap();
        file.write_all_at(&data[from..], page * pages.size as u64 + from as u64).unwrap();
    }

    #[test]
    fn pages_are_of_the_acknowledged_round_or_of_the_next() {
        let whole = (Damage::default(), 3);
        assert_eq!(damage(3, |_| ()), whole);
        assert_eq!(damage(3, |pages| put(pages, 5, 0, 3)), whole);
        assert_eq!(damage(4, |_| ()), whole);
    }

    #[test]
    fn torn_pages_are_corrupt() {
        let torn = |from| damage(3, |pages| put(pages, 5, from, 3));
        assert_eq!(torn(4096), (Damage { lost: 0, corrupt: 1 }, 3));
        assert_eq!(torn(8184), (Damage { lost: 0, corrupt: 1 }, 3));
        let never_sent = damage(3, |pages| put(pages, 5, 0, 4));
        assert_eq!(never_sent, (Damage { lost: 0, corrupt: 1 }, 3));
    }

    #[test]
    fn rounds_of_earlier_missing_and_empty_pages_are_lost() {
        let old = damage(3, |pages| put(pages, 5, 0, 1));
        assert_eq!(old, (Damage { lost: 1, corrupt: 0 }, 2));
        let gone = damage(3, |pages| std::fs::remove_file(pages.path(0)).unwrap());
        assert_eq!(gone, (Damage { lost: 3, corrupt: 0 }, 0));
        let empty = damage(3, |pages| {
            let file = File::options().write(true).open(pages.path(0)).unwrap();
            file.write_all_at(&vec![0; pages.size], 0).unwrap();
        });
        assert_eq!(empty, (Damage { lost: 3, corrupt: 0 }, 0));
    }
}
