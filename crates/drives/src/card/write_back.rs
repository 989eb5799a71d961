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
    /// the writes. A small write costs 2, 4 or 6 requests on RAID 10, 5 or 6, a full row one for
    /// each member.
    fn scatter(&self, row: u64, ranges: &[(u64, u64)]) -> (Requests, Requests) {
        let mut old = Vec::new();
        let mut new = Vec::new();
        let (mut low, mut high, mut bytes) = (u64::MAX, 0, 0);
        for &(start, end) in ranges {
            for piece in self.layout.pieces(start, end) {
                low = low.min(piece.offset);
                high = high.max(piece.offset + piece.length);
                bytes += piece.length;
                for member in self.layout.holders(row, piece.column) {
                    old.push((member, Request::new(Op::Read, piece.offset, piece.length)));
                    new.push((member, Request::new(Op::Write, piece.offset, piece.length)));
                }
            }
        }
        for member in self.layout.parities(row) {
            old.push((member, Request::new(Op::Read, low, high - low)));
            new.push((member, Request::new(Op::Write, low, high - low)));
        }
        if self.layout.parity() == 0 || bytes == self.layout.row_bytes() {
            old.clear();
        }
        (old, new)
    }
}
