//! Writes: into the cache or through it, out to the members, and the flushes behind them.

use super::{CardDrive, End, Requests};
use crate::{Nanos, Op, Request};

/// A flush that waits for every write older than `barrier`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingFlush {
    tag: u64,
    barrier: u64,
}

impl CardDrive {
    pub(super) fn write(&mut self, now: Nanos, tag: u64, start: u64, end: u64) {
        self.reads.forget(start, end);
        if !self.write_back {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            let width = self.layout.row_bytes();
            let mut at = start;
            while at < end {
                let until = ((at / width + 1) * width).min(end);
                let (reads, writes) = self.scatter(at / width, &[(at, until)]);
                old.extend(reads);
                new.extend(writes);
                at = until;
            }
            let end = End::Host { tag, bytes: end - start, read: None };
            match old.is_empty() {
                true => self.start(now, new, old, end),
                false => self.start(now, old, new, end),
            }
        } else if self.waiting.is_empty() && self.dirty.has_room(end - start) {
            self.take(now, tag, start, end);
            self.destage(now);
        } else {
            self.waiting.push_back((tag, start, end));
        }
    }

    /// Puts a write into the cache and acknowledges it.
    pub(super) fn take(&mut self, now: Nanos, tag: u64, start: u64, end: u64) {
        self.dirty.insert(start, end, self.sequence, &self.layout);
        self.sequence += 1;
        self.finish(now as f64 + self.cache_time, tag, end - start);
    }

    /// Sends dirty rows to the members while their queues have room.
    pub(super) fn destage(&mut self, now: Nanos) {
        while self.destaging < self.most_destages {
            let Some((row, dirty)) = self.dirty.next() else {
                return;
            };
            self.destaging += 1;
            let (old, new) = self.scatter(row, &dirty.ranges);
            let end = End::Destage { row, bytes: dirty.bytes(), oldest: dirty.oldest };
            match old.is_empty() {
                true => self.start(now, new, old, end),
                false => self.start(now, old, new, end),
            }
        }
    }

    pub(super) fn flush(&mut self, now: Nanos, tag: u64) {
        if self.lies || (self.write_back && self.battery) {
            self.finish(now as f64 + self.cache_time, tag, 0);
            return;
        }
        self.flushes.push_back(PendingFlush { tag, barrier: self.sequence });
        self.settle_flushes(now);
    }

    /// Hands the flushes whose writes have left the card on to the members' caches.
    pub(super) fn settle_flushes(&mut self, now: Nanos) {
        if self.flushes.is_empty() {
            return;
        }
        let destaging = self.jobs.values().filter_map(|job| match job.end {
            End::Destage { oldest, .. } => Some(oldest),
            _ => None,
        });
        let oldest = destaging.chain(self.dirty.oldest()).min();
        while let Some(&flush) = self.flushes.front() {
            if oldest.is_some_and(|oldest| oldest < flush.barrier) {
                return;
            }
            self.flushes.pop_front();
            let requests = match self.volatile_members {
                true => (0..self.layout.members).map(|member| (member, Request::flush())).collect(),
                false => Vec::new(),
            };
            let end = End::Host { tag: flush.tag, bytes: 0, read: None };
            self.start(now, requests, Vec::new(), end);
        }
    }

    /// Requests that write ranges of one row: first those that read what parity is made from, then
    /// the writes. Parity is that of the changed bytes' places. A small write costs 2, 4 or 6
    /// requests on RAID 10, 5 or 6, a full row one for each member.
    fn scatter(&self, row: u64, ranges: &[(u64, u64)]) -> (Requests, Requests) {
        let mut old = Vec::new();
        let mut new = Vec::new();
        let mut changed = Vec::new();
        for &(start, end) in ranges {
            for piece in self.layout.pieces(start, end) {
                changed.push((piece.offset, piece.offset + piece.length));
                for member in self.layout.holders(row, piece.column) {
                    old.push((member, Request::new(Op::Read, piece.offset, piece.length)));
                    new.push((member, Request::new(Op::Write, piece.offset, piece.length)));
                }
            }
        }
        let bytes: u64 = changed.iter().map(|(start, end)| end - start).sum();
        let changed = merged(changed);
        for member in self.layout.parities(row) {
            for &(start, end) in &changed {
                old.push((member, Request::new(Op::Read, start, end - start)));
                new.push((member, Request::new(Op::Write, start, end - start)));
            }
        }
        if self.layout.parity() == 0 || bytes == self.layout.row_bytes() {
            old.clear();
        }
        (old, new)
    }
}

/// The same bytes as disjoint ranges that do not touch, ascending.
fn merged(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let joined = next.0 <= last.1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_or_touch_are_merged() {
        let ranges = vec![(60, 64), (0, 4), (8, 12), (4, 6), (9, 20), (10, 11)];
        assert_eq!(merged(ranges), [(0, 6), (8, 20), (60, 64)]);
    }
}
