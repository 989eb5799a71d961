//! Writes into the buffer, and flushes that wait until it is empty.

use super::buffer::Extent;
use super::{Activity, HddDrive};

/// A write that the buffer has no room for yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    tag: u64,
    start: u64,
    end: u64,
}

/// A flush that waits for every buffered write older than `barrier`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingFlush {
    tag: u64,
    pub barrier: u64,
    pub arrived: f64,
}

impl HddDrive {
    /// Whether the buffer takes another `bytes`.
    fn has_room(&self, bytes: u64) -> bool {
        let destaging = match self.activity {
            Activity::Destage { extent, .. } => extent.end - extent.start,
            _ => 0,
        };
        self.buffer.is_empty()
            || (self.buffer.len() < self.buffer_writes
                && self.buffer.bytes() + destaging + bytes <= self.buffer_bytes)
    }

    /// Lets waiting writes into the room that a destage has made.
    pub(super) fn admit(&mut self, at: f64) {
        while let Some(&write) = self.waiting.front() {
            if !self.has_room(write.end - write.start) {
                break;
            }
            self.waiting.pop_front();
            self.take(at, write);
        }
    }

    /// Puts a write into the buffer at `at` and acknowledges it.
    fn take(&mut self, at: f64, write: Waiting) {
        let received = self.transfer(at, write.end - write.start);
        self.finish(received + self.write_ack, write.tag);
        let extent = Extent {
            start: write.start,
            end: write.end,
            oldest: self.sequence,
            since: at,
            ready: received + self.overhead,
            start_revolutions: 0.0,
        };
        self.sequence += 1;
        self.buffer.insert(extent, &self.geometry);
        self.segments.retain(|&(start, end)| end <= write.start || start >= write.end);
    }

    /// Finishes the flushes whose writes are all on the medium.
    pub(super) fn settle_flushes(&mut self, at: f64) {
        let mut oldest = self.buffer.oldest().map_or(u64::MAX, |e| e.oldest);
        if let Activity::Destage { extent, .. } = self.activity {
            oldest = oldest.min(extent.oldest);
        }
        while let Some(&flush) = self.flushes.front() {
            if oldest < flush.barrier {
                break;
            }
            self.flushes.pop_front();
            self.finish(at + self.flush_overhead, flush.tag);
        }
    }

    pub(super) fn flush(&mut self, at: f64, tag: u64) {
        if self.flush_lies {
            self.finish(at + self.flush_overhead, tag);
            return;
        }
        self.flushes.push_back(PendingFlush { tag, barrier: self.sequence, arrived: at });
        self.settle_flushes(at);
        self.arrived(at);
    }

    pub(super) fn write(&mut self, at: f64, tag: u64, start: u64, end: u64) {
        if !self.write_cache {
            let command = self.command(at, tag, start, end, true);
            self.segments.retain(|&(s, e)| e <= start || s >= end);
            self.enqueue(at, command);
            return;
        }
        let write = Waiting { tag, start, end };
        if self.waiting.is_empty() && self.has_room(end - start) {
            self.take(at, write);
        } else {
            self.waiting.push_back(write);
        }
        self.arrived(at);
    }
}
