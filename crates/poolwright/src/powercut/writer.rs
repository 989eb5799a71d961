//! Writers that remember what was acknowledged, and the check of what is left.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::{self, JoinHandle};

/// Bytes of a write.
const BLOCK: usize = 8192;
/// Blocks of a writer's file.
const BLOCKS: u64 = 2048;

/// A writer at work.
pub struct Writer(JoinHandle<io::Result<Ledger>>);

/// What a writer knows when its file system dies.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    number: u64,
    /// Block → newest version that was acknowledged, newest that was sent.
    blocks: HashMap<u64, (u64, u64)>,
    /// Writes acknowledged.
    pub acknowledged: u64,
}

/// What became of what was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Damage {
    /// Blocks whose acknowledged contents are gone.
    pub lost: u64,
    /// Blocks that hold a mixture of two writes, or something never written.
    pub torn: u64,
}

impl Writer {
    /// Writes blocks at random until the file system fails. With `durable`, a write counts as
    /// acknowledged after its fdatasync; without, as soon as it returns.
    pub fn start(dir: &Path, number: u64, seed: u64, durable: bool) -> io::Result<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(dir.join(name(number)))?;
        file.set_len(BLOCKS * BLOCK as u64)?;
        file.sync_all()?;
        File::open(dir)?.sync_all()?;
        Ok(Self(
            thread::Builder::new().spawn(move || Ok(write(&file, number, seed, durable)))?,
        ))
    }

    /// Waits for its end, which the file system's brings.
    pub fn join(self) -> io::Result<Ledger> {
        self.0
            .join()
            .map_err(|_| io::Error::other("a writer panicked"))?
    }
}

fn name(number: u64) -> String {
    format!("writer-{number}")
}

fn write(file: &File, number: u64, seed: u64, durable: bool) -> Ledger {
    let mut ledger = Ledger {
        number,
        ..Ledger::default()
    };
    let mut state = mix(seed ^ mix(number + 1));
    for version in 1.. {
        state = mix(state);
        let block = state % BLOCKS;
        ledger.blocks.entry(block).or_default().1 = version;
        let data = contents(number, block, version);
        let mut done = file.write_all_at(&data, block * BLOCK as u64);
        if durable {
            done = done.and_then(|()| file.sync_data());
        }
        if done.is_err() {
            break;
        }
        ledger.blocks.entry(block).or_default().0 = version;
        ledger.acknowledged += 1;
    }
    ledger
}

impl Ledger {
    /// Looks what is there after the pool was opened again.
    ///
    /// # Errors
    /// When the file cannot be read; that it is missing is damage, not an error.
    pub fn check(&self, dir: &Path) -> io::Result<Damage> {
        let mut damage = Damage::default();
        let data = match fs::read(dir.join(name(self.number))) {
            Ok(data) => data,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(e),
        };
        for (block, (acknowledged, sent)) in &self.blocks {
            let at = *block as usize * BLOCK;
            let found = data
                .get(at..at + BLOCK)
                .map(|data| version_of(data, self.number, *block));
            match found {
                Some(Some(version)) if (*acknowledged..=*sent).contains(&version) => {}
                Some(Some(version)) if version <= *sent => damage.lost += 1,
                Some(_) => damage.torn += 1,
                // Beyond the end: nothing was ever there.
                None => damage.lost += u64::from(*acknowledged > 0),
            }
        }
        Ok(damage)
    }
}

/// SplitMix64's output function: neighbours differ in half of their bits.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// The version in the first word, then words that follow from it and from the place.
fn contents(number: u64, block: u64, version: u64) -> Vec<u8> {
    let mut word = mix(version ^ mix(block ^ mix(number)));
    let mut data = Vec::with_capacity(BLOCK);
    data.extend_from_slice(&version.to_le_bytes());
    while data.len() < BLOCK {
        data.extend_from_slice(&word.to_le_bytes());
        word = mix(word);
    }
    data
}

/// The version that a block holds whole, 0 for one never written; none for a mixture.
fn version_of(data: &[u8], number: u64, block: u64) -> Option<u64> {
    let version = u64::from_le_bytes(data.get(..8)?.try_into().ok()?);
    let expected = if version == 0 {
        vec![0; BLOCK]
    } else {
        contents(number, block, version)
    };
    (data == expected).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(blocks: &[(u64, u64, u64)]) -> Ledger {
        Ledger {
            number: 3,
            blocks: blocks.iter().map(|(b, a, s)| (*b, (*a, *s))).collect(),
            acknowledged: 0,
        }
    }

    #[test]
    fn what_is_lost_torn_or_newer_is_told_apart() {
        let dir = std::env::temp_dir().join(format!("poolwright-ledger-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("made");
        let mut data = vec![0; 4 * BLOCK];
        data[..BLOCK].copy_from_slice(&contents(3, 0, 7));
        data[BLOCK..2 * BLOCK].copy_from_slice(&contents(3, 1, 8));
        data[2 * BLOCK..3 * BLOCK].copy_from_slice(&contents(3, 2, 9));
        data[2 * BLOCK + 4096..3 * BLOCK].fill(0);
        fs::write(dir.join(name(3)), &data).expect("written");
        let check = |l: Ledger| l.check(&dir).expect("read");
        let fine = ledger(&[(0, 7, 7), (1, 5, 8), (3, 0, 10)]);
        assert_eq!(check(fine), Damage::default());
        let lost = ledger(&[(0, 8, 8), (3, 10, 10)]);
        assert_eq!(check(lost), Damage { lost: 2, torn: 0 });
        let torn = ledger(&[(2, 9, 9)]);
        assert_eq!(check(torn), Damage { lost: 0, torn: 1 });
        let never_written = ledger(&[(0, 5, 6)]);
        assert_eq!(check(never_written), Damage { lost: 0, torn: 1 });
        fs::remove_dir_all(&dir).expect("removed");
    }
}
