//! The record of writes, flushes and discards in the order of the drives, from which crash states are built.
//!
//! A file of events, each of [`HEADER`] bytes in little-endian order and, for a write, its data.

use std::fs::File;
use std::io::{self, Read, Write};

/// Bytes of an event without data.
pub const HEADER: usize = 40;

/// What an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A write was submitted; its data follows.
    Write,
    /// A write or a discard completed: `number` is the event at which it was submitted.
    Completed,
    /// A FUA write completed, submitted at event `number`: it is durable. One that a drive lies about is
    /// recorded as `Completed`.
    CompletedFua,
    /// A flush completed that was submitted at event `number`. It covers what had completed by then. A
    /// flush that a drive lies about leaves no event.
    Flushed,
    /// A discard was submitted: its range becomes zero.
    Discard,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Virtual ns.
    pub at: u64,
    /// Index of the drive.
    pub drive: u32,
    /// What it records.
    pub kind: EventKind,
    /// First byte of a write or discard.
    pub offset: u64,
    /// Bytes of a write or discard.
    pub length: u64,
    /// Number of the event that this one refers to, counted from 0; 0 for submitted writes and discards.
    pub number: u64,
}

impl Event {
    fn bytes(&self) -> [u8; HEADER] {
        let kind = match self.kind {
            EventKind::Write => 1u32,
            EventKind::Completed => 2,
            EventKind::Flushed => 3,
            EventKind::Discard => 4,
            EventKind::CompletedFua => 5,
        };
        let mut bytes = [0; HEADER];
        bytes[0..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.drive.to_le_bytes());
        bytes[12..16].copy_from_slice(&kind.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.length.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Option<Event> {
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Some(Event {
            at: u64_at(0),
            drive: u32_at(8),
            kind: match u32_at(12) {
                1 => EventKind::Write,
                2 => EventKind::Completed,
                3 => EventKind::Flushed,
                4 => EventKind::Discard,
                5 => EventKind::CompletedFua,
                _ => return None,
            },
            offset: u64_at(16),
            length: u64_at(24),
            number: u64_at(32),
        })
    }
}

/// A record being written. Nothing is buffered: what was recorded survives the machine's end.
#[derive(Debug)]
pub struct Recorder {
    file: File,
    events: u64,
}

impl Recorder {
    /// Begins a record in an empty file.
    pub fn new(file: File) -> Recorder {
        Recorder { file, events: 0 }
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Appends an event and, for a write, its data in parts. Returns its number.
    ///
    /// # Errors
    /// What the file system says.
    pub fn append(&mut self, event: Event) -> io::Result<u64> {
        self.file.write_all(&event.bytes())?;
        self.events += 1;
        Ok(self.events - 1)
    }

    /// Appends data of the write that was the last event.
    ///
    /// # Errors
    /// What the file system says.
    pub fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
}

/// Reads a record from its beginning; a last event that was cut off is left out.
#[derive(Debug)]
pub struct Reader<R>(pub R);

impl<R: Read> Reader<R> {
    /// The next event with a write's data; none at the end.
    ///
    /// # Errors
    /// What the file system says, or that the file is no record.
    pub fn next_event(&mut self) -> io::Result<Option<(Event, Vec<u8>)>> {
        let mut header = [0; HEADER];
        if !whole(&mut self.0, &mut header)? {
            return Ok(None);
        }
        let event = Event::from_bytes(&header)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a record of drives"))?;
        let mut data = Vec::new();
        if event.kind == EventKind::Write {
            data.resize(event.length as usize, 0);
            if !whole(&mut self.0, &mut data)? {
                return Ok(None);
            }
        }
        Ok(Some((event, data)))
    }
}

/// Whether the buffer could be filled before the end.
fn whole(from: &mut impl Read, to: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_written_and_a_cut_one_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record");
        let mut recorder = Recorder::new(File::create(&path).unwrap());
        let write =
            Event { at: 7, drive: 1, kind: EventKind::Write, offset: 4096, length: 6, number: 0 };
        let written = Event { at: 9, kind: EventKind::Completed, number: 0, ..write };
        assert_eq!(recorder.append(write).unwrap(), 0);
        recorder.data(b"abc").unwrap();
        recorder.data(b"def").unwrap();
        assert_eq!(recorder.append(written).unwrap(), 1);
        let durable = Event { kind: EventKind::CompletedFua, ..written };
        recorder.append(durable).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut reader = Reader(&bytes[..]);
        assert_eq!(reader.next_event().unwrap(), Some((write, b"abcdef".to_vec())));
        assert_eq!(reader.next_event().unwrap(), Some((written, Vec::new())));
        assert_eq!(reader.next_event().unwrap(), Some((durable, Vec::new())));
        assert_eq!(reader.next_event().unwrap(), None);
        let mut cut = Reader(&bytes[..HEADER + 4]);
        assert_eq!(cut.next_event().unwrap(), None);
    }
}
