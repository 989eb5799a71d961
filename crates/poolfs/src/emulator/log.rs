//! The log of a drive's unflushed writes: for each write what the range held before.
//!
//! The backing file always holds the newest data, so that reads need no lookup and a flush only
//! moves a position. A power cut takes writes back from the newest to the oldest, which shows what
//! each had written, and applies those again that the cut is to keep.
//!
//! Two files. The log: a header block (magic, bytes of a torn unit), then records (magic, number, offset,
//! length, whether the range had been written before; if so its old contents; the number again, so that
//! a record that a kill cut short is known). Beside it the position and number of the first record that
//! counts: in a file of its own, since a flush moves it while a write is being copied, and the kernel
//! lets one writer at a time into a file.

use parking_lot::Mutex;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: u64 = u64::from_le_bytes(*b"pwunflsh");
const RECORD: u64 = u64::from_le_bytes(*b"pwrecord");
const FIRST: u64 = 4096;
const HEAD: usize = 40;
const TAIL: usize = 8;

/// A file longer than this is shortened once it is empty, so that the store holds live data only.
const KEEP: u64 = 4 << 20;

/// Unflushed writes that a drive can hold, bytes: buffers are 64 to 256 MB on data sheets, so that
/// what is older has long been destaged.
const LIMIT: u64 = 64 << 20;

/// The log of a drive that is being written. Flushes come and go while a write is being copied, which
/// can take a millisecond: they must not wait for it.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    first: File,
    tearing: u64,
    ends: Mutex<Ends>,
}

#[derive(Debug)]
struct Ends {
    /// Where the first record that counts is.
    first: Mark,
    /// Where the next record goes.
    next: Mark,
}

/// What whoever writes to a log needs, one at a time.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// Bytes of the file that may be in use.
    length: u64,
    /// Where the space of records that no longer count begins.
    spent: u64,
    scratch: Vec<u8>,
}

/// A point in the log: writes before it are covered by a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    position: u64,
    number: u64,
    /// Bytes written by all records before it.
    bytes: u64,
}

/// One write that a power cut may lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub offset: u64,
    pub length: u64,
    /// What the range held before; none when it had never been written.
    pub before: Option<Vec<u8>>,
}

impl Log {
    /// Opens or makes the log, whose files are `log` and `first`; writes cut short by a power loss are
    /// whole in units of `tearing` bytes.
    pub(super) fn open(log: &Path, first: &Path, tearing: u64) -> io::Result<(Self, Writer)> {
        let open = |path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options.open(path)
        };
        let found = Reader::open(log, first)?;
        let start = Mark {
            position: FIRST,
            number: 1,
            bytes: 0,
        };
        let mut ends = Ends {
            first: start,
            next: start,
        };
        let mut writer = Writer {
            spent: FIRST,
            ..Writer::default()
        };
        let file = open(log)?;
        if let Some(mut reader) = found {
            (ends.first.position, ends.first.number) = (reader.position, reader.number);
            while let Some(record) = reader.next()? {
                ends.next.bytes += record.length;
            }
            (ends.next.position, ends.next.number) = (reader.position, reader.number);
            writer.length = file.metadata()?.len();
        }
        let log = Self {
            file,
            first: open(first)?,
            tearing: tearing.max(512),
            ends: Mutex::new(ends),
        };
        log.note(&log.ends.lock())?;
        // Last: without it there is no log.
        log.file
            .write_all_at(&bytes::<2, 16>([MAGIC, log.tearing]), 0)?;
        Ok((log, writer))
    }

    /// Keeps where the first record is.
    fn note(&self, ends: &Ends) -> io::Result<()> {
        let Mark {
            position, number, ..
        } = ends.first;
        self.first
            .write_all_at(&bytes::<2, 16>([position, number]), 0)
    }

    /// Lets `write` write a range, whose old contents `backing` still holds; they are kept when the
    /// range `had` any. A mark covers it from its end on.
    pub(super) fn around(
        &self,
        writer: &mut Writer,
        backing: &File,
        (offset, length, had): (u64, u64, bool),
        write: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let at = self.next(writer)?;
        let before = if had { length as usize } else { 0 };
        let record = &mut writer.scratch;
        record.resize(HEAD + before + TAIL, 0);
        let head: [u8; HEAD] = bytes([RECORD, at.number, offset, length, u64::from(had)]);
        record[..HEAD].copy_from_slice(&head);
        if had {
            read_or_zero(backing, offset, &mut record[HEAD..HEAD + before])?;
        }
        record[HEAD + before..].copy_from_slice(&at.number.to_le_bytes());
        self.file.write_all_at(record, at.position)?;
        let next = Mark {
            position: at.position + record.len() as u64,
            number: at.number + 1,
            bytes: at.bytes + length,
        };
        writer.length = writer.length.max(next.position);
        write()?;
        let unflushed = {
            let mut ends = self.ends.lock();
            ends.next = next;
            next.bytes - ends.first.bytes
        };
        if unflushed > LIMIT {
            self.destage(next)?;
        }
        self.free(writer)
    }

    /// Frees the space of records that no longer count. Flushes end while newer writes are unflushed, so
    /// that the log may never be empty.
    fn free(&self, writer: &mut Writer) -> io::Result<()> {
        let first = self.ends.lock().first.position;
        let spent = first.saturating_sub(writer.spent);
        if spent > KEEP {
            punch(&self.file, writer.spent, spent)?;
            writer.spent = first;
        }
        Ok(())
    }

    /// Everything written so far.
    pub(super) fn mark(&self) -> Mark {
        self.ends.lock().next
    }

    /// A flush that covers everything before the mark has finished.
    pub(super) fn retire(&self, mark: Mark) -> io::Result<()> {
        let mut ends = self.ends.lock();
        // Numbers only grow; a mark from before the log began anew is older than the first record.
        if mark.number > ends.first.number {
            ends.first = mark;
            self.note(&ends)?;
        }
        Ok(())
    }

    /// Where the next record goes: at the start again once the log is empty.
    fn next(&self, writer: &mut Writer) -> io::Result<Mark> {
        let next = {
            let mut ends = self.ends.lock();
            if ends.first.number < ends.next.number || ends.next.position == FIRST {
                return Ok(ends.next);
            }
            ends.next.position = FIRST;
            ends.first = ends.next;
            self.note(&ends)?;
            ends.next
        };
        if writer.length > KEEP {
            self.file.set_len(FIRST)?;
            writer.length = FIRST;
        }
        writer.spent = FIRST;
        Ok(next)
    }

    /// Takes the older half for destaged. Called by whoever writes, so that `next` stands.
    fn destage(&self, next: Mark) -> io::Result<()> {
        let oldest = self.ends.lock().first;
        let mut reader = Reader {
            file: self.file.try_clone()?,
            tearing: self.tearing,
            position: oldest.position,
            number: oldest.number,
        };
        let mut bytes = oldest.bytes;
        while next.bytes - bytes > LIMIT / 2 {
            let Some(length) = reader.skip()? else { break };
            bytes += length;
        }
        self.retire(Mark {
            position: reader.position,
            number: reader.number,
            bytes,
        })
    }
}

/// Reads a log from its first record that counts.
#[derive(Debug)]
pub(super) struct Reader {
    file: File,
    /// Bytes of a torn unit.
    pub(super) tearing: u64,
    position: u64,
    number: u64,
}

impl Reader {
    /// None when there is no log of this name, or an empty file.
    pub(super) fn open(log: &Path, first: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(log) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut header = [0; 16];
        if file.metadata()?.len() < header.len() as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut header, 0)?;
        let [magic, tearing] = numbers(&header);
        if magic != MAGIC {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a log of unflushed writes",
            ));
        }
        let mut at = [0; 16];
        File::open(first)?.read_exact_at(&mut at, 0)?;
        let [position, number] = numbers(&at);
        Ok(Some(Self {
            file,
            tearing,
            position,
            number,
        }))
    }

    fn head(&self) -> io::Result<Option<[u64; 5]>> {
        let mut head = [0; HEAD];
        if read_up_to(&self.file, self.position, &mut head)? < HEAD {
            return Ok(None);
        }
        let head: [u64; 5] = numbers(&head);
        Ok((head[0] == RECORD && head[1] == self.number).then_some(head))
    }

    /// Goes past a record that is known to be whole and returns the bytes it wrote; none at the end.
    fn skip(&mut self) -> io::Result<Option<u64>> {
        let Some([_, _, _, length, had]) = self.head()? else {
            return Ok(None);
        };
        self.position += (HEAD + TAIL) as u64 + length * had;
        self.number += 1;
        Ok(Some(length))
    }

    /// The next whole record.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        let Some([_, number, offset, length, had]) = self.head()? else {
            return Ok(None);
        };
        let mut rest = vec![0; (length * had) as usize + TAIL];
        if read_up_to(&self.file, self.position + HEAD as u64, &mut rest)? < rest.len() {
            return Ok(None);
        }
        let tail = rest.split_off(rest.len() - TAIL);
        if numbers::<1>(&tail) != [number] {
            return Ok(None);
        }
        self.skip()?;
        Ok(Some(Record {
            offset,
            length,
            before: (had != 0).then_some(rest),
        }))
    }
}

fn bytes<const N: usize, const B: usize>(numbers: [u64; N]) -> [u8; B] {
    let mut all = [0; B];
    for (place, number) in all.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    all
}

fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut all = [0; N];
    for (number, bytes) in all.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(bytes);
        *number = u64::from_le_bytes(eight);
    }
    all
}

/// Reads until the end of the buffer or of the file; returns how much.
fn read_up_to(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        match file.read_at(&mut buf[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

/// Reads; what lies beyond the end of the file is zero.
pub(super) fn read_or_zero(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<()> {
    let done = read_up_to(file, offset, buf)?;
    buf[done..].fill(0);
    Ok(())
}

/// Frees a range of a file where its file system can; it reads as zeros then.
pub(super) fn punch(file: &File, offset: u64, length: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    if length == 0 {
        return Ok(());
    }
    let how = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    match fallocate(file, how, offset, length) {
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use tempfile::TempDir;

    fn paths(store: &TempDir) -> (PathBuf, PathBuf) {
        (store.path().join("log"), store.path().join("first"))
    }

    /// An empty log, and the file that is written.
    fn new(store: &TempDir) -> (Log, Writer, File) {
        let (path, first) = paths(store);
        let (log, writer) = Log::open(&path, &first, 512).expect("a log");
        let backing = File::create_new(store.path().join("data")).expect("a file");
        (log, writer, backing)
    }

    /// Offset and length of the writes that are not covered by a flush.
    fn left(store: &TempDir) -> Vec<(u64, u64)> {
        let (path, first) = paths(store);
        let log = Reader::open(&path, &first).expect("readable");
        let mut log = log.expect("a log");
        let records = std::iter::from_fn(|| log.next().expect("readable"));
        records.map(|r| (r.offset, r.length)).collect()
    }

    /// Rewrites whose flushes come while a newer one is under way: the log is never empty.
    #[test]
    fn a_log_that_is_never_empty_stays_small() {
        use std::os::unix::fs::MetadataExt;
        let store = tempfile::tempdir().expect("a directory");
        let (log, mut writer, backing) = new(&store);
        for _ in 0..1000 {
            let covered = log.mark();
            let write = log.around(&mut writer, &backing, (0, 64 << 10, true), || Ok(()));
            write.expect("written");
            log.retire(covered).expect("retired");
        }
        let held = paths(&store).0.metadata().expect("a file").blocks() * 512;
        assert!(held < 2 * KEEP, "{held} bytes of 64 MB rewritten");
        assert_eq!(left(&store), [(0, 64 << 10)]);
    }

    /// The thread that completes every drive's requests ends flushes, and a large write is copied for a
    /// millisecond.
    #[test]
    fn a_flush_ends_while_a_write_is_being_copied() {
        let store = tempfile::tempdir().expect("a directory");
        let (log, mut writer, backing) = new(&store);
        let mut write = |offset, meanwhile: &dyn Fn() -> io::Result<()>| {
            log.around(&mut writer, &backing, (offset, 4096, false), meanwhile)
                .expect("written");
        };
        write(0, &|| Ok(()));
        write(4096, &|| log.retire(log.mark()));
        // It covered what had been written when it came.
        assert_eq!(left(&store), [(4096, 4096)]);
    }
}
