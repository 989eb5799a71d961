//! Power cuts: what a drive may have kept of the writes it had not flushed.

use super::backing::{data_path, first_path, log_path};
use super::log::{Reader, Record, punch, read_or_zero};
use super::naming;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a power cut did to one drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CutReport {
    /// Writes that no flush had covered.
    pub unflushed: u64,
    /// Of them, those on the drive whole.
    pub kept: u64,
    /// Of them, those on the drive in part.
    pub torn: u64,
    /// Of them, those gone.
    pub lost: u64,
}

/// Leaves a drive as a power cut at the moment of the kill could have: everything that a flush
/// covered, and a subset of the rest, chosen by the seed; a kept write may be torn in the units
/// that the drive's profile names. The same files and the same seed give the same state. The
/// drive's process must be gone.
///
/// # Errors
/// When its files cannot be read or written; the message names the file.
pub fn power_cut(store: &Path, drive: &str, seed: u64) -> io::Result<CutReport> {
    let log = log_path(store, drive);
    let first = first_path(store, drive);
    let data = data_path(store, drive);
    let Some(mut reader) = Reader::open(&log, &first).map_err(naming("read", &log))? else {
        // No volatile cache: everything acknowledged is there.
        return Ok(CutReport::default());
    };
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&data)
        .map_err(naming("open the drive's data", &data))?;
    let mut records = Vec::new();
    while let Some(record) = reader.next().map_err(naming("read", &log))? {
        records.push(record);
    }
    let mut chance = Chance::new(seed, drive);
    // The last write may have been cut short by the kill, within one of its units even.
    let whole = records.len().saturating_sub(1);
    let fates: Vec<Fate> = (0..records.len())
        .map(|i| {
            if i < whole {
                chance.fate(&records[i], reader.tearing)
            } else {
                Fate::Lost
            }
        })
        .collect();
    let changes =
        take_back(&file, &records, &fates).map_err(naming("take writes back in", &data))?;
    for (offset, bytes) in changes.iter().rev() {
        file.write_all_at(bytes, *offset)
            .map_err(naming("write", &data))?;
    }
    // The log first: what is left of the two without it is no log.
    for path in [&log, &first] {
        fs::remove_file(path).map_err(naming("remove", path))?;
    }
    let count = |is: fn(&Fate) -> bool| fates.iter().filter(|f| is(f)).count() as u64;
    Ok(CutReport {
        unflushed: records.len() as u64,
        kept: count(|f| matches!(f, Fate::Kept)),
        torn: count(|f| matches!(f, Fate::Torn(_))),
        lost: count(|f| matches!(f, Fate::Lost)),
    })
}

/// Copies the files of a store to an empty directory, holes staying holes, so that one kill can be
/// taken for many power cuts.
///
/// # Errors
/// When a file cannot be read or written; the message names it.
pub fn copy_store(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from).map_err(naming("list", from))? {
        let path = entry.map_err(naming("list", from))?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        let target = to.join(name);
        copy_sparse(&path, &target).map_err(naming("copy", &path))?;
    }
    Ok(())
}

fn copy_sparse(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{SeekFrom, seek};
    let source = fs::File::open(from)?;
    let target = fs::File::create_new(to)?;
    target.set_len(source.metadata()?.len())?;
    let mut buf = vec![0; 1 << 20];
    let mut at = 0;
    loop {
        at = match seek(&source, SeekFrom::Data(at)) {
            Ok(data) => data,
            Err(rustix::io::Errno::NXIO) => return Ok(()),
            Err(e) => return Err(e.into()),
        };
        let end = seek(&source, SeekFrom::Hole(at))?;
        while at < end {
            let length = (end - at).min(buf.len() as u64) as usize;
            let part = &mut buf[..length];
            source.read_exact_at(part, at)?;
            target.write_all_at(part, at)?;
            at += length as u64;
        }
    }
}

/// Undoes every write from the newest to the oldest; returns what those that are kept had written,
/// newest first.
fn take_back(
    file: &fs::File,
    records: &[Record],
    fates: &[Fate],
) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let mut kept = Vec::new();
    for (record, fate) in records.iter().zip(fates).rev() {
        let read = |(offset, length): (u64, u64)| {
            let mut bytes = vec![0; length as usize];
            read_or_zero(file, record.offset + offset, &mut bytes)?;
            io::Result::Ok((record.offset + offset, bytes))
        };
        match fate {
            Fate::Lost => {}
            Fate::Kept => kept.push(read((0, record.length))?),
            Fate::Torn(parts) => {
                for part in parts {
                    kept.push(read(*part)?);
                }
            }
        }
        match &record.before {
            Some(before) => file.write_all_at(before, record.offset)?,
            None => {
                punch(file, record.offset, record.length)?;
                // Where holes cannot be punched, and at the edges of blocks.
                let mut zeros = vec![0; record.length as usize];
                read_or_zero(file, record.offset, &mut zeros)?;
                if zeros.iter().any(|b| *b != 0) {
                    zeros.fill(0);
                    file.write_all_at(&zeros, record.offset)?;
                }
            }
        }
    }
    Ok(kept)
}

/// What becomes of an unflushed write.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Kept,
    Lost,
    /// These parts of it are kept: offset within the write, bytes.
    Torn(Vec<(u64, u64)>),
}

struct Chance {
    random: Xoshiro256PlusPlus,
    /// Share of the unflushed writes that survive.
    keep: f64,
}

/// Share of the surviving writes that are torn, where they can be.
const TORN: f64 = 0.125;

impl Chance {
    /// Each drive of a cut draws for itself. Some cuts keep nearly nothing and some nearly all.
    fn new(seed: u64, drive: &str) -> Self {
        // FNV-1a.
        let salt = drive.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut chance = Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed ^ salt),
            keep: 0.0,
        };
        chance.keep = chance.uniform();
        chance
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn fate(&mut self, record: &Record, tearing: u64) -> Fate {
        if self.uniform() >= self.keep {
            return Fate::Lost;
        }
        if self.uniform() >= TORN {
            return Fate::Kept;
        }
        let units = units(record.offset, record.length, tearing);
        let all = units.len();
        let parts: Vec<_> = units.into_iter().filter(|_| self.uniform() < 0.5).collect();
        match parts.len() {
            0 => Fate::Lost,
            n if n == all => Fate::Kept,
            _ => Fate::Torn(parts),
        }
    }
}

/// The pieces in which a write can be torn: units lie at multiples of `tearing` on the drive.
/// Offsets are within the write.
fn units(offset: u64, length: u64, tearing: u64) -> Vec<(u64, u64)> {
    let mut units = Vec::new();
    let mut at = 0;
    while at < length {
        let end = ((offset + at) / tearing + 1) * tearing - offset;
        let end = end.min(length);
        units.push((at, end - at));
        at = end;
    }
    units
}
