//! Latent errors of a drive's medium: blocks that were written and cannot be read back as such.

use super::backing::data_path;
use super::naming;
use super::written::BLOCK;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::fs::{SeekFrom, seek};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A pool's labels and boot block lie below this, and two more labels in the last [`LABELS`] bytes:
/// they are left alone, so that the pool is found.
const FIRST: u64 = 4 << 20;
const LABELS: u64 = 512 << 10;

/// Damages one in `every` of the 4 KiB blocks that were written to a drive outside of its labels,
/// chosen by the seed; returns how many. The same files and the same seed give the same damage. The
/// drive's process must be gone.
///
/// # Errors
/// When the drive's file cannot be read or written; the message names it.
pub fn rot(store: &Path, drive: &str, every: u64, seed: u64) -> io::Result<u64> {
    let path = data_path(store, drive);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .map_err(naming("open the drive's data", &path))?;
    damage(&file, every.max(1), seed).map_err(naming("damage", &path))
}

fn damage(file: &File, every: u64, seed: u64) -> io::Result<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let last = file.metadata()?.len().saturating_sub(LABELS);
    let (mut at, mut damaged) = (FIRST, 0);
    loop {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data.max(FIRST).next_multiple_of(BLOCK),
            Err(rustix::io::Errno::NXIO) => return Ok(damaged),
            Err(e) => return Err(e.into()),
        };
        if start >= last {
            return Ok(damaged);
        }
        at = seek(file, SeekFrom::Hole(start))?.max(start + BLOCK);
        for block in (start..at.min(last)).step_by(BLOCK as usize) {
            if random.next_u64().is_multiple_of(every) {
                file.write_all_at(&random.next_u64().to_le_bytes(), block)?;
                damaged += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_damaged_and_labels_are_spared() {
        let store = tempfile::tempdir().expect("a directory");
        let file = File::create_new(data_path(store.path(), "d0")).expect("made");
        file.set_len(64 << 20).expect("its size");
        let written: [(u64, u64); 3] =
            [(0, 1 << 20), (8 << 20, 1 << 20), ((64 << 20) - 4096, 4096)];
        for (at, length) in written {
            file.write_all_at(&vec![7; length as usize], at)
                .expect("written");
        }
        let damaged = rot(store.path(), "d0", 8, 1).expect("damaged");
        // 256 blocks in the middle, one in eight of them.
        assert!((10..60).contains(&damaged), "{damaged}");
        let bad = |at: u64, length: u64| {
            let mut data = vec![0; length as usize];
            file.read_exact_at(&mut data, at).expect("read");
            data.chunks(4096).filter(|c| c[..8] != [7; 8]).count() as u64
        };
        assert_eq!(bad(8 << 20, 1 << 20), damaged);
        assert_eq!(bad(0, 1 << 20) + bad((64 << 20) - 4096, 4096), 0);
        assert_eq!(bad(16 << 20, 4096), 1, "still a hole of zeros");
        let mut zeros = [1; 4096];
        file.read_exact_at(&mut zeros, 16 << 20).expect("read");
        assert_eq!(zeros, [0; 4096]);
    }
}
