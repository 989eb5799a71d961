//! What a drive has done, and how well its timing was kept.

use drives::{Nanos, Op};
use hdrhistogram::Histogram;

/// Running totals of a drive; times in virtual ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Reads finished.
    pub reads: u64,
    /// Writes finished.
    pub writes: u64,
    /// Bytes of the reads.
    pub read_bytes: u64,
    /// Bytes of the writes.
    pub write_bytes: u64,
    /// Flushes finished.
    pub flushes: u64,
    /// Trims finished.
    pub trims: u64,
    /// Sum over time of the requests outstanding: divided by a time it is the mean queue.
    pub queue_ns: u64,
    /// Time with at least one request outstanding.
    pub busy_ns: u64,
    /// Sum of how much later reads, writes and flushes completed than the model intended. No operation
    /// waits for a trim.
    pub late_ns: u64,
}

/// Distribution of service times of one kind of request, virtual ns, three significant digits. Kinds
/// are kept apart: between a disk's cached writes and its flushes lies a gap of milliseconds, and the
/// median of both together falls to either side of it by chance.
#[derive(Debug, Clone)]
pub struct Service {
    /// Which requests.
    pub op: Op,
    /// As the model intended, from the arrival of a request to its completion.
    pub intended: Histogram<u32>,
    /// As the submitter saw it.
    pub achieved: Histogram<u32>,
}

/// Longest service time that is told apart, virtual ns.
const LONGEST: u64 = 120_000_000_000;

/// Statistics of a drive that is being used.
#[derive(Debug)]
pub(super) struct Statistics {
    counters: Counters,
    service: Vec<Service>,
    outstanding: u64,
    since: Nanos,
}

impl Statistics {
    pub(super) fn new() -> Self {
        Self {
            counters: Counters::default(),
            service: Vec::new(),
            outstanding: 0,
            since: 0,
        }
    }

    fn pass(&mut self, now: Nanos) {
        let time = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        self.counters.queue_ns += time * self.outstanding;
        if self.outstanding > 0 {
            self.counters.busy_ns += time;
        }
    }

    pub(super) fn arrived(&mut self, now: Nanos) {
        self.pass(now);
        self.outstanding += 1;
    }

    /// A request has finished outside of any model.
    pub(super) fn count(&mut self, op: Op, bytes: u64) {
        let c = &mut self.counters;
        match op {
            Op::Read => {
                c.reads += 1;
                c.read_bytes += bytes;
            }
            Op::Write => {
                c.writes += 1;
                c.write_bytes += bytes;
            }
            Op::Flush => c.flushes += 1,
            Op::Trim => c.trims += 1,
        }
    }

    pub(super) fn finished(
        &mut self,
        op: Op,
        bytes: u64,
        arrived: Nanos,
        intended: Nanos,
        now: Nanos,
    ) {
        // The queue is the model's: a late completion does not count as load.
        self.pass(intended);
        self.outstanding = self.outstanding.saturating_sub(1);
        self.count(op, bytes);
        if op != Op::Trim {
            self.counters.late_ns += now.saturating_sub(intended);
        }
        if let Some(service) = self.service_of(op) {
            let record = |h: &mut Histogram<u32>, at: Nanos| {
                h.saturating_record(at.saturating_sub(arrived).max(1));
            };
            record(&mut service.intended, intended);
            record(&mut service.achieved, now);
        }
    }

    /// The distribution of a kind of request, made when the first of it is finished: an empty one
    /// takes half a megabyte. None only where the histogram's bounds are wrong.
    fn service_of(&mut self, op: Op) -> Option<&mut Service> {
        let at = match self.service.iter().position(|s| s.op == op) {
            Some(at) => at,
            None => {
                let histogram = || Histogram::new_with_bounds(1, LONGEST, 3).ok();
                self.service.push(Service {
                    op,
                    intended: histogram()?,
                    achieved: histogram()?,
                });
                self.service.len() - 1
            }
        };
        self.service.get_mut(at)
    }

    pub(super) fn counters(&mut self, now: Nanos) -> Counters {
        self.pass(now);
        self.counters
    }

    /// Service times since the last call, of each kind of request that there was.
    pub(super) fn take_service(&mut self) -> Vec<Service> {
        std::mem::take(&mut self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_busy_time_follow_the_intended_completions() {
        let mut s = Statistics::new();
        s.arrived(100);
        s.arrived(200);
        // Both are done at 400 and 500; the second is told 50 late.
        s.finished(Op::Read, 4096, 100, 400, 400);
        s.finished(Op::Write, 8192, 200, 500, 550);
        let c = s.counters(1000);
        assert_eq!(c.queue_ns, 300 + 300);
        assert_eq!(c.busy_ns, 400);
        assert_eq!(c.late_ns, 50);
        assert_eq!((c.reads, c.read_bytes), (1, 4096));
        assert_eq!((c.writes, c.write_bytes), (1, 8192));
        let service = s.take_service();
        assert_eq!(
            service.iter().map(|s| s.op).collect::<Vec<_>>(),
            [Op::Read, Op::Write]
        );
        assert_eq!(
            (service[0].intended.max(), service[0].achieved.max()),
            (300, 300)
        );
        assert_eq!(
            (service[1].intended.max(), service[1].achieved.max()),
            (300, 350)
        );
        assert!(s.take_service().is_empty());
    }

    #[test]
    fn a_late_trim_makes_no_operation_late() {
        let mut s = Statistics::new();
        s.arrived(100);
        s.arrived(100);
        s.finished(Op::Write, 4096, 100, 400, 410);
        s.finished(Op::Trim, 1 << 20, 100, 500, 9500);
        let c = s.counters(10_000);
        assert_eq!((c.writes, c.trims, c.late_ns), (1, 1, 10));
    }
}
