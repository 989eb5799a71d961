//! The log of a drive's unflushed writes: for each write what the range held before.
//!
//! The backing file always holds the newest data, so that reads need no lookup and a flush only
//! moves a position. A power cut takes writes back from the newest to the oldest, which shows what
//! each had written, and applies those again that the cut is to keep.
//!
//! File: a header block (magic, bytes of a torn unit, position and number of the first record that
//! counts), then records (magic, number, offset, length, whether the range had been written before;
//! if so its old contents; the number again, so that a record that a kill cut short is known).

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

/// The log of a drive that is being written.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    tearing: u64,
    /// Position and number of the first record that counts.
    start: u64,
    start_number: u64,
    /// Where the next record goes, and its number.
    end: u64,
    number: u64,
    /// Bytes written by all records, and by those before the first that counts.
    bytes: u64,
    start_bytes: u64,
    /// Bytes of the file that may be in use.
    length: u64,
    scratch: Vec<u8>,
}

/// A point in the log: writes before it are covered by a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    position: u64,
    number: u64,
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
    /// Opens or makes the log; writes cut short by a power loss are whole in units of `tearing`
    /// bytes.
    pub(super) fn open(path: &Path, tearing: u64) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut log = Self {
            file,
            tearing: tearing.max(512),
            start: FIRST,
            start_number: 1,
            end: FIRST,
            number: 1,
            bytes: 0,
            start_bytes: 0,
            length: FIRST,
            scratch: Vec::new(),
        };
        if let Some(found) = Reader::open(path)? {
            log.start = found.position;
            log.start_number = found.number;
            let mut reader = found;
            while let Some(record) = reader.next()? {
                log.bytes += record.length;
            }
            log.end = reader.position;
            log.number = reader.number;
            log.length = log.file.metadata()?.len();
        }
        log.write_header()?;
        Ok(log)
    }

    fn write_header(&self) -> io::Result<()> {
        let mut header = [0; 32];
        for (place, value) in
            header
                .chunks_exact_mut(8)
                .zip([MAGIC, self.tearing, self.start, self.start_number])
        {
            place.copy_from_slice(&value.to_le_bytes());
        }
        self.file.write_all_at(&header, 0)
    }

    /// Notes that a range is about to be written. `backing` still holds the old contents; they are
    /// kept when the range `had` any.
    pub(super) fn append(
        &mut self,
        backing: &File,
        offset: u64,
        length: u64,
        had: bool,
    ) -> io::Result<()> {
        if self.start == self.end && self.end > FIRST {
            self.rewind()?;
        }
        let before = if had { length as usize } else { 0 };
        self.scratch.resize(HEAD + before + TAIL, 0);
        for (place, value) in self.scratch.chunks_exact_mut(8).zip([
            RECORD,
            self.number,
            offset,
            length,
            u64::from(had),
        ]) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        if had {
            read_or_zero(backing, offset, &mut self.scratch[HEAD..HEAD + before])?;
        }
        let tail = self.scratch.len() - TAIL;
        self.scratch[tail..].copy_from_slice(&self.number.to_le_bytes());
        self.file.write_all_at(&self.scratch, self.end)?;
        self.end += self.scratch.len() as u64;
        self.number += 1;
        self.bytes += length;
        self.length = self.length.max(self.end);
        if self.bytes - self.start_bytes > LIMIT {
            self.destage()?;
        }
        Ok(())
    }

    /// Everything written so far.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            position: self.end,
            number: self.number,
            bytes: self.bytes,
        }
    }

    /// A flush that covers everything before the mark has finished.
    pub(super) fn retire(&mut self, mark: Mark) -> io::Result<()> {
        // Numbers only grow; a mark from before a rewind is older than the first record.
        if mark.number > self.start_number {
            self.start = mark.position;
            self.start_number = mark.number;
            self.start_bytes = mark.bytes;
            self.write_header()?;
        }
        Ok(())
    }

    /// The log is empty: begin at its start again.
    fn rewind(&mut self) -> io::Result<()> {
        self.start = FIRST;
        self.end = FIRST;
        self.start_number = self.number;
        self.write_header()?;
        if self.length > KEEP {
            self.file.set_len(FIRST)?;
            self.length = FIRST;
        }
        Ok(())
    }

    /// Takes the older half for destaged.
    fn destage(&mut self) -> io::Result<()> {
        let mut reader = Reader {
            file: self.file.try_clone()?,
            tearing: self.tearing,
            position: self.start,
            number: self.start_number,
        };
        while self.bytes - self.start_bytes > LIMIT / 2 {
            let Some(length) = reader.skip()? else { break };
            self.start_bytes += length;
        }
        let from = self.start;
        self.start = reader.position;
        self.start_number = reader.number;
        self.write_header()?;
        punch(&self.file, from, self.start - from)
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
    /// None when there is no log at this path, or an empty file.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut header = [0; 32];
        if file.metadata()?.len() < header.len() as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut header, 0)?;
        let [magic, tearing, position, number] = numbers(&header);
        if magic != MAGIC {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a log of unflushed writes",
            ));
        }
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
