//! Which pages a machine read of what its drives began with. A machine is a function of its script and of these pages:
//! with others that hold the same there, whatever else they hold, it does the same.

use crate::image::{bad, integer};
use crate::{Contents, PAGE, Pages};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// Words of 64 pages of a part of a drive: 16 MiB.
const WORDS: usize = 64;

/// The pages of one drive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InitialReads {
    /// The parts of the drive that were read or written, by their numbers.
    parts: BTreeMap<u64, Box<Part>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// A bit for each page: it was read before it was overwritten.
    read: [u64; WORDS],
    /// A bit for each page: nothing of what it began with is left.
    overwritten: [u64; WORDS],
}

impl InitialReads {
    /// The part with a page, the page's word in it, and its bit in that.
    fn place(&mut self, page: u64) -> (&mut Part, usize, u64) {
        let word = page / 64;
        let untouched = || Box::new(Part { read: [0; WORDS], overwritten: [0; WORDS] });
        let part = self.parts.entry(word / WORDS as u64).or_insert_with(untouched);
        (part, word as usize % WORDS, 1 << (page % 64))
    }

    /// Bytes are read.
    pub fn read(&mut self, offset: u64, length: u64) {
        let end = (offset + length).div_ceil(PAGE as u64);
        for page in offset / PAGE as u64..end {
            let (part, word, bit) = self.place(page);
            part.read[word] |= bit & !part.overwritten[word];
        }
    }

    /// Bytes are overwritten or discarded. A page of which bytes are left still counts as it was.
    pub fn overwrite(&mut self, offset: u64, length: u64) {
        let whole = offset.div_ceil(PAGE as u64)..(offset + length) / PAGE as u64;
        for page in whole {
            let (part, word, bit) = self.place(page);
            part.overwritten[word] |= bit;
        }
    }

    /// Numbers of the pages that were read, ascending.
    pub fn pages(&self) -> impl Iterator<Item = u64> + '_ {
        let words = self.parts.iter().flat_map(|(number, part)| {
            let first = number * WORDS as u64;
            (first..).zip(&part.read).filter(|(_, word)| **word != 0)
        });
        words.flat_map(|(number, word)| {
            let set = (0..64).filter(move |bit| word >> bit & 1 == 1);
            set.map(move |bit| number * 64 + bit)
        })
    }
}

/// Writes the pages of all drives: for each their number, and theirs, of 64 bits in little-endian order.
///
/// # Errors
/// What the file system says.
pub fn save<'a>(path: &Path, drives: impl Iterator<Item = &'a InitialReads>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for drive in drives {
        file.write_all(&(drive.pages().count() as u64).to_le_bytes())?;
        for page in drive.pages() {
            file.write_all(&page.to_le_bytes())?;
        }
    }
    file.flush()
}

/// Reads the numbers of the pages of so many drives.
///
/// # Errors
/// What the file system says, or that it is no file of so many drives.
pub fn load(path: &Path, drives: usize) -> io::Result<Vec<Vec<u64>>> {
    let file = File::open(path)?;
    let most = file.metadata()?.len() / 8;
    let mut file = BufReader::new(file);
    let mut all = Vec::new();
    for _ in 0..drives {
        let count = integer(&mut file)?;
        if count > most {
            return Err(bad("not a file of pages that were read"));
        }
        all.push((0..count).map(|_| integer(&mut file)).collect::<io::Result<Vec<u64>>>()?);
    }
    Ok(all)
}

/// Whether drives hold the same in these pages of each, by ascending numbers.
pub fn same(pages: &Pages, of: &[Vec<u64>], these: &[Contents], those: &[Contents]) -> bool {
    these.iter().zip(those).zip(of).all(|((this, that), read)| this.same_pages(that, pages, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: u64 = PAGE as u64;

    #[test]
    fn a_page_counts_when_it_is_read_before_it_is_overwritten_as_a_whole() {
        let mut reads = InitialReads::default();
        reads.overwrite(3 * P, 2 * P);
        reads.overwrite(6 * P + 512, P);
        reads.read(2 * P + 512, 5 * P);
        reads.read(199 * P, P);
        // Once read it counts, whatever happens to it later.
        reads.overwrite(2 * P, P);
        reads.read(0, 0);
        assert_eq!(reads.pages().collect::<Vec<_>>(), [2, 5, 6, 7, 199]);
    }

    #[test]
    fn pages_are_loaded_as_they_were_saved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("reads");
        let mut drives = [InitialReads::default(), InitialReads::default()];
        drives[1].read(0, 3 * P);
        save(&path, drives.iter()).unwrap();
        assert_eq!(load(&path, 2).unwrap(), [vec![], vec![0, 1, 2]]);
        assert!(load(&path, 3).is_err());
        std::fs::write(&path, u64::MAX.to_le_bytes()).unwrap();
        assert!(load(&path, 1).is_err());
    }

    #[test]
    fn drives_are_the_same_where_only_pages_differ_that_were_not_read() {
        let mut pages = Pages::leaked(100);
        let mut of = |last: u8| {
            let mut drive = Contents::new(1 << 20);
            drive.write(&mut pages, 0, &[7; PAGE]);
            drive.write(&mut pages, 2 * P, &[last; PAGE]);
            drive
        };
        let drives = [of(1), of(2), of(1)].map(|drive| [drive]);
        let same = |read: &[u64], a: usize, b: usize| {
            same(&pages, &[read.to_vec()], &drives[a], &drives[b])
        };
        assert!(same(&[0, 1, 9], 0, 1) && same(&[0, 2], 0, 2));
        assert!(!same(&[0, 2], 0, 1) && !same(&[2], 1, 2));
    }
}
