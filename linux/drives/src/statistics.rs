//! Counters of a drive.

use drives::{Nanos, Op};
use std::fmt::Write;

/// Counters of one drive since the machine started. Times are virtual ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Requests finished, their bytes and the sum of their service times, by kind.
    pub read: OpCounters,
    /// See `read`.
    pub write: OpCounters,
    /// See `read`; its bytes are 0.
    pub flush: OpCounters,
    /// See `read`.
    pub discard: OpCounters,
    /// Sum over time of the requests outstanding: divided by a time it is the mean queue.
    pub queue_ns: u64,
    /// Time with at least one request outstanding.
    pub busy_ns: u64,
    /// Sum of how much later requests completed than their model said.
    pub late_ns: u64,
    outstanding: u64,
    since: Nanos,
}

/// Counters of one operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpCounters {
    /// Requests finished.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Sum of the times from arrival to completion, as the model says.
    pub ns: u64,
}

impl Statistics {
    fn pass(&mut self, now: Nanos) {
        let time = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        self.queue_ns += time * self.outstanding;
        if self.outstanding > 0 {
            self.busy_ns += time;
        }
    }

    /// A request has arrived.
    pub fn arrived(&mut self, now: Nanos) {
        self.pass(now);
        self.outstanding += 1;
    }

    /// A request that arrived at `arrived` was to finish at `intended` and does so `now`.
    pub fn finished(&mut self, op: Op, bytes: u64, arrived: Nanos, intended: Nanos, now: Nanos) {
        self.pass(intended);
        self.outstanding -= 1;
        let kind = match op {
            Op::Read => &mut self.read,
            Op::Write => &mut self.write,
            Op::Flush => &mut self.flush,
            Op::Discard => &mut self.discard,
        };
        kind.count += 1;
        kind.bytes += bytes;
        kind.ns += intended.saturating_sub(arrived);
        self.late_ns += now.saturating_sub(intended);
    }

    /// One line of names and values, up to `now`.
    pub fn line(&mut self, name: &str, now: Nanos) -> String {
        self.pass(now);
        let mut line = name.to_owned();
        let values = [
            ("reads", self.read.count),
            ("read_bytes", self.read.bytes),
            ("read_ns", self.read.ns),
            ("writes", self.write.count),
            ("write_bytes", self.write.bytes),
            ("write_ns", self.write.ns),
            ("flushes", self.flush.count),
            ("flush_ns", self.flush.ns),
            ("discards", self.discard.count),
            ("discard_bytes", self.discard.bytes),
            ("queue_ns", self.queue_ns),
            ("busy_ns", self.busy_ns),
            ("late_ns", self.late_ns),
        ];
        for (key, value) in values {
            let _ = write!(line, " {key} {value}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_busy_time_follow_the_model() {
        let mut s = Statistics::default();
        s.arrived(100);
        s.arrived(200);
        s.finished(Op::Read, 4096, 100, 400, 400);
        s.finished(Op::Write, 8192, 200, 500, 550);
        let line = s.line("hdd0", 1000);
        assert_eq!((s.queue_ns, s.busy_ns, s.late_ns), (600, 400, 50));
        assert_eq!((s.read.ns, s.write.ns), (300, 300));
        assert!(line.starts_with("hdd0 reads 1 read_bytes 4096 read_ns 300 writes 1"));
    }
}
