//! Images: the contents of all drives of a machine in one file.
//!
//! [`MAGIC`], the number of distinct pages, then for each drive its number of pages and for each of these
//! its number on the drive and its place among the distinct pages, then the distinct pages. All integers
//! have 64 bits in little-endian order. A page that several drives hold is there once.

use crate::contents::SharedPage;
use crate::{Contents, PAGE, Pages};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// First bytes of an image.
pub const MAGIC: &[u8; 16] = b"poolwright-img2\n";
/// Bytes read and written at once.
const BUFFER: usize = 1 << 20;

/// Writes an image.
///
/// # Errors
/// What the file system says.
pub fn save(path: &Path, pages: &Pages, drives: &[&Contents]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
    file.write_all(MAGIC)?;
    let mut places = pages.places();
    let mut distinct = Vec::new();
    for drive in drives {
        for (_, page) in drive.pages() {
            let place = &mut places[page.index()];
            if place.is_none() {
                *place = Some(distinct.len() as u64);
                distinct.push(page);
            }
        }
    }
    file.write_all(&(distinct.len() as u64).to_le_bytes())?;
    for drive in drives {
        file.write_all(&(drive.pages().count() as u64).to_le_bytes())?;
        for (number, page) in drive.pages() {
            let place = places[page.index()].unwrap_or_default();
            file.write_all(&number.to_le_bytes())?;
            file.write_all(&place.to_le_bytes())?;
        }
    }
    for page in distinct {
        file.write_all(pages.content(page))?;
    }
    file.flush()
}

/// Reads an image into empty drives.
///
/// # Errors
/// What the file system says, or that it is no image of these drives.
pub fn load(path: &Path, pages: &mut Pages, drives: &mut [&mut Contents]) -> io::Result<()> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let file = File::open(path)?;
    let most = file.metadata()?.len() / PAGE as u64;
    let mut file = BufReader::with_capacity(BUFFER, file);
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(bad("not an image of drives"));
    }
    let distinct = integer(&mut file)?;
    if distinct > most {
        return Err(bad("an image that was cut short"));
    }
    let distinct: Vec<SharedPage> = (0..distinct).map(|_| pages.allocate()).collect();
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
            let page = usize::try_from(place).ok().and_then(|at| distinct.get(at));
            let page = page.ok_or_else(|| bad("an image that names a page it does not have"))?;
            drive.share(pages, number, *page);
        }
    }
    for page in distinct {
        file.read_exact(pages.content_mut(page))?;
        pages.let_go(page);
    }
    Ok(())
}

fn integer(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_are_loaded_as_they_were_saved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let mut pages = Pages::leaked(100);
        let mut drives = [Contents::new(1 << 20), Contents::new(1 << 20)];
        drives[0].write(&mut pages, 5 * 4096 + 512, &[7; 600]);
        drives[1].write(&mut pages, 0, &[8; 4096]);
        drives[1].write(&mut pages, 4096, &[9; 4096]);
        save(&path, &pages, &drives.each_ref()).unwrap();
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
        save(&path, &pages, &drives.each_ref()).unwrap();
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
        save(&path, &pages, &large.each_ref()).unwrap();
        let mut small = [Contents::new(1 << 20)];
        let refused = load(&path, &mut Pages::leaked(100), &mut small.each_mut());
        assert!(refused.unwrap_err().to_string().contains("larger drives"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let mut again = [Contents::new(16 << 20)];
        assert!(load(&path, &mut Pages::leaked(100), &mut again.each_mut()).is_err());
    }
}
