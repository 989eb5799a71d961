//! What drives hold after a power cut: made from the record, with the faults of drives.

use super::blocks::mix;
use super::drive_fault::{DriveFault, FaultKind, ROTTEN};
use bench::engine::linux::DriveContents;
use contents::config::{Config, DriveConfig};
use contents::crash::{Replay, Unflushed, damage};
use contents::{Contents, PAGE, Pages};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// Most bytes held by crash states whose recovery is known, which later ones are compared with.
pub const KNOWN_BYTES: u64 = 256 << 20;

/// The contents of drives at moments of a record, from which its crash states are made. The memory is reused for the
/// next record.
pub struct CrashDrives {
    pub(super) pages: Pages,
    record: Option<OpenRecord>,
    /// Bytes by which the memory grew while states were made: those that are kept since the first hold at most as many.
    pub(super) grown: u64,
    /// Pages that were held when the last one was begun.
    held_before: u32,
}

/// The record that states are made from.
struct OpenRecord {
    path: PathBuf,
    /// The drives at the start of the writing.
    begun: Replay,
    /// The drives, without faults, at the time of the last crash state: a later one goes on from there.
    reached: Replay,
    /// That time.
    reached_at: u64,
}

/// The seed of what a fault does to one drive. Drives fail independently: with one seed for all, two sides of a mirror
/// would lose the same blocks.
fn seed_of_drive(seed: u64, number: usize) -> u64 {
    mix(seed ^ mix(number as u64))
}

impl CrashDrives {
    /// Memory for the drives of a configuration, at the start of the writing and at a later moment. A crash state only
    /// needs memory for its differences from these; there is room for one and for [`KNOWN_BYTES`] bytes of others.
    pub fn new(config: &Config) -> CrashDrives {
        let known = (KNOWN_BYTES / PAGE as u64) as u32;
        let pages = Pages::leaked(config.pages.saturating_mul(3).saturating_add(known));
        CrashDrives { pages, record: None, grown: 0, held_before: 0 }
    }

    /// The drives at a time of a record whose writing began at `settled`. Faults of their writes begin with the
    /// writing.
    pub fn replay(
        &mut self,
        record: &Path,
        settled: u64,
        drives: &Config,
        until: u64,
        faults: &[DriveFault],
        seed: u64,
    ) -> io::Result<Replay> {
        let CrashDrives { pages, record: current, held_before, .. } = self;
        *held_before = pages.held();
        let open = || File::open(record).map(|file| BufReader::with_capacity(1 << 18, file));
        if let Some(other) = current.take_if(|current| current.path != record) {
            other.begun.discard(pages);
            other.reached.discard(pages);
        }
        let current = match current {
            Some(current) => current,
            None => {
                let empty = drives.drives.iter().map(|d| (d.capacity, (&d.profile).into()));
                let mut begun = Replay::new(empty, settled);
                begun.read(open()?, pages, settled)?;
                let (path, reached) = (record.to_owned(), begun.fork());
                current.insert(OpenRecord { path, begun, reached, reached_at: settled })
            }
        };
        let of_writes = |(number, drive): (usize, &DriveConfig)| {
            let fault = faults.iter().find(|fault| fault.drive == drive.name)?;
            Some((number, fault.kind.of_writes()?))
        };
        let faulty: Vec<_> = drives.drives.iter().enumerate().filter_map(of_writes).collect();
        if !faulty.is_empty() {
            let mut replay = current.begun.fork();
            for (number, fault) in faulty {
                replay.set_fault(number, fault, seed_of_drive(seed, number));
            }
            replay.read(open()?, pages, until)?;
            return Ok(replay);
        }
        if until < current.reached_at {
            let begun = current.begun.fork();
            std::mem::replace(&mut current.reached, begun).discard(pages);
        }
        current.reached.read(open()?, pages, until)?;
        current.reached_at = until;
        Ok(current.reached.fork())
    }

    /// Cuts the power: what the drives then hold, with the drives' failures in their configuration. Returns what
    /// became of unflushed writes, and the number of corrupted pages.
    pub fn cut(
        &mut self,
        replay: Replay,
        faults: &[DriveFault],
        seed: u64,
        drives: &mut Config,
    ) -> (Vec<Contents>, Unflushed, u64) {
        let pages = &mut self.pages;
        let (mut contents, unflushed) = replay.cut(pages, seed);
        let mut rotten = 0;
        for (number, drive) in drives.drives.iter_mut().enumerate() {
            let fault = faults.iter().find(|fault| fault.drive == drive.name);
            match fault.map(|fault| fault.kind) {
                Some(FaultKind::Running | FaultKind::Cut) => drive.failed = true,
                Some(FaultKind::Rot) => {
                    let seed = seed_of_drive(seed, number);
                    rotten += damage(pages, &mut contents[number], drive.capacity, ROTTEN, seed);
                }
                _ => {}
            }
        }
        let grown = pages.held().saturating_sub(self.held_before);
        self.grown += u64::from(grown) * PAGE as u64;
        (contents, unflushed, rotten)
    }

    /// Drives after a cut as a machine begins with them.
    pub fn contents_of<'a>(&'a self, drives: &'a [Contents]) -> DriveContents<'a> {
        DriveContents { pages: &self.pages, drives }
    }

    /// Gives back the memory of drives after a cut.
    pub fn discard(&mut self, drives: Vec<Contents>) {
        for contents in drives {
            contents.release(&mut self.pages);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use contents::crash::EMPTY_AFTER;
    use contents::record::{Event, EventKind, Recorder};

    const SIZE: u64 = 32 << 20;

    /// A write of a page of both drives.
    struct Write {
        /// Virtual ns.
        at: u64,
        page: u64,
        value: u64,
        /// Whether both drives are flushed after it.
        flushed: bool,
    }

    /// Two drives that were written the same, as a mirror's are. The record's writing begins at 0.
    fn recorded(
        directory: &Path,
        profile: &str,
        writes: impl Iterator<Item = Write>,
    ) -> (PathBuf, Config) {
        let path = directory.join("record");
        let mut recorder = Recorder::new(File::create(&path).unwrap());
        let page = PAGE as u64;
        for Write { at, page: number, value, flushed } in writes {
            for drive in 0..2 {
                let event =
                    |kind, number, offset| Event { at, drive, kind, offset, length: page, number };
                let submitted = recorder.append(event(EventKind::Write, 0, number * page)).unwrap();
                recorder.data(&value.to_le_bytes().repeat(PAGE / 8)).unwrap();
                let completed = event(EventKind::Completed, submitted, number * page);
                let completed = recorder.append(completed).unwrap();
                if flushed {
                    recorder.append(event(EventKind::Flushed, completed + 1, 0)).unwrap();
                }
            }
        }
        (path, config_of(&["ssd0", "ssd1"], profile))
    }

    /// Drives of a profile.
    fn config_of(names: &[&str], profile: &str) -> Config {
        let profile = lab::Profiles::builtin().get(profile).unwrap().unwrap();
        let drive = |name: &&str| DriveConfig {
            name: (*name).to_owned(),
            profile: profile.clone(),
            real_capacity: SIZE,
            capacity: SIZE,
            seed: 1,
            free: Vec::new(),
            failed: false,
        };
        Config {
            pages: 1 << 16,
            memory: None,
            spill: None,
            drives: names.iter().map(drive).collect(),
            image: None,
            record: None,
            reads: false,
        }
    }

    /// A single drive.
    pub fn one_drive() -> Config {
        config_of(&["ssd0"], "pm9a3-1.92t")
    }

    /// Each page with its number, never flushed.
    fn numbered() -> impl Iterator<Item = Write> {
        let write = |page| Write { at: 1 + page, page, value: page + 1, flushed: false };
        (0..SIZE / PAGE as u64).map(write)
    }

    /// Numbers of the pages of each drive that do not hold what was written.
    fn wrong_pages(fault: &str) -> [Vec<u64>; 2] {
        let directory = tempfile::tempdir().unwrap();
        let (record, mut config) = recorded(directory.path(), "pm9a3-1.92t", numbered());
        let mut drives = CrashDrives::new(&config);
        let faults: Vec<DriveFault> =
            ["ssd0", "ssd1"].map(|drive| format!("{drive}:{fault}").parse().unwrap()).into();
        let replay = drives.replay(&record, 0, &config, u64::MAX, &faults, 7).unwrap();
        let (contents, ..) = drives.cut(replay, &faults, 7, &mut config);
        let of = |drive: &Contents| {
            let mut bytes = vec![0; SIZE as usize];
            drive.read(&drives.pages, 0, &mut bytes);
            let written = |number: u64| (number + 1).to_le_bytes();
            let numbered = (0u64..).zip(bytes.chunks(PAGE));
            numbered.filter(|(n, page)| page[..8] != written(*n)).map(|(n, _)| n).collect()
        };
        [of(&contents[0]), of(&contents[1])]
    }

    /// The bytes of both drives after a cut at a time.
    fn after(drives: &mut CrashDrives, (record, config): (&Path, &Config), at: u64) -> Vec<u8> {
        let replay = drives.replay(record, 0, config, at, &[], 7).unwrap();
        let (contents, ..) = drives.cut(replay, &[], at, &mut config.clone());
        let mut bytes = vec![0; 2 * SIZE as usize];
        for (drive, part) in contents.iter().zip(bytes.chunks_mut(SIZE as usize)) {
            drive.read(&drives.pages, 0, part);
        }
        drives.discard(contents);
        bytes
    }

    #[test]
    fn a_state_is_the_same_whatever_states_were_made_before_it() {
        const MS: u64 = 1_000_000;
        let directory = tempfile::tempdir().unwrap();
        // A write each ms, one in seven of a page that was written before; at half of them a rest in which caches
        // become empty.
        let writes = (0..3000).map(|n| Write {
            at: n * MS + if n < 1500 { 0 } else { EMPTY_AFTER + 1000 * MS },
            page: if n % 7 == 3 { n / 2 } else { n },
            value: n + 1,
            flushed: n % 100 == 99,
        });
        let (record, config) = recorded(directory.path(), "nvme-consumer-1t", writes);
        let of = (record.as_path(), &config);
        let mut drives = CrashDrives::new(&config);
        let same_as_alone = |drives: &mut CrashDrives, ms: u64| {
            let mut alone = CrashDrives::new(&config);
            assert!(after(drives, of, ms * MS) == after(&mut alone, of, ms * MS), "at {ms} ms");
        };
        // Later ones, two of them within the rest and two after it; an earlier one; one at the same time.
        for ms in [450, 1420, 5000, 12_000, 12_650, 13_333, 333, 333, 1777] {
            same_as_alone(&mut drives, ms);
        }
        let faults = ["ssd0:lost-writes".parse().unwrap()];
        let faulty = drives.replay(&record, 0, &config, 13_000 * MS, &faults, 7).unwrap();
        assert!(faulty.faulty_writes() > 0);
        faulty.discard(&mut drives.pages);
        for ms in [1800, 12_700, 20] {
            same_as_alone(&mut drives, ms);
        }
        let OpenRecord { begun, reached, .. } = drives.record.take().unwrap();
        begun.discard(&mut drives.pages);
        reached.discard(&mut drives.pages);
        assert_eq!(drives.pages.held(), 0, "states gave their memory back");
    }

    #[test]
    fn two_drives_with_the_same_fault_do_not_lose_the_same_blocks() {
        for (fault, least) in [("rot", 60), ("lost-writes", 30)] {
            let [one, other] = wrong_pages(fault);
            assert!(one.len() > least && other.len() > least, "{fault}: {one:?} {other:?}");
            // Independent ones of 8,192 pages: three of one in 50, and hardly one of one in 100.
            let both = one.iter().filter(|number| other.contains(number)).count();
            assert!(both < 12, "{fault}: {both} of {} in both", one.len());
        }
    }
}
