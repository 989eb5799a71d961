//! Space that all drives of a process share, and after it those of the next process.
//!
//! Memory that has lain free is slow to take: on a virtual machine that returns it to its host ten times
//! slower than memory in use (docs/findings.md), which a trial would pay for with every block written for
//! the first time. In an arena a trial finds the memory of the trial before it.

use super::log::read_or_zero;
use super::naming;
use super::written::BLOCK;
use parking_lot::{Mutex, RwLock, RwLockWriteGuard};
use rustix::fs::statvfs;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::num::NonZero;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

/// Bytes of the unit that a drive leases: as many blocks, each zero until it is written, as [`Chunk::written`] has bits.
const CHUNK: u64 = BLOCK * u16::BITS as u64;

/// Files that chunks alternate between: the kernel lets one writer at a time into a file.
const FILES: u32 = 8;

/// Files, and which of their chunks are leased. What they held before is never seen.
#[derive(Debug)]
pub struct Arena {
    files: Vec<File>,
    space: Mutex<Space>,
}

/// Chunks that nobody leases: those given back, the latest last, and all from `next` on.
#[derive(Debug, Default)]
struct Space {
    next: u32,
    back: Vec<u32>,
}

impl Arena {
    /// An arena in a directory, which is made if there is none, with all of its space free. One process
    /// at a time may use it.
    ///
    /// # Errors
    /// When a file cannot be made or opened; the message names it.
    pub fn open(directory: &Path) -> io::Result<Arc<Self>> {
        std::fs::create_dir_all(directory).map_err(naming("make the arena", directory))?;
        let open = |number| {
            let path = directory.join(format!("{number}"));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options
                .open(&path)
                .map_err(naming("open the arena's", &path))
        };
        Ok(Arc::new(Self {
            files: (0..FILES).map(open).collect::<io::Result<_>>()?,
            space: Mutex::default(),
        }))
    }

    /// Takes the memory of the arena's first `bytes` where it has not been taken yet, on every processor
    /// and until `go_on` says no. An eighth of what it has and the file system has free stays free, and is given
    /// back where a process before took it: others need some of it, and what drives come to hold is an estimate.
    ///
    /// # Errors
    /// When a file cannot be made or written; the message names the directory.
    pub fn warm(directory: &Path, bytes: u64, go_on: &(dyn Fn() -> bool + Sync)) -> io::Result<()> {
        let arena = Self::open(directory)?;
        let space = statvfs(directory)?;
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        let most = most_of_a_file(arena.taken()?, free);
        let fill = |file: &File| {
            let begin = file.metadata()?.len();
            if begin > most {
                return file.set_len(most);
            }
            for at in (begin..most.min(bytes / u64::from(FILES))).step_by(CHUNK as usize) {
                if !go_on() {
                    break;
                }
                match file.write_all_at(&[0; CHUNK as usize], at) {
                    Err(e) if e.kind() == io::ErrorKind::StorageFull => break,
                    written => written?,
                }
            }
            Ok(())
        };
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let each = arena.files.len().div_ceil(processors);
        let filled = std::thread::scope(|scope| {
            let shares = arena.files.chunks(each);
            let threads = shares.map(|files| scope.spawn(|| files.iter().try_for_each(&fill)));
            let threads: Vec<_> = threads.collect();
            let mut ends = threads.into_iter().map(|thread| thread.join());
            ends.try_for_each(|end| end.unwrap_or_else(|_| Err(io::Error::other("a panic"))))
        });
        filled.map_err(naming("take the memory of the arena", directory))
    }

    /// Bytes that its files take, which are full of holes.
    fn taken(&self) -> io::Result<u64> {
        let each = |file: &File| file.metadata().map(|file| file.blocks() * 512);
        self.files.iter().map(each).sum()
    }

    /// The file of a chunk, and where in it the chunk begins.
    fn place(&self, chunk: Chunk) -> (&File, u64) {
        let file = &self.files[(chunk.place % FILES) as usize];
        (file, u64::from(chunk.place / FILES) * CHUNK)
    }

    /// Writes into a leased chunk, from `offset` in it on. Where the file system is full, what processes
    /// before left beyond all that is leased is given up first: chunks are full of holes, and one that is
    /// written to at last wants room that such leavings take. Of writers that find it full together one
    /// finds something to cut off, and all of them have the room.
    fn write(&self, chunk: Chunk, offset: u64, data: &[u8]) -> io::Result<()> {
        let (file, at) = self.place(chunk);
        match file.write_all_at(data, at + offset) {
            Err(e) if e.kind() == io::ErrorKind::StorageFull => {
                self.cut()?;
                file.write_all_at(data, at + offset)
            }
            written => written,
        }
    }

    /// Cuts the files off behind the last chunk that has ever been leased. When it returns, whoever began
    /// before has finished.
    fn cut(&self) -> io::Result<()> {
        // Held, so that nobody leases what is being cut off.
        let space = self.space.lock();
        let end = u64::from(space.next.div_ceil(FILES)) * CHUNK;
        for file in &self.files {
            if file.metadata()?.len() > end {
                file.set_len(end)?;
            }
        }
        Ok(())
    }

    fn take(&self) -> u32 {
        let mut space = self.space.lock();
        space.back.pop().unwrap_or_else(|| {
            space.next += 1;
            space.next - 1
        })
    }
}

/// What a file of an arena that has `taken` so much may take where so much more is `free`.
fn most_of_a_file(taken: u64, free: u64) -> u64 {
    taken.saturating_add(free) / 8 * 7 / (u64::from(FILES) * CHUNK) * CHUNK
}

/// A drive's data: the chunks it leases. Never written blocks are zero.
#[derive(Debug)]
pub(super) struct Lease {
    arena: Arc<Arena>,
    chunks: RwLock<HashMap<u64, Chunk>>,
}

/// A leased chunk.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    /// Which one of the arena.
    place: u32,
    /// A bit for each of its blocks.
    written: u16,
}

/// Part of a request that lies in one chunk.
struct Part {
    /// Which of the drive's chunks.
    chunk: u64,
    /// From the chunk's begin, bytes.
    offset: u64,
    length: u64,
}

impl Part {
    /// Bits of the blocks it touches.
    fn touched(&self) -> u16 {
        let first = self.offset / BLOCK;
        let count = (self.offset + self.length).div_ceil(BLOCK) - first;
        (u16::MAX >> (u64::from(u16::BITS) - count)) << first
    }

    /// Bits of the blocks that it covers from begin to end.
    fn covered(&self) -> u16 {
        let mut covered = self.touched();
        if !self.offset.is_multiple_of(BLOCK) {
            covered &= !(1 << (self.offset / BLOCK));
        }
        let end = self.offset + self.length;
        if !end.is_multiple_of(BLOCK) {
            covered &= !(1 << (end / BLOCK));
        }
        covered
    }
}

/// The blocks whose bits are set.
fn blocks(bits: u16) -> impl Iterator<Item = u64> {
    (0..u64::from(u16::BITS)).filter(move |block| bits & (1 << block) != 0)
}

/// A range, chunk by chunk.
fn parts(offset: u64, length: u64) -> impl Iterator<Item = Part> {
    let end = offset + length;
    let mut at = offset;
    std::iter::from_fn(move || {
        let part = Part {
            chunk: at / CHUNK,
            offset: at % CHUNK,
            length: (CHUNK - at % CHUNK).min(end - at),
        };
        at += part.length;
        (part.length > 0).then_some(part)
    })
}

impl Lease {
    pub(super) fn new(arena: &Arc<Arena>) -> Self {
        Self {
            arena: Arc::clone(arena),
            chunks: RwLock::default(),
        }
    }

    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let chunks = self.chunks.read();
        let mut rest = buf;
        for part in parts(offset, rest.len() as u64) {
            let (buf, after) = rest.split_at_mut(part.length as usize);
            rest = after;
            match chunks.get(&part.chunk) {
                None => buf.fill(0),
                Some(chunk) => self.read_part(*chunk, &part, buf)?,
            }
        }
        Ok(())
    }

    fn read_part(&self, chunk: Chunk, part: &Part, buf: &mut [u8]) -> io::Result<()> {
        let blank = part.touched() & !chunk.written;
        if blank == part.touched() {
            buf.fill(0);
            return Ok(());
        }
        let (file, at) = self.arena.place(chunk);
        read_or_zero(file, at + part.offset, buf)?;
        for block in blocks(blank) {
            let begin = block * BLOCK;
            let end = (begin + BLOCK).min(part.offset + part.length) - part.offset;
            buf[begin.saturating_sub(part.offset) as usize..end as usize].fill(0);
        }
        Ok(())
    }

    /// Leases what the range lacks, then copies; others may read and write other ranges meanwhile.
    pub(super) fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let length = data.len() as u64;
        let mut chunks = self.chunks.read();
        let there = |part: Part| {
            let chunk = chunks.get(&part.chunk);
            chunk.is_some_and(|c| part.touched() & !c.written == 0)
        };
        if !parts(offset, length).all(there) {
            drop(chunks);
            let mut changing = self.chunks.write();
            for part in parts(offset, length) {
                self.prepare(&mut changing, &part)?;
            }
            // From here on as a reader: nothing that the range has can be given back before the end.
            chunks = RwLockWriteGuard::downgrade(changing);
        }
        let mut rest = data;
        for part in parts(offset, length) {
            let (data, after) = rest.split_at(part.length as usize);
            rest = after;
            // Just seen or leased, under a lock that was not let go.
            self.arena.write(chunks[&part.chunk], part.offset, data)?;
        }
        Ok(())
    }

    /// Leases the part's chunk and zeroes blocks that are about to be written for the first time in part.
    fn prepare(&self, chunks: &mut HashMap<u64, Chunk>, part: &Part) -> io::Result<()> {
        let chunk = chunks.entry(part.chunk).or_insert_with(|| Chunk {
            place: self.arena.take(),
            written: 0,
        });
        let partly = part.touched() & !part.covered() & !chunk.written;
        for block in blocks(partly) {
            self.arena
                .write(*chunk, block * BLOCK, &[0; BLOCK as usize])?;
        }
        chunk.written |= part.touched();
        Ok(())
    }

    /// Blocks that lie wholly in the range are zero from now on.
    pub(super) fn trim(&self, offset: u64, length: u64) {
        let mut chunks = self.chunks.write();
        for part in parts(offset, length) {
            let Some(chunk) = chunks.get_mut(&part.chunk) else {
                continue;
            };
            chunk.written &= !part.covered();
            if chunk.written == 0 {
                self.arena.space.lock().back.push(chunk.place);
                chunks.remove(&part.chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;
    use std::sync::Barrier;

    const SIZE: u64 = 4 * CHUNK;
    const SECTOR: u64 = 512;

    #[derive(Debug, Clone)]
    enum Step {
        Write(u8),
        Trim,
        Read,
    }

    /// Drive, step, first sector, sectors.
    fn steps() -> impl Strategy<Value = Vec<(usize, Step, u64, u64)>> {
        let step = prop_oneof![
            2 => (1u8..).prop_map(Step::Write),
            1 => Just(Step::Trim),
            2 => Just(Step::Read),
        ];
        let range = (0..SIZE / SECTOR)
            .prop_flat_map(|first| (Just(first), 1..=(SIZE / SECTOR - first).min(300)));
        let one = (0usize..2, step, range)
            .prop_map(|(drive, step, (first, count))| (drive, step, first, count));
        prop::collection::vec(one, 1..40)
    }

    fn drives(arena: &Path) -> [Lease; 2] {
        let arena = Arena::open(arena).expect("an arena");
        [Lease::new(&arena), Lease::new(&arena)]
    }

    fn held(arena: &Path) -> u64 {
        Arena::open(arena)
            .and_then(|arena| arena.taken())
            .expect("files")
    }

    proptest! {
        /// Two drives in one arena are as two arrays of bytes that begin with zeros, whatever the
        /// process before left there.
        #[test]
        fn a_lease_holds_what_was_written_and_nothing_else(before in steps(), steps in steps()) {
            let arena = tempfile::tempdir().expect("a directory");
            for all in [before, steps] {
                let drives = drives(arena.path());
                let mut expected = [vec![0; SIZE as usize], vec![0; SIZE as usize]];
                for (drive, step, first, count) in all {
                    let (offset, length) = (first * SECTOR, count * SECTOR);
                    let expected = &mut expected[drive];
                    let range = offset as usize..(offset + length) as usize;
                    match step {
                        Step::Write(value) => {
                            let data = vec![value; length as usize];
                            drives[drive].write(offset, &data).expect("written");
                            expected[range].copy_from_slice(&data);
                        }
                        Step::Trim => {
                            drives[drive].trim(offset, length);
                            let begin = offset.next_multiple_of(BLOCK) as usize;
                            let end = ((offset + length) / BLOCK * BLOCK) as usize;
                            if begin < end {
                                expected[begin..end].fill(0);
                            }
                        }
                        Step::Read => {
                            let mut data = vec![0xee; length as usize];
                            drives[drive].read(offset, &mut data).expect("read");
                            prop_assert!(data == expected[range]);
                        }
                    }
                }
                for (drive, expected) in drives.iter().zip(&expected) {
                    let mut data = vec![0xee; SIZE as usize];
                    drive.read(0, &mut data).expect("read");
                    prop_assert!(&data == expected);
                }
            }
        }
    }

    #[test]
    fn the_next_process_and_a_trimmed_chunk_take_no_new_space() {
        let arena = tempfile::tempdir().expect("a directory");
        let data = vec![7; CHUNK as usize];
        for _ in 0..3 {
            let [first, second] = drives(arena.path());
            for chunk in 0..64 {
                first.write(chunk * CHUNK, &data).expect("written");
                second.write(chunk * CHUNK, &data).expect("written");
                second.trim(chunk * CHUNK, CHUNK);
            }
        }
        assert_eq!(held(arena.path()), 65 * CHUNK);
    }

    #[test]
    fn a_warm_arena_has_its_memory_and_is_not_warmed_again() {
        let arena = tempfile::tempdir().expect("a directory");
        let warm = |bytes, go_on: bool| {
            Arena::warm(arena.path(), bytes, &|| go_on).expect("warm");
            held(arena.path())
        };
        assert_eq!(warm(64 * CHUNK, false), 0, "told not to go on");
        assert_eq!(warm(64 * CHUNK, true), 64 * CHUNK);
        let [drive, _] = drives(arena.path());
        for chunk in 0..64 {
            drive
                .write(chunk * CHUNK, &[7; CHUNK as usize])
                .expect("written");
        }
        assert_eq!(
            warm(32 * CHUNK, true),
            64 * CHUNK,
            "all that was written is in place"
        );
        assert_eq!(warm(80 * CHUNK, true), 80 * CHUNK);
        let mut data = vec![0; CHUNK as usize];
        drive.read(63 * CHUNK, &mut data).expect("read");
        assert!(data.iter().all(|b| *b == 7), "what is there stays");
    }

    #[test]
    fn warming_leaves_an_eighth_of_what_there_is() {
        let files = u64::from(FILES);
        assert_eq!(most_of_a_file(0, files * 8 * CHUNK), 7 * CHUNK);
        assert_eq!(most_of_a_file(files * 8 * CHUNK, 0), 7 * CHUNK);
        assert_eq!(
            most_of_a_file(files * 7 * CHUNK, files * 9 * CHUNK),
            14 * CHUNK
        );
    }

    /// Mounts a small file system in memory on `$0`, and becomes the rest.
    const IN_LITTLE_ROOM: &str = r#"mount -t tmpfs -o size=64m full "$0" && exec "$@""#;

    /// Where that is, for the test that has been started again in it.
    const LITTLE_ROOM: &str = "POOLFS_TEST_LITTLE_ROOM";

    /// Starts this test again where there is little room for `body`.
    fn in_little_room(test: &str, body: impl FnOnce(&Path)) {
        use std::io::Write;
        if let Some(place) = std::env::var_os(LITTLE_ROOM) {
            return body(Path::new(&place));
        }
        let unshare = || {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--mount"]);
            command
        };
        let may = unshare().arg("true").status();
        if !may.is_ok_and(|status| status.success()) {
            let why = "arena: this system lets its user make no namespaces";
            let _ = writeln!(io::stderr(), "SKIPPED {why}");
            return;
        }
        let place = tempfile::tempdir().expect("a directory");
        let again = unshare()
            .args(["sh", "-c", IN_LITTLE_ROOM])
            .arg(place.path())
            .arg(std::env::current_exe().expect("this test's program"))
            .arg("--exact")
            .arg(format!("emulator::arena::tests::{test}"))
            .env(LITTLE_ROOM, place.path())
            .output()
            .expect("run");
        let said = String::from_utf8_lossy(&again.stdout);
        let errors = String::from_utf8_lossy(&again.stderr);
        assert!(
            again.status.success() && said.contains("1 passed"),
            "{said}{errors}"
        );
    }

    #[test]
    fn writers_that_find_an_arena_full_together_all_get_room() {
        in_little_room(
            "writers_that_find_an_arena_full_together_all_get_room",
            |place| {
                for _ in 0..5 {
                    find_it_full_together(&place.join("arena"));
                }
            },
        );
    }

    /// What a trial that found no room left has taken is not missing where the next puts its own files.
    #[test]
    fn a_full_arena_leaves_room_for_the_next_trial() {
        in_little_room("a_full_arena_leaves_room_for_the_next_trial", |place| {
            let arena = place.join("arena");
            let [drive, _] = drives(&arena);
            let data = vec![7; CHUNK as usize];
            let full = (0..).find_map(|chunk| drive.write(chunk * CHUNK, &data).err());
            assert_eq!(full.map(|e| e.kind()), Some(io::ErrorKind::StorageFull));
            drop(drive);
            let beside = || std::fs::write(place.join("pool.config"), &data);
            assert!(beside().is_err(), "no room");
            Arena::warm(&arena, 48 << 20, &|| true).expect("warm");
            beside().expect("room");
            assert!(held(&arena) > 48 << 20);
        });
    }

    /// Two writers that want room while what processes before left takes all there is.
    fn find_it_full_together(arena: &Path) {
        let drives = drives(arena);
        let data = vec![7; CHUNK as usize];
        let (first, rest) = data.split_at(BLOCK as usize);
        // Leased before, so that neither waits for the other's cut at that.
        for drive in &drives {
            drive.write(0, first).expect("written");
        }
        let left = OpenOptions::new().write(true).open(arena.join("3"));
        let left = left.expect("a file of the arena");
        let full = (512..).find_map(|chunk| left.write_all_at(&data, chunk * CHUNK).err());
        assert_eq!(full.map(|e| e.kind()), Some(io::ErrorKind::StorageFull));
        let together = Barrier::new(drives.len());
        std::thread::scope(|scope| {
            for drive in &drives {
                let together = &together;
                scope.spawn(move || {
                    together.wait();
                    drive.write(BLOCK, rest).expect("room was made");
                });
            }
        });
        std::fs::remove_dir_all(arena).expect("removed");
    }

    #[test]
    fn writers_of_different_ranges_do_not_disturb_each_other() {
        let arena = tempfile::tempdir().expect("a directory");
        let [drive, other] = drives(arena.path());
        std::thread::scope(|scope| {
            for writer in 0..4u8 {
                let (drive, other) = (&drive, &other);
                scope.spawn(move || {
                    // Sectors of blocks that the others write to as well.
                    for sector in (u64::from(writer)..512).step_by(4) {
                        let data = [writer + 1; SECTOR as usize];
                        drive.write(sector * SECTOR, &data).expect("written");
                        other.write(sector * SECTOR, &data).expect("written");
                        other.trim(sector * SECTOR, BLOCK);
                    }
                });
            }
        });
        let mut all = vec![0; 512 * SECTOR as usize];
        drive.read(0, &mut all).expect("read");
        for (sector, data) in all.chunks_exact(SECTOR as usize).enumerate() {
            assert!(
                data.iter().all(|b| *b == (sector % 4) as u8 + 1),
                "sector {sector}"
            );
        }
    }
}
