//! The card's memory: what was read, and what was written and not destaged.

use super::layout::Layout;
use crate::cover::covers;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Stretches of data read or read ahead, the first in the first out.
#[derive(Debug, Default)]
pub(super) struct ReadCache {
    /// Disjoint stretches by their start.
    stretches: BTreeMap<u64, Stretch>,
    /// (number, start) of each stretch.
    by_age: BTreeSet<(u64, u64)>,
    /// How many stretches have come in.
    numbered: u64,
    bytes: u64,
    size: u64,
}

/// A stretch from its start, by which it is found.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    end: u64,
    /// In order of arrival. Parts of a stretch that was cut keep its number.
    number: u64,
}

impl ReadCache {
    pub fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    fn holds(&self, start: u64, end: u64) -> bool {
        covers(start, end, |at| self.reach(at))
    }

    /// How far the stretch that holds a byte goes on.
    pub fn reach(&self, at: u64) -> Option<u64> {
        let (_, stretch) = self.stretches.range(..=at).next_back()?;
        (at < stretch.end).then_some(stretch.end)
    }

    /// Takes in what was read. It replaces what it overlaps.
    pub fn insert(&mut self, start: u64, end: u64) {
        if end - start > self.size || self.holds(start, end) {
            return;
        }
        self.forget(start, end);
        self.add(start, end, self.numbered);
        self.numbered += 1;
        while self.bytes > self.size
            && let Some(&(_, oldest)) = self.by_age.first()
        {
            self.remove(oldest);
        }
    }

    /// Forgets `start..end`.
    pub fn forget(&mut self, start: u64, end: u64) {
        while let Some((&from, &Stretch { end: to, number })) =
            self.stretches.range(..end).next_back().filter(|(_, stretch)| stretch.end > start)
        {
            self.remove(from);
            if from < start {
                self.add(from, start, number);
            }
            if end < to {
                self.add(end, to, number);
            }
        }
    }

    fn add(&mut self, start: u64, end: u64, number: u64) {
        self.stretches.insert(start, Stretch { end, number });
        self.by_age.insert((number, start));
        self.bytes += end - start;
    }

    fn remove(&mut self, start: u64) {
        if let Some(Stretch { end, number }) = self.stretches.remove(&start) {
            self.by_age.remove(&(number, start));
            self.bytes -= end - start;
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

    /// How far the range that holds a byte goes on, in its row.
    pub fn reach(&self, at: u64, layout: &Layout) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_around_another_is_found_whole_and_what_is_overwritten_in_it_is_not() {
        let mut cache = ReadCache::new(1 << 20);
        cache.insert(10, 20);
        cache.insert(0, 100);
        assert!(cache.holds(0, 100) && cache.holds(30, 40));
        cache.forget(30, 40);
        assert!(cache.holds(0, 30) && cache.holds(40, 100));
        assert!(!cache.holds(0, 100) && !cache.holds(39, 41) && !cache.holds(30, 31));
    }

    #[test]
    fn overwritten_data_does_not_come_back_when_others_are_evicted() {
        let mut cache = ReadCache::new(120);
        cache.insert(10, 20);
        cache.insert(0, 100);
        cache.forget(30, 40);
        cache.insert(200, 230);
        assert!(!cache.holds(30, 40) && cache.holds(200, 230));
    }

    #[test]
    fn what_came_in_first_goes_out_first() {
        let mut cache = ReadCache::new(8192);
        cache.insert(0, 4096);
        cache.forget(0, 4096);
        cache.insert(4096, 8192);
        cache.insert(0, 4096);
        cache.insert(8192, 12288);
        assert!(cache.holds(0, 4096) && !cache.holds(4096, 8192));
    }

    #[test]
    fn adjacent_stretches_are_read_together() {
        let mut cache = ReadCache::new(1 << 20);
        for start in [8192, 0, 4096] {
            cache.insert(start, start + 4096);
        }
        assert!(cache.holds(0, 12288) && !cache.holds(0, 12289));
    }

    #[test]
    fn a_read_cache_holds_disjoint_stretches_of_at_most_its_size() {
        let mut cache = ReadCache::new(1000);
        for i in 0..10_000u64 {
            let start = i * 7919 % 5000;
            match i % 3 {
                0 => cache.forget(start, start + 100),
                _ => cache.insert(start, start + 1 + i * 31 % 300),
            }
            let bytes: u64 = cache.stretches.iter().map(|(start, s)| s.end - start).sum();
            assert!(bytes == cache.bytes && bytes <= 1000);
            assert_eq!(cache.by_age.len(), cache.stretches.len());
            let ends = cache.stretches.values().map(|stretch| stretch.end);
            assert!(ends.zip(cache.stretches.keys().skip(1)).all(|(end, next)| end <= *next));
        }
    }
}
