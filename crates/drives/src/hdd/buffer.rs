//! What the drive has acknowledged and not written: extents in order of position and of age.

use super::geometry::Geometry;
use std::collections::BTreeMap;

/// Neighbouring writes are joined up to this many bytes, so that one destage stays short.
const LONGEST: u64 = 1 << 20;

/// Contiguous buffered bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub start: u64,
    pub end: u64,
    /// Sequence number of the oldest write in it.
    pub oldest: u64,
    /// When that write came into the buffer, ns.
    pub since: f64,
    /// When the last of its bytes is in the buffer, ns.
    pub ready: f64,
    /// Revolutions to `start`, see [`Geometry::revolutions`].
    pub start_revolutions: f64,
}

impl Extent {
    pub fn holds(&self, at: u64) -> bool {
        (self.start..self.end).contains(&at)
    }
}

#[derive(Debug, Default)]
pub(super) struct WriteBuffer {
    by_position: BTreeMap<u64, Extent>,
    by_age: BTreeMap<u64, u64>,
    bytes: u64,
}

impl WriteBuffer {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.by_position.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_position.is_empty()
    }

    /// The extent with the oldest write.
    pub fn oldest(&self) -> Option<&Extent> {
        let (_, start) = self.by_age.first_key_value()?;
        self.by_position.get(start)
    }

    /// How far the extent that holds a byte goes on.
    pub fn reach(&self, at: u64) -> Option<u64> {
        let (_, extent) = self.by_position.range(..=at).next_back()?;
        extent.holds(at).then_some(extent.end)
    }

    /// Adds a write, joining it with what it touches or overlaps.
    pub fn insert(&mut self, mut new: Extent, geometry: &Geometry) {
        if let Some((_, before)) = self.by_position.range(..=new.start).next_back() {
            let before = *before;
            let joined = before.end.max(new.end) - before.start;
            if before.end > new.start || (before.end == new.start && joined <= LONGEST) {
                self.remove(before.start);
                new = join(before, new);
            }
        }
        while let Some((_, after)) = self.by_position.range(new.start..).next() {
            let after = *after;
            let joined = after.end.max(new.end) - new.start;
            if after.start < new.end || (after.start == new.end && joined <= LONGEST) {
                self.remove(after.start);
                new = join(after, new);
            } else {
                break;
            }
        }
        new.start_revolutions = geometry.revolutions(new.start);
        self.bytes += new.end - new.start;
        self.by_age.insert(new.oldest, new.start);
        self.by_position.insert(new.start, new);
    }

    /// Takes an extent out, by its start.
    pub fn remove(&mut self, start: u64) -> Option<Extent> {
        let extent = self.by_position.remove(&start)?;
        self.by_age.remove(&extent.oldest);
        self.bytes -= extent.end - extent.start;
        Some(extent)
    }

    /// The extents from `head` on, the nearest first.
    pub fn above(&self, head: u64) -> impl Iterator<Item = &Extent> {
        self.by_position.range(head..).map(|(_, e)| e)
    }

    /// The extents before `head`, the nearest first.
    pub fn below(&self, head: u64) -> impl Iterator<Item = &Extent> {
        self.by_position.range(..head).rev().map(|(_, e)| e)
    }
}

fn join(a: Extent, b: Extent) -> Extent {
    let older = if a.oldest <= b.oldest { a } else { b };
    Extent {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
        ready: a.ready.max(b.ready),
        ..older
    }
}
