//! Crash states: what drives may hold after a power cut at any moment of a record.
//!
//! Durable writes are kept: every completed write of a drive without a volatile cache, and of a drive with
//! one, every write that a completed flush covers and every completed FUA write. Of the rest, writes in flight
//! among it, a seeded subset is there, each whole or torn.

use crate::record::{Event, EventKind, HEADER, Reader};
use crate::{Contents, PAGE, Pages};
use drives::Profile;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;

/// Virtual ns without a write, discard or flush after which a volatile cache is empty. A disk takes some 9 ms for each
/// of the 1,024 stretches that its buffer holds; flash needs less. Reads leave no event: they are taken to be few.
pub const EMPTY_AFTER: u64 = 10_000_000_000;

/// At a drive's beginning and at its end, bytes that [`damage`] leaves alone: a pool's labels and boot block
/// lie there (`VDEV_LABEL_START_SIZE` and `VDEV_LABEL_END_SIZE`).
pub const LABELS: (u64, u64) = (4 << 20, 512 << 10);

/// A misdirected write lands at most this many times its own length away.
const NEARBY: u64 = 16;

/// Which acknowledged writes of a drive survive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    /// A completed write can be lost until a flush covers it, unless it was a FUA write.
    pub volatile: bool,
    /// A write that the power cut interrupts is whole in units of this many bytes.
    pub tearing: u64,
    /// Most bytes of completed writes that a volatile cache holds beside the last one; older ones are on the medium.
    pub cache: u64,
}

impl From<&Profile> for Durability {
    fn from(profile: &Profile) -> Durability {
        Durability {
            volatile: profile.volatile_cache(),
            tearing: profile.tearing.whole(),
            cache: profile.write_cache_bytes(),
        }
    }
}

/// What a faulty drive does to writes without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteFault {
    /// It acknowledges flushes and FUA writes, and does nothing for them.
    LiesAboutFlushes,
    /// One in so many writes never reaches the medium.
    Loses {
        /// At least 1.
        every: u64,
    },
    /// One in so many writes reaches a place nearby instead, over what was there.
    Misdirects {
        /// At least 1.
        every: u64,
    },
}

/// The fault of a drive, with the generator that chooses the writes.
#[derive(Debug, Clone)]
struct Faulty {
    fault: WriteFault,
    random: Xoshiro256PlusPlus,
    /// Writes so far that were lost or misdirected.
    writes: u64,
}

impl Faulty {
    /// Where a write goes; none if it is lost.
    fn place(&mut self, change: &Change, size: u64) -> Option<u64> {
        let mut chosen = |every: u64| self.random.next_u64().is_multiple_of(every.max(1));
        match self.fault {
            WriteFault::Loses { every } if chosen(every) => {
                self.writes += 1;
                None
            }
            WriteFault::Misdirects { every } if chosen(every) => {
                let away = change.length * (1 + self.random.next_u64() % NEARBY);
                let mut places = [change.offset.checked_sub(away), change.offset.checked_add(away)];
                if !self.random.next_u64().is_multiple_of(2) {
                    places.reverse();
                }
                let inside = |at: &u64| *at >= LABELS.0 && at + change.length + LABELS.1 <= size;
                let place = places.into_iter().flatten().find(inside);
                self.writes += u64::from(place.is_some());
                place.or(Some(change.offset))
            }
            _ => Some(change.offset),
        }
    }
}

/// What a power cut left of the writes and discards that were not durable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unflushed {
    /// There whole.
    pub kept: u64,
    /// There in part.
    pub torn: u64,
    /// Gone.
    pub lost: u64,
    /// Writes that reached the medium at the cut and that a faulty drive lost or misdirected. Each is in one of the
    /// numbers above as well, unless it was durable.
    pub faulty: u64,
}

impl Unflushed {
    /// All that were not durable.
    pub fn total(&self) -> u64 {
        self.kept + self.torn + self.lost
    }
}

/// A write or a discard that may be lost.
#[derive(Debug, Clone)]
struct Change {
    offset: u64,
    length: u64,
    /// None for a discard.
    data: Option<Vec<u8>>,
    /// The event at which it completed.
    completed: Option<u64>,
    /// It was a completed FUA write. It waits for older writes of the same place, which it overwrites.
    durable: bool,
}

impl Change {
    /// Bytes that it takes in a cache: a discard has none.
    fn bytes(&self) -> u64 {
        self.data.as_ref().map_or(0, |data| data.len() as u64)
    }

    fn overlaps(&self, other: &Change) -> bool {
        self.offset < other.offset + other.length && other.offset < self.offset + self.length
    }

    /// Applies the part between two offsets within it.
    fn apply(&self, pages: &mut Pages, drive: &mut Contents, from: u64, to: u64) {
        let at = self.offset + from;
        match &self.data {
            Some(data) => drive.write(pages, at, &data[from as usize..to as usize]),
            None => drive.discard(pages, at, to - from),
        }
    }

    /// Its parts, as offsets within it, that a power cut does not divide.
    fn units(&self, tearing: u64) -> impl Iterator<Item = (u64, u64)> {
        let (offset, end) = (self.offset, self.offset + self.length);
        let first = offset / tearing;
        (first..end.div_ceil(tearing)).map(move |unit| {
            let from = (unit * tearing).max(offset);
            let to = ((unit + 1) * tearing).min(end);
            (from - offset, to - offset)
        })
    }
}

/// A drive while its record is read.
#[derive(Debug)]
struct Drive {
    /// Bytes; the contents round them up.
    size: u64,
    durability: Durability,
    contents: Contents,
    /// What is not on the medium yet, by the event of its submission.
    pending: BTreeMap<u64, Change>,
    /// Bytes of data of it that have completed and are not durable. Discards take no room.
    cached: u64,
    /// When its last event was, virtual ns.
    last_event: u64,
    faulty: Option<Faulty>,
}

impl Drive {
    fn lies(&self) -> bool {
        self.faulty.as_ref().is_some_and(|faulty| faulty.fault == WriteFault::LiesAboutFlushes)
    }

    /// Writes so far that its fault lost or misdirected.
    fn faulty_writes(&self) -> u64 {
        self.faulty.as_ref().map_or(0, |faulty| faulty.writes)
    }

    fn completed(&mut self, pages: &mut Pages, write: u64, event: u64, settled: bool) {
        let Some(change) = self.pending.get_mut(&write) else {
            return;
        };
        if settled || !self.durability.volatile {
            self.settle(pages, write);
            return;
        }
        change.completed = Some(event);
        self.cached += change.bytes();
        while self.cached > self.durability.cache {
            // A write that is larger than the cache is in it alone.
            let older = |(number, change): &(&u64, &Change)| {
                **number != write && change.completed.is_some()
            };
            let Some(oldest) = self.pending.iter().find(older).map(|(number, _)| *number) else {
                break;
            };
            self.settle(pages, oldest);
        }
    }

    /// Empties the cache of a drive that has had nothing to do for long enough at a time.
    fn rest(&mut self, pages: &mut Pages, at: u64) {
        let idle = at.saturating_sub(self.last_event) >= EMPTY_AFTER;
        if idle && self.pending.values().all(|change| change.completed.is_some()) {
            for number in self.pending.keys().copied().collect::<Vec<_>>() {
                self.settle(pages, number);
            }
        }
    }

    /// A FUA write completed. It goes to the medium, behind older writes of the same place: those may be
    /// lost, but must not come after it.
    fn completed_fua(&mut self, pages: &mut Pages, write: u64, event: u64) {
        let Some(change) = self.pending.get(&write) else {
            return;
        };
        if !self.pending.range(..write).any(|(_, older)| older.overlaps(change)) {
            self.settle(pages, write);
        } else if let Some(change) = self.pending.get_mut(&write) {
            change.completed = Some(event);
            change.durable = true;
        }
    }

    /// Brings to the medium what had completed before an event.
    fn flushed(&mut self, pages: &mut Pages, event: u64) {
        let covered = |change: &Change| change.completed.is_some_and(|at| at < event);
        let numbers: Vec<u64> = self
            .pending
            .iter()
            .filter(|(_, change)| covered(change))
            .map(|(number, _)| *number)
            .collect();
        for number in numbers {
            self.settle(pages, number);
        }
    }

    /// Brings a write to the medium.
    fn settle(&mut self, pages: &mut Pages, write: u64) {
        if let Some(change) = self.pending.remove(&write) {
            if change.completed.is_some() && !change.durable {
                self.cached -= change.bytes();
            }
            if let Some(offset) = self.place(&change) {
                let change = Change { offset, ..change };
                change.apply(pages, &mut self.contents, 0, change.length);
            }
        }
    }

    /// Where a change reaches the medium; none if a faulty drive loses it.
    fn place(&mut self, change: &Change) -> Option<u64> {
        match &mut self.faulty {
            Some(faulty) if change.data.is_some() => faulty.place(change, self.size),
            _ => Some(change.offset),
        }
    }

    /// Decides about everything that is not on the medium. How much of it a drive keeps is drawn first, so
    /// that some states lose nearly everything and others hardly anything.
    fn cut(&mut self, pages: &mut Pages, seed: u64, unflushed: &mut Unflushed) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let quarters_kept = random.next_u64() % 5;
        let faulty_before = self.faulty_writes();
        for change in mem::take(&mut self.pending).into_values() {
            let (whole, tears) = match change.durable {
                true => (true, false),
                false => {
                    (random.next_u64() % 4 < quarters_kept, random.next_u64().is_multiple_of(4))
                }
            };
            let is_unflushed = u64::from(!change.durable);
            let place = if whole || tears { self.place(&change) } else { None };
            let Some(offset) = place else {
                unflushed.lost += is_unflushed;
                continue;
            };
            let change = Change { offset, ..change };
            if whole {
                change.apply(pages, &mut self.contents, 0, change.length);
                unflushed.kept += is_unflushed;
                continue;
            }
            let (mut there, mut gone) = (false, false);
            for (from, to) in change.units(self.durability.tearing) {
                if random.next_u64().is_multiple_of(2) {
                    change.apply(pages, &mut self.contents, from, to);
                    there = true;
                } else {
                    gone = true;
                }
            }
            match (there, gone) {
                (true, true) => unflushed.torn += 1,
                (true, false) => unflushed.kept += 1,
                (false, _) => unflushed.lost += 1,
            }
        }
        unflushed.faulty += self.faulty_writes() - faulty_before;
    }
}

/// Drives while a record of them is read, up to a moment. It may be [forked](Replay::fork) for a cut, and read on to
/// a later one.
#[derive(Debug)]
pub struct Replay {
    drives: Vec<Drive>,
    /// What had completed by this moment is on the medium.
    settled: u64,
    /// Events that were read.
    events: u64,
    /// Bytes of the record that were read.
    offset: u64,
}

impl Replay {
    /// Of a record that begins with empty drives, of so many bytes each. What had completed by `settled` (virtual
    /// ns) is on the medium: a drive that has nothing to do empties its cache, even one that lies about flushes.
    pub fn new(drives: impl IntoIterator<Item = (u64, Durability)>, settled: u64) -> Replay {
        let empty = |(size, durability)| Drive {
            size,
            durability,
            contents: Contents::new(size),
            pending: BTreeMap::new(),
            cached: 0,
            last_event: 0,
            faulty: None,
        };
        Replay { drives: drives.into_iter().map(empty).collect(), settled, events: 0, offset: 0 }
    }

    /// Reads the record up to and with the events of a moment, from where it was left.
    ///
    /// # Errors
    /// What the file system says, or that it is no record of these drives.
    pub fn read<R: Read + Seek>(
        &mut self,
        record: R,
        pages: &mut Pages,
        until: u64,
    ) -> io::Result<()> {
        let mut record = Reader(record);
        record.0.seek(SeekFrom::Start(self.offset))?;
        while let Some((event, data)) = record.next_event()? {
            if event.at > until {
                break;
            }
            self.offset += (HEADER + data.len()) as u64;
            self.apply(pages, event, data)?;
        }
        // A drive that was idle for long before the cut has emptied its cache by then.
        for drive in &mut self.drives {
            drive.rest(pages, until);
        }
        Ok(())
    }

    fn apply(&mut self, pages: &mut Pages, event: Event, data: Vec<u8>) -> io::Result<()> {
        let number = self.events;
        self.events += 1;
        let Event { at, kind, .. } = event;
        for drive in &mut self.drives {
            drive.rest(pages, at);
        }
        let drive = self.drives.get_mut(event.drive as usize).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "a record of other drives")
        })?;
        drive.last_event = at;
        match kind {
            EventKind::Write | EventKind::Discard => {
                let change = Change {
                    offset: event.offset,
                    length: event.length,
                    data: (kind == EventKind::Write).then_some(data),
                    completed: None,
                    durable: false,
                };
                drive.pending.insert(number, change);
            }
            EventKind::Completed => {
                drive.completed(pages, event.number, number, at <= self.settled)
            }
            EventKind::CompletedFua if drive.lies() => {
                drive.completed(pages, event.number, number, at <= self.settled)
            }
            EventKind::CompletedFua => drive.completed_fua(pages, event.number, number),
            EventKind::Flushed if drive.lies() => {}
            EventKind::Flushed => drive.flushed(pages, event.number),
        }
        Ok(())
    }

    /// Gives a drive a fault for everything that reaches its medium from here on. The seed chooses the writes. One
    /// that lies about flushes has a volatile cache.
    pub fn set_fault(&mut self, drive: usize, fault: WriteFault, seed: u64) {
        if let Some(drive) = self.drives.get_mut(drive) {
            let random = Xoshiro256PlusPlus::seed_from_u64(seed);
            drive.faulty = Some(Faulty { fault, random, writes: 0 });
            drive.durability.volatile |= drive.lies();
        }
    }

    /// Writes that faulty drives lost or misdirected so far; [`Unflushed::faulty`] has those of the cut.
    pub fn faulty_writes(&self) -> u64 {
        self.drives.iter().map(Drive::faulty_writes).sum()
    }

    /// The same once more; pages that neither changes are held once.
    pub fn fork(&self) -> Replay {
        let fork = |drive: &Drive| Drive {
            size: drive.size,
            durability: drive.durability,
            contents: drive.contents.fork(),
            pending: drive.pending.clone(),
            cached: drive.cached,
            last_event: drive.last_event,
            faulty: drive.faulty.clone(),
        };
        Replay { drives: self.drives.iter().map(fork).collect(), ..*self }
    }

    /// Gives its pages back.
    pub fn discard(self, pages: &mut Pages) {
        for drive in self.drives {
            drive.contents.release(pages);
        }
    }

    /// Cuts the power now. The seed decides about the writes that may or may not be there; the same record, moment
    /// and seed give the same contents.
    pub fn cut(mut self, pages: &mut Pages, seed: u64) -> (Vec<Contents>, Unflushed) {
        let mut unflushed = Unflushed::default();
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
        for drive in &mut self.drives {
            drive.cut(pages, seeds.next_u64(), &mut unflushed);
        }
        (self.drives.into_iter().map(|drive| drive.contents).collect(), unflushed)
    }
}

/// Makes one in `every` pages of 4 KiB that hold something zero, chosen by the seed, on a drive of `size`
/// bytes outside of its labels: media errors that nobody has noticed. Returns how many.
pub fn damage(pages: &mut Pages, drive: &mut Contents, size: u64, every: u64, seed: u64) -> u64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let page = PAGE as u64;
    let outside = LABELS.0.div_ceil(page)..size.saturating_sub(LABELS.1) / page;
    let held = drive.pages().map(|(number, _)| number);
    let chosen: Vec<u64> = held
        .filter(|number| outside.contains(number))
        .filter(|_| random.next_u64().is_multiple_of(every.max(1)))
        .collect();
    for number in &chosen {
        drive.discard(pages, number * page, page);
    }
    chosen.len() as u64
}
