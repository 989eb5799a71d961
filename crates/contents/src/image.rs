//! Images: the contents of all drives of a machine in one file.
//!
//! [`MAGIC`], then for each drive its number of pages, the pages' numbers and the pages, all integers
//! 64 bits in little-endian order.

use crate::{Contents, PAGE, Pages};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// First bytes of an image.
pub const MAGIC: &[u8; 16] = b"poolwright-img1\n";

/// Writes an image.
///
/// # Errors
/// What the file system says.
pub fn save(path: &Path, pages: &Pages, drives: &[&Contents]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
    file.write_all(MAGIC)?;
    for drive in drives {
        let mut numbers = Vec::new();
        let infallible: Result<(), std::convert::Infallible> =
            drive.for_each_page(pages, |number, _| {
                numbers.push(number);
                Ok(())
            });
        let Ok(()) = infallible;
        file.write_all(&(numbers.len() as u64).to_le_bytes())?;
        for number in &numbers {
            file.write_all(&number.to_le_bytes())?;
        }
        drive.for_each_page(pages, |_, page| file.write_all(page))?;
    }
    file.flush()
}

/// Reads an image into empty drives.
///
/// # Errors
/// What the file system says, or that it is no image of these drives.
pub fn load(path: &Path, pages: &mut Pages, drives: &mut [&mut Contents]) -> io::Result<()> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut file = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(bad("not an image of drives"));
    }
    for drive in drives {
        let count = integer(&mut file)?;
        if count > drive.page_count() {
            return Err(bad("an image of other drives"));
        }
        let mut numbers = Vec::with_capacity(count as usize);
        for _ in 0..count {
            numbers.push(integer(&mut file)?);
        }
        let mut page = [0; PAGE];
        for number in numbers {
            if number >= drive.page_count() {
                return Err(bad("an image of larger drives"));
            }
            file.read_exact(&mut page)?;
            drive.write(pages, number * PAGE as u64, &page);
        }
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
}
