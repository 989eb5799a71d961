//! What drives hold after a power cut: made from the record, with the faults of drives, and written as an image.

use super::blocks::mix;
use super::drive_fault::{DriveFault, FaultKind, ROTTEN};
use contents::config::Config;
use contents::crash::{Replay, Unflushed, damage};
use contents::{Contents, PAGE, Pages, image};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The contents of drives at the start of the writing, from which the crash states of a record are made. The memory
/// is reused for the next record.
pub struct CrashDrives {
    pages: Pages,
    begun: Option<(PathBuf, Replay)>,
}

/// The seed of what a fault does to one drive. Drives fail independently: with one seed for all, two sides of a mirror
/// would lose the same blocks.
fn seed_of_drive(seed: u64, number: usize) -> u64 {
    mix(seed ^ mix(number as u64))
}

impl CrashDrives {
    /// Memory for the drives of a configuration. A crash state only needs memory for its differences from the base.
    pub fn new(config: &Config) -> CrashDrives {
        CrashDrives { pages: Pages::leaked(config.pages.saturating_mul(2)), begun: None }
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
        let CrashDrives { pages, begun } = self;
        let open = || File::open(record).map(|file| BufReader::with_capacity(1 << 18, file));
        if let Some((_, other)) = begun.take_if(|(of, _)| *of != record) {
            other.discard(pages);
        }
        let begun = match begun {
            Some((_, replay)) => replay,
            None => {
                let empty = drives.drives.iter().map(|d| (d.capacity, (&d.profile).into()));
                let mut replay = Replay::new(empty, settled);
                replay.read(open()?, pages, settled)?;
                &mut begun.insert((record.to_owned(), replay)).1
            }
        };
        let mut replay = begun.fork(pages);
        for (number, drive) in drives.drives.iter().enumerate() {
            let fault = faults.iter().find(|fault| fault.drive == drive.name);
            if let Some(fault) = fault.and_then(|fault| fault.kind.of_writes()) {
                replay.set_fault(number, fault, seed_of_drive(seed, number));
            }
        }
        replay.read(open()?, pages, until)?;
        Ok(replay)
    }

    /// Cuts the power, writes what the drives then hold to an image, and adds it and the drives' failures to their
    /// configuration. Returns what became of unflushed writes, and the number of corrupted pages.
    pub fn cut(
        &mut self,
        replay: Replay,
        faults: &[DriveFault],
        seed: u64,
        drives: &mut Config,
        path: PathBuf,
    ) -> io::Result<(Unflushed, u64)> {
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
        let all: Vec<&Contents> = contents.iter().collect();
        image::save(&path, pages, &all)?;
        for (drive, contents) in drives.drives.iter().zip(&mut contents) {
            contents.forget(pages, 0, drive.capacity.next_multiple_of(PAGE as u64));
        }
        drives.image = Some(path);
        Ok((unflushed, rotten))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contents::config::DriveConfig;
    use contents::record::{Event, EventKind, Recorder};

    const SIZE: u64 = 32 << 20;

    /// Two drives that were written the same, as a mirror's are: each page with its number. The record's writing
    /// begins at 0.
    fn mirrored(directory: &Path) -> (PathBuf, Config) {
        let path = directory.join("record");
        let mut recorder = Recorder::new(File::create(&path).unwrap());
        let page = PAGE as u64;
        for (number, drive) in (0..SIZE / page).flat_map(|number| [(number, 0), (number, 1)]) {
            let event = |kind, submitted| Event {
                at: 1 + number,
                drive,
                kind,
                offset: number * page,
                length: page,
                number: submitted,
            };
            let submitted = recorder.append(event(EventKind::Write, 0)).unwrap();
            recorder.data(&(number + 1).to_le_bytes().repeat(PAGE / 8)).unwrap();
            recorder.append(event(EventKind::Completed, submitted)).unwrap();
        }
        let profile = lab::Profiles::builtin().get("pm9a3-1.92t").unwrap().unwrap();
        let drive = |name: &str| DriveConfig {
            name: name.to_owned(),
            profile: profile.clone(),
            real_capacity: SIZE,
            capacity: SIZE,
            seed: 1,
            free: Vec::new(),
            failed: false,
        };
        let config = Config {
            pages: 1 << 16,
            memory: None,
            spill: None,
            drives: vec![drive("ssd0"), drive("ssd1")],
            keep: false,
            image: None,
            record: None,
        };
        (path, config)
    }

    /// Numbers of the pages of each drive that do not hold what was written.
    fn wrong_pages(fault: &str) -> [Vec<u64>; 2] {
        let directory = tempfile::tempdir().unwrap();
        let (record, mut config) = mirrored(directory.path());
        let mut drives = CrashDrives::new(&config);
        let faults: Vec<DriveFault> =
            ["ssd0", "ssd1"].map(|drive| format!("{drive}:{fault}").parse().unwrap()).into();
        let replay = drives.replay(&record, 0, &config, u64::MAX, &faults, 7).unwrap();
        let image = directory.path().join("image");
        drives.cut(replay, &faults, 7, &mut config, image.clone()).unwrap();
        let mut pages = Pages::leaked(1 << 16);
        let mut contents = [Contents::new(SIZE), Contents::new(SIZE)];
        image::load(&image, &mut pages, &mut contents.iter_mut().collect::<Vec<_>>()).unwrap();
        contents.each_ref().map(|drive| {
            let mut bytes = vec![0; SIZE as usize];
            drive.read(&pages, 0, &mut bytes);
            let written = |number: u64| (number + 1).to_le_bytes();
            let numbered = (0u64..).zip(bytes.chunks(PAGE));
            numbered.filter(|(n, page)| page[..8] != written(*n)).map(|(n, _)| n).collect()
        })
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
