//! Pages of files that are overwritten in place, many between two syncs, as the checkpoint of a database does.

use super::blocks::{Damage, WRITERS, mix};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Pages of each writer's file. All of them are written between two syncs.
pub const PER_SYNC: u64 = 64;
/// Bytes that memory must be aligned to for `direct=always` of a dataset: a page of the processor.
const ALIGNMENT: usize = 4096;

/// The pages of a run. In round n every page is written with the content of n, then the file is synced.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PageFiles {
    /// Where the files are.
    pub directory: PathBuf,
    /// Bytes of a page, a multiple of 4096.
    pub size: usize,
    /// Seed of the contents.
    pub seed: u64,
}

/// What a page holds.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// A whole page of this round.
    Round(u64),
    /// Parts of several rounds, or what was never written.
    Torn,
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
    ///
    /// # Errors
    /// What the file system says.
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

    fn found(&self, writer: usize, page: u64, data: &[u8]) -> Found {
        let round = data.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
        let mut whole = vec![0; self.size];
        self.fill(writer, page, round, &mut whole);
        if whole == data { Found::Round(round) } else { Found::Torn }
    }

    /// Checks a writer's file against its number of acknowledged rounds; the next one may have been in flight. Torn
    /// pages are corrupt; pages of an earlier round, and those that cannot be read, are lost. Returns the number of
    /// rounds that all whole pages have.
    fn check(&self, writer: usize, acknowledged: u64) -> (Damage, u64) {
        let mut damage = Damage::default();
        let mut kept = acknowledged;
        // Nothing was promised of a file that was being made.
        if acknowledged == 0 {
            return (damage, kept);
        }
        let file = fs::File::open(self.path(writer));
        for page in 0..PER_SYNC {
            let mut data = vec![0; self.size];
            let read = match &file {
                Ok(file) => file.read_exact_at(&mut data, page * self.size as u64).is_ok(),
                Err(_) => false,
            };
            match self.found(writer, page, &data) {
                _ if !read => (damage.lost, kept) = (damage.lost + 1, 0),
                Found::Round(round) if round == acknowledged || round + 1 == acknowledged => {}
                Found::Round(round) if round < acknowledged => {
                    damage.lost += 1;
                    kept = kept.min(round + 1);
                }
                Found::Round(_) | Found::Torn => damage.corrupt += 1,
            }
        }
        (damage, kept)
    }

    /// Checks the files of all writers: the damage, and for each the number of rounds that are kept.
    pub fn check_all(&self, acknowledged: &[u64]) -> (Damage, Vec<u64>) {
        let mut damage = Damage::default();
        let checked = acknowledged.iter().take(WRITERS).enumerate();
        let kept = checked.map(|(writer, rounds)| {
            let (of_writer, kept) = self.check(writer, *rounds);
            damage += of_writer;
            kept
        });
        let kept = kept.collect();
        (damage, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damage(rounds: u64, change: impl Fn(&PageFiles)) -> (Damage, Vec<u64>) {
        let directory = tempfile::tempdir().unwrap();
        let pages = PageFiles { directory: directory.path().to_owned(), size: 8192, seed: 7 };
        for round in 0..rounds {
            pages.write(0, round, true).unwrap();
        }
        change(&pages);
        pages.check_all(&[3])
    }

    fn put(pages: &PageFiles, page: u64, from: usize, round: u64) {
        let mut data = vec![0; pages.size];
        pages.fill(0, page, round, &mut data);
        let file = File::options().write(true).open(pages.path(0)).unwrap();
        file.write_all_at(&data[from..], page * pages.size as u64 + from as u64).unwrap();
    }

    #[test]
    fn pages_are_of_the_acknowledged_round_or_of_the_next() {
        let whole = (Damage::default(), vec![3]);
        assert_eq!(damage(3, |_| ()), whole);
        assert_eq!(damage(3, |pages| put(pages, 5, 0, 3)), whole);
        assert_eq!(damage(4, |_| ()), whole);
    }

    #[test]
    fn torn_pages_are_corrupt() {
        let torn = |from| damage(3, |pages| put(pages, 5, from, 3));
        assert_eq!(torn(4096), (Damage { lost: 0, corrupt: 1 }, vec![3]));
        assert_eq!(torn(8184), (Damage { lost: 0, corrupt: 1 }, vec![3]));
        let never_sent = damage(3, |pages| put(pages, 5, 0, 4));
        assert_eq!(never_sent, (Damage { lost: 0, corrupt: 1 }, vec![3]));
    }

    #[test]
    fn earlier_and_missing_pages_are_lost() {
        let old = damage(3, |pages| put(pages, 5, 0, 1));
        assert_eq!(old, (Damage { lost: 1, corrupt: 0 }, vec![2]));
        let gone = damage(3, |pages| fs::remove_file(pages.path(0)).unwrap());
        assert_eq!(gone, (Damage { lost: PER_SYNC, corrupt: 0 }, vec![0]));
    }
}
