//! Images: the contents of all drives of a machine in one file; and indexes, whose pages lie in memory that a machine
//! is given: where an earlier machine left them, or the host put them.
//!
//! An image is [`MAGIC`], the number of distinct pages, then for each drive its number of pages and for each of these
//! its number on the drive and its place among the distinct pages, then the distinct pages. An index is
//! [`INDEX_MAGIC`], the number of pages that lie in memory behind its first, and the same for each drive with places
//! among these. All integers have 64 bits in little-endian order. A page that several drives hold is there once.

use crate::config::MEMORY_LIMIT;
use crate::pages::{place_of, slot_at};
use crate::{Contents, PAGE, Pages};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// First bytes of an image.
pub const MAGIC: &[u8; 16] = b"poolwright-img2\n";
/// First bytes of an index.
pub const INDEX_MAGIC: &[u8; 16] = b"poolwright-idx1\n";
/// Bytes of an index for a page of a drive.
pub const INDEX_ENTRY: u64 = 16;
/// Bytes read and written at once.
const BUFFER: usize = 1 << 20;

/// Writes an index.
///
/// # Errors
/// What the file system says.
pub fn save_index(path: &Path, pages: &Pages, drives: &[&Contents]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
    write_index(&mut file, pages.taken().into(), drives.iter().copied(), place_of)?;
    file.flush()
}

/// Writes an index of so many pages in memory, of which each page of a drive is at a place.
fn write_index<'a>(
    file: &mut impl Write,
    pages: u64,
    drives: impl Iterator<Item = &'a Contents>,
    place: impl Fn(u32) -> u64,
) -> io::Result<()> {
    file.write_all(INDEX_MAGIC)?;
    file.write_all(&pages.to_le_bytes())?;
    for drive in drives {
        let places = drive.pages().map(|(number, slot)| (number, place(slot)));
        write_drive(file, drive.pages().count(), places)?;
    }
    Ok(())
}

/// Writes the pages of a drive: how many, and the number and place of each.
fn write_drive(
    file: &mut impl Write,
    count: usize,
    places: impl Iterator<Item = (u64, u64)>,
) -> io::Result<()> {
    file.write_all(&(count as u64).to_le_bytes())?;
    for (number, place) in places {
        file.write_all(&number.to_le_bytes())?;
        file.write_all(&place.to_le_bytes())?;
    }
    Ok(())
}

/// Pages that drives hold, each once, in the order in which they are first met.
struct Distinct {
    /// By page: its place.
    places: Vec<Option<u64>>,
    pages: Vec<usize>,
}

impl Distinct {
    /// None of so many pages.
    fn new(pages: usize) -> Distinct {
        Distinct { places: vec![None; pages], pages: Vec::new() }
    }

    fn add(&mut self, page: usize) {
        if self.places[page].is_none() {
            self.places[page] = Some(self.pages.len() as u64);
            self.pages.push(page);
        }
    }

    fn place(&self, page: usize) -> u64 {
        self.places[page].unwrap_or_default()
    }
}

/// Writes the image of an index, whose pages lie in `memory` and, beyond [`MEMORY_LIMIT`], in `spill`.
///
/// # Errors
/// What the file system says, or that it is no index of this memory.
pub fn from_index(
    index: &File,
    (memory, spill): (&File, Option<&File>),
    image: &mut impl Write,
) -> io::Result<()> {
    let mut image = BufWriter::with_capacity(BUFFER, image);
    let mut bytes = vec![0; index.metadata()?.len() as usize];
    index.read_exact_at(&mut bytes, 0)?;
    if !bytes.starts_with(INDEX_MAGIC) {
        return Err(bad("not an index of drives"));
    }
    let words: Vec<u64> = bytes
        .get(INDEX_MAGIC.len()..)
        .unwrap_or_default()
        .chunks_exact(8)
        .map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
        .collect();
    let (taken, mut rest) =
        words.split_first().ok_or_else(|| bad("an index that was cut short"))?;
    let mut drives = Vec::new();
    while let Some((count, after)) = rest.split_first() {
        let length = usize::try_from(*count).ok().and_then(|count| count.checked_mul(2));
        let split = length.and_then(|length| after.split_at_checked(length));
        let (drive, after) = split.ok_or_else(|| bad("an index that was cut short"))?;
        drives.push(drive.as_chunks::<2>().0);
        rest = after;
    }
    let mut distinct = Distinct::new(usize::try_from(*taken).map_err(io::Error::other)?);
    for [_, page] in drives.iter().copied().flatten() {
        if page >= taken {
            return Err(bad("an index that names a page it does not have"));
        }
        distinct.add(*page as usize);
    }
    image.write_all(MAGIC)?;
    image.write_all(&(distinct.pages.len() as u64).to_le_bytes())?;
    for drive in drives {
        let places = drive.iter().map(|[number, page]| (*number, distinct.place(*page as usize)));
        write_drive(&mut image, drive.len(), places)?;
    }
    let mut buffer = vec![0; BUFFER];
    for run in distinct.pages.chunk_by(|a, b| a + 1 == *b) {
        for part in run.chunks(BUFFER / PAGE) {
            let bytes = &mut buffer[..part.len() * PAGE];
            let offset = place_in_memory(part[0] as u64);
            let in_memory = MEMORY_LIMIT.saturating_sub(offset).min(bytes.len() as u64);
            let (first, rest) = bytes.split_at_mut(in_memory as usize);
            memory.read_exact_at(first, offset)?;
            if !rest.is_empty() {
                let spill = spill.ok_or_else(no_spill)?;
                spill.read_exact_at(rest, offset + in_memory - MEMORY_LIMIT)?;
            }
            image.write_all(bytes)?;
        }
    }
    image.flush()
}

/// Puts what drives hold into the memory of a machine that is to be started, and writes its index. Pages beyond
/// [`MEMORY_LIMIT`] go to `spill`.
///
/// # Errors
/// What the file system says.
pub fn hand_over(
    index: &mut impl Write,
    (memory, spill): (&File, Option<&File>),
    pages: &Pages,
    drives: &[Contents],
) -> io::Result<()> {
    let mut index = BufWriter::with_capacity(BUFFER, index);
    let mut distinct = Distinct::new(pages.taken() as usize);
    for drive in drives {
        drive.pages().for_each(|(_, slot)| distinct.add(place_of(slot) as usize));
    }
    let place = |slot| distinct.place(place_of(slot) as usize);
    write_index(&mut index, distinct.pages.len() as u64, drives.iter(), place)?;
    for (number, page) in (0..).zip(&distinct.pages) {
        let offset = place_in_memory(number);
        let (file, at) = match offset.checked_sub(MEMORY_LIMIT) {
            None => (memory, offset),
            Some(beyond) => (spill.ok_or_else(no_spill)?, beyond),
        };
        file.write_all_at(pages.page(slot_at(*page)), at)?;
    }
    index.flush()
}

/// Where in memory the page of a number is: behind the page that is all zero.
fn place_in_memory(number: u64) -> u64 {
    (number + 1) * PAGE as u64
}

fn no_spill() -> io::Error {
    bad("an index of more than there is memory")
}

/// Reads an image into empty drives; or an index, whose pages an earlier machine left in the memory of `pages`, or the
/// host put there. Nothing of it is taken yet.
///
/// # Errors
/// What the file system says, or that it is no image of these drives.
pub fn load(path: &Path, pages: &mut Pages, drives: &mut [&mut Contents]) -> io::Result<()> {
    let file = File::open(path)?;
    let most = file.metadata()?.len() / PAGE as u64;
    let mut file = BufReader::with_capacity(BUFFER, file);
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    let in_memory = match &magic {
        MAGIC => false,
        INDEX_MAGIC => true,
        _ => return Err(bad("not an image of drives")),
    };
    let count = integer(&mut file)?;
    if !in_memory && count > most {
        return Err(bad("an image that was cut short"));
    }
    let distinct: Vec<u32> = match in_memory {
        true => pages
            .adopt(count)
            .ok_or_else(|| bad("an index of more pages than there is room for"))?,
        false => (0..count).map(|_| pages.take()).collect(),
    };
    for drive in drives {
        let count = integer(&mut file)?;
        if count > drive.page_count() {
            return Err(bad("an image of other drives"));
        }
        for _ in 0..count {
            let (number, place) = (integer(&mut file)?, integer(&mut file)?);
            if number >= drive.page_count() {
                return Err(bad("an image of larger drives"));
            }
            let slot = usize::try_from(place).ok().and_then(|at| distinct.get(at));
            let slot = slot.ok_or_else(|| bad("an image that names a page it does not have"))?;
            drive.share(pages, number, *slot);
        }
    }
    for slot in distinct {
        if !in_memory {
            file.read_exact(pages.page_mut(slot))?;
        }
        pages.release(slot);
    }
    Ok(())
}

pub(crate) fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

pub(crate) fn integer(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CHUNK;

    /// Writes the image of drives: what the host puts into a machine's memory, and then into the store.
    fn save(path: &Path, pages: &Pages, drives: &[Contents]) {
        let new = |name| {
            let path = path.with_extension(name);
            File::options().read(true).write(true).create_new(true).open(path).unwrap()
        };
        let (mut index, memory) = (new("index"), new("memory"));
        hand_over(&mut index, (&memory, None), pages, drives).unwrap();
        from_index(&index, (&memory, None), &mut File::create(path).unwrap()).unwrap();
    }

    #[test]
    fn drives_are_loaded_as_they_were_saved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let mut pages = Pages::leaked(100);
        let mut drives = [Contents::new(1 << 20), Contents::new(1 << 20)];
        drives[0].write(&mut pages, 5 * 4096 + 512, &[7; 600]);
        drives[1].write(&mut pages, 0, &[8; 4096]);
        drives[1].write(&mut pages, 4096, &[9; 4096]);
        save(&path, &pages, &drives);
        let mut room = Pages::leaked(100);
        let mut other = [Contents::new(1 << 20), Contents::new(1 << 20)];
        load(&path, &mut room, &mut other.each_mut()).unwrap();
        for (a, b) in drives.iter().zip(&other) {
            let (mut x, mut y) = (vec![0; 1 << 20], vec![1; 1 << 20]);
            a.read(&pages, 0, &mut x);
            b.read(&room, 0, &mut y);
            assert!(x == y);
        }
        assert_eq!(room.held(), 3);
    }

    #[test]
    fn a_page_of_both_sides_of_a_mirror_is_held_once_after_a_load() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let mut pages = Pages::leaked(100);
        let mut drives = [Contents::new(1 << 20), Contents::new(1 << 20)];
        let data = [7; 4 * PAGE];
        for drive in &mut drives {
            drive.write(&mut pages, 0, &data);
        }
        save(&path, &pages, &drives);
        let mut room = Pages::leaked(100);
        let mut other = [Contents::new(1 << 20), Contents::new(1 << 20)];
        load(&path, &mut room, &mut other.each_mut()).unwrap();
        assert_eq!(room.held(), pages.held());
        other[0].write(&mut room, 0, &[9; PAGE]);
        let mut read = [0; PAGE];
        other[1].read(&room, 0, &mut read);
        assert!(read.iter().all(|byte| *byte == 7), "a write to one side leaves the other");
    }

    #[test]
    fn what_is_no_image_of_these_drives_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let mut pages = Pages::leaked(100);
        let mut large = [Contents::new(16 << 20)];
        large[0].write(&mut pages, 15 << 20, &[7; PAGE]);
        save(&path, &pages, &large);
        let mut small = [Contents::new(1 << 20)];
        let refused = load(&path, &mut Pages::leaked(100), &mut small.each_mut());
        assert!(refused.unwrap_err().to_string().contains("larger drives"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let mut again = [Contents::new(16 << 20)];
        assert!(load(&path, &mut Pages::leaked(100), &mut again.each_mut()).is_err());
    }

    /// Two drives whose memory is one chunk, of which pages were given back.
    fn used(pages: &mut Pages) -> [Contents; 2] {
        let mut drives = [Contents::new(1 << 20), Contents::new(1 << 20)];
        let data = [7; 4 * PAGE];
        for drive in &mut drives {
            drive.write(pages, 0, &data);
        }
        drives[0].write(pages, 5 * 4096 + 512, &[8; 600]);
        drives[1].discard(pages, PAGE as u64, PAGE as u64);
        drives[0].discard(pages, PAGE as u64, PAGE as u64);
        drives
    }

    fn bytes(drive: &Contents, pages: &Pages) -> Vec<u8> {
        let mut bytes = vec![1; 1 << 20];
        drive.read(pages, 0, &mut bytes);
        bytes
    }

    #[test]
    fn a_machine_goes_on_with_the_pages_that_another_left_in_its_memory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        let mut pages = Pages::leaked(100);
        let drives = used(&mut pages);
        save_index(&path, &pages, &drives.each_ref()).unwrap();
        assert!(std::fs::read(&path).unwrap().starts_with(INDEX_MAGIC));
        let before = drives.each_ref().map(|drive| bytes(drive, &pages));
        let held = pages.held();
        let mut chunks = pages.into_chunks().into_iter();
        let mut room = Pages::new(100, Box::new(move || chunks.next().unwrap()));
        let mut other = [Contents::new(1 << 20), Contents::new(1 << 20)];
        load(&path, &mut room, &mut other.each_mut()).unwrap();
        assert!(other.each_ref().map(|drive| bytes(drive, &room)) == before);
        assert_eq!(room.held(), held);
        // New pages are none of those, and what was given back is used again.
        other[1].write(&mut room, 9 * PAGE as u64, &[9; 3 * PAGE]);
        assert!(bytes(&other[0], &room) == before[0]);
        assert_eq!(room.held(), held + 3);
    }

    #[test]
    fn a_machine_begins_with_the_pages_that_the_host_put_into_its_memory() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let mut pages = Pages::leaked(100);
        let drives = used(&mut pages);
        let memory =
            File::options().read(true).write(true).create_new(true).open(path("memory")).unwrap();
        hand_over(&mut File::create(path("index")).unwrap(), (&memory, None), &pages, &drives)
            .unwrap();
        memory.set_len(CHUNK as u64).unwrap();
        let chunk = std::fs::read(path("memory")).unwrap().leak();
        let mut chunks = [chunk].into_iter();
        let mut room = Pages::new(100, Box::new(move || chunks.next().unwrap()));
        let mut other = [Contents::new(1 << 20), Contents::new(1 << 20)];
        load(&path("index"), &mut room, &mut other.each_mut()).unwrap();
        for (here, there) in drives.iter().zip(&other) {
            assert!(bytes(here, &pages) == bytes(there, &room));
        }
        assert_eq!((room.held(), room.taken()), (pages.held(), pages.held()));
    }

    #[test]
    fn an_index_and_its_memory_make_the_image_of_the_same_drives() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let mut pages = Pages::leaked(100);
        let drives = used(&mut pages);
        save(&path("image"), &pages, &drives);
        save_index(&path("left"), &pages, &drives.each_ref()).unwrap();
        std::fs::write(path("chunks"), pages.into_chunks().concat()).unwrap();
        let [index, memory] = ["left", "chunks"].map(|name| File::open(path(name)).unwrap());
        let mut image = Vec::new();
        from_index(&index, (&memory, None), &mut image).unwrap();
        assert!(image == std::fs::read(path("image")).unwrap());
        let whole = std::fs::read(path("left")).unwrap();
        std::fs::write(path("cut"), &whole[..whole.len() - 8]).unwrap();
        let cut = File::open(path("cut")).unwrap();
        assert!(from_index(&cut, (&memory, None), &mut Vec::new()).is_err());
        assert!(load(&path("left"), &mut Pages::leaked(2), &mut []).is_err());
    }
}
