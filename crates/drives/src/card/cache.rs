//! The card's memory: what was read, and what was written and not destaged.

use super::layout::Layout;
use crate::cover::covers;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Stretches of data read or read ahead, the first in the first out.
#[derive(Debug, Default)]
pub(super) struct ReadCache {
    stretches: BTreeMap<u64, u64>,
    order: VecDeque<u64>,
    bytes: u64,
    size: u64,
}

impl ReadCache {
    pub fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    pub fn holds(&self, start: u64, end: u64) -> bool {
        self.stretches.range(..=start).next_back().is_some_and(|(_, to)| *to >= end)
    }

    pub fn insert(&mut self, start: u64, end: u64) {
        if end - start > self.size || self.holds(start, end) {
            return;
        }
        self.remove(start);
        self.stretches.insert(start, end);
        self.order.push_back(start);
        self.bytes += end - start;
        if self.order.len() > 64 + 4 * self.stretches.len() {
            // Mostly places of stretches that have been overwritten since.
            self.order.retain(|from| self.stretches.contains_key(from));
        }
        while self.bytes > self.size {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            self.remove(oldest);
        }
    }

    fn remove(&mut self, start: u64) {
        if let Some(end) = self.stretches.remove(&start) {
            self.bytes -= end - start;
        }
    }

    /// Forgets what overlaps `start..end`.
    pub fn overwrite(&mut self, start: u64, end: u64) {
        let stale: Vec<u64> = self
            .stretches
            .range(..end)
            .rev()
            .take_while(|(_, to)| **to > start)
            .map(|(from, _)| *from)
            .collect();
        for from in stale {
            self.remove(from);
        }
    }
}

/// What is dirty in one row.
#[derive(Debug, Clone, Default)]
pub(super) struct DirtyRow {
    /// Disjoint ranges of the array's bytes, ascending.
    pub ranges: Vec<(u64, u64)>,
    /// Sequence number of the oldest write in it.
    pub oldest: u64,
}

impl DirtyRow {
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(|(start, end)| end - start).sum()
    }

    fn add(&mut self, mut start: u64, mut end: u64) {
        self.ranges.retain(|&(from, to)| {
            let apart = to < start || from > end;
            if !apart {
                start = start.min(from);
                end = end.max(to);
            }
            apart
        });
        let place = self.ranges.partition_point(|&(from, _)| from < start);
        self.ranges.insert(place, (start, end));
    }
}

/// Rows with dirty data, destaged in ascending order and round again.
#[derive(Debug, Default)]
pub(super) struct WriteCache {
    rows: BTreeMap<u64, DirtyRow>,
    /// Ranges of rows being destaged: they hold their memory, from which they can be read, until
    /// they are on the members.
    busy: HashMap<u64, Vec<(u64, u64)>>,
    bytes: u64,
    position: u64,
    size: u64,
}

impl WriteCache {
    pub fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    pub fn has_room(&self, bytes: u64) -> bool {
        self.bytes == 0 || self.bytes + bytes <= self.size
    }

    /// Whether `start..end` can be read from the cache.
    pub fn holds(&self, start: u64, end: u64, layout: &Layout) -> bool {
        covers(start, end, |at| self.reach(at, layout))
    }

    /// How far the range that holds a byte goes on, in its row.
    fn reach(&self, at: u64, layout: &Layout) -> Option<u64> {
        let row = at / layout.row_bytes();
        let dirty = self.rows.get(&row).map(|dirty| &dirty.ranges);
        let ranges = dirty.into_iter().chain(self.busy.get(&row)).flatten();
        ranges.filter(|(from, to)| (*from..*to).contains(&at)).map(|(_, to)| *to).max()
    }

    pub fn insert(&mut self, start: u64, end: u64, sequence: u64, layout: &Layout) {
        let width = layout.row_bytes();
        let mut at = start;
        while at < end {
            let row = at / width;
            let until = ((row + 1) * width).min(end);
            let dirty = self
                .rows
                .entry(row)
                .or_insert_with(|| DirtyRow { ranges: Vec::new(), oldest: sequence });
            let before = dirty.bytes();
            dirty.add(at, until);
            self.bytes += dirty.bytes() - before;
            at = until;
        }
    }

    /// Takes the next row out for destaging; [`WriteCache::destaged`] gives its memory back.
    pub fn next(&mut self) -> Option<(u64, DirtyRow)> {
        let free = |row: &&u64| !self.busy.contains_key(row);
        let row = self
            .rows
            .range(self.position..)
            .map(|(row, _)| row)
            .find(free)
            .or_else(|| self.rows.keys().find(free))
            .copied()?;
        let dirty = self.rows.remove(&row)?;
        self.position = row + 1;
        self.busy.insert(row, dirty.ranges.clone());
        Some((row, dirty))
    }

    pub fn destaged(&mut self, row: u64, bytes: u64) {
        self.busy.remove(&row);
        self.bytes -= bytes;
    }

    /// The oldest write that no destage has taken yet.
    pub fn oldest(&self) -> Option<u64> {
        self.rows.values().map(|dirty| dirty.oldest).min()
    }
}
